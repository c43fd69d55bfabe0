/* test_steppers.c - every stepper of solver lagrange: orders with fixed steps, errors against tolerances with
 * adaptive steps, exact end times, stiff problems, refused settings. */
#include "models.h"

#include <string.h>

/* Reference values of the double pendulum at t = 1, integrated in two formulations at 40 to 70 digits; see
 * doc/references.md. */
static const double position_at_1[2][3] = { { -0.5851683919988750689, -0.8109118034690646209, 0 },
                                            { -1.4448188499434757965, -1.3217944613814645558, 0 } };
static const double velocity_at_1[2][3] = { { -3.1806228021604616165, 2.2951940306368917789, 0 },
                                            { -3.8463536098580947779, 3.4154038965259580849, 0 } };
static const double tension_at_1[2] = { 41.636078872589814659, 19.945859696509005937 };

static double distance(const double a[3], const double b[3])
{
  return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

typedef struct errors {
  double position, velocity, force;
} errors;

/* Runs the double pendulum to t = 1; returns its errors, and the number of factorisations in *work unless
 * NULL. */
static errors run_to_1(const char *spec, double h, uint64_t *work)
{
  hn_model *model = double_pendulum();
  hn_solver *solver = new_solver(spec, model);
  hn_state *at = hn_state_create(model);
  hn_summary summary;
  hn_run_options options = { .step = h, .duration = 1.0 };
  if (hn_run(solver, at, &options, &summary) != HN_CONVERGED) fail_msg("%s", summary.explanation);
  errors e = { 0, 0, 0 };
  for (int i = 0; i < 2; i++) {
    e.position = larger(e.position, distance(at->pose[i + 1].x, position_at_1[i]));
    e.velocity = larger(e.velocity, distance(at->twist[i + 1].v, velocity_at_1[i]));
    e.force = larger(e.force, fabs(fabs(solver->multipliers[i]) - tension_at_1[i]));
  }
  if (work) *work = summary.work.factorisations;
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
  return e;
}

static int order_of(const char *spec)
{
  hn_model *model = double_pendulum();
  hn_solver *solver = new_solver(spec, model);
  int order = hn_solver_order(solver);
  hn_solver_free(solver);
  hn_model_free(model);
  return order;
}

/* Returns the largest difference of positions at t = 1 from rk8pd with a thousand steps. */
static double error_at_1(const hn_model *model, const char *spec, double h)
{
  hn_solver *solver = new_solver(spec, model), *fine = new_solver("lagrange:stepper=rk8pd", model);
  hn_state *at = hn_state_create(model), *expected = hn_state_create(model);
  hn_run_options options = { .step = h, .duration = 1.0 };
  hn_summary summary;
  if (hn_run(solver, at, &options, &summary) != HN_CONVERGED) fail_msg("%s", summary.explanation);
  options.step = 1e-3;
  assert_int_equal(hn_run(fine, expected, &options, &summary), HN_CONVERGED);
  double error = 0.0;
  for (int i = 1; i < model->nbody; i++) error = larger(error, distance(at->pose[i].x, expected->pose[i].x));
  hn_state_free(at), hn_state_free(expected);
  hn_solver_free(solver), hn_solver_free(fine);
  return error;
}

static const struct {
  const char *spec;
  int steps[6];
} fixed_step[] = {
  { "lagrange:stepper=euler", { 3200, 4800, 6400, 9600, 12800, 19200 } },
  { "lagrange:stepper=euler,stabilisation=projection", { 3200, 4800, 6400, 9600, 12800, 19200 } },
  { "lagrange:stepper=rk4", { 200, 280, 400, 560, 800, 1120 } },
  { "lagrange:stepper=rk4,stabilisation=projection", { 200, 280, 400, 560, 800, 1120 } },
  { "lagrange:stepper=rk1imp", { 100, 200, 400, 800, 1600, 3200 } },
  { "lagrange:stepper=rk2imp,error_tolerance=1e-12", { 50, 100, 200, 400, 800, 1600 } },
  { "lagrange:stepper=rk4imp,error_tolerance=1e-13", { 50, 70, 100, 140, 200, 280 } },
  { "lagrange:stepper=rk4imp,error_tolerance=1e-13,stabilisation=projection",
    { 50, 70, 100, 140, 200, 280 } },
};

static void fixed_steppers_have_their_order(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof fixed_step / sizeof *fixed_step; k++) {
    double h[6], position[6], velocity[6], force[6], order = order_of(fixed_step[k].spec);
    for (int i = 0; i < 6; i++) {
      h[i] = 1.0 / fixed_step[k].steps[i];
      errors e = run_to_1(fixed_step[k].spec, h[i], NULL);
      position[i] = e.position, velocity[i] = e.velocity, force[i] = e.force;
    }
    printf(" %s: errors %.2e to %.2e\n", fixed_step[k].spec, position[0], position[5]);
    check_near("order of positions", hn_fit_order(h, position, 6), order, 0.2);
    check_near("order of velocities", hn_fit_order(h, velocity, 6), order, 0.2);
    check_near("order of joint forces", hn_fit_order(h, force, 6), order, 0.2);
  }
}

/* One evaluation per stage. The joint forces at the end of a step come from the first stage of the next step:
 * one more in total. */
static void stages_are_not_evaluated_twice(void **state)
{
  (void)state;
  enum { STEPS = 10 };
  static const struct {
    const char *stepper;
    uint64_t stages;
  } cases[] = {
    { "euler", 1 }, { "rk2", 3 }, { "rk4", 4 }, { "rkf45", 6 }, { "rkck", 6 }, { "rk8pd", 13 },
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char spec[80];
    uint64_t work;
    snprintf(spec, sizeof spec, "lagrange:stepper=%s", cases[k].stepper);
    run_to_1(spec, 1.0 / STEPS, &work);
    ASSERT_COUNT(spec, work, STEPS * cases[k].stages + 1);
  }
}

/* Returns a box rotating in space on a rod at one of its ends. */
static hn_model *rotating_box(void)
{
  hn_error error;
  hn_model *model = new_model();
  hn_body_spec box = { .name = "box",
                       .kind = HN_RIGID,
                       .shape = { .kind = HN_BOX, .size = { 1.0, 0.1, 0.1 } },
                       .density = 1000,
                       .position = { 1.5, 0, 0 },
                       .orientation = { 1, 0, 0, 0 },
                       .velocity = { 0, 0, 3 },
                       .angular_velocity = { 0, 3, 0 } };
  hn_joint_spec rod = { .type = "distance", .a = 0, .b = 1, .has_points = true, .at_b = { 1, 0, 0 } };
  if (hn_model_add_body(model, &box, &error) < 0) fail_msg("%s", error.text);
  if (hn_model_add_joint(model, &rod, &error) < 0) fail_msg("%s", error.text);
  return model;
}

/* Returns a bar driven at a constant rate about its end, and a bead sliding on it. */
static hn_model *turned_bar(double rate)
{
  hn_error error;
  hn_model *model = new_model();
  hn_body_spec bar = { .name = "bar",
                       .kind = HN_RIGID,
                       .shape = { .kind = HN_BOX, .size = { 1.0, 0.1, 0.1 } },
                       .density = 1000,
                       .position = { 0.5, 0, 0 },
                       .orientation = { 1, 0, 0, 0 },
                       .velocity = { 0, 0.5 * rate, 0 },
                       .angular_velocity = { 0, 0, rate } };
  int body = hn_model_add_body(model, &bar, &error), bead = add_particle(model, "bead", 0.1, 0, 0);
  model->body[bead].twist0.v[1] = 0.1 * rate;
  const hn_joint_spec joints[] = {
    { .type = "hinge", .a = 0, .b = body, .has_points = true, .axis_a = { 0, 0, 1 } },
    { .type = "drive_angle",
      .a = 0,
      .b = body,
      .axis_a = { 0, 0, 1 },
      .motion = { .polynomial = { 0, rate } } },
    { .type = "point_on_line",
      .a = body,
      .b = bead,
      .has_points = true,
      .at_a = { 0.1, 0, 0 },
      .at_b = { 0.1, 0, 0 },
      .axis_a = { 1, 0, 0 } },
  };
  for (int j = 0; j < 3; j++)
    if (hn_model_add_joint(model, &joints[j], &error) < 0) fail_msg("%s", error.text);
  return model;
}

/* The first trial step is far too large: its stages are not finite (whirl), or rotate the bar until its
 * constraints are dependent. Fixed steps fail; adaptive ones must reduce the step. */
static void failed_trial_stages_reduce_the_step(void **state)
{
  (void)state;
  static const char *const steppers[] = { "rk4",     "rkf45",  "rkck",  "rk8pd",
                                          "msadams", "rk4imp", "bsimp", "msbdf" };
  hn_model *models[] = { rotating_box(), turned_bar(7.0), turned_bar(1.0) };
  const double h[] = { 5, 3, 20 };
  static const hn_reason expected[] = { HN_NOT_FINITE, HN_SINGULAR, HN_SINGULAR };
  for (size_t m = 0; m < 3; m++) {
    hn_solver *fixed = new_solver("lagrange:stepper=rk8pd", models[m]);
    hn_state *at = hn_state_create(models[m]);
    char text[256];
    hn_reason reason = hn_solver_step(fixed, at, h[m]);
    hn_solver_explain(fixed, reason, h[m], text, sizeof text);
    printf("  %s\n", text);
    assert_int_equal(reason, expected[m]);
    assert_non_null(strstr(text, "trial stage"));
    hn_state_free(at);
    hn_solver_free(fixed);
  }
  for (size_t k = 0; k < sizeof steppers / sizeof *steppers; k++)
    for (size_t m = 0; m < 3; m++) {
      char spec[128], what[160];
      snprintf(spec, sizeof spec, "lagrange:adaptive=true,error_tolerance=1e-7,stepper=%s", steppers[k]);
      hn_solver *solver = new_solver(spec, models[m]);
      hn_state *at = hn_state_create(models[m]);
      hn_reason reason = m == 2 ? HN_CONVERGED
                                : hn_solver_step(solver, at, h[m]); /* e^20 metres are too many */
      hn_solver_explain(solver, reason, h[m], what, sizeof what);
      if (reason != HN_CONVERGED) fail_msg("%s", what);
      snprintf(what, sizeof what, "%s, model %zu: error at 1 s", spec, m);
      check_below(what, error_at_1(models[m], spec, 1.0), 1e-3);
      hn_state_free(at);
      hn_solver_free(solver);
    }
  for (size_t m = 0; m < 3; m++) hn_model_free(models[m]);
}

/* Returns the error |(x, v) - exact| of one step on the circle of radius 1 m, at 1 rad/s, without gravity. */
static double error_on_circle(const char *spec, double h)
{
  const double none[3] = { 0, 0, 0 }, x[3] = { cos(h), sin(h), 0 }, v[3] = { -sin(h), cos(h), 0 };
  hn_model *model = hn_model_create(none);
  add_rod(model, 0, add_particle(model, "a", 1, 0, 0));
  hn_solver *solver = new_solver(spec, model);
  hn_state *at = hn_state_create(model);
  at->twist[1].v[1] = 1;
  assert_int_equal(hn_solver_step(solver, at, h), HN_CONVERGED);
  double error = hypot(distance(at->pose[1].x, x), distance(at->twist[1].v, v));
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
  return error;
}

/* Order 13 reaches rounding before its asymptotic range: the fit of these steps is 13.2 for the local error
 * of order 14. They are compared with the same tableau, the extrapolated midpoint rule with 2, 6, 10, 14, 22,
 * 34, 50 parts, computed separately with 60 digits and a Jacobian of 30. Its local order is 13.66, 13.86,
 * 13.960, 13.990, 13.997 between h = 1.5, 1, 1/2, 1/4, 1/8, 1/16. */
static void bsimp_has_its_order(void **state)
{
  (void)state;
  static const double h[6] = { 3, 2.75, 2.5, 2.25, 1.75, 1.5 },
                      expected[6] = { 8.0448377e-10, 2.5818967e-10, 7.3782285e-11,
                                      1.8313734e-11, 6.373287e-13,  7.9509e-14 };
  assert_int_equal(order_of("lagrange:stepper=bsimp"), 13);
  for (int i = 0; i < 6; i++) {
    char what[80];
    double error = error_on_circle("lagrange:stepper=bsimp", h[i]);
    snprintf(what, sizeof what, "h = %.2f: local error %.3e over that of 60 digits", h[i], error);
    check_near(what, error / expected[i], 1.0, 0.05);
  }
}

/* With an error estimate of order h^q and global order p the error is proportional to tolerance^(p/q). */
static void errors_follow_the_tolerance(void **state)
{
  (void)state;
  static const struct {
    const char *stepper;
    double tightest, slope, bound;
  } cases[] = {
    { "rk2", 1e-10, 1.0, 0.15 },   { "rk4", 1e-12, 0.8, 0.15 },       { "rkf45", 1e-12, 1.0, 0.15 },
    { "rkck", 1e-12, 1.0, 0.15 },  { "rk8pd", 1e-12, 1.0, 0.25 },     { "msadams", 1e-12, 0.95, 0.2 },
    { "rk1imp", 1e-5, 0.5, 0.15 }, { "rk2imp", 1e-8, 2.0 / 3, 0.15 }, { "rk4imp", 1e-10, 0.8, 0.15 },
    { "msbdf", 1e-11, 0.9, 0.2 },
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    double tolerance[6], error[6], worst = 0.0;
    for (int i = 0; i < 6; i++) {
      char spec[128];
      tolerance[i] = pow(10, -3 + i * (log10(cases[k].tightest) + 3) / 5);
      snprintf(spec, sizeof spec, "lagrange:adaptive=true,stepper=%s,error_tolerance=%.17g", cases[k].stepper,
               tolerance[i]);
      error[i] = run_to_1(spec, 0.25, NULL).position;
      if (i > 0) assert_true(error[i] < error[i - 1]);
      worst = larger(worst, error[i] / tolerance[i]);
    }
    printf(" %s: error %.2e at %.0e, %.2e at %.0e; at most %.2g times the tolerance\n", cases[k].stepper,
           error[0], tolerance[0], error[5], tolerance[5], worst);
    check_near("slope of error against tolerance", hn_fit_order(tolerance, error, 6), cases[k].slope,
               cases[k].bound);
  }
}

typedef struct ends {
  const hn_state *const *expected; /* [15] */
  double step, error;
} ends;

static bool compare_end(void *user, const hn_frame *frame)
{
  ends *e = user;
  long last = hn_step_count(e->step, 1.0);
  assert_true(frame->state->time == (frame->index == last ? 1.0 : (double)frame->index * e->step));
  for (int i = 1; i < frame->state->nbody; i++)
    e->error = larger(e->error, distance(frame->state->pose[i].x, e->expected[frame->index]->pose[i].x));
  return true;
}

/* Adaptive steps end at the requested times to the bit, 0.07 s apart (the last one 0.02), with the right
 * states. */
static void steps_end_at_requested_times(void **state)
{
  (void)state;
  enum { ENDS = 16 };
  static const char *const steppers[] = { "rk2",     "rk4",    "rkf45",  "rkck",  "rk8pd",
                                          "msadams", "rk2imp", "rk4imp", "bsimp", "msbdf" };
  hn_model *model = double_pendulum();
  hn_solver *fine = new_solver("lagrange:stepper=rk8pd", model);
  hn_state *expected[ENDS];
  for (int k = 0; k < ENDS; k++) {
    double end = k == ENDS - 1 ? 1.0 : 0.07 * k;
    expected[k] = hn_state_create(model);
    for (int i = 0; i < 200 && k > 0; i++)
      assert_int_equal(hn_solver_step(fine, expected[k], end / 200), HN_CONVERGED);
  }
  for (size_t k = 0; k < sizeof steppers / sizeof *steppers; k++) {
    char spec[128], what[80];
    snprintf(spec, sizeof spec, "lagrange:adaptive=true,stepper=%s,error_tolerance=1e-7", steppers[k]);
    hn_solver *solver = new_solver(spec, model);
    hn_state *at = hn_state_create(model);
    hn_summary summary;
    ends e = { (const hn_state *const *)expected, 0.07, 0 };
    hn_run_options options = { .step = e.step, .duration = 1.0, .observe = compare_end, .user = &e };
    assert_int_equal(hn_run(solver, at, &options, &summary), HN_CONVERGED);
    assert_int_equal(summary.steps, ENDS - 1);
    snprintf(what, sizeof what, "%s: largest error at the ends", steppers[k]);
    check_below(what, e.error, 5e-5);
    hn_state_free(at);
    hn_solver_free(solver);
  }
  for (int k = 0; k < ENDS; k++) hn_state_free(expected[k]);
  hn_solver_free(fine);
  hn_model_free(model);
}

/* Baumgarte's terms with 2e5 / s are stiff: stability limits explicit steppers, not these two. (rk4imp has no
 * damping, and is limited by its error.) The number of evaluations of msbdf depends on the last bits of its
 * step sizes: with another rounding of pow 200934 to 241865 in nine trials. At 1e5 / s it is 140000 to
 * 206000, where rkf45 needs 489000. */
static void implicit_steppers_solve_stiff_problems(void **state)
{
  (void)state;
  static const char *const steppers[] = { "rkf45", "msbdf", "bsimp" };
  uint64_t work[3];
  for (int k = 0; k < 3; k++) {
    char spec[160], what[80];
    snprintf(
      spec, sizeof spec,
      "lagrange:adaptive=true,error_tolerance=1e-6,stabilisation=baumgarte,alpha=2e5,beta=2e5,stepper=%s",
      steppers[k]);
    errors e = run_to_1(spec, 0.5, &work[k]);
    snprintf(what, sizeof what, "%s: %llu evaluations, error", steppers[k], (unsigned long long)work[k]);
    check_below(what, e.position, 3e-3);
  }
  for (int k = 1; k < 3; k++) assert_true(work[k] < work[0] / 3);
}

/* A component that starts at the rounding error of zero must not stall bsimp. */
static void bsimp_starts_near_zero(void **state)
{
  (void)state;
  hn_model *model = new_model();
  add_rod(model, 0, add_particle(model, "a", 6e-17, -1, 1e-18));
  add_rod(model, 1, add_particle(model, "b", 1, -1, 3e-17));
  hn_solver *bsimp = new_solver("lagrange:stepper=bsimp", model),
            *fine = new_solver("lagrange:stepper=rk8pd", model);
  hn_state *a = hn_state_create(model), *b = hn_state_create(model);
  for (int i = 0; i < 10; i++) assert_int_equal(hn_solver_step(bsimp, a, 0.05), HN_CONVERGED);
  for (int i = 0; i < 200; i++) assert_int_equal(hn_solver_step(fine, b, 0.0025), HN_CONVERGED);
  check_below("first particle, difference from rk8pd", distance(a->pose[1].x, b->pose[1].x), 1e-12);
  check_below("second particle, difference from rk8pd", distance(a->pose[2].x, b->pose[2].x), 1e-12);
  assert_memory_equal(&a->pose[0], &b->pose[0], sizeof a->pose[0]); /* the ground has not moved */
  hn_state_free(a), hn_state_free(b);
  hn_solver_free(bsimp), hn_solver_free(fine);
  hn_model_free(model);
}

static void failures_are_reported(void **state)
{
  (void)state;
  static const struct {
    const char *spec;
    double step;
  } cases[] = {
    { "lagrange:stepper=rk1imp", 5 },
    { "lagrange:stepper=rk4imp", 5 },
  };
  hn_model *model = double_pendulum();
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    hn_solver *solver = new_solver(cases[k].spec, model), *fresh = new_solver(cases[k].spec, model);
    hn_state *at = hn_state_create(model), *before = hn_state_create(model);
    at->twist[1].v[1] = before->twist[1].v[1] = 30, at->twist[2].v[1] = before->twist[2].v[1] = 60;
    hn_reason reason = hn_solver_step(solver, at, cases[k].step);
    char text[256];
    hn_solver_explain(solver, reason, cases[k].step, text, sizeof text);
    printf("  %s\n", text);
    assert_int_equal(reason, HN_STALLED);
    assert_memory_equal(at->pose, before->pose, sizeof(hn_pose) * 3);
    assert_memory_equal(at->twist, before->twist, sizeof(hn_twist) * 3);
    assert_int_equal(hn_solver_step(solver, at, 0.001), HN_CONVERGED);
    assert_int_equal(hn_solver_step(fresh, before, 0.001), HN_CONVERGED);
    assert_memory_equal(at->twist, before->twist, sizeof(hn_twist) * 3);
    hn_state_free(at), hn_state_free(before);
    hn_solver_free(solver), hn_solver_free(fresh);
  }
  hn_model_free(model);
}

/* On the circle an eigenvalue of the Jacobian is 1 / s: with h = 2 s the matrix I - J h / 2 of the first
 * midpoint rule of bsimp is singular. */
static void singular_matrices_are_reported(void **state)
{
  (void)state;
  const double none[3] = { 0, 0, 0 };
  hn_model *model = hn_model_create(none);
  add_rod(model, 0, add_particle(model, "a", 1, 0, 0));
  hn_solver *solver = new_solver("lagrange:stepper=bsimp", model);
  hn_state *at = hn_state_create(model);
  at->twist[1].v[1] = 1;
  assert_int_equal(hn_solver_step(solver, at, 2.0), HN_STALLED);
  assert_true(at->pose[1].x[0] == 1 && at->twist[1].v[1] == 1);
  assert_int_equal(hn_solver_step(solver, at, 1.9), HN_CONVERGED);
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
}

static void invalid_settings_are_refused(void **state)
{
  (void)state;
  static const bad_spec bad[] = {
    { "lagrange:stepper=msadams", "stepper=msadams chooses its order by its error: it needs adaptive=true" },
    { "lagrange:stepper=msbdf", "stepper=msbdf chooses its order by its error: it needs adaptive=true" },
    { "lagrange:stepper=rk3imp", "one of euler,rk2,rk4" },
    { "lagrange:stepper=rk4imp,error_tolerance=0", "outside" },
  };
  hn_model *model = double_pendulum();
  check_refused(model, bad, sizeof bad / sizeof *bad);
  hn_model_free(model);
  static const bad_spec large[] = { { "lagrange:stepper=bsimp",
                                      "dense matrices, for at most 4000 unknowns" } };
  model = box_chain(400);
  check_refused(model, large, 1);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(fixed_steppers_have_their_order),
    cmocka_unit_test(stages_are_not_evaluated_twice),
    cmocka_unit_test(failed_trial_stages_reduce_the_step),
    cmocka_unit_test(bsimp_has_its_order),
    cmocka_unit_test(errors_follow_the_tolerance),
    cmocka_unit_test(steps_end_at_requested_times),
    cmocka_unit_test(implicit_steppers_solve_stiff_problems),
    cmocka_unit_test(bsimp_starts_near_zero),
    cmocka_unit_test(failures_are_reported),
    cmocka_unit_test(singular_matrices_are_reported),
    cmocka_unit_test(invalid_settings_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
