/* body_matrix.h - (K + R)^-1 of a contact problem through its bodies. Internal.
 *
 *   K = H H',  H = G L,  L L' the inverse masses and inertias;  A = 1 + H' R^-1 H, 6 rows a moving body
 *   (K + R)^-1 x = R^-1 (x - H A^-1 H' R^-1 x)
 *
 * K couples all blocks on a body: a thousand boxes on a tray make it full. A couples only bodies connected by
 * a block. Where R is small the difference cancels: it loses about log10(K / R) digits. Equations have a
 * small R; problems with equations therefore get one step of iterative refinement. [Woodbury 1950] */
#ifndef HN_BODY_MATRIX_H
#define HN_BODY_MATRIX_H

#include "contact/matrix/contact_pattern.h"

/* True if A takes fewer numbers than K, without fill-in. */
bool hn_bodies_are_smaller(const hn_problem *problem);
/* True if A has fewer rows than K. */
bool hn_bodies_are_fewer(const hn_problem *problem);
/* Numbers the moving bodies in node[nbody], -1 for others; returns their number. */
int hn_bodies_number(const hn_problem *problem, int *node);
/* Lists the nodes of the bodies connected with body I by blocks, each once, without I; returns their number.
 * LIST may be NULL. BLOCKS has the blocks of each body. MARK[nbody] must not contain I at the first call. */
int hn_bodies_neighbours(const hn_problem *problem, const int *node, const int *start, const int *blocks,
                         int i, int *mark, int *list);
/* Computes H[12 nrow]: for each row 6 numbers of body a, then 6 of b. */
void hn_bodies_root(const hn_problem *problem, double *H);
/* Fills A into the values of SPARSE, whose nodes are bodies. */
void hn_bodies_fill(hn_contact_matrix *sparse, const double *R);
/* Replaces x[nrow] by (K + R)^-1 x, with A factored. */
void hn_bodies_solve(hn_contact_matrix *sparse, double *x);

#endif
