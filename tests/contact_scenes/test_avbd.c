/* test_avbd.c - augmented vertex block descent: orders, sag and force of a load in closed form, forces of a
 * chain and their convergence with the iterations, heavy loads against xpbd, friction, refusals. */
#include "able.h"
#include "models.h"

static const double g = 9.81;

static void advance(hn_solver *solver, hn_state *state, double h, int steps)
{
  for (int i = 0; i < steps; i++) assert_int_equal(hn_solver_step(solver, state, h), HN_CONVERGED);
}

/* Returns COUNT particles of 1 kg in a row on rods of 1 m below the ground; the last has mass LOAD. */
static hn_model *hanging_chain(int count, double load)
{
  hn_error error;
  hn_model *model = new_model();
  for (int i = 0; i < count; i++) {
    char name[16];
    snprintf(name, sizeof name, "p%d", i);
    hn_body_spec particle = { .name = name,
                              .kind = HN_PARTICLE,
                              .has_mass = true,
                              .mass = i == count - 1 ? load : 1.0,
                              .position = { 0, -1.0 - i, 0 },
                              .orientation = { 1, 0, 0, 0 } };
    add_rod(model, i, hn_model_add_body(model, &particle, &error));
  }
  return model;
}

/* ---- One load: closed form ---------------------------------------------------------------------------- */

/* With beta = 0 and k = s m / h^2, an iteration maps the force error e = F - m g to q (e + c), q = 1 / (1 +
 * s), c = k (1 - alpha) x with the sag x. A step starts from e = -(1 - w) m g with the warm start w, and ends
 * at rest with e = 0 after N iterations: c (q + ... + q^N) = (1 - w) m g q^N. */
static void a_load_sags_as_computed(void **state)
{
  (void)state;
  static const struct {
    int iterations;
    double alpha, w, s;
  } cases[] = { { 1, 0.95, 0.99, 1 }, { 2, 0.9, 0.99, 1 }, { 3, 0.95, 0.9, 2 }, { 5, 0.8, 0.7, 0.5 } };
  const double mass = 3, h = 0.01;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char spec[120];
    const double s = cases[i].s, q = 1 / (1 + s), power = pow(q, cases[i].iterations);
    const double per_sag = s * mass / (h * h) * (1 - cases[i].alpha); /* c / x, N/m */
    const double c = (1 - cases[i].w) * mass * g * power * (1 - q) / (q * (1 - power));
    snprintf(spec, sizeof spec, "avbd:beta=0,iterations=%d,alpha=%g,warm_start=%g,stiffness=%g",
             cases[i].iterations, cases[i].alpha, cases[i].w, s);
    hn_model *model = hanging_chain(1, mass);
    hn_solver *solver = new_solver(spec, model);
    hn_state *at = hn_state_create(model);
    advance(solver, at, h, 5000);
    printf(" %s\n", spec);
    check_near("sag over its closed form", (-1 - at->pose[1].x[1]) / (c / per_sag), 1, 1e-7);
    check_near("force, N", solver->multipliers[0], -mass * g, 1e-9);
    hn_state_free(at);
    hn_solver_free(solver);
    hn_model_free(model);
  }
}

/* ---- Orders ------------------------------------------------------------------------------------------- */

/* Reference values of the double pendulum at t = 1, as in test_realtime.c; see doc/references.md. */
static const double position_at_1[2][3] = { { -0.5851683919988750689, -0.8109118034690646209, 0 },
                                            { -1.4448188499434757965, -1.3217944613814645558, 0 } };
static const double tension_at_1[2] = { 41.636078872589814659, 19.945859696509005937 };

static void orders_are_one(void **state)
{
  (void)state;
  static const char *const specs[] = { "avbd:iterations=40", "avbd:alpha=0,iterations=40" };
  hn_model *model = double_pendulum();
  for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
    double h[6], position[6] = { 0 }, force[6] = { 0 }, drift[6];
    for (int i = 0; i < 6; i++) {
      hn_solver *solver = new_solver(specs[k], model);
      hn_state *at = hn_state_create(model);
      hn_summary summary;
      hn_run_options options = { .step = h[i] = 1.0 / (1600 << i), .duration = 1.0 };
      assert_int_equal(hn_run(solver, at, &options, &summary), HN_CONVERGED);
      for (int b = 0; b < 2; b++) {
        double apart[3];
        vec_sub(apart, at->pose[b + 1].x, position_at_1[b]);
        position[i] = larger(position[i], vec_norm(apart));
        force[i] = larger(force[i], fabs(-solver->multipliers[b] - tension_at_1[b]));
      }
      drift[i] = summary.position_max;
      hn_state_free(at);
      hn_solver_free(solver);
    }
    printf(" %s: position errors %.2e to %.2e m\n", specs[k], position[0], position[5]);
    check_near("order of positions", hn_fit_order(h, position, 6), 1, 0.2);
    check_near("order of joint forces", hn_fit_order(h, force, 6), 1, 0.2);
    check_near("order of the drift", hn_fit_order(h, drift, 6), 2, 0.2);
  }
  hn_model_free(model);
}

/* ---- Chains ------------------------------------------------------------------------------------------- */

/* Lets a chain come to rest; returns the largest error of a force over its load, and stores the largest joint
 * error, m. */
static double force_error(const char *spec, int count, double *open)
{
  hn_model *model = hanging_chain(count, 1);
  hn_solver *solver = new_solver(spec, model);
  hn_state *at = hn_state_create(model);
  double worst = 0;
  advance(solver, at, 0.01, 6000);
  for (int i = 0; i < count; i++)
    worst = larger(worst, fabs(-solver->multipliers[i] / (g * (count - i)) - 1));
  *open = solver->report.residual;
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
  return worst;
}

/* At rest a step restores the part 1 - w of each force by its iterations; no error can be larger.
 * Errors of joints decay geometrically with the iterations: log e against N is a line. */
static void forces_of_a_chain_converge(void **state)
{
  (void)state;
  enum { COUNT = 6 };
  double n[COUNT], logarithm[COUNT], open, last = 1;
  for (int i = 0; i < COUNT; i++) {
    char spec[60];
    n[i] = 20 + 20 * i;
    snprintf(spec, sizeof spec, "avbd:beta=0,warm_start=0.94,iterations=%d", (int)n[i]);
    const double error = force_error(spec, 3, &open);
    printf(" %s: joint error %.3e m\n", spec, open);
    check_below("largest error of a force, relative", error, 1 - 0.94);
    assert_true(error < last || error < 1e-9);
    last = error, logarithm[i] = log(open);
  }
  const double rate = (logarithm[COUNT - 1] - logarithm[0]) / (n[COUNT - 1] - n[0]);
  for (int i = 1; i < COUNT - 1; i++)
    check_near("log of the joint error over the line through its ends",
               logarithm[i] / (logarithm[0] + rate * (n[i] - n[0])), 1, 0.1);
  assert_true(rate < 0);
}

/* A load of 1000 times the mass of a link, dropped by nothing: after 2 s the joints of avbd are less open
 * than those of xpbd with as many sweeps in the same step. */
static void heavy_loads_are_carried(void **state)
{
  (void)state;
  static const char *const specs[] = { "avbd:iterations=20", "xpbd:substeps=1,iterations=20" };
  double open[2];
  for (int k = 0; k < 2; k++) {
    hn_model *model = hanging_chain(5, 1000);
    hn_solver *solver = new_solver(specs[k], model);
    hn_state *at = hn_state_create(model);
    advance(solver, at, 0.01, 200);
    open[k] = solver->report.residual;
    printf(" %s: joints open by %.3e m\n", specs[k], open[k]);
    hn_state_free(at);
    hn_solver_free(solver);
    hn_model_free(model);
  }
  check_below("joint error over that of xpbd", open[0] / open[1], 0.5);
}

/* ---- Friction and refusals ---------------------------------------------------------------------------- */

/* Runs a cube on a plane with friction 0.5, inclined such that tan(angle) = SLOPE, for 1 s. */
static trial run_on_slope(double slope)
{
  char text[900];
  const double angle = atan(slope);
  const int length = snprintf(
    text, sizeof text,
    "local scene = require 'holonom.scene'\n"
    "local sys = scene.system { gravity = { %.17g, %.17g, 0 } }\n"
    "sys:body { fixed = true, position = { 0, 0, 0 }, friction = 0.5,\n"
    "           shape = scene.plane { normal = { 0, 1, 0 } } }\n"
    "sys:body { shape = scene.box { 0.2, 0.2, 0.2 }, density = 1000, friction = 0.5,\n"
    "           position = { 0, 0.1, 0 } }\n"
    "sys:contact {}\nreturn sys",
    g * sin(angle), -g * cos(angle));
  write_bytes(text, (size_t)length);
  return ran(&(able){ "avbd", 1, true }, 0.01, 1, &(watched){ 0 });
}

/* Below the friction angle a block creeps by no more than h^2 g at the start; above it slides with
 * g (sin - mu cos). */
static void blocks_stick_and_slide(void **state)
{
  (void)state;
  const double slopes[] = { 0.25, 0.45, 0.49, 0.51, 0.6, 1.0 };
  for (int i = 0; i < 6; i++) {
    const double angle = atan(slopes[i]), a = g * (sin(angle) - 0.5 * cos(angle));
    trial r = run_on_slope(slopes[i]);
    printf(" slope %g\n", slopes[i]);
    if (a < 0) check_below("displacement, m", fabs(r.state->pose[2].x[0]), 1e-6);
    if (a < 0) check_below("speed, m/s", fabs(r.state->twist[2].v[0]), 1e-8);
    if (a > 0) check_near("speed, m/s", r.state->twist[2].v[0], a, g * 0.01);
    check_near("height, m", r.state->pose[2].x[1], 0.1, g * 1e-4);
    done(&r);
  }
}

static void refusals_name_the_need(void **state)
{
  (void)state;
  write_scene("local m = sys:particle { mass = 2, position = { 1, 0, 0 } }\n"
              "sys:limit_position { sys.ground, m, at = { 1, 0, 0 }, axis = { 1, 0, 0 }, lower = 0,\n"
              "                     restitution = 0.5 }\n"
              "return sys");
  hn_error error = { .text = "" };
  hn_scene *scene = load_written(NULL, 0);
  assert_null(hn_solver_create("avbd", scene->model, &error));
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, "restitution"));
  hn_scene_free(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_load_sags_as_computed),    cmocka_unit_test(orders_are_one),
    cmocka_unit_test(forces_of_a_chain_converge), cmocka_unit_test(heavy_loads_are_carried),
    cmocka_unit_test(blocks_stick_and_slide),     cmocka_unit_test(refusals_name_the_need),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
