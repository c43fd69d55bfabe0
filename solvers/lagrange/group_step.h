/* group_step.h - steps of solver lagrange on the Lie group of the poses. */
#ifndef HN_GROUP_STEP_H
#define HN_GROUP_STEP_H

#include "lagrange/lagrange_stage.h"

/* Finds the method of the parameters group and stepper, and allocates; an error if there is none. */
int hn_group_setup(hn_solver *solver, hn_error *error);
/* Advances STATE and its time by H, without stabilisation by projection. */
hn_reason hn_group_advance(hn_solver *solver, hn_state *state, double h);
/* Computes the multipliers and derivatives at STATE, the end of a step. */
hn_reason hn_group_finish(hn_solver *solver, const hn_state *state);

#endif
