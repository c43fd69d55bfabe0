/* independent.h - motion in independent coordinates, integrated by explicit steppers. Internal.
 *
 *   (D, u) = E y,   y = (dependent, independent)             E is chosen at a state and kept while it suits
 *   dependent D:  g = 0 by Newton's method in every stage;   dependent u:  G u + bias = 0
 *   N = E_i + E_d X,  A_d X = -A_i                           A N = 0: N spans the null space
 *   (N' M N) ds/dt = N' M (a - c),  c = E_d A_d^-1 (-gamma)  s: independent u;  du/dt = N ds/dt + c
 *   A_d' lambda = E_d' M (du/dt - a)                         a: acceleration without joints
 *
 * A is the constraint matrix in scaled coordinates (independent_basis.h), A_d and A_i are the chosen rows of
 * A E_d and A E_i. Each step begins with D = 0. Within it the coordinates of velocities are those in the
 * axes of the bodies at its start, which do not rotate: a fast rotation would change components in rotating
 * axes fast. In them the mass matrix M is 1 at the start. N and a are converted to the axes of the stage,
 * where it is 1. */
#ifndef HN_INDEPENDENT_H
#define HN_INDEPENDENT_H

#include "independent/independent_basis.h"
#include "multiplier/integrator.h"

typedef struct hn_independent {
  int stepper;
  double tolerance; /* m, rad */
  int iterations;
  double growth; /* largest entry of X before another choice, 1 */
  hn_basis basis;
  hn_integrator ode;         /* integrates D and u, divided: [2 n] */
  hn_state *start, *at;      /* start of the step; stage */
  hn_twist *acceleration;    /* [nbody] */
  double *D, *u, *a, *c, *x; /* [n] scaled coordinates, accelerations and scratch */
  double *split;             /* [n] divided coordinates of a stage */
  double *guess;             /* [n] dependent displacements of the stage before */
  double *A_d, *A_p;         /* [n n] factors of the dependent columns of velocities; of positions */
  int *pivot_d, *pivot_p;    /* [n] */
  double *X;                 /* [n n] column after column */
  double *N;                 /* [n n] column after column, in the axes at the stage */
  double *NN;                /* [n n] N' N, then its factor */
  double at_first;           /* dependence in the first stage of the step; negative before */
} hn_independent;

/* Parameters of the solvers, whose data is an hn_independent. */
/* clang-format off */
#define HN_INDEPENDENT_PARAMS(default_growth) \
  { "stepper", HN_CHOICE, offsetof(hn_independent, stepper), "rk4", 0, 0, "", \
    HN_EXPLICIT_STEPPERS, "integrator: orders 1, 3, 4, 5, 5 and 8" }, \
  { "tolerance", HN_REAL, offsetof(hn_independent, tolerance), "1e-12", 1e-16, 1, "m, rad", NULL, \
    "joint error allowed in every stage" }, \
  { "iterations", HN_INTEGER, offsetof(hn_independent, iterations), "20", 1, 1e6, "", NULL, \
    "limit of the iterations for the dependent coordinates" }, \
  { "growth", HN_REAL, offsetof(hn_independent, growth), default_growth, 0, 1e6, "", NULL, \
    "velocity of a dependent coordinate by a unit one of an independent coordinate beyond which they are " \
    "chosen anew" }, \
  { .key = NULL }

/* Members that their types share. */
#define HN_INDEPENDENT_TYPE \
  .abi = HN_ABI, .order = 0, .data_size = sizeof(hn_independent), .step = hn_independent_step, \
  .reset = hn_independent_reset, .memory = hn_independent_memory, .free = hn_independent_free, \
  .order_of = hn_independent_order, .variants = hn_independent_variants, \
  .capabilities = HN_CAN_BILATERAL | HN_CAN_REDUNDANT | HN_CAN_COMPLIANT | HN_HAS_MULTIPLIERS | \
                  HN_CAN_VELOCITY | HN_CAN_EXTRA_FORCES
/* clang-format on */

extern const char *const hn_independent_variants[];
/* ORTHOGONAL: E is an orthogonal matrix, not a permutation. */
int hn_independent_setup(hn_solver *solver, bool orthogonal, hn_error *error);
hn_reason hn_independent_step(hn_solver *solver, hn_state *state, double h);
void hn_independent_reset(hn_solver *solver);
void *hn_independent_memory(hn_solver *solver, size_t *size);
void hn_independent_free(hn_solver *solver);
int hn_independent_order(const hn_solver *solver);

#endif
