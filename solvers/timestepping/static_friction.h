/* static_friction.h - contacts with two frictions in a problem of one step: which of them stick. */
#ifndef HN_STATIC_FRICTION_H
#define HN_STATIC_FRICTION_H

#include "contact.h"

/* Contacts are those of STATE, the blocks of PROBLEM from FIRST on; LEFT_OUT[nblock] are none of the step, and may be
 * NULL. */
typedef struct hn_sticking {
  hn_problem *problem;
  hn_state *state;
  int first;
  const bool *left_out;
  double tolerance; /* m/s: what slides no faster sticks */
} hn_sticking;

/* Has any contact of STATE two frictions? */
bool hn_sticking_needed(const hn_state *state);
/* Both frictions into the cones of the problem, for a solver that chooses by itself. */
void hn_sticking_offer(const hn_sticking *s);
/* What sticks by friction and would slide at the impulses P with velocities V slides from now on, in problem and state:
 * how many did? */
int hn_sticking_release(const hn_sticking *s, const double *p, const double *v);
/* What has come to rest on the friction of sliding sticks from the next step on. */
void hn_sticking_keep(const hn_sticking *s, const double *p, const double *v);

#endif
