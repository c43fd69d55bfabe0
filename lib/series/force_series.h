/* force_series.h - forces as power series in time. Internal. */
#ifndef HN_FORCE_SERIES_H
#define HN_FORCE_SERIES_H

#include "base/array.h"
#include "series/body_series.h"

typedef struct hn_force_series hn_force_series;

/* Allocates series for powers below STRIDE in ARRAYS; NULL on error: out of memory, or a force without a
 * power series. */
hn_force_series *hn_force_series_create(const hn_model *model, size_t stride, hn_arrays *arrays,
                                        hn_error *error);
/* Sets the time and inputs of STATE as the start. */
void hn_force_series_start(hn_force_series *series, const hn_state *state);
/* Computes coefficient k of the law of force f from coefficients 0 .. k+1 of the motion of its bodies A and
 * B. Call with k = 0, 1, 2, ... in turn. */
void hn_force_series_measure(hn_force_series *series, int f, size_t k, const hn_body_jet *a,
                             const hn_body_jet *b);
/* Adds coefficient k of force f to the wrench[6] of body a (side 0) or b (side 1). */
void hn_force_series_add(const hn_force_series *series, int f, int side, size_t k, double wrench[6]);

/* wrench += coefficient k of G' Q for one side of N rows: G as in hn_rows, one coefficient after the other, Q
 * with component r, power i at [r * stride + i]. */
static inline void hn_add_product_series(size_t n, const double *G, const double *Q, size_t stride, int side,
                                         size_t k, double wrench[6])
{
  for (size_t i = 0; i <= k; i++) {
    const double *G_i = G + 12 * n * i + (side == 0 ? 0 : 6 * n);
    for (size_t c = 0; c < 6; c++)
      for (size_t r = 0; r < n; r++) wrench[c] += G_i[c * n + r] * Q[r * stride + k - i];
  }
}

#endif
