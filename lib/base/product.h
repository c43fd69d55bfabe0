/* product.h - coefficients of products of power series, sum over i of a_i b_{k-i}, two terms at a time.
 * Internal.
 *
 * Terms with even i and with odd i have separate sums, which are added at the end: the bits are the same from
 * any compiler. */
#ifndef HN_PRODUCT_H
#define HN_PRODUCT_H

#include "base/lane.h"

#include <stddef.h>

/* Returns two consecutive coefficients in reverse order. */
static inline lane back(const double *a)
{
  lane two = lane_load(a);
  return (lane){ two[1], two[0] };
}

/* Returns one coefficient and a zero. */
static inline lane single(double a)
{
  return (lane){ a, 0.0 };
}

/* Returns the sum of COUNT products: a from its first, b from its last coefficient. */
static inline double convolution(const double *a, const double *b, size_t count)
{
  lane sum = { 0, 0 };
  size_t i = 0;
  for (; i + 1 < count; i += 2) sum += lane_load(a + i) * back(b + (count - 2 - i));
  if (i < count) sum += single(a[i] * b[0]);
  return sum[0] + sum[1];
}

/* Returns coefficient k of a a; each product is computed once. */
static inline double square_coefficient(const double *a, size_t k)
{
  size_t count = (k + 1) / 2;
  double twice = 2.0 * convolution(a, a + (k + 1 - count), count);
  return k % 2 == 0 ? twice + a[k / 2] * a[k / 2] : twice;
}

#endif
