/* sweep.h - runs a grid. */
#ifndef HN_CLI_SWEEP_SWEEP_H
#define HN_CLI_SWEEP_SWEEP_H

#include "cli/sweep/worker_pool.h"
#include "cli/sweep/journal.h"

/* Asks every hand whether all makes sense to it; *FINGERPRINT, to be freed, is what they agree on. -1 with what is
 * wrong. */
int sweep_check(sweep_hands *hands, char **fingerprint, hn_error *error);
/* Runs what the journal has not yet. 1 when the user has stopped it, -1 on error. */
int sweep_run(const sweep_grid *grid, sweep_hands *hands, sweep_journal *journal, hn_error *error);

#endif
