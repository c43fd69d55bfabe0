/* newmark.h - a step of the Newmark family on the group R^3 x SO(3) of each body. Internal.
 *
 *   D = h u_0 + h^2 (p_0 a_0 + p_1 a_1),   u_1 = u_0 + h (v_0 a_0 + v_1 a_1),   q_1 = q_0 exp(D)
 *   (1 - alpha_m) a_1 + alpha_m a_0 = (1 - alpha_f) u'_1 + alpha_f u'_0
 *
 * The unknowns are the accelerations u'_1 and the joint forces lambda_1, with u' = W (f + G' lambda) at t +
 * h. Angular parts of u, a and D are in body axes, except where a comment says world axes. The solvers that
 * share these functions differ in the equation of the joints. */
#ifndef HN_NEWMARK_H
#define HN_NEWMARK_H

#include "solver.h"

typedef struct hn_newmark_scheme {
  double alpha_m, alpha_f;         /* weights of the old accelerations */
  double position[2], velocity[2]; /* p_0, p_1; v_0, v_1 */
} hn_newmark_scheme;

typedef struct hn_newmark {
  hn_newmark_scheme scheme;
  hn_state *start, *trial;     /* start of the step; trial state at t + h */
  hn_twist *u0, *u1;           /* [nbody] velocities at t and t + h */
  hn_twist *rate0, *a0;        /* [nbody] u' and a at t */
  hn_twist *D, *D_known;       /* [nbody] displacement, and its part that does not depend on u'_1 */
  hn_twist *u_known, *a_known; /* [nbody] the same parts of u_1 and a_1 */
  hn_twist *right;    /* [nbody] world axes: residual of the equations of motion, then a correction */
  double *p;          /* [nrow] scratch: right-hand side, then the change of lambda */
  double *memory;     /* memory of the solver: `last` and the four below */
  size_t memory_size; /* numbers in `memory` */
  double *last;       /* [13 nbody] poses and twists at the end of the last step; zeros: none */
  hn_twist *rate, *a; /* [nbody] u' and a at t + h */
  double *lambda;     /* [nrow] joint forces at t + h, N and N m */
  double *extra;      /* numbers of the solver itself */
} hn_newmark;

/* Allocates all arrays; EXTRA is the number of the solver's own numbers in the memory. -1 on error. */
int hn_newmark_setup(hn_solver *solver, hn_newmark *n, size_t extra, hn_error *error);
/* Forgets the last step. */
void hn_newmark_reset(hn_newmark *n);
/* hn_solver_type.memory of a solver that has N. */
void *hn_newmark_memory(const hn_newmark *n, size_t *size);

/* Copies STATE as the start of a step. Returns true if it is the end of the last step; otherwise `rate`, `a`
 * and `lambda` must be set before hn_newmark_predict, with `trial` equal to the start. */
bool hn_newmark_begin(hn_newmark *n, const hn_state *state);
/* Sets u' = a = the world accelerations in `right`, in body axes of `trial`. */
void hn_newmark_set_accelerations(hn_newmark *n);
/* Computes the known parts of D, u_1 and a_1 for a step of H. */
void hn_newmark_predict(hn_newmark *n, double h);
/* Computes the trial state from u'_1. */
void hn_newmark_advance(hn_solver *solver, hn_newmark *n, double h);
/* Computes the residual of motion r = W (f + G' lambda) - u' at the trial state into `right`, and G r into
 * `p`. Returns the largest norm of r of a body. The Jacobian must be that of the trial state. */
double hn_newmark_defect(hn_solver *solver, hn_newmark *n);
/* Computes u' += r + W G' p and lambda += p. Returns the largest norm of a body's change of u'. */
double hn_newmark_correct(hn_solver *solver, hn_newmark *n);
/* Ends the step: computes a_1, copies the trial state, with the time of the start, and remembers it. */
void hn_newmark_end(hn_newmark *n, hn_state *state);

/* Derivatives of D and u_1 by u'_1: s^2 and s. */
double hn_newmark_moves(const hn_newmark *n, double h);
double hn_newmark_speeds(const hn_newmark *n, double h);

#endif
