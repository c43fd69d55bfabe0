/* row.h - a row of the table: one run. */
#ifndef HN_CLI_SWEEP_ROW_H
#define HN_CLI_SWEEP_ROW_H

#include "cli/study/runs.h"
#include "cli/sweep/grid.h"

/* The fields of the run of a row as CSV, after a + when it converged and a - when not; to be freed. */
char *sweep_row(const sweep_grid *grid, size_t row, const cli_outcome *outcome, const cli_reference *reference);
/* The head of the table. */
char *sweep_head(const sweep_grid *grid); /* to be freed */
/* The row of a run that never came back: what its process died of. */
char *sweep_dead_row(const sweep_grid *grid, size_t row, const char *why); /* to be freed */

#endif
