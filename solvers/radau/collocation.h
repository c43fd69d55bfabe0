/* collocation.h - one step of a Radau IIA method on the stabilised index-2 form. Internal; radau.c has the
 * equations. */
#ifndef HN_COLLOCATION_H
#define HN_COLLOCATION_H

#include "implicit/stage_saddle.h"
#include "radau/tableau.h"

/* The data that a step uses of earlier ones, in one block of numbers. */
typedef struct hn_collocation_memory {
  double *block;
  size_t size;    /* numbers */
  double *h;      /* step size of the last step; 0: there is none */
  double *next;   /* adaptive: proposed size of the next part; 0: none */
  double *end;    /* [13 nbody + ninput] poses, twists and inputs at its end */
  double *a;      /* [6 nbody] accelerations there */
  double *lambda; /* [nrow] multipliers there */
  double *Z;      /* [stages size] its stages */
  /* Place where the matrices were computed: step size (0: nowhere), time, poses, twists, inputs,
   * lambda[nrow] */
  double *linear;
  size_t linear_size;
} hn_collocation_memory;

typedef struct hn_collocation {
  int stages;       /* parameter */
  int iterations;   /* limit of Newton iterations */
  double tolerance; /* m, rad: of Newton's iteration */
  bool gives_up;    /* end an iteration as soon as it will not reach the tolerance within the limit */
  int dense;        /* full matrices */
  hn_linear_options linear;
  const hn_radau_tableau *method;
  hn_tangent tangent;
  hn_saddle_pattern pattern;
  hn_saddle real, pair[HN_RADAU_PAIRS];
  hn_stage_saddle all; /* each stage with its own derivatives; lu is NULL if it would be too large */
  bool estimates;      /* matrix `real` is also needed with an even number of stages */
  double *factored;    /* [linear_size] memory.linear of the matrices in force */
  size_t size;         /* numbers of a stage: q[6 nbody], u[6 nbody], lambda[nrow], mu[nrow] */
  double *Z, *R;       /* [stages size] displacements of the stages; residuals, then corrections */
  hn_state *start, *trial;
  double *error;        /* [size] estimated error */
  double *a0, *lambda0; /* [6 nbody], [nrow] accelerations and multipliers at the start */
  hn_twist *flow;       /* [nbody] scratch */
  double rate;          /* estimated rate of convergence of the last iteration */
  int taken;            /* Newton iterations of the last step */
  hn_collocation_memory memory;
} hn_collocation;

/* Allocates with the arrays of SOLVER. The parameters are set. */
int hn_collocation_setup(hn_solver *solver, hn_collocation *d, hn_error *error);
void hn_collocation_free(hn_collocation *d);
/* Forgets earlier steps. */
void hn_collocation_reset(hn_collocation *d);
/* Computes the stages of a step of H from d->start; the last one is in d->trial. A failure is reported. If
 * the iteration stalls, it is repeated by the next of these ways:
 *   with the matrices of an earlier step, if there are any, and the extrapolation of its stages
 *   with matrices at the start, from the Taylor polynomial
 *   with the derivatives of each stage at its own values: not if d->gives_up */
hn_reason hn_collocation_solve(hn_solver *solver, hn_collocation *d, double h);
/* Copies STATE to d->start, with accelerations and multipliers. */
hn_reason hn_collocation_begin(hn_solver *solver, hn_collocation *d, const hn_state *state);
/* Estimates the errors of positions and velocities after hn_collocation_solve, in d->error: as u, in units of
 * q and u. */
hn_reason hn_collocation_estimate(hn_solver *solver, hn_collocation *d, double h);
/* Ends the step: computes accelerations and multipliers at d->trial and remembers the stages. */
hn_reason hn_collocation_end(hn_solver *solver, hn_collocation *d, double h);

#endif
