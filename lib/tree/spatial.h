/* spatial.h - inertias and wrenches of bodies in a tree, and their reference points. Internal. */
#ifndef HN_SPATIAL_H
#define HN_SPATIAL_H

#include "base/vec.h"
#include "tree/tree_parts.h"

#include <string.h>

/* Moves the reference point of INERTIA by the LEVER from the old to the new one. */
static inline void spatial_shift(hn_tree_inertia *inertia, const double lever[3])
{
  double *A = inertia->A, *B = inertia->B, *C = inertia->C, Bt[9], turn[3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) Bt[3 * i + j] = B[3 * j + i];
  for (int i = 0; i < 3; i++) { /* B + A [lever] */
    vec_cross(turn, A + 3 * i, lever);
    vec_add(B + 3 * i, B + 3 * i, turn);
  }
  for (int i = 0; i < 3; i++) { /* C + B' [lever] - [lever] B */
    vec_cross(turn, Bt + 3 * i, lever);
    vec_add(C + 3 * i, C + 3 * i, turn);
    const double column[3] = { B[i], B[3 + i], B[6 + i] };
    vec_cross(turn, lever, column);
    for (int j = 0; j < 3; j++) C[3 * j + i] -= turn[j];
  }
}

/* Moves a wrench by the LEVER from the old to the new point. */
static inline void spatial_shift_wrench(double p[6], const double lever[3])
{
  double turn[3];
  vec_cross(turn, lever, p);
  vec_sub(p + 3, p + 3, turn);
}

/* out = inertia times the motion X. */
static inline void spatial_multiply(const hn_tree_inertia *inertia, const double x[6], double out[6])
{
  double turn[3];
  mat_vec(out, inertia->A, x);
  mat_vec(turn, inertia->B, x + 3);
  vec_add(out, out, turn);
  mat_tvec(out + 3, inertia->B, x);
  mat_vec(turn, inertia->C, x + 3);
  vec_add(out + 3, out + 3, turn);
}

/* Sets INERTIA to that of the body of NODE about its centre of mass. */
static inline void spatial_body(const hn_tree_node *node, hn_tree_inertia *inertia)
{
  memset(inertia, 0, sizeof *inertia);
  inertia->A[0] = inertia->A[4] = inertia->A[8] = node->mass;
  mat_congruence(inertia->C, node->R, node->J);
}

/* Adds a reduced inertia at LEVER from the centre of the parent. */
static inline void spatial_add(hn_tree_inertia *to, const hn_tree_inertia *from, const double lever[3])
{
  const double back[3] = { -lever[0], -lever[1], -lever[2] };
  hn_tree_inertia moved = *from;
  spatial_shift(&moved, back);
  for (int i = 0; i < 9; i++) to->A[i] += moved.A[i], to->B[i] += moved.B[i], to->C[i] += moved.C[i];
}

/* Computes p, the bias wrench of the body of NODE: the negative of gravity, forces and gyroscopic term. */
static inline void spatial_bias(const hn_tree_node *node, const double *wrench, double p[6])
{
  double w_b[3], L_b[3], rate_b[3];
  vec_scale(p, -node->mass, node->gravity);
  mat_tvec(w_b, node->R, node->twist.w);
  for (int i = 0; i < 3; i++) L_b[i] = node->J[i] * w_b[i];
  vec_cross(rate_b, w_b, L_b);
  mat_vec(p + 3, node->R, rate_b);
  for (int i = 0; i < 6 && wrench; i++) p[i] -= wrench[6 * node->body + i];
}

#endif
