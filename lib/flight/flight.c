/* flight.c - free rotation by the classical Runge-Kutta method, one step of h, order 4.
 *
 *   J dW/dt = (J W) x W,  dq/dt = q (0, W) / 2,   W = R' w in body axes
 *
 * q is normalised after the step, and w = R W. Energy and world angular momentum are conserved to order 4
 * only. Impulse solvers call this once per body and iteration, so two bodies advance side by side (lane.h);
 * the result of a body does not depend on its neighbour. The code uses only + - * / and sqrt: the bits are
 * the same from any compiler. */
#include "flight/flight.h"

#include "base/lane.h"

static inline void derivative(lane_spin *d, const lane_spin *s, const lane c[3])
{
  const lane *q = s->q, *W = s->W;
  lane x = 0.5 * W[0], y = 0.5 * W[1], z = 0.5 * W[2];
  d->q[0] = -(q[1] * x + q[2] * y + q[3] * z);
  d->q[1] = q[0] * x + q[2] * z - q[3] * y;
  d->q[2] = q[0] * y - q[1] * z + q[3] * x;
  d->q[3] = q[0] * z + q[1] * y - q[2] * x;
  d->W[0] = c[0] * W[1] * W[2];
  d->W[1] = c[1] * W[2] * W[0];
  d->W[2] = c[2] * W[0] * W[1];
}

/* out = s + h d; out may be s */
static inline void advance(lane_spin *out, const lane_spin *s, double h, const lane_spin *d)
{
  for (int i = 0; i < 4; i++) out->q[i] = s->q[i] + h * d->q[i];
  for (int i = 0; i < 3; i++) out->W[i] = s->W[i] + h * d->W[i];
}

static inline void runge_kutta(lane_spin *s, const lane c[3], double h)
{
  lane_spin k, at, sum = *s;
  derivative(&k, s, c);
  advance(&sum, &sum, h / 6.0, &k);
  advance(&at, s, h / 2.0, &k);
  derivative(&k, &at, c);
  advance(&sum, &sum, h / 3.0, &k);
  advance(&at, s, h / 2.0, &k);
  derivative(&k, &at, c);
  advance(&sum, &sum, h / 3.0, &k);
  advance(&at, s, h, &k);
  derivative(&k, &at, c);
  advance(s, &sum, h / 6.0, &k);
}

void hn_rotate_rk4(const hn_flight *flight, const hn_body *body, const int *index, int count, double h,
                   const hn_pose *pose, const hn_twist *twist, hn_pose *pose_out, hn_twist *twist_out)
{
  (void)flight;
  for (int i = 0; i < count; i += 2) {
    int a = index[i], b = index[i + 1 < count ? i + 1 : i];
    lane_spin spin;
    lane c[3];
    lane_gather(&spin, c, body, pose, twist, a, b);
    runge_kutta(&spin, c, h);
    lane_scatter(&spin, pose_out, twist_out, a, b);
  }
}
