/* test_jacobi.c - contact solver jacobi: the rate of convergence in closed form, independence of the order of
 * blocks, and Coulomb's law on random problems against Newton's method. */
#include "against_newton.h"

/* A stack of n equal masses: K is tridiagonal (2 and -1, first entry 1), and Jacobi's error decreases by
 * cos(pi / 2n) an iteration. */
static void rate_on_a_stack(void **state)
{
  (void)state;
  for (int n = 4; n <= 32; n *= 2) {
    trial_problem *t = problem_of(n + 1);
    double p[MAX_ROWS];
    for (int i = 1; i <= n; i++) t->u[6 * i + 1] = -0.1;
    for (int i = 1; i <= n; i++) add_contact(t, i - 1, i, origin, origin, upright, 1, push);
    const int early = iterations_of("jacobi:omega=1", 1e-6, t, p),
              late = iterations_of("jacobi:omega=1", 1e-11, t, p);
    const double rate = -log(1e-5) / (late - early), expected = -log(cos(acos(-1) / (2 * n)));
    printf(" %d masses, %d iterations\n", n, late);
    check_near("rate over that of theory", rate / expected, 1, 0.02);
    for (int i = 0; i < n; i++) check_near("impulse, N s", p[i], 0.1 * (n - i), 1e-10 * n * n);
    free_problem(t);
  }
}

/* Returns T with its blocks in the order of BLOCK. */
static trial_problem *reordered(const trial_problem *t, const int *block)
{
  trial_problem *other = problem_of(t->p.nbody);
  for (int k = 0; k < t->p.nblock; k++) {
    hn_problem_block *to = &other->block[k];
    const hn_problem_block *from = &t->block[block[k]];
    *to = *from, to->row = other->p.nrow;
    memcpy(other->b + to->row, t->b + from->row, sizeof(double) * (size_t)to->n);
    memcpy(other->G + 12 * to->row, t->G + 12 * from->row, sizeof(double) * 12 * (size_t)to->n);
    memcpy(other->T + 12 * to->row, t->T + 12 * from->row, sizeof(double) * 12 * (size_t)to->n);
    other->p.nrow += to->n, other->p.nblock++;
  }
  return other;
}

/* Returns the largest difference of the impulses that SPEC finds on T and on OTHER, whose block k is
 * BLOCK[k]. */
static double difference(const char *spec, const trial_problem *t, const trial_problem *other,
                         const int *block)
{
  double p[MAX_ROWS], q[MAX_ROWS], apart = 0;
  iterations_of(spec, 0, t, p), iterations_of(spec, 0, other, q);
  for (int k = 0; k < t->p.nblock; k++)
    for (int r = 0; r < t->block[block[k]].n; r++)
      apart = larger(apart, fabs(p[t->block[block[k]].row + r] - q[other->block[k].row + r]));
  return apart;
}

/* Impulses are about 1. The difference is rounding after 20 iterations; after two sweeps of Gauss-Seidel it
 * is the order. */
static void the_order_of_blocks_does_not_matter(void **state)
{
  (void)state;
  for (int round = 0; round < 6; round++) {
    enum { CONTACTS = 24 };
    trial_problem *t = random_problem(10, CONTACTS, 1, 0.6);
    int block[CONTACTS + 1];
    double row[1][12] = { { 0 } };
    row[0][0] = -1, row[0][6] = 1;
    add_rows(t, 1, 2, 1, all, row);
    for (int k = 0; k <= CONTACTS; k++) block[k] = k;
    for (int k = CONTACTS; k > 0; k--) {
      const int other = (int)random_in(0, k + 0.999), kept = block[k];
      block[k] = block[other], block[other] = kept;
    }
    trial_problem *changed = reordered(t, block);
    check_below("jacobi: impulses apart, N s", difference("jacobi:iterations=20", t, changed, block), 1e-12);
    const double pgs = difference("pgs:iterations=2", t, changed, block);
    check_below("pgs: 1e-6 over impulses apart", 1e-6 / pgs, 1);
    free_problem(t), free_problem(changed);
  }
}

static void random_problems_against_newton(void **state)
{
  (void)state;
  for (int round = 0; round < 8; round++) {
    double p[MAX_ROWS];
    trial_problem *t = random_mechanism(round);
    check_against_newton("jacobi", t, p);
    free_problem(t);
  }
}

/* 24 rows push one body: omega = 1 overshoots 24 times and diverges, the adaptive one converges. */
static void many_contacts_on_one_body(void **state)
{
  (void)state;
  enum { COUNT = 24 };
  trial_problem *t = problem_of(2);
  double p[MAX_ROWS] = { 0 }, sum = 0;
  t->u[7] = -1;
  for (int k = 0; k < COUNT; k++) add_contact(t, 0, 1, origin, origin, upright, 1, push);
  assert_int_equal(solved("jacobi:omega=1", 1e-10, 1000, t, p), HN_BUDGET);
  memset(p, 0, sizeof p);
  assert_int_equal(solved("jacobi", 1e-10, 10, t, p), HN_CONVERGED);
  for (int k = 0; k < COUNT; k++) sum += p[k];
  check_near("sum of impulses, N s", sum, 1, 1e-9);
  free_problem(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rate_on_a_stack),
    cmocka_unit_test(the_order_of_blocks_does_not_matter),
    cmocka_unit_test(random_problems_against_newton),
    cmocka_unit_test(many_contacts_on_one_body),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
