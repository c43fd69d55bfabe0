/* stage_motion.c - exponential coordinates of poses about the start of a step (stage_motion.h). */
#include "radau/stage_motion.h"
#include "base/turn.h"
#include "base/vec.h"
#include "elementary.h"

/* Below this a^2 the first terms of the series of k are exact to round-off of k a^2. */
static const double small_square = 1e-6;

void hn_stage_move(hn_system *s, const hn_state *from, const double *q, const double *u, hn_state *to)
{
  const double *base = (const double *)from->twist;
  double *twist = (double *)to->twist;
  for (int i = 0; i < from->nbody; i++) vec_add(to->pose[i].x, from->pose[i].x, q + 6 * i);
  for (int k = 0; k < s->nrotating; k++) {
    const int i = s->rotating[k];
    double turn[4];
    turn_by(turn, 1.0, q + 6 * i + 3);
    quat_mul(to->pose[i].q, turn, from->pose[i].q);
    quat_normalise(to->pose[i].q);
  }
  for (int i = 0; i < 6 * from->nbody; i++) twist[i] = base[i] + u[i];
  s->work.flights += (uint64_t)from->nbody - 1;
}

/* Returns k of the rotation vector PHI. */
static double second_coefficient(const double phi[3])
{
  const double square = vec_dot(phi, phi);
  if (square < small_square) return 1.0 / 12 + square * (1.0 / 720 + square / 30240);
  double cosine;
  const double sine = turn_half(0.25 * square, &cosine); /* sin(a/2) / (a/2) */
  return (1.0 - cosine / sine) / square;
}

void hn_stage_flow(const hn_system *s, const double *q, hn_twist *flow)
{
  for (int k = 0; k < s->nrotating; k++) {
    const int i = s->rotating[k];
    const double *phi = q + 6 * i + 3;
    double once[3], twice[3];
    vec_cross(once, phi, flow[i].w);
    vec_cross(twice, phi, once);
    vec_add_scaled(flow[i].w, -0.5, once);
    vec_add_scaled(flow[i].w, second_coefficient(phi), twice);
  }
}

/* Computes the rotation vector of the unit quaternion Q, at most a half turn. */
static void logarithm(double phi[3], const double q[4])
{
  const double sine = vec_norm(q + 1), sign = q[0] < 0.0 ? -1.0 : 1.0;
  const double scale = sine > 0.0 ? 2.0 * hn_atan2(sine, sign * q[0]) / sine : 2.0;
  vec_scale(phi, sign * scale, q + 1);
}

void hn_stage_rebase(const hn_system *s, const double *q_b, double *q)
{
  for (int i = 0; i < s->model->nbody; i++) vec_sub(q + 6 * i, q + 6 * i, q_b + 6 * i);
  for (int k = 0; k < s->nrotating; k++) {
    const int i = s->rotating[k];
    double turn[4], back[4], both[4];
    turn_by(turn, 1.0, q + 6 * i + 3);
    turn_by(back, -1.0, q_b + 6 * i + 3);
    quat_mul(both, turn, back);
    logarithm(q + 6 * i + 3, both);
  }
}
