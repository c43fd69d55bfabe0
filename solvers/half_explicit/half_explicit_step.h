/* half_explicit_step.h - the step of half-explicit Runge-Kutta methods. */
#ifndef HN_HALF_EXPLICIT_STEP_H
#define HN_HALF_EXPLICIT_STEP_H

#include "half_explicit/stage_multipliers.h"

/* Functions and parameters of the solver types. hn_half_explicit_setup takes the method. */
int hn_half_explicit_setup(hn_solver *solver, const hn_half_explicit_method *method, hn_error *error);
void hn_half_explicit_reset(hn_solver *solver);
void *hn_half_explicit_memory(hn_solver *solver, size_t *size);
void hn_half_explicit_free(hn_solver *solver);
hn_reason hn_half_explicit_step(hn_solver *solver, hn_state *state, double h);
extern const hn_param hn_half_explicit_params[];

#endif
