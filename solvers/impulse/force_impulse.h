/* force_impulse.h - forces beside gravity in the impulse solvers: half a kick before each step and half a
 * kick after it. Internal. */
#ifndef HN_FORCE_IMPULSE_H
#define HN_FORCE_IMPULSE_H

#include "holonom.h"

enum { HN_KICK_DEPTH = 12 }; /* columns of Anderson's acceleration, at most */

typedef struct hn_kick {
  double *initial,
    *last; /* [6 nbody] like all arrays: velocities before the closing kick; before the current pass */
  double *residual;     /* of the current pass, F - u */
  double *r, *F, *step; /* residual and F where the current step begins; the step */
  double *weight;       /* mass or moment of inertia of each component */
  double *columns;      /* [2 HN_KICK_DEPTH] dr_j and dF_j in turn */
  int depth;            /* pairs of columns in use */
  bool has_step;        /* a step has been tried */
  double slope;         /* r . step at the start of the step */
  double fraction;      /* of the step that is tried; line search: between low and high, */
  double low, high;     /* where r . step is slope_low > 0 and slope_high < 0 */
  double slope_low, slope_high;
  int side;      /* end of the bracket replaced last: 1 high, -1 low, 0 none */
  int shortened; /* fractions tried of the current step */
} hn_kick;

/* Allocates if the model of SOLVER has forces; -1 without memory. */
int hn_kick_setup(hn_solver *solver, hn_kick *kick, hn_error *error);
/* Applies u += h W f with the forces at STATE. */
void hn_kick_open(hn_solver *solver, hn_state *state, double h);
/* Solves u = u_0 + h W f(u) + W G' p for velocities u that satisfy the joints, by an accelerated fixed-point
 * iteration. PROJECT corrects the velocities of STATE for the joints; it is called with USER once a pass, and
 * once only if no force depends on velocities. Changes of u (relative) below TOLERANCE, the accuracy of
 * PROJECT, are neglected. HN_CONVERGED, HN_STALLED, or the failure of PROJECT. */
hn_reason hn_kick_close(hn_solver *solver, hn_kick *kick, hn_state *state, double h, double tolerance,
                        hn_reason (*project)(hn_solver *solver, void *user, hn_state *state), void *user);

#endif
