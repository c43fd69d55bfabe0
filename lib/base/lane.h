/* lane.h - vectors of two doubles: the same quantity of two bodies side by side. Internal.
 *
 * Expressions on lanes read like scalar ones. Each half is computed with the IEEE operations of the scalar
 * expression in the same order. A body therefore gets the same bits in either half, whatever its neighbour.
 * Two doubles fit one register on every 64-bit processor. */
#ifndef HN_LANE_H
#define HN_LANE_H

#include "bodies.h"

#include <math.h>
#include <string.h>

typedef double lane __attribute__((vector_size(2 * sizeof(double))));

/* Returns two consecutive numbers. */
static inline lane lane_load(const double *from)
{
  lane two;
  memcpy(&two, from, sizeof two);
  return two;
}

static inline void lane_store(double *to, lane two)
{
  memcpy(to, &two, sizeof two);
}

static inline lane lane_sqrt(lane a)
{
  lane root = { sqrt(a[0]), sqrt(a[1]) };
  return root;
}

/* out = a x b; out is neither */
static inline void lane_cross(lane out[3], const lane a[3], const lane b[3])
{
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

/* out = v rotated by the unit quaternion q (by its conjugate, with SIGN -1); out may be v. A first-order
 * correction removes the round-off in |q|^2, which has the same sign for many steps and would be a drift of
 * the angular momentum. */
static inline void lane_rotate(lane out[3], const lane q[4], double sign, const lane v[3])
{
  lane c[3], d[3], w = sign * q[0];
  lane twice = 4.0 - 2.0 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  lane_cross(c, q + 1, v);
  lane_cross(d, q + 1, c);
  for (int i = 0; i < 3; i++) out[i] = v[i] + twice * (w * c[i] + d[i]);
}

static inline void lane_normalise(lane q[4])
{
  lane scale = 1.0 / lane_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; i++) q[i] *= scale;
}

/* ---- Two rotating bodies ------------------------------------------------------------------------------- */

typedef struct lane_spin {
  lane q[4]; /* orientation */
  lane W[3]; /* angular velocity in body axes, rad/s */
} lane_spin;

/* Gathers orientations and body angular velocities of bodies a and b. c are the factors of Euler's equations
 * without torque, dW0/dt = c0 W1 W2 and cyclic: c0 = (J1 - J2) / J0. */
static inline void lane_gather(lane_spin *spin, lane c[3], const hn_body *body, const hn_pose *pose,
                               const hn_twist *twist, int a, int b)
{
  lane J[3], inv_J[3], w[3];
  for (int i = 0; i < 4; i++) spin->q[i] = (lane){ pose[a].q[i], pose[b].q[i] };
  for (int i = 0; i < 3; i++) {
    w[i] = (lane){ twist[a].w[i], twist[b].w[i] };
    J[i] = (lane){ body[a].J[i], body[b].J[i] };
    inv_J[i] = (lane){ body[a].inv_J[i], body[b].inv_J[i] };
  }
  for (int i = 0; i < 3; i++) c[i] = (J[(i + 1) % 3] - J[(i + 2) % 3]) * inv_J[i];
  lane_rotate(spin->W, spin->q, -1.0, w);
}

/* Writes the normalised orientations and the world angular velocities of bodies a and b. */
static inline void lane_scatter(lane_spin *spin, hn_pose *pose, hn_twist *twist, int a, int b)
{
  lane w[3];
  lane_normalise(spin->q);
  lane_rotate(w, spin->q, 1.0, spin->W);
  for (int i = 0; i < 4; i++) pose[a].q[i] = spin->q[i][0], pose[b].q[i] = spin->q[i][1];
  for (int i = 0; i < 3; i++) twist[a].w[i] = w[i][0], twist[b].w[i] = w[i][1];
}

#endif
