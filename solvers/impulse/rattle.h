/* rattle.h - the impulse step with one linear system for all joints, as a part that several solvers are made of. */
#ifndef HN_RATTLE_H
#define HN_RATTLE_H

#include "impulse/active_set.h"
#include "impulse/step_control.h"
#include "impulse/correction.h"
#include "impulse/warm_start.h"
#include "impulse/force_impulse.h"

/* Parameters and memory of the step. A solver keeps one in its data, filled from HN_RATTLE_PARAMS. */
typedef struct hn_rattle {
  double tolerance; /* m, rad */
  int iterations;
  int newton_steps;        /* of a joint correction, whatever they leave; 0: until the tolerance */
  int velocity_correction; /* flag */
  hn_flight_options flight;
  hn_linear_options linear;
  /* Changes the velocities of STATE until its flight of h meets all joints, and leaves that flight in trial; K is
   * factored at the poses of STATE. NULL: simplified Newton, K p = -g / h. */
  hn_reason (*correct_joints)(hn_solver *solver, struct hn_rattle *r, hn_state *state, double h);
  hn_state *trial;      /* prediction at t + h */
  hn_prepared factored; /* where K was factored */
  bool refine;          /* the joint correction ends with one more, after the test */
  hn_kick kick;
  hn_guess guess; /* kind 0, unless the solver has the parameter */
  hn_active active;
  hn_step_control control;
  double h;     /* s: the step under way */
  double *load; /* [most_rows] its impulses, of simplified Newton; NULL: no joint breaks */
  double *p;    /* [most_rows] */
} hn_rattle;

/* The parameters of the step for a solver whose data has FIELD of type hn_rattle. */
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

/* A solver that is the step alone, halved where it stalls. */
typedef struct hn_halved_rattle {
  hn_rattle rattle;
  hn_halving halving;
} hn_halved_rattle;

/* What of the capabilities of the solver its parameters leave. */
unsigned hn_rattle_capabilities(const hn_solver *solver, const hn_rattle *r);
int hn_rattle_setup(hn_solver *solver, hn_rattle *r, hn_error *error);
/* Jacobian and factor of K at the poses of STATE, unless they are there already. */
hn_reason hn_rattle_factor(hn_solver *solver, hn_rattle *r, const hn_state *state);
void hn_rattle_forget(hn_rattle *r);
void hn_rattle_free(hn_rattle *r);
/* One step of h, which may be negative; STATE's time goes with it. Iterations are added to the solver's report. */
hn_reason hn_rattle_step(hn_solver *solver, hn_rattle *r, hn_state *state, double h);
/* Puts positions, then velocities of STATE back on the constraints in the mass metric: K mu = -g, dx = W G' mu until
 * the residual is within tolerance; then K p = -G u, u += W G' p. K is factored at the end. */
hn_reason hn_rattle_project(hn_solver *solver, hn_rattle *r, hn_state *state);

#endif
