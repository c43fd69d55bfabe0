/* tree.h - reduced coordinates: a tree of joints with explicit kinematics, its inverse and forward dynamics */
#ifndef HOLONOM_TREE_H
#define HOLONOM_TREE_H

#include "system.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

/* A spanning tree of a system: its joints, and six coordinates for each body that hangs on none. The other
 * joints are cut: their rows are equations on the coordinates. */
typedef struct hn_tree hn_tree;

/* Creates the tree of SYSTEM, which must outlive it; NULL on error. */
hn_tree *hn_tree_create(hn_system *system, hn_error *error);
void hn_tree_free(hn_tree *tree);
/* Return the number of coordinates, and of their rates: a spherical joint has four and three. */
int hn_tree_coordinates(const hn_tree *tree);
int hn_tree_freedoms(const hn_tree *tree);
/* Computes the coordinates Q and rates U of STATE: those of the nearest state that the joints of the tree
 * permit. */
void hn_tree_coordinates_of(hn_tree *tree, const hn_state *state, double *q, double *u);
/* Sets the poses and twists of STATE from coordinates Q and rates U. */
void hn_tree_state(hn_tree *tree, const double *q, const double *u, hn_state *state);
/* Computes the derivatives DQ of the coordinates from the rates. */
void hn_tree_flow(const hn_tree *tree, const double *q, const double *u, double *dq);
/* Moves the coordinates Q by the rates U over h, orientations by the exponential. */
void hn_tree_advance(const hn_tree *tree, double h, const double *u, double *q);
/* Normalises the quaternions in Q. */
void hn_tree_normalise(const hn_tree *tree, double *q);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
