/* test_layouts.c - the layout of K: rows in pairs only where pairs are cheaper than single rows, and fill-in
 * of the elimination order of mechanisms with loops, both counted here from the joints of the model. */
#include "models.h"
#include "linear/linear.h"

#include <stdlib.h>

/* ---- Pairs of rows
 * -------------------------------------------------------------------------------------- */

/* True if two joints have a moving body in common. */
static bool are_coupled(const hn_model *m, int i, int j)
{
  const hn_joint *p = &m->joint[i], *q = &m->joint[j];
  const bool a = p->a == q->a || p->a == q->b, b = p->b == q->a || p->b == q->b;
  return (a && m->body[p->a].kind != HN_FIXED) || (b && m->body[p->b].kind != HN_FIXED);
}

/* Returns the sum of the squares of the lengths of rows, from the diagonal on: the work of single numbers. */
static double work_of_single_rows(const hn_model *m, const int *order)
{
  double work = 0.0;
  for (int k = 0; k < m->njoint; k++)
    for (int r = 0, n = m->joint[order[k]].type->rows; r < n; r++) {
      double width = n - r;
      for (int l = k + 1; l < m->njoint; l++)
        if (are_coupled(m, order[k], order[l])) width += m->joint[order[l]].type->rows;
      work += width * width;
    }
  return work;
}

static double work_of_stored_rows(const hn_block_matrix *K)
{
  double work = 0.0;
  for (int row = 0; row < K->n; row++) {
    const double width = K->bs * (K->start[row + 1] - K->start[row]);
    work += K->bs * width * width;
  }
  return work;
}

/* A number in a pair costs half of a single one. */
static void check_layout(const char *what, hn_model *model, int size)
{
  hn_error error = { "" };
  hn_linear_options options = { .backend = "dense", .petsc = "" };
  hn_system *s = hn_system_create(model, &error);
  if (!s || hn_system_use_linear(s, &options, &error)) fail_msg("%s", error.text);
  const hn_assembly *as = &s->parts->linear->assembly;
  const double single = work_of_single_rows(model, as->order), stored = work_of_stored_rows(&as->K);
  printf(" %s: blocks of %d, expected %d\n", what, as->K.bs, size);
  check_below("work of what is stored / work of single rows", stored / single, as->K.bs == 2 ? 2.0 : 1.0);
  assert_int_equal(as->K.bs, size);
  hn_system_free(s);
  hn_model_free(model);
}

/* Returns N boxes on rods of their own, a joint of one row each without a common body; one is on a ball. */
static hn_model *pendulums(int n)
{
  hn_model *model = new_model();
  for (int i = 0; i < n; i++) {
    char name[16];
    hn_error error;
    snprintf(name, sizeof name, "b%d", i);
    hn_joint_spec rod = { .type = i == 0 ? "ball" : "distance",
                          .b = add_box(model, name, i, 0, 0),
                          .has_points = true,
                          .at_a = { i, 1, 0 },
                          .at_b = { i, i == 0 ? 1 : 0, 0 } };
    if (hn_model_add_joint(model, &rod, &error) < 0) fail_msg("%s", error.text);
  }
  return model;
}

static void pairs_are_used_only_where_they_are_cheaper(void **unused)
{
  (void)unused;
  check_layout("pendulums on rods", pendulums(9), 1);
  check_layout("two pendulums on rods", pendulums(3), 1);
  check_layout("joints of 1 and 3 rows", mixed(), 2);
}

/* ---- Fill-in
 * -------------------------------------------------------------------------------------------- */

enum { SIDE = 12, MOST = 2 * SIDE * (SIDE - 1) + 2 };

/* Returns particles in a square lattice with rods between neighbours, on two rods at the corners of a
 * side. */
static hn_model *lattice(void)
{
  hn_model *model = new_model();
  for (int i = 0; i < SIDE * SIDE; i++) {
    char name[16];
    snprintf(name, sizeof name, "p%d", i);
    add_particle(model, name, i % SIDE, -1 - i / SIDE, 0);
  }
  add_rod(model, 0, 1), add_rod(model, 0, SIDE);
  for (int i = 1; i <= SIDE * SIDE; i++) {
    if (i % SIDE > 0) add_rod(model, i, i + 1);
    if (i + SIDE <= SIDE * SIDE) add_rod(model, i, i + SIDE);
  }
  return model;
}

static bool linked[MOST][MOST];

static void link_coupled_joints(const hn_model *m)
{
  for (int i = 0; i < m->njoint; i++)
    for (int j = 0; j < m->njoint; j++) linked[i][j] = i != j && are_coupled(m, i, j);
}

/* Eliminates joint K of the graph: its neighbours become neighbours of each other. Returns the new links. */
static int eliminate(int n, int k, bool *gone)
{
  int neighbour[MOST], count = 0, fill = 0;
  for (int i = 0; i < n; i++)
    if (linked[k][i] && !gone[i]) neighbour[count++] = i;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < i; j++)
      if (!linked[neighbour[i]][neighbour[j]])
        linked[neighbour[i]][neighbour[j]] = linked[neighbour[j]][neighbour[i]] = true, fill++;
  gone[k] = true;
  return fill;
}

static int fill_of(const hn_model *m, const int *order)
{
  bool gone[MOST] = { false };
  int fill = 0;
  link_coupled_joints(m);
  for (int k = 0; k < m->njoint; k++) {
    assert_false(gone[order[k]]);
    fill += eliminate(m->njoint, order[k], gone);
  }
  return fill;
}

/* Returns the fill-in of the order in which the next joint is always one with the fewest neighbours. */
static int fill_of_minimum_degree(const hn_model *m)
{
  bool gone[MOST] = { false };
  int fill = 0;
  link_coupled_joints(m);
  for (int k = 0; k < m->njoint; k++) {
    int best = -1, fewest = MOST;
    for (int i = 0; i < m->njoint; i++) {
      int degree = 0;
      for (int j = 0; j < m->njoint && !gone[i]; j++) degree += linked[i][j] && !gone[j];
      if (!gone[i] && degree < fewest) best = i, fewest = degree;
    }
    fill += eliminate(m->njoint, best, gone);
  }
  return fill;
}

/* The approximate minimum degree has about the fill-in of the exact one, and less than the order along the
 * lattice, a band of 2 SIDE joints. */
static void loops_are_eliminated_by_minimum_degree(void **unused)
{
  (void)unused;
  static int order[MOST], along[MOST];
  hn_error error = { "" };
  hn_model *model = lattice();
  hn_system *s = hn_system_create(model, &error);
  if (!s) fail_msg("%s", error.text);
  ASSERT_COUNT("joints", model->njoint, MOST);
  assert_int_equal(hn_order_blocks(s, NULL, order, NULL), 0);
  for (int k = 0; k < MOST; k++) along[k] = k;
  const int fill = fill_of(model, order), least = fill_of_minimum_degree(model), band = fill_of(model, along);
  check_below("fill-in / that of minimum degree", (double)fill / least, 1.25);
  check_below("fill-in / that of a band", (double)fill / band, 1.0);
  hn_system_free(s);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(pairs_are_used_only_where_they_are_cheaper),
    cmocka_unit_test(loops_are_eliminated_by_minimum_degree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
