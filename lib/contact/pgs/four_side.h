/* four_side.h - four bodies, one on the same side of each of four contacts, in vector registers. Internal. */
#ifndef HN_FOUR_SIDE_H
#define HN_FOUR_SIDE_H

#include "contact/pgs/four_contacts.h"

typedef struct hn_four_side {
  quad u[6], W[6], inv; /* velocities; inverse inertias, upper triangles; inverse masses */
} hn_four_side;

inlined void four_cross(const quad *x, hn_double4 *arm, quad *out)
{
  const quad y[3] = { Q(arm[0]), Q(arm[1]), Q(arm[2]) };
  quad_cross(x, y, out);
}

inlined void load_sides(hn_four *four, double *W, double *u, hn_four_side *a, hn_four_side *b)
{
  quad_gather(u, four->a, a->u), quad_gather(u, four->b, b->u);
  quad_gather(W, four->a, a->W), quad_gather(W, four->b, b->W);
  a->inv = Q(four->inv_a), b->inv = Q(four->inv_b);
}

inlined void store_sides(const hn_four *four, double *u, const hn_four_side *a, const hn_four_side *b)
{
  quad_scatter(u, four->a, a->u), quad_scatter(u, four->b, b->u);
}

/* Applies the impulse FORCE at the arm to one side; SIGN: -1 on side a, 1 on side b. */
inlined void apply_force(const quad *force, double sign, hn_double4 *arm, hn_four_side *side)
{
  quad moment[3], *u = side->u, *w = side->W;
  four_cross(force, arm, moment); /* minus the moment */
  for (int c = 0; c < 3; c++) u[c] += sign * side->inv * force[c];
  u[3] -= sign * (w[0] * moment[0] + w[1] * moment[1] + w[2] * moment[2]);
  u[4] -= sign * (w[1] * moment[0] + w[3] * moment[1] + w[4] * moment[2]);
  u[5] -= sign * (w[2] * moment[0] + w[4] * moment[1] + w[5] * moment[2]);
}

/* Adds W G' p to the velocities of both sides. */
inlined void apply_impulse(hn_four_point *point, const quad *p, hn_four_side *a, hn_four_side *b)
{
  quad force[3];
  for (int c = 0; c < 3; c++)
    force[c] = Q(point->e[c]) * p[0] + Q(point->e[3 + c]) * p[1] + Q(point->e[6 + c]) * p[2];
  apply_force(force, -1.0, point->arm_a, a);
  apply_force(force, 1.0, point->arm_b, b);
}

#endif
