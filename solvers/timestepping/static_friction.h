/* static_friction.h - contacts with static and kinetic friction in the problem of a step. */
#ifndef HN_STATIC_FRICTION_H
#define HN_STATIC_FRICTION_H

#include "contact.h"

/* The contacts of STATE are the blocks of PROBLEM from FIRST on. LEFT_OUT[nblock] marks blocks outside the
 * problem, and may be NULL. */
typedef struct hn_static_friction {
  hn_problem *problem;
  hn_state *state;
  int first;
  const bool *left_out;
  double tolerance; /* m/s: contacts that slide no faster stick */
} hn_static_friction;

/* True if a contact of STATE has a static friction. */
bool hn_static_friction_is_needed(const hn_state *state);
/* Sets both coefficients in the cones of the problem, for a contact solver that chooses between them. */
void hn_static_friction_set_cones(const hn_static_friction *s);
/* Sets the kinetic friction, in problem and state, of contacts that would slide with their static friction at
 * the impulses P and velocities V. Returns the number of these contacts. */
int hn_static_friction_start_sliding(const hn_static_friction *s, const double *p, const double *v);
/* Sets the friction of the next step: kinetic for contacts that slide, static for the others. */
void hn_static_friction_update(const hn_static_friction *s, const double *p, const double *v);

#endif
