/* runge_kutta.h - explicit Runge-Kutta methods, one evaluation a stage, as steppers for GSL's integration. */
#ifndef HN_RUNGE_KUTTA_H
#define HN_RUNGE_KUTTA_H

#include <gsl/gsl_odeiv2.h>

/* Applied with yerr = NULL they take one step and estimate nothing; else two of half the size, held against one. */
extern const gsl_odeiv2_step_type *const hn_step_euler; /* order 1, 1 stage */
extern const gsl_odeiv2_step_type *const hn_step_rk4;   /* order 4, 4 stages: the classical solver */

#endif
