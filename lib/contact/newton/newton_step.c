/* newton_step.c - the direction d of a Newton iteration of contact_newton.c.
 *
 *   J d = -F,  J = A + B (K + e k)     blocks that are not fixed
 *   k d = -F                           fixed blocks, whose d goes to the right-hand side of the others
 *
 * J of at most 64 columns is solved as a full matrix (dense_lu.h), others by a library (unsymmetric.h).
 *
 * contact/matrix/contact_matrix.h stores the upper triangles of K and of its transpose: each of their blocks
 * off the diagonal gives two of J. */
#include "contact/newton/newton_step.h"
#include "base/vec.h"
#include "contact/newton/dense_lu.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void swap(double *one, double *other)
{
  const double kept = *one;
  *one = *other, *other = kept;
}

/* Numbers the columns of J and returns their count. */
static int number_columns(hn_newton *s, const hn_problem *problem)
{
  int n = 0;
  for (int k = 0; k < problem->nblock; k++) {
    s->column[k] = s->fixed[k] ? -1 : n;
    if (!s->fixed[k]) n += problem->block[k].n;
  }
  return n;
}

/* Reserves memory for J of all blocks, fixed or not: each entry of the stored triangle of K occurs at most
 * twice. False without memory. */
static bool reserve(hn_newton *s)
{
  const size_t numbers = 2 * (size_t)s->K.K.at[s->K.K.start[s->K.K.n]];
  if (numbers <= s->capacity) return true;
  int *row = realloc(s->J.row, sizeof *row * numbers);
  if (row) s->J.row = row;
  double *value = realloc(s->J.value, sizeof *value * numbers);
  if (value) s->J.value = value;
  if (row && value) s->capacity = s->scratch.most = numbers;
  return row && value;
}

/* Returns entry (r, c) of the block of K at K.value[at] with ROWS rows, of which a diagonal block has only
 * the upper triangle; TRANSPOSED: of the block across the diagonal. */
static inline double entry_of(const hn_contact_matrix *K, int at, int rows, bool diagonal, bool transposed,
                              int r, int c)
{
  if (transposed || (diagonal && r > c)) return K->transposed[at + r * rows + c];
  return K->value[at + c * rows + r];
}

/* Adds B_i K_ij, and A_i on the diagonal, to J, or its product with d_j to the right-hand side if block j is
 * fixed. AT, ROWS, TRANSPOSED: see entry_of. FILL[n]: next free place of each column. */
static void add_block(hn_newton *s, const hn_problem *problem, int i, int j, int at, int rows,
                      bool transposed, int *fill)
{
  const hn_problem_block *I = &problem->block[i], *J = &problem->block[j];
  const double *B = s->B + 6 * (size_t)I->row, *A = s->A + 6 * (size_t)I->row;
  if (s->column[i] < 0) return;
  for (int c = 0; c < J->n; c++) {
    double K_c[HN_MAX_ROWS] = { 0 }; /* column c of K_ij */
    for (int r = 0; r < I->n; r++) {
      K_c[r] = entry_of(&s->K, at, rows, i == j, transposed, r, c);
      if (i == j && r == c) K_c[r] += s->regularisation * s->scale[i];
    }
    for (int r = 0; r < I->n; r++) {
      double sum = i == j ? A[r * I->n + c] : 0.0;
      for (int k = 0; k < I->n; k++) sum += B[r * I->n + k] * K_c[k];
      if (s->column[j] < 0) s->x[s->column[i] + r] -= sum * s->d[J->row + c];
      else {
        int *next = &fill[s->column[j] + c];
        s->J.row[*next] = s->column[i] + r, s->J.value[(*next)++] = sum;
      }
    }
  }
}

/* Computes the starts of the columns of J; -1 if it has too many numbers for an int. */
static int start_columns(hn_newton *s, const hn_problem *problem, int n)
{
  const hn_block_matrix *K = &s->K.K;
  double numbers = 0.0;
  memset(s->J.start, 0, sizeof(int) * ((size_t)n + 1));
  for (int row = 0; row < K->n; row++)
    for (int k = K->start[row]; k < K->start[row + 1]; k++) {
      const int i = s->K.order[row], j = s->K.order[K->column[k]];
      if (s->column[i] < 0 || s->column[j] < 0) continue;
      for (int c = 0; c < problem->block[j].n; c++) s->J.start[s->column[j] + c + 1] += problem->block[i].n;
      for (int c = 0; c < problem->block[i].n && i != j; c++)
        s->J.start[s->column[i] + c + 1] += problem->block[j].n;
      numbers += 2.0 * problem->block[i].n * problem->block[j].n;
    }
  if (numbers > INT_MAX) return -1;
  for (int c = 0; c < n; c++) s->J.start[c + 1] += s->J.start[c];
  return 0;
}

/* Computes J, and the right-hand side of fixed blocks. */
static void fill_matrix(hn_newton *s, const hn_problem *problem, int n)
{
  const hn_block_matrix *K = &s->K.K;
  int *fill = s->J.start; /* next free places; in the end the starts, shifted by one column */
  for (int row = 0; row < K->n; row++)
    for (int k = K->start[row]; k < K->start[row + 1]; k++) {
      const int i = s->K.order[row], j = s->K.order[K->column[k]], rows = problem->block[i].n;
      add_block(s, problem, i, j, K->at[k], rows, false, fill);
      if (i != j) add_block(s, problem, j, i, K->at[k], rows, true, fill);
    }
  memmove(fill + 1, fill, sizeof *fill * (size_t)n);
  fill[0] = 0;
}

/* ---- By bodies ----------------------------------------------------------------------------------------- */

/* Solves E [X, y] = [B, f] of n rows for the n columns of X, in B, and y, in F, with row pivoting; false if E
 * is singular. */
static bool solve_block(int n, double *E, double *B, double *f)
{
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int r = k + 1; r < n; r++)
      if (fabs(E[r * n + k]) > fabs(E[p * n + k])) p = r;
    if (!(fabs(E[p * n + k]) > 0.0)) return false;
    for (int c = 0; c < n && p != k; c++)
      swap(&E[k * n + c], &E[p * n + c]), swap(&B[k * n + c], &B[p * n + c]);
    if (p != k) swap(&f[k], &f[p]);
    for (int r = 0; r < n; r++) {
      const double factor = E[r * n + k] / E[k * n + k];
      if (r == k || factor == 0.0) continue;
      for (int c = k; c < n; c++) E[r * n + c] -= factor * E[k * n + c];
      for (int c = 0; c < n; c++) B[r * n + c] -= factor * B[k * n + c];
      f[r] -= factor * f[k];
    }
  }
  for (int r = 0; r < n; r++) {
    const double inverse = 1.0 / E[r * n + r];
    for (int c = 0; c < n; c++) B[r * n + c] *= inverse;
    f[r] *= inverse;
  }
  return true;
}

/* d by the system of the bodies: with E = A + e k B, D = E^-1 B, it is E d + B H y = -F, y = H' d. */
static hn_reason step_by_bodies(hn_contact_solver *solver, hn_newton *s, const hn_problem *problem)
{
  for (int k = 0; k < problem->nblock; k++) {
    const int n = problem->block[k].n, row = problem->block[k].row;
    const double *A = s->A + 6 * (size_t)row, *B = s->B + 6 * (size_t)row;
    double E[HN_MAX_ROWS * HN_MAX_ROWS], *D = s->D + 6 * (size_t)row;
    for (int i = 0; i < n * n; i++) E[i] = A[i] + s->regularisation * s->scale[k] * B[i], D[i] = B[i];
    for (int i = row; i < row + n; i++) s->d[i] = -s->F[i];
    if (!solve_block(n, E, D, s->d + row)) return HN_SINGULAR;
    solver->eliminated += !s->fixed[k];
  }
  solver->factorisations++, solver->solves++;
  hn_reason reason = hn_body_lu_factor(&s->bodies, &s->K, s->D);
  if (reason == HN_CONVERGED) hn_body_lu_solve(&s->bodies, &s->K, s->D, s->d);
  return reason == HN_CONVERGED && !all_finite(s->d, problem->nrow) ? HN_SINGULAR : reason;
}

hn_reason hn_newton_step(hn_contact_solver *solver, hn_newton *s, const hn_problem *problem)
{
  if (s->K.by_bodies) return step_by_bodies(solver, s, problem);
  const int n = number_columns(s, problem);
  /* d of fixed blocks, and the right-hand side of the others */
  for (int k = 0; k < problem->nblock; k++)
    for (int i = problem->block[k].row; i < problem->block[k].row + problem->block[k].n; i++)
      if (s->column[k] < 0) s->d[i] = -s->F[i] / s->scale[k];
      else s->x[s->column[k] + i - problem->block[k].row] = -s->F[i];
  s->J.n = n;
  if (n == 0) return HN_CONVERGED;
  if (start_columns(s, problem, n) || !reserve(s)) return HN_NO_MEMORY;
  fill_matrix(s, problem, n);
  /* the work, and the solution */
  solver->factorisations++, solver->solves++;
  for (int k = 0; k < problem->nblock; k++) solver->eliminated += s->column[k] >= 0;
  hn_reason reason = n <= HN_MAX_DENSE ? hn_dense_lu_solve(&s->J, s->dense, s->x)
                                       : s->lu(&s->J, &s->scratch, s->x);
  for (int k = 0; k < problem->nblock && reason == HN_CONVERGED; k++)
    for (int r = 0; r < problem->block[k].n && s->column[k] >= 0; r++)
      s->d[problem->block[k].row + r] = s->x[s->column[k] + r];
  return reason == HN_CONVERGED && !all_finite(s->d, problem->nrow) ? HN_SINGULAR : reason;
}
