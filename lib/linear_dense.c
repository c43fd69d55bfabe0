/* linear_dense.c - dense Cholesky by GSL: O(n^3), for small systems and as an independent check of the others. */
#include "linear.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_matrix.h>
#include <stdlib.h>

typedef struct dense {
  const hn_block_matrix *K;
  gsl_matrix *factor;
} dense;

static void destroy(void *self)
{
  dense *d = self;
  if (d->factor) gsl_matrix_free(d->factor);
  free(d);
}

static void *create(hn_block_matrix *K, const char *options, hn_error *error)
{
  (void)options;
  gsl_set_error_handler_off();
  size_t n = (size_t)(K->n * K->bs);
  dense *d = calloc(1, sizeof *d);
  if (d) d->factor = gsl_matrix_alloc(n, n);
  if (d && d->factor) {
    d->K = K;
    return d;
  }
  if (d) destroy(d);
  hn_fail(error, "no memory for a dense matrix of %zu rows", n);
  return NULL;
}

/* K as a full symmetric matrix. */
static void expand(const hn_block_matrix *K, gsl_matrix *full)
{
  gsl_matrix_set_zero(full);
  for (int row = 0; row < K->n; row++)
    for (int k = K->start[row]; k < K->start[row + 1]; k++) {
      const double *block = K->value + (size_t)k * (size_t)(K->bs * K->bs);
      for (int c = 0; c < K->bs; c++)
        for (int r = 0; r < K->bs; r++) {
          size_t i = (size_t)(row * K->bs + r), j = (size_t)(K->column[k] * K->bs + c);
          gsl_matrix_set(full, i, j, block[c * K->bs + r]);
          gsl_matrix_set(full, j, i, block[c * K->bs + r]);
        }
    }
}

static hn_reason factor(void *self)
{
  dense *d = self;
  expand(d->K, d->factor);
  return gsl_linalg_cholesky_decomp1(d->factor) == GSL_SUCCESS ? HN_CONVERGED : HN_SINGULAR;
}

static hn_reason solve(void *self, double *x)
{
  dense *d = self;
  gsl_vector_view view = gsl_vector_view_array(x, d->factor->size1);
  return gsl_linalg_cholesky_svx(d->factor, &view.vector) == GSL_SUCCESS ? HN_CONVERGED : HN_SINGULAR;
}

const hn_linear_type hn_linear_dense = {
  .info = { "dense", "GSL: dense Cholesky" },
  .create = create, .factor = factor, .solve = solve, .free = destroy,
};
