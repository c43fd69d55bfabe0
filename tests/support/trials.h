/* trials.h - runs of scenes that a test writes, with their control functions. */
#ifndef HN_TEST_TRIALS_H
#define HN_TEST_TRIALS_H

#include "written.h"

/* A run of the written scene with its control. */
typedef struct trial {
  hn_scene *scene;
  hn_state *state;
  hn_solver *solver;
  hn_control *control;
  hn_summary summary;
  hn_reason reason;
} trial;

typedef bool observer(void *user, const hn_frame *frame);

static inline trial run_spec(const char *spec, double h, double duration, observer *observe, void *user)
{
  hn_error error = { "" };
  trial r = { .scene = load_written(NULL, 0) };
  hn_control *control = r.scene->has_control ? hn_control_create(r.scene, &error) : NULL;
  if (r.scene->has_control && !control) fail_msg("%s", error.text);
  r.solver = hn_solver_create(spec, r.scene->model, &error);
  if (!r.solver && needs_missing_library(spec)) skip();
  if (!r.solver) fail_msg("%s", error.text);
  r.state = hn_state_create(r.scene->model);
  assert_non_null(r.state);
  hn_run_options options = { .step = h,
                             .duration = duration,
                             .observe = observe,
                             .user = user,
                             .control = control ? hn_control_step : NULL,
                             .controller = control };
  r.reason = hn_run(r.solver, r.state, &options, &r.summary);
  r.control = control;
  return r;
}

static inline trial run_body(const char *body, const char *spec, double h, double duration)
{
  write_scene(body);
  return run_spec(spec, h, duration, NULL, NULL);
}

static inline trial must_run(const char *body, const char *spec, double h, double duration)
{
  trial r = run_body(body, spec, h, duration);
  if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
  return r;
}

static inline void done(trial *r)
{
  hn_state_free(r->state);
  hn_solver_free(r->solver);
  hn_control_free(r->control);
  hn_scene_free(r->scene);
}

#endif
