/* engine_process.h - a process of an engine's own, so that its crash ends no more than its run. */
#ifndef ENGINES_ENGINE_PROCESS_H
#define ENGINES_ENGINE_PROCESS_H

#include "engines/engine.h"

typedef struct engine_worker engine_worker;

/* Forks a process that calls SERVE(USER) for every request. What both write lies in memory of
 * engine_shared_memory. It ends with the thread that started it. Returns NULL after writing WHY. */
engine_worker *engine_worker_start(void (*serve)(void *user), void *user, char *why);
/* Asks for one call of SERVE and waits for its end, LIMIT seconds at most. Returns -1 after writing WHY: the
 * process has ended, or is ended. */
int engine_worker_call(engine_worker *worker, double limit, const volatile sig_atomic_t *stop, char *why);
void engine_worker_end(engine_worker *worker);

/* Returns SIZE bytes of zeros that a process shares with those that it forks; NULL if there is no memory. */
void *engine_shared_memory(size_t size);
void engine_shared_free(void *memory, size_t size);

#endif
