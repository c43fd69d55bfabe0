/* unilateral.h - which one-sided joints act, in the impulse step with one linear system: an active set. */
#ifndef HN_LIMITS_H
#define HN_LIMITS_H

#include "holonom.h"

typedef struct hn_limits {
  double *impulse;   /* [nrow] total of this step on one-sided joints */
  int switches;      /* of this step */
} hn_limits;

int hn_limits_setup(hn_solver *solver, hn_limits *limits, hn_error *error);
void hn_limits_free(hn_limits *limits);
/* All off, as before the first step. */
void hn_limits_forget(hn_solver *solver);
/* All on: for methods that choose by the sign of each impulse. */
void hn_limits_act(hn_solver *solver);
/* The largest residual as in hn_system_residual, a one-sided joint counting by its violation, acting or not. */
double hn_limits_residual(hn_solver *solver, const hn_state *state, int *worst);
void hn_limits_begin(hn_solver *solver, hn_limits *limits);
/* Notes that P times SCALE was applied. */
void hn_limits_add(hn_solver *solver, hn_limits *limits, const double *p, double scale);

typedef enum hn_limits_change { HN_LIMITS_SAME, HN_LIMITS_CHANGED, HN_LIMITS_CYCLE } hn_limits_change;

/* Joint correction solved for those that act: changes the first joint that is off and violated (system->g, by more
 * than TOLERANCE), or that acts and has pulled; its impulse is taken back from STATE then. */
hn_limits_change hn_limits_choose(hn_solver *solver, hn_limits *limits, double tolerance, hn_state *state);
/* Velocity correction, P times SCALE just applied to STATE: changes the first joint that acts and has pulled in this
 * step, or that does not, is at its bound and goes further. */
hn_limits_change hn_limits_choose_rates(hn_solver *solver, hn_limits *limits, const double *p, double scale,
                                        const hn_state *state);

#endif
