/* newton_search.h - memory, function, line search and sweeps of the contact solvers newton and prox.
 * Internal. */
#ifndef HN_NEWTON_SEARCH_H
#define HN_NEWTON_SEARCH_H

#include "contact/newton/newton_step.h"

/* Allocates S for the problems of SOLVER; -1 on error. hn_newton_destroy frees it also then. */
int hn_newton_create(hn_newton *s, const hn_contact_solver *solver, hn_error *error);
void hn_newton_destroy(hn_newton *s);
/* Returns the merit |F|^2 / 2 at P with velocities V. DERIVE: stores F, A, B and `fixed` as well. */
double hn_newton_merit(hn_newton *s, const hn_problem *problem, const double *p, const double *v,
                       bool derive);
/* Moves P along d to where the merit is below that of LARGEST, the maximum of the last iterations; false if
 * it is nowhere. TO_MODE_CHANGE: tries the step to the first change of a contact mode first. */
bool hn_newton_search(hn_newton *s, const hn_problem *problem, bool to_mode_change, double largest,
                      double *p);
/* Makes SWEEPS sweeps of Gauss-Seidel from P; HN_CONVERGED or a failure. */
hn_reason hn_newton_sweep(hn_contact_solver *solver, hn_newton *s, const hn_problem *problem, int sweeps,
                          double *p);
/* Computes the velocities and the error of P. True if the error and that of P_C(P) are within the tolerance;
 * P is then P_C(P). */
bool hn_newton_is_solved(hn_contact_solver *solver, hn_newton *s, const hn_problem *problem, double *p);

#endif
