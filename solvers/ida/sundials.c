/* sundials.c - module hn_sundials: IDA of SUNDIALS behind the interface sundials.h. Besides ida_vector.c the
 * only file that includes SUNDIALS headers.
 *
 * The Newton iteration is ours: with our linear solver and convergence test it works on the arrays in place.
 * IDA's own iteration would access about twenty vectors instead of eight, and estimates the rate of
 * convergence from earlier steps unless the linear solver is set up anew, which never happens here. Errors
 * are weighed by tolerance (1 + |y_i|). Those of algebraic variables have no weight: they are as accurate as
 * the differential ones, and at small steps contain their rounding errors divided by the step.
 * [hindmarsh2005] */
#include "ida/sundials.h"
#include "ida/ida_vector.h"

#include <ida/ida.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_nonlinearsolver.h>

enum { ITERATIONS = 8 }; /* limit of a Newton iteration */

/* In units of the tolerance: a correction accepted at once, and an estimated error accepted. */
static const double small_correction = 1e-2, max_error = 0.1;
static const double max_rate = 0.9; /* of convergence: slower iterations fail, and IDA shortens its step */

struct hn_ida {
  hn_dae dae;
  double tolerance;
  SUNContext context;
  void *memory;
  SUNNonlinearSolver newton;
  N_Vector y, rate, x; /* x: residual, then Newton correction */
};

static int residual(double t, N_Vector y, N_Vector rate, N_Vector F, void *user)
{
  const hn_ida *ida = user;
  return ida->dae.residual(ida->dae.user, t, N_VGetArrayPointer(y), N_VGetArrayPointer(rate),
                           N_VGetArrayPointer(F));
}

static int weights(N_Vector y, N_Vector weight, void *user)
{
  const hn_ida *ida = user;
  const double *value = N_VGetArrayPointer(y);
  double *out = N_VGetArrayPointer(weight);
  for (int i = 0; i < ida->dae.differential; i++) out[i] = 1.0 / (ida->tolerance * (1.0 + fabs(value[i])));
  for (int i = ida->dae.differential; i < ida->dae.size; i++) out[i] = 0.0;
  return 0;
}

static void ignore_message(int code, const char *module, const char *function, char *message, void *user)
{
  (void)code, (void)module, (void)function, (void)message, (void)user;
}

/* ---- Our Newton iteration ------------------------------------------------------------------------------ */

static SUNNonlinearSolver_Type newton_type(SUNNonlinearSolver newton)
{
  (void)newton;
  return SUNNONLINEARSOLVER_ROOTFIND;
}

/* No operation: IDA's function computes y and y' from a correction and calls ours. */
static int newton_system(SUNNonlinearSolver newton, SUNNonlinSolSysFn function)
{
  (void)newton, (void)function;
  return SUN_NLS_SUCCESS;
}

static int newton_free(SUNNonlinearSolver newton)
{
  newton->content = NULL; /* not owned by the nonlinear solver */
  SUNNonlinSolFreeEmpty(newton);
  return SUN_NLS_SUCCESS;
}

/* Accepts a Newton correction below a hundredth of the tolerance, or an estimated remaining error below a
 * tenth of it. The first rate is ignored: errors of positions propagate to velocities, then to multipliers,
 * before they vanish. */
static int newton_test(int iteration, double change, double previous)
{
  double rate = change / previous;
  if (change <= small_correction) return SUN_NLS_SUCCESS;
  if (iteration < 2) return SUN_NLS_CONTINUE;
  if (!(rate < max_rate)) return SUN_NLS_CONV_RECVR;
  return rate / (1.0 - rate) * change <= max_error ? SUN_NLS_SUCCESS : SUN_NLS_CONTINUE;
}

/* Computes the Newton correction at y, y' into ida->x. */
static int newton_correction(hn_ida *ida, double t, N_Vector y, N_Vector rate, double c)
{
  int result = residual(t, y, rate, ida->x, ida);
  if (result) return result > 0 ? SUN_NLS_CONV_RECVR : IDA_RES_FAIL;
  result = ida->dae.solve(ida->dae.user, c, N_VGetArrayPointer(ida->x));
  return result == 0 ? SUN_NLS_SUCCESS : result > 0 ? SUN_NLS_CONV_RECVR : IDA_LSOLVE_FAIL;
}

/* Iterates; SUM, initially zero, becomes the correction of the predicted y. */
static int newton_solve(SUNNonlinearSolver newton, N_Vector predicted, N_Vector sum, N_Vector weight,
                        realtype tolerance, booleantype set_up, void *memory)
{
  hn_ida *ida = newton->content;
  N_Vector y_0, rate_0, y_n, rate_n, saved;
  void *user;
  double t, c, previous = 0.0;
  (void)predicted, (void)tolerance, (void)set_up;
  if (IDAGetNonlinearSystemData(memory, &t, &y_0, &rate_0, &y_n, &rate_n, &saved, &c, &user))
    return IDA_MEM_NULL;
  const hn_ida_newton iterate = { y_0, rate_0, sum, y_n, rate_n, weight, c };
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
    int result = newton_correction(ida, t, iteration ? y_n : y_0, iteration ? rate_n : rate_0, c);
    if (result != SUN_NLS_SUCCESS) return result;
    double change = hn_ida_correct(&iterate, ida->x);
    result = newton_test(iteration, change, previous);
    if (result != SUN_NLS_CONTINUE) return result;
    previous = change;
  }
  return SUN_NLS_CONV_RECVR;
}

/* ---- The module ---------------------------------------------------------------------------------------- */

static int configure(hn_ida *ida, long steps)
{
  ida->newton->content = ida;
  ida->newton->ops->gettype = newton_type;
  ida->newton->ops->solve = newton_solve;
  ida->newton->ops->setsysfn = newton_system;
  ida->newton->ops->free = newton_free;
  IDASetErrHandlerFn(ida->memory, ignore_message, NULL);
  return IDAInit(ida->memory, residual, 0.0, ida->y, ida->rate) || IDASetUserData(ida->memory, ida) ||
         IDAWFtolerances(ida->memory, weights) || IDASetMaxNumSteps(ida->memory, steps) ||
         IDASetNonlinearSolver(ida->memory, ida->newton);
}

static void destroy(hn_ida *ida)
{
  if (ida->memory) IDAFree(&ida->memory);
  if (ida->newton) SUNNonlinSolFree(ida->newton);
  N_VDestroy(ida->y), N_VDestroy(ida->rate), N_VDestroy(ida->x);
  if (ida->context) SUNContext_Free(&ida->context);
  free(ida);
}

static hn_ida *create(const hn_dae *dae, double tolerance, long steps)
{
  hn_ida *ida = calloc(1, sizeof *ida);
  if (!ida) return NULL;
  ida->dae = *dae;
  ida->tolerance = tolerance;
  if (SUNContext_Create(NULL, &ida->context) == 0) {
    ida->y = hn_ida_vector(dae->size, dae->differential, ida->context);
    ida->rate = ida->y ? N_VClone(ida->y) : NULL;
    ida->x = ida->rate ? N_VClone(ida->y) : NULL;
    ida->newton = ida->x ? SUNNonlinSolNewEmpty(ida->context) : NULL;
    ida->memory = ida->newton ? IDACreate(ida->context) : NULL;
    if (ida->memory && configure(ida, steps) == 0) return ida;
  }
  destroy(ida);
  return NULL;
}

static int start(hn_ida *ida, double t, const double *y, const double *rate, double step)
{
  size_t bytes = sizeof *y * (size_t)ida->dae.size;
  memcpy(N_VGetArrayPointer(ida->y), y, bytes);
  memcpy(N_VGetArrayPointer(ida->rate), rate, bytes);
  return IDAReInit(ida->memory, t, ida->y, ida->rate) || IDASetInitStep(ida->memory, step);
}

static int advance(hn_ida *ida, double t, double *y, double *rate)
{
  size_t bytes = sizeof *y * (size_t)ida->dae.size;
  double reached;
  int result = IDASolve(ida->memory, t, &reached, ida->y, ida->rate, IDA_NORMAL);
  memcpy(y, N_VGetArrayPointer(ida->y), bytes);
  memcpy(rate, N_VGetArrayPointer(ida->rate), bytes);
  return result < 0 ? result : 0;
}

static long steps_taken(const hn_ida *ida)
{
  long steps = 0;
  IDAGetNumSteps(ida->memory, &steps);
  return steps;
}

static const char *explain(int result)
{
  switch (result) {
  case IDA_TOO_MUCH_WORK: return "IDA: more steps than allowed";
  case IDA_TOO_MUCH_ACC: return "IDA: tolerance beyond the accuracy of the arithmetic";
  case IDA_ERR_FAIL: return "IDA: error test";
  case IDA_CONV_FAIL: return "IDA: Newton iteration";
  case IDA_LSOLVE_FAIL: return "IDA: linear system";
  default: return "IDA";
  }
}

extern const hn_ida_module hn_ida_sundials;
const hn_ida_module hn_ida_sundials = { create, destroy, start, advance, steps_taken, explain };
