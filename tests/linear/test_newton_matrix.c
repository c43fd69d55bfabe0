/* test_newton_matrix.c - the matrix of impulse-newton and its iterates against those of the paper. */
#include "linear/linear.h"
#include "linear/newton_matrix.h"
#include "newton_trials.h"
#include "base/vec.h"

#include <string.h>

/* Returns four particles and the ground with loops: one connected to the ground, two to that, the fourth to
 * all three. */
static hn_model *loops(void)
{
  static const double mass[4] = { 1.0, 0.5, 3.0, 2.0 };
  static const double x[4][3] = { { 1, 0, 0.2 }, { 1.5, -0.8, 0 }, { 2, 0.3, 0.5 }, { 2.2, -1.1, 0.7 } };
  static const int rods[7][2] = { { 0, 1 }, { 1, 2 }, { 3, 1 }, { 2, 3 }, { 4, 2 }, { 3, 4 }, { 1, 4 } };
  hn_error error;
  hn_model *model = new_model();
  for (int i = 0; i < 4; i++) {
    char name[8];
    snprintf(name, sizeof name, "p%d", i);
    hn_body_spec particle = { .name = name,
                              .kind = HN_PARTICLE,
                              .has_mass = true,
                              .mass = mass[i],
                              .position = { x[i][0], x[i][1], x[i][2] },
                              .orientation = { 1, 0, 0, 0 } };
    if (hn_model_add_body(model, &particle, &error) < 0) fail_msg("%s", error.text);
  }
  for (int r = 0; r < 7; r++) add_rod(model, rods[r][0], rods[r][1]);
  return model;
}

enum { MAX = 64 };

/* Computes A of the paper: from body i to body j of joint r. */
static void rod(const hn_model *model, const hn_state *state, int r, double A[3])
{
  vec_sub(A, state->pose[model->joint[r].b].x, state->pose[model->joint[r].a].x);
}

/* Returns an entry of the paper's equation 5.8, case by case; the diagonal as in the paper. */
static double paper_matrix(const hn_model *model, const hn_state *start, const hn_state *end, int r, int s)
{
  const hn_joint *jr = &model->joint[r], *js = &model->joint[s];
  double A[3], B[3];
  rod(model, end, r, A);
  rod(model, start, s, B);
  double product = vec_dot(A, B), m_i = model->body[jr->a].inv_mass, m_j = model->body[jr->b].inv_mass,
         sum = 0.0;
  if (r == s) return -(m_i + m_j) * product;
  if (jr->b == js->b) sum -= m_j * product;
  if (jr->b == js->a) sum += m_j * product;
  if (jr->a == js->b) sum += m_i * product;
  if (jr->a == js->a) sum -= m_i * product;
  return sum;
}

/* Returns the entry for rows that are lengths and impulses in N s: M_h over -|A_r(h)| |A_s|. */
static double scaled_matrix(const hn_model *model, const hn_state *start, const hn_state *end, int r, int s)
{
  double A[3], B[3];
  rod(model, end, r, A);
  rod(model, start, s, B);
  return -paper_matrix(model, start, end, r, s) / (vec_norm(A) * vec_norm(B));
}

/* Returns entry (i, j) of M from its blocks; 0 outside the pattern. */
static double entry(const hn_block_matrix *M, int i, int j)
{
  int bs = M->bs;
  for (int k = M->start[i / bs]; k < M->start[i / bs + 1]; k++)
    if (M->column[k] == j / bs) return M->value[(size_t)(k * bs * bs + (j % bs) * bs + i % bs)];
  return 0.0;
}

/* Returns an entry of G_end W G_start' by its definition, from packed blocks, over common bodies. */
static double by_definition(const hn_model *model, const double *G, const double *T, int i, int r, int j,
                            int s)
{
  const hn_joint *a = &model->joint[i], *b = &model->joint[j];
  int na = a->type->rows, nb = b->type->rows;
  double sum = 0.0;
  for (int side = 0; side < 2; side++)
    for (int other = 0; other < 2; other++) {
      if ((side ? a->b : a->a) != (other ? b->b : b->a)) continue;
      for (int k = 0; k < 6; k++)
        sum += G[12 * a->row + (6 * side + k) * na + r] * T[12 * b->row + 6 * (other * nb + s) + k];
    }
  return sum;
}

/* Computes the system's G and T at the start, G_END at the end, and the matrix of both. */
static void make_matrix(hn_system *system, const hn_state *start, const hn_state *end, double *G_end,
                        hn_newton_matrix *matrix)
{
  hn_error error;
  const hn_linear_options dense = { .backend = "dense", .petsc = "" };
  assert_int_equal(hn_system_use_linear(system, &dense, &error), 0);
  hn_system_jacobian(system, start);
  hn_system_jacobian_into(system, end, G_end);
  assert_int_equal(hn_newton_matrix_create(matrix, system, &error), 0);
  hn_newton_matrix_fill(matrix, G_end, system->T);
  hn_newton_matrix_fill(matrix, G_end, system->T); /* values are replaced, not added */
}

/* Returns an end that differs from the start, without symmetry. */
static hn_state *displaced_end(const hn_model *model)
{
  hn_state *end = hn_state_create(model);
  for (int i = 1; i < end->nbody; i++) {
    const double q[4] = { 1.0, 0.3 * i, -0.2, 0.1 * i };
    for (int k = 0; k < 3; k++) end->pose[i].x[k] += 0.1 * ((i * 7 + k * 3) % 5 - 2);
    if (model->body[i].kind == HN_RIGID) memcpy(end->pose[i].q, q, sizeof q), quat_normalise(end->pose[i].q);
  }
  return end;
}

static void matrix_equals_the_paper(void **state)
{
  (void)state;
  hn_error error;
  hn_model *model = loops();
  hn_system *system = hn_system_create(model, &error);
  hn_state *start = hn_state_create(model), *end = displaced_end(model);
  hn_newton_matrix matrix;
  double G[12 * MAX], difference = 0.0, asymmetry = 0.0;
  make_matrix(system, start, end, G, &matrix);
  for (int r = 0; r < model->njoint; r++)
    for (int s = 0; s < model->njoint; s++) {
      int i = matrix.row_at[r], j = matrix.row_at[s];
      difference = larger(difference, fabs(entry(&matrix.M, i, j) - scaled_matrix(model, start, end, r, s)));
      asymmetry = larger(asymmetry, fabs(entry(&matrix.M, i, j) - entry(&matrix.M, j, i)));
    }
  check_below("particles: distance from equation 5.8", difference, 1e-15);
  printf("  asymmetry of M_h: %.3g\n", asymmetry);
  assert_true(asymmetry > 0.1);
  hn_newton_matrix_free(&matrix);
  hn_state_free(start), hn_state_free(end);
  hn_system_free(system);
  hn_model_free(model);
}

static void blocks_are_in_their_places(void **state)
{
  (void)state;
  hn_error error;
  hn_model *models[] = { box_chain(5), mixed(), double_pendulum() };
  for (size_t m = 0; m < 3; m++) {
    hn_model *model = models[m];
    hn_system *system = hn_system_create(model, &error);
    hn_state *start = hn_state_create(model), *end = displaced_end(model);
    hn_newton_matrix matrix;
    double G[12 * MAX], difference = 0.0;
    make_matrix(system, start, end, G, &matrix);
    for (int i = 0; i < model->njoint; i++)
      for (int j = 0; j < model->njoint; j++)
        for (int r = 0; r < model->joint[i].type->rows; r++)
          for (int s = 0; s < model->joint[j].type->rows; s++) {
            int row = matrix.row_at[model->joint[i].row + r], column = matrix.row_at[model->joint[j].row + s];
            double expected = by_definition(model, G, system->T, i, r, j, s);
            difference = larger(difference, fabs(entry(&matrix.M, row, column) - expected));
          }
    printf(" model %zu, blocks of %d\n", m, matrix.M.bs);
    check_below("distance from G(q(h)) W G(q)'", difference, 1e-14);
    hn_newton_matrix_free(&matrix);
    hn_state_free(start), hn_state_free(end);
    hn_system_free(system);
    hn_model_free(model);
  }
}

/* Solves x := A^-1 x for n <= MAX by Gaussian elimination with row interchanges. */
static void solve_dense(int n, double A[MAX][MAX], double x[MAX])
{
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i][k]) > fabs(A[pivot][k])) pivot = i;
    for (int j = 0; j < n; j++) {
      double swap = A[k][j];
      A[k][j] = A[pivot][j], A[pivot][j] = swap;
    }
    double swap = x[k];
    x[k] = x[pivot], x[pivot] = swap;
    for (int i = k + 1; i < n; i++) {
      double factor = A[i][k] / A[k][k];
      for (int j = k; j < n; j++) A[i][j] -= factor * A[k][j];
      x[i] -= factor * x[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) x[i] -= A[i][j] * x[j];
    x[i] /= A[i][i];
  }
}

/* Computes the ballistic motion, equation 5.1. */
static void ballistic(const hn_model *model, const hn_state *start, double h, hn_state *end)
{
  hn_state_copy(end, start);
  for (int i = 1; i < start->nbody; i++)
    for (int k = 0; k < 3; k++)
      end->pose[i].x[k] += h * start->twist[i].v[k] + 0.5 * h * h * model->gravity[k];
}

static double largest_length_error(const hn_model *model, const hn_state *state)
{
  double largest_error = 0.0, A[3];
  for (int r = 0; r < model->njoint; r++) {
    rod(model, state, r, A);
    largest_error = larger(largest_error, fabs(vec_norm(A) - hn_joint_real(&model->joint[r], "length")));
  }
  return largest_error;
}

/* Performs one iteration of section 5: M_h by 5.8, impulses along A_k(0) as in 5.10. Rows are lengths. */
static void paper_iterate(const hn_model *model, double h, hn_state *start, hn_state *end)
{
  static double A[MAX][MAX], x[MAX];
  ballistic(model, start, h, end);
  for (int r = 0; r < model->njoint; r++) {
    double rod_r[3];
    rod(model, end, r, rod_r);
    x[r] = -(vec_norm(rod_r) - hn_joint_real(&model->joint[r], "length")) / h;
    for (int s = 0; s < model->njoint; s++) A[r][s] = scaled_matrix(model, start, end, r, s);
  }
  solve_dense(model->njoint, A, x);
  for (int s = 0; s < model->njoint; s++) {
    const hn_joint *joint = &model->joint[s];
    double direction[3];
    rod(model, start, s, direction);
    double scale = x[s] / vec_norm(direction);
    vec_add_scaled(start->twist[joint->a].v, -scale * model->body[joint->a].inv_mass, direction);
    vec_add_scaled(start->twist[joint->b].v, scale * model->body[joint->b].inv_mass, direction);
  }
  ballistic(model, start, h, end);
}

static void iterates_equal_the_paper(void **state)
{
  (void)state;
  const double h = 0.3;
  hn_model *model = loops();
  hn_state *start = hn_state_create(model), *at = hn_state_create(model), *end = hn_state_create(model);
  for (int k = 1; k <= 3; k++) {
    char what[64];
    paper_iterate(model, h, at, end);
    double expected = largest_length_error(model, end);
    double residual = residual_after("impulse-newton:line_search=basic", k, model, start, h);
    snprintf(what, sizeof what, "worst rod after %d iterations, m", k);
    check_near(what, residual, expected, 2e-15 + 1e-11 * expected);
  }
  hn_state_free(start), hn_state_free(at), hn_state_free(end);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(matrix_equals_the_paper),
    cmocka_unit_test(blocks_are_in_their_places),
    cmocka_unit_test(iterates_equal_the_paper),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
