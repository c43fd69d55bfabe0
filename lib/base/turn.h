/* turn.h - cosine and sine of half a rotation angle, without library functions for small angles. Internal.
 *
 *   cos a and sin(a) / a are even functions of a: for rotations up to a radian, a up to 1/2, their power
 *   series in a^2 need 8 terms each, no root, and only + and *. */
#ifndef HN_TURN_H
#define HN_TURN_H

#include "elementary.h"

#include "base/vec.h"

enum { TURN_TERMS = 8 };

static const double turn_small = 0.25; /* largest a^2 for the series: 8 terms are exact to round-off */
static const double turn_even[TURN_TERMS] = {
  1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200
};
static const double turn_odd[TURN_TERMS] = {
  1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000
};

/* Returns the sum of c_k x^k. */
static inline double turn_series(const double c[TURN_TERMS], double x)
{
  double low = (c[0] + x * c[1]) + x * x * (c[2] + x * c[3]),
         high = (c[4] + x * c[5]) + x * x * (c[6] + x * c[7]);
  return low + (x * x) * (x * x) * high;
}

/* Computes cos a and returns sin(a) / a, from SQUARE = a^2. */
static inline double turn_half(double square, double *cosine)
{
  if (square <= turn_small) {
    *cosine = turn_series(turn_even, square);
    return turn_series(turn_odd, square);
  }
  double half = sqrt(square), sine;
  hn_sincos(half, &sine, cosine);
  return sine / half;
}

/* Computes the unit quaternion of the rotation by the vector SCALE ANGLE. */
static inline void turn_by(double out[4], double scale, const double angle[3])
{
  double half = 0.5 * scale, s = turn_half(half * half * vec_dot(angle, angle), out);
  vec_scale(out + 1, half * s, angle);
}

/* Computes the rotation vector of the unit quaternion Q, of length at most pi. */
static inline void turn_vector(double out[3], const double q[4])
{
  const double sine = vec_norm(q + 1);
  const double scale = sine > 0.0 ? 2.0 * hn_atan2(sine, fabs(q[0])) / sine : 2.0;
  vec_scale(out, q[0] < 0.0 ? -scale : scale, q + 1);
}

#endif
