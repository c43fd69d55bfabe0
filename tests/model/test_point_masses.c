/* test_point_masses.c - rigid bodies and equivalent point masses [schmitt2005, section 3]: moments, rank,
 * energy and motion of both models agree. */
#include "allocations.h"
#include "loops.h"
#include "pointmass/point_masses.h"
#include "scenes.h"
#include "base/vec.h"
#include "written.h"

#define RK8 "lagrange:stepper=rk8pd,stabilisation=projection"

/* Returns the next pseudo-random number in [-1, 1]. */
static double random_number(void)
{
  static uint32_t x = 12345;
  x = x * 1664525u + 1013904223u;
  return (double)x / 2147483648.0 - 1.0;
}

/* ---- One body ------------------------------------------------------------------------------------------ */

static void add_moments(double sum[10], double mass, const double x[3])
{
  sum[0] += mass;
  for (int i = 0; i < 3; i++) {
    sum[1 + i] += mass * x[i];
    for (int j = i; j < 3; j++) sum[4 + i + j + (i > 0)] += mass * x[i] * x[j];
  }
}

/* Returns the relative error in mass, first and second moments of the point masses of BODY with COUNT joint
 * points Q. */
static double moment_error(const hn_body *body, int count, const double *Q, const hn_point_masses *masses)
{
  static const int diagonal[3] = { 4, 7, 9 };
  const double centre[3] = { 0, 0, 0 }, size = sqrt(body->J[0] / body->mass);
  double sum[10] = { 0 }, largest = 0.0;
  add_moments(sum, masses->centre, centre);
  for (int k = 0; k < count; k++) add_moments(sum, masses->joint, Q + 3 * k);
  for (int k = 0; k < 4; k++) add_moments(sum, masses->corner, masses->at[k]);
  sum[0] -= body->mass;
  for (int i = 0; i < 3; i++)
    sum[diagonal[i]] -= 0.5 * (body->J[(i + 1) % 3] + body->J[(i + 2) % 3] - body->J[i]);
  for (int i = 0; i < 10; i++)
    largest = larger(largest, fabs(sum[i]) / (body->mass * pow(size, i > 3 ? 2 : i > 0)));
  return largest;
}

/* Returns the volume spanned by the unit vectors from X to three points of AT, without LEFT: the root of
 * their Gram determinant. */
static double spanned_volume(const double at[4][3], int left, const double x[3])
{
  double d[3][3], c[3];
  for (int k = 0, n = 0; k < 4; k++) {
    if (k == left) continue;
    vec_sub(d[n], at[k], x);
    vec_scale(d[n], 1.0 / vec_norm(d[n]), d[n]);
    n++;
  }
  for (int k = 0; k < 3; k++) c[k] = vec_dot(d[k], d[(k + 1) % 3]);
  return sqrt(fmax(0.0, 1.0 + 2.0 * c[0] * c[1] * c[2] - c[0] * c[0] - c[1] * c[1] - c[2] * c[2]));
}

static void test_points_are_tied_to_the_largest_span(void **state)
{
  (void)state;
  double worst = 0.0;
  for (int trial = 0; trial < 200; trial++) {
    double at[4][3], x[3], most = 0.0;
    for (int k = 0; k < 4; k++)
      for (int c = 0; c < 3; c++) at[k][c] = random_number();
    for (int c = 0; c < 3; c++) x[c] = 2 * random_number();
    for (int left = 0; left < 4; left++) most = fmax(most, spanned_volume((const double(*)[3])at, left, x));
    int chosen = hn_point_masses_left_out((const double(*)[3])at, x);
    worst = fmax(worst, most - spanned_volume((const double(*)[3])at, chosen, x));
  }
  check_below("less than the most that three directions span", worst, 1e-7); /* square root of round-off */
}

/* Bodies with different gravity that share points: the total weight of the points is that of the bodies. */
static void test_points_weigh_as_much_as_their_bodies(void **state)
{
  (void)state;
  static const double gravity[3][3] = { { 0, -9.81, 0 }, { 1, 2, 3 }, { -4, 0, 0.5 } };
  hn_error error;
  hn_model *model = new_model();
  double whole[3] = { 0 }, points[3] = { 0 };
  for (int i = 0; i < 3; i++) {
    char name[8];
    snprintf(name, sizeof name, "b%d", i);
    hn_body_spec box = { .name = name,
                         .kind = HN_RIGID,
                         .shape = { .kind = HN_BOX, .size = { 1.0, 0.3, 0.2 } },
                         .density = 100,
                         .position = { i + 0.5, 0, 0 },
                         .orientation = { 1, 0, 0, 0 },
                         .has_gravity = true };
    memcpy(box.gravity, gravity[i], sizeof box.gravity);
    if (hn_model_add_body(model, &box, &error) < 0) fail_msg("%s", error.text);
    if (i > 0) add_ball(model, i, i + 1, i, 0, 0);
    vec_add_scaled(whole, model->body[i + 1].mass, gravity[i]);
  }
  hn_model *made = hn_model_point_masses(model, &error);
  if (!made) fail_msg("%s", error.text);
  for (int i = 1; i < made->nbody; i++) vec_add_scaled(points, made->body[i].mass, made->body[i].gravity);
  for (int c = 0; c < 3; c++) check_near("weight, N", points[c], whole[c], 1e-12);
  hn_model_free(model), hn_model_free(made);
}

/* Random bodies and joint points, also far outside the body. */
static void test_masses_have_the_moments_of_the_body(void **state)
{
  (void)state;
  double worst = 0.0, least = 1.0;
  for (int trial = 0; trial < 1000; trial++) {
    double S[3], Q[3 * 6], scale = pow(10.0, 2 * random_number());
    hn_body body = { .name = "b", .kind = HN_RIGID, .mass = pow(10.0, 2 * random_number()) };
    for (int i = 0; i < 3; i++) S[i] = body.mass * pow(10.0, random_number());
    for (int i = 0; i < 3; i++) body.J[i] = S[(i + 1) % 3] + S[(i + 2) % 3];
    int count = trial % 7;
    for (int i = 0; i < 3 * count; i++) Q[i] = scale * random_number();
    hn_point_masses masses;
    hn_error error;
    assert_int_equal(hn_point_masses_of(&body, count, Q, &masses, &error), 0);
    worst = larger(worst, moment_error(&body, count, Q, &masses));
    least = fmin(least, fmin(masses.corner, masses.centre) / body.mass);
    if (count) assert_true(masses.joint > 0);
  }
  check_below("mass, centre and inertia, relative, 1000 bodies", worst, 2e-14);
  printf("  least of corner and centre, part of the body's mass       %.3f\n", least);
  assert_true(least >= 0.125 * (1 - 1e-12)); /* no mass is a result of cancellation */
}

static void test_flat_bodies_are_refused(void **state)
{
  (void)state;
  const hn_body flat = { .name = "plate", .kind = HN_RIGID, .mass = 1, .J = { 2, 1, 1 } };
  hn_point_masses masses;
  hn_error error;
  assert_int_equal(hn_point_masses_of(&flat, 0, NULL, &masses, &error), -1);
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, "body \"plate\" is flat"));
}

/* ---- Mechanisms ---------------------------------------------------------------------------------------- */

/* Returns a chain of boxes on hinges with axes neither parallel nor perpendicular, then a ball joint and a
 * rod to a particle. */
static hn_model *hinged_chain(void)
{
  static const double axis[3][3] = { { 0, 0, 1 }, { 0, 1, 0 }, { 0, 0.6, 0.8 } };
  hn_error error;
  hn_model *model = new_model();
  for (int i = 0; i < 3; i++) {
    hn_body_spec box = { .name = (const char *const[]){ "link1", "link2", "link3" }[i],
                         .kind = HN_RIGID,
                         .shape = { .kind = HN_BOX, .size = { 1.0, 0.3, 0.2 } },
                         .density = 600,
                         .position = { i + 0.5, 0, 0 },
                         .orientation = { 1, 0, 0, 0 } };
    assert_int_equal(hn_model_add_body(model, &box, &error), i + 1);
    hn_joint_spec hinge = {
      .type = "hinge", .a = i, .b = i + 1, .has_points = true, .at_a = { i, 0, 0 }, .at_b = { i, 0, 0 }
    };
    vec_copy(hinge.axis_a, axis[i]);
    if (hn_model_add_joint(model, &hinge, &error) < 0) fail_msg("%s", error.text);
  }
  add_ball(model, 3, add_box(model, "end", 3.5, 0, 0), 3, 0, 0);
  int bob = add_particle(model, "bob", 4, -1, 0.5);
  hn_joint_spec rod = {
    .type = "distance", .a = 4, .b = bob, .has_points = true, .at_a = { 4, 0, 0 }, .at_b = { 4, -1, 0.5 }
  };
  if (hn_model_add_joint(model, &rod, &error) < 0) fail_msg("%s", error.text);
  return model;
}

static hn_model *model_of_scene(const char *name)
{
  hn_error error;
  hn_scene *scene = hn_scene_load(name, NULL, 0, &error);
  if (!scene) fail_msg("%s", error.text);
  hn_model *model = scene->model;
  scene->model = NULL;
  hn_scene_free(scene);
  return model;
}

/* Loads a scene and adds a tenth of the trace of J to each moment of inertia: some scenes have thin discs. */
static hn_model *thickened(const char *name)
{
  hn_model *model = model_of_scene(name);
  for (int i = 1; i < model->nbody; i++) {
    hn_body *body = &model->body[i];
    double more = 0.1 * (body->J[0] + body->J[1] + body->J[2]);
    for (int k = 0; k < 3; k++) body->J[k] += more, body->inv_J[k] = 1.0 / body->J[k];
  }
  return model;
}

static hn_model *box_pendulum(void)
{
  return model_of_scene("box_pendulum");
}
static hn_model *heavy_top(void)
{
  return thickened("heavy_top");
}
static hn_model *gyroscope(void)
{
  return thickened("gyroscope");
}
static hn_model *chain8(void)
{
  return model_of_scene("chain8");
}
static hn_model *four_bars(void)
{
  return model_of_scene("four_bars");
}
static hn_model *free_top(void)
{
  return thickened("free_top");
}

/* Returns thrown boxes at the corners of a square, each joined to two others: a redundant loop. */
static hn_model *square(void)
{
  hn_model *model = grid(2, 0.0);
  for (int i = 1; i < model->nbody; i++) model->body[i].twist0.v[0] = 1.0, model->body[i].twist0.v[1] = 3.0;
  return model;
}

/* A mechanism and the allowed difference between bodies and points, from the reference solver's error on
 * either. */
typedef struct mechanism {
  const char *name;
  hn_model *(*make)(void);
  double step, duration, bound;
} mechanism;

static const mechanism mechanisms[] = {
  { "box_pendulum", box_pendulum, 0.002, 1.0, 1e-13 },
  { "hinged chain with ball and rod", hinged_chain, 0.002, 1.0, 1e-12 },
  { "heavy_top", heavy_top, 0.0005, 0.5, 1e-12 },
  { "gyroscope", gyroscope, 0.0005, 0.5, 1e-12 },
  { "free_top", free_top, 0.01, 2.0, 1e-13 },
  { "chain8, a loop", chain8, 0.002, 0.5, 1e-11 },
  { "four_bars, redundant", four_bars, 0.002, 0.3, 1e-12 },
  { "Bricard, redundant", bricard, 0.002, 0.5, 1e-12 },
  { "square, redundant", square, 0.005, 0.3, 1e-12 },
};
enum { MECHANISMS = sizeof mechanisms / sizeof mechanisms[0] };

static hn_model *points_of(const hn_model *model)
{
  hn_error error;
  hn_model *points = hn_model_point_masses(model, &error);
  if (!points) fail_msg("%s", error.text);
  return points;
}

static hn_rank *rank_of(const hn_model *model)
{
  hn_error error;
  hn_system *system = hn_system_create(model, &error);
  hn_state *state = hn_state_create(model);
  assert_true(system && state);
  hn_system_jacobian(system, state);
  hn_rank *rank = hn_rank_create(system, HN_RANK_AUTO, &error);
  if (!rank) fail_msg("%s", error.text);
  hn_state_free(state);
  hn_system_free(system);
  return rank;
}

static void test_rods_are_independent_and_freedoms_the_same(void **state)
{
  (void)state;
  printf("  %-32s %6s %5s %6s %6s %10s\n", "", "bodies", "dof", "points", "rods", "smallest");
  for (int k = 0; k < MECHANISMS; k++) {
    hn_model *bodies = mechanisms[k].make(), *points = points_of(bodies);
    hn_rank *before = rank_of(bodies), *after = rank_of(points);
    printf("  %-32s %6d %5d %6d %6d %10.1e\n", mechanisms[k].name, bodies->nbody - 1, before->dof,
           points->nbody - 1, points->nrow, after->kept);
    assert_int_equal(after->rank, after->rows);
    assert_int_equal(after->dof, before->dof);
    for (int i = 0; i < points->nbody; i++) assert_true(points->body[i].kind != HN_RIGID);
    for (int i = 0; i < bodies->nbody; i++) assert_string_equal(points->body[i].name, bodies->body[i].name);
    hn_rank_free(before), hn_rank_free(after);
    hn_model_free(bodies), hn_model_free(points);
  }
}

/* At the start. The energies agree including their constant. */
static void test_energy_and_momentum_are_the_same(void **state)
{
  (void)state;
  for (int k = 0; k < MECHANISMS; k++) {
    hn_model *bodies = mechanisms[k].make(), *points = points_of(bodies);
    hn_state *s = hn_state_create(bodies), *t = hn_state_create(points);
    hn_measure m, n;
    hn_measure_state(bodies, s, &m), hn_measure_state(points, t, &n);
    double size = 1.0 + m.kinetic, worst = fabs(m.kinetic - n.kinetic) / size;
    worst = larger(worst, fabs(m.potential - n.potential) / (1.0 + fabs(m.potential)));
    for (int i = 0; i < 3; i++) {
      worst = larger(worst, fabs(m.momentum[i] - n.momentum[i]) / size);
      worst = larger(worst, fabs(m.angular_momentum[i] - n.angular_momentum[i]) / size);
    }
    check_below(mechanisms[k].name, worst, 1e-13);
    hn_state_free(s), hn_state_free(t);
    hn_model_free(bodies), hn_model_free(points);
  }
}

static hn_state *state_after(const hn_model *model, const char *spec, double step, double duration)
{
  hn_solver *solver = new_solver(spec, model);
  hn_state *state = hn_state_create(model);
  hn_run_options options = { .step = step, .duration = duration };
  hn_summary summary;
  if (hn_run(solver, state, &options, &summary) != HN_CONVERGED)
    fail_msg("%s: %s", spec, summary.explanation);
  hn_solver_free(solver);
  return state;
}

/* Computes the largest differences of the centres of mass of common bodies. */
static void distance_of(const hn_state *bodies, const hn_state *points, double *position, double *velocity)
{
  *position = *velocity = 0.0;
  for (int i = 0; i < bodies->nbody; i++) {
    double d[3];
    vec_sub(d, bodies->pose[i].x, points->pose[i].x);
    *position = larger(*position, vec_norm(d));
    vec_sub(d, bodies->twist[i].v, points->twist[i].v);
    *velocity = larger(*velocity, vec_norm(d));
  }
}

static void test_both_have_the_same_motion(void **state)
{
  (void)state;
  for (int k = 0; k < MECHANISMS; k++) {
    const mechanism *m = &mechanisms[k];
    hn_model *bodies = m->make(), *points = points_of(bodies);
    double position, velocity;
    char what[96];
    hn_state *s = state_after(bodies, RK8 ",redundancy=remove", m->step, m->duration);
    hn_state *t = state_after(points, RK8, m->step, m->duration);
    distance_of(s, t, &position, &velocity);
    snprintf(what, sizeof what, "%s: positions, m", m->name);
    check_below(what, position, m->bound);
    snprintf(what, sizeof what, "%s: velocities, m/s", m->name);
    check_below(what, velocity, 50 * m->bound);
    hn_state_free(s), hn_state_free(t);
    hn_model_free(bodies), hn_model_free(points);
  }
}

/* Checks that the difference between bodies and points at the same step has the solver's order. */
static void check_order(const char *what, hn_model *(*make)(void), const char *spec, double first,
                        double order)
{
  enum { STEPS = 6 };
  double step[STEPS], apart[STEPS], velocity;
  hn_model *bodies = make(), *points = points_of(bodies);
  printf("  %s, %s: positions apart, m:", what, spec);
  for (int i = 0; i < STEPS; i++) {
    step[i] = i == 0 ? first : 0.5 * step[i - 1];
    hn_state *s = state_after(bodies, spec, step[i], 0.5), *t = state_after(points, spec, step[i], 0.5);
    distance_of(s, t, &apart[i], &velocity);
    printf(" %.1e", apart[i]);
    hn_state_free(s), hn_state_free(t);
  }
  printf("\n");
  check_near("order of the distance", hn_fit_order(step, apart, STEPS), order, 0.2);
  hn_model_free(bodies), hn_model_free(points);
}

static void test_distance_has_the_order_of_the_solver(void **state)
{
  (void)state;
  check_order("box_pendulum", box_pendulum, "impulse-sle:tolerance=1e-13", 0.02, 2);
  check_order("box_pendulum", box_pendulum, "impulse-composed:tolerance=1e-13", 0.04, 4);
  check_order("hinged chain", hinged_chain, "impulse-sle:tolerance=1e-13", 0.01, 2);
  check_order("hinged chain", hinged_chain, "generalised-alpha", 0.01, 2);
}

static void test_out_of_memory_is_an_error(void **state)
{
  (void)state;
  hn_model *bodies = hinged_chain(), *points = points_of(bodies); /* allocates what is cached once */
  hn_model_free(points);
  const long before = live_blocks;
  long calls = 0;
  for (bool failed = true; failed; calls++) {
    hn_error error = { "" };
    fail_allocation(calls + 1, true);
    points = hn_model_point_masses(bodies, &error);
    failed = has_failed;
    fail_allocation(0, false);
    if (failed == (points != NULL) || failed != !!strstr(error.text, "memory"))
      fail_msg("call %ld: %s \"%s\"", calls + 1, points ? "a model" : "no model", error.text);
    hn_model_free(points);
    if (live_blocks != before) fail_msg("call %ld: %ld blocks are left", calls + 1, live_blocks - before);
  }
  printf("  %ld allocations made to fail, each refused without a leak\n", calls - 1);
  assert_true(calls > 200);
  hn_model_free(bodies);
}

/* ---- Scenes -------------------------------------------------------------------------------------------- */

#define BOX(name, x)                                                                                  \
  "local " name " = sys:body { name = '" name "', shape = scene.box { 1, 0.2, 0.1 }, density = 500, " \
  "position = { " x ", 0, 0 } }\n"
#define PARTICLE "local p = sys:particle { name = 'p', mass = 1, position = { 1, 0, 0 } }\n"
#define POINTS "\nreturn scene.point_mass_model(sys)"

/* The scene keeps its handles, names and references. */
static void test_scene_returns_its_points(void **state)
{
  (void)state;
  /* clang-format off */
  write_scene(BOX("a", "0.5") BOX("b", "1.5")
              "sys:ball { sys.ground, a, at = { 0, 0, 0 }, name = 'top' }\n"
              "sys:hinge { a, b, at = { 1, 0, 0 }, axis = { 0, 0, 1 } }\n"
              "assert(scene.point_mass_model(sys) == sys and b.name == 'b')\n"
              "sys:distance { b, sys:particle { name = 'bob', mass = 1, position = { 1.5, 1, 0 } } }\n"
              "sys:reference(function(t) return { a = { position = { 0.5, 0, 0 } } } end)\nreturn sys");
  /* clang-format on */
  hn_scene *scene = load_written(NULL, 0);
  /* 2 centres, 8 corners, 2 points on the hinge, bob; rods: 2 * 9, 3 at the ball, 12 - 1 at the hinge, 1 */
  ASSERT_COUNT("points with the ground", scene->model->nbody, 14);
  ASSERT_COUNT("rods", scene->model->nrow, 33);
  hn_scene_free(scene);
}

static void test_models_without_points_are_refused(void **state)
{
  (void)state;
  expect_failing_body(
    BOX("a", "0.5") "sys:slider { sys.ground, a, at = { 0, 0, 0 }, axis = { 1, 0, 0 } }" POINTS, 4,
    "joint \"slider1\" is a slider; point masses are joined by ball, hinge and distance alone");
  expect_failing_body(BOX("a", "0.5") BOX("b", "2.5") "sys:distance { a, b, at_a = { 0.5, 0, 0 }, "
                                                      "at_b = { 2.5, 0, 0 }, name = 'a.1-a.2' }" POINTS,
                      5, "two rods would have the name \"a.1-a.2\"");
  expect_failing_body(
    BOX("a", "0.5") "sys:force { a, at = { 0, 0, 0 }, force = { 1, 0, 0 }, name = 'push' }" POINTS, 4,
    "force \"push\": point masses are moved by gravity and rods alone");
  expect_failing_body(
    "sys:body { name = 'plate', mass = 1, inertia = { 2, 1, 1 }, position = { 0, 0, 0 } }" POINTS, 3,
    "body \"plate\" is flat");
  expect_failing_body(PARTICLE "sys:ball { sys.ground, p, at = { 1, 0, 0 }, name = 'pin' }" POINTS, 4,
                      "joint \"pin\" makes particle \"p\" stand still");
  expect_failing_body(PARTICLE "local q = sys:particle { name = 'q', mass = 1, position = { 1, 0, 0 } }\n"
                               "sys:ball { p, q, at = { 1, 0, 0 }, name = 'pin' }" POINTS,
                      5, "joint \"pin\" makes particle \"p\" one with another");
  /* clang-format off */
  expect_failing_body(BOX("a", "0.5") "sys:ball { sys.ground, a, at = { 0, 0, 0 }, name = 'a' }\n"
                      BOX("c", "1.5") "sys:ball { a, c, at = { 1, 0, 0 }, name = 'c' }" POINTS, 6,
                      "two points would have the name \"c\"");
  /* clang-format on */
  expect_failing_body(BOX("a", "0.5") "return scene.point_mass_model(a)", 3,
                      "point_mass_model takes one system: scene.point_mass_model(sys)");
  static const char planar[] =
    "local scene = require 'holonom.scene' local sys = scene.system { planar = true }\n"
    "sys:body { mass = 1, inertia = 1, position = { 0, 0, 0 } }" POINTS;
  write_bytes(planar, sizeof planar - 1);
  expect_refusal(3, "a planar system has no point masses: rods act in space");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_masses_have_the_moments_of_the_body),
    cmocka_unit_test(test_points_are_tied_to_the_largest_span),
    cmocka_unit_test(test_points_weigh_as_much_as_their_bodies),
    cmocka_unit_test(test_flat_bodies_are_refused),
    cmocka_unit_test(test_rods_are_independent_and_freedoms_the_same),
    cmocka_unit_test(test_energy_and_momentum_are_the_same),
    cmocka_unit_test(test_both_have_the_same_motion),
    cmocka_unit_test(test_distance_has_the_order_of_the_solver),
    cmocka_unit_test(test_out_of_memory_is_an_error),
    cmocka_unit_test(test_scene_returns_its_points),
    cmocka_unit_test(test_models_without_points_are_refused),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
