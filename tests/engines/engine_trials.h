/* engine_trials.h - runs of written scenes by other engines, beside a reference. */
#ifndef HN_ENGINE_TRIALS_H
#define HN_ENGINE_TRIALS_H

#include "written.h"
#include "holonom.h"

#include <math.h>

#define EXACT "lagrange:stepper=rk8pd,stabilisation=projection"

typedef struct engine_trial {
  hn_scene *scene;
  hn_state *state;
  hn_summary summary;
  hn_reason reason;
  bool refused;
  int order;
  char why[sizeof((hn_error *)0)->text];
} engine_trial;

/* Loads all engines; skips the test if there is none. */
static inline void load_engines(void)
{
  hn_error error;
  size_t count, engines = 0;
  if (hn_engines_load(&error)) fail_msg("%s", error.text);
  const hn_solver_type *const *type = hn_solver_types(&count);
  for (size_t i = 0; i < count; i++) engines += type[i]->engine != NULL;
  if (engines == 0) skip();
}

/* Runs the written scene by SPEC. */
static inline engine_trial run_engine(const char *spec, double h, double duration)
{
  hn_error error = { "" };
  engine_trial r = { .scene = load_written(NULL, 0) };
  r.state = hn_state_create(r.scene->model);
  hn_solver *solver = hn_solver_create(spec, r.scene->model, &error);
  r.refused = !solver;
  if (solver) {
    hn_run_options options = { .step = h, .duration = duration };
    r.order = hn_solver_order(solver);
    r.reason = hn_run(solver, r.state, &options, &r.summary);
    if (r.reason != HN_CONVERGED) snprintf(r.why, sizeof r.why, "%s", r.summary.explanation);
  } else snprintf(r.why, sizeof r.why, "%s", error.text);
  hn_solver_free(solver);
  return r;
}

static inline void end_trial(engine_trial *r)
{
  hn_state_free(r->state);
  hn_scene_free(r->scene);
}

/* Returns the largest difference of positions (m) and orientations (rad) of ONE from OTHER. Particles have no
 * orientation. */
static inline double distance_of(const hn_model *model, const hn_state *one, const hn_state *other)
{
  double largest = 0.0;
  for (int i = 1; i < model->nbody; i++) {
    const double *x = one->pose[i].x, *y = other->pose[i].x, *p = one->pose[i].q, *q = other->pose[i].q;
    const double apart = sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                              (x[2] - y[2]) * (x[2] - y[2]));
    double less = 0.0, more = 0.0;
    for (int k = 0; k < 4; k++) less += (p[k] - q[k]) * (p[k] - q[k]), more += (p[k] + q[k]) * (p[k] + q[k]);
    const double turned = model->body[i].kind == HN_RIGID ? 2.0 * sqrt(fmin(less, more)) : 0.0;
    largest = fmax(largest, fmax(apart, turned));
  }
  return largest;
}

#endif
