/* lie_group.c - motion of poses on the group R^3 x SO(3) of each body.
 *
 *   exp(D) = (cos a, sin(a) / a  D / 2),   a = |D| / 2                      as a unit quaternion
 *
 * computed by power series for rotations of up to a radian (base/turn.h). */
#include "multiplier/lie_group.h"
#include "base/turn.h"

/* Computes the unit quaternion of the rotation vector ANGLE. */
static inline void exponential(double out[4], const double angle[3])
{
  double scale = turn_half(0.25 * vec_dot(angle, angle), out);
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

void hn_to_body_axes(const hn_state *at, const hn_twist *world, hn_twist *body)
{
  for (int i = 0; i < at->nbody; i++) {
    vec_copy(body[i].v, world[i].v);
    quat_unrotate(body[i].w, at->pose[i].q, world[i].w);
  }
}

void hn_combine_twists(int bodies, hn_twist *out, const hn_twist *x, double s, const hn_twist *a)
{
  double *to = (double *)out;
  const double *from = (const double *)x, *more = (const double *)a;
  for (int i = 0; i < 6 * bodies; i++) to[i] = from[i] + s * more[i];
}
