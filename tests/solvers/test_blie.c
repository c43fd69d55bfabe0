/* test_blie.c - BDF on the Lie group: the order with and without the correction, in the first steps as well,
 * and after a change of the step size. Compared with fine runs of another formulation. */
#include "scenes.h"
#include "base/vec.h"

#include <stdlib.h>

/* An independent formulation. */
static const char *const finest = "lagrange:stepper=rk8pd,stabilisation=projection";

enum { SIZES = 6 };

/* Errors of a state and its joint forces. */
typedef struct errors {
  double position, velocity, force;
} errors;

static double distance(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

/* Computes the errors of SPEC after STEPS steps of H, and then MORE steps of LATER, against the reference
 * with steps of H / 8 or less. */
static errors errors_after(const char *scene, const char *spec, double h, int steps, double later, int more)
{
  errors e = { 0 };
  bench b = set_up(scene, spec), r = set_up(scene, finest);
  const double end = steps * h + more * later;
  must_converge(&b, h, steps * h, NULL, NULL);
  for (int i = 0; i < more; i++) assert_int_equal(hn_solver_step(b.solver, b.state, later), HN_CONVERGED);
  must_converge(&r, end / ceil(end / fmin(h / 8, 2e-4)), end, NULL, NULL);
  for (int i = 1; i < b.model->nbody; i++) {
    e.position = larger(e.position, distance(b.state->pose[i].x, r.state->pose[i].x, 3));
    e.velocity = larger(e.velocity, distance(b.state->twist[i].v, r.state->twist[i].v, 3));
    e.velocity = larger(e.velocity, distance(b.state->twist[i].w, r.state->twist[i].w, 3));
  }
  e.force = distance(b.solver->multipliers, r.solver->multipliers, b.model->nrow);
  tear_down(&b), tear_down(&r);
  return e;
}

static void check_slope(const char *what, const double *h, const double *error, double order, double within)
{
  char text[100];
  snprintf(text, sizeof text, "%s: errors %.1e to %.1e, order", what, error[0], error[SIZES - 1]);
  check_near(text, hn_fit_order(h, error, SIZES), order, within);
}

/* ---- Order --------------------------------------------------------------------------------------------- */

/* The k-th step after the start, where the defect of exact velocities would show. */
static void the_first_steps_have_the_order(void **state)
{
  (void)state;
  static const struct {
    const char *spec;
    int steps;
    double h, order;
  } each[] = { { "blie:order=2,tolerance=1e-14", 4, 0.001, 2 },
               { "blie:order=3,tolerance=1e-14", 6, 0.001, 3 },
               { "blie:order=2,correction=false,tolerance=1e-14", 2, 0.001, 1 },
               { "blie:order=3,correction=false,tolerance=1e-14", 3, 0.001, 1 } };
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
    double h[SIZES], force[SIZES];
    for (int k = 0; k < SIZES; k++) {
      h[k] = each[i].h * pow(0.75, k);
      force[k] = errors_after("heavy_top", each[i].spec, h[k], each[i].steps, 0, 0).force;
    }
    printf(" %s, multipliers of step %d\n", each[i].spec, each[i].steps);
    check_slope("force", h, force, each[i].order, 0.25);
  }
}

/* Without the correction three steps give the order of two. */
static void the_correction_keeps_order_3(void **state)
{
  (void)state;
  for (int correction = 0; correction < 2; correction++) {
    char spec[64];
    double h[SIZES], position[SIZES], velocity[SIZES], force[SIZES];
    snprintf(spec, sizeof spec, "blie:order=3,correction=%s", correction ? "true" : "false");
    for (int k = 0; k < SIZES; k++) {
      const int steps = (int)(250 * pow(1.45, k));
      h[k] = 0.1 / steps;
      const errors e = errors_after("heavy_top", spec, h[k], steps, 0, 0);
      position[k] = e.position, velocity[k] = e.velocity, force[k] = e.force;
    }
    printf(" %s\n", spec);
    check_slope("positions", h, position, 2 + correction, 0.2);
    check_slope("velocities", h, velocity, 2 + correction, 0.2);
    check_slope("forces", h, force, 2 + correction, 0.2);
  }
}

static void a_change_of_the_step_keeps_the_order(void **state)
{
  (void)state;
  double h[SIZES], position[SIZES], force[SIZES];
  for (int k = 0; k < SIZES; k++) {
    const int steps = (int)(100 * pow(1.5, k));
    h[k] = 0.5 / steps;
    const errors e = errors_after("box_pendulum", "blie:tolerance=1e-13", h[k], steps, 0.7 * h[k], 5);
    position[k] = e.position, force[k] = e.force;
  }
  check_slope("positions", h, position, 2, 0.2);
  check_slope("forces", h, force, 2, 0.2);
}

/* The explicit start diverges in long steps with stiff springs. K is then singular, but not because of
 * redundant joints. */
static void a_diverged_start_stalls(void **state)
{
  (void)state;
  bench b = set_up("flyball", "blie");
  assert_int_equal(hn_solver_step(b.solver, b.state, 0.0434), HN_STALLED);
  printf("  %s\n", b.solver->report.stage);
  assert_non_null(strstr(b.solver->report.stage, "start of the multistep formula"));
  tear_down(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_first_steps_have_the_order),
    cmocka_unit_test(the_correction_keeps_order_3),
    cmocka_unit_test(a_change_of_the_step_keeps_the_order),
    cmocka_unit_test(a_diverged_start_stalls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
