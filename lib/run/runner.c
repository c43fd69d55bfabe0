/* runner.c - the step loop: control, steps, changes of the model, end of the run. */
#include "run/singular_position.h"
#include "run/runner_struct.h"
#include "run/model_change.h"
#include "run/error_control.h"
#include "contact.h"
#include "linear/system_parts.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* True if the step divides the duration: RATIO, duration / step, is whole but for rounding. Rounding of
 * both numbers and of the division is at most 1.5 DBL_EPSILON RATIO. Decimals that were cut by the user
 * are allowed 1e-9 steps, and nothing more than a hundredth of a step. */
static bool divides(double ratio)
{
  const double whole = nearbyint(ratio), cut = 1e-9, limit = 0.01;
  const double rounding = fmin(fmax(cut, 4.0 * DBL_EPSILON * ratio), limit);
  return whole >= 1.0 && fabs(ratio - whole) <= rounding;
}

long hn_step_count(double step, double duration)
{
  double ratio = duration / step;
  if (!(ratio < (double)HN_MAX_STEPS)) return HN_MAX_STEPS;
  return (long)(divides(ratio) ? nearbyint(ratio) : ceil(ratio));
}

/* Returns the size of the last of COUNT steps: the rest of the duration, rounded once. */
static double last_step_size(double step, double duration, long count)
{
  return divides(duration / step) ? step : fma(-(double)(count - 1), step, duration);
}

uint64_t hn_work_operations(const hn_work *work)
{
  return work->residuals + work->jacobians + work->jets + work->impulses + work->forces + work->eliminated;
}

void hn_work_add(hn_work *sum, const hn_work *work)
{
  uint64_t *to = (uint64_t *)sum;
  const uint64_t *from = (const uint64_t *)work;
  for (size_t i = 0; i < sizeof *sum / sizeof *to; i++) to[i] += from[i];
}

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef hn_runner run;

/* Ends the run by an error, not by the solver. */
static hn_reason end_by_error(run *r, hn_reason reason, const hn_error *why)
{
  r->summary.control_failed = true;
  strcpy(r->summary.explanation, why->text);
  return reason;
}

/* Allocates the arrays whose sizes depend on MODEL. */
static int allocate_for(run *r, const hn_model *model, hn_error *error)
{
  hn_contact_law law;
  char text[128];
  hn_contact_meter_free(r->meter);
  hn_solver_contact_law(r->solver, &law, text, sizeof text);
  r->meter = model->max_contacts > 0
               ? hn_contact_meter_create_with(model, r->solver->system->parts->collision, &law, error)
               : NULL;
  if (model->max_contacts > 0 && !r->meter) return -1;
  free(r->multipliers), free(r->broken);
  r->multipliers = calloc((size_t)model->nrow + 1, sizeof *r->multipliers);
  r->broken = calloc((size_t)model->njoint + 1, sizeof *r->broken);
  return r->multipliers && r->broken ? 0 : hn_fail(error, "out of memory");
}

/* Replaces the model of the run by MODEL, an edit of it. Stores the reason of a failure in REASON. */
static int change_model(run *r, hn_model *model, hn_reason *reason, hn_error *error)
{
  const int kept = hn_count_kept_joints(r->solver->system->model, model);
  *reason = HN_INTERRUPTED;
  if (hn_solver_change(r->solver, model, error)) {
    hn_model_free(model);
    return -1;
  }
  *reason = HN_NO_MEMORY;
  if (hn_state_change_model(r->state, model, error) ||
      (r->bounds.first && hn_state_change_model(r->bounds.first, model, error)) ||
      (r->control.before && hn_state_change_model(r->control.before, model, error)) ||
      allocate_for(r, model, error))
    return -1;
  memcpy(r->multipliers, r->solver->multipliers, sizeof *r->multipliers * (size_t)model->nrow);
  *reason = HN_INTERRUPTED;
  if (hn_joints_stop(model, kept, r->state, error)) return -1;
  hn_state_copy(r->solver->backup, r->state);
  hn_measure_state(model, r->state, &r->measure);
  r->summary.energy_final = r->measure.kinetic + r->measure.potential;
  r->bounds.conserves = false;
  r->summary.collides |= model->max_contacts > 0;
  r->summary.changes++;
  return 0;
}

/* Calls control before the next step and applies its change of the model. */
static hn_reason call_control(run *r)
{
  hn_error why = { "control failed" };
  hn_reason reason = HN_INTERRUPTED;
  hn_model *changed;
  int status = hn_run_control_call(&r->control, r->solver, r->state, &r->happened, &changed, &why);
  if (r->control.gave_impulse) r->bounds.conserves = false;
  if (status == 0 && changed) {
    reason = HN_NO_MEMORY;
    status = hn_model_change_events(&r->happened, r->solver->system->model, changed, r->state->time, &why);
    if (status == 0) status = change_model(r, changed, &reason, &why);
    else hn_model_free(changed);
  }
  if (status && r->options.stop && *r->options.stop) return HN_INTERRUPTED; /* the cause of the failure */
  return status == 0 ? HN_CONVERGED : end_by_error(r, reason, &why);
}

/* Appends the solver's events to those caused by control, then checks joints for breakage. */
static hn_reason collect_events(run *r)
{
  int count;
  uint64_t lost;
  const hn_event *event = hn_events_of(r->solver, &count, &lost);
  r->summary.events_lost += lost;
  hn_error why;
  const int broken = hn_happened_add(&r->happened, event, count)
                       ? hn_fail(&why, "out of memory")
                       : hn_joints_break(&r->happened, r->solver, r->state, r->broken, &why);
  const hn_model_edit edit = { .joint = r->broken };
  if (broken > 0) r->next = hn_model_change(r->solver->system->model, r->state, &edit, &why);
  if (broken == 0 || r->next) return HN_CONVERGED;
  hn_state_copy(r->state, r->solver->backup);
  return end_by_error(r, HN_NO_MEMORY, &why);
}

/* Takes one timed step. Step k ends at start + k h exactly, the last one at start + duration. */
static hn_reason take_step(run *r, long index)
{
  const hn_run_options *o = &r->options;
  hn_work *work = &r->solver->system->work;
  double end = r->start + (index == r->count ? o->duration : (double)index * o->step);
  double h = hn_runner_step_of(r, index);
  uint64_t impulses = work->impulses, operations = hn_work_operations(work);
  double clock = seconds();
  hn_reason reason = hn_solver_step(r->solver, r->state, h);
  r->seconds = seconds() - clock;
  r->summary.wall_s += r->seconds;
  r->impulses = work->impulses - impulses, r->operations = hn_work_operations(work) - operations;
  if (reason == HN_CONVERGED) {
    r->state->time = end;
    hn_runner_count(r);
    reason = collect_events(r);
  } else {
    hn_solver_explain(r->solver, reason, h, r->summary.explanation, sizeof r->summary.explanation);
  }
  return reason;
}

/* True if the budget is spent before the last step. */
static bool is_budget_spent(run *r, long index)
{
  const hn_system *system = r->solver->system;
  uint64_t budget = r->options.budget;
  if (budget == 0 || index == r->count || hn_work_operations(&system->work) < budget) return false;
  snprintf(r->summary.explanation, sizeof r->summary.explanation,
           "%s: the budget of %" PRIu64 " joint operations is spent", r->solver->type->name, budget);
  return true;
}

/* True if the step was measured and its errors are beyond the bounds; stores the explanation. */
static bool has_diverged(run *r)
{
  char why[256];
  hn_summary *s = &r->summary;
  double off = fabs(s->energy_final - s->energy_initial);
  hn_bounds_add_step(&r->bounds, r->solver->backup, r->state);
  if (!hn_runner_measures(r, r->index)) return false;
  if (!hn_bounds_exceeded(&r->bounds, r->solver->system->model, r->state, &r->measure, off, why, sizeof why))
    return false;
  snprintf(s->explanation, sizeof s->explanation, "%s: %s: %s", r->solver->type->name,
           hn_reason_name(HN_DIVERGED), why);
  return true;
}

/* Initialises the bounds on divergence and allocates the copies that a failed step restores. */
static int prepare(run *r, hn_error *error)
{
  const hn_model *model = r->solver->system->model;
  hn_measure_state(model, r->state, &r->measure);
  if (hn_bounds_start(&r->bounds, model, r->state, &r->measure, r->options.step,
                      model->njoint > 0 || r->options.control, error))
    return -1;
  r->summary.size = r->bounds.size;
  r->summary.collides = model->max_contacts > 0;
  r->summary.eventful = r->options.control || hn_model_has_events(model);
  if (hn_run_control_create(&r->control, model, &r->options, error) || hn_pilot_create(r, error)) return -1;
  return allocate_for(r, model, error);
}

static void free_runner(run *r)
{
  hn_bounds_free(&r->bounds);
  hn_contact_meter_free(r->meter);
  hn_happened_free(&r->happened);
  hn_run_control_free(&r->control);
  if (r->next) hn_model_free(r->next);
  hn_pilot_free(r->pilot);
  free(r->multipliers), free(r->broken);
  free(r);
}

hn_runner *hn_runner_make(hn_solver *solver, hn_state *state, const hn_run_options *options, hn_error *error)
{
  run *r = calloc(1, sizeof *r);
  if (!r) {
    hn_fail(error, "out of memory");
    return NULL;
  }
  *r = (run){ .solver = solver,
              .state = state,
              .options = *options,
              .start = state->time,
              .count = hn_step_count(options->step, options->duration),
              .summary = { .hash = options->hash ? options->hash : HN_HASH_START,
                           .impulses.min = UINT64_MAX,
                           .last_step = options->step } };
  r->last = last_step_size(options->step, options->duration, r->count);
  r->stride = options->measures > 0 ? 1 + (r->count - 1) / options->measures : 1;
  if (prepare(r, error)) {
    free_runner(r);
    return NULL;
  }
  hn_solver_reset(solver);
  return r;
}

hn_runner *hn_runner_create(hn_solver *solver, hn_state *state, const hn_run_options *options,
                            hn_error *error)
{
  run *r = hn_runner_make(solver, state, options, error);
  if (r) r->reason = hn_runner_record(r, 0);
  return r;
}

/* Control, step and record number INDEX. If one of them fails, restores the state and the joint forces of
 * the last record. */
static hn_reason advance(run *r, long index)
{
  if (index == 1 && hn_runner_pilot(r) != HN_CONVERGED) return HN_INTERRUPTED;
  memcpy(r->multipliers, r->solver->multipliers,
         sizeof *r->multipliers * (size_t)r->solver->system->model->nrow);
  hn_reason reason = call_control(r);
  if (reason == HN_CONVERGED) reason = take_step(r, index);
  if (reason == HN_CONVERGED) reason = hn_runner_record(r, index);
  if (r->summary.steps == index) return reason;
  hn_run_control_undo(&r->control, r->state);
  memcpy(r->solver->multipliers, r->multipliers,
         sizeof *r->multipliers * (size_t)r->solver->system->model->nrow);
  return reason;
}

/* Removes the joints that broke in the last step. */
static hn_reason remove_broken(run *r)
{
  hn_error why;
  hn_reason reason;
  hn_model *next = r->next;
  r->next = NULL;
  return !next || change_model(r, next, &reason, &why) == 0 ? HN_CONVERGED : end_by_error(r, reason, &why);
}

bool hn_runner_ended(const hn_runner *r)
{
  return r->reason != HN_CONVERGED || r->index >= r->count;
}

/* Explains a run that the user has stopped. */
static void explain_interruption(run *r)
{
  hn_summary *s = &r->summary;
  if (r->reason == HN_INTERRUPTED && !s->control_failed) strcpy(s->explanation, "interrupted");
}

hn_reason hn_runner_step(hn_runner *r)
{
  if (hn_runner_ended(r)) return r->reason;
  r->index++;
  r->solver->stop = r->options.stop;
  r->reason = r->options.stop && *r->options.stop ? HN_INTERRUPTED : advance(r, r->index);
  r->solver->stop = NULL;
  if (r->reason == HN_CONVERGED && has_diverged(r)) r->reason = HN_DIVERGED;
  if (r->reason == HN_CONVERGED && hn_runner_left_singular_position(r)) r->reason = HN_SINGULAR;
  if (r->reason == HN_CONVERGED) r->reason = remove_broken(r);
  if (r->reason == HN_CONVERGED && is_budget_spent(r, r->index)) r->reason = HN_BUDGET;
  explain_interruption(r);
  hn_runner_explain_singular_position(r);
  return r->reason;
}

const hn_summary *hn_runner_summary(const hn_runner *r)
{
  return &r->summary;
}

void hn_runner_finish(hn_runner *r, hn_summary *summary)
{
  hn_summary *s = &r->summary;
  double steps = s->steps > 0 ? (double)s->steps : 1.0;
  s->reason = r->reason;
  s->position_iterations_mean = (double)r->iterations[0] / steps;
  s->velocity_iterations_mean = (double)r->iterations[1] / steps;
  if (s->impulses.min == UINT64_MAX) s->impulses.min = 0;
  s->work = r->solver->system->work;
  hn_runner_judge_error(r);
  s->energy_in_play = hn_bounds_energy(&r->bounds);
  s->energy_supply = r->control.gave_impulse || s->changes > 0
                       ? (double)NAN
                       : hn_bounds_supply(&r->bounds, r->solver->system->model);
  s->spin = r->bounds.spin;
  s->slip = hn_bounds_slip(&r->bounds, r->solver->system->model, &r->measure);
  s->energy_conserved = hn_model_conserves_energy(r->solver->system->model) && !r->control.gave_impulse &&
                        s->changes == 0;
  explain_interruption(r);
  if (summary) *summary = *s;
  free_runner(r);
}

hn_reason hn_run(hn_solver *solver, hn_state *state, const hn_run_options *options, hn_summary *summary)
{
  hn_error error;
  hn_runner *runner = hn_runner_create(solver, state, options, &error);
  if (!runner) {
    *summary = (hn_summary){ .reason = HN_NO_MEMORY, .control_failed = true };
    strcpy(summary->explanation, error.text);
    return HN_NO_MEMORY;
  }
  while (!hn_runner_ended(runner)) hn_runner_step(runner);
  hn_runner_finish(runner, summary);
  return summary->reason;
}
