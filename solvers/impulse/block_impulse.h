/* block_impulse.h - the impulse of one joint or contact, all others being fixed. */
#ifndef HN_BLOCK_IMPULSE_H
#define HN_BLOCK_IMPULSE_H

#include "solver.h"

/* Allocates K_ii of every block for the data of SOLVER: *BLOCK becomes an array [max_blocks]. */
int hn_blocks_create(hn_solver *solver, double ***block, hn_error *error);

/* Adds p[n] to the accumulated impulse TOTAL[n] of a block and projects the sum onto the set of the block. On
 * return p is the change of TOTAL. H scales the bounds: the step for impulses, its square for impulses times
 * time. */
void hn_block_add_projected(hn_system *s, const hn_block *block, double h, double *p, double *total);
/* Solves Coulomb's law for one contact with friction, all other impulses fixed, from the velocities V[n] at
 * TOTAL[n] and the diagonal block K. TOTAL becomes the solution and P[n] its change. A projection of K^-1 v
 * onto the cone would not do: the contact could slide sideways or separate. */
void hn_block_solve_friction(hn_system *s, const hn_block *block, const double *K, const double *v, double *p,
                             double *total);

#endif
