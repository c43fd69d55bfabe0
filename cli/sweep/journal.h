/* journal.h - what a sweep has so far, kept on disk as it comes, so that it can go on after it was killed. */
#ifndef HN_CLI_SWEEP_JOURNAL_H
#define HN_CLI_SWEEP_JOURNAL_H

#include <stdio.h>
#include "cli/sweep/grid.h"

/* Beside the table FILE.csv: FILE.csv.journal, a head and a line for each answer, in the order in which they came. */
typedef struct sweep_journal {
  FILE *stream;     /* held against other sweeps */
  char *path;       /* NULL: a file without a name, for a table on standard output */
  long *row;        /* [nrow] where each row is in the file; 0: not yet there */
  char **reference; /* [npoint] NULL: not yet there */
  size_t done, failed;
} sweep_journal;

/* Opens the journal of the table OUTPUT (NULL: none) of a sweep of that FINGERPRINT. RESUME takes what is there, from a
 * sweep that was interrupted; else there must be nothing. -1 on error. */
int sweep_journal_open(sweep_journal *journal, const sweep_grid *grid, const char *output,
                       const char *fingerprint, bool resume, hn_error *error);
/* An answer of a worker: kept when this returns 0. */
int sweep_journal_reference(sweep_journal *journal, size_t point, char *line,
                            hn_error *error); /* takes LINE */
int sweep_journal_row(sweep_journal *journal, size_t row, const char *answer, hn_error *error);
/* The table: all rows that are there, in the order of the grid. */
int sweep_journal_print(sweep_journal *journal, const sweep_grid *grid, FILE *out, hn_error *error);
/* Closes it; FINISHED removes it, else it stays where it holds anything. */
void sweep_journal_close(sweep_journal *journal, const sweep_grid *grid, bool finished);

#endif
