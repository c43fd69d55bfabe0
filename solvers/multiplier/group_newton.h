/* group_newton.h - Newton's iteration of the implicit solvers on the group R^3 x SO(3) of each body.
 *
 *   M u' + f(q, u) = G' lambda,  g(q) = 0 at t + h        q and u at t + h are functions of u' by the solver
 *
 * u = (v, W) has its angular part in body axes, W = R' w. Let b = dq / du' and r = W (G' lambda - f) - u'.
 * Newton's equations are solved in the form
 *
 *   K dlambda = -g / b - G r,   u' += r + W G' dlambda,   lambda += dlambda
 *
 * This omits the derivatives of G' lambda, f and the exponential from the matrix. They are smaller by a
 * factor of order h, and so are the residuals after each iteration. G and r are computed anew in each
 * iteration. K is factored once a step, at the predicted positions, and again when an iteration does not
 * halve the residuals. If the next one does not either, the iteration begins anew with the derivatives of the
 * forces (implicit/full_newton.h): stiff springs and dampers. Rows of velocities require G u + bias = 0 at t
 * + h; this residual times b / (du / du') replaces g. */
#ifndef HN_GROUP_NEWTON_H
#define HN_GROUP_NEWTON_H

#include "implicit/full_newton.h"

typedef struct hn_group_newton hn_group_newton;

/* The iteration for a form with constraints of positions and of velocities, in place of index 3. */
typedef struct hn_stabilised_form {
  /* Computes its residuals at the trial state, where those of positions are in the g of the system. Returns
   * the largest norm of one joint, at least LARGEST, m or rad, and its index in *WORST. */
  double (*residuals)(hn_solver *solver, double largest, int *worst);
  /* Corrects all unknowns. */
  hn_reason (*correct)(hn_solver *solver, const hn_group_newton *newton);
  /* Returns the unknowns besides u' and lambda to their values at the start of the iteration. */
  void (*restart)(hn_solver *solver);
} hn_stabilised_form;

/* Arrays and settings of the iteration; arrays belong to the solver. */
struct hn_group_newton {
  double tolerance; /* m, rad */
  int iterations;
  double b;              /* dq / du', s^2 */
  double velocity_scale; /* s: b / (du / du') */
  hn_state *trial;       /* state at t + h */
  hn_twist *rate;        /* [nbody] u' at t + h, body axes */
  hn_twist *right;       /* [nbody] scratch, world axes */
  double *lambda, *p;    /* [nrow] joint forces; scratch */
  /* Computes `trial` from `rate`. */
  void (*advance)(hn_solver *solver, double h);
  const hn_stabilised_form *stabilised; /* NULL: index 3 */
  hn_full_newton *full;
};

/* Solves for u' and lambda at the end of a step of H, from their present values. The last correction follows
 * the test, so that forces and accelerations agree to round-off; `trial` is that before it. */
hn_reason hn_group_solve(hn_solver *solver, const hn_group_newton *newton, double h);

/* Solves for the corrections of u' and lambda from the RESIDUAL[nrow] of the joints, whose derivative by u'
 * is SCALE G, and adds them. NEWTON->p is G r. */
hn_reason hn_group_correct(hn_solver *solver, const hn_group_newton *newton, const double *residual,
                           double scale);

/* Adds the corrections by the matrix NEWTON->full, from the residuals of the velocities V[nrow] and of the
 * positions G[nrow], with their derivatives by u' as in full_newton.h; 0 in rows of velocities. G becomes the
 * x in the displacements W G' x across the joints, which is 0 in index 3. */
void hn_group_correct_fully(hn_solver *solver, const hn_group_newton *newton, double *v, double *g);

/* Computes SCALE times the residuals of the rows of velocities at the state TRIAL, into P in place of g.
 * Returns the largest norm of one joint, at least LARGEST, and its index in WORST, which may be NULL. */
double hn_set_velocity_rows(const hn_solver *solver, const hn_state *trial, double scale, double *p,
                            double largest, int *worst);

/* Replaces the velocities MOTION[nbody] (world axes) by their part across the joints, W G' K^-1 G MOTION,
 * which is due to impulses in the joints. Rows of velocities have no part. K is factored at the state AT;
 * P[nrow] is scratch. */
hn_reason hn_part_across_joints(hn_solver *solver, const hn_state *at, hn_twist *motion, double *p);

#endif
