/* sweep_row.h - a row of the table of a sweep, and its columns. */
#ifndef CLI_SWEEP_ROW_H
#define CLI_SWEEP_ROW_H

#include "cli/study/study_runs.h"
#include "cli/sweep/grid.h"

/* Result of the run of a row. */
typedef struct sweep_result {
  const cli_outcome *outcome; /* NULL: the run could not be made */
  const char *why;            /* error of the run or of a measure of the study, or NULL */
  const cli_reference *reference;
  hn_study_run *own; /* measures of the study, or NULL */
} sweep_result;

/* Returns the row as CSV after a sign: + if the run converged, - if not. Free the result. */
char *sweep_row(const sweep_grid *grid, size_t row, const sweep_result *run);
/* Returns the head of the table; free it. */
char *sweep_head(const sweep_grid *grid);
/* Returns the row of a run without results for the reason WHY; free it. */
char *sweep_dead_row(const sweep_grid *grid, size_t row, const char *why);
/* Name of a printed column: the time of a step over that of the fastest solver of the same scene and step. */
extern const char sweep_time_ratio[];
/* Returns -1 if a column of the study has the name of another, or a selected one is missing. */
int sweep_check_columns(const sweep_grid *grid, hn_error *error);

#endif
