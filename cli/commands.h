/* commands.h - cli/: the command `holonom`, main.c and one file a command. Below are orders/ (the order study), study/
 * (runs and comparisons) and base/ (what all use); each knows only those after it.
 *
 *   options -> scene and plan -> outcome (one run, measured) -> table, JSON, report
 *
 * Every command makes its outcomes with cli_outcome_run, lays out its tables with cli_table and its JSON with the
 * functions of base/json.h and study/outcome_json.h, so that a number means the same wherever it is printed. */
#ifndef HN_CLI_COMMANDS_H
#define HN_CLI_COMMANDS_H

#include "cli/base/base.h"
#include "cli/base/options.h"

int cli_cmd_run(const cli_options *options);
int cli_cmd_compare(const cli_options *options);
int cli_cmd_converge(const cli_options *options);
int cli_cmd_sweep(const cli_options *options);
int cli_cmd_plot(const cli_options *options);
int cli_cmd_draw(const cli_options *options);
int cli_cmd_list(const cli_options *options);
const char *const *cli_list_words(void); /* what `list` lists, ended by NULL */
int cli_cmd_check(const cli_options *options);
int cli_cmd_rank(const cli_options *options);
int cli_cmd_problem(const cli_options *options);

#endif
