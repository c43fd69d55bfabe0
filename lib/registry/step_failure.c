/* step_failure.c - reports of solvers on failed steps (solver.h). */
#include "solver.h"

#include <math.h>

hn_reason hn_step_failed(hn_solver *solver, hn_reason reason, const char *stage, int joint, double residual)
{
  solver->report.stage = stage;
  solver->report.joint = joint;
  solver->report.residual = residual;
  solver->report.iterations = 0;
  return isfinite(residual) ? reason : HN_NOT_FINITE;
}

hn_reason hn_step_stalled(hn_solver *solver, const char *stage, int joint, double residual, int iterations)
{
  hn_reason reason = hn_step_failed(solver, HN_STALLED, stage, joint, residual);
  solver->report.iterations = iterations;
  return reason;
}
