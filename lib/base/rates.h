/* rates.h - rates of rows at given twists. Internal. */
#ifndef HN_RATES_H
#define HN_RATES_H

#include "bodies.h"

/* rate[n] += G_a ua + G_b ub, blocks laid out as in hn_rows. Added to the bias, it is the time derivative of
 * g. */
static inline void hn_add_rates(int n, const double *G_a, const hn_twist *ua, const double *G_b,
                                const hn_twist *ub, double *rate)
{
  for (int c = 0; c < 6; c++) {
    double a = c < 3 ? ua->v[c] : ua->w[c - 3], b = c < 3 ? ub->v[c] : ub->w[c - 3];
    for (int r = 0; r < n; r++) rate[r] += G_a[c * n + r] * a + G_b[c * n + r] * b;
  }
}

#endif
