/* pivots.h - pivots of L D L' of a block matrix, and the test for singularity: common to the two
 * factorisations of linear=ldl (ldl.c, supernodes.c). Internal. */
#ifndef HN_PIVOTS_H
#define HN_PIVOTS_H

#include "linear/border.h"
#include "linear/matrix.h"
#include "base/random.h"

#include <math.h>

#define HN_MAX_GROWTH 1e12 /* of the scaled K, whose diagonal is 1, see ldl.c */
#define HN_MIN_PIVOT 1e-12
#define HN_NEGLIGIBLE 1e-150 /* m/s, rad/s, N s, ...: set to 0 in right-hand sides and solutions */

/* With hubs: pivots that are increased, of the diagonal of K_0 and of K; pivots that need refinement, of K.
 * */
#define HN_WEAK_PIVOT 1e-3
#define HN_TINY_PIVOT 1e-8
#define HN_REFINED_PIVOT 1e-2

typedef struct hn_pivots {
  const hn_block_matrix *K;
  double *inverse;   /* [rows] inverses of the pivots D */
  double *probe;     /* [rows] right-hand side of the probe, then its forward solution */
  hn_border *border; /* NULL without hubs */
} hn_pivots;

/* Stores the right-hand side of the probe: irregular numbers of the size of the diagonal, 0 in rows of hubs.
 * */
static inline hn_reason hn_pivots_begin(hn_pivots *p)
{
  uint32_t pattern = RANDOM_SEED;
  for (int i = 0; i < p->K->row[p->K->n]; i++) {
    double d = hn_block_matrix_diagonal(p->K, i);
    if (p->border && d < 0.0) { /* a hub */
      p->probe[i] = 0.0;
      continue;
    }
    if (!(d > 0)) return isfinite(d) ? HN_SINGULAR : HN_NOT_FINITE;
    p->probe[i] = irregular(&pattern) * sqrt(d);
  }
  if (p->border) p->border->count = 0, p->border->refines = false, p->border->growth = 0.0;
  return HN_CONVERGED;
}

/* Checks a pivot against the diagonal entry of K where it began; NaN is not finite. */
static inline hn_reason hn_check_pivot(double pivot, double diagonal)
{
  if (pivot > HN_MIN_PIVOT * diagonal) return HN_CONVERGED;
  return isfinite(pivot) ? HN_SINGULAR : HN_NOT_FINITE;
}

/* Checks the pivot of ROW. With hubs it is increased if it is weak and the border has room. */
static inline hn_reason hn_accept_pivot(hn_pivots *p, int row, double *pivot)
{
  const double entry = p->K->value[p->K->diagonal[row]];
  if (!p->border) return hn_check_pivot(*pivot, entry);
  const double d = p->K->scale[row];
  if (d < 0.0) return hn_check_pivot(-*pivot, 1.0);
  if (*pivot < fmax(HN_WEAK_PIVOT * entry, HN_TINY_PIVOT * d) && hn_border_add(p->border, row, d))
    *pivot += d;
  else if (*pivot < HN_REFINED_PIVOT * d) p->border->refines = true;
  return hn_check_pivot(*pivot, d);
}

/* Judges the term GROWTH of the probe. With hubs only the sum of all terms has a meaning, in which those of
 * hubs are negative; it is judged at the end. */
static inline hn_reason hn_judge_growth(hn_pivots *p, double growth)
{
  if (!p->border) return growth <= HN_MAX_GROWTH ? HN_CONVERGED : HN_SINGULAR;
  p->border->growth += growth;
  return HN_CONVERGED;
}

#endif
