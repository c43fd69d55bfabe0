/* lemke_pivots.h - a linear complementarity problem in a table, solved by Lemke's path. Internal. */
#ifndef HN_LEMKE_PIVOTS_H
#define HN_LEMKE_PIVOTS_H

#include "base.h"

typedef struct hn_pivots {
  int n;           /* unknowns */
  double *table;   /* [n * (2 n + 2)] row-major: columns of w, of x, of z_0, and the right-hand side */
  int *basis;      /* [n] basic variable of each row: i for w_i, n + i for x_i, 2 n for z_0 */
  int *columns;    /* [n] scratch */
  double *value;   /* [n] x at the current vertex */
  double largest;  /* largest right-hand side at the start */
  double rounding; /* relative difference up to which numbers tie */
  uint64_t count;  /* pivots of the last path */
  hn_stop *stop;   /* ends a path, or NULL */
} hn_pivots;

/* Fills the table of the problem, with w as the basis. */
typedef void hn_pivots_fill(void *context);

static inline size_t hn_pivots_width(const hn_pivots *s)
{
  return 2 * (size_t)s->n + 2;
}

/* Follows the path of the problem filled in by FILL and stores x in value. ROUNDING: relative difference up
 * to which numbers tie. Returns HN_CONVERGED, HN_BUDGET after MAX_PIVOTS pivots, HN_STALLED at a secondary
 * ray, or HN_INTERRUPTED. */
hn_reason hn_pivots_follow(hn_pivots *pivots, hn_pivots_fill *fill, void *context, double rounding,
                           double max_pivots);

#endif
