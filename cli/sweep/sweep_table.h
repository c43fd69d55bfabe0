/* sweep_table.h - the table of a sweep as HDF5. */
#ifndef CLI_SWEEP_TABLE_H
#define CLI_SWEEP_TABLE_H

#include "cli/sweep/journal.h"

/* Writes a data set for each column: numbers, with NaN for empty fields, or texts if a field is no number. */
int sweep_table_hdf5(sweep_journal *journal, const sweep_grid *grid, FILE *out, hn_error *error);

#endif
