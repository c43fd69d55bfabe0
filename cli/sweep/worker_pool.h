/* worker_pool.h - the processes that a sweep runs on: forked here, and one behind each other rank under MPI. */
#ifndef CLI_WORKER_POOL_H
#define CLI_WORKER_POOL_H

#include "cli/sweep/grid.h"

typedef struct sweep_hands sweep_hands;

/* COUNT processes that answer requests on GRID (worker.h); 0: one a processor, or one a rank under MPI. To be called
 * before anything of this process has a thread. Under MPI all ranks call it; those but the first do not return from it
 * before all is done, and then with *HANDS NULL. -1 on error. */
int sweep_hands_create(sweep_hands **hands, const sweep_grid *grid, int count, hn_error *error);
int sweep_hands_count(const sweep_hands *hands);
/* REQUEST to a hand that has nothing to do. -1 when it cannot be reached. */
int sweep_hands_ask(sweep_hands *hands, int hand, const char *request);
/* Waits for an answer: the hand it is of, and *ANSWER to be freed, which is NULL when its process has died; then *WHY,
 * of 80 characters, says of what, and another is in its place. -1 when the user wants to stop. */
int sweep_hands_wait(sweep_hands *hands, char **answer, char *why);
/* Ends them all, whatever they are at. */
void sweep_hands_free(sweep_hands *hands);

#endif
