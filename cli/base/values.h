/* values.h - lists and ranges of values on the command line. */
#ifndef HN_CLI_VALUES_H
#define HN_CLI_VALUES_H

#include "holonom.h"

enum { CLI_MAX_VALUES = 1000000 };

/* Reads "1,2,5", "0.1:0.9:9" (nine values from 0.1 to 0.9), "log:1e-4:1e-1:7" (in equal ratios), or a list of
 * these. Returns an array of *COUNT texts ended by NULL (cli_strings_free), or NULL on error. Numbers of a
 * range are rounded to 15 digits, so that 0.1:0.9:9 contains 0.3. WHAT names the list in the message. */
char **cli_values(const char *what, const char *text, size_t *count, hn_error *error);
/* Reads "h1,h2,...", or ranges, into an array that replaces *STEPS; to be freed. */
int cli_parse_steps(const char *text, double **steps, size_t *count, hn_error *error);

#endif
