/* test_summaries.c - what a run tells of its iterations, and of the projection of its start, recomputed. */
#include "trials.h"

typedef struct sums {
  double position, velocity;
  long steps;
} sums;

static bool sum_up(void *user, const hn_frame *frame)
{
  sums *s = user;
  if (frame->index == 0) return true;
  s->position += frame->report->position_iterations, s->velocity += frame->report->velocity_iterations;
  s->steps++;
  return true;
}

static void means_are_over_all_steps(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "impulse-gs", "impulse-sle" };
  for (int k = 0; k < 2; k++) {
    sums s = { 0 };
    write_scene(
      "local a = sys:body { name = 'a', mass = 2, inertia = { 0.1, 0.2, 0.3 }, position = { 0.5, 0, 0 } }\n"
      "sys:ball { sys.ground, a, at = { 0, 0, 0 } }\nreturn sys");
    trial r = run_spec(specs[k], 0.01, 0.05, sum_up, &s);
    assert_int_equal(r.reason, HN_CONVERGED);
    printf("  %s, %ld steps\n", specs[k], s.steps);
    assert_true(s.position > 0 && s.velocity > 0);
    check_near("mean of position iterations", r.summary.position_iterations_mean,
               s.position / (double)s.steps, 0);
    check_near("mean of velocity iterations", r.summary.velocity_iterations_mean,
               s.velocity / (double)s.steps, 0);
    done(&r);
  }
}

/* A bob that hangs on two rods of 2 m and 1.5 m, from (0, 0, 0) and (1, 0, 0): it rests at x = 1.375 m on the
 * circle of radius sqrt(2.109375) m about the x axis. Its start is off by up to half a metre. */
static void starts_are_projected_to_rounding(void **unused)
{
  (void)unused;
  unsigned seed = 7;
  double worst = 0.0, least = HUGE_VAL, most = 0.0;
  for (int k = 0; k < 200; k++) {
    char text[1000];
    double off[3];
    for (int c = 0; c < 3; c++)
      off[c] = 0.5 * (2.0 * (double)((seed = seed * 1103515245u + 12345u) >> 8 & 0xffff) / 65535.0 - 1.0);
    const double start[3] = { 1.375 + off[0], -1.2 + off[1], 0.8 + off[2] };
    snprintf(
      text, sizeof text,
      "local scene = require 'holonom.scene'\n"
      "local sys = scene.system { gravity = { 0, 0, 0 }, consistent = true }\n"
      "local bob = sys:particle { name = 'bob', mass = 3, position = { %.17g, %.17g, %.17g } }\n"
      "sys:distance { sys.ground, bob, at_a = { 0, 0, 0 }, at_b = { %.17g, %.17g, %.17g }, length = 2 }\n"
      "sys:distance { sys.ground, bob, at_a = { 1, 0, 0 }, at_b = { %.17g, %.17g, %.17g }, length = 1.5 }\n"
      "sys:particle { name = 'still', mass = 1, position = { 3, 0, 0 } }\n"
      "return sys",
      start[0], start[1], start[2], start[0], start[1], start[2], start[0], start[1], start[2]);
    write_bytes(text, strlen(text));
    hn_scene *scene = load_written(NULL, 0);
    const hn_body *bob = &scene->model->body[1];
    const double *x = bob->pose0.x;
    const double near = hypot(x[0], hypot(x[1], x[2])) - 2.0,
                 far = hypot(x[0] - 1.0, hypot(x[1], x[2])) - 1.5;
    worst = fmax(worst, fmax(fabs(near), fabs(far)));
    const double way = hypot(x[0] - start[0], hypot(x[1] - start[1], x[2] - start[2]));
    least = fmin(least, scene->model->projection.moved / way),
    most = fmax(most, scene->model->projection.moved / way);
    hn_scene_free(scene);
  }
  check_below("lengths of both rods after the projection, m", worst, 4 * 2 * 2.3e-16);
  check_below("way of a start over its largest step, at most", 1.0 / least, 2.0);
  check_below("largest step over the way of a start, at most", most, 2.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(means_are_over_all_steps),
                                      cmocka_unit_test(starts_are_projected_to_rounding) };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
