/* exact_series.h - series of the closed form of the rotation, shared by long steps of one body and short
 * steps of two. Internal.
 *
 * The series are macros, so that they are written once for numbers and for lanes. */
#ifndef HN_EXACT_SERIES_H
#define HN_EXACT_SERIES_H

/* Returns the axis of the third moment if exactly two are equal, or -1. */
static inline int hn_axis_of_symmetry(const double J[3])
{
  if (J[0] == J[1] && J[1] == J[2]) return -1;
  return J[1] == J[2] ? 0 : J[2] == J[0] ? 1 : J[0] == J[1] ? 2 : -1;
}

/* hn_sn_series: sn(u|m) to u^11, exact to round-off for |u| up to hn_sn_small.
 * hn_carlson_series: R_J(x, y, z, p) A^(3/2) with A = (x + y + z + 2 p) / 5, x = A (1 - X) and so on, to order 7, exact
 * to round-off where these are below hn_near_mean. */
static const double hn_sn_small = 1.0 / 16, hn_near_mean = 1.0 / 128;

#define HN_EXACT_SERIES(number, prefix)                                                                  \
  static inline number prefix##sn_series(number u, number m)                                             \
  {                                                                                                      \
    number x = u * u, b3 = 1.0 + m, b5 = 1.0 + m * (14.0 + m), b7 = 1.0 + m * (135.0 + m * (135.0 + m)); \
    number b9 = 1.0 + m * (1228.0 + m * (5478.0 + m * (1228.0 + m)));                                    \
    number b11 = 1.0 + m * (11069.0 + m * (165826.0 + m * (165826.0 + m * (11069.0 + m))));              \
    number tail = x * (b7 / 5040.0 - x * (b9 / 362880.0 - x * (b11 / 39916800.0)));                      \
    return u - u * x * (b3 / 6.0 - x * (b5 / 120.0 - tail));                                             \
  }                                                                                                      \
  static inline number prefix##carlson_series(number X, number Y, number Z)                              \
  {                                                                                                      \
    number P = -0.5 * (X + Y + Z), XYZ = X * Y * Z, PP = P * P;                                          \
    number E2 = X * Y + X * Z + Y * Z - 3.0 * PP, E3 = XYZ + 2.0 * P * (E2 + 2.0 * PP);                  \
    number E4 = P * (2.0 * XYZ + P * (E2 + 3.0 * PP)), E5 = XYZ * PP;                                    \
    number low = -3.0 / 14 * E2 + E3 / 6.0 + E2 * (9.0 / 88 * E2 - 9.0 / 52 * E3) - 3.0 / 22 * E4 +      \
                 3.0 / 26 * E5;                                                                          \
    number high = E2 * (3.0 / 20 * E4 - E2 * E2 / 16.0 + 45.0 / 272 * E2 * E3) + 3.0 / 40 * E3 * E3;     \
    return 1.0 + (low + (high - 9.0 / 68 * (E3 * E4 + E2 * E5)));                                        \
  }
HN_EXACT_SERIES(double, hn_)

#endif
