/* show.h - the columns of a table that a study has for people. */
#ifndef HN_CLI_SWEEP_SHOW_H
#define HN_CLI_SWEEP_SHOW_H

#include "cli/sweep/journal.h"

/* Prints them, of the rows that are there, under what the study is. */
int sweep_show(sweep_journal *journal, const sweep_grid *grid, hn_error *error);

#endif
