/* step_control.h - step size control of the impulse step by the error of its free flights. */
#ifndef HN_STEP_CONTROL_H
#define HN_STEP_CONTROL_H

#include "impulse/step_halving.h"

typedef struct hn_step_control {
  double tolerance; /* orientation error allowed in a step; 0: no control */
  double error;     /* error of the step in progress */
  int order;        /* order of the taylor flight */
  hn_state *start;  /* state at the start of the step; NULL without control */
  int impulses;     /* mark of the impulses noted before it */
} hn_step_control;

#define HN_STEP_CONTROL_PARAM(data, field)                                                                \
  {                                                                                                       \
    "step_control", HN_REAL, offsetof(data, field) + offsetof(hn_step_control, tolerance), "0", 0, 1, "", \
      NULL, "orientation error allowed in a taylor flight; longer steps are divided; 0: no control"       \
  }

/* Fails if ERROR_TOLERANCE, which divides steps too, is not 0. */
int hn_step_control_setup(hn_solver *solver, hn_step_control *control, const hn_flight_options *flight,
                          double error_tolerance, hn_error *error);
/* Estimates the error of the flight of H from STATE and keeps the largest estimate of the step. */
void hn_step_control_estimate(hn_step_control *control, hn_solver *solver, const hn_state *state, double h);
/* Advances STATE by STEP over h, or over parts of h with at most the allowed error each. Parts where STEP
 * stalls are halved. */
hn_reason hn_divided_step(hn_solver *solver, hn_step_control *control, hn_halving *halving, hn_state *state,
                          double h, hn_reason (*step)(hn_solver *solver, hn_state *state, double h));

#endif
