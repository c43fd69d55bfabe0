/* problem_islands.h - solution of a contact problem island by island. Internal.
 *
 * Bodies that blocks with an impulse connect form an island. The impulses of one island do not act on
 * another, so that each island is a contact problem of its own. Blocks whose only impulse is 0 connect
 * nothing. */
#ifndef HN_PROBLEM_ISLANDS_H
#define HN_PROBLEM_ISLANDS_H

#include "contact.h"

typedef struct hn_problem_islands hn_problem_islands;

/* Solves the problem of an island: hn_contact_solve, which may divide problems itself and so is passed. */
typedef hn_reason hn_island_solve(hn_contact_solver *solver, const hn_problem *problem, double *p);

/* Allocates room for problems up to MOST, whose islands SOLVE solves. NULL on error. */
hn_problem_islands *hn_problem_islands_create(const hn_problem_size *most, hn_island_solve *solve,
                                              hn_error *error);
void hn_problem_islands_free(hn_problem_islands *islands);
/* Equivalent of hn_contact_solve for PROBLEM by bodies. An island that p = 0 solves within the tolerance is
 * left at 0. If an island fails, the others are solved nevertheless, and the reason and message of a failure
 * are returned; work is counted over all islands, and their histories follow each other. AMBIGUOUS: every
 * island is solved from sticking contacts as well, its solution of least kinetic energy is taken, and the
 * number of islands with two solutions of different energy is stored. NULL: one start. */
hn_reason hn_problem_islands_solve(hn_problem_islands *islands, hn_contact_solver *solver,
                                   const hn_problem *problem, double *p, int *ambiguous);
/* Marks in MARKED[nblock] the blocks of an island of the problem that was solved last: of the first one if AT
 * is 0, else of the one after the call that returned AT. Returns a number of it, or -1: there are no more. */
int hn_problem_islands_mark(const hn_problem_islands *islands, int at, int nblock, bool *marked);

#endif
