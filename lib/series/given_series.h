/* given_series.h - forces along rows whose multipliers are known (hn_given): power series in time. Internal.
 *
 *   coefficient k of a wrench = sum over i of G_i' Q_{k-i}
 *   friction:  Q_k = -mu sum over i of d_i lambda_{k-i},   d = v / |v|
 *
 * v the rates of the rows, lambda of the normal.
 *
 * d_k needs the motion up to coefficient k + 1, which is known before k + 2 is asked for. Coefficient k
 * of lambda is not: it enters beside d_0 alone, and its effect is added when it is known (follow), as
 * that of the multipliers is.
 *
 * In a plane d is constant, as long as what slides does not turn back. Else, with d_0 and
 * the direction e across it,
 *
 *   d = (d_0 + tau e) / sqrt(1 + tau^2),   tau = (e . v) / (d_0 . v)
 *
 * tau ends at the instant at which what slides would come to rest: on a straight way it is zero, so that the
 * series go on beyond; else they are good for a part of that time. What moves across so little that it would
 * not have turned by rounding until then goes straight, or rounding would be made large by going beyond. */
#ifndef HN_GIVEN_SERIES_H
#define HN_GIVEN_SERIES_H

#include "series/body_series.h"

typedef struct hn_given_series hn_given_series;

/* Of one side of the rows: the body's motion, and its twists, coefficient i at TWIST + i STRIDE. */
typedef struct hn_given_side {
  const hn_body_jet *jet;
  const double *twist;
} hn_given_side;

/* Room for powers below STRIDE of what model->more is made of; NULL and an error when memory is out, or
 * something has no power series. */
hn_given_series *hn_given_series_create(const hn_model *model, size_t stride, hn_error *error);
void hn_given_series_free(hn_given_series *series);
/* Starts at time T. */
void hn_given_series_start(hn_given_series *series, double t);
/* Coefficient k of what i does, as if that of the normal were zero, given coefficients 0..k+1 of the
 * motion of its bodies and 0..k of their twists, [6] each TWISTS numbers after the one before; with
 * k = 0, 1, 2, ... in turn. */
void hn_given_series_measure(hn_given_series *series, int i, size_t k, const hn_given_side side[2],
                             size_t twists);
/* Coefficient k of the normal's multiplier is NORMAL. */
void hn_given_series_follow(hn_given_series *series, int i, size_t k, double normal);
/* What that adds to coefficient k of the wrench[6] of one of its bodies: side 0 of a, 1 of b. */
void hn_given_series_push(const hn_given_series *series, int i, int side, double normal, double wrench[6]);
/* Adds coefficient k to the wrench of one of its bodies. */
void hn_given_series_add(const hn_given_series *series, int i, int side, size_t k, double wrench[6]);
/* After power 0: the accelerations of both bodies by what a unit of the normal's multiplier adds. */
void hn_given_series_accelerate(hn_given_series *series, int i, const hn_twist *a, const hn_twist *b);
/* For how much of LEFT, s, the series up to ORDER say which way friction acts: until something
 * that turns has come nearer to rest; or, where it begins to move from rest, and turns, until it
 * can be seen where it goes. */
double hn_given_series_reach(const hn_given_series *series, size_t order, double left);

#endif
