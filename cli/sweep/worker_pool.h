/* worker_pool.h - the worker processes of a sweep: forked here, and one for each other rank under MPI. */
#ifndef CLI_WORKER_POOL_H
#define CLI_WORKER_POOL_H

#include "cli/sweep/grid.h"

typedef struct sweep_pool sweep_pool;

/* Starts COUNT workers for GRID (worker.h); 0: one for each processor, or each rank under MPI. Must be called
 * before this process has threads. Under MPI all ranks call it; it returns on other ranks than the first only
 * at the end of the sweep, with *POOL NULL. Returns -1 on error. */
int sweep_pool_create(sweep_pool **pool, const sweep_grid *grid, int count, hn_error *error);
int sweep_pool_count(const sweep_pool *pool);
/* Sends REQUEST to an idle worker. Returns -1 if it cannot be reached. */
int sweep_pool_send(sweep_pool *pool, int worker, const char *request);
/* Waits for an answer and returns the worker that sent it; free *ANSWER. If the worker has died, *ANSWER is
 * NULL, WHY (80 characters) holds the cause, and another one has been started. Returns -1 if the user
 * interrupts. */
int sweep_pool_wait(sweep_pool *pool, char **answer, char *why);
/* Ends all workers at once. */
void sweep_pool_free(sweep_pool *pool);

#endif
