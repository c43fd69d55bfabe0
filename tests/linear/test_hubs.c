/* test_hubs.c - bodies with many neighbours as unknowns of linear=ldl: solutions and verdicts are those of
 * dense Cholesky on K = G W G', and the work grows with the number of bodies. */
#include "allocations.h"
#include "models.h"
#include "base/random.h"
#include "linear/factor_pattern.h"
#include "redundant/redundant.h"

#include <stdlib.h>

/* ---- Models -------------------------------------------------------------------------------------------- */

/* Adds a rigid body in general position whose size does not depend on its mass. */
static int add_mass(hn_model *model, double mass, uint32_t *seed)
{
  char name[16];
  snprintf(name, sizeof name, "m%d", model->nbody);
  hn_body_spec spec = rigid_body(name, mass, 0.1 * mass, 0.15 * mass, 0.12 * mass);
  for (int c = 0; c < 3; c++) spec.position[c] = 3.0 * random_signed(seed);
  for (int c = 0; c < 4; c++) spec.orientation[c] += 0.5 * random_signed(seed);
  quat_normalise(spec.orientation);
  return must_add(model, &spec);
}

static void add_joint(hn_model *model, const char *type, int a, int b, uint32_t *seed)
{
  hn_error error;
  hn_joint_spec spec = { .type = type, .a = a, .b = b, .has_points = true };
  for (int c = 0; c < 3; c++) spec.at_a[c] = spec.at_b[c] = 3.0 * random_signed(seed);
  if (strcmp(type, "distance") == 0)
    for (int c = 0; c < 3; c++) spec.at_b[c] += 1.0 + 0.3 * random_signed(seed);
  if (strcmp(type, "hinge") == 0) {
    double axis[3];
    for (int c = 0; c < 3; c++) axis[c] = random_signed(seed);
    for (int c = 0; c < 3; c++) spec.axis_a[c] = spec.axis_b[c] = axis[c] / vec_norm(axis);
  }
  if (hn_model_add_joint(model, &spec, &error) < 0) fail_msg("%s", error.text);
}

/* A hub with N bodies on ball joints. */
static hn_model *star(int n, double hub_mass, double mass)
{
  uint32_t seed = RANDOM_SEED;
  hn_model *model = new_model();
  const int hub = add_mass(model, hub_mass, &seed);
  for (int i = 0; i < n; i++) add_joint(model, "ball", hub, add_mass(model, mass, &seed), &seed);
  return model;
}

/* A binary tree of N bodies on ball joints. */
static hn_model *tree(int n)
{
  uint32_t seed = RANDOM_SEED;
  hn_model *model = new_model();
  for (int i = 1; i <= n; i++) {
    const int body = add_mass(model, 1.0, &seed);
    add_joint(model, "ball", i / 2, body, &seed);
  }
  return model;
}

/* A random mechanism: HUBS bodies of mass HUB_MASS joined with each other and the ground, N of mass 1 on
 * random joints to them or to each other, and rods that close loops. */
static hn_model *random_mechanism(uint32_t seed, int hubs, int n, double hub_mass)
{
  static const char *const types[] = { "ball", "hinge", "distance", "ball", "fixed" };
  hn_model *model = new_model();
  for (int h = 0; h < hubs; h++) {
    const int hub = add_mass(model, hub_mass, &seed);
    add_joint(model, types[random_next(&seed) >> 16 & 3],
              h == 0 ? 0 : 1 + (int)((random_next(&seed) >> 8) % (unsigned)h), hub, &seed);
  }
  for (int i = 0; i < n; i++) {
    const int body = add_mass(model, 1.0, &seed);
    const bool on_hub = (random_next(&seed) >> 20) % 4 != 0;
    const int other = 1 + (int)((random_next(&seed) >> 8) % (unsigned)(on_hub ? hubs : body - 1));
    add_joint(model, types[(random_next(&seed) >> 16) % 5], other, body, &seed);
  }
  for (int i = 0; i < hubs; i++) {
    const int a = hubs + 1 + (int)((random_next(&seed) >> 8) % (unsigned)n),
              b = 1 + (int)((random_next(&seed) >> 8) % (unsigned)hubs);
    add_joint(model, "distance", b, a, &seed);
  }
  return model;
}

/* A hub on LEGS legs of two ball joints to the ground, with N more bodies on it: with the hub fixed, each leg
 * has one redundant row. */
static hn_model *platform(int legs, int n)
{
  uint32_t seed = RANDOM_SEED;
  hn_model *model = new_model();
  const int hub = add_mass(model, 1.0, &seed);
  for (int i = 0; i < legs; i++) {
    const int leg = add_mass(model, 1.0, &seed);
    add_joint(model, "ball", 0, leg, &seed);
    add_joint(model, "ball", leg, hub, &seed);
  }
  for (int i = 0; i < n; i++) add_joint(model, "ball", hub, add_mass(model, 1.0, &seed), &seed);
  return model;
}

/* A star, two of whose bodies have a second joint at another point, one a third: 1 redundant row. */
static hn_model *redundant_star(void)
{
  uint32_t seed = 77;
  hn_model *model = star(20, 2.0, 1.0);
  add_joint(model, "ball", 1, 5, &seed);
  add_joint(model, "ball", 9, 1, &seed);
  return model;
}

/* ---- Comparison with dense Cholesky -------------------------------------------------------------------- */

static hn_system *system_by(const char *backend, const hn_model *model, int policy)
{
  hn_error error;
  const hn_linear_options options = { .backend = backend, .petsc = "", .redundancy = policy };
  hn_system *s = hn_system_create(model, &error);
  if (hn_system_use_linear(s, &options, &error)) fail_msg("%s", error.text);
  hn_state *at = hn_state_create(model);
  hn_system_jacobian(s, at);
  hn_state_free(at);
  return s;
}

static int hubs_of(const hn_system *s)
{
  return s->parts->linear->assembly.hubs.count;
}

static int increased_pivots(const hn_system *s)
{
  return hn_ldl_increased(s->parts->linear->self);
}

/* The right-hand side b = K c for c_i = sin(3 i + 1), 0 in rows that are not held. */
static void right_side(hn_system *s, double *c, double *b)
{
  double *twist = calloc(6 * (size_t)s->model->nbody, sizeof *twist);
  for (int i = 0; i < s->nrow; i++) c[i] = hn_system_is_held(s, i) ? sin(3.0 * i + 1.0) : 0.0;
  hn_redundant_apply(s, NULL, s->nblock, c, twist);
  hn_redundant_rates(s, NULL, s->nblock, twist, b);
  free(twist);
}

/* Returns the largest difference of two vectors relative to the largest entry. */
static double difference(const double *a, const double *b, int n)
{
  double worst = 0.0, size = 0.0;
  for (int i = 0; i < n; i++) worst = larger(worst, fabs(a[i] - b[i])), size = larger(size, fabs(b[i]));
  return worst / size;
}

typedef struct comparison {
  bool singular;              /* found by both */
  double ldl, dense, between; /* errors of the solutions and their difference */
} comparison;

/* Factors and solves by both, which must agree whether K is singular. */
static comparison compare(hn_system *ldl, hn_system *dense)
{
  const size_t rows = (size_t)ldl->nrow;
  const hn_reason first = hn_system_factor(ldl), second = hn_system_factor(dense);
  if (first != second) fail_msg("ldl: %s, dense: %s", hn_reason_name(first), hn_reason_name(second));
  if (first != HN_CONVERGED) return (comparison){ .singular = true };
  double *x = calloc(4 * rows, sizeof *x), *y = x + rows, *b = y + rows, *c = b + rows;
  right_side(dense, c, b);
  assert_int_equal(hn_system_solve(ldl, b, x), HN_CONVERGED);
  assert_int_equal(hn_system_solve(dense, b, y), HN_CONVERGED);
  const int n = ldl->nrow;
  const comparison found = { false, difference(x, c, n), difference(y, c, n), difference(x, y, n) };
  free(x);
  return found;
}

static comparison compare_on(const hn_model *model, int policy)
{
  hn_system *ldl = system_by("ldl", model, policy), *dense = system_by("dense", model, policy);
  const comparison found = compare(ldl, dense);
  assert_true(hubs_of(dense) == 0);
  hn_system_free(ldl), hn_system_free(dense);
  return found;
}

/* Returns the error of ldl in units of that of dense Cholesky, or of rounding if that is larger. */
static double relative_error(comparison found)
{
  return found.ldl / larger(found.dense, 1e-14);
}

/* ---- Solutions ----------------------------------------------------------------------------------------- */

static void stars_are_solved(void **state)
{
  (void)state;
  for (double ratio = 1e-6; ratio < 2e6; ratio *= 1e3) {
    char what[80];
    hn_model *model = star(40, ratio, 1.0);
    hn_system *s = system_by("ldl", model, HN_REFUSE);
    assert_int_equal(hubs_of(s), 1);
    hn_system_free(s);
    const comparison found = compare_on(model, HN_REFUSE);
    snprintf(what, sizeof what, "40 bodies, hub of %.0e kg: error, dense: %.1e", ratio, found.dense);
    check_below(what, found.ldl, larger(10.0 * found.dense, 1e-13));
    hn_model_free(model);
  }
}

/* Hubs on hubs and on the ground, loops, all sizes of blocks. */
static void random_mechanisms_are_solved(void **state)
{
  (void)state;
  for (double ratio = 1e-6; ratio < 2e6; ratio *= 1e6) {
    double worst = 0.0;
    int singular = 0, with_hubs = 0, increased = 0;
    for (uint32_t seed = 1; seed <= 60; seed++) {
      hn_model *model = random_mechanism(seed * 7919u, 1 + (int)(seed % 5), 30 + (int)(seed % 40), ratio);
      hn_system *s = system_by("ldl", model, HN_REFUSE);
      const hn_reason reason = hn_system_factor(s);
      with_hubs += hubs_of(s) > 0;
      increased += reason == HN_CONVERGED && increased_pivots(s) > 0;
      hn_system_free(s);
      const comparison found = compare_on(model, HN_REFUSE);
      singular += found.singular;
      if (!found.singular) worst = larger(worst, relative_error(found));
      hn_model_free(model);
    }
    printf("  hubs of %.0e kg: %d mechanisms with hubs, %d singular, %d with increased pivots\n", ratio,
           with_hubs, singular, increased);
    assert_true(with_hubs > 40 && singular < 10);
    check_below("error of ldl, over that of dense", worst, 10.0);
  }
}

/* With the hub fixed every leg has a redundant row, which must not be taken for a singular K. */
static void joints_may_need_the_hub(void **state)
{
  (void)state;
  for (int legs = 0; legs <= 7; legs++) {
    hn_model *model = platform(legs, 20);
    hn_system *s = system_by("ldl", model, HN_REFUSE);
    const hn_reason reason = hn_system_factor(s);
    printf("  %d legs: %s\n", legs, hn_reason_name(reason));
    assert_int_equal(reason, legs <= 6 ? HN_CONVERGED : HN_SINGULAR);
    if (reason == HN_CONVERGED) {
      /* up to one leg the mechanism is a tree, in which the hub comes before its leg */
      printf("  %d increased pivots\n", increased_pivots(s));
      assert_true(legs < 2 ? increased_pivots(s) == 0
                           : increased_pivots(s) >= legs - 1 && increased_pivots(s) <= 2 * legs);
    }
    hn_system_free(s);
    const comparison found = compare_on(model, HN_REFUSE);
    if (!found.singular) check_below("error of ldl, over that of dense", relative_error(found), 10.0);
    hn_model_free(model);
  }
}

/* ---- Redundant and released rows ----------------------------------------------------------------------- */

static void policies_drop_the_same_rows(void **state)
{
  (void)state;
  hn_model *model = redundant_star();
  assert_true(compare_on(model, HN_REFUSE).singular);
  for (int policy = HN_REMOVE; policy <= HN_LOOP_SPLIT; policy++) {
    hn_system *ldl = system_by("ldl", model, policy), *dense = system_by("dense", model, policy);
    const comparison found = compare(ldl, dense);
    printf("  policy %d\n", policy);
    assert_int_equal(hubs_of(ldl), policy != HN_LOOP_SPLIT);
    ASSERT_COUNT("dropped", ldl->parts->redundant->ndropped, policy == HN_LOOP_SPLIT ? 0 : 2);
    assert_memory_equal(ldl->parts->redundant->dropped, dense->parts->redundant->dropped, 2 * sizeof(int));
    check_below("ldl from dense", found.between, policy == HN_LOOP_SPLIT ? 1e-10 : 1e-11);
    hn_system_free(ldl), hn_system_free(dense);
  }
  hn_model_free(model);
}

static void released_rows_are_decoupled(void **state)
{
  (void)state;
  hn_model *model = random_mechanism(5 * 7919u, 3, 40, 2.0);
  hn_system *ldl = system_by("ldl", model, HN_REMOVE), *dense = system_by("dense", model, HN_REMOVE);
  assert_true(hubs_of(ldl) > 0);
  for (int turn = 0; turn < 3; turn++) { /* the last turn holds the rows of the first again */
    for (int i = turn % 2; i < ldl->nrow; i += 5)
      hn_system_hold(ldl, i, turn == 2), hn_system_hold(dense, i, turn == 2);
    const comparison found = compare(ldl, dense);
    assert_false(found.singular);
    check_below("error of ldl, over that of dense", relative_error(found), 10.0);
    ASSERT_COUNT("  detections", ldl->work.detections, dense->work.detections);
  }
  hn_system_free(ldl), hn_system_free(dense);
  hn_model_free(model);
}

/* ---- Work ---------------------------------------------------------------------------------------------- */

static double work_on(hn_model *model)
{
  hn_system *s = system_by("ldl", model, HN_REFUSE);
  const double work = hn_factor_work(&s->parts->linear->assembly.K);
  assert_true(work > 0.0);
  hn_system_free(s);
  hn_model_free(model);
  return work;
}

static void a_star_costs_what_a_tree_costs(void **state)
{
  (void)state;
  static const int sizes[] = { 15, 127, 1023, 8191 };
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const double of_star = work_on(star(sizes[i], 1.0, 1.0)), of_tree = work_on(tree(sizes[i]));
    char what[80];
    snprintf(what, sizeof what, "%d bodies: multiplications of a star, over a tree", sizes[i]);
    check_below(what, of_star / of_tree, 2.0);
  }
}

/* Neither trees nor small fans have hubs: their bits are those of K. */
static void trees_have_no_hubs(void **state)
{
  (void)state;
  for (int legs = 2; legs <= 12; legs += 5) {
    hn_model *model = legs == 2 ? tree(127) : star(legs, 1.0, 1.0);
    hn_system *s = system_by("ldl", model, HN_REFUSE);
    ASSERT_COUNT("hubs", hubs_of(s), legs == 12);
    hn_system_free(s);
    hn_model_free(model);
  }
}

static void factorisations_do_not_allocate(void **state)
{
  (void)state;
  hn_model *model = platform(6, 20);
  hn_system *s = system_by("ldl", model, HN_REFUSE);
  double *x = calloc(2 * (size_t)s->nrow, sizeof *x);
  fail_allocation(0, false);
  const long before = allocations;
  for (int turn = 0; turn < 3; turn++) {
    assert_int_equal(hn_system_factor(s), HN_CONVERGED);
    assert_int_equal(hn_system_solve(s, s->bias, x), HN_CONVERGED);
  }
  ASSERT_COUNT("allocations", allocations - before, 0);
  free(x);
  hn_system_free(s);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(stars_are_solved),
    cmocka_unit_test(random_mechanisms_are_solved),
    cmocka_unit_test(joints_may_need_the_hub),
    cmocka_unit_test(policies_drop_the_same_rows),
    cmocka_unit_test(released_rows_are_decoupled),
    cmocka_unit_test(a_star_costs_what_a_tree_costs),
    cmocka_unit_test(trees_have_no_hubs),
    cmocka_unit_test(factorisations_do_not_allocate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
