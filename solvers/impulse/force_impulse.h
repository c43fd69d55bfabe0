/* force_impulse.h - forces beside gravity in the impulse methods: half a kick before each step and half a kick after it. */
#ifndef HN_FORCE_IMPULSE_H
#define HN_FORCE_IMPULSE_H

#include "holonom.h"

enum { HN_KICK_DEPTH = 12 }; /* differences kept by the accelerated iteration */

typedef struct hn_kick {
  double *memory;         /* of all below, each [6 nbody] */
  double *before, *last;  /* velocities before the closing kick, and of the pass under way */
  double *now;            /* its residual */
  double *r, *F, *step;   /* residual and F where the step began, and the step tried from there */
  double *weight;         /* mass or moment of inertia of each component */
  double *held;           /* [2 HN_KICK_DEPTH] differences of r and F, in turn */
  int depth;              /* pairs held */
  bool started;           /* a step was tried */
  double slope;           /* r . step at its start */
  double part;            /* of the step that is tried, */
  double low, high;       /* between these, */
  double at_low, at_high; /* where the slopes are these, which have opposite signs */
  int side;               /* of the last part: 1 high, -1 low, 0 none yet */
  int shortened;          /* so often was this step */
} hn_kick;

int hn_kick_setup(hn_solver *solver, hn_kick *kick, hn_error *error);
void hn_kick_free(hn_kick *kick);
/* u += h W f at the state, f the forces there. */
void hn_kick_open(hn_solver *solver, hn_state *state, double h);
/* Solves u = u_0 + h W f(u) + W G' p for a u that meets the joints, by accelerated fixed-point iteration: PROJECT
 * corrects the velocities of STATE. One pass when no force depends on velocities. PROJECT leaves at most TOLERANCE of
 * the velocity residuals, below which no difference is looked at. */
hn_reason hn_kick_close(hn_solver *solver, hn_kick *kick, hn_state *state, double h, double tolerance,
                        hn_reason (*project)(hn_solver *solver, void *user, hn_state *state), void *user);

#endif
