/* steppers.h - integrators of differential equations: choices of the parameter stepper. */
#ifndef HN_STEPPERS_H
#define HN_STEPPERS_H

#include <gsl/gsl_odeiv2.h>
#include <stdbool.h>

/* A stepper of GSL, or one of ours (multiplier/runge_kutta.h), which estimates an error only on request. */
typedef struct hn_stepper {
  const gsl_odeiv2_step_type *const *type;
  int order; /* order of the solution that is continued; 0: variable, needs error control */
  bool ours;
  bool needs_driver; /* also for fixed steps: it passes the tolerance of Newton's method */
  bool needs_jacobian;
} hn_stepper;

/* Choices of the parameter, in the order of the table. */
#define HN_STEPPERS "euler,rk2,rk4,rkf45,rkck,rk8pd,msadams,rk1imp,rk2imp,rk4imp,bsimp,msbdf"

extern const hn_stepper hn_steppers[];

/* Returns the name of a stepper. */
const char *hn_stepper_name(int stepper);

#endif
