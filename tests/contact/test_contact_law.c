/* test_contact_law.c - residuals of laws with a polygon in place of the disk of friction. Compared with a
 * second formulation, the variational form of the law: over all corners d of the polygon, the impulse p_t has
 * the least v . d. */
#include "contact_problems.h"

#include <stdio.h>

static const double pi = 3.14159265358979323846;

typedef struct polygon_law {
  const char *spec;
  int corners;
  double reach, angle; /* of the first corner, rad */
} polygon_law;

static const polygon_law laws[] = {
  { "pgs:local=box", 4, 1.4142135623730951, 0.78539816339744831 },
  { "pgs:local=pyramid", 4, 1.4142135623730951, 0.78539816339744831 },
  { "lemke", 8, 1, 0 },
  { "lemke:directions=5", 5, 1, 0 },
  { "lemke:directions=3", 3, 1, 0 },
};
enum { LAWS = sizeof laws / sizeof *laws };

/* A body that is thrown on the ground at ANGLE, with three contact points; some of them slide. */
static trial_problem *throw_body(double angle)
{
  static const double at[3][3] = { { 1, -0.5, 0 }, { -0.6, -0.5, 0.8 }, { -0.5, -0.5, -0.9 } };
  trial_problem *t = problem_of(2);
  t->u[6] = 3 * cos(angle), t->u[7] = -1, t->u[8] = 3 * sin(angle), t->u[10] = 0.7;
  for (int k = 0; k < 3; k++) {
    const double arm[3] = { at[k][0], at[k][1], at[k][2] };
    add_contact(t, 0, 1, origin, arm, upright, 3, cone(0.4 + 0.1 * k));
  }
  return t;
}

/* Returns the largest violation of the variational form, W: p_t . v_t less the least over the corners; of
 * 0 <= v_n; and of v_n p_n = 0. */
static double violation(const trial_problem *t, const polygon_law *law, const double *p)
{
  double v[MAX_ROWS], work[6 * MAX_BODIES], largest = 0;
  hn_problem_velocities(&t->p, p, work, v);
  for (int k = 0; k < t->p.nblock; k++) {
    const double *p_k = p + t->block[k].row, *v_k = v + t->block[k].row;
    double least = HUGE_VAL;
    for (int i = 0; i < law->corners; i++) {
      const double angle = law->angle + 2 * pi * i / law->corners,
                   size = law->reach * t->block[k].set.mu * p_k[0];
      least = fmin(least, size * (cos(angle) * v_k[1] + sin(angle) * v_k[2]));
    }
    largest = fmax(largest, p_k[1] * v_k[1] + p_k[2] * v_k[2] - least);
    largest = fmax(largest, fmax(-v_k[0], fabs(v_k[0] * p_k[0])));
  }
  return largest;
}

static double own_error(const trial_problem *t, const hn_contact_solver *solver, const double *p)
{
  double v[MAX_ROWS], work[6 * MAX_BODIES];
  const hn_contact_law law = hn_contact_solver_law_of(solver, false);
  hn_problem_velocities(&t->p, p, work, v);
  return hn_contact_law_error(&law, &t->p, p, v, NULL);
}

/* The polygon of the law is the one of the solver, in all directions of the slip: both forms hold, while
 * Coulomb's law is off by the order of (1 - cos(pi / corners)) of 3 m/s. */
static void solutions_meet_their_own_law(void **state)
{
  (void)state;
  for (int i = 0; i < LAWS; i++) {
    double own = 0, power = 0, coulomb = 0;
    for (double angle = 0.1; angle < 2 * pi; angle += 0.37) {
      trial_problem *t = throw_body(angle);
      double p[MAX_ROWS] = { 0 };
      hn_contact_solver *solver = solver_of(laws[i].spec, 1e-13, 100000);
      assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_CONVERGED);
      own = fmax(own, own_error(t, solver, p)), power = fmax(power, violation(t, &laws[i], p));
      coulomb = fmax(coulomb, error_of(t, false, p));
      hn_contact_solver_free(solver);
      free_problem(t);
    }
    printf("%s: Coulomb's law %.2e m/s\n", laws[i].spec, coulomb);
    check_below("  residual of its own law, m/s", own, 1e-12);
    check_below("  variational form, W", power, 1e-12);
    check_below("  0.01 m/s over the residual of Coulomb's law", 0.01 / coulomb, 1);
  }
}

/* A contact alone on a point mass of 1 kg: K is 1, p_n = 1, v_n = 0. The residual is the distance of p_t from
 * the nearest point of the polygon to p_t - v_t: for the square with corners at 45 degrees, coordinate by
 * coordinate. */
static void residuals_of_a_square(void **state)
{
  (void)state;
  static const struct {
    double p[2], v[2], expected;
  } cases[] = {
    { { 0, 0 }, { 0, 0 }, 0 },        /* sticks without friction */
    { { 0, 0 }, { -0.3, 0.4 }, 0.5 }, /* slides without friction: the step p_t - v_t is inside */
    { { 0.5, 0.5 }, { -2, -7 }, 0 },  /* in a corner, against the slip */
    { { 0.5, 0.2 }, { -2, 0 }, 0 },   /* on an edge */
    { { 0.5, 0.2 }, { -2, -0.1 }, 0.1 }, { { 0.8, 0 }, { -2, 0 }, 0.3 }, /* outside by 0.3 */
    { { 0.5, 0.5 }, { -1, 2 }, 1 }, /* the other corner of the edge is 1 away */
  };
  trial_problem *t = problem_of(2);
  hn_contact_solver *solver = solver_of("pgs:local=box", 1e-9, 1);
  const hn_contact_law law = hn_contact_solver_law_of(solver, false);
  add_contact(t, 0, 1, origin, origin, upright, 3, cone(0.5));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double p[3] = { 1, cases[i].p[0], cases[i].p[1] }, v[3] = { 0, cases[i].v[0], cases[i].v[1] };
    check_near("residual, m/s", hn_contact_law_block_error(&law, &t->p, 0, p, v), cases[i].expected, 1e-15);
  }
  hn_contact_solver_free(solver);
  free_problem(t);
}

/* In the plane, and of solvers of Coulomb's law, the law has no polygon. The law of a chain is that of a
 * fallback with another law, or Coulomb's. */
static void laws_without_a_polygon(void **state)
{
  (void)state;
  hn_contact_solver *lemke = solver_of("lemke", 1e-9, 1), *disk = solver_of("pgs:local=disk", 1e-9, 1),
                    *chain = solver_of("newton:then=lemke:directions=6", 1e-9, 1),
                    *relaxed = solver_of("newton:then=apgd", 1e-9, 1);
  assert_int_equal(hn_contact_solver_law_of(lemke, true).corners, 0);
  assert_int_equal(hn_contact_solver_law_of(disk, false).corners, 0);
  assert_int_equal(hn_contact_solver_law_of(chain, false).corners, 6);
  assert_true(hn_contact_solver_law_of(relaxed, false).relaxed);
  assert_true(hn_contact_solver_law_of(relaxed, false).either);
  assert_false(hn_contact_solver_law_of(lemke, false).either);
  assert_false(hn_contact_solver_law_of(disk, false).relaxed);
  hn_contact_solver_free(lemke), hn_contact_solver_free(disk);
  hn_contact_solver_free(chain), hn_contact_solver_free(relaxed);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(solutions_meet_their_own_law),
    cmocka_unit_test(residuals_of_a_square),
    cmocka_unit_test(laws_without_a_polygon),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
