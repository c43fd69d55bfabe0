/* test_rank.c - rank of the constraints: closed forms, sparse against dense analysis, scaling, names,
 * uniqueness, large systems. Solvers on a singular K are tested in test_redundant.c. */
#include "loops.h"
#include "base/module.h"
#include "linear/matrix.h"
#include "rank/rank_parts.h"

#include <stdlib.h>

static hn_rank *rank_of(const hn_model *model, int how)
{
  hn_error error;
  hn_system *system = hn_system_create(model, &error);
  hn_state *start = hn_state_create(model);
  hn_system_jacobian(system, start);
  hn_rank *rank = hn_rank_create(system, how, &error);
  if (!rank) fail_msg("%s", error.text);
  hn_state_free(start);
  hn_system_free(system);
  return rank;
}

static const int analyses[] = { HN_RANK_DENSE, HN_RANK_SPARSE };
static const char *const analysis_name[] = { "", "dense", "sparse" };

static void check_counts(const char *what, const hn_rank *rank, int rows, int count, int dof)
{
  printf(" %s\n", what);
  ASSERT_COUNT("rows", rank->rows, rows);
  ASSERT_COUNT("rank", rank->rank, count);
  ASSERT_COUNT("degrees of freedom", rank->dof, dof);
}

/* ---- Closed forms -------------------------------------------------------------------------------------- */

static void cuboid_has_rank_18(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    hn_model *model = redundant_cube();
    hn_rank *rank = rank_of(model, analyses[k]);
    check_counts(analysis_name[analyses[k]], rank, 28, 18, 6);
    check_near("last singular value kept", rank->kept, sqrt(0.5), 1e-14);
    check_below("first one dropped", rank->dropped, 1e-14);
    check_below("1e10 / gap", 1e10 / rank->gap, 1.0);
    int unique = 0;
    for (int i = 0; i < 28; i++) unique += hn_rank_unique(rank, i);
    ASSERT_COUNT("unique multipliers", unique, 0);
    hn_rank_free(rank);
    hn_model_free(model);
  }
}

/* The rods that are retained are the first independent ones, in the order of the scene. */
static void late_rows_are_removed_first(void **state)
{
  (void)state;
  hn_model *model = redundant_cube();
  hn_rank *rank = rank_of(model, HN_RANK_AUTO);
  int before = 0, at = 0;
  for (int rows = 1; rows <= 28; rows++) {
    hn_model prefix = *model;
    prefix.njoint = prefix.nrow = rows;
    hn_rank *part = rank_of(&prefix, HN_RANK_DENSE);
    bool adds = part->rank > before, removed = at < 10 && rank->redundant[at] == rows - 1;
    before = part->rank;
    at += removed;
    hn_rank_free(part);
    assert_true(adds != removed);
  }
  ASSERT_COUNT("rods removed", at, 10);
  char name[64];
  int names = 0;
  for (int next = 0; hn_rank_name(rank, model, &next, name, sizeof name);) names++;
  printf("  the last of them: %s\n", name);
  assert_string_equal(name, "distance28");
  ASSERT_COUNT("names", names, 10);
  hn_rank_free(rank);
  hn_model_free(model);
}

static void triangle_is_regular(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    hn_model *model = new_model();
    add_particle(model, "a", 0, 0, 0), add_particle(model, "b", 1, 0, 0), add_particle(model, "c", 0, 1, 0);
    add_rod(model, 1, 2), add_rod(model, 2, 3), add_rod(model, 3, 1);
    hn_rank *rank = rank_of(model, analyses[k]);
    check_counts(analysis_name[analyses[k]], rank, 3, 3, 6);
    assert_true(isnan(rank->dropped) && isnan(rank->gap));
    for (int i = 0; i < 3; i++) assert_true(hn_rank_unique(rank, i));
    hn_rank_free(rank);
    hn_model_free(model);
  }
}

/* A doubled rod: half of the squared length of either multiplier is undetermined; the third rod's multiplier
 * is unique. */
static void doubled_rod(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    char name[64];
    hn_model *model = double_pendulum();
    add_rod(model, 0, 1);
    hn_rank *rank = rank_of(model, analyses[k]);
    check_counts(analysis_name[analyses[k]], rank, 3, 2, 4);
    check_near("first rod: free part", rank->undetermined[0], sqrt(0.5), 1e-14);
    check_below("second rod", rank->undetermined[1], 1e-14);
    check_near("first rod again", rank->undetermined[2], sqrt(0.5), 1e-14);
    assert_true(!hn_rank_unique(rank, 0) && hn_rank_unique(rank, 1) && !hn_rank_unique(rank, 2));
    int next = 0;
    assert_true(hn_rank_name(rank, model, &next, name, sizeof name));
    assert_string_equal(name, "distance3");
    hn_rank_free(rank);
    hn_model_free(model);
  }
}

/* A straight chain of n boxes between two supports: the force along it is undetermined. Scaled, an inner
 * joint has twice the square of an outer one: (n - 1) of 2 and 2 of 1 parts of 2 n. Only the x row of the
 * last joint can be removed. */
static void straight_closed_chain(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    enum { N = 6 };
    char name[64];
    hn_model *model = box_chain(N);
    add_ball(model, N, 0, N, 0, 0);
    hn_rank *rank = rank_of(model, analyses[k]);
    check_counts(analysis_name[analyses[k]], rank, 3 * (N + 1), 3 * (N + 1) - 1, 6 * N - 3 * (N + 1) + 1);
    check_near("outer joint, along the chain", rank->undetermined[0], sqrt(1.0 / (2 * N)), 1e-14);
    check_near("inner joint, along the chain", rank->undetermined[3], sqrt(2.0 / (2 * N)), 1e-14);
    check_below("across", rank->undetermined[4], 1e-14);
    int next = 0;
    assert_true(hn_rank_name(rank, model, &next, name, sizeof name));
    assert_string_equal(name, "ball7[1]");
    assert_false(hn_rank_name(rank, model, &next, name, sizeof name));
    hn_rank_free(rank);
    hn_model_free(model);
  }
}

/* A joint that is redundant as a whole is listed by its name. */
static void whole_joints_have_one_name(void **state)
{
  (void)state;
  char name[64];
  hn_model *model = box_chain(3);
  add_ball(model, 1, 2, 1, 0, 0);
  hn_rank *rank = rank_of(model, HN_RANK_AUTO);
  check_counts("a ball joint twice", rank, 12, 9, 9);
  int next = 0;
  assert_true(hn_rank_name(rank, model, &next, name, sizeof name));
  printf("  removed: %s\n", name);
  assert_string_equal(name, "ball4");
  assert_false(hn_rank_name(rank, model, &next, name, sizeof name));
  hn_rank_free(rank);
  hn_model_free(model);
}

static void empty_systems(void **state)
{
  (void)state;
  hn_model *model = new_model();
  hn_rank *rank = rank_of(model, HN_RANK_AUTO);
  check_counts("no bodies", rank, 0, 0, 0);
  hn_rank_free(rank);
  add_box(model, "free", 0, 0, 0);
  rank = rank_of(model, HN_RANK_AUTO);
  check_counts("a free body", rank, 0, 0, 6);
  assert_true(isnan(rank->gap) && rank->nsingular == 0);
  hn_rank_free(rank);
  hn_model_free(model);
}

/* Two rods on a particle at the angle theta: the singular values are the roots of 1 +- cos(theta). */
static void nearly_parallel_rods(void **state)
{
  (void)state;
  static const double angles[] = { 1.0, 1e-2, 1e-4, 1e-7, 1e-9 };
  for (size_t i = 0; i < sizeof angles / sizeof *angles; i++)
    for (int k = 0; k < 2; k++) {
      double theta = angles[i], expected = sqrt(2.0) * sin(0.5 * theta);
      hn_error error;
      hn_model *model = new_model();
      add_particle(model, "bob", 0, 0, 0);
      for (int side = -1; side < 2; side += 2) {
        hn_joint_spec rod = { .type = "distance",
                              .a = 0,
                              .b = 1,
                              .has_points = true,
                              .at_a = { cos(0.5 * theta), side * sin(0.5 * theta), 0 } };
        if (hn_model_add_joint(model, &rod, &error) < 0) fail_msg("%s", error.text);
      }
      hn_rank *rank = rank_of(model, analyses[k]);
      bool regular = expected > rank->tolerance;
      printf(" %s, %g rad\n", analysis_name[analyses[k]], theta);
      ASSERT_COUNT("rank", rank->rank, regular ? 2 : 1);
      check_near("smallest singular value", regular ? rank->kept : rank->dropped, expected, 1e-14);
      hn_rank_free(rank);
      hn_model_free(model);
    }
}

/* ---- Scales -------------------------------------------------------------------------------------------- */

/* Adds a hinge about z at (x, y, 0). */
static void add_hinge(hn_model *model, int a, int b, double x, double y)
{
  hn_error error;
  hn_joint_spec hinge = { .type = "hinge", .a = a, .b = b, .has_points = true, .axis_a = { 0, 0, 1 } };
  vec_set(hinge.at_a, x, y, 0), vec_set(hinge.at_b, x, y, 0);
  if (hn_model_add_joint(model, &hinge, &error) < 0) fail_msg("%s", error.text);
}

/* Returns a closed loop of four links, in given units of length and mass. */
static hn_model *scaled_loop(double length, double mass)
{
  hn_model *model = new_model();
  for (int i = 0; i < 4; i++) {
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    hn_body_spec box = { .name = name,
                         .kind = HN_RIGID,
                         .shape = { .kind = HN_BOX, .size = { length, 0.1 * length, 0.2 * length } },
                         .density = mass / (length * length * length),
                         .orientation = { 1, 0.1 * i, 0.2, 0.3 },
                         .position = { i * length, 0.3 * i * length, 0 } };
    must_add(model, &box);
    add_hinge(model, i, i + 1, (i - 0.5) * length, 0.2 * i * length);
  }
  add_hinge(model, 4, 0, 4 * length, length);
  return model;
}

static void units_have_no_influence(void **state)
{
  (void)state;
  hn_model *plain = scaled_loop(1.0, 1.0);
  hn_rank *expected = rank_of(plain, HN_RANK_DENSE);
  check_counts("planar loop of 4 links with hinges in space", expected, 25, 22, 2);
  for (double length = 1e-3; length < 2e3; length *= 1e3)
    for (double mass = 1e-6; mass < 2e6; mass *= 1e6) {
      hn_model *model = scaled_loop(length, mass);
      hn_rank *rank = rank_of(model, HN_RANK_DENSE);
      double difference = 0.0;
      assert_int_equal(rank->rank, expected->rank);
      for (int i = 0; i < rank->rank; i++)
        difference = fmax(difference, fabs(rank->singular[i] - expected->singular[i]));
      char what[80];
      snprintf(what, sizeof what, "lengths * %g, masses * %g: change of singular values", length, mass);
      check_below(what, difference, 1e-12);
      hn_rank_free(rank);
      hn_model_free(model);
    }
  hn_rank_free(expected);
  hn_model_free(plain);
}

/* ---- Sparse and dense analysis ------------------------------------------------------------------------- */

static void check_agreement(const char *what, hn_model *model)
{
  hn_rank *dense = rank_of(model, HN_RANK_DENSE), *sparse = rank_of(model, HN_RANK_SPARSE);
  double part = 0.0;
  printf(" %s: %d rows, rank %d\n", what, dense->rows, dense->rank);
  assert_int_equal(dense->rank, sparse->rank);
  assert_true(sparse->measured);
  check_below("last value kept, relative", sparse->kept / dense->kept - 1.0, 1e-10);
  if (dense->rank < dense->rows)
    check_below("first value dropped by the sparse analysis", sparse->dropped, 1e-12);
  for (int i = 0; i < dense->rows; i++)
    part = fmax(part, fabs(dense->undetermined[i] - sparse->undetermined[i]));
  check_below("undetermined parts of multipliers", part, 1e-10);
  assert_memory_equal(dense->redundant, sparse->redundant, sizeof(int) * (size_t)(dense->rows - dense->rank));
  hn_rank_free(dense);
  hn_rank_free(sparse);
  hn_model_free(model);
}

/* Redundancy depends on geometry: any ratio of masses is admissible. */
static void masses_have_no_influence(void **state)
{
  (void)state;
  for (int n = 6; n <= 60; n += 54) { /* 18 rows, and 180, for which the sparse analysis is the default */
    double kept[2] = { 0, 0 };
    for (int repeated = 0; repeated < 2; repeated++)
      for (double ratio = 1.0; ratio < 1e19; ratio *= 1e6)
        for (int k = 0; k < 2; k++) {
          char what[64];
          hn_model *model = uneven_chain(n, ratio, repeated);
          hn_rank *rank = rank_of(model, analyses[k]);
          snprintf(what, sizeof what, "%d boxes, 1 : %g, %s", n, ratio,
                   repeated ? "a joint twice" : "regular");
          check_counts(what, rank, 3 * (n + repeated), 3 * n, 3 * n);
          if (ratio == 1.0 && k == 0) kept[repeated] = rank->kept;
          check_near("last singular value kept", rank->kept, kept[repeated], 1e-9 * kept[repeated]);
          hn_rank_free(rank);
          hn_model_free(model);
        }
  }
}

static void sparse_and_dense_agree(void **state)
{
  (void)state;
  check_agreement("cube", redundant_cube());
  check_agreement("chain", box_chain(40));
  check_agreement("joints of 1 and 3 rows", mixed());
  check_agreement("flat grid", grid(6, 0.0));
  check_agreement("grid in space", grid(6, 0.1));
  check_agreement("Bricard's mechanism", bricard());
  check_agreement("loop with hinges", scaled_loop(1.0, 1.0));
}

/* A particle on rods along x, along (1, e) and along y, of any lengths. (1, -r, e) with r^2 = 1 + e^2 is the
 * null vector of rows of unit length: the third multiplier is undetermined only by a small part. */
static void slightly_undetermined(void **state)
{
  (void)state;
  for (double e = 0.05; e > 1e-5; e *= 0.1)
    for (int analysis = 0; analysis < 2; analysis++) {
      hn_model *model = new_model();
      const double ends[3][2] = { { 2, 0 }, { 0.5, 0.5 * e }, { 0, 3 } }, whole = sqrt(2.0 + 2.0 * e * e);
      const double parts[3] = { 1.0 / whole, sqrt(1.0 + e * e) / whole, e / whole };
      int p = add_particle(model, "p", 0, 0, 0);
      for (int i = 0; i < 3; i++) {
        hn_error error;
        hn_joint_spec rod = {
          .type = "distance", .a = 0, .b = p, .has_points = true, .at_a = { ends[i][0], ends[i][1] }
        };
        if (hn_model_add_joint(model, &rod, &error) < 0) fail_msg("%s", error.text);
      }
      hn_rank *rank = rank_of(model, analyses[analysis]);
      ASSERT_COUNT("rank", rank->rank, 2);
      for (int i = 0; i < 3; i++) {
        check_near("undetermined part", rank->undetermined[i], parts[i], 1e-11);
        assert_false(hn_rank_unique(rank, i));
      }
      hn_rank_free(rank);
      hn_model_free(model);
    }
}

/* Returns the number of entries of R in the sparse factorisation of MODEL's rows, which determines time and
 * memory. */
static double entries_of(const hn_model *model)
{
  hn_error error;
  hn_rank_factor *factor;
  const void *symbol = hn_module_symbol(HN_RANK_MODULE, HN_RANK_FACTOR, &error);
  if (!symbol) fail_msg("%s", error.text);
  memcpy(&factor, &symbol, sizeof factor);
  hn_system *system = hn_system_create(model, &error);
  hn_state *start = hn_state_create(model);
  hn_scaled A;
  hn_trapezoid R;
  int *blocks = malloc(sizeof *blocks * (size_t)system->nblock),
      *order = malloc(sizeof *order * (size_t)system->nrow);
  hn_system_jacobian(system, start);
  assert_int_equal(hn_scaled_create(&A, system, &error), 0);
  assert_int_equal(hn_order_blocks(system, NULL, blocks, &error), 0);
  for (int k = 0, at = 0; k < system->nblock; k++)
    for (int r = 0; r < system->block[blocks[k]].n; r++) order[at++] = system->block[blocks[k]].row + r;
  assert_int_equal(factor(&A, order, 1e-6, &R, &error), 0);
  double entries = R.start[R.rows];
  hn_trapezoid_free(&R);
  hn_scaled_free(&A);
  free(blocks), free(order);
  hn_state_free(start);
  hn_system_free(system);
  return entries;
}

/* Returns the number of entries for a good order of a grid of N x N points [George 1973]: 31/4 n^2 log2 n.
 * The joints form such a grid, rotated, of sqrt(JOINTS) points a side, with 3 rows each. */
static double entries_of_grid(int joints)
{
  return 9.0 * 31.0 / 8.0 * joints * log2(joints);
}

/* A flat grid: rows across the plane are independent. In the plane the boxes have 3 freedoms each; only 4
 * freedoms remain: motion as a whole, and alternating rotation as of squares joined at their corners. */
static void large_grid(double height, bool redundant)
{
  enum { N = 60, JOINTS = 2 * N * (N - 1) };
  hn_model *model = grid(N, height);
  hn_rank *rank = rank_of(model, HN_RANK_AUTO);
  hn_rank *again = rank_of(model, HN_RANK_AUTO);
  int unique = 0, missed = 0;
  printf(" %d x %d, height %g: rank %d of %d, kept %.3e, dropped %.3e, gap %.3e\n", N, N, height, rank->rank,
         rank->rows, rank->kept, rank->dropped, rank->gap);
  ASSERT_COUNT("rows", rank->rows, 3 * JOINTS);
  check_below("entries of R", entries_of(model), entries_of_grid(JOINTS));
  for (int i = 0; i < rank->rows; i++) {
    unique += hn_rank_unique(rank, i);
    missed += i % 3 == 2 && !hn_rank_unique(rank, i);
  }
  ASSERT_COUNT("rows across the plane whose multiplier is not unique", missed, 0);
  if (!redundant) {
    ASSERT_COUNT("rank", rank->rank, 3 * JOINTS);
  } else {
    ASSERT_COUNT("rank", rank->rank, JOINTS + 3 * N * N - 4);
    ASSERT_COUNT("unique multipliers", unique, JOINTS);
    check_below("1e8 / gap", 1e8 / rank->gap, 1.0);
  }
  assert_int_equal(rank->rank, again->rank);
  assert_memory_equal(rank->redundant, again->redundant, sizeof(int) * (size_t)(rank->rows - rank->rank));
  hn_rank_free(rank), hn_rank_free(again);
  hn_model_free(model);
}

static void large_systems(void **state)
{
  (void)state;
  large_grid(0.1, false);
  large_grid(0.0, true);
}

static void dense_matrices_are_limited(void **state)
{
  (void)state;
  hn_error error;
  hn_model *model = grid(20, 0.0);
  hn_system *system = hn_system_create(model, &error);
  hn_state *start = hn_state_create(model);
  hn_system_jacobian(system, start);
  assert_null(hn_rank_create(system, HN_RANK_DENSE, &error));
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, "too many for a dense matrix"));
  hn_state_free(start);
  hn_system_free(system);
  hn_model_free(model);
}

/* A chain is eliminated from its end: the rows of a joint couple with themselves, 6 entries, and with those
 * of the next joint, 9. */
static void medium_systems_have_little_fill(void **state)
{
  (void)state;
  enum { LINKS = 133, SIDE = 9 };
  hn_model *chain = box_chain(LINKS), *flat = grid(SIDE, 0.0);
  check_below("entries of R, chain of 133", entries_of(chain), 15 * LINKS);
  check_below("entries of R, grid of 9 x 9", entries_of(flat), entries_of_grid(2 * SIDE * (SIDE - 1)));
  hn_model_free(chain), hn_model_free(flat);
}

/* Bricard: 30 equations, rank 29, one freedom. */
static void bricard_has_rank_29(void **state)
{
  (void)state;
  char name[64];
  hn_model *model = bricard();
  hn_rank *rank = rank_of(model, HN_RANK_AUTO);
  check_counts("Bricard's mechanism", rank, 30, 29, 1);
  check_below("1e10 / gap", 1e10 / rank->gap, 1.0);
  int next = 0;
  assert_true(hn_rank_name(rank, model, &next, name, sizeof name));
  printf("  can be removed: %s, kept %.6g, dropped %.3g\n", name, rank->kept, rank->dropped);
  hn_rank_free(rank);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(cuboid_has_rank_18),
    cmocka_unit_test(late_rows_are_removed_first),
    cmocka_unit_test(triangle_is_regular),
    cmocka_unit_test(doubled_rod),
    cmocka_unit_test(straight_closed_chain),
    cmocka_unit_test(whole_joints_have_one_name),
    cmocka_unit_test(empty_systems),
    cmocka_unit_test(nearly_parallel_rods),
    cmocka_unit_test(slightly_undetermined),
    cmocka_unit_test(units_have_no_influence),
    cmocka_unit_test(masses_have_no_influence),
    cmocka_unit_test(sparse_and_dense_agree),
    cmocka_unit_test(bricard_has_rank_29),
    cmocka_unit_test(large_systems),
    cmocka_unit_test(dense_matrices_are_limited),
    cmocka_unit_test(medium_systems_have_little_fill),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
