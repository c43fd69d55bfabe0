/* parse.h - numbers, lists and specs of solvers on the command line, and numbers printed. */
#ifndef HN_CLI_PARSE_H
#define HN_CLI_PARSE_H

#include "holonom.h"

/* A whole finite number, or a fraction of two such as 1/30; false when TEXT is anything else. */
bool cli_parse_number(const char *text, double *number);
/* hn_exact, but "-" when NUMBER is not finite. */
hn_digits cli_exact(double number);
/* For people: so many digits; or as many decimals as make six digits of SCALE, where less is round-off. "-" when NUMBER
 * is not finite. */
hn_digits cli_rounded(double number, int digits);
hn_digits cli_beside(double number, double scale);
/* A number greater than zero; WHAT names it in the error. */
int cli_parse_positive(const char *what, const char *text, double *number, hn_error *error);
/* A whole number of joint operations, written as 200000 or 2e5. */
int cli_parse_budget(const char *text, uint64_t *budget, hn_error *error);
/* "a,b:key=value,key=value,c" into specs, an array ended by NULL (cli_strings_free): a comma separates two specs unless
 * the piece after it is key=value. */
char **cli_split_specs(const char *text, hn_error *error);
void cli_strings_free(char **strings);
/* Name of the solver of a spec; to be freed. */
char *cli_solver_name(const char *spec);
/* SPEC with further settings "key=value,...", to be freed. */
char *cli_spec_with(const char *spec, const char *settings);
/* The same, but the settings of SPEC that come again are left out. */
char *cli_spec_override(const char *spec, const char *settings);

/* The command with its arguments as a shell would read them, to be freed. */
char *cli_command_line(int argc, char *const *argv);

#endif
