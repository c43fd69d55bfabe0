/* test_engine_orders.c - other engines on one mechanism for every joint that they have, in either direction:
 * their errors vanish with the order that they declare. A wrong axis, point, inertia or sign leaves an error.
 *
 * The reference is another formulation: lagrange with rk8pd and projection at steps of 1 ms. Bodies have
 * products of inertia, turned axes, and points away from their centres of mass. */
#include "engine_trials.h"

enum { STEPS = 4 };
static const double coarsest = 1.0 / 200, duration = 0.25; /* s */
static const double scatter = 0.25, least = 1e-12;         /* of a fitted order; error of rounding */
static const double accurate = 1e-5; /* with control of errors, at 1e-6 or better by default */

/* Bodies of a mechanism, and geometry for its joints. */
static const char bodies[] =
  "local function body(name, at, turn)\n"
  "  return sys:body { name = name, mass = 2, position = at, inertia = { 0.1, 0.2, 0.25 },\n"
  "    products = { 0.02, -0.01, 0.03 }, axis_angle = turn,\n"
  "    velocity = { 0.5, 1, -0.3 }, angular_velocity = { 1, -0.5, 2 } }\n"
  "end\n"
  "local one = body('one', { 0.5, 0, 0.1 }, { 1, 2, 3, 0.7 })\n"
  "local two = body('two', { 0.9, 0.3, 0 }, { 0, 1, 1, 1.9 })\n"
  "local n, m, at, to = { 1, 0.5, 2 }, { 0, 1, -1 }, { 0, 0, 0 }, { 0.8, 0.1, -0.2 }\n";

typedef struct mechanism {
  const char *name, *joints;
  unsigned kinds;
} mechanism;
enum {
  TURNS = 1, /* bodies turn about any axis: MuJoCo's RK4 has order 2, else 4 */
  SOFT = 2   /* MuJoCo has soft constraints, which need a small time constant to be exact */
};

static const mechanism mechanisms[] = {
  { "free", "", TURNS },
  { "hinge",
    "sys:hinge { one, sys.ground, at = at, axis = n }\n"
    "sys:hinge { one, two, at = to, axis = m }",
    0 },
  { "hinge, swapped",
    "sys:hinge { sys.ground, one, at = at, axis = n }\n"
    "sys:hinge { two, one, at = to, axis = m }",
    0 },
  { "ball",
    "sys:ball { one, sys.ground, at = at }\n"
    "sys:ball { two, one, at = to }",
    TURNS },
  { "ball, swapped",
    "sys:ball { sys.ground, one, at = at }\n"
    "sys:ball { one, two, at = to }",
    TURNS },
  { "slider",
    "sys:slider { one, sys.ground, at = at, axis = n }\n"
    "sys:slider { one, two, at = to, axis = m }",
    0 },
  { "slider, swapped",
    "sys:slider { sys.ground, one, at = at, axis = n }\n"
    "sys:slider { two, one, at = to, axis = m }",
    0 },
  { "fixed",
    "sys:fixed { one, two, at = to }\n"
    "sys:ball { one, sys.ground, at = at }",
    TURNS },
  { "fixed, swapped",
    "sys:fixed { two, one, at = to }\n"
    "sys:ball { sys.ground, one, at = at }",
    TURNS },
  { "universal",
    "sys:universal { one, sys.ground, at = at, axis_a = { 1, 0, 0 }, axis_b = { 0, 1, 1 } }\n"
    "sys:universal { one, two, at = to, axis_a = { 0, 1, -1 }, axis_b = { 2, 1, 1 } }",
    0 },
  { "universal, swapped",
    "sys:universal { sys.ground, one, at = at, axis_a = { 1, 0, 0 }, axis_b = { 0, 1, 1 } }\n"
    "sys:universal { two, one, at = to, axis_a = { 0, 1, -1 }, axis_b = { 2, 1, 1 } }",
    0 },
  { "cylindrical",
    "sys:cylindrical { one, sys.ground, at = at, axis = n }\n"
    "sys:cylindrical { one, two, at = to, axis = m }",
    0 },
  { "cylindrical, swapped",
    "sys:cylindrical { sys.ground, one, at = at, axis = n }\n"
    "sys:cylindrical { two, one, at = to, axis = m }",
    0 },
  { "planar",
    "sys:planar { one, sys.ground, at = at, axis = n }\n"
    "sys:planar { one, two, at = to, axis = m }",
    0 },
  { "planar, swapped",
    "sys:planar { sys.ground, one, at = at, axis = n }\n"
    "sys:planar { two, one, at = to, axis = m }",
    0 },
  { "point_on_line",
    "sys:point_on_line { one, sys.ground, at = at, axis = n }\n"
    "sys:point_on_line { one, two, at = to, axis = m }",
    TURNS },
  { "point_on_line, swapped",
    "sys:point_on_line { sys.ground, one, at = at, axis = n }\n"
    "sys:point_on_line { two, one, at = to, axis = m }",
    TURNS },
  { "point_on_plane",
    "sys:point_on_plane { one, sys.ground, at = at, axis = n }\n"
    "sys:point_on_plane { one, two, at = to, axis = m }",
    TURNS },
  { "point_on_plane, swapped",
    "sys:point_on_plane { sys.ground, one, at = at, axis = n }\n"
    "sys:point_on_plane { two, one, at = to, axis = m }",
    TURNS },
  { "distance",
    "sys:distance { one, sys.ground, at_a = { 0.3, 0, 0.2 }, at_b = at }\n"
    "sys:distance { one, two, at_a = to, at_b = { 1, 0.5, 0 } }",
    SOFT },
  { "distance, swapped",
    "sys:distance { sys.ground, one, at_a = at, at_b = { 0.3, 0, 0.2 } }\n"
    "sys:distance { two, one, at_a = { 1, 0.5, 0 }, at_b = to }",
    SOFT },
  { "particles",
    "local p = sys:particle { name = 'p', mass = 1, position = { 1, 0, 0 } }\n"
    "local q = sys:particle { name = 'q', mass = 2, position = { 1.5, 0, 0.5 } }\n"
    "sys:hinge { sys.ground, one, at = at, axis = n }\n"
    "sys:ball { one, p, at = { 1, 0, 0 } }\n"
    "sys:distance { p, q }\n"
    "sys:ball { q, two, at = { 1.5, 0, 0.5 } }",
    SOFT },
  { "loop of ball joints and a hinge",
    "sys:hinge { sys.ground, one, at = at, axis = n }\n"
    "sys:ball { one, two, at = to }\n"
    "sys:ball { two, sys.ground, at = { 1, 0.6, 0.1 } }",
    SOFT },
  { "loop closed by a hinge",
    "sys:hinge { sys.ground, one, at = at, axis = { 0, 0, 1 } }\n"
    "sys:ball { one, two, at = to }\n"
    "sys:point_on_line { two, sys.ground, at = { 1, 0.6, 0.1 }, axis = { 0, 0, 1 } }",
    SOFT },
  { "forces",
    "sys:hinge { one, sys.ground, at = at, axis = n }\n"
    "sys:ball { one, two, at = to }\n"
    "sys:spring { two, sys.ground, at_a = { 1, 0.5, 0 }, at_b = { 2, 1, 0 }, stiffness = 40, damping = 2 }\n"
    "sys:angular_spring { sys.ground, one, axis = n, stiffness = 5, damping = 0.5 }",
    TURNS },
};
enum { MECHANISMS = sizeof mechanisms / sizeof *mechanisms };

static void write_mechanism(const mechanism *m)
{
  char text[4096];
  const int length = snprintf(
    text, sizeof text,
    "local scene = require 'holonom.scene'\n"
    "local sys = scene.system { gravity = { 1, -9, 2 }, consistent = true }\n%s%s\nreturn sys",
    bodies, m->joints);
  assert_true(length < (int)sizeof text);
  write_bytes(text, (size_t)length);
}

/* The order that SPEC should have on M; DECLARED is the least one. */
static int order_of(const mechanism *m, const char *spec, int declared)
{
  return strncmp(spec, "mujoco:integrator=rk4", 21) == 0 && m->kinds == 0 ? 4 : declared;
}

/* The accuracy of integrators that choose their steps. */
static bool is_accurate(const mechanism *m, const char *spec, double error)
{
  const bool good = error <= accurate;
  printf("  %-34s %-32s error %.2e, bound %.0e%s\n", spec, m->name, error, accurate, good ? "" : "  FAILED");
  return good;
}

/* Fits the order of SPEC. Returns false if it is wrong. An engine that does not take the mechanism must say
 * so. */
static bool measure(const mechanism *m, const char *spec, const hn_state *exact)
{
  double h[STEPS], error[STEPS];
  int order = 0;
  for (int i = 0; i < STEPS; i++) {
    h[i] = ldexp(coarsest, -i);
    engine_trial r = run_engine(spec, h[i], duration);
    const bool refused = r.refused, well = strstr(r.why, "not translated");
    if (refused) printf("  %-34s %-32s %s%s\n", spec, m->name, r.why, well ? "" : "  FAILED");
    else if (r.reason == HN_CONVERGED) {
      error[i] = distance_of(r.scene->model, r.state, exact), order = order_of(m, spec, r.order);
    } else {
      printf("  %-34s %-46s %s\n", spec, m->name, r.why);
      error[i] = NAN;
    }
    end_trial(&r);
    if (refused) return well;
  }
  if (order == 0) return is_accurate(m, spec, error[STEPS - 1]);
  const double fitted = hn_fit_order(h, error, STEPS);
  const bool rounding = error[STEPS - 1] <= least;
  const bool good = rounding || fabs(fitted - order) <= scatter;
  printf("  %-34s %-32s error %.2e, order %.3f of %d +- %g%s\n", spec, m->name, error[STEPS - 1], fitted,
         order, scatter, good ? "" : "  FAILED");
  return good;
}

/* Measures every variant of all engines on M. Returns the number of wrong orders. */
static int measure_all(const mechanism *m)
{
  size_t count;
  int wrong = 0;
  const hn_solver_type *const *type = hn_solver_types(&count);
  write_mechanism(m);
  engine_trial exact = run_engine(EXACT, 1e-3, duration);
  assert_int_equal(exact.reason, HN_CONVERGED);
  for (size_t i = 0; i < count; i++)
    for (const char *const *v = hn_solver_variants(type[i]); type[i]->engine && *v; v++) {
      char spec[128];
      const bool stiff = strcmp(type[i]->name, "mujoco") == 0 && m->kinds & SOFT;
      snprintf(spec, sizeof spec, "%s%s%s%s%s", type[i]->name, **v || stiff ? ":" : "", *v,
               **v && stiff ? "," : "", stiff ? "time_constant=1e-6" : "");
      wrong += !measure(m, spec, exact.state);
    }
  end_trial(&exact);
  return wrong;
}

static void each_joint_has_the_order_of_its_engine(void **unused)
{
  (void)unused;
  int wrong = 0;
  load_engines();
  for (int k = 0; k < MECHANISMS; k++) wrong += measure_all(&mechanisms[k]);
  assert_int_equal(wrong, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(each_joint_has_the_order_of_its_engine) };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
