/* steady_direction.h - does an iteration x := T(x) go the same way for ever? Internal.
 *
 * Where contacts repeat each other but for a rounding, and contradict each other by another, velocities stop while
 * impulses move on from one contact to the next, f = T(x) - x the same each time, until one of them opens or comes to
 * its cone: T is smooth in between, and how many iterations that takes can be foreseen. Where nothing of the kind lies
 * ahead there is no solution, and f is the certificate of it. [Banjac, Goulart, Stellato and Boyd, J. Optim. Theory
 * Appl. 183 (2019) 490] */
#ifndef HN_STEADY_DIRECTION_H
#define HN_STEADY_DIRECTION_H

#include "contact.h"

enum { HN_RAY = 5 };

typedef struct hn_ray {
  double *f;             /* [n] of the step before */
  double change[HN_RAY]; /* of f, relative, in the last steps, the last one first */
} hn_ray;

/* Room for N numbers; false without memory. */
bool hn_ray_create(hn_ray *ray, size_t n);
void hn_ray_free(hn_ray *ray);
/* Nothing before. */
void hn_ray_forget(hn_ray *ray);
/* T took X[n] to TX[n]; WEIGHT[n]. */
void hn_ray_note(hn_ray *ray, int n, const double *weight, const double *tx, const double *x);
/* The largest change of f in the last few steps, of itself. */
double hn_ray_change(const hn_ray *ray);
/* Would as many as STEPS from X all go the way that the last few went? WEIGHT[nrow] as above. */
bool hn_ray_lasts(const hn_ray *ray, const hn_problem *problem, const double *weight, const double *x,
                  int steps);
/* Steps from X to where the first block of PROBLEM, whose impulse is the nearest of its set to X, has another part of
 * the law: closed or open, at a bound or not, sticking or sliding. HUGE_VAL: it never does. What is next to nothing of
 * f is a rounding, and counts as nothing. */
double hn_ray_reach(const hn_ray *ray, const hn_problem *problem, const double *weight, const double *x);

#endif
