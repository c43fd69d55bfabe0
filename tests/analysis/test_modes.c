/* test_modes.c - eigenvalues and modes of linearised motion against closed forms. */
#include "scenes.h"
#include "written.h"

#include <stdlib.h>

static const double g = 9.81, pi = 3.14159265358979323846;

/* Returns the modes of the written scene about its start, or about the static equilibrium near it. */
static hn_eigenmodes *modes_of(const char *text, bool equilibrium, hn_scene **scene)
{
  hn_error error;
  hn_equilibrium found;
  write_scene(text);
  *scene = load_written(NULL, 0);
  hn_state *state = hn_state_create((*scene)->model);
  if (equilibrium && hn_equilibrium_find((*scene)->model, state, NULL, &found, &error))
    fail_msg("%s", error.text);
  hn_eigenmodes *modes = hn_eigenmodes_create((*scene)->model, state, &error);
  if (!modes) fail_msg("%s", error.text);
  if (equilibrium) check_below("acceleration at the equilibrium", modes->acceleration, 1e-9);
  hn_state_free(state);
  return modes;
}

/* Checks that the angular frequencies of all modes are those of W[count], ascending, without damping. */
static void check_frequencies(const hn_eigenmodes *modes, const double *w, int count, double tolerance)
{
  ASSERT_COUNT("modes", modes->count, count);
  for (int k = 0; k < count; k++) {
    check_near("angular frequency, rad/s", modes->mode[k].imaginary, w[k], tolerance * fmax(1.0, w[k]));
    check_near("  frequency, Hz", modes->mode[k].frequency, w[k] / (2.0 * pi), tolerance * fmax(1.0, w[k]));
    check_below("  damping, 1/s", modes->mode[k].real, tolerance);
  }
}

static void close_modes(hn_eigenmodes *modes, hn_scene *scene)
{
  hn_eigenmodes_free(modes);
  hn_scene_free(scene);
}

/* ---- Conservative motion ------------------------------------------------------------------------------- */

/* A physical pendulum with I = 2 about its centre of mass, on a hinge at a distance d: I' = I + m d^2. */
static void a_pendulum(void **unused)
{
  (void)unused;
  hn_scene *scene;
  hn_eigenmodes *m = modes_of(
    "local b = sys:body { name = 'b', mass = 3, inertia = { 1, 1, 2 }, position = { 0, -0.7, 0 } }\n"
    "sys:hinge { sys.ground, b, at = { 0, 0, 0 }, axis = { 0, 0, 1 } }\nreturn sys",
    false, &scene);
  const double w = sqrt(3 * g * 0.7 / (2 + 3 * 0.49));
  check_frequencies(m, &w, 1, 1e-9);
  /* Its shape: a rotation about z and a displacement along x by 0.7 of it */
  const hn_twist *d = &m->mode[0].shape[1];
  check_near("ratio of displacement and rotation, m", d->v[0] / d->w[2], 0.7, 1e-9);
  check_below("displacement along y", d->v[1], 1e-9);
  assert_true(m->conservative && m->positions == 1 && m->velocities == 1);
  close_modes(m, scene);
}

/* Two equal masses on rods of length l: w^2 = g / l (2 -+ sqrt 2), where the tensions of the rods are the
 * only stiffness. The same with the upper joint twice: one redundant row. */
static void a_double_pendulum(void **unused)
{
  (void)unused;
  static const char text[] = "local a = sys:particle { name = 'a', mass = 2, position = { 0, -0.5, 0 } }\n"
                             "local b = sys:particle { name = 'b', mass = 2, position = { 0, -1, 0 } }\n"
                             "sys:distance { sys.ground, a, at_a = { 0, 0, 0 } }\nsys:distance { a, b }\n";
  const double low = sqrt(g / 0.5 * (2 - sqrt(2))), high = sqrt(g / 0.5 * (2 + sqrt(2)));
  const double w[] = { low, low, high, high }; /* in two planes */
  for (int twice = 0; twice < 2; twice++) {
    char all[600];
    hn_scene *scene;
    snprintf(all, sizeof all, "%s%sreturn sys", text,
             twice ? "sys:distance { sys.ground, a, at_a = { 0, 0, 0 } }\n" : "");
    hn_eigenmodes *m = modes_of(all, false, &scene);
    check_frequencies(m, w, 4, 1e-9);
    close_modes(m, scene);
  }
}

/* Five masses m between six springs k, on a horizontal guide: w_j = 2 sqrt(k / m) sin(j pi / 12). */
static void a_chain_of_springs(void **unused)
{
  (void)unused;
  char text[3000] =
    "local last = sys.ground\n"
    "for i = 1, 5 do\n local b = sys:particle { name = 'b' .. i, mass = 2, position = { i, 0, 0 } }\n"
    " sys:point_on_line { sys.ground, b, at = { i, 0, 0 }, axis = { 1, 0, 0 } }\n"
    " sys:spring { last, b, at_a = { i - 1, 0, 0 }, at_b = { i, 0, 0 }, stiffness = 50 }\n last = b\nend\n"
    "sys:spring { last, sys.ground, at_a = { 5, 0, 0 }, at_b = { 6, 0, 0 }, stiffness = 50 }\nreturn sys";
  hn_scene *scene;
  hn_eigenmodes *m = modes_of(text, false, &scene);
  double w[5];
  for (int j = 1; j <= 5; j++) w[j - 1] = 2.0 * sqrt(50.0 / 2.0) * sin(j * pi / 12.0);
  check_frequencies(m, w, 5, 1e-9);
  /* The first mode: displacements sin(i pi / 6), the largest 1 */
  for (int i = 1; i <= 5; i++) check_near("  shape", fabs(m->mode[0].shape[i].v[0]), sin(i * pi / 6.0), 1e-8);
  close_modes(m, scene);
}

/* A free body has six modes of frequency 0. */
static void a_free_body(void **unused)
{
  (void)unused;
  hn_scene *scene;
  hn_eigenmodes *m = modes_of(
    "sys:body { name = 'b', mass = 3, inertia = { 1, 1.5, 2 }, position = { 0, -0.7, 0 } }\n"
    "return sys",
    false, &scene);
  const double w[6] = { 0 };
  check_frequencies(m, w, 6, 1e-12);
  assert_true(isnan(m->mode[0].damping));
  close_modes(m, scene);
}

/* An inverted pendulum: s = +-sqrt(g / l). */
static void an_inverted_pendulum(void **unused)
{
  (void)unused;
  hn_scene *scene;
  hn_eigenmodes *m = modes_of(
    "local a = sys:particle { name = 'a', mass = 2, position = { 0, 0.5, 0 } }\n"
    "sys:distance { sys.ground, a, at_a = { 0, 0, 0 } }\n"
    "sys:point_on_plane { sys.ground, a, at = { 0, 0.5, 0 }, axis = { 0, 0, 1 } }\nreturn sys",
    false, &scene);
  ASSERT_COUNT("modes", m->count, 2);
  check_near("growth, 1/s", m->mode[0].real, sqrt(g / 0.5), 1e-9);
  check_near("decay, 1/s", m->mode[1].real, -sqrt(g / 0.5), 1e-9);
  close_modes(m, scene);
}

/* ---- Damping and rotation ------------------------------------------------------------------------------ */

/* A mass on a guide with spring and damper: s = -c / 2m +- i sqrt(k / m - (c / 2m)^2). */
static void a_damped_oscillator(void **unused)
{
  (void)unused;
  hn_scene *scene;
  hn_eigenmodes *m = modes_of(
    "local b = sys:particle { name = 'b', mass = 2, position = { 0, -1, 0 } }\n"
    "sys:point_on_line { sys.ground, b, at = { 0, -1, 0 }, axis = { 0, 1, 0 } }\n"
    "sys:spring { sys.ground, b, at_a = { 0, 0, 0 }, stiffness = 80, damping = 6, length = 0.5 }\n"
    "return sys",
    true, &scene);
  ASSERT_COUNT("modes", m->count, 1);
  assert_true(!m->conservative);
  check_near("decay, 1/s", m->mode[0].real, -1.5, 1e-8);
  check_near("angular frequency, rad/s", m->mode[0].imaginary, sqrt(40 - 2.25), 1e-8);
  check_near("damping ratio", m->mode[0].damping, 1.5 / sqrt(40.0), 1e-9);
  close_modes(m, scene);
}

/* A sleeping top with spin s: A w^2 - C s w + m g l = 0, for A about its point; with the slow precession and
 * the fast nutation, and 0 for its angle and spin. */
static void a_sleeping_top(void **unused)
{
  (void)unused;
  hn_scene *scene;
  hn_eigenmodes *m = modes_of(
    "local b = sys:body { name = 'b', mass = 2, inertia = { 0.3, 0.1, 0.3 }, position = { 0, 0.5, 0 },\n"
    "  angular_velocity = { 0, 200, 0 } }\n"
    "sys:ball { sys.ground, b, at = { 0, 0, 0 } }\nreturn sys",
    false, &scene);
  const double A = 0.3 + 2 * 0.25, Cs = 0.1 * 200, mgl = 2 * g * 0.5, root = sqrt(Cs * Cs - 4 * A * mgl);
  const double w[] = { 0, 0, (Cs - root) / (2 * A), (Cs + root) / (2 * A) };
  check_below("acceleration", m->acceleration, 1e-9);
  check_near("speed, rad/s", m->speed, 200, 0);
  const hn_eigenmode *slow = &m->mode[m->count - 2], *fast = &m->mode[m->count - 1];
  check_near("precession, rad/s", slow->imaginary, w[2], 1e-7);
  check_near("nutation, rad/s", fast->imaginary, w[3], 1e-7);
  check_below("their growth, 1/s", larger(fabs(slow->real), fabs(fast->real)), 1e-7);
  for (int k = 0; k < m->count - 2; k++)
    check_below("angle and spin, 1/s", larger(fabs(m->mode[k].real), m->mode[k].imaginary), 1e-5);
  /* The axis moves on a circle: the displacements along x and z are 90 degrees apart */
  check_near("circle", hypot(slow->quadrature[1].v[2], slow->shape[1].v[2]),
             hypot(slow->quadrature[1].v[0], slow->shape[1].v[0]), 1e-8);
  close_modes(m, scene);
}

/* A wheel that rolls without slip has more positions than velocities. */
static void rolling_has_more_positions_than_velocities(void **unused)
{
  (void)unused;
  bench b = set_up("knife_edge", "lagrange");
  hn_error error;
  hn_eigenmodes *m = hn_eigenmodes_create(b.model, b.state, &error);
  if (!m) fail_msg("%s", error.text);
  ASSERT_COUNT("positions", m->positions, 3);
  ASSERT_COUNT("velocities", m->velocities, 2);
  hn_eigenmodes_free(m);
  tear_down(&b);
}

/* ---- Displacement, refusals ---------------------------------------------------------------------------- */

static void displaced_states_meet_the_joints(void **unused)
{
  (void)unused;
  hn_scene *scene;
  hn_error error;
  hn_measure measure;
  hn_eigenmodes *m = modes_of(
    "local b = sys:body { name = 'b', mass = 3, inertia = { 1, 1, 2 }, position = { 0, -0.7, 0 } }\n"
    "sys:hinge { sys.ground, b, at = { 0, 0, 0 }, axis = { 0, 0, 1 } }\nreturn sys",
    false, &scene);
  hn_state *state = hn_state_create(scene->model);
  assert_int_equal(hn_eigenmode_displace(scene->model, &m->mode[0], 0.2, 0.0, state, &error), 0);
  hn_measure_state(scene->model, state, &measure);
  check_below("joint error", measure.position_error, 1e-12);
  assert_true(fabs(state->pose[1].x[0]) > 0.05);
  hn_state_free(state);
  close_modes(m, scene);
}

static void models_without_motion_are_refused(void **unused)
{
  (void)unused;
  hn_error error;
  write_scene("local a = sys:body { name = 'a', mass = 1, inertia = { 1, 1, 1 }, position = { 0, 0, 0 } }\n"
              "sys:fixed { sys.ground, a, at = { 0, 0, 0 } }\nreturn sys");
  hn_scene *scene = load_written(NULL, 0);
  hn_state *state = hn_state_create(scene->model);
  assert_null(hn_eigenmodes_create(scene->model, state, &error));
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, "the joints allow no motion"));
  hn_state_free(state);
  hn_scene_free(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_pendulum),
    cmocka_unit_test(a_double_pendulum),
    cmocka_unit_test(a_chain_of_springs),
    cmocka_unit_test(a_free_body),
    cmocka_unit_test(an_inverted_pendulum),
    cmocka_unit_test(a_damped_oscillator),
    cmocka_unit_test(a_sleeping_top),
    cmocka_unit_test(rolling_has_more_positions_than_velocities),
    cmocka_unit_test(displaced_states_meet_the_joints),
    cmocka_unit_test(models_without_motion_are_refused),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
