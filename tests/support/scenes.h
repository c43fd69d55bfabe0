/* scenes.h - installed scenes for tests: loading, a solver, a run. */
#ifndef HN_TEST_SCENES_H
#define HN_TEST_SCENES_H

#include "models.h"
#include "scene.h"

#include <string.h>

/* A scene with its solver, state and summary. */
typedef struct bench {
  hn_scene *scene;
  const hn_model *model;
  hn_solver *solver;
  hn_state *state;
  hn_summary summary;
} bench;

static inline bench set_up_by(const char *scene, const hn_setting *setting, size_t count, const char *spec)
{
  hn_error error;
  bench b = { .scene = hn_scene_load(scene, setting, count, &error) };
  if (!b.scene) fail_msg("%s", error.text);
  b.model = b.scene->model;
  b.solver = new_solver(spec, b.model);
  b.state = hn_state_create(b.model);
  assert_non_null(b.state);
  return b;
}

/* Sets up a bench with one setting; SETTING may be NULL. */
static inline bench set_up_with(const char *scene, const hn_setting *setting, const char *spec)
{
  return set_up_by(scene, setting, setting != NULL, spec);
}

/* Sets up a bench with up to four settings "name=value", ended by NULL. */
static inline bench set_up_as(const char *scene, const char *const *settings, const char *spec)
{
  char text[4][64];
  hn_setting setting[4] = { { NULL, NULL } };
  int count = 0;
  for (; settings && settings[count]; count++) {
    assert_true(count < 4 && strlen(settings[count]) < sizeof text[0]);
    strcpy(text[count], settings[count]);
    char *equals = strchr(text[count], '=');
    *equals = '\0';
    setting[count] = (hn_setting){ text[count], equals + 1 };
  }
  return set_up_by(scene, setting, (size_t)count, spec);
}

#define WITH(...) ((const char *const[]){ __VA_ARGS__, NULL })

static inline int body_named(const bench *b, const char *name)
{
  hn_error error;
  int i = hn_model_find_body(b->model, name, &error);
  if (i < 0) fail_msg("%s", error.text);
  return i;
}

static inline bench set_up(const char *scene, const char *solver)
{
  return set_up_with(scene, NULL, solver);
}

/* True if the solver SPEC has all capabilities that SCENE needs. */
static inline bool can_do(const char *spec, const char *scene)
{
  char name[64];
  hn_error error;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, ":"), spec);
  const hn_solver_type *type = hn_solver_type_find(name, NULL, &error);
  hn_scene *loaded = hn_scene_load(scene, NULL, 0, &error);
  if (!type || !loaded) fail_msg("%s", error.text);
  bool can = !(loaded->model->needs & ~type->capabilities);
  hn_scene_free(loaded);
  return can;
}

static inline void tear_down(bench *b)
{
  hn_state_free(b->state);
  hn_solver_free(b->solver);
  hn_scene_free(b->scene);
}

typedef bool observer(void *user, const hn_frame *frame);

static inline hn_reason run(bench *b, double step, double duration, observer *observe, void *user)
{
  hn_error error = { "" };
  bool controlled = b->scene && b->scene->has_control; /* the model may be built by the test itself */
  hn_control *control = controlled ? hn_control_create(b->scene, &error) : NULL;
  if (controlled && !control) fail_msg("%s", error.text);
  hn_run_options options = { .step = step,
                             .duration = duration,
                             .observe = observe,
                             .user = user,
                             .control = control ? hn_control_step : NULL,
                             .controller = control };
  hn_reason reason = hn_run(b->solver, b->state, &options, &b->summary);
  hn_control_free(control);
  return reason;
}

static inline void must_converge(bench *b, double step, double duration, observer *observe, void *user)
{
  if (run(b, step, duration, observe, user) != HN_CONVERGED) fail_msg("%s", b->summary.explanation);
}

#endif
