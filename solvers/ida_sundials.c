/* ida_sundials.c - module hn_sundials: IDA of SUNDIALS behind our seam (ida.h). The only file with SUNDIALS headers.
 *
 * The linear solver is ours: IDA gives it a right-hand side and the coefficient c of dF/dy', and asks for nothing else
 * ("matrix embedded"). Errors are weighed by tolerance (1 + |y_i|), those of algebraic variables by nothing: they are
 * as good as the differential ones make them, and at small steps hold their rounding errors divided by the step. The
 * test of convergence is ours too: IDA's takes the rate from earlier steps while the linear solver is not set up anew,
 * which it never is here. [hindmarsh2005] */
#include "ida.h"

#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_linearsolver.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

struct hn_ida {
  hn_dae dae;
  double tolerance;
  SUNContext context;
  void *memory;
  SUNLinearSolver linear;
  SUNNonlinearSolver newton;
  double change;          /* norm of the last Newton correction */
  N_Vector y, rate, kind; /* kind: 1 for differential variables */
};

static int residual(double t, N_Vector y, N_Vector rate, N_Vector F, void *user)
{
  const hn_ida *ida = user;
  return ida->dae.residual(ida->dae.user, t, N_VGetArrayPointer(y), N_VGetArrayPointer(rate), N_VGetArrayPointer(F));
}

static int weights(N_Vector y, N_Vector weight, void *user)
{
  const hn_ida *ida = user;
  const double *value = N_VGetArrayPointer(y);
  double *out = N_VGetArrayPointer(weight);
  for (int i = 0; i < ida->dae.size; i++)
    out[i] = i < ida->dae.differential ? 1.0 / (ida->tolerance * (1.0 + fabs(value[i]))) : 0.0;
  return 0;
}

static void silence(int code, const char *module, const char *function, char *message, void *user)
{
  (void)code, (void)module, (void)function, (void)message, (void)user;
}

/* ---- Our linear solver ------------------------------------------------------------------------------------------- */

static SUNLinearSolver_Type linear_type(SUNLinearSolver solver)
{
  (void)solver;
  return SUNLINEARSOLVER_MATRIX_EMBEDDED;
}

static int linear_solve(SUNLinearSolver solver, SUNMatrix none, N_Vector x, N_Vector b, realtype tolerance)
{
  const hn_ida *ida = solver->content;
  double c;
  (void)none, (void)tolerance;
  if (IDAGetCurrentCj(ida->memory, &c)) return SUNLS_MEM_FAIL;
  memcpy(N_VGetArrayPointer(x), N_VGetArrayPointer(b), sizeof(double) * (size_t)ida->dae.size);
  int result = ida->dae.solve(ida->dae.user, c, N_VGetArrayPointer(x));
  return result == 0 ? SUNLS_SUCCESS : result > 0 ? SUNLS_PACKAGE_FAIL_REC : SUNLS_PACKAGE_FAIL_UNREC;
}

static int linear_free(SUNLinearSolver solver)
{
  SUNLinSolFreeEmpty(solver);
  return SUNLS_SUCCESS;
}

/* Accepts a Newton correction that is a hundredth of the tolerance, or when what is left, at the rate of convergence
 * seen, is a tenth. The first rate says nothing: errors of positions move to the velocities, then to the multipliers,
 * before they are gone. */
static int newton_test(SUNNonlinearSolver newton, N_Vector sum, N_Vector correction, realtype tolerance,
                       N_Vector weight, void *user)
{
  hn_ida *ida = user;
  double before = ida->change, rate;
  int iteration = 0;
  (void)sum, (void)tolerance;
  SUNNonlinSolGetCurIter(newton, &iteration);
  ida->change = N_VWrmsNorm(correction, weight);
  if (ida->change <= 1e-2) return SUN_NLS_SUCCESS;
  if (iteration < 2) return SUN_NLS_CONTINUE;
  rate = ida->change / before;
  if (!(rate < 0.9)) return SUN_NLS_CONV_RECVR;
  return rate / (1.0 - rate) * ida->change <= 0.1 ? SUN_NLS_SUCCESS : SUN_NLS_CONTINUE;
}

/* ---- The module -------------------------------------------------------------------------------------------------- */

static int configure(hn_ida *ida, long steps)
{
  double *kind = N_VGetArrayPointer(ida->kind);
  for (int i = 0; i < ida->dae.size; i++) kind[i] = i < ida->dae.differential ? 1.0 : 0.0;
  ida->linear->content = ida;
  ida->linear->ops->gettype = linear_type;
  ida->linear->ops->solve = linear_solve;
  ida->linear->ops->free = linear_free;
  IDASetErrHandlerFn(ida->memory, silence, NULL);
  return IDAInit(ida->memory, residual, 0.0, ida->y, ida->rate) || IDASetUserData(ida->memory, ida) ||
         IDAWFtolerances(ida->memory, weights) || IDASetLinearSolver(ida->memory, ida->linear, NULL) ||
         IDASetId(ida->memory, ida->kind) || IDASetSuppressAlg(ida->memory, SUNTRUE) ||
         IDASetMaxNumSteps(ida->memory, steps) || IDASetNonlinearSolver(ida->memory, ida->newton) ||
         IDASetMaxNonlinIters(ida->memory, 8) || SUNNonlinSolSetConvTestFn(ida->newton, newton_test, ida);
}

static void destroy(hn_ida *ida)
{
  if (ida->memory) IDAFree(&ida->memory);
  if (ida->linear) SUNLinSolFree(ida->linear);
  if (ida->newton) SUNNonlinSolFree(ida->newton);
  N_VDestroy(ida->y), N_VDestroy(ida->rate), N_VDestroy(ida->kind);
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
    ida->y = N_VNew_Serial(dae->size, ida->context);
    ida->rate = ida->y ? N_VClone(ida->y) : NULL;
    ida->kind = ida->rate ? N_VClone(ida->y) : NULL;
    ida->linear = ida->kind ? SUNLinSolNewEmpty(ida->context) : NULL;
    ida->newton = ida->linear ? SUNNonlinSol_Newton(ida->y, ida->context) : NULL;
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
