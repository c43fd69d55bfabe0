/* step_failure.c - notes of a solver on a step that failed (solver.h). */
#include "contact.h"
#include "solver.h"

#include <math.h>

hn_reason hn_step_failed(hn_solver *solver, hn_reason reason, const char *stage, int joint, double residual)
{
  solver->report.stage = stage;
  solver->report.joint = joint;
  solver->report.residual = residual;
  solver->report.setting = NULL;
  solver->report.iterations = 0;
  return isfinite(residual) ? reason : HN_NOT_FINITE;
}

hn_reason hn_step_stalled(hn_solver *solver, const char *stage, int joint, double residual, int iterations)
{
  hn_reason reason = hn_step_failed(solver, HN_STALLED, stage, joint, residual);
  solver->report.iterations = iterations;
  return reason;
}

hn_reason hn_step_missed(hn_solver *solver, const char *setting, double tolerance, hn_reason reason)
{
  solver->report.setting = setting;
  solver->report.tolerance = tolerance;
  return reason;
}

hn_reason hn_step_contact_failed(hn_solver *solver, const hn_contact_solver *contact, hn_reason reason,
                                 const char *stage)
{
  if (contact->message) stage = contact->message;
  reason = reason == HN_BUDGET ? hn_step_stalled(solver, stage, -1, contact->error, contact->iterations)
                               : hn_step_failed(solver, reason, stage, -1, contact->error);
  const bool measured = reason == HN_STALLED && contact->iterations > 0;
  return measured ? hn_step_missed(solver, "contact_tolerance", contact->in_force, reason) : reason;
}
