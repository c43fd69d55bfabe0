/* cylinder_pair.h - two cylinders: their axis of closest approach and its manifold. Internal. */
#ifndef HN_CYLINDER_PAIR_H
#define HN_CYLINDER_PAIR_H

#include "collide/cylinder/cylinder.h"

typedef struct hn_best_axis {
  /* Unit normal, gap (m), and the two facing points if known. */
  double n[3], gap, a[3], b[3];
  int i, j; /* features of both; HN_END or more: an end of that cylinder */
} hn_best_axis;

typedef struct hn_cylinders {
  hn_cylinder c[2];
  double w[3], v[3];                /* centre and axis of the second, in the axes of the first */
  const hn_placed_shape *placed[2]; /* in the axes of the first */
  double max_gap, tie;
  hn_best_axis best;
} hn_cylinders;

/* Computes the centre X and axis D of the other cylinder in the axes of WHICH. */
void hn_cylinders_other_in_axes(const hn_cylinders *cylinders, int which, double x[3], double d[3]);
/* Computes the manifold of the best axis, in the axes of the first cylinder. OUT is empty on entry. */
void hn_cylinders_build(const hn_cylinders *cylinders, double margin, hn_manifold *out);

#endif
