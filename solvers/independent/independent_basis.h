/* independent_basis.h - scaled coordinates of a model, and their division into dependent and independent
 * ones. Internal.
 *
 * The coordinates of a displacement from a reference pose, and of velocities, are components in the axes of
 * the bodies, times the root of mass or moment of inertia: u' u is twice the kinetic energy.
 *
 *   x = x_ref + D_x,  R = R_ref cay(D_R)        u = (v, R' w)            A: constraint matrix G in them
 *
 * They are divided by an orthogonal matrix E = (E_d, E_i) into y = E' u, dependent components first. The
 * constraints determine them, by the rows chosen: the matrix A E_d of these rows is regular. */
#ifndef HN_INDEPENDENT_BASIS_H
#define HN_INDEPENDENT_BASIS_H

#include "independent/dense.h"
#include "solver.h"

typedef struct hn_coordinate {
  int body, axis; /* axis 0 to 2: position along x, y, z; 3 to 5: rotation about the body's axes */
  double scale;   /* root of mass or moment of inertia */
} hn_coordinate;

typedef struct hn_basis {
  int n, m;                  /* numbers of coordinates and of rows */
  bool orthogonal;           /* E is a full matrix; false: a permutation */
  hn_coordinate *coordinate; /* [n] grouped by body */
  int *first;                /* [nbody + 1] first coordinate of each body */
  double *A;                 /* [12 m] each row: the coordinates of body a, then at + 6 those of body b */
  /* The choice, as numbers that a checkpoint stores. */
  double *memory;
  size_t memory_size; /* numbers */
  double *counts;     /* [3] dependents of positions, all dependents, 1 if there is a choice */
  double *dependence; /* largest row of X in the last step, set by its user; */
  double *at_choice;  /* and in the first step with this choice */
  double *row;        /* [m] rows chosen: those with a residual first */
  double *order;      /* [n] coordinates, dependent ones first: E as a permutation */
  double *E;          /* [n n]; NULL for a permutation */
  /* Scratch of a choice. */
  double *C, *v;
  bool *group, *taken;
  int *chosen, *places;
} hn_basis;

int hn_basis_setup(hn_solver *solver, hn_basis *basis, bool orthogonal, hn_error *error);
/* Computes A from the last Jacobian of the system, in the axes of the bodies at STATE. */
void hn_basis_rows(hn_basis *basis, const hn_system *system, const hn_state *state);
/* Chooses E and the rows from A. SIZE, m, is that of the mechanism. */
void hn_basis_choose(hn_basis *basis, const hn_system *system, double size);
int hn_basis_position_dependents(const hn_basis *basis);
int hn_basis_dependents(const hn_basis *basis);

/* x = E y and y = E' x. */
void hn_basis_join(const hn_basis *basis, const double *y, double *x);
void hn_basis_divide(const hn_basis *basis, const double *x, double *y);
/* Returns row R of A times x; adds lambda times row R to x. */
double hn_basis_row_product(const hn_basis *basis, const hn_system *system, int r, const double *x);
void hn_basis_add_row(const hn_basis *basis, const hn_system *system, int r, double lambda, double *x);
/* Computes row R of A E into out[n]. */
void hn_basis_row(const hn_basis *basis, const hn_system *system, int r, double *out);

/* Scaled coordinates of twists in the axes of the bodies at STATE, and back: only the components that can
 * change are set. */
void hn_basis_gather(const hn_basis *basis, const hn_state *state, const hn_twist *twist, double *x);
void hn_basis_scatter(const hn_basis *basis, const hn_state *state, const double *x, hn_twist *twist);
/* Converts scaled coordinates of forces, x, from the axes of the bodies at FROM to those at TO. */
void hn_basis_turn_forces(const hn_basis *basis, const hn_state *from, const hn_state *to, const double *x,
                          double *out);
/* Moves FROM by the displacement D into the poses of TO. */
void hn_basis_move(const hn_basis *basis, const hn_state *from, const double *D, hn_state *to);
/* Computes dD/dt for the displacement D and the velocities u, both in the axes of the reference pose. */
void hn_basis_flow(const hn_basis *basis, const double *D, const double *u, double *rate);

#endif
