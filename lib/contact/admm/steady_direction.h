/* steady_direction.h - the direction of an iteration x := T(x), and how long it stays the same. Internal.
 *
 *   f = T(x) - x,   change = |f - f_before| / |f|,   steady for N steps:  N change <= 1 in the last few steps
 *
 * Where redundant contacts contradict each other by rounding, velocities stop while impulses move from one
 * contact to the next with a constant f, until one of them opens or reaches its cone. T is smooth in between,
 * so that the number of steps to that change of mode can be computed. An endless direction is a certificate
 * that no solution exists. Norms are weighted: |f|^2 = sum of (weight f)^2. [Banjac, Goulart, Stellato and
 * Boyd, J. Optim. Theory Appl. 183 (2019) 490] */
#ifndef HN_STEADY_DIRECTION_H
#define HN_STEADY_DIRECTION_H

#include "contact.h"

/* Steps whose change is compared: one alone may be small by chance. */
enum { HN_DIRECTION_STEPS = 5 };

typedef struct hn_direction {
  double *f;                         /* [n] of the last step, the caller's */
  double change[HN_DIRECTION_STEPS]; /* of f, relative, the latest first */
} hn_direction;

/* Begins, or discards the history: T is another one from now on. */
void hn_direction_restart(hn_direction *direction);
/* Notes a step from X[n] to TX[n]; WEIGHT[n]. */
void hn_direction_observe(hn_direction *direction, int n, const double *weight, const double *tx,
                          const double *x);
/* Returns the largest relative change of f in the last steps; HUGE_VAL if there are too few. */
double hn_direction_change(const hn_direction *direction);
/* True if f stays the same for STEPS steps from X[nrow] and no contact mode changes on the way;
 * WEIGHT[nrow]. */
bool hn_direction_is_steady(const hn_direction *direction, const hn_problem *problem, const double *weight,
                            const double *x, int steps);
/* Returns the number of steps along f from X to the first change of the contact mode of a block (open or
 * closed, at a bound or not, sticking or sliding), given by the position of x to the set and its polar cone;
 * HUGE_VAL if there is none. Blocks whose part of f is rounding noise count as unchanged. */
double hn_direction_steps_to_mode_change(const hn_direction *direction, const hn_problem *problem,
                                         const double *weight, const double *x);

#endif
