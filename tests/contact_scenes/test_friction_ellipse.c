/* test_friction_ellipse.c - the ellipse of friction of a contact: axes that lean, axes of both bodies, pairs
 * of materials; and solvers and scenes that are refused.
 *
 * The matrix mu_1 t_1 t_1' + mu_2 t_2 t_2' of a contact is compared with the geometric mean of those of the
 * two surfaces, computed from its definition by square roots of matrices. */
#include "trials.h"
#include "solver.h"
#include "base/random.h"
#include "base/vec.h"

/* A symmetric 2 x 2 matrix: 11, 12, 22. */
typedef struct sym {
  double a, b, c;
} sym;

/* A surface of friction: coefficients, axis in the axes of its body, 0: none; orientation of the body. */
typedef struct surface {
  double along, across, axis[3], q[4];
} surface;

/* ---- Matrices ------------------------------------------------------------------------------------------ */

/* Returns M to the power of EXPONENT, by its principal values. */
static sym power(sym M, double exponent)
{
  const double turn = 0.5 * atan2(2.0 * M.b, M.a - M.c), c = cos(turn), s = sin(turn);
  const double first = c * c * M.a + 2.0 * c * s * M.b + s * s * M.c,
               second = s * s * M.a - 2.0 * c * s * M.b + c * c * M.c;
  const double p = pow(first, exponent), q = pow(second, exponent);
  return (sym){ c * c * p + s * s * q, c * s * (p - q), s * s * p + c * c * q };
}

/* Returns A B A. */
static sym congruent(sym A, sym B)
{
  const double p = A.a * B.a + A.b * B.b, q = A.a * B.b + A.b * B.c, r = A.b * B.a + A.c * B.b,
               s = A.b * B.b + A.c * B.c;
  return (sym){ p * A.a + q * A.b, p * A.b + q * A.c, r * A.b + s * A.c };
}

/* Returns the geometric mean of A and B by its definition. */
static sym geometric_mean(sym A, sym B)
{
  return congruent(power(A, 0.5), power(congruent(power(A, -0.5), B), 0.5));
}

/* Returns the matrix of a surface along the tangents X and Y. */
static sym matrix_of(const surface *s, const double x[3], const double y[3])
{
  double e[3];
  quat_rotate(e, s->q, s->axis);
  const double size = vec_norm(e), rest = s->along - s->across;
  if (size == 0.0) return (sym){ s->along, 0.0, s->along };
  const double p = vec_dot(e, x) / size, q = vec_dot(e, y) / size;
  return (sym){ s->across + rest * p * p, rest * p * q, s->across + rest * q * q };
}

/* ---- Contacts ------------------------------------------------------------------------------------------ */

static void write_body(char *text, size_t size, const char *name, const surface *s, const char *rest)
{
  char axis[200] = "";
  if (vec_norm(s->axis) > 0.0)
    snprintf(axis, sizeof axis, "friction_axis = { %.17g, %.17g, %.17g }, friction_across = %.17g,",
             s->axis[0], s->axis[1], s->axis[2], s->across);
  const int length = snprintf(text, size,
                              "sys:body { name = '%s', material = '%s', friction = %.17g, %s\n"
                              "  orientation = { %.17g, %.17g, %.17g, %.17g }, %s }\n",
                              name, name, s->along, axis, s->q[0], s->q[1], s->q[2], s->q[3], rest);
  assert_true(length > 0 && (size_t)length < size);
}

/* Writes a ball above a floor, whose normal is the axis z of the floor. */
static void write_contact(const surface *floor, const surface *ball, bool ball_first, const char *more)
{
  const double up[3] = { 0, 0, 1 };
  double n[3];
  char a[800], b[800], rest[300], text[3000];
  quat_rotate(n, floor->q, up);
  write_body(a, sizeof a, "floor", floor,
             "fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 0, 1 } }");
  snprintf(rest, sizeof rest,
           "mass = 2, position = { %.17g, %.17g, %.17g }, shape = scene.sphere { radius = 0.25 }",
           0.25 * n[0], 0.25 * n[1], 0.25 * n[2]);
  write_body(b, sizeof b, "ball", ball, rest);
  const int length = snprintf(text, sizeof text,
                              "local scene = require 'holonom.scene'\n"
                              "local sys = scene.system { gravity = { 0, 0, 0 } }\n"
                              "%s%s%s\nsys:contact { margin = 0.02 }\nreturn sys",
                              ball_first ? b : a, ball_first ? a : b, more);
  assert_true(length > 0 && (size_t)length < sizeof text);
  write_bytes(text, (size_t)length);
}

/* Runs a step, checks the frame of the only contact, and compares its matrix with EXPECTED along the tangents
 * X and Y. */
static void check_ellipse(sym expected, const double x[3], const double y[3])
{
  trial r = run_spec("moreau", 0.01, 0.01, NULL, NULL);
  assert_int_equal(r.reason, HN_CONVERGED);
  assert_int_equal(r.state->ncontact, 1);
  const hn_contact *c = r.state->contact;
  double axis[9], cross[3];
  for (int k = 0; k < 3; k++) quat_rotate(axis + 3 * k, r.state->pose[c->a].q, c->frame + 3 * k);
  vec_cross(cross, axis + 3, axis + 6), vec_sub(cross, cross, axis);
  check_below("the frame is right-handed and orthonormal", vec_norm(cross), 1e-14);
  assert_true(c->anisotropy >= 0.0 && c->anisotropy < 1.0);
  const double mu[2] = { c->friction, c->friction * (1.0 - c->anisotropy) };
  sym found = { 0, 0, 0 };
  for (int k = 0; k < 2; k++) {
    const double p = vec_dot(axis + 3 + 3 * k, x), q = vec_dot(axis + 3 + 3 * k, y);
    found.a += mu[k] * p * p, found.b += mu[k] * p * q, found.c += mu[k] * q * q;
  }
  printf("  half axes %.6f and %.6f\n", mu[0], mu[1]);
  check_below(
    "difference of the matrices",
    larger(fabs(found.a - expected.a), larger(fabs(found.b - expected.b), fabs(found.c - expected.c))),
    1e-13);
  done(&r);
}

/* Tangents of the floor. */
static void tangents(const surface *floor, double x[3], double y[3])
{
  quat_rotate(x, floor->q, (double[]){ 1, 0, 0 }), quat_rotate(y, floor->q, (double[]){ 0, 1, 0 });
}

static surface random_surface(uint32_t *seed, bool has_axis)
{
  surface s = { .along = random_between(seed, 0.1, 1.1), .across = random_between(seed, 0.1, 1.1) };
  for (int i = 0; i < 3; i++) s.axis[i] = has_axis ? random_signed(seed) : 0.0;
  for (int i = 0; i < 4; i++) s.q[i] = random_signed(seed);
  quat_normalise(s.q);
  return s;
}

/* Axes in any direction on one body or both, which may be listed in either order. */
static void surfaces_combine(void **state)
{
  (void)state;
  uint32_t seed = RANDOM_SEED;
  for (int i = 0; i < 12; i++) {
    const surface floor = random_surface(&seed, i % 3 != 0), ball = random_surface(&seed, i % 3 != 1);
    double x[3], y[3];
    tangents(&floor, x, y);
    write_contact(&floor, &ball, i % 2 == 1, "");
    check_ellipse(geometric_mean(matrix_of(&floor, x, y), matrix_of(&ball, x, y)), x, y);
  }
}

/* Coefficients of a pair of materials belong to the axis of the one body that has one, or to both axes. */
static void materials_use_the_axes_of_bodies(void **state)
{
  (void)state;
  uint32_t seed = RANDOM_SEED;
  for (int i = 0; i < 6; i++) {
    surface floor = random_surface(&seed, i % 3 != 0), ball = random_surface(&seed, i % 3 != 1);
    double x[3], y[3];
    tangents(&floor, x, y);
    write_contact(&floor, &ball, i > 2,
                  "sys:material_pair { 'ball', 'floor', friction = 0.3, friction_across = 0.7 }");
    floor.along = ball.along = 0.3, floor.across = ball.across = 0.7;
    const sym A = matrix_of(i % 3 != 0 ? &floor : &ball, x, y),
              B = matrix_of(i % 3 != 1 ? &ball : &floor, x, y);
    check_ellipse(geometric_mean(A, B), x, y);
    write_contact(&floor, &ball, i > 2, "sys:material_pair { 'ball', 'floor', friction = 0.6 }");
    check_ellipse((sym){ 0.6, 0, 0.6 }, x, y);
  }
}

/* An axis normal to the contact has friction across it in all directions; one that leans a little, nearly. */
static void an_axis_may_be_normal(void **state)
{
  (void)state;
  for (int i = 0; i < 4; i++) {
    const double lean = i == 0 ? 0.0 : pow(1e-3, 4 - i);
    const surface floor = { 0.5, 0.2, { lean, lean, 1 }, { 1, 0, 0, 0 } },
                  ball = { 0.5, 0.5, { 0 }, { 1, 0, 0, 0 } };
    const double x[3] = { 1, 0, 0 }, y[3] = { 0, 1, 0 }, mu = sqrt(0.2 * 0.5);
    write_contact(&floor, &ball, false, "");
    check_ellipse(
      i == 0 ? (sym){ mu, 0, mu } : geometric_mean(matrix_of(&floor, x, y), matrix_of(&ball, x, y)), x, y);
  }
}

/* An axis along a tangent, exactly, with the larger or the smaller coefficient along it. */
static void an_axis_may_be_a_tangent(void **state)
{
  (void)state;
  const double x[3] = { 1, 0, 0 }, y[3] = { 0, 1, 0 };
  const surface ball = { 0.5, 0.5, { 0 }, { 1, 0, 0, 0 } };
  for (int i = 0; i < 4; i++) {
    const surface floor = {
      i < 2 ? 0.5 : 0.2, i < 2 ? 0.2 : 0.5, { i % 2 == 0, i % 2 == 1, 0 }, { 1, 0, 0, 0 }
    };
    write_contact(&floor, &ball, false, "sys:material_pair { 'floor', 'ball', friction = 0.4 }");
    check_ellipse((sym){ 0.4, 0, 0.4 }, x, y);
    write_contact(&floor, &ball, false, "");
    check_ellipse(geometric_mean(matrix_of(&floor, x, y), matrix_of(&ball, x, y)), x, y);
  }
}

/* ---- Refusals ------------------------------------------------------------------------------------------ */

static void check_solver(const hn_scene *scene, const char *spec, bool runs)
{
  hn_error error = { "" };
  hn_solver *solver = hn_solver_create(spec, scene->model, &error);
  printf("  %s%s\n", solver ? spec : error.text, solver ? " runs" : "");
  assert_true((solver != NULL) == runs);
  if (!runs) assert_non_null(strstr(error.text, "friction that depends on the direction"));
  hn_solver_free(solver);
}

static void solvers_run_or_refuse(void **state)
{
  (void)state;
  static const char *const able[] = { "moreau", "xpbd", "tgs-soft", "impulse-gs" };
  const surface floor = { 0.5, 0.2, { 1, 0, 0 }, { 1, 0, 0, 0 } }, ball = { 0.5, 0.5, { 0 }, { 1, 0, 0, 0 } };
  size_t count;
  const hn_solver_type *const *types = hn_solver_types(&count);
  write_contact(&floor, &ball, false, "");
  hn_scene *scene = load_written(NULL, 0);
  for (size_t i = 0; i < count; i++) {
    bool runs = false;
    for (size_t k = 0; k < sizeof able / sizeof *able; k++) runs |= strcmp(types[i]->name, able[k]) == 0;
    check_solver(scene, types[i]->name, runs);
  }
  hn_scene_free(scene);
}

#define BODY(keys) \
  "sys:body { position = { 0, 0, 0 }, mass = 1, " keys " shape = scene.sphere { radius = 1 } }"

static void scenes_are_refused(void **state)
{
  (void)state;
  expect_failing_body(BODY("friction = 1, friction_across = 0.5,"), 2, "key \"friction_axis\" is missing");
  expect_failing_body(BODY("friction = 1, friction_across = 0.5, friction_axis = { 0, 0, 0 },"), 2,
                      "friction_axis must not be 0");
  expect_failing_body(BODY("friction = 1, friction_across = 0, friction_axis = { 1, 0, 0 },"), 2,
                      "friction_across must be positive");
  expect_failing_body(BODY("friction = 1, friction_across = -1, friction_axis = { 1, 0, 0 },"), 2,
                      "friction_across must be positive");
  expect_failing_body(BODY("friction_across = 1, friction_axis = { 1, 0, 0 },"), 2,
                      "friction_across needs a friction along the axis");
  expect_failing_body(BODY("friction = 1, friction_across = 0.0009, friction_axis = { 1, 0, 0 },"), 2,
                      "must not differ by more than a factor of 1000");
  expect_failing_body("sys:material_pair { 'a', 'b', friction_across = 0.5 }", 2,
                      "friction_across needs a friction along the axis");
  expect_failing_body("sys:material_pair { 'a', 'b', friction = 0.5, friction_across = 0 }", 2,
                      "friction_across must be positive");
  const surface none = { 0.5, 0.5, { 0 }, { 1, 0, 0, 0 } }, floor = { 0.5, 0.2, { 1, 0, 0 }, { 1, 0, 0, 0 } };
  write_contact(&none, &none, false,
                "sys:material_pair { 'ball', 'floor', friction = 1, friction_across = 0.5 }");
  expect_refusal(0, "neither body \"ball\" nor \"floor\" has a friction_axis");
  write_contact(&floor, &none, false,
                "sys:material_pair { 'ball', 'floor', law = 'hertz', stiffness = 1e7 }");
  expect_refusal(0, "friction of compliant contacts is the same in all directions");
  static const char planar[] =
    "local scene = require 'holonom.scene' local sys = scene.system { planar = true }\n"
    "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = 0.1,\n"
    "  friction_across = 0.2, friction_axis = { 1, 0, 0 }, shape = scene.plane { normal = { 0, 1, 0 } } }\n"
    "sys:body { mass = 1, position = { 0, 1, 0 }, friction = 0.1, shape = scene.circle { radius = 1 } }\n"
    "sys:contact {} return sys";
  write_bytes(planar, sizeof planar - 1);
  expect_refusal(0, "friction_across is for systems in space");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(surfaces_combine),      cmocka_unit_test(materials_use_the_axes_of_bodies),
    cmocka_unit_test(an_axis_may_be_normal), cmocka_unit_test(an_axis_may_be_a_tangent),
    cmocka_unit_test(solvers_run_or_refuse), cmocka_unit_test(scenes_are_refused),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
