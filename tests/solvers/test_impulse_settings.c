/* test_impulse_settings.c - parameters of the impulse solvers: no velocity correction, a fixed number of
 * Newton steps, and step control. Compared with solver taylor of high order, and with the theory. */
#include "base/vec.h"
#include "scenes.h"
#include "trials.h"

static const char *const solver_specs[] = { "impulse-sle", "impulse-gs", "impulse-newton" };
enum { SOLVERS = sizeof solver_specs / sizeof *solver_specs };

/* ---- Without velocity correction ----------------------------------------------------------------------- */

/* Returns the state of the scene after `duration`; the caller frees it. */
static hn_state *reach(const char *spec, const char *scene, double h, double duration, hn_summary *summary)
{
  bench b = set_up(scene, spec);
  must_converge(&b, h, duration, NULL, NULL);
  hn_state *end = b.state;
  *summary = b.summary;
  b.state = NULL;
  tear_down(&b);
  return end;
}

typedef struct errors {
  double position, velocity, energy, drift;
} errors;

static errors compare(const hn_state *a, const hn_state *b, const hn_summary *summary)
{
  errors e = { .energy = summary->energy_error_max, .drift = summary->position_max };
  for (int i = 0; i < a->nbody; i++)
    for (int k = 0; k < 3; k++) {
      e.position = larger(e.position, fabs(a->pose[i].x[k] - b->pose[i].x[k]));
      e.velocity = larger(e.velocity, fabs(a->twist[i].v[k] - b->twist[i].v[k]));
      e.velocity = larger(e.velocity, fabs(a->twist[i].w[k] - b->twist[i].w[k]));
    }
  return e;
}

static errors errors_of(const char *spec, const char *scene, double h, double duration)
{
  hn_summary summary, exact_summary;
  hn_state *end = reach(spec, scene, h, duration, &summary);
  hn_state *exact = reach("taylor:order=16,stabilisation=projection", scene, 0.005, duration, &exact_summary);
  errors e = compare(end, exact, &summary);
  hn_state_free(end);
  hn_state_free(exact);
  return e;
}

enum { SIZES = 6 };
typedef struct convergence {
  double h[SIZES], position[SIZES], velocity[SIZES], energy[SIZES], drift[SIZES];
} convergence;

static convergence run_step_sizes(const char *spec, const char *scene, double h, double duration)
{
  convergence l;
  for (int i = 0; i < SIZES; i++, h *= 0.5) {
    errors e = errors_of(spec, scene, h, duration);
    l.h[i] = h, l.position[i] = e.position, l.velocity[i] = e.velocity, l.energy[i] = e.energy,
    l.drift[i] = e.drift;
  }
  printf(
    " %s, %s: positions %.2e to %.2e m, velocities %.2e to %.2e, energy %.2e to %.2e J, drift %.2e to %.2e "
    "m\n",
    spec, scene, l.position[0], l.position[SIZES - 1], l.velocity[0], l.velocity[SIZES - 1], l.energy[0],
    l.energy[SIZES - 1], l.drift[0], l.drift[SIZES - 1]);
  return l;
}

/* The velocity correction changes u by W G' p at the poses where the next joint correction acts, whose
 * solution is unique: it finds the sum of both impulses, and the positions are those with the correction. The
 * velocities at the end of a step lack it: half a step of the joint force, an error of order h. That part, W
 * G' p, is orthogonal to the corrected velocities in the mass metric, so that the energy is too large by p' K
 * p / 2, of order h^2.
 * [schmitt2003; bender2006, section 4.2: "not absolutely necessary ... because the joint impulse of the next
 * simulation step will solve the problem as well"] */
static void positions_do_not_need_the_velocity_correction(void **state)
{
  (void)state;
  static const char *const tight[SOLVERS] = { "tolerance=1e-13", "tolerance=1e-13,velocity_tolerance=1e-13",
                                              "tolerance=1e-13" };
  for (int i = 0; i <= SOLVERS; i++) {
    const char *name = i < SOLVERS ? solver_specs[i] : "impulse-composed",
               *set = i < SOLVERS ? tight[i] : tight[0];
    char with[96], without[128];
    hn_summary summary;
    snprintf(with, sizeof with, "%s:%s", name, set);
    snprintf(without, sizeof without, "%s:%s,velocity_correction=false", name, set);
    hn_state *a = reach(with, "box_pendulum", 0.01, 0.5, &summary);
    hn_state *b = reach(without, "box_pendulum", 0.01, 0.5, &summary);
    errors e = compare(b, a, &summary);
    printf(" %s\n", name);
    /* 50 steps of 1e-13, amplified by the motion */
    check_below("difference of positions with and without, m", e.position, 1e-11);
    assert_true(e.velocity > 1e-3);
    hn_state_free(a);
    hn_state_free(b);
  }
}

static void velocities_have_order_1_without_correction(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    convergence l = run_step_sizes("impulse-sle:tolerance=1e-13,velocity_correction=false",
                                   i == 0 ? "box_pendulum" : "double_pendulum", 0.01, 0.3);
    check_near("order of the positions", hn_fit_order(l.h, l.position, SIZES), 2.0, 0.2);
    check_near("order of the velocities", hn_fit_order(l.h, l.velocity, SIZES), 1.0, 0.2);
    check_near("order of the energy error", hn_fit_order(l.h, l.energy, SIZES), 2.0, 0.2);
  }
}

/* ---- One Newton step ----------------------------------------------------------------------------------- */

/* Errors of one step of 2^-k h from a later state, and the difference between the two solvers. */
typedef struct local {
  double h[SIZES], impulse[SIZES], taylor[SIZES], largest_difference[SIZES];
} local;

static hn_state *step_once(const char *spec, const hn_model *model, const hn_state *from, double h)
{
  hn_solver *solver = new_solver(spec, model);
  hn_state *at = hn_state_create(model);
  hn_state_copy(at, from);
  if (hn_solver_step(solver, at, h) != HN_CONVERGED) fail_msg("%s does not step", spec);
  hn_solver_free(solver);
  return at;
}

static double largest_difference(const hn_state *a, const hn_state *b)
{
  double largest = 0.0;
  for (int i = 0; i < a->nbody; i++)
    for (int k = 0; k < 3; k++) largest = larger(largest, fabs(a->pose[i].x[k] - b->pose[i].x[k]));
  return largest;
}

static local errors_of_a_step(const char *spec, const char *scene, double h)
{
  local l;
  bench b = set_up(scene, "taylor:order=16,stabilisation=projection");
  must_converge(&b, 0.005, 0.3, NULL, NULL);
  for (int i = 0; i < SIZES; i++, h *= 0.5) {
    hn_state *exact = step_once("taylor:order=20", b.model, b.state, h);
    hn_state *impulse = step_once(spec, b.model, b.state, h),
             *taylor = step_once("taylor:order=2", b.model, b.state, h);
    l.h[i] = h, l.impulse[i] = largest_difference(impulse, exact),
    l.taylor[i] = largest_difference(taylor, exact);
    l.largest_difference[i] = largest_difference(impulse, taylor);
    hn_state_free(exact), hn_state_free(impulse), hn_state_free(taylor);
  }
  tear_down(&b);
  return l;
}

/* schmitt2005, section 8: with one Newton step per time step, the impulse method and the Taylor method of
 * order 2 have truncation errors of O(h^3) each, and so has their difference. */
static void truncation_of_one_newton_step(void **state)
{
  (void)state;
  static const char *const scenes[] = { "double_pendulum", "box_pendulum" };
  static const char *const specs[] = { "impulse-sle:newton_steps=1",
                                       "impulse-newton:newton_steps=1,line_search=basic" };
  for (int s = 0; s < 2; s++)
    for (int m = 0; m < 2; m++) {
      local l = errors_of_a_step(specs[m], scenes[s], 0.02);
      printf(" %s, %s: %.2e to %.2e m, taylor %.2e to %.2e, difference %.2e to %.2e\n", scenes[s], specs[m],
             l.impulse[0], l.impulse[SIZES - 1], l.taylor[0], l.taylor[SIZES - 1], l.largest_difference[0],
             l.largest_difference[SIZES - 1]);
      check_near("order of the error of one step, impulses", hn_fit_order(l.h, l.impulse, SIZES), 3.0, 0.2);
      check_near("order of the error of one step, taylor 2", hn_fit_order(l.h, l.taylor, SIZES), 3.0, 0.2);
      check_near("order of their difference", hn_fit_order(l.h, l.largest_difference, SIZES), 3.0, 0.2);
    }
}

/* Theorem: both converge to the same motion. The order is 2; the joints, corrected in every step, err by the
 * error of one step. */
static void one_newton_step_converges(void **state)
{
  (void)state;
  static const char *const scenes[] = { "double_pendulum", "box_pendulum" };
  for (int s = 0; s < 2; s++) {
    convergence l = run_step_sizes("impulse-sle:newton_steps=1,tolerance=1e-16", scenes[s], 0.01, 0.3);
    check_near("order of the positions", hn_fit_order(l.h, l.position, SIZES), 2.0, 0.2);
    check_near("order of the velocities", hn_fit_order(l.h, l.velocity, SIZES), 2.0, 0.2);
    check_near("order of the drift", hn_fit_order(l.h, l.drift, SIZES), 3.0, 0.2);
    double h[SIZES], difference[SIZES];
    for (int i = 0; i < SIZES; i++) {
      hn_summary summary;
      h[i] = 0.01 / (1 << i);
      hn_state *impulse = reach("impulse-sle:newton_steps=1", scenes[s], h[i], 0.3, &summary);
      hn_state *taylor = reach("taylor:order=2", scenes[s], h[i], 0.3, &summary);
      difference[i] = largest_difference(impulse, taylor);
      hn_state_free(impulse), hn_state_free(taylor);
    }
    printf("  difference from taylor 2: %.2e to %.2e m\n", difference[0], difference[SIZES - 1]);
    check_near("order of the difference", hn_fit_order(h, difference, SIZES), 2.0, 0.2);
  }
}

/* Each Newton step takes one solution for the joints; one more is for the velocities. */
static void newton_steps_are_counted(void **state)
{
  (void)state;
  for (int steps = 1; steps <= 2; steps++) {
    char spec[64];
    snprintf(spec, sizeof spec, "impulse-sle:newton_steps=%d,tolerance=1e-16", steps);
    bench b = set_up("box_pendulum", spec);
    must_converge(&b, 0.01, 0.1, NULL, NULL);
    ASSERT_COUNT("solutions in ten steps", b.summary.work.solves, 10 * (unsigned)(steps + 1));
    tear_down(&b);
  }
}

/* ---- Step control -------------------------------------------------------------------------------------- */

/* The allowed error of a flight controls the division of steps. Equation 10 with n = 5: 1e-2 of the error
 * takes 1e2^(1/6) = 2.15 times the steps. */
static void step_control_divides_steps(void **state)
{
  (void)state;
  double error[3], flights[3];
  for (int m = 0; m < SOLVERS; m++) {
    printf(" %s\n", solver_specs[m]);
    for (int i = 0; i < 3; i++) {
      char spec[128];
      double desired = pow(10, -7 - 2 * i);
      snprintf(spec, sizeof spec, "%s:flight=taylor,flight_order=5,tolerance=1e-12,step_control=%.0e",
               solver_specs[m], desired);
      bench b = set_up("heavy_top", spec);
      must_converge(&b, 0.05, 0.25, NULL, NULL);
      bench exact = set_up("heavy_top", "taylor:order=16,stabilisation=projection");
      must_converge(&exact, 0.0005, 0.25, NULL, NULL);
      error[i] = largest_difference(b.state, exact.state);
      flights[i] = (double)b.summary.work.factorisations;
      printf("  allowed %.0e: %g impulse steps in 5 steps, %llu halvings, error %.2e m\n", desired,
             flights[i], (unsigned long long)b.summary.halvings, error[i]);
      tear_down(&b);
      tear_down(&exact);
    }
    assert_true(error[0] > error[1] && error[1] > error[2]);
    if (m == 1) continue; /* no factorisations */
    check_near("ratio of steps for 1e-2 of the error", flights[2] / flights[1], pow(1e2, 1.0 / 6), 0.3);
  }
}

/* The estimate is that of equation 9: the first omitted term of the flight, at the present step. */
static void estimate_is_the_omitted_term(void **state)
{
  (void)state;
  hn_error error = { "" };
  bench b = set_up("free_top", "impulse-sle:flight=taylor,flight_order=4");
  const double h = 0.05;
  double estimate = hn_system_flight_error(b.solver->system, b.state, h), omitted[4];
  hn_state *end[2];
  for (int order = 4; order <= 5; order++) {
    hn_flight_options options = { .kind = HN_TAYLOR, .order = order };
    assert_int_equal(hn_system_use_flight(b.solver->system, &options, &error), 0);
    end[order - 4] = hn_state_create(b.model);
    hn_system_flight(b.solver->system, b.state, h, end[order - 4]);
  }
  for (int i = 0; i < 4; i++) omitted[i] = end[1]->pose[1].q[i] - end[0]->pose[1].q[i];
  check_near("estimate over the difference of orders 4 and 5", estimate / norm_of(omitted, 4), 1.0, 0.05);
  hn_state_free(end[0]), hn_state_free(end[1]);
  tear_down(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(positions_do_not_need_the_velocity_correction),
    cmocka_unit_test(velocities_have_order_1_without_correction),
    cmocka_unit_test(truncation_of_one_newton_step),
    cmocka_unit_test(one_newton_step_converges),
    cmocka_unit_test(newton_steps_are_counted),
    cmocka_unit_test(step_control_divides_steps),
    cmocka_unit_test(estimate_is_the_omitted_term),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
