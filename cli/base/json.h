/* json.h - JSON as every command writes it. */
#ifndef HN_CLI_JSON_H
#define HN_CLI_JSON_H

#include <jansson.h>
#include <stdio.h>

void cli_json_begin(void);           /* before anything else of this and of Jansson */
json_t *cli_json_real(double value); /* null when it is not finite */
json_t *cli_json_reals(const double *value, int count);
json_t *cli_json_string(const char *text);
char *cli_json_text(const json_t *value);      /* as it is printed, to be freed */
void cli_json_print(json_t *value);            /* on stdout; takes it over */
void cli_json_embed(json_t *value, FILE *out); /* in an element of a page of HTML; takes it over */

#endif
