/* row_force_series.h - row forces (hn_row_force): forces along rows whose multipliers are known, as power
 * series in time. Internal.
 *
 *   coefficient k of a wrench = sum over i of G_i' Q_{k-i}
 *   friction: Q_k = -mu sum over i of d_i lambda_{k-i},  d = v / |v|
 *
 * v are the rates of the rows, lambda is the multiplier of the normal. d_k needs the motion up to coefficient
 * k + 1, which is known before k + 2 is computed. Coefficient k of lambda is not known then: it is multiplied
 * by d_0 only, and its effect is added later (hn_row_force_series_follow), like the effect of the
 * multipliers. In a plane d is constant until the slip reverses. In space, with d_0 and the direction e
 * perpendicular to it,
 *
 *   d = (d_0 + tau e) / sqrt(1 + tau^2),   tau = (e . v) / (d_0 . v)
 *
 * tau has a singularity at the time at which the slip would stop. On a straight path tau is zero and the
 * series stay valid beyond. On a curved path they are valid for a fraction of that time. A transverse slip
 * rate at rounding level is taken as zero: beyond the stop its effect would be amplified. */
#ifndef HN_ROW_FORCE_SERIES_H
#define HN_ROW_FORCE_SERIES_H

#include "base/array.h"
#include "series/body_series.h"

typedef struct hn_row_force_series hn_row_force_series;

/* One side of the rows: the motion of the body and coefficients of its twist, one after the other with a
 * given stride. */
typedef struct hn_row_force_side {
  const hn_body_jet *jet;
  const double *twist;
} hn_row_force_side;

/* Allocates series of the row forces of model->more, for powers below STRIDE, in ARRAYS. NULL on error: out
 * of memory, or rows without a power series. */
hn_row_force_series *hn_row_force_series_create(const hn_model *model, size_t stride, hn_arrays *arrays,
                                                hn_error *error);
/* Sets the start time, s. */
void hn_row_force_series_start(hn_row_force_series *series, double t);
/* Computes coefficient k of row force i with coefficient k of the normal's multiplier taken as zero. Needs
 * coefficients 0 .. k+1 of the motion of its bodies and 0 .. k of their twists (6 numbers, one every TWISTS
 * numbers). Call with k = 0, 1, 2, ... in turn. */
void hn_row_force_series_measure(hn_row_force_series *series, int i, size_t k,
                                 const hn_row_force_side side[2], size_t twists);
/* Sets coefficient k of the normal's multiplier to NORMAL. */
void hn_row_force_series_follow(hn_row_force_series *series, int i, size_t k, double normal);
/* Adds the effect of NORMAL on coefficient k to the wrench[6] of body a (side 0) or b (side 1). */
void hn_row_force_series_push(const hn_row_force_series *series, int i, int side, double normal,
                              double wrench[6]);
/* Adds coefficient k of the row force to the wrench[6] of one of its bodies. */
void hn_row_force_series_add(const hn_row_force_series *series, int i, int side, size_t k, double wrench[6]);
/* Stores the friction deceleration, after power 0: A and B are the accelerations of its bodies by the
 * friction of a unit normal multiplier. */
void hn_row_force_series_accelerate(hn_row_force_series *series, int i, const hn_twist *a, const hn_twist *b);
/* Returns the part of LEFT, s, for which the direction of friction by the series up to ORDER is valid: a
 * fraction of the time to the stop on curved paths, or the time in which a slip from rest shows its
 * direction. */
double hn_row_force_series_valid_time(const hn_row_force_series *series, size_t order, double left);

#endif
