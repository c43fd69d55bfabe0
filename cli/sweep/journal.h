/* journal.h - the results of a sweep so far, kept on disk so that an interrupted sweep can be resumed. */
#ifndef HN_CLI_SWEEP_JOURNAL_H
#define HN_CLI_SWEEP_JOURNAL_H

#include <stdio.h>
#include "cli/sweep/grid.h"

/* The file TABLE.journal: a head, then a line for each answer of a worker in the order of arrival. */
typedef struct sweep_journal {
  FILE *stream;        /* locked against other sweeps */
  bool fresh;          /* the file was empty when it was opened */
  char *path;          /* NULL: a temporary file, for a table on standard output */
  long *row;           /* [nrow] position of the row in the file; 0: not run yet */
  char **reference;    /* [npoint] NULL: not computed yet */
  uint64_t check;      /* of the last line */
  char **lost;         /* [nrow] cause of death of the process that ran the row; NULL: it has not died */
  size_t done, failed; /* rows with a result; of these, rows whose run has failed */
  size_t nresult;      /* lines written by this process: rows and references */
  size_t nlost;        /* rows whose process was ended by a signal */
} sweep_journal;

/* Opens the journal of the table OUTPUT, or a temporary one if that is NULL. RESUME reads the rows of an
 * interrupted sweep with the same FINGERPRINT; otherwise the journal must be empty. Returns -1 on error. */
int sweep_journal_open(sweep_journal *journal, const sweep_grid *grid, const char *output,
                       const char *fingerprint, bool resume, hn_error *error);
/* Append an answer of a worker. It is on disk if 0 is returned; reference takes LINE over. */
int sweep_journal_reference(sweep_journal *journal, size_t point, char *line, hn_error *error);
int sweep_journal_row(sweep_journal *journal, size_t row, const char *answer, hn_error *error);
/* Marks ROW as lost with its process, for the reason WHY. It is not a result and is run again by --resume. */
void sweep_journal_lose(sweep_journal *journal, size_t row, const char *why);
/* Prints the table, in the order of the grid: the rows present, and the lost ones with their reasons. */
int sweep_journal_print(sweep_journal *journal, const sweep_grid *grid, FILE *out, hn_error *error);
/* Closes the journal and removes it if FINISHED, or if it has been created without a result. */
void sweep_journal_close(sweep_journal *journal, const sweep_grid *grid, bool finished);

#endif
