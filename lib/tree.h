/* tree.h - reduced coordinates: a tree of joints with explicit kinematics, its inverse and forward
 * dynamics */
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

/* Names of the rates. Stores the joint of freedom I, NULL for a free body, the body that it moves, and its
 * number among the freedoms of that joint: slides first, then angles. */
typedef struct hn_tree_freedom {
  const hn_joint *joint;
  int body, index;
  bool angular; /* the force is a torque, N m; else a force, N */
} hn_tree_freedom;
void hn_tree_freedom_of(const hn_tree *tree, int i, hn_tree_freedom *freedom);
/* Returns the number of joints that are no edges of the tree, and in *BLOCK their numbers, owned by TREE. */
int hn_tree_cut_joints(const hn_tree *tree, const int **block);

/* ---- Dynamics of the open tree: cut joints exert no forces --------------------------------------------- */

/* Computes the generalised forces TAU that the motion with coordinates Q, rates U and their derivatives DU
 * needs, besides gravity and the forces of the model: tau = H du + C. Components are forces (N) and torques
 * (N m) along the freedoms. Time and inputs are those of STATE, whose poses and twists are set. O(n). */
void hn_inverse_dynamics(hn_tree *tree, hn_state *state, const double *q, const double *u, const double *du,
                         double *tau);
/* Computes DU from TAU: the inverse of hn_inverse_dynamics. TAU may be NULL: zeros. Returns HN_SINGULAR if a
 * freedom has no inertia. O(n). */
hn_reason hn_forward_dynamics(hn_tree *tree, hn_state *state, const double *q, const double *u,
                              const double *tau, double *du);
/* Computes the joint-space mass matrix H[freedoms freedoms] at Q: kinetic energy u' H u / 2. Fixed bodies
 * are at STATE. O(n depth). */
void hn_joint_space_mass_matrix(hn_tree *tree, const hn_state *state, const double *q, double *H);

/* ---- Forces of a motion, with loops -------------------------------------------------------------------- */

/* The forces that a motion of a mechanism needs along the freedoms of its tree, besides gravity, the forces
 * of the model and the reactions of joints. Joints that prescribe a motion (drives) count as such forces. */
typedef struct hn_inverse hn_inverse;
hn_inverse *hn_inverse_create(hn_system *system, hn_error *error); /* NULL on error; SYSTEM must outlive it */
void hn_inverse_free(hn_inverse *inverse);
const hn_tree *hn_inverse_tree(const hn_inverse *inverse);
/* Computes the rates U[freedoms] of STATE. */
void hn_inverse_rates(hn_inverse *inverse, const hn_state *state, double *u);
/* Computes the forces TAU[freedoms] of the drives at STATE, which moves by the equations of the model. */
hn_reason hn_inverse_driven(hn_inverse *inverse, const hn_state *state, double *tau);
/* Computes the forces TAU[freedoms] for the derivatives DU of the rates at STATE. With loops they are not
 * unique: their joints take the reactions that leave the least forces in the metric of H^-1, which are zero
 * for a motion without any. */
hn_reason hn_inverse_required(hn_inverse *inverse, const hn_state *state, const double *du, double *tau);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
