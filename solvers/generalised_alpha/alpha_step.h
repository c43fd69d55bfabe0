/* alpha_step.h - data of solver generalised-alpha, and the parts of its step. */
#ifndef HN_ALPHA_STEP_H
#define HN_ALPHA_STEP_H

#include "generalised_alpha/alpha_scheme.h"
#include "implicit/full_newton.h"

enum { HN_ALPHA_INDEX_3, HN_ALPHA_GGL }; /* formulation */

typedef struct hn_alpha {
  hn_alpha_scheme scheme;
  int formulation;
  double tolerance; /* m, rad */
  int iterations;
  hn_linear_options linear;
  hn_full_newton full;
  hn_state *start, *trial; /* start of the step; trial state at t + h */
  /* [nbody] velocities at t and t + h; here and below, angular parts are in body axes */
  hn_twist *u, *u1;
  hn_twist *rate0, *rate; /* [nbody] u' at t and t + h */
  hn_twist *a0, *a;       /* [nbody] acceleration-like variables a_0, a_1 */
  hn_twist *D, *D0, *u0;  /* [nbody] displacement; the parts of D and u1 that do not depend on u' */
  hn_twist *right;        /* [nbody] scratch, world axes */
  double *lambda, *p;     /* [nrow] */
  /* formulation = ggl: [12 nrow] W G' at t; [nrow] velocity residuals; [nbody] part of D across the joints */
  double *T0, *v;
  double velocity_scale; /* s: dq_1 / du_1 */
  hn_twist *across;
  double *memory;     /* memory of the solver: u1, rate, a, lambda, and the two below */
  size_t memory_size; /* numbers in `memory` */
  double *h;          /* step size of the last step; 0: none */
  double *last;       /* [13 nbody] poses and twists at its end */
} hn_alpha;

/* Computes u', a, lambda and the initial velocities for steps of H. PREVIOUS is the step size before, or
 * 0. */
hn_reason hn_alpha_start(hn_solver *solver, double h, double previous);
/* Computes the trial state from d->rate and d->across. */
void hn_alpha_advance(hn_solver *solver, double h);
/* Solves for the end of the step. */
hn_reason hn_alpha_solve(hn_solver *solver, double h);

#endif
