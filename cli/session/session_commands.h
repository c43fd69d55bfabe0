/* session_commands.h - what commands are made of: keys and values that are checked. Internal to cli/session/. */
#ifndef CLI_SESSION_COMMANDS_H
#define CLI_SESSION_COMMANDS_H

#include <jansson.h>
#include "holonom.h"

/* All keys of COMMAND beside "do" and "at_step" are among KEYS, "a b c"; -1 with the first that is not. */
int cli_command_keys(const json_t *command, const char *keys, hn_error *error);
/* The value of KEY: a text of 1 to MOST bytes, a finite number, or three of them; -1 with a text. */
const char *cli_command_text(const json_t *command, const char *key, size_t most, hn_error *error);
int cli_command_number(const json_t *command, const char *key, double *number, hn_error *error);
int cli_command_vector(const json_t *command, const char *key, double vector[3], hn_error *error);
/* COUNT numbers, 1 or 3, if they are there; else they stay as they are. */
int cli_command_optional(const json_t *command, const char *key, int count, double *numbers, hn_error *error);
/* The body called so, which moves; -1 on error. */
int cli_command_body(const json_t *command, const hn_model *model, hn_error *error);

#endif
