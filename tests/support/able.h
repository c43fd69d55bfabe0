/* able.h - runs of written scenes by every solver that supports them, observed along the x axis.
 *
 * Bounds: a solver of order 2 is exact under constant forces except in the step that contains an event. There
 * it errs by h times the largest acceleration in velocities and h^2 in positions. A solver of order 1 errs by
 * h v in positions. */
#ifndef HN_TEST_ABLE_H
#define HN_TEST_ABLE_H

#include "base/vec.h"
#include "trials.h"

typedef struct able {
  const char *name;
  int order;
  bool multipliers;
} able;

/* Returns the settings with which solver NAME solves the step to rounding, where it has no tolerance: errors
 * that avbd leaves decay with its iterations. Others have their defaults. */
static inline const char *converged_spec(const char *name)
{
  return strcmp(name, "avbd") == 0 ? "avbd:iterations=200" : name;
}

/* Lists the solvers that support the written scene; returns their number. */
static inline int capable_solvers(able list[16])
{
  size_t count;
  int n = 0;
  const hn_solver_type *const *types = hn_solver_types(&count);
  hn_scene *scene = load_written(NULL, 0);
  for (size_t i = 0; i < count; i++) {
    if (scene->model->needs & ~types[i]->capabilities) continue;
    assert_true(n < 16);
    list[n++] = (able){ converged_spec(types[i]->name), types[i]->order,
                        types[i]->capabilities & HN_HAS_MULTIPLIERS };
  }
  hn_scene_free(scene);
  assert_true(n >= 4);
  return n;
}

/* Quantities measured during a run, beside the final state. */
typedef struct watched {
  int body;
  double farthest, before; /* largest |x| of the body; its v_x at the last frame */
  double from, until;      /* s: interval in which |x| and the multiplier of ROW are recorded */
  int row, turns;
  double least, most;           /* extremes of that multiplier */
  double turning[8], impact[8]; /* x at each change of sign of v_x; |v_x| after it */
  double impact_time[8];
} watched;

static inline bool watch(void *user, const hn_frame *frame)
{
  watched *w = user;
  double t = frame->state->time, v = frame->state->twist[w->body].v[0], x = frame->state->pose[w->body].x[0];
  if (t > w->from && t < w->until) {
    w->farthest = fmax(w->farthest, fabs(x));
    if (frame->multipliers) w->least = fmin(w->least, frame->multipliers[w->row]);
    if (frame->multipliers) w->most = fmax(w->most, frame->multipliers[w->row]);
  }
  if (frame->index > 0 && w->turns < 8 &&
      ((w->before > 1e-3 && v <= 1e-3) || (w->before < -1e-3 && v >= -1e-3)))
    w->turning[w->turns] = x, w->impact_time[w->turns] = t, w->impact[w->turns++] = fabs(v);
  w->before = v;
  return true;
}

static inline trial ran(const able *m, double h, double duration, watched *w)
{
  w->body = w->body ? w->body : 1;
  w->least = HUGE_VAL, w->most = -HUGE_VAL;
  if (w->until == 0) w->until = HUGE_VAL;
  trial r = run_spec(m->name, h, duration, watch, w);
  if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
  return r;
}

/* Returns the bound for the solver's order, 1 or 2. */
static inline double by_order(const able *m, double first, double second)
{
  return m->order == 1 ? first : second;
}

/* Checks that error(h) / h stays below MOST (m/s) at six steps h, h / 2, ... */
static inline void check_first_order(const able *m, double (*error)(const able *, double h), double h,
                                     double most)
{
  double worst = 0.0;
  printf("  errors:");
  for (int i = 0; i < 6; i++, h *= 0.5) {
    double e = error(m, h);
    printf(" %.2e", e);
    worst = fmax(worst, e / h);
  }
  printf("\n");
  check_below("largest error over step, m/s", worst, most);
}

#define RAIL(body, v)                                                                          \
  "local b = sys:body { name = 'b', mass = 2, inertia = { 1, 1, 1 }, position = { 0, 0, 0 }, " \
  "velocity = { " v ", 0, 0 } }\nlocal x, z = { 1, 0, 0 }, { 0, 0, 1 }\n"                      \
  "sys:slider { sys.ground, b, at = { 0, 0, 0 }, axis = x, " body " }\n"

#define ROTOR(motor)                                                                       \
  "local b = sys:body { mass = 1, inertia = { 0.5, 0.5, 0.5 }, position = { 0, 0, 0 } }\n" \
  "local z = { 0, 0, 1 }\n"                                                                \
  "sys:hinge { sys.ground, b, at = { 0, 0, 0 }, axis = z }\n"                              \
  "sys:motor_angle { sys.ground, b, axis = z, name = 'm', " motor " }\n"

#endif
