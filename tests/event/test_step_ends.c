/* test_step_ends.c - ends of steps of solver events: at the time of the step, however close an event is; and
 * the slips and forces there. */
#include "base/vec.h"
#include "events/events.h"
#include "instants.h"

/* Writes balls above the floor, the first of which hits it at each of the COUNT times. */
static void write_falls(const double *time, int count)
{
  char text[3000];
  int n = snprintf(text, sizeof text,
                   "local scene = require 'holonom.scene'\n"
                   "local sys = scene.system { gravity = { 0, %.17g, 0 } }\n"
                   "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, restitution = 0.5,\n"
                   "           shape = scene.plane { normal = { 0, 1, 0 } } }\n",
                   -g);
  for (int i = 0; i < count; i++)
    n += snprintf(
      text + n, sizeof text - (size_t)n,
      "sys:body { mass = 1, inertia = { 1, 1, 1 }, position = { %d, %.17g, 0 }, restitution = 0.5,\n"
      "           shape = scene.sphere { radius = 0.1 } }\n",
      i, 0.1 + 0.5 * g * time[i] * time[i]);
  n += snprintf(text + n, sizeof text - (size_t)n, "sys:contact { margin = 0.05 }\nreturn sys");
  write_bytes(text, (size_t)n);
}

typedef struct watcher {
  double h, hit, late, off, speed_off;
  long frames;
} watcher;

/* Height and velocity of a ball that hits the floor at HIT. */
static void fall(double hit, double t, double *y, double *v)
{
  const double speed = g * hit;
  if (t < hit) *y = 0.5 * g * (hit * hit - t * t), *v = -g * t;
  else *y = 0.5 * speed * (t - hit) - 0.5 * g * (t - hit) * (t - hit), *v = 0.5 * speed - g * (t - hit);
}

static bool watch(void *user, const hn_frame *frame)
{
  watcher *w = user;
  double y, v;
  const double t = (double)w->frames * w->h;
  fall(w->hit, t, &y, &v);
  w->late = larger(w->late, fabs(frame->state->time - t));
  w->off = larger(w->off, fabs(frame->state->pose[2].x[1] - 0.1 - y));
  if (fabs(t - w->hit) > 1e-9) w->speed_off = larger(w->speed_off, fabs(frame->state->twist[2].v[1] - v));
  w->frames++;
  return true;
}

/* An impact a fraction of a step before its end, from 1e-1 to 1e-9; or after it, to 1e-6: smaller gaps
 * count as closed at the end of the step. */
static void a_step_ends_at_its_time_after_a_late_impact(void **state)
{
  (void)state;
  const double h = 0.02;
  for (int late = 0; late < 2; late++) {
    double worst_time = 0, worst_place = 0, worst_speed = 0;
    for (int k = 1; k <= (late ? 12 : 18); k++) {
      const double fraction = pow(10, -0.5 * k), hit = (10 + (late ? fraction : -fraction)) * h;
      watcher w = { .h = h, .hit = hit };
      write_falls(&hit, 1);
      trial r = run_spec(EVENTS "lagrange:stepper=rk4", h, 14 * h, watch, &w);
      if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
      assert_int_equal(w.frames, 15);
      worst_time = larger(worst_time, w.late), worst_place = larger(worst_place, w.off);
      worst_speed = larger(worst_speed, w.speed_off);
      done(&r);
    }
    puts(late ? "impacts just after a step" : "impacts just before the end of a step");
    check_below("time of the frames, s", worst_time, 1e-15);
    check_below("height, m", worst_place, 1e-12);
    check_below("velocity, m/s", worst_speed, 1e-12);
  }
}

/* Three blocks slide on the floor at speeds that differ by orders of magnitude, and one lies still. The
 * slowest slip of the mode is the least of their speeds, which are known in closed form. */
static void the_slowest_slip_is_that_of_the_slowest_block(void **state)
{
  (void)state;
  static const double speeds[][3] = { { 2, 1.5, 1 }, { 1, 1.5, 2 }, { 1, 3, 2 }, { 2.5, 1e-1, 1.3 } };
  const double mu = 0.02, h = 0.05;
  for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
    char text[3000];
    int n = snprintf(text, sizeof text,
                     "local scene = require 'holonom.scene'\n"
                     "local sys = scene.system { gravity = { 0, %.17g, 0 } }\n"
                     "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = %.17g,\n"
                     "           shape = scene.plane { normal = { 0, 1, 0 } } }\n",
                     -g, mu);
    for (int k = 0; k < 4; k++)
      n += snprintf(
        text + n, sizeof text - (size_t)n,
        "sys:body { mass = %d, inertia = { 1, 1, 1 }, position = { 0, 0.25, %d },\n"
        "           friction = %.17g, velocity = { %.17g, 0, 0 }, shape = scene.box { 1, 0.5, 1 } }\n",
        1 + k, 3 * k, mu, k < 3 ? speeds[i][k] : 0);
    n += snprintf(text + n, sizeof text - (size_t)n, "sys:contact { margin = 0.02 }\nreturn sys");
    write_bytes(text, (size_t)n);
    trial r = run_spec(EVENTS "lagrange:stepper=rk4", h, 2 * h, NULL, NULL);
    if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
    const hn_events *d = r.solver->data;
    double least = HUGE_VAL;
    for (int k = 0; k < 3; k++) {
      const double speed = speeds[i][k] - mu * g * 2 * h;
      check_near("speed of a block, m/s", r.state->twist[2 + k].v[0], speed, 1e-10);
      least = fmin(least, speed);
    }
    check_near("slowest slip, m/s", hn_mode_slowest_slip(d->mode, r.state), least, 1e-10);
    done(&r);
  }
}

/* ---- Contacts that close at rest ---------------------------------------------------------------------- */

typedef struct scales {
  double weight, kept, recorded; /* N s: of a step; the largest deviations of the impulses from it */
  int fewest, most;              /* contacts with an impulse */
} scales;

static bool weigh(void *user, const hn_frame *frame)
{
  scales *s = user;
  double kept = 0, recorded = 0;
  int count = 0;
  if (!frame->impulse) return true; /* the initial frame */
  for (int i = 0; i < frame->state->ncontact; i++) {
    kept += frame->state->contact[i].impulse[0];
    count += frame->state->contact[i].impulse[0] > 0;
  }
  for (int i = 0; i < frame->nimpulse; i++) recorded += frame->impulse[i].push;
  s->kept = larger(s->kept, fabs(kept - s->weight));
  s->recorded = larger(s->recorded, fabs(recorded - s->weight));
  if (s->most == 0 || count < s->fewest) s->fewest = count;
  if (count > s->most) s->most = count;
  return true;
}

/* A body without friction slides, and turns about the vertical, over the seam of two tables of equal height.
 * Points of contact on the second one close within a step, without an impact and without an event. The
 * impulses of each step, those of the state and those of the record, are the weight. */
static void points_that_close_at_a_seam_carry_their_part(void **state)
{
  (void)state;
  static const char *const shapes[] = { "scene.box { 0.5, 0.2, 0.4 }",
                                        "scene.cylinder { radius = 0.3, height = 0.2 }" };
  static const double turns[] = { 0, 0.7, 30 };
  const double h = 0.01;
  for (int i = 0; i < 6; i++) {
    char text[3000];
    const int n = snprintf(
      text, sizeof text,
      "local scene = require 'holonom.scene'\n"
      "local sys = scene.system { gravity = { 0, %.17g, 0 } }\n"
      "for k, x in ipairs { -1, 3 } do\n"
      "  sys:body { name = 'table' .. k, fixed = true, position = { x, -0.5, 0 },\n"
      "             shape = scene.box { 4, 1, 4 } }\n"
      "end\n"
      "sys:body { mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 0, 0.1, 0 },\n"
      "           velocity = { 4, 0, 0.3 }, angular_velocity = { 0, %g, 0 }, shape = %s }\n"
      "sys:contact { margin = 0.02 }\nreturn sys",
      -g, turns[i / 2], shapes[i % 2]);
    write_bytes(text, (size_t)n);
    hn_error error = { "" };
    scales s = { .weight = g * h };
    hn_scene *scene = load_written(NULL, 0);
    hn_solver *solver = hn_solver_create("events", scene->model, &error);
    hn_state *at = hn_state_create(scene->model);
    hn_summary summary;
    const hn_run_options options = { .step = h, .duration = 0.5, .observe = weigh, .user = &s };
    assert_non_null(solver);
    assert_int_equal(hn_solver_keep_impulses(solver, &error), 0);
    if (hn_run(solver, at, &options, &summary) != HN_CONVERGED) fail_msg("%s", summary.explanation);
    printf("%s, %g rad/s: %d to %d contacts\n", shapes[i % 2], turns[i / 2], s.fewest, s.most);
    assert_true(s.fewest >= 2);
    check_near("place, m", at->pose[3].x[0], 2, 1e-9);
    check_below("impulses of the state less the weight, N s", s.kept, 1e-12);
    check_below("impulses of the record less the weight, N s", s.recorded, 1e-12);
    hn_state_free(at);
    hn_solver_free(solver);
    hn_scene_free(scene);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_step_ends_at_its_time_after_a_late_impact),
    cmocka_unit_test(the_slowest_slip_is_that_of_the_slowest_block),
    cmocka_unit_test(points_that_close_at_a_seam_carry_their_part),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
