/* test_contact_measures.c - contact measures of runs: small if the contact law is satisfied; equal to the
 * theoretical value if the solver satisfies another law. */
#include "scenes.h"
#include "base/vec.h"
#include "measure/contact_measure.h"

/* 25 balls and the four corners of a tray. */
static void residuals_vanish_if_the_law_is_satisfied(void **unused)
{
  (void)unused;
  bench b = set_up("ball_tray", "moreau:contact=newton,contact_tolerance=1e-13");
  must_converge(&b, 0.001, 0.05, NULL, NULL);
  const hn_contact_measure *m = &b.summary.contact;
  ASSERT_COUNT("contacts", (unsigned)m->contacts, 29);
  /* the tolerance, and rounding of impulses times 1/mass */
  check_below("residual of the law, m/s", m->residual, 1e-12);
  check_below("balance, N s", m->balance, 1e-13);
  check_below("friction beyond the cone, N s", m->cone_excess, 1e-13);
  check_below("penetration, m", m->penetration, 1e-9); /* tolerance of the projection */
  tear_down(&b);
}

/* A contact that slides with v_t lifts off with mu v_t. The residual of the law is the part of that velocity
 * along the edge of the cone, mu v_t / sqrt(1 + mu^2). v_t grows, so that the last step has the largest
 * residual. */
static void another_law_has_the_expected_residual(void **unused)
{
  (void)unused;
  const double mu = 0.4;
  bench b = set_up("ball_tray", "moreau:contact=apgd,contact_tolerance=1e-10,stabilisation=none");
  must_converge(&b, 0.001, 0.02, NULL, NULL);
  const double *v = b.state->twist[2].v, expected = mu * norm_of(v, 2) / sqrt(1 + mu * mu);
  check_near("residual over the expected one", b.summary.contact.residual / expected, 1.0, 1e-5);
  check_below("balance, N s", b.summary.contact.balance, 1e-13);
  tear_down(&b);
}

/* Ten cubes, each with its own friction coefficient, slide: every contact is measured by its own cone. They
 * lose energy, and gain none. */
static void sliding_is_measured_by_its_own_cone(void **unused)
{
  (void)unused;
  bench b = set_up("sliding_cubes", "moreau:contact=newton");
  must_converge(&b, 0.01, 0.1, NULL, NULL);
  check_below("residual of the law, m/s", b.summary.contact.residual, 1e-12); /* tolerance 1e-9 */
  assert_true(b.summary.collides && b.summary.energy_final < b.summary.energy_initial);
  check_below("energy gained in a step, J", b.summary.energy_gain, 1e-12 * fabs(b.summary.energy_initial));
  tear_down(&b);
}

/* Light boxes that rotate during impact: nonlinear rotation leaves a closing gap open by 4e-2 m/s at this
 * step size. The residual is measured for the law as posed, at the velocities at the end or at their mean,
 * and meets the tolerance of moreau. A law that is violated is still detected. */
static void rotating_bodies_are_measured_by_their_velocities(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "moreau", "moreau:theta=0.5,stabilisation=none" };
  for (int k = 0; k < 2; k++) {
    bench b = set_up("heavy_chain", specs[k]);
    must_converge(&b, 0.002, 1.0, NULL, NULL);
    printf("%s\n", specs[k]);
    check_below("residual of the law, m/s", b.summary.contact.residual, 1e-9); /* ten times the tolerance */
    tear_down(&b);
  }
  bench b = set_up("heavy_chain", "moreau:contact_tolerance=1e-3");
  must_converge(&b, 0.002, 1.0, NULL, NULL);
  printf("solved to 1e-3 m/s: residual %g m/s\n", b.summary.contact.residual);
  assert_true(b.summary.contact.residual > 1e-5);
  tear_down(&b);
}

/* A change of velocity that no impulse explains is reported as m |v|, a change of angular velocity as m
 * |w|_J. */
static void unexplained_momentum_is_reported(void **unused)
{
  (void)unused;
  static const double h = 0.002, extra = 1e-3;
  bench b = set_up("pyramid", "moreau");
  hn_contact_measure m;
  hn_contact_meter *meter = hn_contact_meter_create(b.model, &(hn_contact_law){ .corners = 0 }, NULL);
  hn_state *before = hn_state_create(b.model);
  const hn_body *body = &b.model->body[2];
  assert_true(meter && before);
  hn_state_copy(before, b.state);
  assert_int_equal(hn_solver_step(b.solver, b.state, h), HN_CONVERGED);
  hn_contact_meter_read(meter, before, b.state, h, b.solver->multipliers, &m);
  check_below("balance, N s", m.balance, 1e-13 * body->mass);
  for (int c = 0; c < 3; c++) {
    b.state->twist[2].v[c] += extra;
    hn_contact_meter_read(meter, before, b.state, h, b.solver->multipliers, &m);
    check_near("velocity added, balance over m v", m.balance / (body->mass * extra), 1.0, 1e-9);
    b.state->twist[2].v[c] -= extra;
    b.state->twist[2].w[c] += extra;
    hn_contact_meter_read(meter, before, b.state, h, b.solver->multipliers, &m);
    const double unit = sqrt(body->mass * body->J[c]) * extra;
    check_near("angular velocity added, balance over (m J)^1/2 w", m.balance / unit, 1.0, 1e-9);
    b.state->twist[2].w[c] -= extra;
  }
  hn_state_free(before);
  hn_contact_meter_free(meter);
  tear_down(&b);
}

/* A box that enters a floor without an impulse violates the law of its closed contacts by its speed. */
static void closed_contacts_are_measured(void **unused)
{
  (void)unused;
  static const double h = 0.002, depth = 1e-3, speed = 0.3;
  bench b = set_up_as("pyramid", WITH("rows=1"), "moreau");
  hn_contact_measure m;
  hn_contact_meter *meter = hn_contact_meter_create(b.model, &(hn_contact_law){ .corners = 0 }, NULL);
  assert_non_null(meter);
  assert_int_equal(hn_solver_step(b.solver, b.state, h), HN_CONVERGED);
  for (int i = 0; i < b.state->ncontact; i++) vec_set(b.state->contact[i].impulse, 0, 0, 0);
  b.state->pose[2].x[2] -= depth;
  vec_set(b.state->twist[2].v, 0, 0, -speed);
  hn_contact_meter_read(meter, b.state, b.state, h, b.solver->multipliers, &m);
  ASSERT_COUNT("contacts", (unsigned)m.contacts, 4);
  check_near("residual over the speed", m.residual / speed, 1.0, 1e-12);
  hn_contact_meter_free(meter);
  tear_down(&b);
}

static double reported; /* N s: impulse of every contact of the solver below */

static int set_up_nothing(hn_solver *solver, hn_error *error)
{
  (void)solver, (void)error;
  return 0;
}

/* Moves nothing, and reports an impulse. */
static hn_reason report_impulse(hn_solver *solver, hn_state *state, double h)
{
  (void)solver;
  state->time += h;
  for (int i = 0; i < state->ncontact; i++) state->contact[i].impulse[1] = reported;
  return HN_CONVERGED;
}

/* A run does not converge with a residual that is no number: it ends before the step. */
static void measures_are_numbers(void **unused)
{
  (void)unused;
  static const hn_param none[] = { { .key = NULL } };
  static const hn_solver_type liar = { .abi = HN_ABI,
                                       .name = "liar",
                                       .summary = "",
                                       .citation = "",
                                       .params = none,
                                       .capabilities = HN_CAN_CONE | HN_CAN_PUSH | HN_CAN_CHANGE,
                                       .setup = set_up_nothing,
                                       .step = report_impulse };
  const hn_solver_type *own[] = { &liar, NULL };
  const double values[] = { 0, NAN, INFINITY, 1e200 };
  bench b = set_up("sliding_to_rolling", "moreau");
  ((hn_model *)b.model)->own_solvers = own;
  for (int i = 0; i < 4; i++) {
    hn_summary summary;
    hn_solver *solver = new_solver("liar", b.model);
    hn_state *state = hn_state_create(b.model);
    reported = values[i];
    const hn_reason reason = hn_run(solver, state, &(hn_run_options){ .step = 0.01, .duration = 0.1 },
                                    &summary);
    printf("  impulse %g N s: %s, %ld steps, residual %g %s\n", reported, hn_reason_name(reason),
           summary.steps, summary.contact.residual, summary.explanation);
    assert_int_equal(reason, i == 0 ? HN_CONVERGED : HN_NOT_FINITE);
    ASSERT_COUNT("steps", summary.steps, i == 0 ? 10 : 0);
    assert_true(isfinite(summary.contact.residual));
    hn_state_free(state), hn_solver_free(solver);
  }
  ((hn_model *)b.model)->own_solvers = NULL;
  tear_down(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(residuals_vanish_if_the_law_is_satisfied),
    cmocka_unit_test(another_law_has_the_expected_residual),
    cmocka_unit_test(closed_contacts_are_measured),
    cmocka_unit_test(sliding_is_measured_by_its_own_cone),
    cmocka_unit_test(rotating_bodies_are_measured_by_their_velocities),
    cmocka_unit_test(unexplained_momentum_is_reported),
    cmocka_unit_test(measures_are_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
