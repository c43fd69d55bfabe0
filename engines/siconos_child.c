/* siconos_child.c - a call of Siconos in a process of its own: a method may fail an assertion, call exit,
 * write to the terminal, or not end (engine_process.h). The process solves, and stores results and history in
 * shared memory. */
#include "engines/engine_process.h"
#include "engines/siconos_parts.h"

#include <stdio.h>
#include <string.h>

static const double patience = 1e9; /* s: a method ends by its iterations, or by a request to stop */

/* Results of the process, in shared memory. */
typedef struct results {
  siconos_call call;
  double values[]; /* impulses [rows], history [room] */
} results;

/* Data that the process needs. */
typedef struct task {
  siconos_problem *s;
  const siconos_method *method;
  const siconos_caller *caller;
  results *to;
} task;

static void serve(void *user)
{
  task *t = user;
  siconos_caller own = *t->caller;
  own.stop = NULL, own.history = t->to->values + t->s->rows;
  siconos_solve(t->s, t->method, &own, &t->to->call);
  memcpy(t->to->values, t->s->p, sizeof *t->s->p * (size_t)t->s->rows);
}

static void fail(siconos_call *call, const char *why)
{
  call->iterations = 0, call->done = false;
  snprintf(call->text, sizeof call->text, "Siconos: %.*s", SICONOS_TEXT - 10, why);
}

/* Copies the results to the caller. */
static void take(const task *t, siconos_call *call)
{
  const size_t rows = (size_t)t->s->rows;
  *call = t->to->call;
  memcpy(t->s->p, t->to->values, sizeof *t->s->p * rows);
  if (call->kept > 0) memcpy(t->caller->history, t->to->values + rows, sizeof(double) * (size_t)call->kept);
}

/* Runs the process. */
static void run(task *t, siconos_call *call)
{
  char why[ENGINE_WHY] = "";
  hn_stop *stop = t->caller->stop;
  engine_worker *worker = engine_worker_start(serve, t, why);
  const int status = worker ? engine_worker_call(worker, patience, stop ? stop->flag : NULL, why) : -1;
  engine_worker_end(worker);
  if (status == 0) take(t, call);
  else if (hn_stopped(stop)) call->stopped = true, call->iterations = t->to->call.kept;
  else fail(call, why);
}

void siconos_solve_in_child(siconos_problem *s, const siconos_method *method, const siconos_caller *caller,
                            siconos_call *call)
{
  const size_t size = sizeof(results) + sizeof(double) * ((size_t)s->rows + (size_t)call->room);
  task t = { s, method, caller, engine_shared_memory(size) };
  if (!t.to) {
    fail(call, "no memory for a process");
    return;
  }
  t.to->call = *call;
  run(&t, call);
  engine_shared_free(t.to, size);
}
