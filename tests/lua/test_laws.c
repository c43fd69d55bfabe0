/* test_laws.c - laws of forces written in Lua: every operation compared with its value in Lua and its power
 * series; branches, energies, bitwise equality with built-in forces, and invalid laws. */
#include "allocations.h"
#include "models.h"
#include "written.h"

#include <math.h>

/* Loads a spring, with further keys `what`, on a particle at x = 0.4 m with 0.5 m/s along x. */
static hn_scene *load_spring(const char *what)
{
  char body[1000];
  snprintf(
    body, sizeof body,
    "local p = sys:particle { position = { 0.4, 0, 0 }, velocity = { 0.5, 0, 0 }, mass = 1 }\n"
    "sys:axial_spring { sys.ground, p, at_a = { 0, 0, 0 }, at_b = { 0.4, 0, 0 }, axis = { 1, 0, 0 },\n %s }\n"
    "return sys",
    what);
  write_scene(body);
  return load_written(NULL, 0);
}

/* Loads a scene of two bodies a and b in general position and motion, with `force` between them. */
static hn_scene *load_force(const char *force)
{
  char body[3600];
  snprintf(
    body, sizeof body,
    "local a = sys:body { name = 'a', position = { 0.3, -0.2, 0.5 }, axis_angle = { 1, 2, -1, 0.7 }, mass = "
    "1,\n"
    "  inertia = { 0.3, 0.4, 0.5 }, velocity = { 0.2, 0.4, -0.3 }, angular_velocity = { 0.4, -0.2, 0.3 } }\n"
    "local b = sys:body { name = 'b', position = { -0.6, 0.4, 0.1 }, axis_angle = { 0, 1, 1, -0.4 }, mass = "
    "2,\n"
    "  inertia = { 0.5, 0.4, 0.7 }, velocity = { -0.1, 0.3, 0.2 }, angular_velocity = { 0.1, 0.5, -0.2 } }\n"
    "%s\nreturn sys",
    force);
  write_scene(body);
  return load_written(NULL, 0);
}

/* ---- Operations ---------------------------------------------------------------------------------------- */

/* Laws at x = 0.4 + s / 2 - s^2 / 5 and v, its rate; smooth there. Together they use every operation. */
static const struct {
  const char *lua;
  double value;
} laws[] = {
  { "return x + v - 2 * x * v", 0.4 + 0.5 - 2 * 0.4 * 0.5 },
  { "return (1 - x) / (2 + v)", 0.6 / 2.5 },
  { "return -x", -0.4 },
  { "return 3", 3 },
  { "return math.sqrt(x)", 0.63245553203367588 },
  { "return math.sin(x) * math.cos(v)", 0.34174674649032766 },
  { "return math.tan(x)", 0.4227932187381618 },
  { "return math.asin(x) + math.acos(v)", 0.41151684606748806 + 1.0471975511965979 },
  { "return math.atan(x) + math.atan(v, x - 2)", 0.3805063771123649 + 2.838707785214822 },
  { "return math.exp(-x * v)", 0.81873075307798182 },
  /* factors: exchanged logarithms have another sum */
  { "return math.log(x) + 2 * math.log(x, 2) - 3 * math.log(x, 10) + 5 * math.log(v, 3)",
    -0.916290731874155 - 2 * 1.3219280948873623 + 3 * 0.3979400086720376 - 5 * 0.6309297535714574 },
  { "return x ^ 3 + x ^ -2 + x ^ 0 + x ^ 1.5", 0.064 + 6.25 + 1 + 0.2529822128134704 },
  { "return x ^ v + 2 ^ x", 0.63245553203367588 + 1.3195079107728942 },
  { "return math.abs(x - 1) + math.abs(v)", 1.1 },
  { "return math.min(x, v) - math.max(x, v, 0.3)", -0.1 },
  { "return math.floor(7 * x) + math.ceil(7 * x) + 7 * x // 2", 2 + 3 + 1 },
  { "return (5 * x) % 0.7 + (-5 * x) % 0.7 + math.fmod(-5 * x, 0.7)", 0.6 + 0.1 - 0.6 },
  { "return (-5 * x) % (v + 0.2) + math.fmod(-5 * x, v + 0.2)", 0.1 - 0.6 },
  { "if x < v then return x * x else return v * v end", 0.16 },
  { "if x > v then return x * x elseif x >= 0.3 then return x * v end return 0", 0.2 },
  { "return math.sin(t) * x", 0.4 * 0.38941834230865052 },
};
enum { LAWS = sizeof laws / sizeof *laws, POWERS = 14 };

static void motion(double s, double g[1], double rate[1])
{
  g[0] = 0.4 + s / 2 - s * s / 5, rate[0] = 0.5 - 2 * s / 5;
}

/* The power series summed at 0.02 s equals the law there. This bounds errors of coefficient k by 1e-12 /
 * 0.02^k; radii of convergence are 0.3 and more. */
static void series_agree_with_laws(void **state)
{
  (void)state;
  const double t = 0.4, input = 0.0;
  for (int i = 0; i < LAWS; i++) {
    char force[400];
    double g[POWERS] = { 0.4, 0.5, -0.2 }, rate[POWERS] = { 0.5, -0.4 }, Q[POWERS], largest = 0.0, now, sum;
    snprintf(force, sizeof force, "law = function(t, x, v) %s end", laws[i].lua);
    hn_scene *scene = load_spring(force);
    const hn_force *f = &scene->model->force[0];
    double *work = calloc((size_t)f->type->jet_series * POWERS + 1, sizeof *work);
    for (size_t k = 0; k < POWERS; k++) f->type->jet(f, t, &input, g, rate, POWERS, k, work, Q);
    for (double s = -0.02; s < 0.021; s += 0.01) {
      double x[1], v[1];
      motion(s, x, v);
      f->type->law(f, t + s, &input, x, v, &now);
      sum = 0.0;
      for (int k = POWERS; k-- > 0;) sum = sum * s + Q[k];
      largest = fmax(largest, fabs(sum - now));
    }
    f->type->law(f, t, &input, g, rate, &now);
    printf(" %s\n", laws[i].lua);
    check_near("value", now, laws[i].value, 1e-14 * fmax(1.0, fabs(laws[i].value)));
    check_near("coefficient 0", Q[0], now, 0);
    check_below("law against its summed series", largest, 1e-12);
    free(work);
    hn_scene_free(scene);
  }
}

/* Derivatives of each operation: the force of an energy, against differences of order 4. */
static void forces_are_slopes_of_energies(void **state)
{
  (void)state;
  const double input = 0.0, zero = 0.0, e = 1e-3;
  for (int i = 0; i < LAWS; i++) {
    char force[500];
    if (strstr(laws[i].lua, "sin(t)")) continue; /* an energy depends on x alone */
    snprintf(force, sizeof force, "energy = function(x) local v = 0.1 + x %s end", laws[i].lua);
    hn_scene *scene = load_spring(force);
    const hn_force *f = &scene->model->force[0];
    double x[5], E[5], Q;
    for (int k = 0; k < 5; k++) x[k] = 0.4 + (k - 2) * e, E[k] = f->type->energy(f, &x[k]);
    f->type->law(f, 0.0, &input, &x[2], &zero, &Q);
    double slope = (8 * (E[3] - E[1]) - (E[4] - E[0])) / (12 * e);
    printf(" %s\n", laws[i].lua);
    check_below("minus the force against the slope of the energy", fabs(Q + slope), 1e-9 * (1 + fabs(slope)));
    assert_true(f->conservative);
    hn_scene_free(scene);
  }
}

/* ---- Forces in motion ---------------------------------------------------------------------------------- */

static uint64_t hash_of(const char *force, const char *solver)
{
  hn_scene *scene = load_force(force);
  hn_solver *s = new_solver(solver, scene->model);
  hn_state *at = hn_state_create(scene->model);
  hn_summary summary;
  hn_run_options options = { .step = 0.01, .duration = 0.5 };
  assert_int_equal(hn_run(s, at, &options, &summary), HN_CONVERGED);
  hn_state_free(at);
  hn_solver_free(s);
  hn_scene_free(scene);
  return summary.hash;
}

/* A law with the operations of a built-in force gives equal results to the bit, in solvers of all kinds. */
static void laws_equal_built_in_forces_to_the_bit(void **state)
{
  (void)state;
  /* clang-format off */
  static const char *const solvers[] = {
    "impulse-sle", "impulse-extrapolated:order=6", "lagrange", "half-explicit", "generalised-alpha",
    "taylor:order=8", "ida", "xpbd", "moreau",
  };
  /* clang-format on */
  static const struct {
    const char *built_in, *own;
  } pairs[] = {
    { "sys:spring { a, b, at_a = { 0, 0, 0 }, at_b = { 1, 1, 0.5 }, stiffness = 30, damping = 2, length = "
      "0.7 }",
      "sys:spring { a, b, at_a = { 0, 0, 0 }, at_b = { 1, 1, 0.5 },\n"
      "  law = function(t, x, v) return -30 * (x - 0.7) - 2 * v end }" },
    { "sys:force { b, at = { 1, 1, 0.5 }, force = { 1, 2, 3 }, motion = 2 }",
      "sys:force { b, at = { 1, 1, 0.5 }, law = function(t, x, v) return { 2, 4, 6 } end }" },
    { "sys:body_torque { b, torque = { 0.1, 0.2, 0.3 } }",
      "sys:body_torque { b, law = function() return 0.1, 0.2, 0.3 end }" },
    { "sys:motor { a, b, axis = { 1, 0, 1 }, target = 1, gain = 0.5, limit = 100 }",
      "sys:motor { a, b, axis = { 1, 0, 1 }, law = function(t, x, v, u) return 0.5 * (1 + u - v) end }" },
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
      uint64_t built_in = hash_of(pairs[i].built_in, solvers[k]), own = hash_of(pairs[i].own, solvers[k]);
      printf("  %.20s %-28s %016llx %016llx\n", pairs[i].own, solvers[k], (unsigned long long)built_in,
             (unsigned long long)own);
      assert_true(built_in == own);
    }
}

/* Both sides of a branch have the right series: a spring with pieces of different stiffness. */
static void branches_depend_on_values(void **state)
{
  (void)state;
  static const char own[] = "law = function(t, x, v)\n"
                            "  if x < 0 then return -8 * x * x * x elseif x <= 0.5 then return -4 * x end\n"
                            "  return -2 - math.sin(x - 0.5) end";
  const double input = 0.0;
  hn_scene *scene = load_spring(own);
  const hn_force *f = &scene->model->force[0];
  double *work = calloc((size_t)f->type->jet_series * 4 + 1, sizeof *work);
  static const struct {
    double x, Q[3];
  } cases[] = {
    { -0.5, { 1, -6, 12 } },
    { 0.0, { 0, -4, 0 } },
    { 0.5, { -2, -4, 0 } },
    { 1.5, { -2.8414709848078965, -0.54030230586813977, 0.42073549240394825 } },
  };
  for (int i = 0; i < 4; i++) {
    double g[4] = { cases[i].x, 1, 0, 0 }, rate[4] = { 1, 0, 0, 0 }, Q[4];
    for (size_t k = 0; k < 3; k++) {
      f->type->jet(f, 0.0, &input, g, rate, 4, k, work, Q);
      check_near("coefficient", Q[k], cases[i].Q[k], 1e-14);
    }
  }
  free(work);
  hn_scene_free(scene);
}

/* Steps do not allocate, and run without Lua: the interpreter of the scene is closed. */
static void steps_with_laws_do_not_allocate(void **state)
{
  (void)state;
  hn_scene *scene = load_force("sys:spring { a, b, at_a = { 0, 0, 0 }, at_b = { 1, 1, 0.5 },\n"
                               "  law = function(t, x, v) return -30 * math.sin(x - 0.7) - 2 * v^3 end }");
  static const char *const solvers[] = { "impulse-sle", "lagrange", "taylor:order=8" };
  fail_allocation(0, false);
  for (int i = 0; i < 3; i++) {
    hn_solver *s = new_solver(solvers[i], scene->model);
    hn_state *at = hn_state_create(scene->model);
    assert_int_equal(hn_solver_step(s, at, 0.01), HN_CONVERGED);
    long before = allocations;
    for (int k = 0; k < 10; k++) assert_int_equal(hn_solver_step(s, at, 0.01), HN_CONVERGED);
    check_near("allocations in ten steps", (double)(allocations - before), 0, 0);
    hn_state_free(at);
    hn_solver_free(s);
  }
  hn_scene_free(scene);
}

/* Rates in body axes, between two moving bodies: power series against a Runge-Kutta method of order 8, whose
 * error at these steps is below 1e-12. */
static void rates_in_body_axes_have_series(void **state)
{
  (void)state;
  static const char *const force[] = {
    "sys:body_force { a, b, at = { 0.2, 0.4, 0.3 }, law = function(t, x, v) return -v[1], -2 * v[2], v[1] - "
    "v[3] ^ 3 "
    "end }",
    "sys:body_torque { a, b, law = function(t, x, w) return -w[1], -w[2] * w[3], math.sin(t) - w[3] end }",
    "sys:motor { a, b, axis = { 1, 1, 0 }, law = function(t, x, w) return math.sin(3 * t) - w end }",
    ("sys:force { a, b, at_a = { 0, 0, 0.3 }, at_b = { 0.1, 0, 0 }, law = function(t, x, v)\n"
     "  return -3 * x[1] - v[1], -2 * x[2] * x[3], -x[3] - v[3] end }"),
  };
  static const char *const solvers[] = { "taylor:order=14", "lagrange:stepper=rk8pd" };
  for (size_t i = 0; i < sizeof force / sizeof *force; i++) {
    hn_scene *scene = load_force(force[i]);
    hn_state *at[2];
    for (int k = 0; k < 2; k++) {
      hn_solver *s = new_solver(solvers[k], scene->model);
      hn_summary summary;
      hn_run_options options = { .step = 0.01, .duration = 0.5 };
      at[k] = hn_state_create(scene->model);
      assert_int_equal(hn_run(s, at[k], &options, &summary), HN_CONVERGED);
      hn_solver_free(s);
    }
    double largest = 0.0;
    for (int b = 1; b < 3; b++)
      for (int c = 0; c < 3; c++)
        largest = fmax(largest, fmax(fabs(at[0]->pose[b].x[c] - at[1]->pose[b].x[c]),
                                     fabs(at[0]->twist[b].w[c] - at[1]->twist[b].w[c])));
    printf(" %.40s\n", force[i]);
    check_below("difference of taylor and rk8pd (m, rad/s)", largest, 1e-12);
    hn_state_free(at[0]), hn_state_free(at[1]);
    hn_scene_free(scene);
  }
}

/* ---- Invalid laws -------------------------------------------------------------------------------------- */

/* Checks the error for a spring from the ground to a particle at x = 0.7 whose `law` starts at line 3. */
static void bad_law(const char *law, int line, const char *fragment)
{
  char body[1200];
  snprintf(body, sizeof body,
           "local n, k, p = 0, nil, sys:particle { position = { 0.7, 0, 0 }, mass = 1 }\n"
           "sys:spring { sys.ground, p, %s }\nreturn sys",
           law);
  expect_failing_body(body, line, fragment);
}

static void bad_laws_are_refused(void **state)
{
  (void)state;
  bad_law("law = function(t, x, v) end", 3, "law returns nothing: it must return a number");
  bad_law("law = function(t, x, v) return 'a' end", 3, "law returns a string: it must return a number");
  bad_law("law = function(t, x, v) return {} end", 3, "law returns nothing");
  bad_law("law = function(t, x, v) return true end", 3, "law returns a boolean");
  bad_law("law = function(t, x, v) return x, v end", 3, "law returns 2 values: it must return 1");
  bad_law("law = function(t, x, v) return 0 / 0 end", 3, "its law gives nan at the start");
  bad_law("law = function(t, x, v) return math.sqrt(-x) end", 3, "its law gives nan at the start");
  bad_law("law = function(t, x, v) return 1 / v end", 3, "its law gives infinity at the start");
  bad_law("law = function(t, x, v)\n return -x\n + nothing end", 5, "cannot do arithmetic with a nil");
  bad_law("law = function(t, x, v)\n\n error('so') end", 5, "so");
  bad_law("law = function(t, x, v)\n return x.y end", 4, "it has no fields");
  bad_law("law = function(t, x, v) return x .. 'm' end", 3, "it is no text");
  bad_law("law = 3", 3, "law must be a function, not a number");
  bad_law("law = function(t, x) return -x end, stiffness = 3", 3, "unknown key \"stiffness\"");
  bad_law("law = function(t, x, v) while true do n = n + 1 end end", 3, "does a loop never end?");
  bad_law("law = function(t, x, v) while true do x = x + 1 end end", 3, "more than 4000 operations");
  bad_law(
    "law = function(t, x, v)\n local s = 0\n for i = 1, 12 do if x * i < v * i * i + i then s = s + i end "
    "end\n "
    "return s end",
    3, "more than 256 ways");
}

static void impure_laws_are_refused(void **state)
{
  (void)state;
  bad_law("law = function(t, x, v) return x * math.random() end", 3, "cannot use random numbers");
  bad_law("law = function(t, x, v) n = n + 1 return n * x end", 3, "called twice it does not do the same");
  bad_law("law = function(t, x, v) n = n + 1 if n > 2 then return x end return 2 * x end", 3,
          "it must depend on its arguments alone");
  bad_law("law = function(t, x, v) k = k or x return x * k end", 3, "has been kept");
  bad_law(
    "law = function(t, x, v) if type(x) ~= 'number' then k = x end return x end }\n" /* used by another law */
    "sys:spring { sys.ground, p, law = function(t, x, v) return 2 * (type(x) ~= 'number' and k or x) end",
    4, "has been kept");
  bad_law("law = function(t, x, v) k = x return -x end }\n" /* would hold a number of the comparison */
          "sys:spring { sys.ground, p, law = function(t, x, v) return k * x end",
          4, "has been kept");
  bad_law("law = function(t, x, v) k = x return -x end }\n"
          "sys:particle { position = { 1, 0, 0 }, mass = k",
          4, "mass must be a number, not an argument kept by a law");
  bad_law("law = function(t, x, v) if x == 0 then return 1 end return math.sin(x) / x end", 3,
          "not compare them with ==");
  bad_law("law = function(t, x, v) if v ~= 0 then return x end return 2 * x end", 3,
          "not compare them with ==");
  bad_law("law = function(t, x, v) if x == v then return 1 end return x end", 3,
          "cannot compare its arguments for equality");
  bad_law("law = function(t, x, v) if math.type(x) then return 1 end return x end", 3,
          "its recorded operations");
}

static void laws_must_fit_their_energies(void **state)
{
  (void)state;
  bad_law("law = function(t, x) return -3 * x end, energy = function(x) return x^2 end", 3,
          "law does not fit its energy");
  bad_law("law = function(t, x) return -3 * x - 0.001 * x^3 end, energy = function(x) return 1.5 * x^2 end",
          3, "law does not fit its energy");
  bad_law("energy = function(x, y) return x^2 * y end", 3, "arithmetic");
  hn_scene *scene = load_spring(
    "law = function(t, x, v) return -3 * x - v end, energy = function(x) return 1.5 * x^2 end");
  assert_false(hn_model_conserves_energy(scene->model));
  hn_scene_free(scene);
  scene = load_spring("law = function(t, x, v) return -3 * x end, energy = function(x) return 1.5 * x^2 end");
  assert_true(hn_model_conserves_energy(scene->model));
  hn_scene_free(scene);
  expect_failing_body("local p = sys:body { position = { 0.7, 0, 0 }, mass = 1, inertia = { 1, 1, 1 } }\n"
                      "sys:body_torque { p, energy = function(x) return 1 end }\nreturn sys",
                      3, "it stores nothing");
  expect_failing_body(
    "local p = sys:body { position = { 0.7, 0, 0 }, mass = 1, inertia = { 1, 1, 1 } }\n"
    "sys:servo { sys.ground, p, axis = { 0, 0, 1 }, law = function(t, x) return x end }\nreturn sys",
    3, "unknown key \"law\"");
}

/* In a plane no force may act out of it. */
static void laws_stay_in_the_plane(void **state)
{
  (void)state;
  static const char start[] =
    "local scene = require 'holonom.scene'; local sys = scene.system { planar = true }\n"
    "local p = sys:body { position = { 0.7, 0, 0 }, mass = 1, inertia = 1 }\n";
  char text[1000];
  snprintf(text, sizeof text,
           "%ssys:force { p, at = { 0.7, 0, 0 }, law = function(t, x) return x[1], 0, 0 * x[2] end }\n"
           "return sys\n",
           start);
  write_bytes(text, strlen(text));
  expect_refusal(3, "value 3 of its law must be the number 0");
  snprintf(text, sizeof text,
           "%ssys:force { p, at = { 0.7, 0, 0 }, law = function(t, x) return x[1], x[2], 0 end }\n"
           "sys:torque { p, law = function(t, x, w) return 0, 0, -w[3] end }\nreturn sys\n",
           start);
  write_bytes(text, strlen(text));
  hn_scene_free(load_written(NULL, 0));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(series_agree_with_laws),
    cmocka_unit_test(forces_are_slopes_of_energies),
    cmocka_unit_test(laws_equal_built_in_forces_to_the_bit),
    cmocka_unit_test(branches_depend_on_values),
    cmocka_unit_test(rates_in_body_axes_have_series),
    cmocka_unit_test(steps_with_laws_do_not_allocate),
    cmocka_unit_test(bad_laws_are_refused),
    cmocka_unit_test(impure_laws_are_refused),
    cmocka_unit_test(laws_must_fit_their_energies),
    cmocka_unit_test(laws_stay_in_the_plane),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
