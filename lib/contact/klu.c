/* klu.c - the module hn_klu: sparse L U with pivoting by KLU, which uses no BLAS: the same bits every time.
 * [Davis and Palamadai Natarajan, ACM Trans. Math. Softw. 37 (2010) 36] */
#include "contact/lu.h"

#include <suitesparse/klu.h>

hn_lu_solve hn_klu_solve;

static hn_reason reason_of(const klu_common *common)
{
  return common->status == KLU_OUT_OF_MEMORY || common->status == KLU_TOO_LARGE ? HN_FULL : HN_SINGULAR;
}

hn_reason hn_klu_solve(const hn_lu_matrix *A, double *x)
{
  klu_common common;
  klu_defaults(&common);
  klu_symbolic *symbolic = klu_analyze(A->n, A->start, A->row, &common);
  klu_numeric *numeric = symbolic ? klu_factor(A->start, A->row, A->value, symbolic, &common) : NULL;
  hn_reason reason = numeric && common.status == KLU_OK ? HN_CONVERGED : reason_of(&common);
  if (reason == HN_CONVERGED && !klu_solve(symbolic, numeric, A->n, 1, x, &common)) reason = reason_of(&common);
  klu_free_numeric(&numeric, &common);
  klu_free_symbolic(&symbolic, &common);
  return reason;
}
