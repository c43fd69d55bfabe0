/* sweep_table.h - the table of a sweep in other formats than CSV. */
#ifndef CLI_SWEEP_TABLE_H
#define CLI_SWEEP_TABLE_H

#include "cli/sweep/journal.h"

/* The table as HDF5: a data set for each column, of numbers where all that is there are
 * numbers, nothing being NaN. */
int sweep_table_hdf5(sweep_journal *journal, const sweep_grid *grid, FILE *out, hn_error *error);

#endif
