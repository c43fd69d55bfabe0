/* run_summary.c - measures, observation and summary of a run, step by step (runner_struct.h).
 *
 * A measure evaluates all joints and costs about a seventh of a step of impulse-sle. It depends only on
 * the model and the state, not on the solver's evaluations. Largest errors are those of the measured
 * steps. */
#include "run/runner_struct.h"

#include <math.h>
#include <stdio.h>

typedef hn_runner run;

static double larger(double a, double b)
{
  return b > a || isnan(b) ? b : a;
}

/* Ends the run because measures, WHAT, are not finite, although the state is. Restores the state before the
 * step, so that the new one is not recorded. */
static hn_reason fail_measure(run *r, long index, const char *what)
{
  hn_summary *s = &r->summary;
  if (index > 0) hn_state_copy(r->state, r->solver->backup);
  else s->energy_initial = s->energy_final = s->energy_error_max = NAN;
  snprintf(s->explanation, sizeof s->explanation, "%s: %s in the %s of the %s", r->solver->type->name,
           hn_reason_name(HN_NOT_FINITE), what, index > 0 ? "next state" : "initial state");
  return HN_NOT_FINITE;
}

/* Records the energy GAIN (J) since the last measure: as the largest change, or in the sum of the others. */
static void record_energy_change(run *r, double gain)
{
  hn_summary *s = &r->summary;
  const double change = fabs(gain);
  s->energy_gain = fmax(s->energy_gain, gain);
  if (change > s->energy_jump) {
    s->energy_changes += s->energy_jump;
    s->energy_jump = change;
    s->energy_jump_time = r->state->time;
  } else {
    s->energy_changes += change;
  }
}

double hn_runner_step_of(const run *r, long index)
{
  return index == r->count ? r->last : r->options.step;
}

/* Measures the contacts of step INDEX and updates the largest measures. */
static hn_reason measure_contacts(run *r, long index)
{
  const hn_contact_measure *now = &r->contact;
  hn_contact_measure *most = &r->summary.contact;
  const bool has_forces = r->solver->type->capabilities & HN_HAS_MULTIPLIERS;
  hn_contact_meter_read(r->meter, r->solver->backup, r->state, hn_runner_step_of(r, index),
                        has_forces ? r->solver->multipliers : NULL, &r->contact);
  if (!isfinite(now->residual) || !isfinite(now->cone_excess) || isinf(now->balance))
    return fail_measure(r, index, "law or the balance of contacts");
  /* with step control the impulses at the end of a step are those of its last part */
  if (r->solver->doubling || r->solver->type->capabilities & HN_HIDES_IMPULSES)
    r->contact.residual = r->contact.own_residual = r->contact.balance = NAN;
  if (r->solver->type->capabilities & HN_HIDES_IMPULSES) r->contact.cone_excess = NAN;
  if (now->contacts > most->contacts) most->contacts = now->contacts;
  most->penetration = larger(most->penetration, now->penetration);
  most->residual = larger(most->residual, now->residual);
  most->own_residual = larger(most->own_residual, now->own_residual);
  most->cone_excess = larger(most->cone_excess, now->cone_excess);
  most->balance = larger(most->balance, now->balance);
  return HN_CONVERGED;
}

bool hn_runner_measures(const run *r, long index)
{
  return index % r->stride == 0 || index == r->count;
}

/* Measures the state without the joints that broke in the step. The worst joints are given by their
 * numbers in the model of the step. */
static void measure_unbroken(run *r)
{
  const hn_model *now = r->solver->system->model;
  hn_measure *m = &r->measure;
  hn_measure_state(r->next ? r->next : now, r->state, m);
  int *const worst[] = { &m->worst_joint, &m->worst_rate };
  for (int i = 0; i < 2 && r->next; i++) {
    const char *name = *worst[i] < 0 ? NULL : r->next->joint[*worst[i]].name;
    while (name && now->joint[*worst[i]].name != name) ++*worst[i];
  }
}

/* Measures the state after step INDEX: updates the largest errors and the energy. */
static hn_reason measure(run *r, long index)
{
  hn_summary *s = &r->summary;
  measure_unbroken(r);
  double energy = r->measure.kinetic + r->measure.potential;
  if (!isfinite(energy) || !isfinite(r->measure.position_error) || !isfinite(r->measure.velocity_error))
    return fail_measure(r, index, "energy or the joint errors");
  if (index == 0) s->energy_initial = energy;
  else record_energy_change(r, energy - s->energy_final);
  s->energy_final = energy;
  s->energy_error_max = larger(s->energy_error_max, fabs(energy - s->energy_initial));
  s->energy_rise = fmax(s->energy_rise, energy - s->energy_initial);
  if (index > 0) { /* at the start, joints may be violated on purpose, and motors need not have their rates */
    s->position_max = larger(s->position_max, r->measure.position_error);
    s->velocity_max = larger(s->velocity_max, r->measure.velocity_error);
    if (r->meter) return measure_contacts(r, index);
  }
  return HN_CONVERGED;
}

hn_reason hn_runner_record(run *r, long index)
{
  hn_summary *s = &r->summary;
  bool measured = hn_runner_measures(r, index);
  if (measured && measure(r, index) != HN_CONVERGED) return HN_NOT_FINITE;
  if (index > 0) s->hash = hn_state_hash(r->state, s->hash);
  s->steps = index;
  if (index > 0) s->last_step = hn_runner_step_of(r, index);
  s->time = r->state->time;
  hn_happened_count(&r->happened, s->events);
  const bool has_forces = index > 0 && r->solver->type->capabilities & HN_HAS_MULTIPLIERS;
  const hn_model *model = r->solver->system->model;
  hn_frame frame = { index,
                     r->state,
                     model,
                     measured ? &r->measure : NULL,
                     &r->solver->report,
                     s->hash,
                     has_forces ? r->solver->multipliers : NULL,
                     index > 0 ? r->solver->backup : NULL,
                     r->meter && measured && index > 0 ? &r->contact : NULL,
                     r->impulses,
                     r->operations,
                     r->seconds,
                     r->happened.event,
                     r->happened.count,
                     index == r->count,
                     .impulse = NULL };
  if (index > 0) frame.impulse = hn_solver_impulses(r->solver, &frame.nimpulse);
  return !r->options.observe || r->options.observe(r->options.user, &frame) ? HN_CONVERGED : HN_INTERRUPTED;
}

void hn_runner_count(run *r)
{
  const hn_report *report = &r->solver->report;
  const uint64_t impulses = r->impulses;
  hn_summary *s = &r->summary;
  r->iterations[0] += (uint64_t)report->position_iterations;
  r->iterations[1] += (uint64_t)report->velocity_iterations;
  if (report->position_iterations > s->position_iterations_max)
    s->position_iterations_max = report->position_iterations;
  if (impulses < s->impulses.min) s->impulses.min = impulses;
  if (impulses > s->impulses.max) s->impulses.max = impulses;
  s->impulses.total += impulses;
  s->halvings += (uint64_t)report->halvings;
  s->capped += (uint64_t)report->capped;
  s->contradictions += (uint64_t)report->contradictions;
  s->time_stepped += (uint64_t)report->time_stepped, s->time_stepped_s += report->time_stepped_s;
  s->rounding_steps += report->roundings > 0;
  s->asleep = report->asleep;
}
