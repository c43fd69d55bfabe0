/* body_matrix.h - K + R of a problem by its bodies. Internal.
 *
 *   K = H H',  H = G L,  L L' the inverse masses and inertias;   A = 1 + H' R^-1 H, 6 rows for each body that moves
 *   (K + R)^-1 x = R^-1 (x - H A^-1 H' R^-1 x)
 *
 * K couples all blocks on a body, and a thousand boxes on a tray make it full; A couples the bodies that a block joins.
 * Where R is small the difference loses digits, as many as R / K has zeros: with equations, of which that is so, what
 * is left is solved for once more. [Woodbury 1950] */
#ifndef HN_BODY_MATRIX_H
#define HN_BODY_MATRIX_H

#include "contact/matrix/contact_pattern.h"

/* Are there fewer numbers to compute with than in K? */
bool hn_bodies_pay(const hn_problem *problem);
/* Numbers the bodies that move into node[nbody], -1 of others: how many. */
int hn_bodies_number(const hn_problem *problem, int *node);
/* The bodies that body I is joined to by blocks, once each, itself excepted, as nodes: how many; LIST may be NULL. OF
 * has the blocks of each body; MARK[nbody] is not I anywhere when it is asked for the first time. */
int hn_bodies_beside(const hn_problem *problem, const int *node, const int *start, const int *of, int i,
                     int *mark, int *list);
/* H[12 nrow]: of each row 6 numbers of a, then of b. */
void hn_bodies_root(const hn_problem *problem, double *H);
/* A into the values of SPARSE, whose nodes are bodies. */
void hn_bodies_fill(hn_sparse *sparse, const double *R);
/* x[nrow] := (K + R)^-1 x, A being factored. */
void hn_bodies_solve(hn_sparse *sparse, double *x);

#endif
