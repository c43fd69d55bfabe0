/* policies.h - runs under each redundancy policy. */
#ifndef HN_TEST_POLICIES_H
#define HN_TEST_POLICIES_H

#include "loops.h"

#include <stdlib.h>

static const char *const policies[] = { "remove", "min-norm", "loop-split" };
enum { POLICIES = 3 };

/* Returns the cube of 28 rods, thrown and spinning. */
static inline hn_model *thrown_cube(void)
{
  hn_model *model = redundant_cube();
  const double spin[3] = { 0.5, 1.0, 0.25 };
  for (int i = 1; i < model->nbody; i++) {
    const double centre[3] = { 0.5, 0.5, 0.5 };
    double arm[3];
    vec_sub(arm, model->body[i].pose0.x, centre);
    vec_cross(model->body[i].twist0.v, spin, arm);
    model->body[i].twist0.v[1] += 5.0;
  }
  return model;
}

typedef struct outcome {
  hn_reason reason;
  hn_state *state;
  hn_summary summary;
  double *multipliers; /* [nrow] */
} outcome;

static inline outcome run_model(const hn_model *model, const char *spec, double step, double duration)
{
  outcome o = { .state = hn_state_create(model),
                .multipliers = calloc((size_t)model->nrow + 1, sizeof(double)) };
  hn_solver *solver = new_solver(spec, model);
  hn_run_options options = { .step = step, .duration = duration };
  o.reason = hn_run(solver, o.state, &options, &o.summary);
  memcpy(o.multipliers, solver->multipliers, sizeof(double) * (size_t)model->nrow);
  hn_solver_free(solver);
  return o;
}

static inline void outcome_free(outcome *o)
{
  hn_state_free(o->state);
  free(o->multipliers);
}

/* A solver, and the allowed difference between its policies, due to its tolerance. */
typedef struct solver_spec {
  const char *spec;
  double bound;
} solver_spec;

static const solver_spec solver_specs[] = {
  { "impulse-sle:tolerance=1e-12,first_guess=zero", 1e-11 },
  { "impulse-extrapolated", 1e-11 },
  { "impulse-composed", 1e-11 },
  { "lagrange:stepper=rk4", 1e-11 },
  { "lagrange:stepper=rk8pd,stabilisation=projection", 1e-11 },
  { "lagrange:stepper=rk8pd,stabilisation=baumgarte", 1e-11 },
  { "lagrange:group=rkmk,formulation=ggl", 1e-11 },
  { "taylor:order=10", 1e-11 },
  { "taylor:order=10,stabilisation=projection", 1e-11 },
  { "half-explicit", 1e-11 },
  { "half-explicit:stabilisation=projection", 1e-11 },
  { "hem5", 1e-11 },
  { "generalised-alpha", 1e-11 },
  { "blie", 1e-11 },
  { "variational:tolerance=1e-12,first_guess=zero", 1e-11 },
  { "generalised-alpha:formulation=ggl", 1e-11 },
  { "ida", 1e-10 },
};

static inline outcome run_policy(const hn_model *model, const char *spec, const char *policy, double step,
                                 double duration)
{
  char whole[128];
  snprintf(whole, sizeof whole, "%s%credundancy=%s", spec, strchr(spec, ':') ? ',' : ':', policy);
  outcome o = run_model(model, whole, step, duration);
  if (o.reason != HN_CONVERGED) printf("  %s: %s\n", policy, o.summary.explanation);
  return o;
}

#endif
