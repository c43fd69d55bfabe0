/* worker.h - one process of a sweep: it runs what it is asked to, and answers in texts. */
#ifndef HN_CLI_SWEEP_WORKER_H
#define HN_CLI_SWEEP_WORKER_H

#include "cli/sweep/grid.h"

/* Requests are texts, each with one answer:
 *
 *   "c"            does all make sense?  -> "ok FINGERPRINT", or "no " and what is wrong
 *   "p POINT"      the reference there   -> a line, for the requests to come
 *   "r ROW\nLINE"  the run of a row      -> its fields as CSV, after a + when it converged and a - when not */
typedef struct sweep_worker sweep_worker;
sweep_worker *sweep_worker_create(const sweep_grid *grid);
char *sweep_worker_answer(sweep_worker *worker, const char *request); /* to be freed */
void sweep_worker_free(sweep_worker *worker);

#endif
