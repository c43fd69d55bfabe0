/* sweep_columns.h - prints the columns of a table that a study selects. */
#ifndef CLI_SWEEP_COLUMNS_H
#define CLI_SWEEP_COLUMNS_H

#include "cli/sweep/journal.h"

/* Prints the summary of the study and its columns of the rows present. */
int sweep_show(sweep_journal *journal, const sweep_grid *grid, hn_error *error);

#endif
