/* test_own_joints.c - joints written in Lua: compared with equal built-in types; the joint contract, which
 * detects wrong derivatives; and invalid joints. */
#include "check.h"
#include "written.h"
#include "base/vec.h"

#include <math.h>

/* Loads two bodies in general position, b with rotated principal axes, with `joints`, of which the first two
 * must be equal. */
static hn_scene *load_pair(const char *joints)
{
  char body[3600];
  snprintf(
    body, sizeof body,
    "sys = scene.system { loose = true }\n"
    "local a = sys:body { name = 'a', position = { 0.3, -0.2, 0.5 }, axis_angle = { 1, 2, -1, 0.7 }, mass = "
    "1,\n"
    "  inertia = { 0.3, 0.4, 0.5 } }\n"
    "local b = sys:body { name = 'b', position = { -0.6, 0.4, 0.1 }, axis_angle = { 0, 1, 1, -0.4 }, "
    "density = 5,\n"
    "  shapes = { { shape = scene.box { 1, 2, 3 }, position = { 0.5, 0.1, 0 } } } }\n"
    "local function dot(u, v) return u[1] * v[1] + u[2] * v[2] + u[3] * v[3] end\n"
    "local function sub(u, v) return { u[1] - v[1], u[2] - v[2], u[3] - v[3] } end\n%s\nreturn sys",
    joints);
  char text[4096];
  snprintf(text, sizeof text, "local scene, sys = require 'holonom.scene'\n%s\n", body);
  write_bytes(text, strlen(text));
  return load_written(NULL, 0);
}

enum { ROWS = HN_MAX_ROWS, POWERS = 6 };
typedef struct rows {
  double g[ROWS], G_a[6 * ROWS], G_b[6 * ROWS], bias[ROWS], gamma[ROWS];
} rows;

static double next_number(void)
{
  static uint32_t seed = 12345;
  seed = seed * 1664525u + 1013904223u;
  return (double)(int32_t)seed / 2147483648.0;
}

static void draw_numbers(double *a, int n)
{
  for (int i = 0; i < n; i++) a[i] = next_number();
}

static void draw_motion(const hn_body *body, hn_pose *pose, hn_twist *u)
{
  double turn[4] = { 1.0 };
  draw_numbers(turn + 1, 3), draw_numbers(u->v, 3), draw_numbers(u->w, 3), draw_numbers(pose->x, 3);
  for (int i = 0; i < 3; i++) pose->x[i] = body->pose0.x[i] + 0.2 * pose->x[i], turn[1 + i] *= 0.2;
  quat_mul(pose->q, turn, body->pose0.q);
  quat_normalise(pose->q);
}

/* Draws a random power series of a pose. The coefficients of R are the quadratic form of q; |q| = 1 is not
 * required. */
static void draw_series(const hn_pose *pose, hn_body_power *power)
{
  double q[POWERS][4];
  memset(power, 0, POWERS * sizeof *power);
  for (int k = 0; k < POWERS; k++) {
    draw_numbers(power[k].x, 3), draw_numbers(q[k], 4);
    if (k == 0) vec_copy(power[k].x, pose->x), memcpy(q[k], pose->q, sizeof q[k]);
    memcpy(power[k].q, q[k], sizeof q[k]);
  }
  for (int k = 0; k < POWERS; k++)
    for (int i = 0; i <= k; i++) {
      double plus[4], minus[4], of_plus[9], of_minus[9];
      for (int c = 0; c < 4; c++) plus[c] = q[i][c] + q[k - i][c], minus[c] = q[i][c] - q[k - i][c];
      quat_matrix(of_plus, plus), quat_matrix(of_minus, minus);
      for (int e = 0; e < 9; e++)
        power[k].R[e] += 0.25 * (of_plus[e] - of_minus[e]) + (k == 0 && e % 4 == 0 ? 1.0 : 0.0);
    }
}

static rows eval(const hn_joint *joint, const hn_pose pose[2], const hn_twist u[2])
{
  rows r = { .g = { 0 } };
  joint->type->eval(joint, 0.3, &pose[0], &u[0], &pose[1], &u[1],
                    &(hn_rows){ r.g, r.G_a, r.G_b, r.bias, r.gamma });
  return r;
}

static double largest_difference(const double *x, const double *y, int n, double worst)
{
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(x[i] - y[i]) / (1.0 + fabs(y[i])));
  return worst;
}

/* Returns the largest difference between the power series of two joints, coefficient by coefficient. */
static double difference_of_series(const hn_joint *one, const hn_joint *two, const hn_pose pose[2])
{
  hn_body_power of_a[POWERS], of_b[POWERS];
  draw_series(&pose[0], of_a), draw_series(&pose[1], of_b);
  const hn_body_jet a = { POWERS, of_a }, b = { POWERS, of_b };
  const hn_joint *joint[2] = { one, two };
  double *work[2], worst = 0.0;
  for (int i = 0; i < 2; i++)
    work[i] = calloc((size_t)joint[i]->type->jet_series * POWERS + 1, sizeof(double));
  for (size_t k = 0; k < POWERS; k++) {
    double g[2][ROWS], G[2][12 * ROWS];
    const int n = one->type->rows;
    if (k < 2)
      for (int i = 0; i < 2; i++)
        joint[i]->type->jet(joint[i], 0.3, &a, &b, k, work[i], g[i], G[i], G[i] + 6 * n);
    /* as solver taylor does: g first, then the part of the multipliers in coefficient k, then the Jacobian */
    else {
      double added[12];
      for (int i = 0; i < 2; i++) joint[i]->type->jet(joint[i], 0.3, &a, &b, k, work[i], g[i], NULL, NULL);
      draw_numbers(added, 12);
      for (int c = 0; c < 3; c++) of_a[k].x[c] += added[c];
      for (int c = 0; c < 9; c++) of_b[k].R[c] += added[3 + c];
      for (int i = 0; i < 2; i++)
        joint[i]->type->jet(joint[i], 0.3, &a, &b, k, work[i], NULL, G[i], G[i] + 6 * n);
    }
    worst = largest_difference(g[0], g[1], n, worst);
    worst = largest_difference(G[0], G[1], 12 * n, worst);
  }
  free(work[0]), free(work[1]);
  return worst;
}

static const struct {
  const char *built_in, *own;
} pairs[] = {
  { "sys:ball { a, b, at = { 0.1, 0.2, 0.3 } }",
    "sys:joint { a, b, at = { 0.1, 0.2, 0.3 }, residual = function(a, b) return sub(b.at, a.at) end }" },
  { "sys:distance { a, b, at_a = { 0.1, 0.2, 0.3 }, at_b = { 1, 0.5, 0.6 }, length = 0.7 }",
    "sys:joint { a, b, at_a = { 0.1, 0.2, 0.3 }, at_b = { 1, 0.5, 0.6 }, residual = function(a, b)\n"
    "  local d = sub(b.at, a.at) return math.sqrt(dot(d, d)) - 0.7 end }" },
  { "sys:point_on_plane { a, b, at = { 0.1, 0.2, 0.3 }, axis = { 1, 2, -2 } }",
    "sys:joint { a, b, at = { 0.1, 0.2, 0.3 }, axis = { 1, 2, -2 }, residual = function(a, b)\n"
    "  return dot(a.axis, sub(b.at, a.at)) end }" },
  { "sys:drive_position { a, b, at = { 0, 0, 0 }, axis = { 0, 1, 0 }, motion = { polynomial = { 0.1, 2 }, "
    "amplitude = "
    "0.3,\n"
    "  frequency = 5, phase = 0.2 } }",
    "sys:joint { a, b, at = { 0, 0, 0 }, axis = { 0, 1, 0 }, residual = function(a, b, t)\n"
    "  return dot(a.axis, sub(b.at, a.at)) - 0.1 - 2 * t - 0.3 * math.sin(5 * t + 0.2) end }" },
  { "sys:constant_angle { a, b, axis_a = { 1, 0, 0 }, axis_b = { 1, 2, 0 } }",
    /* x and (1, 2, 0) in body axes at the start */
    "local half, fifth = math.sin(math.atan(2)), 1 / math.sqrt(5)\n"
    "local function back(x, y, z, angle, v) return scene.rotate(scene.turn(x, y, z, -angle), v) end\n"
    "local e, f = back(1, 2, -1, 0.7, { 1, 0, 0 }), back(0, 1, 1, -0.4, { fifth, 2 * fifth, 0 })\n"
    "sys:joint { a, b, unit = 'rad', residual = function(a, b)\n"
    "  return (fifth - dot(a:direction(e), b:direction(f))) / half end }" },
  { "sys:knife_edge { a, b, at = { 0.1, 0.2, 0.3 }, axis = { 0, 0.6, 0.8 } }",
    "sys:joint { a, b, at = { 0.1, 0.2, 0.3 }, axis = { 0, 0.6, 0.8 }, rate = function(a, b)\n"
    "  local d = sub(b.at, a.position)\n" /* of point b relative to a, in a's frame */
    "  local w = a.angular_velocity\n"
    "  local c = { w[2] * d[3] - w[3] * d[2], w[3] * d[1] - w[1] * d[3], w[1] * d[2] - w[2] * d[1] }\n"
    "  return dot(b.axis, sub(sub(b.at_velocity, a.velocity), c)) end }" },
};

static void own_joints_agree_with_built_in_ones(void **state)
{
  (void)state;
  for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
    char joints[2000];
    snprintf(joints, sizeof joints, "%s\n%s", pairs[p].built_in, pairs[p].own);
    hn_scene *scene = load_pair(joints);
    const hn_joint *built_in = &scene->model->joint[0], *own = &scene->model->joint[1];
    double worst[5] = { 0 };
    for (int trial = 0; trial < 20; trial++) {
      hn_pose pose[2];
      hn_twist u[2];
      for (int i = 0; i < 2; i++) draw_motion(&scene->model->body[1 + i], &pose[i], &u[i]);
      const rows x = eval(own, pose, u), y = eval(built_in, pose, u);
      const int n = own->type->rows;
      assert_int_equal(n, built_in->type->rows);
      worst[0] = largest_difference(x.g, y.g, n, worst[0]);
      worst[1] = largest_difference(x.G_b, y.G_b, 6 * n, largest_difference(x.G_a, y.G_a, 6 * n, worst[1]));
      worst[2] = largest_difference(x.bias, y.bias, n, worst[2]);
      worst[3] = largest_difference(x.gamma, y.gamma, n, worst[3]);
      worst[4] = fmax(worst[4], difference_of_series(own, built_in, pose));
    }
    printf(" %s\n", built_in->type->name);
    static const char *const what[] = { "residuals", "Jacobians", "bias", "acceleration terms",
                                        "power series" };
    for (int i = 0; i < 5; i++) check_below(what[i], worst[i], i == 4 ? 1e-11 : 1e-13);
    hn_scene_free(scene);
  }
}

/* ---- The contract -------------------------------------------------------------------------------------- */

static const hn_joint *correct; /* the correct joint behind the faulty one */
static int fault;

static void faulty_eval(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua,
                        const hn_pose *b, const hn_twist *ub, const hn_rows *out)
{
  (void)joint;
  correct->type->eval(correct, t, a, ua, b, ub, out);
  if (fault == 1 && out->G_b) out->G_b[0] += 1e-4;
  if (fault == 2 && out->G_a) out->G_a[3] += 1e-4;
  if (fault == 3 && out->gamma) out->gamma[0] *= 1.0001;
  if (fault == 4 && out->bias) out->bias[0] += 1e-4;
}

static void faulty_jet(const hn_joint *joint, double t, const hn_body_jet *a, const hn_body_jet *b, size_t k,
                       double *work, double *g, double *G_a, double *G_b)
{
  (void)joint;
  correct->type->jet(correct, t, a, b, k, work, g, G_a, G_b);
  const size_t first = correct->type->velocity ? 0 : 1; /* the coefficient that is a rate */
  if (fault == 5 && g && k == first + 1) g[0] += 1e-4;
  if (fault == 6 && g && k == first) g[0] += 1e-4;
  if (fault == 7 && G_a && k == 1) G_a[0] += 1e-4;
}

static void contract_detects_wrong_derivatives(void **state)
{
  (void)state;
  for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
    hn_error error;
    hn_contract c;
    hn_scene *scene = load_pair(pairs[p].own);
    hn_joint *joint = &scene->model->joint[0];
    const hn_joint original = *joint;
    hn_joint_type faulty = *joint->type;
    printf(" %.60s\n", pairs[p].built_in);
    assert_int_equal(hn_joint_contract(scene->model, 0, &c, &error), 0);
    check_below("value", c.value, HN_CONTRACT_EXACT), check_below("rate", c.rate, HN_CONTRACT_EXACT);
    check_below("acceleration", c.acceleration, HN_CONTRACT_EXACT),
      check_below("Jacobian", c.jacobian, HN_CONTRACT_EXACT);
    check_below("differences", c.difference, HN_CONTRACT_DIFFERENCE),
      check_below("slopes", c.slope, HN_CONTRACT_DIFFERENCE);
    assert_true(c.kept && c.has_jet);
    correct = &original;
    faulty.eval = faulty_eval, faulty.jet = faulty_jet;
    joint->type = &faulty;
    for (fault = 0; fault <= 7; fault++) {
      assert_int_equal(hn_joint_contract(scene->model, 0, &c, &error), 0);
      printf("  fault %d: %.1e %.1e %.1e %.1e %.1e %.1e %s\n", fault, c.value, c.rate, c.acceleration,
             c.jacobian, c.difference, c.slope, c.kept ? "kept" : "broken");
      assert_true(c.kept == (fault == 0));
    }
    joint->type = original.type;
    hn_scene_free(scene);
  }
}

/* ---- Invalid joints ------------------------------------------------------------------------------------ */

/* Checks the error for a joint, described by `what`, between the ground and a body at (1, 0, 0). */
static void bad_joint(const char *what, int line, const char *fragment)
{
  char body[1500];
  snprintf(body, sizeof body,
           "local p = sys:body { position = { 1, 0, 0 }, mass = 1, inertia = { 1, 1, 1 } }\n"
           "sys:joint { sys.ground, p, name = 'j', %s }\nreturn sys",
           what);
  expect_failing_body(body, line, fragment);
}

static void bad_joints_are_refused(void **state)
{
  (void)state;
  bad_joint("at = { 0, 0, 0 }", 3, "it needs residual = function(a, b, t)");
  bad_joint("residual = 3", 3, "residual must be a function, not a number");
  bad_joint("residual = function(a, b) end", 3, "residual returns nothing");
  bad_joint("residual = function(a, b) return 'x' end", 3, "residual returns a string");
  bad_joint("residual = function(a, b) return 0, 0, 0, 0, 0, 0, 0 end", 3,
            "returns 7 values: it must return at most 6");
  bad_joint("residual = function(a, b)\n return b.posit[1] end", 4, "posit");
  bad_joint("residual = function(a, b)\n return b:point(3) end", 4, "a:point { x, y, z }");
  bad_joint("residual = function(a, b) return b.position[1] end", 3, "is violated by 1 m at the start");
  bad_joint("residual = function(a, b) return math.log(b.position[1] - 2) end", 3,
            "is violated by nan m at the start");
  bad_joint("unit = 'km', residual = function(a, b) return b.position[2] end", 3,
            "unit must be \"m\" or \"rad\"");
  bad_joint("unit = 'm', residual = function(a, b) return b.position[2] * math.random() end", 3,
            "cannot use random numbers");
  bad_joint("residual = function(a, b) local s = 0 while true do s = s + 1 end end", 3,
            "does a loop never end?");
  bad_joint("axis = { 0, 0, 0 }, residual = function(a, b) return b.position[2] end", 3,
            "its axis must be a direction");
  bad_joint("residual = function(a, b) if b.position[1] > 1 then return 1, 2 end return 0 end", 3,
            "return different numbers of values");
  bad_joint("at = { 0, 0, 0 }, at_b = { 0, 0, 0 }, residual = function(a, b) return 0 end", 3, "not both");
  bad_joint("stiffness = 3, residual = function(a, b) return 0 end", 3, "unknown key \"stiffness\"");
}

static void bad_rates_are_refused(void **state)
{
  (void)state;
  bad_joint(
    "residual = function(a, b) return b.position[2] end, rate = function(a, b) return 1.001 * b.velocity[2] "
    "end",
    3, "its rate does not fit its residual: row 1");
  bad_joint(
    "residual = function(a, b) return b.position[2] end, rate = function(a, b) return b.velocity[2], 0 end",
    3, "its residual has 1 rows and its rate 2");
  bad_joint("rate = function(a, b) return b.velocity[2]^2 end", 3,
            "its rate must be linear in the velocities");
  bad_joint("rate = function(a, b) return b.velocity[2] - b.position[1] end", 3,
            "must be a function of time alone");
  bad_joint("residual = function(a, b) return b.velocity[2] end", 3, "nil value");
  char body[600];
  snprintf(body, sizeof body,
           "local p = sys:particle { position = { 1, 0, 0 }, mass = 1 }\n"
           "sys:joint { sys.ground, p, residual = function(a, b) return b:direction { 1, 0, 0 }[2] end }\n"
           "return sys");
  expect_failing_body(body, 3, "which is a particle and has none");
}

/* Arguments stored from a call are invalid later. */
static void stored_arguments_are_refused(void **state)
{
  (void)state;
  bad_joint("residual = function(a, b) kept = b return 0 * b.position[2] end }\n"
            "sys:joint { sys.ground, p, residual = function(a, b) return kept:point { 0, 1, 0 }[2] - 1 end",
            4, "is over");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(own_joints_agree_with_built_in_ones),
    cmocka_unit_test(contract_detects_wrong_derivatives),
    cmocka_unit_test(bad_joints_are_refused),
    cmocka_unit_test(bad_rates_are_refused),
    cmocka_unit_test(stored_arguments_are_refused),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
