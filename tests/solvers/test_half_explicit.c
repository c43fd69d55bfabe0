/* test_half_explicit.c - conditions of order of half-explicit and hem5, and exact counts of work.
 *
 * The conditions for systems y' = f(y, z), 0 = g(y) of index 2 are generated as trees.
 * A differential tree [t.., u..]_y has children t_k of its own kind and u_k of the other; an algebraic tree
 * [t..]_z has differential children, and is neither [[]_y]_z nor [[u]_y]_z. With w the inverse of the matrix
 * Abar of rows 2 to s + 1 of the tableau:
 *
 *   order      1 + sum of the orders of all children;          sum of the orders of the children - 1
 *   gamma      order x product of the children's;              product / (order + 1)
 *   Phi_i      prod (A Phi(t_k))_i  prod Phi_i(u_k);           sum_j w_ij prod (Abar Phi(t_k))_j
 *   condition  sum_i b_i Phi_i(t) = 1 / gamma(t)               for all differential trees up to the order
 *
 * [Brasey and Hairer 1993, section 3; Hairer, Lubich and Roche 1989, section 5] */
#include "half_explicit/half_explicit_step.h"
#include "scenes.h"

enum { MAX_TREES = 30000 };
enum { S = HN_MAX_STAGES };

typedef struct tree {
  int order;
  bool other_alone; /* [u]_y: its only child is of the other kind */
  double gamma;
  double phi[S]; /* of a differential tree: A Phi is in `A`, Abar Phi in `Abar` */
  double A[S], Abar[S];
} tree;

static tree differential[MAX_TREES], algebraic[MAX_TREES];
static int differentials, algebraics;
static const hn_half_explicit_method *method;

/* A tree under construction: products over the children so far. */
typedef struct product {
  double gamma, phi[S];
  int children, others;
} product;

static product start(void)
{
  product p = { .gamma = 1 };
  for (int i = 0; i < S; i++) p.phi[i] = 1;
  return p;
}

static product times(product p, const tree *child, const double *factor, bool other)
{
  p.gamma *= child->gamma;
  for (int i = 0; i < S; i++) p.phi[i] *= factor[i];
  p.children++, p.others += other;
  return p;
}

static void add_differential(const product *p, int order)
{
  assert_true(differentials < MAX_TREES);
  tree *t = &differential[differentials++];
  *t = (tree){ .order = order, .gamma = p->gamma * order };
  t->other_alone = p->children == 1 && p->others == 1;
  for (int i = 0; i < method->stages; i++) t->phi[i] = p->phi[i];
  for (int i = 0; i < method->stages; i++)
    for (int j = 0; j < method->stages; j++) {
      t->A[i] += method->A[i][j] * t->phi[j];
      t->Abar[i] += method->A[i + 1][j] * t->phi[j];
    }
}

static void add_algebraic(const product *p, int order)
{
  assert_true(algebraics < MAX_TREES);
  tree *u = &algebraic[algebraics++];
  *u = (tree){ .order = order, .gamma = p->gamma / (order + 1) };
  for (int i = 0; i < method->stages; i++) { /* forward substitution: Abar Phi = product */
    double sum = p->phi[i];
    for (int j = 0; j < i; j++) sum -= method->A[i + 1][j] * u->phi[j];
    u->phi[i] = sum / method->A[i + 1][i];
  }
}

/* Adds all differential trees of the given order that have the children P and more, of orders that sum to
 * REST, but not [u]_y. Children are in the order of their numbers: differential ones, then others. */
static void grow_differential(product p, int first, int first_other, int rest, int order)
{
  if (rest == 0) {
    if (p.children != 1 || p.others != 1) add_differential(&p, order);
    return;
  }
  const int known = differentials, known_others = algebraics;
  for (int k = first; k < known && p.others == 0; k++)
    if (differential[k].order <= rest && differential[k].order < order)
      grow_differential(times(p, &differential[k], differential[k].A, false), k, first_other,
                        rest - differential[k].order, order);
  for (int k = first_other; k < known_others; k++)
    if (algebraic[k].order <= rest)
      grow_differential(times(p, &algebraic[k], algebraic[k].phi, true), first, k, rest - algebraic[k].order,
                        order);
}

/* Adds all algebraic trees with the children P and more, of orders that sum to REST, two at least. */
static void grow_algebraic(product p, int first, int rest, int order)
{
  if (rest == 0) {
    add_algebraic(&p, order);
    return;
  }
  for (int k = first; k < differentials; k++)
    if (differential[k].order <= rest && differential[k].order <= order)
      grow_algebraic(times(p, &differential[k], differential[k].Abar, false), k, rest - differential[k].order,
                     order);
}

/* Generates the differential trees of ORDER; those of lower orders exist. Returns the number of the first. */
static int generate(int order)
{
  const int first = differentials, first_other = algebraics;
  grow_differential(start(), 0, 0, order - 1, order);
  const int nodes = differentials;
  for (int k = first; k < nodes && order > 1; k++) {
    const product alone = times(start(), &differential[k], differential[k].Abar, false);
    add_algebraic(&alone, order - 1);
  }
  if (order > 1) grow_algebraic(start(), 0, order, order - 1);
  for (int k = first_other; k < algebraics; k++) {
    const product alone = times(start(), &algebraic[k], algebraic[k].phi, true);
    add_differential(&alone, order);
  }
  return first;
}

/* Returns the largest violation of the conditions of ORDER, and stores their number. */
static double violation(int order, int *count)
{
  double worst = 0;
  const int first = generate(order);
  for (int k = first; k < differentials; k++) {
    double sum = 0;
    for (int i = 0; i < method->stages; i++) sum += method->A[method->stages][i] * differential[k].phi[i];
    worst = larger(worst, fabs(sum - 1 / differential[k].gamma));
  }
  *count = differentials - first;
  return worst;
}

static void check_conditions(const hn_half_explicit_method *m, int order)
{
  static const int known[] = { 0, 1, 3, 22, 192, 1972, 22057 };
  method = m, differentials = algebraics = 0;
  for (int i = 0; i <= m->stages; i++) {
    double sum = 0;
    for (int j = 0; j < i; j++) sum += m->A[i][j];
    check_near("node of a stage, sum of its row", m->node[i], sum, 1e-15);
  }
  for (int p = 1; p <= order; p++) {
    int count;
    printf(" order %d\n", p);
    check_below("largest violation of a condition", violation(p, &count), 1e-13);
    ASSERT_COUNT("conditions", count, known[p]);
  }
  int count;
  const double next = violation(order + 1, &count);
  printf("  the next order is violated by %.3g; bound: at least 1e-3\n", next);
  ASSERT_COUNT("conditions", count, known[order + 1]);
  assert_true(next > 1e-3);
}

static void half_explicit_meets_the_conditions_of_order_4(void **state)
{
  (void)state;
  check_conditions(&hn_hem4, 4);
}

static void hem5_meets_the_conditions_of_order_5(void **state)
{
  (void)state;
  check_conditions(&hn_hem5, 5);
}

static void hem5_factors_eight_times_a_step(void **state)
{
  (void)state;
  bench b = set_up("box_pendulum", "hem5");
  must_converge(&b, 0.01, 1, NULL, NULL);
  const hn_work *w = &b.summary.work;
  const uint64_t iterations = (uint64_t)llround(100 * b.summary.velocity_iterations_mean);
  ASSERT_COUNT("factorisations", w->factorisations, 100 * 8);
  ASSERT_COUNT("accelerations", w->accelerations, 2 * 900);
  ASSERT_COUNT("velocity residuals", w->velocity_residuals, 2 * (iterations + 900));
  tear_down(&b);
}

/* Velocities satisfy the joints to the tolerance in every step; positions drift at order 5, or not. */
static void hem5_satisfies_velocity_constraints(void **state)
{
  (void)state;
  double drift[2];
  for (int k = 0; k < 2; k++) {
    bench b = set_up("chain8", "hem5:velocity_tolerance=1e-11");
    must_converge(&b, 0.01 / (k + 1), 1, NULL, NULL);
    check_below("largest joint velocity error of any step, m/s", b.summary.velocity_max, 1.01e-11);
    drift[k] = b.summary.position_max;
    tear_down(&b);
  }
  check_near("order of the drift of positions", log2(drift[0] / drift[1]), 5, 1);
  bench b = set_up("chain8", "hem5:stabilisation=projection");
  must_converge(&b, 0.01, 1, NULL, NULL);
  check_below("with projection, m", b.summary.position_max, 1e-12);
  tear_down(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(half_explicit_meets_the_conditions_of_order_4),
    cmocka_unit_test(hem5_meets_the_conditions_of_order_5),
    cmocka_unit_test(hem5_factors_eight_times_a_step),
    cmocka_unit_test(hem5_satisfies_velocity_constraints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
