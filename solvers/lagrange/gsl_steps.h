/* gsl_steps.h - steps of solver lagrange with quaternions as four numbers, by steppers of GSL. */
#ifndef HN_GSL_STEPS_H
#define HN_GSL_STEPS_H

#include "lagrange/lagrange_stage.h"

/* Checks the stepper, and allocates. */
int hn_gsl_setup(hn_solver *solver, hn_error *error);
/* Advances STATE and its time by H, without stabilisation by projection. */
hn_reason hn_gsl_advance(hn_solver *solver, hn_state *state, double h);
/* Computes the multipliers and derivatives at STATE, the end of a step. */
hn_reason hn_gsl_finish(hn_solver *solver, const hn_state *state);

#endif
