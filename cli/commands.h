/* commands.h - cli/: the command `holonom`: main.c and one file per command, which ends with the command's
 * table and is listed in commands.def. The folders are orders/ (the order study), study/ (runs and
 * comparisons) and base/ (shared parts); each depends only on those after it.
 *
 *   options -> scene and plan -> outcome (one run, measured) -> table, JSON, report
 *
 * Every command runs solvers with cli_outcome_run, prints tables with cli_table and writes JSON with
 * base/json.h and study/outcome_json.h: a quantity has the same definition wherever it is printed. */
#ifndef HN_CLI_COMMANDS_H
#define HN_CLI_COMMANDS_H

#include "cli/base/complain.h"
#include "cli/base/options.h"

#define COMMAND(name) extern const cli_command cli_command_##name;
#include "cli/commands.def"
#undef COMMAND

const char *const *cli_list_words(void); /* subjects of `list`, ended by NULL */

#endif
