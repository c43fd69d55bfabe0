/* commands.h - cli/: the command `holonom`, main.c and one file a command, which ends with the command's table and has
 * its line in commands.def. Below are orders/ (the order study), study/ (runs and comparisons) and base/ (what all
 * use); each knows only those after it.
 *
 *   options -> scene and plan -> outcome (one run, measured) -> table, JSON, report
 *
 * Every command makes its outcomes with cli_outcome_run, lays out its tables with cli_table and its JSON with the
 * functions of base/json.h and study/outcome_json.h, so that a number means the same wherever it is printed. */
#ifndef HN_CLI_COMMANDS_H
#define HN_CLI_COMMANDS_H

#include "cli/base/cli_base.h"
#include "cli/base/options.h"

#define COMMAND(name) extern const cli_command cli_command_##name;
#include "cli/commands.def"
#undef COMMAND

const char *const *cli_list_words(void); /* what `list` lists, ended by NULL */

#endif
