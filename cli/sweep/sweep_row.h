/* sweep_row.h - a row of the table: one run. */
#ifndef CLI_SWEEP_ROW_H
#define CLI_SWEEP_ROW_H

#include "cli/study/study_runs.h"
#include "cli/sweep/grid.h"

/* What a run has come to. */
typedef struct sweep_ending {
  const cli_outcome *outcome; /* NULL: there was no run, */
  const char *why; /* and why; or why a measure of the study failed, which ended the run; else NULL */
  const cli_reference *reference;
  hn_study_run *own; /* measures of the study; NULL: there are none */
} sweep_ending;

/* The fields of the run of a row as CSV, after a + when it converged and a - when not; to be freed. */
char *sweep_row(const sweep_grid *grid, size_t row, const sweep_ending *run);
/* The head of the table. */
char *sweep_head(const sweep_grid *grid); /* to be freed */
/* The row of a run that never came back: what its process died of. */
char *sweep_dead_row(const sweep_grid *grid, size_t row, const char *why); /* to be freed */
/* 0 when the columns that a study adds have names of their own. */
int sweep_check_columns(const sweep_grid *grid, hn_error *error);

#endif
