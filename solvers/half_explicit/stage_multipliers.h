/* stage_multipliers.h - data of half-explicit Runge-Kutta methods, and the multipliers of a stage. */
#ifndef HN_STAGE_MULTIPLIERS_H
#define HN_STAGE_MULTIPLIERS_H

#include "impulse/rattle.h"

enum { HN_MAX_STAGES = 8 };
enum { HN_DIRECTIONS = 12 }; /* corrections kept for the combination */

/* A method of s stages. Row i of A is that of stage i, counted from 0; row s are the weights, and stage s is
 * the end of the step. */
typedef struct hn_half_explicit_method {
  int stages;
  double A[HN_MAX_STAGES + 1][HN_MAX_STAGES];
  double node[HN_MAX_STAGES + 1]; /* row sums */
} hn_half_explicit_method;

/* Methods of the solvers half-explicit and hem5. */
extern const hn_half_explicit_method hn_hem4, hn_hem5;

/* Data of a solver. */
typedef struct hn_half_explicit {
  const hn_half_explicit_method *method;
  int stabilisation;
  double velocity_tolerance; /* m/s, rad/s */
  /* its tolerance, iterations and linear back end; poses at which K was factored */
  hn_rattle projection;
  double *rate[HN_MAX_STAGES]; /* [13 nbody] derivatives of the stages: poses, then twists, as in hn_state */
  double *pose;                /* [7 nbody] poses of the stage, quaternions not normalised */
  hn_state *start, *stage;     /* stage: with unit quaternions */
  double *T_previous;          /* [12 nrow] W G' of the stage before */
  double *right, *change;      /* [nrow] residual; last change of lambda */
  double *z[HN_DIRECTIONS], *image[HN_DIRECTIONS]; /* [nrow] corrections; their effects on the residual */
  double square[HN_DIRECTIONS];                    /* squared norms of the images */
  bool progresses; /* the last correction removed a good part of the residual */
  hn_twist *push;  /* [nbody] */
  /* memory of the solver: poses at the end of the last step, and lambda */
  double *memory;
  double *lambda;         /* [nrow] multipliers there; initial guess of the next stage */
  size_t memory_size;     /* numbers in `memory` */
  hn_twist *acceleration; /* [nbody] */
} hn_half_explicit;

/* Computes out[from .. to) = start + h sum of A_ij rate_j, of poses and twists as one array. */
void hn_half_explicit_combine(const hn_half_explicit *d, int i, double h, size_t from, size_t to,
                              double *out);
/* Swaps the buffer for W G' of the system with that of the stage before. */
void hn_half_explicit_swap_T(hn_solver *solver);
/* Computes the velocities of stage i without the multipliers of stage i - 1, then lambda of stage i - 1 such
 * that they satisfy the joints, and adds W G' lambda to both. K is factored at the poses of stage i. */
hn_reason hn_half_explicit_multipliers(hn_solver *solver, int i, double h);

#endif
