/* test_gap_projection.c - positions of bodies that overlap at the start: the shortest displacement, without
 * friction and regardless of constraints of velocities; joints with light bodies that are nearly straight. */
#include "trials.h"

#define FLOOR                                                                         \
  "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = 0.8, " \
  "shape = scene.plane { normal = { 0, 1, 0 } } }\n"

/* Returns the trial of one step, at rest and without gravity, of a scene with BODY. */
static trial one_step(const char *body)
{
  char text[1500];
  snprintf(text, sizeof text,
           "local scene = require 'holonom.scene'\n"
           "local sys = scene.system { gravity = { 0, 0, 0 } }\n%s"
           "sys:contact { margin = 0.01 }\nreturn sys",
           body);
  write_bytes(text, strlen(text));
  trial r = run_spec("moreau", 0.01, 0.01, NULL, NULL);
  if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
  return r;
}

/* A box of 1 m that is tilted by 0.3 rad overlaps the floor with its edge by 1 mm. The impulses on its
 * centre are vertical: it moves along y and turns about z alone. */
static void friction_does_not_move_shapes_apart(void **unused)
{
  (void)unused;
  const double angle = 0.3, low = 0.5 * (cos(angle) + sin(angle)), y = low - 0.001;
  char text[800];
  snprintf(text, sizeof text,
           FLOOR
           "sys:body { name = 'box', mass = 1, inertia = { 1, 1, 0.02 }, friction = 0.8,\n"
           "  shape = scene.box { 1, 1, 1 }, position = { 0, %.17g, 0 }, axis_angle = { 0, 0, 1, %.17g } }\n",
           y, angle);
  trial r = one_step(text);
  const hn_pose *box = &r.state->pose[2];
  const double turned = 2 * atan2(box->q[3], box->q[0]), edge = 0.5 * (cos(turned) + sin(turned));
  check_below("way of the centre along the floor, m", hypot(box->x[0], box->x[2]), 1e-13);
  /* exact to first order: a further turn by t lowers the edge by low t^2 / 2 less */
  const double rest = 0.5 * low * (turned - angle) * (turned - angle);
  check_near("height of the edge over the second order of its turn", (box->x[1] - edge) / rest, 1, 0.01);
  /* the edge is 0.5 (cos - sin) beside the centre, which rises by 1 / (1 + arm^2 m / J) of the overlap */
  const double arm = 0.5 * (cos(angle) - sin(angle)), share = 1 / (1 + arm * arm / 0.02);
  check_near("rise of the centre over the overlap", (box->x[1] - y) / 0.001, share, 1e-5);
  done(&r);
}

/* A ball that cannot move along y by its velocity overlaps the floor: its position moves nevertheless. */
static void constraints_of_velocities_do_not_hold_positions(void **unused)
{
  (void)unused;
  static const char *const holds[] = {
    "sys:knife_edge { sys.ground, ball, at = { 0, 0.499, 0 }, axis = { 0, 1, 0 } }\n",
    "sys:motor_position { sys.ground, ball, at = { 0, 0.499, 0 }, axis = { 0, 1, 0 }, motion = 0 }\n",
    "sys:friction_position { sys.ground, ball, at = { 0, 0.499, 0 }, axis = { 0, 1, 0 }, force = 3 }\n",
  };
  for (size_t i = 0; i < sizeof holds / sizeof *holds; i++) {
    char text[800];
    snprintf(text, sizeof text,
             FLOOR
             "local ball = sys:body { name = 'ball', mass = 1, friction = 0.8, position = { 0, 0.499, 0 },\n"
             "  shape = scene.sphere { radius = 0.5 } }\n%s",
             holds[i]);
    trial r = one_step(text);
    printf(" %s", holds[i]);
    check_near("height of the centre, m", r.state->pose[2].x[1], 0.5, 1e-9);
    done(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(friction_does_not_move_shapes_apart),
    cmocka_unit_test(constraints_of_velocities_do_not_hold_positions),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
