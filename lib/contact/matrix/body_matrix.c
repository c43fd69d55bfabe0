/* body_matrix.c - (K + R)^-1 through the bodies (see body_matrix.h). */
#include "contact/matrix/body_matrix.h"
#include "base/vec.h"
#include "linear/backend.h"

#include <string.h>

enum { SIX = 6 };
/* Relative to the trace: a smaller pivot is rounding, and the inverse inertia is singular in that
 * direction. */
static const double rank_tolerance = 1e-14;

static bool moves(const hn_problem *problem, int body)
{
  return problem->inv_mass[body] != 0.0 || norm_of(problem->W + 9 * (size_t)body, 9) != 0.0;
}

/* ---- Coupled bodies -------------------------------------------------------------------------------- */

/* Compares the numbers to process: K has the squared number of rows of each body. A has 36 for each body and
 * each pair, at most one pair a block; H has 12 a row, read twice in a solution. Equations take two
 * solutions. Fill-in is ignored. */
bool hn_bodies_are_smaller(const hn_problem *problem)
{
  double by_rows = 0.0, by_bodies = SIX * SIX * (double)(problem->nblock + problem->nbody), solutions = 1.0;
  int *rows = problem->W && !problem->K ? calloc((size_t)problem->nbody, sizeof *rows) : NULL;
  if (!rows) return false;
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    rows[block->a] += block->n, rows[block->b] += block->n;
    if (block->set.kind == HN_ANY) solutions = 2.0;
  }
  for (int i = 0; i < problem->nbody; i++)
    if (moves(problem, i)) by_rows += (double)rows[i] * rows[i];
  free(rows);
  return by_rows > solutions * (24.0 * problem->nrow + by_bodies);
}

bool hn_bodies_are_fewer(const hn_problem *problem)
{
  int count = 0;
  for (int i = 0; i < problem->nbody && problem->W && !problem->K; i++) count += moves(problem, i);
  return count > 0 && SIX * count < problem->nrow;
}

int hn_bodies_number(const hn_problem *problem, int *node)
{
  int count = 0;
  for (int i = 0; i < problem->nbody; i++) node[i] = moves(problem, i) ? count++ : -1;
  return count;
}

int hn_bodies_neighbours(const hn_problem *problem, const int *node, const int *start, const int *blocks,
                         int i, int *mark, int *list)
{
  int count = 0;
  mark[i] = i;
  for (int k = start[i]; k < start[i + 1]; k++) {
    const hn_problem_block *block = &problem->block[blocks[k]];
    const int other = block->a == i ? block->b : block->a;
    if (node[other] < 0 || mark[other] == i) continue;
    mark[other] = i;
    if (list) list[count] = node[other];
    count++;
  }
  return count;
}

/* ---- Values ------------------------------------------------------------------------------------------ */

/* Computes the lower L with W = L L'; a column without a positive pivot is 0. */
static void root_of(const double W[9], double L[9])
{
  const double smallest_pivot = rank_tolerance * (W[0] + W[4] + W[8]);
  memset(L, 0, sizeof *L * 9);
  for (int c = 0; c < 3; c++)
    for (int r = c; r < 3; r++) {
      double value = W[3 * r + c];
      for (int k = 0; k < c; k++) value -= L[3 * r + k] * L[3 * c + k];
      if (r == c) L[4 * c] = value > smallest_pivot ? sqrt(value) : 0.0;
      else L[3 * r + c] = L[4 * c] > 0.0 ? value / L[4 * c] : 0.0;
    }
}

static void root_side(const hn_problem *problem, const hn_problem_block *block, int side, double *H)
{
  const int body = side ? block->b : block->a, n = block->n;
  const double *G = problem->G + 12 * (size_t)block->row + 6 * n * side;
  const double sqrt_inv_mass = sqrt(problem->inv_mass[body]);
  double L[9];
  root_of(problem->W + 9 * (size_t)body, L);
  for (int r = 0; r < n; r++)
    for (int c = 0; c < 3; c++) {
      H[12 * r + c] += sqrt_inv_mass * G[c * n + r];
      for (int k = c; k < 3; k++) H[12 * r + 3 + c] += G[(3 + k) * n + r] * L[3 * k + c];
    }
}

void hn_bodies_root(const hn_problem *problem, double *H)
{
  memset(H, 0, sizeof *H * 12 * (size_t)problem->nrow);
  for (const hn_problem_block *block = problem->block; block < problem->block + problem->nblock; block++) {
    double *rows = H + 12 * (size_t)block->row;
    root_side(problem, block, 0, rows);
    root_side(problem, block, 1, block->a == block->b ? rows : rows + SIX);
  }
}

/* Adds WEIGHT h_i' h_j, 6 x 6 column-major, to ENTRY. */
static void add_square(int n, double weight, const double *h_i, const double *h_j, double *entry)
{
  for (int k = 0; k < n; k++)
    for (int c = 0; c < SIX; c++) {
      const double size = weight * h_j[12 * k + c];
      for (int r = 0; r < SIX; r++) entry[SIX * c + r] += h_i[12 * k + r] * size;
    }
}

void hn_bodies_fill(hn_contact_matrix *s, const double *R)
{
  hn_block_matrix *A = &s->K;
  memset(A->value, 0, sizeof *A->value * (size_t)A->at[A->start[A->n]]);
  for (int row = 0; row < A->row[A->n]; row++) A->value[A->diagonal[row]] = 1.0;
  for (int k = 0; k < s->nblock; k++) {
    const hn_problem_block *block = &s->block[k];
    const double *h = s->H + 12 * (size_t)block->row;
    const int node[2] = { s->node[block->a], block->a == block->b ? -1 : s->node[block->b] };
    s->weight[k] = R ? 1.0 / R[k] : 1.0;
    for (int side = 0; side < 2; side++)
      if (node[side] >= 0)
        add_square(block->n, s->weight[k], h + SIX * side, h + SIX * side,
                   A->value + hn_contact_matrix_block(s, node[side], node[side]));
    if (node[0] < 0 || node[1] < 0) continue;
    const bool forth = s->place[node[0]] < s->place[node[1]];
    const double *first = forth ? h : h + SIX, *second = forth ? h + SIX : h;
    add_square(block->n, s->weight[k], first, second,
               A->value + hn_contact_matrix_block(s, node[forth ? 0 : 1], node[forth ? 1 : 0]));
  }
}

/* ---- Solution ---------------------------------------------------------------------------------------- */

/* Points NUMBERS at the numbers of a block's bodies in Y; at NONE for bodies that do not move. */
static void point_at_bodies(const hn_contact_matrix *s, const hn_problem_block *block, double *y,
                            double *none, double *numbers[2])
{
  const int node[2] = { s->node[block->a], block->a == block->b ? -1 : s->node[block->b] };
  for (int side = 0; side < 2; side++) numbers[side] = node[side] < 0 ? none : y + SIX * s->place[node[side]];
}

/* Computes s->x = H' x; with rows weighted by 1 / R if WEIGHTED. */
static void transposed_product(hn_contact_matrix *s, const double *x, bool weighted)
{
  double none[SIX] = { 0 }, *y[2];
  memset(s->x, 0, sizeof *s->x * SIX * (size_t)s->K.n);
  for (int k = 0; k < s->nblock; k++) {
    const hn_problem_block *block = &s->block[k];
    point_at_bodies(s, block, s->x, none, y);
    for (int i = block->row; i < block->row + block->n; i++) {
      const double *h = s->H + 12 * (size_t)i, size = weighted ? s->weight[k] * x[i] : x[i];
      for (int c = 0; c < SIX; c++) y[0][c] += size * h[c], y[1][c] += size * h[SIX + c];
    }
  }
}

/* Returns row I of H times the numbers of two bodies. */
static double row_product(const hn_contact_matrix *s, int i, double *y[2])
{
  const double *h = s->H + 12 * (size_t)i;
  double sum = 0.0;
  for (int c = 0; c < SIX; c++) sum += h[c] * y[0][c] + h[SIX + c] * y[1][c];
  return sum;
}

static void solve_once(hn_contact_matrix *s, double *x)
{
  double none[SIX] = { 0 }, *y[2];
  transposed_product(s, x, true);
  hn_linear_ldl.solve(s->factor, s->x);
  for (int k = 0; k < s->nblock; k++) {
    const hn_problem_block *block = &s->block[k];
    point_at_bodies(s, block, s->x, none, y);
    for (int i = block->row; i < block->row + block->n; i++)
      x[i] = s->weight[k] * (x[i] - row_product(s, i, y));
  }
}

void hn_bodies_solve(hn_contact_matrix *s, double *x)
{
  double none[SIX] = { 0 }, *y[2], *right = s->right;
  memcpy(right, x, sizeof *x * (size_t)s->nrow);
  solve_once(s, x);
  if (!s->refined) return;
  transposed_product(s, x, false);
  for (int k = 0; k < s->nblock; k++) {
    const hn_problem_block *block = &s->block[k];
    point_at_bodies(s, block, s->x, none, y);
    for (int i = block->row; i < block->row + block->n; i++)
      right[i] -= x[i] / s->weight[k] + row_product(s, i, y);
  }
  solve_once(s, right);
  for (int i = 0; i < s->nrow; i++) x[i] += right[i];
}
