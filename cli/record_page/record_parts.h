/* record_parts.h - cli/record_page/: studies with conclusions, written as one page with the tables beside it.
 * Uses cli/sweep/, cli/base/. */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include "cli/sweep/sweep.h"

/* Runs STUDY, which is a list of studies or has a page, with the options of `sweep`. Prints the conclusions,
 * or writes the directory --output: index.html, and NAME.csv and NAME_runs.csv of each study. Returns the
 * exit status, or -1 on error. */
int record_command(const hn_study *study, const cli_options *options, hn_error *error);
/* True if OPTIONS want the page or the parts of STUDY. */
bool record_wanted(const hn_study *study, const cli_options *options);

#endif
