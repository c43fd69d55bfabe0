/* sparse_lu.c - LU factors of sparse matrices: by module hn_klu, or in a full matrix (sparse_lu.h). */
#include "linear/sparse_lu.h"
#include "base/module.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Largest full matrix: 256 MB of complex numbers. */
enum { MAX_DENSE = 4000 };

typedef struct number {
  double re, im;
} number;

struct hn_sparse_lu {
  hn_lu_pattern pattern;
  bool is_complex;
  const hn_klu_module *module; /* NULL: a full matrix */
  hn_klu_factor *klu;
  number *A; /* [n * n] the full matrix, row by row, then its factors */
  int *swap; /* [n] row exchanged with row k */
  number *b; /* [n] */
};

/* ---- Full matrices ------------------------------------------------------------------------------------- */

/* Returns a - b c. */
static inline number minus_product(number a, number b, number c)
{
  return (number){ a.re - (b.re * c.re - b.im * c.im), a.im - (b.re * c.im + b.im * c.re) };
}

/* Returns a / b; divisions by real numbers are those of real numbers. */
static inline number quotient(number a, number b)
{
  if (b.im == 0.0) return (number){ a.re / b.re, a.im / b.re };
  const double square = b.re * b.re + b.im * b.im;
  return (number){ (a.re * b.re + a.im * b.im) / square, (a.im * b.re - a.re * b.im) / square };
}

static inline double size_of(number a)
{
  return fabs(a.re) + fabs(a.im);
}

/* Moves the largest number of column K to the diagonal; false if it is 0 or not finite. */
static bool pivot(hn_sparse_lu *lu, int k)
{
  const size_t n = (size_t)lu->pattern.n;
  size_t largest = (size_t)k;
  for (size_t i = largest + 1; i < n; i++)
    if (size_of(lu->A[i * n + (size_t)k]) > size_of(lu->A[largest * n + (size_t)k])) largest = i;
  lu->swap[k] = (int)largest;
  for (size_t j = 0; j < n && largest != (size_t)k; j++) {
    const number kept = lu->A[(size_t)k * n + j];
    lu->A[(size_t)k * n + j] = lu->A[largest * n + j], lu->A[largest * n + j] = kept;
  }
  const double size = size_of(lu->A[(size_t)k * n + (size_t)k]);
  return size > 0.0 && isfinite(size);
}

static void load(hn_sparse_lu *lu, const double *value)
{
  const size_t n = (size_t)lu->pattern.n;
  memset(lu->A, 0, sizeof *lu->A * n * n);
  for (size_t j = 0; j < n; j++)
    for (int k = lu->pattern.start[j]; k < lu->pattern.start[j + 1]; k++) {
      number *a = &lu->A[(size_t)lu->pattern.row[k] * n + j];
      if (lu->is_complex) a->re = value[2 * k], a->im = value[2 * k + 1];
      else a->re = value[k];
    }
}

static hn_reason factor_full(hn_sparse_lu *lu, const double *value)
{
  const size_t n = (size_t)lu->pattern.n;
  load(lu, value);
  for (size_t k = 0; k < n; k++) {
    if (!pivot(lu, (int)k)) return HN_SINGULAR;
    const number *top = lu->A + k * n;
    for (size_t i = k + 1; i < n; i++) {
      number *row = lu->A + i * n;
      if (row[k].re == 0.0 && row[k].im == 0.0) continue;
      row[k] = quotient(row[k], top[k]);
      for (size_t j = k + 1; j < n; j++) row[j] = minus_product(row[j], row[k], top[j]);
    }
  }
  return HN_CONVERGED;
}

static void solve_full(hn_sparse_lu *lu, double *x)
{
  const size_t n = (size_t)lu->pattern.n;
  number *b = lu->b;
  for (size_t i = 0; i < n; i++)
    b[i] = lu->is_complex ? (number){ x[2 * i], x[2 * i + 1] } : (number){ x[i], 0.0 };
  for (size_t k = 0; k < n; k++) {
    const number kept = b[k];
    b[k] = b[lu->swap[k]], b[lu->swap[k]] = kept;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++) b[i] = minus_product(b[i], lu->A[i * n + j], b[j]);
  for (size_t i = n; i-- > 0;) {
    for (size_t j = i + 1; j < n; j++) b[i] = minus_product(b[i], lu->A[i * n + j], b[j]);
    b[i] = quotient(b[i], lu->A[i * n + i]);
  }
  for (size_t i = 0; i < n; i++) {
    if (lu->is_complex) x[2 * i] = b[i].re, x[2 * i + 1] = b[i].im;
    else x[i] = b[i].re;
  }
}

/* ---- The choice ---------------------------------------------------------------------------------------- */

static int create_klu(hn_sparse_lu *lu, hn_error *error)
{
  const void *symbol = hn_module_symbol("hn_klu.so", HN_KLU_MODULE, error);
  if (!symbol) return -1;
  lu->module = symbol;
  lu->klu = lu->module->create(&lu->pattern, lu->is_complex);
  return lu->klu ? 0 : hn_fail(error, "out of memory");
}

static int create_full(hn_sparse_lu *lu, hn_error *error)
{
  const size_t n = (size_t)lu->pattern.n;
  if (n > MAX_DENSE)
    return hn_fail(error, "a full matrix for %zu unknowns is too large: at most %d; KLU is for more", n,
                   MAX_DENSE);
  lu->A = calloc(n * n + 1, sizeof *lu->A);
  lu->b = calloc(n + 1, sizeof *lu->b);
  lu->swap = calloc(n + 1, sizeof *lu->swap);
  return lu->A && lu->b && lu->swap ? 0 : hn_fail(error, "out of memory");
}

hn_sparse_lu *hn_sparse_lu_create(const hn_lu_pattern *pattern, bool is_complex, bool dense, hn_error *error)
{
  hn_sparse_lu *lu = calloc(1, sizeof *lu);
  if (!lu) {
    hn_fail(error, "out of memory");
    return NULL;
  }
  lu->pattern = *pattern;
  lu->is_complex = is_complex;
#ifndef HN_WITH_KLU
  dense = true;
#endif
  if ((dense || pattern->n == 0 ? create_full : create_klu)(lu, error)) {
    hn_sparse_lu_free(lu);
    return NULL;
  }
  return lu;
}

void hn_sparse_lu_free(hn_sparse_lu *lu)
{
  if (!lu) return;
  if (lu->klu) lu->module->free(lu->klu);
  free(lu->A), free(lu->b), free(lu->swap);
  free(lu);
}

hn_reason hn_sparse_lu_factor(hn_sparse_lu *lu, const double *value)
{
  return lu->klu ? lu->module->factor(lu->klu, value) : factor_full(lu, value);
}

void hn_sparse_lu_solve(hn_sparse_lu *lu, double *x)
{
  if (lu->klu) lu->module->solve(lu->klu, x);
  else solve_full(lu, x);
}
