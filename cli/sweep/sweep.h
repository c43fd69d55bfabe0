/* sweep.h - runs the rows of a grid in worker processes. */
#ifndef HN_CLI_SWEEP_SWEEP_H
#define HN_CLI_SWEEP_SWEEP_H

#include "cli/sweep/worker_pool.h"
#include "cli/sweep/journal.h"

/* Lets every worker check the grid. Stores their common fingerprint, to be freed. Returns -1 with a message
 * if one finds an error or the fingerprints differ. */
int sweep_check(sweep_pool *pool, char **fingerprint, hn_error *error);
/* Runs the rows that the journal lacks. Returns 1 if interrupted by the user, -1 on error. */
int sweep_run(const sweep_grid *grid, sweep_pool *pool, sweep_journal *journal, hn_error *error);

/* Runs GRID with the options of `sweep` and writes its table. Returns the exit status, or -1 on error.
 * Defined in cmd_sweep.c. */
int sweep_command(const sweep_grid *grid, const cli_options *options, hn_error *error);

#endif
