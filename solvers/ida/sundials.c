/* sundials.c - module hn_sundials: IDA of SUNDIALS behind our seam (sundials.h). With ida_vector.c the only
 * file with SUNDIALS headers.
 *
 * The Newton iteration is ours: with our linear solver and test of convergence it works on the arrays in place. IDA's
 * own would read and write about twenty vectors an iteration, instead of eight, and takes the rate of convergence from
 * earlier steps while the linear solver is not set up anew, which it never is here. Errors are weighed by tolerance
 * (1 + |y_i|), those of algebraic variables by nothing: they are as good as the differential ones make them, and at
 * small steps hold their rounding errors divided by the step. [hindmarsh2005] */
#include "ida/sundials.h"
#include "ida/ida_vector.h"

#include <ida/ida.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_nonlinearsolver.h>

enum { ITERATIONS = 8 }; /* limit of a Newton iteration */

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

static void silence(int code, const char *module, const char *function, char *message, void *user)
{
  (void)code, (void)module, (void)function, (void)message, (void)user;
}

/* ---- Our Newton iteration ---------------------------------------------------------------------------------------- */

static SUNNonlinearSolver_Type newton_type(SUNNonlinearSolver newton)
{
  (void)newton;
  return SUNNONLINEARSOLVER_ROOTFIND;
}

/* IDA's function makes y and y' from a correction and calls ours: not needed. */
static int newton_system(SUNNonlinearSolver newton, SUNNonlinSolSysFn function)
{
  (void)newton, (void)function;
  return SUN_NLS_SUCCESS;
}

static int newton_free(SUNNonlinearSolver newton)
{
  newton->content = NULL; /* it is not its own */
  SUNNonlinSolFreeEmpty(newton);
  return SUN_NLS_SUCCESS;
}

/* Accepts a Newton correction that is a hundredth of the tolerance, or when what is left, at the rate of convergence
 * seen, is a tenth. The first rate says nothing: errors of positions move to the velocities, then to the multipliers,
 * before they are gone. */
static int newton_test(int iteration, double change, double before)
{
  double rate = change / before;
  if (change <= 1e-2) return SUN_NLS_SUCCESS;
  if (iteration < 2) return SUN_NLS_CONTINUE;
  if (!(rate < 0.9)) return SUN_NLS_CONV_RECVR;
  return rate / (1.0 - rate) * change <= 0.1 ? SUN_NLS_SUCCESS : SUN_NLS_CONTINUE;
}

/* The Newton correction at y, y' into ida->x. */
static int newton_correction(hn_ida *ida, double t, N_Vector y, N_Vector rate, double c)
{
  int result = residual(t, y, rate, ida->x, ida);
  if (result) return result > 0 ? SUN_NLS_CONV_RECVR : IDA_RES_FAIL;
  result = ida->dae.solve(ida->dae.user, c, N_VGetArrayPointer(ida->x));
  return result == 0 ? SUN_NLS_SUCCESS : result > 0 ? SUN_NLS_CONV_RECVR : IDA_LSOLVE_FAIL;
}

/* SUM, zero at first, becomes the correction of the predicted y. */
static int newton_solve(SUNNonlinearSolver newton, N_Vector predicted, N_Vector sum, N_Vector weight,
                        realtype tolerance, booleantype set_up, void *memory)
{
  hn_ida *ida = newton->content;
  N_Vector y_0, rate_0, y_n, rate_n, saved;
  void *user;
  double t, c, before = 0.0;
  (void)predicted, (void)tolerance, (void)set_up;
  if (IDAGetNonlinearSystemData(memory, &t, &y_0, &rate_0, &y_n, &rate_n, &saved, &c, &user))
    return IDA_MEM_NULL;
  const hn_ida_newton iterate = { y_0, rate_0, sum, y_n, rate_n, weight, c };
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
    int result = newton_correction(ida, t, iteration ? y_n : y_0, iteration ? rate_n : rate_0, c);
    if (result != SUN_NLS_SUCCESS) return result;
    double change = hn_ida_correct(&iterate, ida->x);
    result = newton_test(iteration, change, before);
    if (result != SUN_NLS_CONTINUE) return result;
    before = change;
  }
  return SUN_NLS_CONV_RECVR;
}

/* ---- The module -------------------------------------------------------------------------------------------------- */

static int configure(hn_ida *ida, long steps)
{
  ida->newton->content = ida;
  ida->newton->ops->gettype = newton_type;
  ida->newton->ops->solve = newton_solve;
  ida->newton->ops->setsysfn = newton_system;
  ida->newton->ops->free = newton_free;
  IDASetErrHandlerFn(ida->memory, silence, NULL);
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
