/* step_failure.c - notes of a solver on a step that failed, and their description (solver.h). */
#include "base/locale.h"
#include "contact.h"
#include "redundant/redundant.h"
#include "linear/system_parts.h"
#include "solver.h"

#include <math.h>
#include <string.h>

/* m/s: largest contact_tolerance that is suggested; more would be visible. */
static const double most_suggested = 1e-3;
/* Settings that are suggested are 1, 2 or 5 times a power of ten, from this one on. */
static const double least_suggested = 1e-16;

hn_reason hn_step_failed(hn_solver *solver, hn_reason reason, const char *stage, int joint, double residual)
{
  solver->report.stage = stage;
  solver->report.joint = joint;
  solver->report.residual = residual;
  solver->report.setting = NULL;
  solver->report.iterations = solver->report.sweeps = 0;
  solver->report.sufficient = 0.0;
  solver->report.contact = NULL, solver->report.limit = NULL;
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
  if (!(solver->report.sufficient > 0.0)) solver->report.sufficient = solver->report.residual;
  return reason;
}

hn_reason hn_step_contact_missed(hn_solver *solver, const hn_contact_solver *contact, double sufficient,
                                 hn_reason reason)
{
  hn_report *report = &solver->report;
  report->contact = contact, report->sufficient = sufficient;
  if (report->joint < 0) report->joint = contact->worst;
  if (!contact->next && contact->iterations >= contact->options.iterations)
    report->sweeps = contact->options.iterations;
  return hn_step_missed(solver, "contact_tolerance", contact->in_force, reason);
}

hn_reason hn_step_contact_failed(hn_solver *solver, const hn_contact_solver *contact, hn_reason reason,
                                 const char *stage)
{
  const bool budget = reason == HN_BUDGET;
  const double residual = contact->residual > 0.0 ? contact->residual : contact->error;
  if (contact->message) stage = contact->message;
  reason = budget ? hn_step_stalled(solver, stage, -1, residual, contact->iterations)
                  : hn_step_failed(solver, reason, stage, -1, residual);
  const bool measured = reason == HN_STALLED && contact->iterations > 0;
  return measured ? hn_step_contact_missed(solver, contact, residual, reason) : reason;
}

/* ---- Description of a failure -------------------------------------------------------------------------- */

/* Returns the smallest of 1, 2 and 5 times powers of ten that is not below VALUE. */
static double round_up(double value)
{
  static const double steps[] = { 1.0, 2.0, 5.0 };
  for (double power = least_suggested;; power *= 10.0)
    for (int i = 0; i < 3; i++)
      if (value <= steps[i] * power) return steps[i] * power;
}

/* Names block K of the system: a joint, or a contact by its bodies. */
static void explain_block(const hn_system *s, int k, double residual, char *text, size_t size)
{
  const hn_block *block = &s->block[k];
  if (k < s->model->njoint) hn_print_after(text, size, ", worst joint \"%s\"", block->joint->name);
  else
    hn_print_after(text, size, ", worst contact \"%s\" on \"%s\"", s->model->body[block->b].name,
                   s->model->body[block->a].name);
  hn_print_after(text, size, " with residual %.3g", residual);
}

/* Adds the remedies for a stage that missed its tolerance, if there are any. */
static void explain_remedies(const hn_report *report, char *text, size_t size)
{
  const double sufficient = report->sufficient;
  const bool may_relax = sufficient > 0.0 && sufficient <= most_suggested;
  if (report->sweeps > 0) hn_print_after(text, size, ", all of sweeps=%d", report->sweeps);
  if (may_relax || report->contact) hn_print_after(text, size, ". To go on: ");
  if (may_relax)
    hn_print_after(text, size, "%s=%.3g (10 times the tolerance is %senough)", report->setting,
                   round_up(sufficient), report->residual <= 10.0 * report->tolerance ? "" : "not ");
  if (!report->contact) return;
  if (may_relax && report->limit)
    hn_print_after(text, size, ", %s=%.3g (such steps are counted)", report->limit, round_up(sufficient));
  if (may_relax) hn_print_after(text, size, ", ");
  if (report->sweeps > 0)
    hn_print_after(text, size,
                   "more sweeps, contact_tolerance=0 (every step makes %d sweeps, whatever they leave), ",
                   report->sweeps);
  hn_print_after(text, size, "another contact= than %s", report->contact->type->name);
  for (const hn_contact_solver *next = report->contact->next; next; next = next->next)
    hn_print_after(text, size, ":then=%s", next->type->name);
}

void hn_solver_explain(const hn_solver *solver, hn_reason reason, double h, char *text, size_t size)
{
  const hn_report *report = &solver->report;
  hn_system *system = solver->system;
  *text = '\0';
  hn_print_after(text, size, "%s: %s in %s, step %.9g s", solver->type->name, hn_reason_name(reason),
                 report->stage ? report->stage : "step", h);
  if (reason == HN_FULL && system->parts->collision)
    hn_print_after(
      text, size,
      ": more than the %d contacts that there is room for; sys:contact { capacity = ... } makes room",
      system->model->max_contacts);
  if (reason == HN_SINGULAR && system->parts->is_singular)
    hn_linear_explain(system, text + strlen(text), size - strlen(text));
  else if (report->joint >= 0) explain_block(system, report->joint, report->residual, text, size);
  else if (report->setting) hn_print_after(text, size, ", residual %.3g", report->residual);
  if (report->setting)
    hn_print_after(text, size, " above the tolerance %.3g (%s)", report->tolerance, report->setting);
  if (report->iterations > 0) hn_print_after(text, size, " after %d iterations", report->iterations);
  if (report->setting) explain_remedies(report, text, size);
}
