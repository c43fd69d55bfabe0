/* integrator.h - integration of a vector y by the steppers of GSL and ours, with the choice of fixed or
 * adaptive steps; shared by the solvers that have ordinary differential equations. */
#ifndef HN_INTEGRATOR_H
#define HN_INTEGRATOR_H

#include "solver.h"

#include <gsl/gsl_odeiv2.h>

/* Names of the steppers, for a parameter; their order is that of hn_steppers. */
#define HN_EXPLICIT_STEPPERS "euler,rk2,rk4,rkf45,rkck,rk8pd"
#define HN_STEPPERS HN_EXPLICIT_STEPPERS ",msadams,rk1imp,rk2imp,rk4imp,bsimp,msbdf"
enum { HN_STEPPER_EULER = 0, HN_STEPPER_RK4 = 2 };

/* A stepper of GSL, or one of ours, which estimates an error only on request. */
typedef struct hn_stepper {
  const gsl_odeiv2_step_type *const *type;
  int order; /* order of the solution that is continued; 0: variable, needs error control */
  bool ours;
  bool needs_driver; /* also for fixed steps: it passes the tolerance of Newton's method */
  bool needs_jacobian;
} hn_stepper;
extern const hn_stepper hn_steppers[];
/* Returns the name of a stepper. */
const char *hn_stepper_name(int stepper);

typedef struct hn_integrator {
  const hn_stepper *type;
  int adaptive;
  double error_tolerance; /* allowed local error of an adaptive step */
  size_t size;
  bool time_dependent; /* the derivatives depend on time explicitly */
  /* Computes the derivatives of y; a failure rejects an adaptive step. */
  hn_reason (*derivatives)(hn_solver *solver, double t, const double *y, double *dydt);
  hn_solver *solver;
  double *y, *error; /* [size] the vector; its estimated error, free between steps */
  /* private */
  gsl_odeiv2_system ode;
  gsl_odeiv2_driver *driver;   /* NULL if not needed, as GSL's does not survive a failed allocation */
  gsl_odeiv2_step *fixed;      /* used without a driver */
  bool started;                /* the driver has chosen a step size */
  hn_reason reason;            /* reason of a failure of the derivatives */
  double *perturbed, *rate[2]; /* [size] y with one component perturbed; derivatives at y and there */
  /* [size] bsimp only: it integrates z = level + (y - origin); y of a given z */
  double *origin, *level, *unshifted;
} hn_integrator;

/* True if prescribed motions or forces make accelerations depend on time. */
bool hn_depends_on_time(const hn_model *model);
/* Checks that the choice is possible for `size` components; NAME is the solver's. Sets `type`. */
int hn_integrator_check(hn_integrator *i, const char *name, int stepper, hn_error *error);
/* Allocates for `size` components; the members above `private` other than y and error are set. */
int hn_integrator_setup(hn_solver *solver, hn_integrator *i, hn_error *error);
void hn_integrator_free(hn_integrator *i);
/* Returns the order of the solution. */
int hn_integrator_order(const hn_integrator *i);
/* Discards previous steps; and the step size too. */
void hn_integrator_forget(hn_integrator *i);
void hn_integrator_reset(hn_integrator *i);
/* Integrates y from t over h: by one fixed step, or by as many as the step control chooses, the last ending
 * at t + h. Multistep history depends on time, so t must continue from step to step. */
hn_reason hn_integrator_apply(hn_integrator *i, double t, double h);

#endif
