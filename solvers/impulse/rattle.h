/* rattle.h - the impulse step with one linear system for all joints (RATTLE), shared by several solvers. */
#ifndef HN_RATTLE_H
#define HN_RATTLE_H

#include "parts.h"
#include "impulse/step_control.h"
#include "impulse/correction.h"
#include "impulse/pose_cache.h"
#include "impulse/step_halving.h"
#include "impulse/warm_start.h"
#include "impulse/force_impulse.h"

/* Parameters and memory of the step; part of the data of a solver, filled from HN_RATTLE_PARAMS. */
typedef struct hn_rattle {
  double tolerance;       /* m, rad */
  double error_tolerance; /* m, at the end of the run */
  int iterations;
  /* fixed number of Newton steps of a joint correction; 0: iterate to the tolerance */
  int newton_steps;
  int velocity_correction; /* flag */
  hn_flight_options flight;
  hn_linear_options linear;
  /* Changes the velocities of STATE until its flight over h satisfies all joints, and leaves that flight in
   * `trial`. K is factored at the poses of STATE. NULL: simplified Newton iteration, K p = -g / h. */
  hn_reason (*correct_joints)(hn_solver *solver, struct hn_rattle *r, hn_state *state, double h);
  hn_state *trial;        /* prediction at t + h */
  hn_pose_cache factored; /* poses at which K was factored */
  bool extra_correction;  /* the joint correction ends with one more correction after it has converged */
  hn_kick kick;
  hn_guess guess; /* kind 0 unless the solver has the parameter */
  hn_active active;
  hn_step_control control;
  hn_halving halving;
  double h; /* s: step in progress */
  /* [max_rows] impulses of the step, of the simplified Newton iteration only; NULL if no joint breaks */
  double *load;
  double *p; /* [max_rows] solution of a linear system */
} hn_rattle;

/* Parameters of the step, for a solver whose data has FIELD of type hn_rattle. */
#define HN_RATTLE_PARAMS(data, field, default_tolerance, default_flight)                     \
  { "tolerance",       HN_REAL, offsetof(data, field.tolerance),                             \
    default_tolerance, 1e-16,   1,                                                           \
    "m, rad",          NULL,    "joint error allowed after the joint correction" },          \
    { "iterations", HN_INTEGER, offsetof(data, field.iterations), "50", 1, 1e6,              \
      "",           NULL,       "limit of the joint correction" },                           \
    { "newton_steps",                                                                        \
      HN_INTEGER,                                                                            \
      offsetof(data, field.newton_steps),                                                    \
      "0",                                                                                   \
      0,                                                                                     \
      1e6,                                                                                   \
      "",                                                                                    \
      NULL,                                                                                  \
      "interrupt the joint correction after this many steps of Newton's method; 0: never" }, \
    HN_VELOCITY_CORRECTION_PARAM(data, field.velocity_correction),                           \
    HN_FLIGHT_PARAMS(data, field.flight, default_flight), HN_LINEAR_PARAMS(data, field.linear)

int hn_rattle_setup(hn_solver *solver, hn_rattle *r, hn_error *error);
/* Computes the Jacobian and factors K at the poses of STATE, unless they are up to date. */
hn_reason hn_rattle_factor(hn_solver *solver, hn_rattle *r, const hn_state *state);
void hn_rattle_reset(hn_rattle *r);
/* Takes one step of h, which may be negative, and advances the time of STATE. Adds iterations to the report.
 * */
hn_reason hn_rattle_step(hn_solver *solver, hn_rattle *r, hn_state *state, double h);
/* Projects the positions, then the velocities of STATE onto the constraints in the mass metric: K mu = -g, dx
 * = W G' mu until the residual is within the tolerance; then K p = -G u, u += W G' p. Leaves K factored
 * there. */
hn_reason hn_rattle_project(hn_solver *solver, hn_rattle *r, hn_state *state);

/* Functions of the types of solvers whose data begins with an hn_rattle: setup, reset, the step with step
 * control and halving, and the capabilities with the present parameters. */
int hn_rattle_solver_setup(hn_solver *solver, hn_error *error);
void hn_rattle_solver_reset(hn_solver *solver);
hn_reason hn_rattle_solver_step(hn_solver *solver, hn_state *state, double h);
unsigned hn_rattle_solver_capabilities(const hn_solver *solver);

#endif
