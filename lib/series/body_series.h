/* body_series.h - the motion of one body as truncated power series in time. Internal. */
#ifndef HN_BODY_SERIES_H
#define HN_BODY_SERIES_H

#include "system.h"

typedef struct hn_body_series {
  hn_body_jet jet;   /* all zero before the first start */
  hn_body_kind kind; /* this and the next line: copies from the body, next to its series */
  double inv_mass, inv_J[3], gravity[3];
} hn_body_series;

/* Initialises the series of body OF, whose coefficients are stored at AT [count]. */
void hn_body_series_open(hn_body_series *body, const hn_body *of, hn_body_power *at, size_t count);
/* Sets coefficients 0 and 1 of x, q and R, and 0 of L and W. */
void hn_body_series_start(hn_body_series *body, const hn_body *of, const hn_pose *pose,
                          const hn_twist *twist);
/* Computes x_{k+2}, L_{k+1}, W_{k+1}, q_{k+2} and R_{k+2} from coefficient k of force and torque, in O(k). */
void hn_body_series_advance(hn_body_series *body, size_t k, const double force[6]);
/* Adds the effect of a further part of coefficient k of force and torque to the same coefficients, in
 * O(1). */
void hn_body_series_push(hn_body_series *body, size_t k, const double force[6]);
/* Computes coefficient k of the twist, world axes, from x_{k+1}, R_0 .. R_k and W_0 .. W_k. */
void hn_body_series_twist(const hn_body_series *body, size_t k, double twist[6]);
/* Evaluates pose and twist at time h with powers up to ORDER. */
void hn_body_series_state(const hn_body_series *body, double h, size_t order, hn_pose *pose, hn_twist *twist);

#endif
