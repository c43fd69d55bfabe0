/* series_layout.h - what belongs to a series, in the order in which it is visited. Internal to series/.
 *
 * A body's slot is its place in that order, and so is a link's: a joint or a force. Large systems do not fit in caches;
 * memory that is read in the order in which it lies comes faster than memory by the numbers of bodies and joints. */
#ifndef HN_SERIES_LAYOUT_H
#define HN_SERIES_LAYOUT_H

#include "series/force_series.h"
#include "series/given_series.h"
#include "series/power_order.h"

/* One joint; of what is none only slot is set. */
typedef struct hn_series_link {
  hn_joint joint; /* as it is when the series start */
  int slot[2];    /* of its bodies */
  size_t at;      /* rows of the joints that are visited before */
  size_t pushing; /* the last coefficient of the columns of v that is not zero */
  double *work;   /* of its jets */
} hn_series_link;

typedef struct hn_series {
  hn_system *system;
  size_t order, count; /* powers of the multipliers, coefficients of the motion */
  double time;         /* about which the series are, s */
  hn_sweep sweep;
  hn_body_series *body; /* [nbody] by slot */
  hn_series_link *link; /* [nlink] by slot: joints, forces, and what model->more is made of */
  int nlink;
  hn_body_power *power; /* [count] of each body */
  double *work;         /* of the joints' jets */
  size_t kept;          /* coefficients of Jacobians: order, and one more where rates take part */
  /* For one joint after the other: */
  double *effect; /* [12 rows] the blocks of hn_system at the start of the series */
  double *push,
    *turn; /* [kept][side][3 rows] coefficients of the columns of v and w; those of v as far as PUSHING */
  double *lambda; /* [order][rows] */
  double *twist;  /* [kept][6 nbody] by slot, of twists; like the next NULL if nobody asks for rates */
  double *bias;   /* [nrow] of rows of velocities: the coefficient that is asked for next */
  hn_force_series *forces; /* of the model; NULL when it has none, */
  hn_given_series *given;  /* like what model->more is made of */
} hn_series;

/* As hn_series_create and hn_series_free say. */
hn_series *hn_series_lay_out(hn_system *system, int order, hn_error *error);
void hn_series_clear_away(hn_series *series);

/* Joints and Jacobians of the system as they are now. */
void hn_series_take_joints(hn_series *series);

/* Where coefficient k of the columns of v or w stands, of one side of a joint, in push or turn. */
static inline size_t hn_columns_at(const hn_series *s, const hn_series_link *link, int side, size_t k)
{
  const size_t n = (size_t)link->joint.type->rows;
  return 3 * (2 * link->at * s->kept + n * (2 * k + (size_t)side));
}

/* Coefficient k of the multipliers of a joint. */
static inline double *hn_multipliers_of(const hn_series *s, const hn_series_link *link, size_t k)
{
  return s->lambda + link->at * s->order + (size_t)link->joint.type->rows * k;
}

#endif
