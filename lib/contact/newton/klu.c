/* klu.c - module hn_klu: sparse LU factorisation with pivoting by KLU, which uses no BLAS: the bits are
 * reproducible. Requests for memory are served from the scratch memory of the solution (klu_memory.h).
 * [Davis and Palamadai Natarajan, ACM Trans. Math. Softw. 37 (2010) 36] */
#include "linear/klu_memory.h"
#include "contact/newton/unsymmetric.h"

#include <stdlib.h>
#include <suitesparse/klu.h>

hn_lu_solve hn_klu_solve;

/* Added to the numbers of a matrix to estimate its memory: a fixed part, so that small ones are not
 * underestimated. */
static const double fixed_numbers = 100;
/* Memory reserved, of the estimate: pivoting fills a later matrix more. */
static const double reserve_factor = 1.5;

/* Replaces the scratch memory by one large enough for the requests of A, and in proportion for the largest
 * matrix to come, if it was too small. Without memory it stays as it is. */
static void grow(hn_lu_scratch *scratch, const hn_klu_arena *a, const hn_lu_matrix *A)
{
  const double ratio = (fixed_numbers + (double)scratch->most) / (fixed_numbers + (double)A->start[A->n]);
  if (a->wanted <= scratch->size) return;
  const size_t size = (size_t)(reserve_factor * (double)a->wanted * (ratio > 1.0 ? ratio : 1.0));
  void *memory = malloc(size);
  if (!memory) return;
  free(scratch->memory);
  scratch->memory = memory, scratch->size = size;
}

/* ---- The solution -------------------------------------------------------------------------------------- */

static hn_reason reason_of(const klu_common *common)
{
  return common->status == KLU_OUT_OF_MEMORY || common->status == KLU_TOO_LARGE ? HN_NO_MEMORY : HN_SINGULAR;
}

static hn_reason solve(const hn_lu_matrix *A, double *x)
{
  klu_common common;
  klu_defaults(&common);
  klu_symbolic *symbolic = klu_analyze(A->n, A->start, A->row, &common);
  klu_numeric *numeric = symbolic ? klu_factor(A->start, A->row, A->value, symbolic, &common) : NULL;
  hn_reason reason = numeric && common.status == KLU_OK ? HN_CONVERGED : reason_of(&common);
  if (reason == HN_CONVERGED && !klu_solve(symbolic, numeric, A->n, 1, x, &common))
    reason = reason_of(&common);
  klu_free_numeric(&numeric, &common);
  klu_free_symbolic(&symbolic, &common);
  return reason;
}

hn_reason hn_klu_solve(const hn_lu_matrix *A, hn_lu_scratch *scratch, double *x)
{
  hn_klu_arena a = { .memory = scratch->memory, .size = scratch->size };
  hn_klu_enter(&a);
  hn_reason reason = solve(A, x);
  hn_klu_leave();
  grow(scratch, &a, A);
  return reason;
}
