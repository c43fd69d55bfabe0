/* integrator.c - integration of a vector by the steppers of GSL and ours
 *
 * The implicit steppers (rk1imp, rk2imp, rk4imp, bsimp, msbdf) use the Jacobian of the right-hand side. It
 * is computed by forward differences, one evaluation a column, and GSL treats it as a dense matrix. The
 * differences need only be accurate enough for Newton's method, which rk?imp and msbdf iterate to
 * error_tolerance; bsimp keeps its order with any matrix. bsimp treats a component that grows to a few
 * thousand times its first value as diverging, so it integrates y minus its initial value plus a level of at
 * least 1. GSL's LU decomposition allocates and frees a pivot array in each call: the only allocation inside
 * a step, and not avoidable here. */
#include "multiplier/integrator.h"
#include "base/quiet.h"
#include "multiplier/runge_kutta.h"
#include "registry/solver_arrays.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARTS = 100000 };  /* limit on the parts of an adaptive step, which has stalled beyond */
enum { MAX_UNKNOWNS = 4000 }; /* limit for implicit steppers, whose dense matrices then take 0.5 GB */

/* In the order of the choices of the parameter. GSL's rk2 continues with the third-order solution of its
 * pair. The order of bsimp depends on the number of unknowns: see hn_integrator_order. */
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

bool hn_depends_on_time(const hn_model *model)
{
  for (int j = 0; j < model->njoint; j++)
    if (model->joint[j].type->keys & HN_KEY_MOTION) return true;
  return hn_model_has_forces(model);
}

/* Returns the GSL stepper in use. */
static gsl_odeiv2_step *stepper_of(const hn_integrator *i)
{
  return i->driver ? i->driver->s : i->fixed;
}

/* bsimp reports twice the number n of extrapolations chosen for the number of unknowns; its n + 1 columns
 * are of order 2 n + 1, as the smoothing at the end of the midpoint rule costs one. */
int hn_integrator_order(const hn_integrator *i)
{
  int order = i->type->order;
  return order >= 0 || i->size == 0 ? abs(order) : (int)gsl_odeiv2_step_order(stepper_of(i)) + 1;
}

/* ---- Derivatives --------------------------------------------------------------------------------------- */

/* Returns the y that corresponds to GSL's Z. */
static const double *from_shifted(hn_integrator *i, const double z[])
{
  if (!i->origin) return z;
  for (size_t k = 0; k < i->size; k++) i->unshifted[k] = i->origin[k] + (z[k] - i->level[k]);
  return i->unshifted;
}

/* Derivatives for GSL, whose step control treats any failure but GSL_EBADFUNC as too large a step. */
static int derivatives(double t, const double z[], double dydt[], void *user)
{
  hn_integrator *i = user;
  i->reason = i->derivatives(i->solver, t, from_shifted(i, z), dydt);
  return i->reason == HN_CONVERGED ? GSL_SUCCESS : GSL_EFAILED;
}

/* Computes the Jacobian of the derivatives by forward differences, row by row, and their derivative in
 * time. */
static int jacobian(double t, const double y[], double *dfdy, double dfdt[], void *user)
{
  hn_integrator *i = user;
  /* square root of the unit round-off: balances truncation and round-off */
  const double relative_step = 1.4901161193847656e-8;
  memset(dfdt, 0, sizeof *dfdt * i->size);
  memcpy(i->perturbed, y, sizeof *y * i->size);
  int status = derivatives(t, y, i->rate[0], user);
  for (size_t c = 0; c < i->size && status == GSL_SUCCESS; c++) {
    i->perturbed[c] = y[c] + relative_step * fmax(1.0, fabs(y[c]));
    double difference = i->perturbed[c] - y[c];
    status = derivatives(t, i->perturbed, i->rate[1], user);
    for (size_t r = 0; r < i->size; r++) dfdy[r * i->size + c] = (i->rate[1][r] - i->rate[0][r]) / difference;
    i->perturbed[c] = y[c];
  }
  if (!i->time_dependent || status != GSL_SUCCESS) return status;
  double later = t + relative_step * fmax(1.0, fabs(t));
  status = derivatives(later, y, i->rate[1], user);
  for (size_t r = 0; r < i->size; r++) dfdt[r] = (i->rate[1][r] - i->rate[0][r]) / (later - t);
  return status;
}

/* ---- Set-up -------------------------------------------------------------------------------------------- */

int hn_integrator_check(hn_integrator *i, const char *name, int stepper, hn_error *error)
{
  i->type = &hn_steppers[stepper];
  if (i->type->order == 0 && !i->adaptive)
    return hn_fail(error, "%s: stepper=%s chooses its order by its error: it needs adaptive=true", name,
                   hn_stepper_name(stepper));
  if (i->type->needs_jacobian && i->size > MAX_UNKNOWNS)
    return hn_fail(error,
                   "%s: stepper=%s makes dense matrices, for at most %d unknowns; this model has %zu: use "
                   "an explicit stepper",
                   name, hn_stepper_name(stepper), MAX_UNKNOWNS, i->size);
  return 0;
}

static int allocate_jacobian(hn_solver *solver, hn_integrator *i, hn_error *error)
{
  if (hn_solver_allocate(solver, error, HN_ARRAY(i->perturbed, i->size), HN_ARRAY(i->rate[0], i->size),
                         HN_ARRAY(i->rate[1], i->size)))
    return -1;
  return *i->type->type == gsl_odeiv2_step_bsimp
           ? hn_solver_allocate(solver, error, HN_ARRAY(i->origin, i->size), HN_ARRAY(i->level, i->size),
                                HN_ARRAY(i->unshifted, i->size))
           : 0;
}

int hn_integrator_setup(hn_solver *solver, hn_integrator *i, hn_error *error)
{
  hn_quiet_gsl();
  i->solver = solver;
  i->ode = (gsl_odeiv2_system){ derivatives, i->type->needs_jacobian ? jacobian : NULL, i->size, i };
  if (hn_solver_allocate(solver, error, HN_ARRAY(i->y, i->size), HN_ARRAY(i->error, i->size))) return -1;
  if (i->type->needs_jacobian && allocate_jacobian(solver, i, error)) return -1;
  if (i->size == 0) return 0; /* nothing to integrate */
  if (i->adaptive || i->type->needs_driver)
    i->driver = gsl_odeiv2_driver_alloc_y_new(&i->ode, *i->type->type, 1.0, i->error_tolerance,
                                              i->error_tolerance);
  else i->fixed = gsl_odeiv2_step_alloc(*i->type->type, i->size);
  if (i->driver) gsl_odeiv2_driver_set_nmax(i->driver, MAX_PARTS);
  return i->driver || i->fixed ? 0 : hn_fail(error, "out of memory");
}

void hn_integrator_free(hn_integrator *i)
{
  if (i->driver) gsl_odeiv2_driver_free(i->driver);
  if (i->fixed) gsl_odeiv2_step_free(i->fixed);
}

void hn_integrator_forget(hn_integrator *i)
{
  if (i->driver) gsl_odeiv2_driver_reset(i->driver);
  else if (i->fixed) gsl_odeiv2_step_reset(i->fixed);
}

void hn_integrator_reset(hn_integrator *i)
{
  hn_integrator_forget(i);
  i->started = false;
}

/* ---- Steps --------------------------------------------------------------------------------------------- */

/* Takes one step of size h. bsimp reports a failure as an infinite error. */
static int fixed_step(hn_integrator *i, double t, double h)
{
  const bool ours = i->type->ours;
  int status = gsl_odeiv2_step_apply(stepper_of(i), t, h, i->y, ours ? NULL : i->error, NULL, NULL, &i->ode);
  for (size_t k = 0; k < i->size && status == GSL_SUCCESS && !ours; k++)
    if (!isfinite(i->error[k])) status = GSL_FAILURE;
  return status;
}

/* Shifts y to its level, for bsimp. */
static void shift_to_level(hn_integrator *i)
{
  if (!i->origin) return;
  memcpy(i->origin, i->y, sizeof *i->y * i->size);
  for (size_t k = 0; k < i->size; k++) i->y[k] = i->level[k] = fmax(1.0, fabs(i->y[k]));
}

hn_reason hn_integrator_apply(hn_integrator *i, double t, double h)
{
  int status;
  i->reason = HN_CONVERGED;
  if (i->size == 0) return HN_CONVERGED;
  if (i->adaptive && !i->started) gsl_odeiv2_driver_reset_hstart(i->driver, h);
  i->started = true;
  shift_to_level(i);
  if (i->adaptive) status = gsl_odeiv2_driver_apply(i->driver, &t, t + h, i->y);
  else status = fixed_step(i, t, h);
  if (i->origin) memcpy(i->y, from_shifted(i, i->y), sizeof *i->y * i->size);
  if (status == GSL_SUCCESS) return HN_CONVERGED;
  if (i->reason != HN_CONVERGED) return i->reason;
  return hn_step_failed(i->solver, HN_STALLED, i->adaptive ? "step size control" : "stepper", -1, 0.0);
}
