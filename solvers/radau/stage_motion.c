/* stage_motion.c - exponential coordinates of poses about the start of a step (stage_motion.h). */
#include "radau/stage_motion.h"
#include "base/turn.h"
#include "base/vec.h"

/* Below this a^2 the first terms of the series of k are exact to round-off of k a^2. */
static const double small_square = 1e-6;
/* rad: increment of differences of dexp^-1, the square root of the rounding unit. */
static const double increment = 0x1p-26;

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

/* Computes out = dexp^-1(phi) w; out may be phi or w. */
static void apply_inverse(double out[3], const double phi[3], const double w[3])
{
  const double k = second_coefficient(phi);
  double once[3], twice[3];
  vec_cross(once, phi, w);
  vec_cross(twice, phi, once);
  vec_along(out, w, -0.5, once);
  vec_add_scaled(out, k, twice);
}

void hn_stage_flow(const hn_system *s, const double *q, hn_twist *flow)
{
  for (int k = 0; k < s->nrotating; k++) {
    const int i = s->rotating[k];
    apply_inverse(flow[i].w, q + 6 * i + 3, flow[i].w);
  }
}

void hn_stage_derivative(const double phi[3], const double w[3], double E[9], double H[9])
{
  double F[9], at[3];
  apply_inverse(at, phi, w);
  for (int c = 0; c < 3; c++) {
    double unit[3] = { 0 }, moved[3], column[3];
    unit[c] = 1.0;
    apply_inverse(column, phi, unit);
    vec_copy(moved, phi);
    moved[c] += increment;
    const double d = moved[c] - phi[c];
    apply_inverse(moved, moved, w);
    for (int r = 0; r < 3; r++) E[3 * r + c] = column[r], F[3 * r + c] = (moved[r] - at[r]) / d;
  }
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      H[3 * r + c] = F[3 * r] * E[c] + F[3 * r + 1] * E[3 + c] + F[3 * r + 2] * E[6 + c];
}

void hn_stage_change(const hn_system *s, const double *phi, double *q)
{
  for (int k = 0; k < s->nrotating; k++) {
    const int i = 6 * s->rotating[k] + 3;
    apply_inverse(q + i, phi + i, q + i);
  }
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
    turn_vector(q + 6 * i + 3, both);
  }
}
