/* sweep_table.h - the table of a sweep as data, as HDF5 and on the screen. */
#ifndef CLI_SWEEP_TABLE_H
#define CLI_SWEEP_TABLE_H

#include "cli/figure/figure_data.h"
#include "cli/sweep/journal.h"

/* Reads the rows present into DATA. Returns -1 on error. Free with figure_data_free in either case. */
int sweep_table_read(figure_data *data, sweep_journal *journal, const sweep_grid *grid, hn_error *error);
/* Writes a data set for each column: numbers, with NaN for empty fields, or texts if a field is no number. */
int sweep_table_hdf5(sweep_journal *journal, const sweep_grid *grid, FILE *out, hn_error *error);

/* Computes the conclusions of the study from all rows present. Returns -1 on error. Free with
 * hn_study_table_free in either case. */
int sweep_conclude(hn_study_table *table, sweep_journal *journal, const sweep_grid *grid, hn_error *error);
/* Prints the summary of the study and TABLE, its conclusions. Returns 0. */
int sweep_print_conclusions(const hn_study_table *table, const sweep_grid *grid);
/* Computes and prints the conclusions. */
int sweep_show_conclusions(sweep_journal *journal, const sweep_grid *grid, hn_error *error);
/* Prints the summary of the study and its columns of the rows present. */
int sweep_show(sweep_journal *journal, const sweep_grid *grid, hn_error *error);

#endif
