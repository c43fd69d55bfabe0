/* body_lu.c - block L U of Newton's system by bodies (body_lu.h).
 *
 *   for bodies k in elimination order:   V_kj = A_kk^-1 A_kj,   A_ij -= A_ik V_kj  for i, j in row k
 *
 * A_ij with i > j is stored as its transpose at (j, i), so that both halves have the same pattern and the
 * same kernel, C -= A' B. Bits do not depend on the width of registers. [Golub and Van Loan, section 3.2; Liu
 * 1990 for the pattern] */
#include "contact/matrix/body_lu.h"
#include "base/quad.h"
#include "base/small.h"
#include "linear/factor_pattern.h"

#include <math.h>
#include <string.h>

enum { SIX = 6, BLOCK = SIX * SIX };

void hn_body_lu_free(hn_body_lu *lu)
{
  free(lu->start), free(lu->column), free(lu->upper), free(lu->lower), free(lu->x);
  *lu = (hn_body_lu){ 0 };
}

static bool analyse(hn_body_lu *lu, const hn_contact_matrix *sparse)
{
  hn_body_lu_free(lu);
  lu->n = sparse->K.n;
  if (!hn_factor_pattern(&sparse->K, &lu->start, &lu->column)) return false;
  const size_t size = sizeof(double) * BLOCK * ((size_t)lu->start[lu->n] + 1);
  lu->upper = malloc(size), lu->lower = malloc(size);
  lu->x = malloc(sizeof *lu->x * (SIX * (size_t)lu->n + 1));
  lu->pattern = sparse->pattern;
  return lu->upper && lu->lower && lu->x;
}

/* ---- Values -------------------------------------------------------------------------------------------- */

/* Returns the place of the block of bodies I <= J, which is in the pattern. */
static size_t find(const hn_body_lu *lu, int i, int j)
{
  int low = lu->start[i], high = lu->start[i + 1] - 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (lu->column[middle] < j) low = middle + 1;
    else high = middle;
  }
  return BLOCK * (size_t)low;
}

/* Adds H_i' D H_j to ENTRY, column by column; TRANSPOSED: with D'. H has N rows, 12 numbers apart. */
static void add_product(int n, const double *D, bool transposed, const double *h_i, const double *h_j,
                        double *entry)
{
  for (int c = 0; c < SIX; c++)
    for (int k = 0; k < n; k++) {
      double sum = 0.0; /* of row k of D H_j */
      for (int l = 0; l < n; l++) sum += (transposed ? D[l * n + k] : D[k * n + l]) * h_j[12 * l + c];
      for (int r = 0; r < SIX; r++) entry[SIX * c + r] += h_i[12 * k + r] * sum;
    }
}

/* Adds the part of block K. */
static void add_block(hn_body_lu *lu, const hn_contact_matrix *sparse, int k, const double *D)
{
  const hn_problem_block *block = &sparse->block[k];
  const double *h = sparse->H + 12 * (size_t)block->row;
  int place[2] = { sparse->node[block->a], block->a == block->b ? -1 : sparse->node[block->b] };
  for (int side = 0; side < 2; side++) {
    if (place[side] < 0) continue;
    place[side] = sparse->place[place[side]];
    const double *own = h + SIX * side;
    add_product(block->n, D, false, own, own, lu->upper + find(lu, place[side], place[side]));
  }
  if (place[0] < 0 || place[1] < 0) return;
  const int first = place[0] < place[1] ? 0 : 1;
  const size_t at = find(lu, place[first], place[1 - first]);
  const double *h_first = h + SIX * first, *h_second = h + SIX * (1 - first);
  add_product(block->n, D, false, h_first, h_second, lu->upper + at);
  add_product(block->n, D, true, h_first, h_second, lu->lower + at);
}

static void fill(hn_body_lu *lu, const hn_contact_matrix *sparse, const double *D)
{
  const size_t size = sizeof(double) * BLOCK * (size_t)lu->start[lu->n];
  memset(lu->upper, 0, size), memset(lu->lower, 0, size);
  for (int k = 0; k < lu->n; k++)
    for (int r = 0; r < SIX; r++) lu->upper[BLOCK * (size_t)lu->start[k] + (size_t)(7 * r)] = 1.0;
  for (int k = 0; k < sparse->nblock; k++) {
    const double *part = D + 6 * (size_t)sparse->block[k].row;
    bool acts = false;
    for (int i = 0; i < sparse->block[k].n * sparse->block[k].n; i++) acts |= part[i] != 0.0;
    if (acts) add_block(lu, sparse, k, part);
  }
}

/* ---- Factorisation ------------------------------------------------------------------------------------- */

/* C += SIGN A' B of 6 x 6 blocks, given A' by columns. */
inlined void add_to_product(double sign, const double *At, const double *B, double *C)
{
  for (int c = 0; c < SIX; c++) {
    quad first = Q(C + SIX * c);
    half last = P(C + SIX * c + HN_FOUR);
    for (int s = 0; s < SIX; s++) {
      const double b = sign * B[SIX * c + s];
      first += Q(At + SIX * s) * b, last += P(At + SIX * s + HN_FOUR) * b;
    }
    Q(C + SIX * c) = first, P(C + SIX * c + HN_FOUR) = last;
  }
}

inlined void transpose(const double *A, double *At)
{
  for (int r = 0; r < SIX; r++)
    for (int c = 0; c < SIX; c++) At[SIX * r + c] = A[SIX * c + r];
}

/* Replaces A by its inverse, by Gauss and Jordan's method with row pivoting; false if it is singular. */
static bool invert(double *A)
{
  int pivot[SIX];
  for (int k = 0; k < SIX; k++) {
    int p = k;
    for (int r = k + 1; r < SIX; r++)
      if (fabs(A[SIX * k + r]) > fabs(A[SIX * k + p])) p = r;
    pivot[k] = p;
    for (int c = 0; c < SIX && p != k; c++) {
      const double swapped = A[SIX * c + k];
      A[SIX * c + k] = A[SIX * c + p], A[SIX * c + p] = swapped;
    }
    if (!(fabs(A[SIX * k + k]) > 0.0)) return false;
    const double inverse = 1.0 / A[SIX * k + k];
    A[SIX * k + k] = 1.0;
    for (int c = 0; c < SIX; c++) A[SIX * c + k] *= inverse;
    for (int r = 0; r < SIX; r++) {
      const double factor = A[SIX * k + r];
      if (r == k) continue;
      A[SIX * k + r] = 0.0;
      for (int c = 0; c < SIX; c++) A[SIX * c + r] -= factor * A[SIX * c + k];
    }
  }
  for (int k = SIX - 1; k >= 0; k--)
    for (int r = 0; r < SIX && pivot[k] != k; r++) {
      const double swapped = A[SIX * k + r];
      A[SIX * k + r] = A[SIX * pivot[k] + r], A[SIX * pivot[k] + r] = swapped;
    }
  return true;
}

/* Subtracts the products of blocks J of row ROW, from FIRST on, with block I from the row of its column. */
inlined void update(hn_body_lu *lu, int row, int i)
{
  double Lt[BLOCK], Vt[BLOCK];
  const int target = lu->column[i];
  int to = lu->start[target];
  transpose(lu->lower + BLOCK * (size_t)i, Lt), transpose(lu->upper + BLOCK * (size_t)i, Vt);
  add_to_product(-1.0, Lt, lu->upper + BLOCK * (size_t)i, lu->upper + BLOCK * (size_t)to);
  for (int j = i + 1; j < lu->start[row + 1]; j++) {
    do to++;
    while (lu->column[to] < lu->column[j]);
    add_to_product(-1.0, Lt, lu->upper + BLOCK * (size_t)j, lu->upper + BLOCK * (size_t)to);
    add_to_product(-1.0, Vt, lu->lower + BLOCK * (size_t)j, lu->lower + BLOCK * (size_t)to);
  }
}

inlined bool eliminate(hn_body_lu *lu, int row)
{
  double *A = lu->upper + BLOCK * (size_t)lu->start[row], V[BLOCK];
  if (!invert(A)) return false;
  for (int j = lu->start[row] + 1; j < lu->start[row + 1]; j++) {
    double *block = lu->upper + BLOCK * (size_t)j;
    memset(V, 0, sizeof V);
    add_to_product(1.0, A, block, V);
    memcpy(block, V, sizeof V);
  }
  for (int i = lu->start[row] + 1; i < lu->start[row + 1]; i++) update(lu, row, i);
  return true;
}

inlined bool eliminate_all(hn_body_lu *lu)
{
  for (int row = 0; row < lu->n; row++)
    if (!eliminate(lu, row)) return false;
  return true;
}

static bool eliminate_portable(hn_body_lu *lu)
{
  return eliminate_all(lu);
}

AVX2_FUNCTION static bool eliminate_avx2(hn_body_lu *lu)
{
  return eliminate_all(lu);
}

static hn_reason factor(hn_body_lu *lu, const hn_contact_matrix *sparse, const double *D,
                        bool (*eliminates)(hn_body_lu *lu))
{
  if (lu->pattern != sparse->pattern && !analyse(lu, sparse)) {
    hn_body_lu_free(lu);
    return HN_NO_MEMORY;
  }
  fill(lu, sparse, D);
  return eliminates(lu) ? HN_CONVERGED : HN_SINGULAR;
}

hn_reason hn_body_lu_factor(hn_body_lu *lu, const hn_contact_matrix *sparse, const double *D)
{
  return factor(lu, sparse, D, HAS_AVX2() ? eliminate_avx2 : eliminate_portable);
}

hn_reason hn_body_lu_factor_portable(hn_body_lu *lu, const hn_contact_matrix *sparse, const double *D)
{
  return factor(lu, sparse, D, eliminate_portable);
}

/* ---- Solution ------------------------------------------------------------------------------------------ */

/* y += SIGN A x, or A' x, of a block. */
static inline void add_times(double sign, const double *A, const double *x, double *y)
{
  for (int c = 0; c < SIX; c++)
    for (int r = 0; r < SIX; r++) y[r] += sign * A[SIX * c + r] * x[c];
}

static inline void add_transposed_times(double sign, const double *A, const double *x, double *y)
{
  for (int c = 0; c < SIX; c++)
    for (int r = 0; r < SIX; r++) y[c] += sign * A[SIX * c + r] * x[r];
}

static void solve_bodies(const hn_body_lu *lu, double *x)
{
  for (int row = 0; row < lu->n; row++) {
    double y[SIX] = { 0 }, *own = x + SIX * (size_t)row;
    add_times(1.0, lu->upper + BLOCK * (size_t)lu->start[row], own, y);
    memcpy(own, y, sizeof y);
    for (int j = lu->start[row] + 1; j < lu->start[row + 1]; j++)
      add_transposed_times(-1.0, lu->lower + BLOCK * (size_t)j, own, x + SIX * (size_t)lu->column[j]);
  }
  for (int row = lu->n - 1; row >= 0; row--)
    for (int j = lu->start[row] + 1; j < lu->start[row + 1]; j++)
      add_times(-1.0, lu->upper + BLOCK * (size_t)j, x + SIX * (size_t)lu->column[j], x + SIX * (size_t)row);
}

/* Points Y at the six numbers of each body of BLOCK in X; at NONE for a body that does not move. */
static void point_at_bodies(const hn_contact_matrix *s, const hn_problem_block *block, double *x,
                            double *none, double *y[2])
{
  const int node[2] = { s->node[block->a], block->a == block->b ? -1 : s->node[block->b] };
  for (int side = 0; side < 2; side++)
    y[side] = node[side] < 0 ? none : x + SIX * (size_t)s->place[node[side]];
}

void hn_body_lu_solve(hn_body_lu *lu, const hn_contact_matrix *s, const double *D, double *x)
{
  double none[SIX] = { 0 }, *y[2];
  memset(lu->x, 0, sizeof *lu->x * SIX * (size_t)lu->n);
  for (int k = 0; k < s->nblock; k++) {
    const hn_problem_block *block = &s->block[k];
    point_at_bodies(s, block, lu->x, none, y);
    for (int i = block->row; i < block->row + block->n; i++)
      for (int c = 0; c < SIX; c++)
        y[0][c] += s->H[12 * (size_t)i + (size_t)c] * x[i],
          y[1][c] += s->H[12 * (size_t)i + SIX + (size_t)c] * x[i];
  }
  solve_bodies(lu, lu->x);
  memset(none, 0, sizeof none);
  for (int k = 0; k < s->nblock; k++) {
    const hn_problem_block *block = &s->block[k];
    const double *part = D + 6 * (size_t)block->row, *h = s->H + 12 * (size_t)block->row;
    double v[HN_MAX_ROWS];
    point_at_bodies(s, block, lu->x, none, y);
    for (int i = 0; i < block->n; i++)
      v[i] = long_dot(h + 12 * i, y[0], SIX) + long_dot(h + 12 * i + SIX, y[1], SIX);
    for (int i = 0; i < block->n; i++)
      for (int j = 0; j < block->n; j++) x[block->row + i] -= part[i * block->n + j] * v[j];
  }
}
