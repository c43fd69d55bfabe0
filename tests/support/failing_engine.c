/* failing_engine.c - an engine that fails in its third step, in the way that FAULT names
 * (engine_process.sh). */
#include "engines/engine.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { NONE, ABORT, SEGMENT, EXIT, HANG, SAY, NOT_FINITE };

typedef struct failing_options {
  engine_data engine;
  int fault, early;
} failing_options;

typedef struct failing_world {
  const failing_options *options;
  int steps;
} failing_world;

static int fail(int fault, char *why)
{
  switch (fault) {
  case ABORT: fprintf(stderr, "first line\nassertion 2 < 1 failed\n"); abort();
  case SEGMENT: raise(SIGSEGV); return 0;
  case EXIT: exit(7);
  case HANG: pause(); return 0;
  case SAY: return engine_fail(why, "the matrix is singular");
  default: return 0;
  }
}

static void *create(const engine_scene *scene, char *why)
{
  failing_world *world = calloc(1, sizeof *world);
  world->options = scene->options;
  if (!world->options->early || fail(world->options->fault, why) == 0) return world;
  free(world);
  return NULL;
}

static void set(void *world, const hn_state *state)
{
  (void)world, (void)state;
}

/* Bodies move on by their velocities. */
static int step(void *world, double h, hn_state *state, int *iterations, char *why)
{
  failing_world *w = world;
  *iterations = 1;
  if (++w->steps == 3 && fail(w->options->fault, why)) return -1;
  for (int i = 1; i < state->nbody; i++)
    for (int k = 0; k < 3; k++) state->pose[i].x[k] += h * state->twist[i].v[k];
  if (w->steps == 3 && w->options->fault == NOT_FINITE) state->pose[1].x[0] = NAN;
  return 0;
}

static const engine_kind kind = { .has = ~0u,
                                  .shapes = ~0u,
                                  .planar = true,
                                  .spatial = true,
                                  .create = create,
                                  .set = set,
                                  .step = step,
                                  .free = free };

static const hn_param params[] = {
  { "fault", HN_CHOICE, offsetof(failing_options, fault), "none", 0, 0, "",
    "none,abort,segment,exit,hang,say,not-finite", "of the third step" },
  { "early", HN_FLAG, offsetof(failing_options, early), "false", 0, 0, "", NULL, "it fails at once" },
  ENGINE_PARAMS,
  { .key = NULL },
};

static const hn_solver_type type = { .abi = HN_ABI,
                                     .name = "failing",
                                     .summary = "fails",
                                     .citation = "none",
                                     .capabilities = ENGINE_CAPABILITIES,
                                     .order = 1,
                                     .data_size = sizeof(failing_options),
                                     .params = params,
                                     .setup = engine_setup,
                                     .step = engine_step,
                                     .reset = engine_reset,
                                     .free = engine_free,
                                     .user = (void *)(uintptr_t)&kind,
                                     .engine = "Failing 1.0" };

const hn_solver_type *const hn_plugin_solvers[] = { &type, NULL };
