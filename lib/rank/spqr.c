/* spqr.c - module hn_spqr: sparse QR with rank detection by SuiteSparseQR.
 *
 * A' is factored with its columns, the rows of A, in the given order: A' E = Q R. A column is left out if its
 * part outside the span of the earlier ones is at most the tolerance (Heath's method). R is then a staircase
 * with a row for each independent column. The columns where it steps down are moved to the front. Q is not
 * stored. BLAS runs in one thread (module.c) and TBB is not used, so that results are reproducible to the
 * bit. */
#include "rank/rank_parts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/SuiteSparseQR_C.h>

/* Returns A' with its columns in ORDER. */
static cholmod_sparse *transposed(const hn_scaled *A, const int *order, cholmod_common *common)
{
  size_t entries = (size_t)A->start[A->rows];
  cholmod_sparse *B = cholmod_l_allocate_sparse((size_t)A->columns, (size_t)A->rows, entries, 1, 1, 0,
                                                CHOLMOD_REAL, common);
  if (!B) return NULL;
  SuiteSparse_long *start = B->p, *row = B->i, at = 0;
  double *value = B->x;
  for (int c = 0; c < A->rows; c++) {
    start[c] = at;
    for (int k = A->start[order[c]]; k < A->start[order[c] + 1]; k++)
      row[at] = A->column[k], value[at++] = A->value[k];
  }
  start[A->rows] = at;
  return B;
}

static int allocate(hn_trapezoid *R, size_t rows, size_t entries)
{
  R->row_of = malloc(sizeof *R->row_of * (rows + 1));
  R->start = malloc(sizeof *R->start * (rows + 1));
  R->row = malloc(sizeof *R->row * (entries + 1));
  R->value = malloc(sizeof *R->value * (entries + 1));
  return R->row_of && R->start && R->row && R->value ? 0 : -1;
}

/* Appends column C of FROM to R as its column AT. */
static void copy_column(hn_trapezoid *R, const cholmod_sparse *from, SuiteSparse_long c, int at)
{
  const SuiteSparse_long *start = from->p, *row = from->i;
  const double *value = from->x;
  int k = R->start[at];
  for (SuiteSparse_long n = start[c]; n < start[c + 1]; n++, k++)
    R->row[k] = (int)row[n], R->value[k] = value[n];
  R->start[at + 1] = k;
}

/* True if the staircase FROM steps down to ROW in column C: then the column is independent. */
static bool steps_down(const cholmod_sparse *from, SuiteSparse_long c, SuiteSparse_long row)
{
  const SuiteSparse_long *start = from->p, *rows = from->i;
  return start[c + 1] > start[c] && rows[start[c + 1] - 1] == row;
}

/* Copies R with the independent columns first; -1 if out of memory or too large for int. */
static int copy_trapezoid(const cholmod_sparse *from, const SuiteSparse_long *E, const int *order,
                          SuiteSparse_long rank, hn_trapezoid *R)
{
  const SuiteSparse_long *start = from->p, rows = (SuiteSparse_long)from->ncol;
  if (start[rows] > INT_MAX) return -1;
  *R = (hn_trapezoid){ .rows = (int)rows, .rank = (int)rank };
  if (allocate(R, (size_t)rows, (size_t)start[rows])) return -1;
  int at = 0;
  R->start[0] = 0;
  for (int kept = 1; kept >= 0; kept--)
    for (SuiteSparse_long c = 0, step = 0; c < rows; c++) {
      bool down = steps_down(from, c, step);
      step += down;
      if (down != kept) continue;
      R->row_of[at] = order[E ? E[c] : c];
      copy_column(R, from, c, at++);
    }
  return 0;
}

hn_rank_factor hn_spqr_factor;

int hn_spqr_factor(const hn_scaled *A, const int *order, double tolerance, hn_trapezoid *R, hn_error *error)
{
  cholmod_common common;
  cholmod_sparse *R_long = NULL;
  SuiteSparse_long *E = NULL, rank = -1;
  memset(R, 0, sizeof *R);
  cholmod_l_start(&common);
  common.print = 0;
  cholmod_sparse *B = transposed(A, order, &common);
  if (B)
    rank = SuiteSparseQR_C(SPQR_ORDERING_FIXED, tolerance, 0, 0, B, NULL, NULL, NULL, NULL, &R_long, &E, NULL,
                           NULL, NULL, &common);
  int status = rank >= 0 && R_long ? copy_trapezoid(R_long, E, order, rank, R) : -1;
  cholmod_l_free_sparse(&B, &common);
  cholmod_l_free_sparse(&R_long, &common);
  if (E) cholmod_l_free((size_t)A->rows, sizeof *E, E, &common);
  cholmod_l_finish(&common);
  return status ? hn_fail(error, "no memory for the sparse factorisation of %d rows", A->rows) : 0;
}
