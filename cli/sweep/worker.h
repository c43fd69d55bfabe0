/* worker.h - a worker process of a sweep: answers requests to run rows. */
#ifndef HN_CLI_SWEEP_WORKER_H
#define HN_CLI_SWEEP_WORKER_H

#include "cli/sweep/grid.h"

/* Requests and answers are texts:
 *
 *   "c"            check the grid        -> "ok FINGERPRINT", or "no " and a message
 *   "p POINT"      make the reference    -> a line, to be sent with the rows of the point
 *   "r ROW\nLINE"  run a row             -> its fields as CSV after + if it converged, - if not */
typedef struct sweep_worker sweep_worker;
sweep_worker *sweep_worker_create(const sweep_grid *grid);
char *sweep_worker_answer(sweep_worker *worker, const char *request); /* to be freed */
void sweep_worker_free(sweep_worker *worker);

#endif
