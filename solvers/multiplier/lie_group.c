/* lie_group.c - motion of poses on the group R^3 x SO(3) of each body.
 *
 *   exp(D) = (cos a, sin(a) / a  D / 2),   a = |D| / 2                      as a unit quaternion
 *
 * computed by power series for rotations of up to a radian (base/turn.h). */
#include "multiplier/lie_group.h"
#include "base/turn.h"

void hn_group_displace(hn_system *s, const hn_state *from, const hn_twist *D, hn_state *to)
{
  for (int i = 0; i < from->nbody; i++) {
    to->pose[i] = from->pose[i];
    if (s->model->body[i].kind != HN_FIXED) vec_add(to->pose[i].x, from->pose[i].x, D[i].v);
  }
  for (int k = 0; k < s->nrotating; k++) {
    const int i = s->rotating[k];
    double turn[4], *q = to->pose[i].q;
    turn_by(turn, 1.0, D[i].w);
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

void hn_group_difference(const hn_system *s, const hn_state *from, const hn_state *to, hn_twist *D)
{
  for (int i = 0; i < from->nbody; i++) {
    double back[4], turn[4];
    vec_sub(D[i].v, to->pose[i].x, from->pose[i].x);
    quat_conj(back, from->pose[i].q);
    quat_mul(turn, back, to->pose[i].q);
    turn_vector(D[i].w, turn);
    if (s->model->body[i].kind != HN_RIGID) vec_set(D[i].w, 0.0, 0.0, 0.0);
  }
}

void hn_to_body_axes(const hn_state *at, const hn_twist *world, hn_twist *body)
{
  for (int i = 0; i < at->nbody; i++) {
    vec_copy(body[i].v, world[i].v);
    quat_unrotate(body[i].w, at->pose[i].q, world[i].w);
  }
}

void hn_to_world_axes(const hn_state *at, const hn_twist *body, hn_twist *world)
{
  for (int i = 0; i < at->nbody; i++) {
    vec_copy(world[i].v, body[i].v);
    quat_rotate(world[i].w, at->pose[i].q, body[i].w);
  }
}

void hn_combine_twists(int bodies, hn_twist *out, const hn_twist *x, double s, const hn_twist *a)
{
  double *to = (double *)out;
  const double *from = (const double *)x, *more = (const double *)a;
  for (int i = 0; i < 6 * bodies; i++) to[i] = from[i] + s * more[i];
}
