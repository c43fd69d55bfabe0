/* worker_pool.h - the worker processes of a sweep: forked here, and one for each other rank under MPI. */
#ifndef CLI_WORKER_POOL_H
#define CLI_WORKER_POOL_H

#include "cli/sweep/grid.h"

typedef struct sweep_pool sweep_pool;

/* Cause of the death of a worker. */
typedef struct sweep_death {
  bool by_signal; /* from outside, from the system for lack of memory, or a crash */
  char why[80];
} sweep_death;

/* Starts COUNT workers for GRID (worker.h); 0: one for each processor, or each rank under MPI. Must be called
 * before this process has threads. Under MPI all ranks call it; it returns on other ranks than the first only
 * at the end of the sweep, with *POOL NULL. Returns -1 on error. */
int sweep_pool_create(sweep_pool **pool, const sweep_grid *grid, int count, hn_error *error);
int sweep_pool_count(const sweep_pool *pool);
/* Sends REQUEST to an idle worker. Returns -1 if it cannot be reached. */
int sweep_pool_send(sweep_pool *pool, int worker, const char *request);
/* Waits for an answer and returns the worker that sent it; free *ANSWER. If the worker has died, *ANSWER is
 * NULL, DEATH holds the cause, and another worker has been started. Returns -1 if the user interrupts. */
int sweep_pool_wait(sweep_pool *pool, char **answer, sweep_death *death);
/* Ends all workers at once. */
void sweep_pool_free(sweep_pool *pool);

#endif
