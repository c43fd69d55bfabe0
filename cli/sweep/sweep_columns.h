/* sweep_columns.h - the columns of a table that a study has for people. */
#ifndef CLI_SWEEP_COLUMNS_H
#define CLI_SWEEP_COLUMNS_H

#include "cli/sweep/journal.h"

/* Prints them, of the rows that are there, under what the study is. */
int sweep_show(sweep_journal *journal, const sweep_grid *grid, hn_error *error);

#endif
