/* runge_kutta.h - explicit Runge-Kutta methods as steppers for GSL, one evaluation a stage. */
#ifndef HN_RUNGE_KUTTA_H
#define HN_RUNGE_KUTTA_H

#include <gsl/gsl_odeiv2.h>

/* With yerr = NULL they take one step; otherwise two of half the size, compared with one, as an error
 * estimate. */
extern const gsl_odeiv2_step_type *const hn_step_euler; /* order 1, 1 stage */
extern const gsl_odeiv2_step_type *const hn_step_rk4;   /* order 4, 4 stages: the classical method */

#endif
