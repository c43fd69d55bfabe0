/* series_layout.h - memory of a series, in the order in which it is visited. Internal to series/.
 *
 * The slot of a body or of a link (joint, force or row force) is its rank in that order. Data of large
 * systems do not fit into caches, and memory is read faster in storage order than by the numbers of bodies
 * and joints. */
#ifndef HN_SERIES_LAYOUT_H
#define HN_SERIES_LAYOUT_H

#include "series/force_series.h"
#include "series/row_force_series.h"
#include "series/power_order.h"

/* One link; forces and row forces have `slot` only. */
typedef struct hn_series_link {
  hn_joint joint;      /* copy at the start of the series */
  int slot[2];         /* of its bodies */
  size_t row_offset;   /* number of joint rows with lower slots */
  size_t last_nonzero; /* last coefficient of the columns of v that is not zero */
  double *work;        /* series of its jets */
} hn_series_link;

typedef struct hn_series {
  hn_system *system;
  hn_arrays arrays;    /* all memory, that of the parts included */
  size_t order, count; /* powers of the multipliers, coefficients of the motion */
  double time;         /* start of the series, s */
  hn_power_order visits;
  hn_body_series *body; /* [nbody] by slot */
  hn_series_link *link; /* [nlink] by slot: joints, forces and row forces */
  int nlink;
  hn_body_power *power;  /* [count] of each body */
  double *work;          /* series of the joints' jets */
  size_t jacobian_count; /* coefficients of Jacobians: order, and one more if rates are needed */
  /* By joint, in the order of slots: */
  double *G_start; /* [12 rows] Jacobians of the system at the start of the series */
  /* [jacobian_count][side][3 rows] coefficients of the columns of v and w; those of v up to last_nonzero */
  double *G_v, *G_w;
  double *lambda; /* [order][rows] */
  double *twist;  /* [jacobian_count][6 nbody] twists by slot; NULL, like bias, if no rates are needed */
  double *bias;   /* [nrow] rows of velocities: the next coefficient */
  hn_force_series *forces;         /* NULL if the model has no forces */
  hn_row_force_series *row_forces; /* NULL if the model has no row forces */
} hn_series;

/* Copies joints and Jacobians of the system at the start of a series. */
void hn_series_copy_joints(hn_series *series);

/* Returns the offset in G_v or G_w of coefficient k of one side of a joint. */
static inline size_t hn_columns_at(const hn_series *s, const hn_series_link *link, int side, size_t k)
{
  const size_t n = (size_t)link->joint.type->rows;
  return 3 * (2 * link->row_offset * s->jacobian_count + n * (2 * k + (size_t)side));
}

/* Returns coefficient k of the multipliers of a joint. */
static inline double *hn_multipliers_of(const hn_series *s, const hn_series_link *link, size_t k)
{
  return s->lambda + link->row_offset * s->order + (size_t)link->joint.type->rows * k;
}

#endif
