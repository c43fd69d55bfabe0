/* against_newton.h - solutions from zeros, and random problems whose motion Newton's method finds. */
#ifndef TESTS_AGAINST_NEWTON_H
#define TESTS_AGAINST_NEWTON_H

#include "contact_problems.h"

/* Solves T from zeros to TOLERANCE, or by all iterations if it is 0; returns the number of iterations, and
 * the impulses in P[MAX_ROWS]. */
static inline int iterations_of(const char *spec, double tolerance, const trial_problem *t, double *p)
{
  hn_contact_solver *solver = solver_of(spec, tolerance, 1000000);
  memset(p, 0, sizeof *p * MAX_ROWS);
  const hn_reason reason = hn_contact_solve(solver, &t->p, p);
  if (tolerance > 0) assert_int_equal(reason, HN_CONVERGED);
  const int count = solver->iterations;
  printf("  %s: %d iterations\n", spec, count);
  hn_contact_solver_free(solver);
  return count;
}

/* Returns problem ROUND of a series with joints, bounds and contacts in space. */
static inline trial_problem *random_mechanism(int round)
{
  trial_problem *t = random_problem(5 + round, 4 + round, 10, 0.5);
  double row[1][12] = { { 0 } };
  row[0][1] = -1, row[0][7] = 1;
  add_rows(t, 1, 2, 1, all, row), row[0][3] = 0.5;
  add_rows(t, 1, 3, 1, (hn_set){ .kind = HN_WITHIN, .lower = -0.1, .upper = 0.2 }, row);
  return t;
}

/* Checks SPEC on T, by bodies and then with K given: the residual, computed from the rows, and the motion,
 * which is that which Newton's method finds. P gets the impulses. T has K given afterwards. */
static inline void check_against_newton(const char *spec, trial_problem *t, double *p)
{
  double q[MAX_ROWS], u[6 * MAX_BODIES], w[6 * MAX_BODIES], apart = 0;
  iterations_of("newton", 1e-11, t, q), motion_of(t, q, w);
  for (int matrix = 0; matrix < 2; matrix++) {
    if (matrix) use_matrix(t);
    iterations_of(spec, 1e-10, t, p), motion_of(t, p, u);
    check_below("law, m/s", error_of(t, false, p), 1e-10);
    for (int i = 0; i < 6 * t->p.nbody; i++) apart = larger(apart, fabs(u[i] - w[i]));
    check_below("motion apart from Newton's method", apart, 1e-7);
  }
}

#endif
