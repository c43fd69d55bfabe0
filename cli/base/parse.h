/* parse.h - numbers, lists and specs of solvers on the command line, and numbers for output. */
#ifndef HN_CLI_PARSE_H
#define HN_CLI_PARSE_H

#include "holonom.h"

/* Reads a finite number, or a fraction of two such as 1/30. Returns false unless the whole of TEXT is one. */
bool cli_parse_number(const char *text, double *number);
/* Returns the shortest text that reads back as NUMBER (hn_exact), or "-" when NUMBER is not finite. */
hn_digits cli_exact(double number);
/* Returns NUMBER with DIGITS digits, or with as many decimals as give SCALE six digits; smaller parts are
 * round-off. "-" when NUMBER is not finite. */
hn_digits cli_rounded(double number, int digits);
hn_digits cli_rounded_to_scale(double number, double scale);
/* Reads a number greater than zero; WHAT names it in the message. */
int cli_parse_positive(const char *what, const char *text, double *number, hn_error *error);
/* Reads a whole number of joint operations, such as 200000 or 2e5. */
int cli_parse_budget(const char *text, uint64_t *budget, hn_error *error);
/* Splits "a,b:key=value,key=value,c" into specs, an array ended by NULL (cli_strings_free). A comma separates
 * two specs unless the piece after it is key=value. The word "engines" stands for all variants of all
 * installed engines. */
char **cli_split_specs(const char *text, hn_error *error);
/* Splits TEXT at its commas into an array ended by NULL. */
char **cli_split(const char *text);
size_t cli_strings_count(char *const *strings); /* elements before the NULL */
void cli_strings_free(char **strings);
/* Returns the name of the solver of SPEC, to be freed. */
char *cli_solver_name(const char *spec);
/* Returns SPEC with further settings "key=value,...", to be freed. */
char *cli_spec_with(const char *spec, const char *settings);
/* Returns SPEC with SETTINGS in place of its own settings with the same keys, to be freed. */
char *cli_spec_override(const char *spec, const char *settings);

enum { CLI_MAX_VALUES = 1000000 };

/* Reads "1,2,5", "0.1:0.9:9" (nine values from 0.1 to 0.9), "log:1e-4:1e-1:7" (in equal ratios), or a list of
 * these. Returns an array of *COUNT texts ended by NULL (cli_strings_free), or NULL on error. Numbers of a
 * range are rounded to 15 digits, so that 0.1:0.9:9 contains 0.3. WHAT names the list in the message. */
char **cli_values(const char *what, const char *text, size_t *count, hn_error *error);
/* Reads "h1,h2,...", or ranges, into an array that replaces *STEPS; to be freed. */
int cli_parse_steps(const char *text, double **steps, size_t *count, hn_error *error);
/* Reads a list of positive numbers of OPTION in the same way. */
int cli_parse_positives(const char *option, const char *text, double **number, size_t *count,
                        hn_error *error);

/* Returns the command with its arguments, quoted for a shell, to be freed. */
char *cli_command_line(int argc, char *const *argv);

#endif
