/* tops.h - free rigid bodies for tests: their rotation, invariants, and pseudo-random ones of all kinds. */
#ifndef HN_TEST_TOPS_H
#define HN_TEST_TOPS_H

#include "flight/flight.h"
#include "base/vec.h"

#include <string.h>

typedef struct motion {
  double q[4], w[3]; /* orientation, world angular velocity */
} motion;

static inline hn_body free_body(double Jx, double Jy, double Jz)
{
  return (hn_body){
    .kind = HN_RIGID, .mass = 1, .inv_mass = 1, .J = { Jx, Jy, Jz }, .inv_J = { 1 / Jx, 1 / Jy, 1 / Jz }
  };
}

/* Returns the motion after STEPS flights of total DURATION. */
static inline motion fly(const hn_flight *flight, const hn_body *body, motion at, double duration, int steps)
{
  int index = 0;
  for (int i = 0; i < steps; i++) {
    hn_pose pose = { { 0 }, { at.q[0], at.q[1], at.q[2], at.q[3] } }, pose_out;
    hn_twist twist = { { 0 }, { at.w[0], at.w[1], at.w[2] } }, twist_out;
    flight->rotate(flight, body, &index, 1, duration / steps, &pose, &twist, &pose_out, &twist_out);
    memcpy(at.q, pose_out.q, sizeof at.q);
    memcpy(at.w, twist_out.w, sizeof at.w);
  }
  return at;
}

/* Returns the largest difference of a component of the orientation, or of the angular velocity relative to
 * its norm. */
static inline double distance(const motion *a, const motion *b)
{
  double largest = 0, size = vec_norm(b->w);
  for (int i = 0; i < 4; i++) {
    double d = fabs(a->q[i] - b->q[i]);
    if (!(d <= largest)) largest = d;
  }
  for (int i = 0; i < 3; i++) {
    double d = fabs(a->w[i] - b->w[i]) / (size > 0 ? size : 1);
    if (!(d <= largest)) largest = d;
  }
  return largest;
}

static inline void angular_momentum(const hn_body *body, const motion *at, double L[3])
{
  double W[3];
  quat_unrotate(W, at->q, at->w);
  for (int i = 0; i < 3; i++) W[i] *= body->J[i];
  quat_rotate(L, at->q, W);
}

static inline double energy(const hn_body *body, const motion *at)
{
  double W[3];
  quat_unrotate(W, at->q, at->w);
  return 0.5 * (body->J[0] * W[0] * W[0] + body->J[1] * W[1] * W[1] + body->J[2] * W[2] * W[2]);
}

/* Returns |L - L0| / |L0|. */
static inline double momentum_error(const hn_body *body, const motion *before, const motion *after)
{
  double L0[3], L[3];
  angular_momentum(body, before, L0);
  angular_momentum(body, after, L);
  vec_sub(L, L, L0);
  return vec_norm(L) / vec_norm(L0);
}

static inline double energy_error(const hn_body *body, const motion *before, const motion *after)
{
  return fabs(energy(body, after) / energy(body, before) - 1);
}

/* ---- Pseudo-random bodies ------------------------------------------------------------------------------ */

static uint64_t seed;

/* Returns the next pseudo-random number in [-1, 1]. */
static inline double draw(void)
{
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(seed >> 11) * 0x1p-52 - 1;
}

static inline motion draw_motion(double w)
{
  motion at;
  for (int i = 0; i < 4; i++) at.q[i] = draw();
  for (int i = 0; i < 3; i++) at.w[i] = w * draw();
  quat_normalise(at.q);
  return at;
}

static inline void set_body_rates(motion *at, double Wx, double Wy, double Wz)
{
  const double W[3] = { Wx, Wy, Wz };
  quat_rotate(at->w, at->q, W);
}

enum { GENERAL, TWO_EQUAL, TWO_NEARLY_EQUAL, ALL_EQUAL, ALL_NEARLY_EQUAL, THIN_ROD, FLAT_DISC, KINDS };
static const char *const kind_name[KINDS] = { "any moments", "two equal",        "two nearly equal",
                                              "all equal",   "all nearly equal", "thin rods",
                                              "flat discs" };

/* Returns a body with pseudo-random second moments of mass s; J_x = s_y + s_z, so that every draw is
 * physical. */
static inline hn_body draw_body(int kind)
{
  double s[3];
  for (int i = 0; i < 3; i++) s[i] = 0.01 + fabs(draw());
  int i = (int)(1.5 * (draw() + 1)) % 3, j = (i + 1) % 3, k = (i + 2) % 3;
  if (kind == TWO_EQUAL) s[i] = s[j];
  if (kind == TWO_NEARLY_EQUAL) s[i] = s[j] * (1 + pow(10, 7 * draw() - 9));
  if (kind == ALL_EQUAL) s[i] = s[j] = s[k];
  if (kind == ALL_NEARLY_EQUAL) s[i] = s[k] * (1 + 1e-10 * draw()), s[j] = s[k] * (1 + 1e-12 * draw());
  if (kind == THIN_ROD) s[i] *= pow(10, 7 * draw() - 7), s[j] *= pow(10, 7 * draw() - 7);
  if (kind == FLAT_DISC) s[i] = 0;
  return free_body(s[1] + s[2], s[2] + s[0], s[0] + s[1]);
}

#endif
