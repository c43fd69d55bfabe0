/* nearest_points.h - the nearest points of two cores as power series (see moving_contact.h). Internal. */
#ifndef HN_NEAREST_POINTS_H
#define HN_NEAREST_POINTS_H

#include "collide/cores.h"
#include "joints.h"

typedef struct hn_moving_contact {
  hn_core core[2];   /* of a and of b */
  double near[2][3]; /* of circles: unit vector from the centre to the nearest point, world axes */
  double normal[3];  /* normal at the same time, world axes */
  double tangent[3]; /* direction that t_1 is made from, axes of a */
  double sign;       /* +1 or -1: n = sign tau_a x tau_b / |...| */
} hn_moving_contact;

/* Motion of two bodies, their cores, and work memory of HN_NEAREST_SERIES series. */
typedef struct hn_nearest_points {
  const hn_moving_contact *moving;
  const hn_body_jet *body[2];
  size_t n; /* stride of series */
  double *work;
} hn_nearest_points;

/* Indices of series: n, followed by t_1 and t_2; the contact point relative to the centres of mass of a
 * (REACH) and b (ARM). Those of both sides come before, scratch behind. */
enum {
  HN_NEAREST_SIDE = 24,
  HN_NEAREST_NORMAL = 2 * HN_NEAREST_SIDE,
  HN_NEAREST_REACH = HN_NEAREST_NORMAL + 9,
  HN_NEAREST_ARM = HN_NEAREST_REACH + 3,
  HN_NEAREST_SCRATCH = HN_NEAREST_ARM + 3,
  HN_NEAREST_SERIES = HN_NEAREST_SCRATCH + 21
};

/* Computes coefficient k of all series from the coefficients below; returns that of the gap. */
double hn_nearest_set(const hn_nearest_points *nearest, size_t k);
/* Computes coefficient k of the unit vector from the centre of the circle of SIDE to the nearest point. */
void hn_nearest_direction(const hn_nearest_points *nearest, int side, size_t k, double out[3]);
/* True if the equations are regular and the normal is well defined. */
bool hn_nearest_is_smooth(const hn_nearest_points *nearest);
/* Copies coefficient k of a vector of series. */
static inline void hn_nearest_vector(const hn_nearest_points *nearest, int series, size_t k, double out[3])
{
  for (size_t c = 0; c < 3; c++) out[c] = nearest->work[((size_t)series + c) * nearest->n + k];
}

#endif
