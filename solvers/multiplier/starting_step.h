/* starting_step.h - one-step method of order 4 for the first steps of multistep solvers. */
#ifndef HN_STARTING_STEP_H
#define HN_STARTING_STEP_H

#include "impulse/rattle.h"

/* Memory of the method, and the projection onto the joints: its tolerance, iterations and linear back end are
 * parameters of the solver. */
typedef struct hn_starting_step {
  hn_rattle projection;
  hn_state *stage;
  double *pose;           /* [7 nbody] poses of the stage, quaternions not normalised */
  double *rate;           /* [13 nbody] derivatives of the stage: poses, then twists, as in hn_state */
  double *sum;            /* [13 nbody] end of the step */
  hn_twist *acceleration; /* [nbody] at the end of the last step, world axes */
} hn_starting_step;

int hn_starting_step_setup(hn_solver *solver, hn_starting_step *start, hn_error *error);

/* Moves STATE by H in substeps of the classical Runge-Kutta method on the acceleration form, projects
 * positions and velocities onto the joints, and advances its time. Computes `acceleration`, and the joint
 * forces into LAMBDA[nrow]. */
hn_reason hn_starting_step_take(hn_solver *solver, hn_starting_step *start, hn_state *state, double h,
                                double *lambda);

#endif
