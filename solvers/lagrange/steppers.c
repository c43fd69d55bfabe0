/* steppers.c - the table of steppers (steppers.h). */
#include "lagrange/steppers.h"
#include "multiplier/runge_kutta.h"

/* GSL's rk2 continues with the third-order solution of its pair. The order of bsimp depends on the number of
 * unknowns: hn_gsl_order. */
const hn_stepper hn_steppers[] = {
  { &hn_step_euler, .order = 1, .ours = true },
  { &gsl_odeiv2_step_rk2, .order = 3 },
  { &hn_step_rk4, .order = 4, .ours = true },
  { &gsl_odeiv2_step_rkf45, .order = 5 },
  { &gsl_odeiv2_step_rkck, .order = 5 },
  { &gsl_odeiv2_step_rk8pd, .order = 8 },
  { &gsl_odeiv2_step_msadams, .order = 0, .needs_driver = true },
  { &gsl_odeiv2_step_rk1imp, .order = 1, .needs_driver = true, .needs_jacobian = true },
  { &gsl_odeiv2_step_rk2imp, .order = 2, .needs_driver = true, .needs_jacobian = true },
  { &gsl_odeiv2_step_rk4imp, .order = 4, .needs_driver = true, .needs_jacobian = true },
  { &gsl_odeiv2_step_bsimp, .order = -1, .needs_jacobian = true },
  { &gsl_odeiv2_step_msbdf, .order = 0, .needs_driver = true, .needs_jacobian = true },
};

const char *hn_stepper_name(int stepper)
{
  return (*hn_steppers[stepper].type)->name;
}
