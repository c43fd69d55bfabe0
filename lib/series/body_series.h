/* body_series.h - the motion of one body as truncated power series in time. Internal. */
#ifndef HN_BODY_SERIES_H
#define HN_BODY_SERIES_H

#include "system.h"

typedef struct hn_body_series {
  hn_body_jet jet;   /* all zero before the first start */
  hn_body_kind kind; /* like the next of the body, beside its series */
  double inv_mass, inv_J[3], gravity[3];
} hn_body_series;

/* For body OF, whose series stands AT [count]. */
void hn_body_series_open(hn_body_series *body, const hn_body *of, hn_body_power *at, size_t count);
/* Coefficients 0 and 1 of x, q and R, 0 of L and W. */
void hn_body_series_start(hn_body_series *body, const hn_body *of, const hn_pose *pose,
                          const hn_twist *twist);
/* x_{k+2}, L_{k+1} and what follows, W_{k+1}, q_{k+2} and R_{k+2}, from coefficient k of force and torque. */
void hn_body_series_advance(hn_body_series *body, size_t k, const double force[6]);
/* What a further part of coefficient k of force and torque adds to the same coefficients: O(1). */
void hn_body_series_push(hn_body_series *body, size_t k, const double force[6]);
/* Coefficient k of the twist, in world axes, from x_{k+1}, R_0 to R_k and W_0 to W_k. */
void hn_body_series_twist(const hn_body_series *body, size_t k, double twist[6]);
/* Pose and twist after time h, by powers up to ORDER. */
void hn_body_series_state(const hn_body_series *body, double h, size_t order, hn_pose *pose, hn_twist *twist);

#endif
