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

void hn_group_displace(hn_system *s, const hn_state *from, const hn_twist *D, hn_state *to)
{
  for (int i = 0; i < from->nbody; i++) {
    to->pose[i] = from->pose[i];
    if (s->model->body[i].kind != HN_FIXED) vec_add(to->pose[i].x, from->pose[i].x, D[i].v);
  }
  for (int k = 0; k < s->nrotating; k++) {
    const int i = s->rotating[k];
    double turn[4], *q = to->pose[i].q;
    exponential(turn, D[i].w);
    quat_mul(q, from->pose[i].q, turn);
    quat_normalise(q);
  }
  s->work.flights += (uint64_t)from->nbody - 1;
}

void hn_group_move(hn_system *s, const hn_state *from, const hn_twist *D, const hn_twist *u, hn_state *to)
{
  hn_group_displace(s, from, D, to);
  for (int i = 0; i < from->nbody; i++) {
    to->twist[i] = from->twist[i];
    if (s->model->body[i].kind != HN_FIXED) vec_copy(to->twist[i].v, u[i].v);
  }
  for (int k = 0; k < s->nrotating; k++) {
    const int i = s->rotating[k];
    quat_rotate(to->twist[i].w, to->pose[i].q, u[i].w);
  }
}
