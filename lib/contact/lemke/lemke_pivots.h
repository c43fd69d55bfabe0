/* lemke_pivots.h - a linear complementarity problem in a table, and the path to its solution. Internal. */
#ifndef HN_LEMKE_PIVOTS_H
#define HN_LEMKE_PIVOTS_H

#include "base.h"

typedef struct hn_pivots {
  int n;           /* unknowns */
  double *table;   /* [n * (2 n + 2)] row by row: of w, of x, of z_0, and the right-hand side */
  int *basis;      /* [n] the column that a row is of: i of w_i, n + i of x_i, 2 n of z_0 */
  int *columns;    /* [n] scratch */
  double *value;   /* [n] x where the path has got to */
  double largest;  /* of the right-hand side at the start */
  double rounding; /* relative, up to which numbers tie */
  uint64_t made;   /* pivots of the last path */
} hn_pivots;

/* Puts the problem into table, with w in the basis. */
typedef void hn_pivots_fill(void *of);

static inline size_t hn_pivots_width(const hn_pivots *s)
{
  return 2 * (size_t)s->n + 2;
}

/* Room for MOST unknowns; false without memory. */
bool hn_pivots_create(hn_pivots *pivots, size_t most);
void hn_pivots_free(hn_pivots *pivots);
/* The path of the problem that FILL puts in, with numbers taken as equal that are so up to ROUNDING, to value:
 * HN_CONVERGED, HN_BUDGET after MOST pivots, or HN_STALLED at a ray. */
hn_reason hn_pivots_follow(hn_pivots *pivots, hn_pivots_fill *fill, void *of, double rounding, double most);

#endif
