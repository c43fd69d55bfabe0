/* test_linear.c - contract of all linear solvers: K p = b is solved, a singular K is refused.
 *
 * The reference matrix is assembled here from Jacobian and masses by its definition, K = G W G', densely. */
#include "models.h"
#include "linear/linear.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/* Returns the entry of body BODY, component c (0 to 5), in row r of joint j, from the packed Jacobian. */
static double entry(const hn_system *s, int j, int r, int body, int c)
{
  const hn_joint *joint = &s->model->joint[j];
  int n = joint->type->rows;
  const double *G = s->G + 12 * joint->row;
  double sum = 0.0;
  if (joint->a == body) sum += G[c * n + r];
  if (joint->b == body) sum += G[6 * n + c * n + r];
  return sum;
}

/* Computes W (6 x 6) of a body from mass and inertia. */
static void weight(const hn_body *body, const hn_pose *pose, double W[6][6])
{
  double R[9], inverse[9];
  memset(W, 0, sizeof(double[6][6]));
  quat_matrix(R, pose->q);
  mat_congruence(inverse, R, body->inv_J);
  for (int i = 0; i < 3; i++) {
    W[i][i] = body->inv_mass;
    for (int k = 0; k < 3; k++) W[3 + i][3 + k] = inverse[3 * i + k];
  }
}

static double *dense_matrix(const hn_system *s, const hn_state *state)
{
  const hn_model *m = s->model;
  double *K = calloc((size_t)(m->nrow * m->nrow), sizeof *K);
  for (int body = 1; body < m->nbody; body++) {
    double W[6][6];
    weight(&m->body[body], &state->pose[body], W);
    for (int i = 0; i < m->njoint; i++)
      for (int j = 0; j < m->njoint; j++)
        for (int r = 0; r < m->joint[i].type->rows; r++)
          for (int q = 0; q < m->joint[j].type->rows; q++)
            for (int c = 0; c < 6; c++)
              for (int d = 0; d < 6; d++)
                K[(m->joint[i].row + r) * m->nrow + m->joint[j].row + q] += entry(s, i, r, body, c) *
                                                                            W[c][d] * entry(s, j, q, body, d);
  }
  return K;
}

/* Returns a state in general position, in which no entry vanishes by symmetry. */
static hn_state *displaced_state(const hn_model *model)
{
  hn_state *state = hn_state_create(model);
  for (int i = 1; i < model->nbody; i++) {
    const double q[4] = { 1.0, 0.3 * sin(i), 0.2 * cos(3 * i), 0.4 * sin(2 * i) };
    memcpy(state->pose[i].q, q, sizeof q);
    quat_normalise(state->pose[i].q);
    for (int c = 0; c < 3; c++) state->pose[i].x[c] += 0.1 * sin(i + 2.0 * c);
  }
  return state;
}

static void check_solution_with(const char *backend, const char *petsc, const char *scene, hn_model *model)
{
  hn_error error;
  hn_linear_options options = { .backend = backend, .petsc = petsc };
  hn_system *s = hn_system_create(model, &error);
  if (hn_system_use_linear(s, &options, &error)) fail_msg("%s", error.text);
  hn_state *state = displaced_state(model);
  hn_system_jacobian(s, state);
  assert_int_equal(hn_system_factor(s), HN_CONVERGED);
  size_t n = (size_t)model->nrow;
  double *K = dense_matrix(s, state), *x = calloc(n, sizeof *x), *b = calloc(n, sizeof *b);
  for (int i = 0; i < model->nrow; i++)
    for (int j = 0; j < model->nrow; j++) b[i] += K[i * model->nrow + j] * sin(j + 1.0);
  assert_int_equal(hn_system_solve(s, b, x), HN_CONVERGED);
  double worst = 0.0;
  for (int i = 0; i < model->nrow; i++) worst = fmax(worst, fabs(x[i] - sin(i + 1.0)));
  char what[80];
  snprintf(what, sizeof what, "%s on %s, %d rows: error of p", backend, scene, model->nrow);
  check_below(what, worst, 1e-10);
  free(K), free(x), free(b);
  hn_state_free(state);
  hn_system_free(s);
  hn_model_free(model);
}

static void check_solution(const char *backend, const char *scene, hn_model *model)
{
  check_solution_with(backend, "", scene, model);
}

static hn_model *closed_chain(void)
{
  hn_model *model = box_chain(6);
  add_ball(model, 6, 0, 6, 0, 0);
  return model;
}

static hn_model *two_balls_apart(void) /* two joints between the same bodies */
{
  hn_model *model = box_chain(2);
  hn_error error;
  hn_joint_spec rod = {
    .type = "distance", .a = 1, .b = 2, .has_points = true, .at_a = { 0.2, 0.3, 0 }, .at_b = { 1.5, 0.4, 0.1 }
  };
  assert_true(hn_model_add_joint(model, &rod, &error) >= 0);
  return model;
}

/* Returns a binary tree of boxes on joints of TYPES in turn (ended by NULL). */
static hn_model *tree_of(const char *const *types)
{
  hn_model *model = new_model();
  hn_error error;
  for (int i = 1, k = 0; i <= 15; i++, k++) {
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    int body = add_box(model, name, i, 0, 0);
    if (!types[k]) k = 0;
    hn_joint_spec joint = { .type = types[k],
                            .a = i / 2,
                            .b = body,
                            .has_points = true,
                            .at_a = { i - 0.5, 0, 0 },
                            .at_b = { i - 0.5, 0, 0 },
                            .axis_a = { 0, 0, 1 },
                            .axis_b = { 0, 1, 0 } };
    if (strcmp(types[k], "distance") == 0) joint.at_b[1] = 0.3;
    if (hn_model_add_joint(model, &joint, &error) < 0) fail_msg("%s", error.text);
  }
  return model;
}

static const char *const four_sizes[] = { "hinge", "ball", "slider", "distance", "universal", NULL };
static const char *const hinges[] = { "hinge", NULL }, *const fixed[] = { "fixed", NULL };
static const char *const two_and_four[] = { "universal", "cylindrical", "point_on_line", NULL };
static const char *const one_and_more[] = { "distance", "distance", "distance", "fixed",
                                            "distance", "hinge",    NULL };

static hn_model *pendulums(void) /* on rods, except one */
{
  hn_model *model = new_model();
  hn_error error;
  for (int i = 1; i <= 9; i++) {
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    hn_joint_spec rod = { .type = i == 4 ? "ball" : "distance",
                          .b = add_box(model, name, i, 0, 0),
                          .has_points = true,
                          .at_a = { i, 1, 0 },
                          .at_b = { i, i == 4 ? 1 : 0, 0 } };
    if (hn_model_add_joint(model, &rod, &error) < 0) fail_msg("%s", error.text);
  }
  return model;
}

static double stored_entry(const hn_block_matrix *K, int i, int j)
{
  for (int k = K->start[i / K->bs]; k < K->start[i / K->bs + 1]; k++)
    if (K->column[k] == j / K->bs) return K->value[k * K->bs * K->bs + j % K->bs * K->bs + i % K->bs];
  return 0.0;
}

/* Checks K against its definition: the upper triangle, whole blocks on the diagonal, and rows of the identity
 * where K has more rows than the model. A second state checks that values are replaced. */
static void check_definition(const char *scene, hn_model *model)
{
  hn_error error;
  hn_linear_options options = { .backend = "dense", .petsc = "" };
  hn_system *s = hn_system_create(model, &error);
  if (hn_system_use_linear(s, &options, &error)) fail_msg("%s", error.text);
  const hn_assembly *as = &s->parts->linear->assembly;
  const hn_block_matrix *K = &as->K;
  int rows = K->n * K->bs, *of = malloc(sizeof *of * (size_t)rows);
  for (int i = 0; i < rows; i++) of[i] = -1;
  for (int i = 0; i < model->nrow; i++) of[as->row_at[i]] = i;
  hn_state *state = hn_state_create(model), *other = displaced_state(model);
  double worst = 0.0, size = 0.0;
  for (int pass = 0; pass < 2; pass++) {
    hn_system_jacobian(s, pass ? other : state);
    hn_assembly_fill(&s->parts->linear->assembly, s);
    double *dense = dense_matrix(s, pass ? other : state);
    for (int i = 0; i < rows; i++)
      for (int j = i / K->bs * K->bs; j < rows; j++) {
        double expected = of[i] >= 0 && of[j] >= 0 ? dense[of[i] * model->nrow + of[j]] : i == j;
        worst = fmax(worst, fabs(stored_entry(K, i, j) - expected));
        size = fmax(size, fabs(expected));
      }
    free(dense);
  }
  printf("  %s: %d rows in blocks of %d, %d of the identity\n", scene, model->nrow, K->bs,
         rows - model->nrow);
  check_below("error of K, relative", worst / size, 1e-14); /* sums of up to 72 products */
  free(of);
  hn_state_free(state), hn_state_free(other);
  hn_system_free(s);
  hn_model_free(model);
}

static void entries_match_the_definition(void **state)
{
  (void)state;
  check_definition("chain of balls", box_chain(20));
  check_definition("closed chain", closed_chain());
  check_definition("joints of 1 and 3 rows", mixed());
  check_definition("two joints on one pair", two_balls_apart());
  check_definition("tree of joints of 1, 3, 4 and 5 rows", tree_of(four_sizes));
  check_definition("tree of hinges", tree_of(hinges));
  check_definition("tree of fixed joints", tree_of(fixed));
  check_definition("tree of joints of 2 and 4 rows", tree_of(two_and_four));
  check_definition("tree of rods, fixed joints and hinges", tree_of(one_and_more));
  check_definition("pendulums", pendulums());
}

static void every_backend_solves(void **state)
{
  (void)state;
  size_t count;
  const hn_linear_info *info = hn_linear_backends(&count);
  for (size_t i = 0; i < count; i++) {
    check_solution(info[i].name, "double pendulum", double_pendulum());
    check_solution(info[i].name, "chain of 20 boxes", box_chain(20));
    check_solution(info[i].name, "closed chain", closed_chain());
    check_solution(info[i].name, "joints of 1 and 3 rows", mixed());
    check_solution(info[i].name, "two joints on one pair", two_balls_apart());
    check_solution(info[i].name, "tree of joints of 1, 3, 4 and 5 rows", tree_of(four_sizes));
    check_solution(info[i].name, "tree of hinges", tree_of(hinges));
  }
}

static hn_model *doubled_joint(void)
{
  hn_model *model = box_chain(3);
  add_ball(model, 1, 2, 1, 0, 0);
  return model;
}

static void check_refusal(const char *backend, const char *scene, hn_model *model, double scale)
{
  hn_error error;
  hn_linear_options options = { .backend = backend, .petsc = "" };
  for (int i = 1; i < model->nbody; i++) {
    model->body[i].inv_mass *= scale;
    for (int c = 0; c < 3; c++) model->body[i].inv_J[c] *= scale;
  }
  hn_system *s = hn_system_create(model, &error);
  if (hn_system_use_linear(s, &options, &error)) fail_msg("%s", error.text);
  hn_state *state = hn_state_create(model);
  hn_system_jacobian(s, state);
  hn_reason reason = hn_system_factor(s);
  printf("  %-8s %-28s masses / %-8g %s\n", backend, scene, scale, hn_reason_name(reason));
  assert_true(reason == HN_SINGULAR || (strcmp(backend, "ksp") == 0 && reason == HN_STALLED));
  hn_state_free(state);
  hn_system_free(s);
  hn_model_free(model);
}

static void every_backend_refuses_a_singular_matrix(void **state)
{
  (void)state;
  size_t count;
  const hn_linear_info *info = hn_linear_backends(&count);
  for (size_t i = 0; i < count; i++)
    for (double scale = 1e-8; scale < 1e9; scale *= 1e8) { /* the decision must not depend on units */
      check_refusal(info[i].name, "cube with 28 distances", redundant_cube(), scale);
      check_refusal(info[i].name, "a ball joint twice", doubled_joint(), scale);
    }
}

static int fill_in(const hn_model *model, const int *order)
{
  int n = model->njoint, fill = 0;
  char *linked = calloc((size_t)(n * n), 1);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const hn_joint *p = &model->joint[order[i]], *q = &model->joint[order[j]];
      int ends[2] = { p->a, p->b };
      for (int e = 0; e < 2; e++)
        if (ends[e] != 0 && (ends[e] == q->a || ends[e] == q->b)) linked[i * n + j] = 1;
    }
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; linked[i * n + k] && j < n; j++)
        if (linked[j * n + k] && !linked[i * n + j]) linked[i * n + j] = 1, fill++;
  free(linked);
  return fill;
}

static void trees_are_eliminated_without_fill(void **state)
{
  (void)state;
  hn_model *model = new_model();
  for (int i = 1; i <= 63; i++) {
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    int body = add_box(model, name, i, 0, 0);
    add_ball(model, i / 2, body, i, 0, 0);
  }
  int order[63];
  hn_system *tree = hn_system_create(model, NULL);
  assert_int_equal(hn_order_blocks(tree, NULL, order, NULL), 0);
  hn_system_free(tree);
  check_below("fill-in of a binary tree of 63 bodies", fill_in(model, order), 0);
  hn_model_free(model);
  hn_model *loop = closed_chain();
  hn_system *closed = hn_system_create(loop, NULL);
  assert_int_equal(hn_order_blocks(closed, NULL, order, NULL), 0);
  hn_system_free(closed);
  check_below("fill-in of a chain between two supports", fill_in(loop, order), 0);
  hn_model_free(loop);
}

/* On a tree ordered from its leaves incomplete Cholesky is complete: cg converges in one iteration, the limit
 * here. */
static void incomplete_cholesky_is_exact_on_trees(void **state)
{
  (void)state;
  hn_error error;
  hn_model *model = box_chain(50);
  hn_system *s = hn_system_create(model, &error);
  hn_linear_options options = { .backend = "ksp", .petsc = "-ksp_max_it 1 -ksp_rtol 1e-8" };
  if (hn_system_use_linear(s, &options, &error)) fail_msg("%s", error.text);
  hn_state *at = displaced_state(model);
  hn_system_jacobian(s, at);
  hn_reason reason = hn_system_factor(s);
  printf("  cg with one iteration on a chain of 50: %s\n", hn_reason_name(reason));
  assert_int_equal(reason, HN_CONVERGED);
  hn_state_free(at);
  hn_system_free(s);
  hn_model_free(model);
}

/* Every Krylov method and preconditioner accepts K as it is stored, in one block or many; so do LU and
 * Cholesky of other libraries. */
static void options_reach_petsc(void **state)
{
  (void)state;
  static const char *const options[] = {
    "-ksp_type minres",
    "-ksp_type gmres -pc_type ilu",
    "-ksp_type lsqr -pc_type jacobi",
    "-pc_type none",
    "-ksp_type bcgs -pc_type sor",
    "-mat_type sbaij",
    "-mat_type sbaij -pc_type jacobi",
    "-pc_type gamg",
    "-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type cholmod -mat_cholmod_factor simplicial",
    "-ksp_type preonly -pc_type lu -pc_factor_mat_solver_type klu -mat_klu_ordering COLAMD",
    "-ksp_type preonly -pc_type lu -pc_factor_mat_solver_type umfpack -mat_umfpack_strategy SYMMETRIC",
    "-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps -mat_mumps_icntl_7 0",
  };
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    printf(" %s\n", options[i]);
    check_solution_with("ksp", options[i], "closed chain", closed_chain());
  }
  printf(" options of libraries by name\n");
  check_solution_with("cholmod", "-mat_cholmod_factor supernodal", "closed chain", closed_chain());
  check_solution_with("mumps", "-mat_mumps_icntl_7 0", "closed chain", closed_chain());
}

enum { CHAIN = 20 };

/* Computes the solution with K of a chain after TIMES factorisations, by a new linear solver. */
static void solve_chain(const char *backend, int times, double x[3 * CHAIN])
{
  hn_error error;
  hn_linear_options options = { .backend = backend, .petsc = "" };
  hn_model *model = box_chain(CHAIN);
  hn_system *s = hn_system_create(model, &error);
  hn_state *at = displaced_state(model);
  if (hn_system_use_linear(s, &options, &error)) fail_msg("%s", error.text);
  assert_int_equal(model->nrow, 3 * CHAIN);
  hn_system_jacobian(s, at);
  for (int i = 0; i < times; i++) assert_int_equal(hn_system_factor(s), HN_CONVERGED);
  for (int r = 0; r < 3 * CHAIN; r++) x[r] = cos(r);
  assert_int_equal(hn_system_solve(s, x, x), HN_CONVERGED);
  hn_state_free(at);
  hn_system_free(s);
  hn_model_free(model);
}

static void every_backend_is_reproducible(void **state)
{
  (void)state;
  size_t count;
  const hn_linear_info *info = hn_linear_backends(&count);
  for (size_t i = 0; i < count; i++) {
    double x[3 * CHAIN], y[3 * CHAIN], z[3 * CHAIN];
    solve_chain(info[i].name, 1, x);
    solve_chain(info[i].name, 1, y);
    solve_chain(info[i].name, 3, z);
    bool same_when_new = memcmp(x, y, sizeof x) == 0, same_when_refactored = memcmp(x, z, sizeof x) == 0;
    printf("  %-8s %s bits when made anew, %s when factored again\n", info[i].name,
           same_when_new ? "same" : "OTHER", same_when_refactored ? "same" : "OTHER");
    assert_true(same_when_new && same_when_refactored);
  }
}

/* Created and freed without use. */
static void unused_back_ends_can_be_freed(void **state)
{
  (void)state;
  size_t count;
  const hn_linear_info *info = hn_linear_backends(&count);
  for (size_t i = 0; i < count; i++) {
    hn_error error;
    hn_linear_options options = { .backend = info[i].name, .petsc = "" };
    hn_model *model = closed_chain();
    hn_system *s = hn_system_create(model, &error);
    assert_int_equal(hn_system_use_linear(s, &options, &error), 0);
    hn_system_free(s);
    hn_model_free(model);
  }
}

static void bad_options_are_errors(void **state)
{
  (void)state;
  static const bad_spec bad[] = {
    { "impulse-sle:linear=cholmodx", "did you mean \"cholmod\"" },
    { "impulse-sle:linear=mumps,petsc=-mat_mumps_icntl_99 1", "did you mean -mat_mumps_icntl_" },
    { "impulse-sle:linear=petsc,petsc=-ksp_type cg", "no use for the option -ksp_type" },
    { "impulse-sle:linear=ksp,petsc=-mat_type dense", "mat_type must be one of aij,sbaij" },
    { "impulse-sle:linear=ksp,petsc=-mat_type sbaij -pc_type cholesky -pc_factor_mat_solver_type cholmod",
      "CHOLMOD only supports block size=1" },
    { "impulse-sle:linear=ksp,petsc=-pc_type lu -pc_factor_mat_solver_type nosuch",
      "must be one of petsc,mumps" },
    { "impulse-sle:linear=petcs", "did you mean \"petsc\"" },
    { "impulse-sle:linear=dense,petsc=-ksp_type cg", "takes no PETSc options" },
    { "impulse-sle:linear=ksp,petsc=-ksp_typo cg", "-ksp_typo" },
    { "impulse-sle:linear=ksp,petsc=-ksp_type nonsense", "must be one of cg," },
  };
  hn_model *model = box_chain(2);
  check_refused(model, bad, sizeof bad / sizeof *bad);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(entries_match_the_definition),
    cmocka_unit_test(every_backend_solves),
    cmocka_unit_test(every_backend_refuses_a_singular_matrix),
    cmocka_unit_test(trees_are_eliminated_without_fill),
    cmocka_unit_test(incomplete_cholesky_is_exact_on_trees),
    cmocka_unit_test(options_reach_petsc),
    cmocka_unit_test(every_backend_is_reproducible),
    cmocka_unit_test(unused_back_ends_can_be_freed),
    cmocka_unit_test(bad_options_are_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
