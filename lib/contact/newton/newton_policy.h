/* newton_policy.h - decisions of the contact solver newton (contact_newton.c): states, line search, progress.
 * Internal. */
#ifndef HN_NEWTON_POLICY_H
#define HN_NEWTON_POLICY_H

#include <stdbool.h>

typedef enum hn_newton_state {
  HN_NEWTON_STRONG,  /* iterations with the strong regularisation */
  HN_NEWTON_WEAK,    /* iterations with the weak one, and steps to mode changes */
  HN_NEWTON_SWEEP,   /* sweeps of Gauss-Seidel, then strong */
  HN_NEWTON_RESTART, /* p = 0, then strong */
  HN_NEWTON_STALLED
} hn_newton_state;

enum {
  HN_NEWTON_MERITS = 3
}; /* values of the merit whose maximum must fall; 1 would be a monotone line search */

/* State of one solution. */
typedef struct hn_newton_progress {
  hn_newton_state state;
  double merit[HN_NEWTON_MERITS]; /* of the last iterations, cyclic */
  int iterations;                 /* since the last failure */
  double best;                    /* merit, when it last halved */
  int stagnation;                 /* iterations since it halved; negative before the first one */
  int sweeps;                     /* n, the sweeps of the next fallback */
  double longest_error;           /* m/s, before the last sweeps of the largest n */
  bool from_zero;                 /* the iterations began with p = 0 */
} hn_newton_progress;

/* Returns the state of a new solution: SWEEPS in the first fallback; FROM_ZERO: it starts at p = 0. */
hn_newton_progress hn_newton_progress_start(int sweeps, bool from_zero);
/* Stores the MERIT at the start of an iteration and returns the maximum of the last ones. */
double hn_newton_remember_merit(hn_newton_progress *progress, double merit);
/* True if the merit has not halved for so many iterations that the iteration fails. */
bool hn_newton_stagnates(const hn_newton_progress *progress);
/* Sets the state after a failed iteration that began with ERROR, m/s, and forgets the merits. */
void hn_newton_fail(hn_newton_progress *progress, double error);
/* Returns the sweeps of a fallback that begins with ERROR, m/s, and doubles those of the next one. */
int hn_newton_next_sweeps(hn_newton_progress *progress, double error);

/* Returns the regularisation e of STATE. */
double hn_newton_regularisation(hn_newton_state state);
/* Returns the largest merit that is accepted after the step T, if MERIT was the largest of the last ones. */
double hn_newton_merit_limit(double t, double merit);
/* Returns the step that the line search tries after T; 0: it ends. */
double hn_newton_shorter_step(double t);

#endif
