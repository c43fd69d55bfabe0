/* test_continued_steps.c - what solvers keep from step to step: guesses of multipliers, and the history of
 * multistep methods over changed velocities; units of mass in IDA's error test; and repeated sweeps over
 * compliant joints. */
#include "force_models.h"
#include "scenes.h"

/* ---- Guesses ------------------------------------------------------------------------------------------- */

/* Returns the iterations of a run of 0.8 s with steps of h, by a solver that is reset before each step or by
 * one that is not. */
static int iterations_of_a_run(const char *spec, double h, bool reset)
{
  hn_model *model = double_pendulum();
  hn_solver *solver = new_solver(spec, model);
  hn_state *at = hn_state_create(model);
  int iterations = 0;
  for (int k = 0; k < lround(0.8 / h); k++) {
    if (reset) hn_solver_reset(solver);
    assert_int_equal(hn_solver_step(solver, at, h), HN_CONVERGED);
    iterations += solver->report.velocity_iterations;
  }
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
  return iterations;
}

/* Each iteration of half-explicit reduces the residual of a stage by a factor of order h. The multipliers at
 * the end of the last step have an error of order h, zero one of order 1: they save an iteration in many
 * steps. */
static void multipliers_of_the_last_step_save_iterations(void **state)
{
  (void)state;
  for (int k = 0; k < 4; k++) {
    const double h = 0.02 / (1 << k);
    const int continued = iterations_of_a_run("half-explicit", h, false),
              anew = iterations_of_a_run("half-explicit", h, true);
    printf("  h = %g s: %d iterations, %d with resets\n", h, continued, anew);
    assert_true(continued < anew);
  }
}

/* ---- Histories ----------------------------------------------------------------------------------------- */

/* A particle on a rod without gravity turns at the speed of its particle. Its velocity is doubled between two
 * steps of a multistep method, whose history then belongs to another motion. */
static void histories_end_where_velocities_change(void **state)
{
  (void)state;
  static const char *const specs[] = { "lagrange:stepper=msadams,adaptive=true,error_tolerance=1e-10",
                                       "lagrange:stepper=msbdf,adaptive=true,error_tolerance=1e-10", "ida" };
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    hn_model *model = without_gravity();
    add_rod(model, 0, add_particle(model, "bob", 1, 0, 0));
    hn_solver *solver = new_solver(specs[i], model);
    hn_state *at = hn_state_create(model);
    at->twist[1].v[1] = 1;
    for (int k = 0; k < 5; k++) assert_int_equal(hn_solver_step(solver, at, 0.1), HN_CONVERGED);
    vec_scale(at->twist[1].v, 2, at->twist[1].v);
    for (int k = 0; k < 5; k++) assert_int_equal(hn_solver_step(solver, at, 0.1), HN_CONVERGED);
    const double exact[3] = { cos(1.5), sin(1.5), 0 };
    double off[3];
    vec_sub(off, at->pose[1].x, exact);
    printf(" %s\n", specs[i]);
    check_below("position after 0.5 s at 1 m/s and 0.5 s at 2 m/s, m", vec_norm(off), 1e-6);
    hn_state_free(at);
    hn_solver_free(solver);
    hn_model_free(model);
  }
}

/* ---- Units of mass ------------------------------------------------------------------------------------- */

/* Returns the steps of IDA in 1 s of a double pendulum of masses of MASS, and its last position. */
static long ida_steps(double mass, double last[3])
{
  hn_error error;
  hn_model *model = new_model();
  for (int i = 0; i < 2; i++) {
    hn_body_spec particle = { .name = i ? "b" : "a",
                              .kind = HN_PARTICLE,
                              .has_mass = true,
                              .mass = mass,
                              .position = { i + 1, 0, 0 },
                              .orientation = { 1 } };
    must(hn_model_add_body(model, &particle, &error), &error);
    add_rod(model, i, i + 1);
  }
  hn_solver *solver = new_solver("ida:error_tolerance=1e-6", model);
  hn_state *at = hn_state_create(model);
  long steps = 0;
  for (int k = 0; k < 10; k++) {
    assert_int_equal(hn_solver_step(solver, at, 0.1), HN_CONVERGED);
    steps += solver->report.position_iterations;
  }
  vec_copy(last, at->pose[2].x);
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
  return steps;
}

/* The motion does not depend on the unit of mass, and forces are not in the error test: 2^30 times the mass
 * is the same computation, bit for bit, with multipliers 2^30 times as large. */
static void ida_takes_the_same_steps_for_any_mass(void **state)
{
  (void)state;
  double light[3], heavy[3], off[3];
  const long steps = ida_steps(1, light), more = ida_steps(ldexp(1, 30), heavy);
  vec_sub(off, heavy, light);
  ASSERT_COUNT("steps for masses of 2^30 kg", more, steps);
  check_below("difference of the last position, m", vec_norm(off), 0.0);
}

/* ---- Compliance ---------------------------------------------------------------------------------------- */

/* A particle of 1 kg hangs at rest on a rod of compliance c, longer by c m g. It remains there however many
 * sweeps a substep has: later ones must count the impulse of those before. */
static void sweeps_do_not_soften_compliant_joints(void **state)
{
  (void)state;
  const double compliance = 0.01, extended = compliance * 9.81;
  for (int iterations = 1; iterations <= 8; iterations *= 2) {
    char spec[80], what[80];
    hn_model *model = new_model();
    add_rod(model, 0, add_particle(model, "load", 0, -1, 0));
    snprintf(spec, sizeof spec, "xpbd:compliance=%g,iterations=%d", compliance, iterations);
    hn_solver *solver = new_solver(spec, model);
    hn_state *at = hn_state_create(model);
    at->pose[1].x[1] -= extended;
    for (int k = 0; k < 100; k++) assert_int_equal(hn_solver_step(solver, at, 0.01), HN_CONVERGED);
    snprintf(what, sizeof what, "%d sweeps: height after 1 s less that at the start, m", iterations);
    check_below(what, at->pose[1].x[1] + 1 + extended, 1e-12);
    hn_state_free(at);
    hn_solver_free(solver);
    hn_model_free(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(multipliers_of_the_last_step_save_iterations),
    cmocka_unit_test(histories_end_where_velocities_change),
    cmocka_unit_test(ida_takes_the_same_steps_for_any_mass),
    cmocka_unit_test(sweeps_do_not_soften_compliant_joints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
