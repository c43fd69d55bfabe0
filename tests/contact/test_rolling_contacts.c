/* test_rolling_contacts.c - contact problems with rolling and torsional friction: one ball against closed
 * forms, heaps against the law as it is written in textbooks, files, and refusals. */
#include "contact_problems.h"

#include <unistd.h>

static const double R = 0.25, m = 2.0, J = 0.4 * 2.0 * 0.25 * 0.25; /* ball: m, kg, kg m^2 */

/* ---- Problems ------------------------------------------------------------------------------------------ */

static hn_set rolling_cone(double mu, double mu_rolling, double mu_torsion)
{
  return (hn_set){ .kind = HN_CONE, .mu = mu, .mu_rolling = mu_rolling, .mu_torsion = mu_torsion };
}

/* Returns a ball on the ground, normal y, tangents z and x, that moves with V, m/s, and W, rad/s. */
static trial_problem *ball_with(const double v[3], const double w[3], int n, hn_set set)
{
  static const double frame[9] = { 0, 1, 0, 0, 0, 1, 1, 0, 0 }, down[3] = { 0, -0.25, 0 }, none[3] = { 0 };
  trial_problem *t = problem_of(2);
  set_body(t, 1, m, J, J, J);
  for (int i = 0; i < 3; i++) t->u[6 + i] = v[i], t->u[9 + i] = w[i];
  add_moment_contact(t, 0, 1, none, down, frame, n, set);
  return t;
}

static const char *const specs[] = { "pgs",
                                     "jacobi:iterations=100000",
                                     "nncg",
                                     "admm",
#ifdef HN_WITH_KLU
                                     "newton",
                                     "prox",
                                     "newton:sweeps=0",
#endif
                                     "auto",
                                     NULL };

/* ---- One ball ------------------------------------------------------------------------------------------ */

/* Solves T by all solvers; the velocities after the impulses must be V and W. */
static void check_ball(const char *what, const trial_problem *t, const double v[3], const double w[3])
{
  printf(" %s\n", what);
  for (int matrix = 0; matrix < 2; matrix++)
    for (const char *const *spec = specs; *spec; spec++) {
      double p[6] = { 0 }, u[12], off = 0.0;
      trial_problem *copy = malloc(sizeof *copy);
      assert_non_null(copy);
      *copy = *t;
      copy->p.block = copy->block, copy->p.b = copy->b, copy->p.G = copy->G, copy->p.T = copy->T;
      if (matrix) use_matrix(copy);
      assert_int_equal(solved(*spec, 1e-12, 10000, copy, p), HN_CONVERGED);
      motion_of(t, p, u);
      for (int i = 0; i < 3; i++) {
        off = larger(off, fabs(t->u[6 + i] + u[6 + i] - v[i]));
        off = larger(off, R * fabs(t->u[9 + i] + u[9 + i] - w[i]));
      }
      check_below("velocities off the closed form, m/s", off, 1e-11);
      free_problem(copy);
    }
}

/* A ball comes down at 3 m/s while it rolls along x. With p_n = 3 m, the moment of rolling friction changes v
 * by mu_r p_n / (R m (1 + J / (m R^2))), unless the ball stops. */
static void a_rolling_ball_is_braked(void **state)
{
  (void)state;
  const double mu_r = 0.02, dv = mu_r * 3 / (R * (1 + J / (m * R * R)));
  const hn_set set = rolling_cone(0.5, mu_r, 0);
  printf("  change of speed %g m/s\n", dv);
  trial_problem *t = ball_with((double[3]){ 2, -3, 0 }, (double[3]){ 0, 0, -2 / R }, 5, set);
  check_ball("rolling on", t, (double[3]){ 2 - dv, 0, 0 }, (double[3]){ 0, 0, -(2 - dv) / R });
  free_problem(t);
  const double s = sqrt(0.5); /* across the tangents, where a disc differs from a box */
  t = ball_with((double[3]){ s, -3, s }, (double[3]){ s / R, 0, -s / R }, 5, set);
  check_ball("obliquely", t, (double[3]){ s * (1 - dv), 0, s * (1 - dv) },
             (double[3]){ s * (1 - dv) / R, 0, -s * (1 - dv) / R });
  free_problem(t);
  t = ball_with((double[3]){ 0.99 * dv, -3, 0 }, (double[3]){ 0, 0, -0.99 * dv / R }, 5, set);
  check_ball("stopping", t, (double[3]){ 0 }, (double[3]){ 0 });
  free_problem(t);
}

/* Backspin: the ball slides and turns, both with all their friction. */
static void a_sliding_ball_has_both_frictions(void **state)
{
  (void)state;
  const double mu = 0.1, mu_r = 0.02, p = 3 * m;
  const double w = 40 - (mu * p * R + mu_r * p) / J;
  trial_problem *t = ball_with((double[3]){ 5, -3, 0 }, (double[3]){ 0, 0, 40 }, 5,
                               rolling_cone(mu, mu_r, 0));
  check_ball("backspin", t, (double[3]){ 5 - mu * p / m, 0, 0 }, (double[3]){ 0, 0, w });
  free_problem(t);
  t = ball_with((double[3]){ 5, 1, 0 }, (double[3]){ 0, 0, 40 }, 5, rolling_cone(mu, mu_r, 0));
  check_ball("leaving", t, (double[3]){ 5, 1, 0 }, (double[3]){ 0, 0, 40 });
  free_problem(t);
}

/* A top's spin about the normal is braked by torsional friction alone. */
static void a_spinning_ball_is_braked(void **state)
{
  (void)state;
  const double mu_t = 0.01, dw = mu_t * 3 * m / J;
  for (int n = 4; n <= 6; n += 2) {
    trial_problem *t = ball_with((double[3]){ 0, -3, 0 }, (double[3]){ 0, 9, 0 }, n,
                                 rolling_cone(0.5, n > 4 ? 0.02 : 0, mu_t));
    check_ball("spinning on", t, (double[3]){ 0 }, (double[3]){ 0, 9 - dw, 0 });
    free_problem(t);
    t = ball_with((double[3]){ 0, -3, 0 }, (double[3]){ 0, 0.99 * dw, 0 }, n,
                  rolling_cone(0.5, n > 4 ? 0.02 : 0, mu_t));
    check_ball("stopping", t, (double[3]){ 0 }, (double[3]){ 0 });
    free_problem(t);
  }
}

/* ---- Heaps --------------------------------------------------------------------------------------------- */

/* Returns the violation of the law in the rows of one disc: |x| <= most, and most v = -|v| x. */
static double disc_violation(int n, double most, const double *x, const double *v)
{
  double size = 0.0, speed = 0.0, apart = 0.0;
  for (int i = 0; i < n; i++) size += x[i] * x[i], speed += v[i] * v[i];
  size = sqrt(size), speed = sqrt(speed);
  for (int i = 0; i < n; i++) apart = larger(apart, fabs(most * v[i] + speed * x[i]));
  return larger(apart, size - most);
}

/* Returns the largest violation of the law: impulses in N s, products in J. */
static double violation(const trial_problem *t, const double *p)
{
  double v[MAX_ROWS], work[6 * MAX_BODIES], worst = 0.0;
  hn_problem_velocities(&t->p, p, work, v);
  for (int k = 0; k < t->p.nblock; k++) {
    const int n = t->block[k].n, row = t->block[k].row;
    const hn_set *set = &t->block[k].set;
    const double *x = p + row, *u = v + row;
    worst = larger(worst, larger(larger(-x[0], -u[0]), fabs(x[0] * u[0])));
    worst = larger(worst, disc_violation(2, set->mu * x[0], x + 1, u + 1));
    if (n > 4) worst = larger(worst, disc_violation(2, set->mu_rolling * x[0], x + 3, u + 3));
    if (n % 2 == 0) worst = larger(worst, disc_violation(1, set->mu_torsion * x[0], x + n - 1, u + n - 1));
  }
  return worst;
}

/* Returns COUNT balls of unequal masses in a row, each on two others or the ground, with contacts of 3 to 6
 * rows. */
static trial_problem *heap(int count)
{
  trial_problem *t = problem_of(count + 1);
  for (int i = 1; i <= count; i++) {
    const double mass = random_in(0.5, 4), I = 0.4 * mass * 0.09;
    set_body(t, i, mass, I, I, I);
    for (int c = 0; c < 6; c++) t->u[6 * i + c] = random_in(-2, 2) - 2 * (c == 1);
  }
  for (int i = 1; i <= count; i++)
    for (int k = 0; k < 2; k++) {
      const int on = i - 1 - k < 0 ? 0 : i - 1 - k, n = 3 + (2 * i + k) % 4;
      double frame[9], up[3], down[3];
      random_frame(frame);
      for (int c = 0; c < 3; c++) up[c] = 0.3 * frame[c], down[c] = -0.3 * frame[c];
      if (on == 0) memset(up, 0, sizeof up);
      add_moment_contact(
        t, on, i, up, down, frame, n,
        rolling_cone(random_in(0, 0.8), n > 4 ? random_in(0, 0.1) : 0, n % 2 == 0 ? random_in(0, 0.1) : 0));
    }
  return t;
}

static void heaps_meet_the_law(void **state)
{
  (void)state;
  for (int trial = 0; trial < 12; trial++) {
    trial_problem *t = heap(2 + trial);
    for (const char *const *spec = specs; *spec; spec++) {
      double p[MAX_ROWS] = { 0 };
      assert_int_equal(solved(*spec, 1e-10, 20000, t, p), HN_CONVERGED);
      check_below("violation of the law", violation(t, p), 1e-8);
    }
    free_problem(t);
  }
}

/* ---- Refusals ------------------------------------------------------------------------------------------ */

static void solvers_without_moments_refuse(void **state)
{
  (void)state;
  static const char *const refusing[] = { "lemke", "extragradient", "ipm",
                                          "sap",   "pgs:local=box", "pgs:local=disk" };
  trial_problem *t = ball_with((double[3]){ 2, -3, 0 }, (double[3]){ 0 }, 5, rolling_cone(0.5, 0.1, 0));
  for (size_t i = 0; i < sizeof refusing / sizeof *refusing; i++) {
    double p[6] = { 0 };
    hn_contact_solver *solver = solver_of(refusing[i], 1e-9, 100);
    assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_UNSUPPORTED);
    printf("  %s\n", solver->message);
    assert_non_null(strstr(solver->message, "rolling"));
    hn_contact_solver_free(solver);
  }
  double p[6] = { 0 };
  assert_int_equal(solved("lemke:then=pgs", 1e-12, 100, t, p), HN_CONVERGED);
  check_below("the chain leaves it to pgs: violation", violation(t, p), 1e-10);
  free_problem(t);
}

static void check_invalid(int n, hn_set set, const char *word)
{
  hn_error error = { "" };
  trial_problem *t = ball_with((double[3]){ 0, -3, 0 }, (double[3]){ 0 }, n, set);
  assert_int_equal(hn_problem_check(&t->p, &error), -1);
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, word));
  free_problem(t);
}

static void invalid_frictions_are_refused(void **state)
{
  (void)state;
  check_invalid(5, rolling_cone(0.5, -0.1, 0), "rolling");
  check_invalid(5, rolling_cone(0.5, HUGE_VAL, 0), "rolling");
  check_invalid(4, rolling_cone(0.5, 0, NAN), "torsional");
  check_invalid(3, rolling_cone(0.5, 0.1, 0), "no moment for rolling");
  check_invalid(5, rolling_cone(0.5, 0.1, 0.1), "no moment for torsional");
  check_invalid(5, (hn_set){ .kind = HN_CONE, .mu = 0.3, .mu_static = 0.6, .mu_rolling = 0.1 }, "static");
}

#ifdef HN_WITH_HDF5
/* Contacts with rolling friction and a joint: written, read, and solved by the same impulses. */
static void rolling_friction_is_kept(void **state)
{
  (void)state;
  hn_error error;
  const double down[3] = { 0.1, -0.5, 0.2 }, left[3] = { -0.5, 0.1, 0 };
  double p[MAX_ROWS] = { 0 }, *solution = NULL, v[MAX_ROWS];
  char path[64];
  snprintf(path, sizeof path, "test_rolling_contacts.%d.hdf5", (int)getpid());
  trial_problem *t = problem_of(5);
  for (int i = 1; i < 5; i++) {
    set_body(t, i, 1 + i, 0.1, 0.2, 0.3);
    for (int c = 0; c < 6; c++) t->u[6 * i + c] = random_in(-1, 1) - (c == 1);
  }
  for (int i = 1; i < 5; i++) {
    const hn_set set = { .kind = HN_CONE, .mu = 0.1 * i, .mu_rolling = 0.03 * i };
    if (i == 3) add_contact(t, 2, 3, left, down, upright, 3, all);
    add_moment_contact(t, 0, i, origin, down, upright, 5, set);
  }
  assert_int_equal(solved("newton", 1e-12, 100, t, p), HN_CONVERGED);
  if (hn_problem_write(path, &t->p, p, &error)) fail_msg("%s", error.text);
  hn_problem *read = hn_problem_read(path, &solution, &error);
  if (!read) fail_msg("%s", error.text);
  ASSERT_COUNT("rows", read->nrow, 23);
  for (int i = 0; i < 4; i++) {
    ASSERT_COUNT("rows of a contact", read->block[i].n, 5);
    check_near("rolling friction, m", read->block[i].set.mu_rolling, 0.03 * (i + 1), 0);
    check_near("friction", read->block[i].set.mu, 0.1 * (i + 1), 0);
  }
  hn_problem_velocities(read, solution, NULL, v);
  check_below("law of the solution that was written", hn_problem_error(read, false, solution, v, NULL),
              1e-12);
  t->block[0].n = 4;
  assert_int_equal(hn_problem_write(path, &t->p, NULL, &error), -1);
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, "torsional"));
  free(solution), hn_problem_free(read), free_problem(t);
  unlink(path);
}
#endif

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_rolling_ball_is_braked),       cmocka_unit_test(a_sliding_ball_has_both_frictions),
    cmocka_unit_test(a_spinning_ball_is_braked),      cmocka_unit_test(heaps_meet_the_law),
    cmocka_unit_test(solvers_without_moments_refuse), cmocka_unit_test(invalid_frictions_are_refused),
#ifdef HN_WITH_HDF5
    cmocka_unit_test(rolling_friction_is_kept),
#endif
  };
  return cmocka_run_group_tests_name("contacts with rolling friction", tests, NULL, NULL);
}
