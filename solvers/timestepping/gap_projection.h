/* gap_projection.h - projection of positions onto joints and gaps that are violated.
 *
 *   repeat   find mu:  0 <= K mu + g, 0 <= mu  (joints: K mu + g = 0);   x moved by t W G' mu
 *
 * with t = 1, 1/2, ... until the largest violation decreases. Where joints hold a heavy body by light ones
 * that are nearly in line, straightening these is the shortest displacement to first order. They must move
 * across the line by the square root of the gain along it, and overshoot, so that whole displacements may
 * not converge. With an approximate mu, of a contact solver without tolerance, t = 1: the violation need
 * not decrease along it. */
#ifndef HN_GAP_PROJECTION_H
#define HN_GAP_PROJECTION_H

#include "timestepping/sleeping.h"

typedef struct hn_gaps {
  double tolerance; /* m, rad */
  int iterations;
  hn_contact_solver *solver;
  hn_state *at;
  hn_state *from; /* poses before a displacement, and as twists the displacement */
} hn_gaps;

#define HN_GAPS_PARAMS(data, field)                                                                          \
  { "tolerance", HN_REAL, offsetof(data, field) + offsetof(hn_gaps, tolerance),                              \
    "1e-9",      1e-15,   1,                                                                                 \
    "m, rad",    NULL,    "projection: violation that is left" },                                            \
  {                                                                                                          \
    "iterations", HN_INTEGER, offsetof(data, field) + offsetof(hn_gaps, iterations), "50", 1, 1e6, "", NULL, \
      "projection: of it, at most"                                                                           \
  }

/* With a contact solver by CONTACT. */
int hn_gaps_setup(hn_solver *solver, hn_gaps *gaps, const hn_contact_options *contact, hn_error *error);
void hn_gaps_free(hn_gaps *gaps);
/* Moves STATE by W G' mu, 0 <= K mu + g, 0 <= mu, joints to 0, until no violation is left. Bodies asleep
 * do not move. The contacts of STATE and their impulses are kept; those of the system change. PROBLEM and
 * p[max_rows] are scratch. */
hn_reason hn_gaps_project(hn_solver *solver, hn_gaps *gaps, hn_sleeping *rest, hn_problem *problem, double *p,
                          hn_state *state);

#endif
