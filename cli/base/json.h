/* json.h - JSON output of all commands. */
#ifndef HN_CLI_JSON_H
#define HN_CLI_JSON_H

#include <jansson.h>
#include <stdio.h>

void cli_json_begin(void);           /* call before any other function of this file or of Jansson */
json_t *cli_json_real(double value); /* null when VALUE is not finite */
json_t *cli_json_reals(const double *value, int count);
json_t *cli_json_string(const char *text);
void cli_json_merge(json_t *object, json_t *more); /* adds the keys of MORE to OBJECT, and frees MORE */
char *cli_json_text(const json_t *value);          /* the text that cli_json_print prints, to be freed */
void cli_json_print(json_t *value);                /* prints VALUE to stdout and frees it */
/* Writes VALUE for a script element of an HTML page and frees it. */
void cli_json_embed(json_t *value, FILE *out);

#endif
