/* dense_cholesky.c - dense Cholesky by GSL: O(n^3), for small systems and as an independent check of other
 * back ends. */
#include "linear/backend.h"
#include "base/quiet.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_matrix.h>
#include <stdlib.h>

enum { MAX_ROWS = 16384 }; /* 2 GiB */

typedef struct dense {
  const hn_block_matrix *K;
  double *storage; /* of the factor; gsl_matrix_alloc would leak a block when out of memory */
  gsl_matrix_view view;
} dense;

static void destroy(void *self)
{
  dense *d = self;
  free(d->storage);
  free(d);
}

static void *create(const hn_linear_type *type, const char *options, hn_error *error)
{
  (void)type, (void)options;
  hn_quiet_gsl();
  dense *d = calloc(1, sizeof *d);
  if (!d) hn_fail(error, "out of memory");
  return d;
}

static int analyse(void *self, hn_block_matrix *K, hn_error *error)
{
  dense *d = self;
  size_t n = (size_t)K->n * (size_t)K->bs;
  if (n > MAX_ROWS)
    return hn_fail(error,
                   "linear=dense takes at most %d rows, 2 GiB, and there are %zu; use petsc or cholmod",
                   MAX_ROWS, n);
  free(d->storage);
  d->storage = NULL;
  d->K = K;
  d->storage = malloc(sizeof *d->storage * n * n);
  if (!d->storage) return hn_fail(error, "no memory for a dense matrix of %zu rows", n);
  d->view = gsl_matrix_view_array(d->storage, n, n);
  return 0;
}

/* Expands K to a full symmetric matrix. */
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
  expand(d->K, &d->view.matrix);
  return gsl_linalg_cholesky_decomp1(&d->view.matrix) == GSL_SUCCESS ? HN_CONVERGED : HN_SINGULAR;
}

static hn_reason solve(void *self, double *x)
{
  dense *d = self;
  gsl_vector_view view = gsl_vector_view_array(x, d->view.matrix.size1);
  return gsl_linalg_cholesky_svx(&d->view.matrix, &view.vector) == GSL_SUCCESS ? HN_CONVERGED : HN_SINGULAR;
}

const hn_linear_type hn_linear_dense = {
  .name = "dense",
  .create = create,
  .analyse = analyse,
  .factor = factor,
  .solve = solve,
  .free = destroy,
};
