/* test_overconstrained.c - linkages with redundant rows at consistent positions, solved by impulse-gs: rows
 * that contradict each other within the tolerance of positions, and rows that contradict each other outright.
 * Compared with closed forms. */
#include "loops.h"
#include "mechanisms.h"
#include "timestepping/stagnation.h"

#include <stdlib.h>

/* ---- Bennett's linkage, in closed form ----------------------------------------------------------------- */

/* The first link turns by theta about z, the third by phi about -y, with r = sin 45 / sin 90:
 *    cos phi = (r + cos theta) / (1 + r cos theta),    sin phi = r sin theta / (1 + r cos theta)
 * The hinges on the second link are 1 m apart. V = g r sin theta: the linkage swings from theta = 1 to -pi -
 * 1 and back. */
static const double r = 0.70710678118654752440, g = 9.81;

typedef struct linkage {
  double first[3], third[3]; /* m: centres of two links */
} linkage;

static linkage linkage_at(double theta)
{
  const double denominator = 1 + r * cos(theta);
  return (
    linkage){ { 0.5 * r * cos(theta), 0.5 * r * sin(theta), 0 },
              { 0.5 * r * (r + cos(theta)) / denominator - 1, 0, 0.5 * r * r * sin(theta) / denominator } };
}

static double distance_from(const hn_state *at, const linkage *known)
{
  return fmax(distance(at->pose[1].x, known->first), distance(at->pose[3].x, known->third));
}

/* Returns twice the kinetic energy at a rate of 1 rad/s. The second link rotates about the axes of both its
 * hinges. */
static double inertia_at(double theta)
{
  const double c = cos(theta), s = sin(theta), denominator = 1 + r * c, rate = r / denominator;
  const double a[3] = { -r * s, r * c, 0 },
               b[3] = { -rate * r * r * s / denominator, 0, rate * r * (r + c) / denominator };
  double sum[3];
  for (int i = 0; i < 3; i++) sum[i] = a[i] + b[i];
  return 0.25 * (vec_dot(a, a) + vec_dot(b, b) + vec_dot(sum, sum)) +
         0.1 * (1 + rate * rate + 1 + rate * rate - 2 * rate * r);
}

/* Returns the time (s) from rest at theta = 1 to the lowest point, theta = -pi/2, with the kinetic energy g r
 * (sin 1 - sin theta). With theta = a sin x - pi/2 the integrand is smooth: Simpson's rule, with its limit at
 * the end at rest. */
static double time_to_lowest(void)
{
  enum { PARTS = 2000 };
  const double pi = 3.14159265358979323846, a = 1 + 0.5 * pi, h = 0.5 * pi / PARTS;
  double sum = 0.0;
  for (int i = 0; i <= PARTS; i++) {
    const double x = i * h, theta = a * sin(x) - 0.5 * pi, left = a * pow(sin(0.5 * (0.5 * pi - x)), 2);
    const double energy = 2 * g * r * sin(a - left) * sin(left); /* (1 - sin x) a / 2 = left */
    const double slope = i < PARTS ? a * cos(x) / sqrt(2 * energy) : sqrt(a / (g * r * sin(a)));
    sum += (i == 0 || i == PARTS ? 1 : i % 2 ? 4 : 2) * slope * sqrt(inertia_at(theta));
  }
  return sum * h / 3;
}

static void bennett_reaches_its_lowest_point_in_time(void **state)
{
  (void)state;
  enum { SIZES = 6 };
  const double t = time_to_lowest();
  const linkage known = linkage_at(-1.57079632679489661923);
  double h[SIZES], error[SIZES];
  hn_model *model = bennett();
  for (int k = 0; k < SIZES; k++) {
    hn_solver *solver = new_solver("impulse-gs", model);
    hn_state *at = hn_state_create(model);
    hn_summary summary;
    hn_run_options options = { .step = h[k] = t / (32 << k), .duration = t };
    if (hn_run(solver, at, &options, &summary) != HN_CONVERGED) fail_msg("%s", summary.explanation);
    error[k] = distance_from(at, &known);
    printf("  h = %.6f s: error %.3e m, %.1f + %.1f sweeps\n", h[k], error[k],
           summary.position_iterations_mean, summary.velocity_iterations_mean);
    hn_state_free(at);
    hn_solver_free(solver);
  }
  check_near("order", hn_fit_order(h, error, SIZES), 2, 0.2);
  hn_model_free(model);
}

/* Each joint is satisfied to 1e-9: four joints of up to 1 m, over the smallest singular value of the rows,
 * 0.3. */
static bool watch_loop(void *user, const hn_frame *frame)
{
  const double *x = frame->state->pose[1].x;
  const linkage known = linkage_at(atan2(x[1], x[0]));
  double *worst = user;
  *worst = larger(*worst, distance_from(frame->state, &known));
  return true;
}

static void bennett_keeps_swinging(void **state)
{
  (void)state;
  static const char *const spec[] = { "impulse-gs", "impulse-gs:relaxation=1.3" };
  static const double step[] = { 0.02, 0.01, 0.003 };
  hn_model *model = bennett();
  for (int i = 0; i < 6; i++) {
    double worst = 0.0;
    hn_solver *solver = new_solver(spec[i / 3], model);
    hn_state *at = hn_state_create(model);
    hn_summary summary;
    hn_run_options options = { .step = step[i % 3], .duration = 10, .observe = watch_loop, .user = &worst };
    if (hn_run(solver, at, &options, &summary) != HN_CONVERGED) fail_msg("%s", summary.explanation);
    printf(" %s, h = %g s, 10 s\n", spec[i / 3], step[i % 3]);
    check_below("error of the loop, m", worst, 4e-9 / 0.3);
    check_below("joint error, m, rad", summary.position_max, 1e-9);
    check_below("joint velocity error, m/s, rad/s", summary.velocity_max, 1e-9);
    hn_state_free(at);
    hn_solver_free(solver);
  }
  hn_model_free(model);
}

/* ---- Drives of two hinges of Bennett's linkage --------------------------------------------------------- */

static void add_drive(hn_model *model, int a, int b, const double axis[3], double rate)
{
  hn_error error;
  hn_joint_spec drive = { .type = "drive_angle",
                          .name = a ? "third" : "first",
                          .a = a,
                          .b = b,
                          .has_points = true,
                          .motion.polynomial = { 0, rate } };
  vec_copy(drive.axis_a, axis);
  if (hn_model_add_joint(model, &drive, &error) < 0) fail_msg("%s", error.text);
}

/* Opposite hinges rotate alike, with opposite sign as a and b are. `off` rad/s exceeds the tolerance of
 * velocities; the effect on positions in a step of 5 ms is below their tolerance. */
static void drives_run_if_consistent(void **state)
{
  (void)state;
  static const double z[3] = { 0, 0, 1 },
                      third[3] = { -0.30442824701382626, 0.70710678118654768, 0.63821896118815569 };
  static const double off[] = { 0, 2e-8, 1e-7, 1e-3 };
  const double rate = 2.0, t = 1.5;
  for (int i = 0; i < 4; i++) {
    char text[256];
    hn_model *model = bennett();
    model->loose = true; /* from rest */
    add_drive(model, 0, 1, z, rate);
    add_drive(model, 2, 3, third, -rate - off[i]);
    hn_solver *solver = new_solver("impulse-gs", model);
    hn_state *at = hn_state_create(model);
    hn_reason reason = HN_CONVERGED;
    int steps = 0;
    for (; steps < 300 && reason == HN_CONVERGED; steps++) reason = hn_solver_step(solver, at, t / 300);
    hn_solver_explain(solver, reason, t / 300, text, sizeof text);
    printf(" difference of rates %g rad/s: %d steps, %s\n", off[i], steps,
           reason == HN_CONVERGED ? "converged" : text);
    if (off[i] == 0) {
      const linkage known = linkage_at(1 + rate * t);
      assert_int_equal(reason, HN_CONVERGED);
      check_below("error of the driven position, m", distance_from(at, &known), 5e-9 / 0.3);
    } else {
      assert_int_equal(reason, HN_STALLED);
      ASSERT_COUNT("steps until detection", steps, 1);
    }
    hn_state_free(at);
    hn_solver_free(solver);
    hn_model_free(model);
  }
}

/* ---- Walking machine ----------------------------------------------------------------------------------- */

/* With hinges at every pivot the legs have 12 redundant rows; the motion is unchanged. */
static void hinges_do_not_change_the_machine(void **state)
{
  (void)state;
  const hn_setting hinges = { "hinges", "true" };
  bench plain = set_up("walking_machine", "impulse-gs"),
        b = set_up_with("walking_machine", &hinges, "impulse-gs");
  must_converge(&plain, 0.01, 0.2, NULL, NULL);
  must_converge(&b, 0.01, 0.2, NULL, NULL);
  double difference = 0.0;
  for (int i = 1; i < b.state->nbody; i++)
    difference = larger(difference, distance(b.state->pose[i].x, plain.state->pose[i].x));
  check_below("difference with and without hinges, m", difference, 1e-7);
  tear_down(&plain), tear_down(&b);
}

/* ---- Stagnation ---------------------------------------------------------------------------------------- */

/* Simulates sweeps with residual `floor` plus a part that decays by `factor`, every second residual larger by
 * `floor`. Returns the number of sweeps at the end; negative on stagnation. */
static int simulate_sweeps(double floor, double factor, int limit)
{
  hn_stagnation stagnation;
  hn_stagnation_begin(&stagnation);
  double part = 1.0;
  for (int count = 1; count <= limit; count++, part *= factor) {
    const double residual = floor * (1 + count % 2) + part;
    if (residual <= 1e-9) return count;
    if (hn_stagnates(&stagnation, count, residual, 1e-9, limit)) return -count;
  }
  return limit + 1;
}

static void sweeps_that_decay_do_not_stagnate(void **state)
{
  (void)state;
  for (int needed = 1; needed <= 99999; needed = needed * 5 / 4 + 1) {
    const double factor = pow(1e-9, 1.0 / needed);
    const int count = simulate_sweeps(0.0, factor, 100000);
    if (abs(count - needed) > 2) fail_msg("%d sweeps instead of %d", count, needed);
    /* The gain must fall to 0.5e-9 over 1e5 sweeps, 5e-15: 1.6 times as many sweeps as for 1e-9. Stagnation
     * is detected at the latest when their number has doubled twice from there. */
    const int stopped = -simulate_sweeps(1.5e-9, factor, 100000);
    if (stopped < 0 && needed < 10000) fail_msg("sweeps that need %d do not stagnate", needed);
    if (stopped > 6.4 * needed + 128) fail_msg("sweeps that need %d stagnate after %d", needed, stopped);
  }
  assert_true(simulate_sweeps(0.0, 1 - 1e-6, 100000) < 0);
  assert_int_equal(simulate_sweeps(0.0, 0.99, 50), 51); /* too few to decide */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bennett_reaches_its_lowest_point_in_time),
    cmocka_unit_test(bennett_keeps_swinging),
    cmocka_unit_test(drives_run_if_consistent),
    cmocka_unit_test(hinges_do_not_change_the_machine),
    cmocka_unit_test(sweeps_that_decay_do_not_stagnate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
