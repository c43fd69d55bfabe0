/* test_equilibrium.c - static equilibrium and its joint forces against closed forms. */
#include "scenes.h"
#include "written.h"

#include <stdlib.h>

static const double g = 9.81;

/* The static equilibrium of the written scene. */
typedef struct rest {
  hn_scene *scene;
  hn_state *state;
  double lambda[256];
  hn_equilibrium found;
} rest;

static rest rest_of(const char *text)
{
  hn_error error;
  rest r;
  write_scene(text);
  r.scene = load_written(NULL, 0);
  r.state = hn_state_create(r.scene->model);
  assert_true(r.scene->model->nrow < 256);
  if (hn_equilibrium_find(r.scene->model, r.state, r.lambda, &r.found, &error)) fail_msg("%s", error.text);
  hn_measure m;
  hn_measure_state(r.scene->model, r.state, &m);
  printf("  %d steps, accelerations %.1e at the start\n", r.found.steps, r.found.start);
  check_below("acceleration, m/s^2", r.found.acceleration, 1e-9);
  check_below("joint errors", m.position_error, 1e-11);
  check_below("velocities", m.kinetic, 0.0);
  return r;
}

static void close_rest(rest *r)
{
  hn_state_free(r->state);
  hn_scene_free(r->scene);
}

/* Stores the force of joint NAME on its body b. */
static void force_of(const rest *r, const char *name, double force[3])
{
  hn_error error;
  double torque[3];
  const int j = hn_model_find_joint(r->scene->model, name, &error);
  if (j < 0) fail_msg("%s", error.text);
  const hn_joint *joint = &r->scene->model->joint[j];
  hn_joint_reaction(joint, r->state, r->lambda + joint->row, force, torque);
}

/* A mass on a vertical guide: the spring is longer by m g / k. */
static void a_mass_on_a_spring(void **unused)
{
  (void)unused;
  rest r = rest_of(
    "local b = sys:particle { name = 'b', mass = 2, position = { 0, -0.3, 0 }, velocity = { 0, 3, 0 } }\n"
    "sys:point_on_line { sys.ground, b, at = { 0, -0.3, 0 }, axis = { 0, 1, 0 } }\n"
    "sys:spring { sys.ground, b, at_a = { 0, 0, 0 }, stiffness = 80, damping = 6, length = 0.5 }\n"
    "return sys");
  check_near("length, m", -r.state->pose[1].x[1], 0.5 + 2 * g / 80, 1e-11);
  ASSERT_COUNT("stable directions", r.found.stable, 1);
  close_rest(&r);
}

/* A rod released far from its equilibrium hangs down; from the exact upright position it stays there. */
static void a_pendulum_hangs_down(void **unused)
{
  (void)unused;
  char text[400];
  static const double angle[] = { 0.3, 1.5, 3.0, 3.14159265358979323846 };
  for (int i = 0; i < 4; i++) {
    double force[3];
    snprintf(
      text, sizeof text,
      "local b = sys:body { name = 'b', mass = 3, inertia = { 1, 1, 2 }, position = { %.17g, %.17g, 0 } }\n"
      "sys:hinge { sys.ground, b, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, name = 'h' }\nreturn sys",
      i < 3 ? 0.7 * sin(angle[i]) : 0.0, i < 3 ? -0.7 * cos(angle[i]) : 0.7);
    rest r = rest_of(text);
    force_of(&r, "h", force);
    check_near("height, m", r.state->pose[1].x[1], i < 3 ? -0.7 : 0.7, 1e-11);
    check_near("force of the hinge, N", force[1], 3 * g, 1e-9);
    ASSERT_COUNT("stable", r.found.stable, i < 3);
    ASSERT_COUNT("unstable", r.found.unstable, i == 3);
    close_rest(&r);
  }
}

/* Four particles on massless rods hang from the ground: the rod above particle i carries those below. */
static void a_hanging_chain(void **unused)
{
  (void)unused;
  rest r = rest_of("local last = sys.ground\nfor i = 1, 4 do\n"
                   " local b = sys:particle { name = 'b' .. i, mass = i, position = { i, 0, 0 } }\n"
                   " if i == 1 then sys:distance { last, b, at_a = { 0, 0, 0 }, name = 'rod1' }\n"
                   " else sys:distance { last, b, name = 'rod' .. i } end\n last = b\nend\nreturn sys");
  const double load[] = { 10, 9, 7, 4 };
  for (int i = 1; i <= 4; i++) {
    char name[8];
    double force[3];
    snprintf(name, sizeof name, "rod%d", i);
    force_of(&r, name, force);
    check_near("depth, m", -r.state->pose[i].x[1], i, 1e-10);
    check_near("force of the rod above, N", force[1], load[i - 1] * g, 1e-8);
  }
  ASSERT_COUNT("stable directions", r.found.stable, 8);
  close_rest(&r);
}

/* Returns the horizontal force in a chain of N rods of length 1 with weight W each, on hinges. Its ends are
 * at the same height, SPAN apart: rod i has the slope (i - (n - 1) / 2) w / H, and the sum of their cosines
 * is the span. */
static double horizontal_force(int n, double w, double span)
{
  double low = 1e-6, high = 1e6;
  for (int k = 0; k < 200; k++) {
    const double H = sqrt(low * high);
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += 1.0 / hypot(1.0, (i - 0.5 * (n - 1)) * w / H);
    if (sum < span) low = H;
    else high = H;
  }
  return sqrt(low * high);
}

/* A closed chain of eight rods between two points is a discrete catenary. It starts as an arch above its
 * ends. */
static void a_catenary(void **unused)
{
  (void)unused;
  enum { RODS = 8 };
  const double span = 4.0, w = 1.5 * g;
  rest r = rest_of(
    "local n, points, x, y = 8, { { 0, 0, 0 } }, 0, 0\n"
    "for i = 1, n do local up = i <= n / 2 and math.pi / 3 or -math.pi / 3\n"
    " x, y = x + math.cos(up), y + math.sin(up) points[i + 1] = { x, y, 0 } end\n"
    "local last = sys.ground\nfor i = 1, n do local a, b = points[i], points[i + 1]\n"
    " local up = math.atan(b[2] - a[2], b[1] - a[1])\n"
    " local rod = sys:body { name = 'rod' .. i, mass = 1.5, inertia = { 0.01, 0.125, 0.125 },\n"
    "  position = { (a[1] + b[1]) / 2, (a[2] + b[2]) / 2, 0 },\n"
    "  orientation = { math.cos(up / 2), 0, 0, math.sin(up / 2) } }\n"
    " sys:hinge { last, rod, at = a, axis = { 0, 0, 1 }, name = 'hinge' .. i }\n last = rod\nend\n"
    "sys:point_on_line { sys.ground, last, at = points[n + 1], axis = { 0, 0, 1 } }\nreturn sys");
  const double H = horizontal_force(RODS, w, span);
  double force[3], x = 0.0, y = 0.0;
  force_of(&r, "hinge1", force);
  check_near("horizontal force, N", -force[0], H, 1e-8);
  check_near("vertical force, N", force[1], 0.5 * RODS * w, 1e-8);
  for (int i = 0; i < RODS; i++) {
    const double slope = (i - 0.5 * (RODS - 1)) * w / H, cosine = 1.0 / hypot(1.0, slope);
    check_near("rod: x, m", r.state->pose[i + 1].x[0], x + 0.5 * cosine, 1e-9);
    check_near("  y, m", r.state->pose[i + 1].x[1], y + 0.5 * cosine * slope, 1e-9);
    x += cosine, y += cosine * slope;
  }
  close_rest(&r);
}

/* Joints twice: half of the force in each. */
static void redundant_joints_share_the_force(void **unused)
{
  (void)unused;
  rest r = rest_of(
    "local b = sys:body { name = 'b', mass = 3, inertia = { 1, 1, 2 }, position = { 0.1, -0.7, 0 } }\n"
    "sys:hinge { sys.ground, b, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, name = 'h1' }\n"
    "sys:hinge { sys.ground, b, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, name = 'h2' }\nreturn sys");
  double force[2][3];
  force_of(&r, "h1", force[0]), force_of(&r, "h2", force[1]);
  check_near("force of one hinge, N", force[0][1], 1.5 * g, 1e-9);
  check_near("of the other", force[1][1], 1.5 * g, 1e-9);
  close_rest(&r);
}

/* ---- Refusals ------------------------------------------------------------------------------------------ */

static void scenes_without_equilibrium_are_refused(void **unused)
{
  (void)unused;
  static const struct {
    const char *text, *words;
  } scenes[] = {
    { "sys:particle { name = 'b', mass = 2, position = { 0, 0, 0 } }\nreturn sys", "nothing balances" },
    { "local b = sys:body { name = 'b', mass = 3, inertia = { 1, 1, 2 }, position = { 0.1, -0.7, 0 },\n"
      " velocity = { 0.21, 0.03, 0 }, angular_velocity = { 0, 0, 0.3 } }\n"
      "sys:hinge { sys.ground, b, at = { 0, 0, 0 }, axis = { 0, 0, 1 } }\n"
      "sys:drive_angle { sys.ground, b, axis = { 0, 0, 1 }, "
      "motion = { amplitude = 0.1, frequency = 3 } }\nreturn sys",
      "prescribed velocities" },
  };
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    hn_error error;
    hn_equilibrium found;
    write_scene(scenes[i].text);
    hn_scene *scene = load_written(NULL, 0);
    hn_state *state = hn_state_create(scene->model);
    assert_int_equal(hn_equilibrium_find(scene->model, state, NULL, &found, &error), -1);
    printf("  %s\n", error.text);
    assert_non_null(strstr(error.text, scenes[i].words));
    hn_state_free(state);
    hn_scene_free(scene);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_mass_on_a_spring),
    cmocka_unit_test(a_pendulum_hangs_down),
    cmocka_unit_test(a_hanging_chain),
    cmocka_unit_test(a_catenary),
    cmocka_unit_test(redundant_joints_share_the_force),
    cmocka_unit_test(scenes_without_equilibrium_are_refused),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
