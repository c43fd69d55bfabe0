/* command_values.h - checked access to the values of commands. Internal to cli/session/, cli/view/. */
#ifndef CLI_COMMAND_VALUES_H
#define CLI_COMMAND_VALUES_H

#include <jansson.h>
#include "holonom.h"

/* Returns -1 with a message if COMMAND has a key that is not among KEYS ("a b c"), "do" and "at_step". */
int cli_command_keys(const json_t *command, const char *keys, hn_error *error);
/* Read the value of KEY: a text of 1 to MOST bytes, one or three finite numbers. NULL or -1 on error. */
const char *cli_command_text(const json_t *command, const char *key, size_t most, hn_error *error);
int cli_command_number(const json_t *command, const char *key, double *number, hn_error *error);
int cli_command_vector(const json_t *command, const char *key, double vector[3], hn_error *error);
/* Reads COUNT numbers, 1 or 3, if KEY is present; otherwise leaves NUMBERS unchanged. */
int cli_command_optional(const json_t *command, const char *key, int count, double *numbers, hn_error *error);
/* Returns the body named in COMMAND, which must be present and not fixed; -1 on error. */
int cli_command_body(const json_t *command, const hn_model *model, hn_error *error);

#endif
