/* alart_curnier.h - Alart and Curnier's function of a block, which is zero where its law holds. Internal.
 *
 *   z = k p - v,  k the mean of the diagonal of K on a block;   F =
 *   any       v
 *   push      z <= 0: k p            else v
 *   within    k (p - bound) beyond its bounds, else v
 *   cone      z_n <= 0: k p          else |z_t| <= mu z_n: v       else  v_n,  k p_t - mu z_n z_t / |z_t|
 *
 * It is not smooth: derivatives are those of the part that p and v are on. [Alart and Curnier, Comput.
 * Solvers Appl. Mech. Eng. 92 (1991) 353] */
#ifndef HN_ALART_CURNIER_H
#define HN_ALART_CURNIER_H

#include "contact.h"

/* F[n] of a block and, where A is given, its derivative dF = A dp + B dv, n x n row by row. True: it does not
 * depend on v, so that F = 0 tells p at once. */
bool hn_alart_function(const hn_problem *problem, const hn_problem_block *block, double k, const double *p,
                       const double *v, double *F, double *A, double *B);
/* Where along d, a change of the impulse P of a cone which changes its velocities V by V_D, a contact that
 * sticks comes to its cone, and one that slides opens; HUGE_VAL: nowhere. */
double hn_alart_bound(const hn_problem_block *block, double k, const double *p, const double *v,
                      const double *d, const double *v_d);

#endif
