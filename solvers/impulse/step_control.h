/* step_control.h - step control of the impulse step by the error of its flights. */
#ifndef HN_STEP_CONTROL_H
#define HN_STEP_CONTROL_H

#include "holonom.h"

typedef struct hn_step_control {
  double desired;  /* error of an orientation allowed in a step; 0: no control */
  double error;    /* of the step under way */
  int order;       /* of the taylor flight */
  hn_state *given; /* where it started; NULL without control */
} hn_step_control;

#define HN_STEP_CONTROL_PARAM(data, field)                                                                          \
  {                                                                                                                 \
    "step_control", HN_REAL, offsetof(data, field) + offsetof(hn_step_control, desired), "0", 0, 1, "",             \
      NULL,                                                                                                         \
      "error of an orientation allowed to the taylor flight of a step, which is shortened to it; 0: steps as given" \
  }

int hn_step_control_setup(hn_solver *solver, hn_step_control *control, const hn_flight_options *flight,
                          hn_error *error);
void hn_step_control_free(hn_step_control *control);
/* Notes the error of the flight of H from STATE, which is about to be made. */
void hn_step_control_note(hn_step_control *control, hn_solver *solver, const hn_state *state, double h);
/* STEP over h, or over parts of h of which each has at most the error desired. */
hn_reason hn_controlled_step(hn_solver *solver, hn_step_control *control, hn_state *state, double h,
                             hn_reason (*step)(hn_solver *solver, hn_state *state, double h));

#endif
