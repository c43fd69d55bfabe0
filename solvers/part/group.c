/* group.c - poses moved along the group R^3 x SO(3) of each body.
 *
 *   exp(D) = (cos a, sin(a) / a  D / 2),   a = |D| / 2                      as a unit quaternion
 *
 * cos a and sin(a) / a are even functions of a: for a turn of up to a radian their power series in a^2 need 8 terms
 * each and no root. */
#include "elementary.h"
#include "part/group.h"
#include "base/vec.h"

enum { TERMS = 8 };

/* Sum of c_k x^k. */
static inline double series(const double c[TERMS], double x)
{
  double low = (c[0] + x * c[1]) + x * x * (c[2] + x * c[3]), high = (c[4] + x * c[5]) + x * x * (c[6] + x * c[7]);
  return low + (x * x) * (x * x) * high;
}

/* The rotation by the vector ANGLE. */
static inline void exponential(double out[4], const double angle[3])
{
  static const double cosine[TERMS] = { 1.0,           -1.0 / 2,       1.0 / 24,         -1.0 / 720,
                                        1.0 / 40320,   -1.0 / 3628800, 1.0 / 479001600,  -1.0 / 87178291200 };
  static const double sinc[TERMS] = { 1.0,             -1.0 / 6,        1.0 / 120,        -1.0 / 5040,
                                      1.0 / 362880,    -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000 };
  double square = 0.25 * vec_dot(angle, angle), scale;
  if (square <= 0.25) {
    out[0] = series(cosine, square);
    scale = series(sinc, square);
  } else {
    double half = sqrt(square), sine;
    hn_sincos(half, &sine, &out[0]);
    scale = sine / half;
  }
  vec_scale(out + 1, 0.5 * scale, angle);
}

void hn_group_move(hn_system *s, const hn_state *from, const hn_twist *D, const hn_twist *u, hn_state *to)
{
  for (int i = 0; i < from->nbody; i++) {
    to->pose[i] = from->pose[i];
    to->twist[i] = from->twist[i];
    if (s->model->body[i].kind == HN_FIXED) continue;
    vec_add(to->pose[i].x, from->pose[i].x, D[i].v);
    vec_copy(to->twist[i].v, u[i].v);
  }
  for (int k = 0; k < s->nrotating; k++) {
    const int i = s->rotating[k];
    double turn[4], *q = to->pose[i].q;
    exponential(turn, D[i].w);
    quat_mul(q, from->pose[i].q, turn);
    quat_normalise(q);
    quat_rotate(to->twist[i].w, q, u[i].w);
  }
  s->work.flights += (uint64_t)from->nbody - 1;
}
