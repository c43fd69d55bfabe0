/* cylinder_pair.h - two cylinders: the axis along which they are nearest, and their manifold. Internal. */
#ifndef HN_CYLINDER_PAIR_H
#define HN_CYLINDER_PAIR_H

#include "collide/cylinder/cylinder.h"

typedef struct hn_best_axis {
  double n[3], gap, a[3], b[3]; /* the points that face each other, where they are known */
  int i, j;                     /* features of both; HN_END: an end of that one */
} hn_best_axis;

typedef struct hn_cylinders {
  hn_cylinder c[2];
  double w[3], v[3];          /* centre and axis of the second, in the axes of the first */
  const hn_placed *placed[2]; /* from the first's axes */
  double most, better;
  hn_best_axis best;
} hn_cylinders;

/* The other cylinder's centre and axis in the axes of WHICH. */
void hn_cylinders_seen_from(const hn_cylinders *cylinders, int which, double x[3], double d[3]);
/* The points along the best axis, which has been found, into OUT, which comes empty;
 * in the axes of the first. */
void hn_cylinders_build(const hn_cylinders *cylinders, double margin, hn_manifold *out);

#endif
