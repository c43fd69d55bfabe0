/* step_doubling.c - step size control by doubling (step_doubling.h).
 *
 * The last two thirds of the work are those of the result. A part that the solver cannot take (stalled,
 * singular, not finite) is rejected too. [Hairer, Norsett and Wanner, Solving Ordinary Differential Equations
 * I, section II.4, for doubling and error per unit step; the share of impacts is ours] */
#include "registry/step_doubling.h"
#include "registry/doubling_error.h"
#include "registry/solver_registry.h"
#include "registry/solver_arrays.h"
#include "event/contact_impulses.h"
#include "event/event_log.h"
#include "flight/flight.h"
#include "force/force.h"
#include "linear/system_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ATTEMPTS = 1000000 };          /* parts tried in one step */
static const double impact_share = 0.05;  /* of `local`, allowed to a part with an impact */
static const double longest_part = 2.0;   /* relative to the mean part, each weighted by its length */
static const double min_part = 1e-12;     /* smallest part relative to the step */
static const double failed_factor = 0.25; /* on a part that the solver cannot take */

static void list_reaches(const hn_model *model, double *reach)
{
  for (int i = 0; i < model->nbody; i++) {
    const hn_body *body = &model->body[i];
    for (int k = 0; k < 3 && body->kind == HN_RIGID; k++)
      reach[i] = fmax(reach[i], sqrt(body->J[k] * body->inv_mass));
  }
}

int hn_doubling_setup(hn_solver *solver, double tolerance, bool locates_impacts, hn_error *error)
{
  const hn_system *s = solver->system;
  const unsigned jumping = HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE | HN_CAN_CHANGE;
  if (!(tolerance > 0.0)) return 0;
  hn_step_doubling *d = solver->doubling = calloc(1, sizeof *d);
  if (!d) return hn_fail(error, "out of memory");
  d->tolerance = tolerance;
  d->jumps = !locates_impacts && s->model->needs & jumping;
  d->size = sizeof *d->memory + 3 * (size_t)s->model->nbody * sizeof(double);
  d->memory = calloc(1, d->size);
  d->kept = malloc(hn_solver_own_memory(solver) + 1);
  if (!d->memory || !d->kept) return hn_fail(error, "out of memory");
  if (hn_solver_allocate(solver, error, HN_STATE(d->start), HN_STATE(d->whole), HN_STATE(d->middle),
                         HN_ARRAY(d->multipliers, s->max_rows), HN_ARRAY(d->reach, s->model->nbody)))
    return -1;
  list_reaches(s->model, d->reach);
  hn_doubling_reset(d);
  return 0;
}

void hn_doubling_free(hn_step_doubling *d)
{
  if (!d) return;
  free(d->memory), free(d->kept);
  free(d);
}

void hn_doubling_reset(hn_step_doubling *d)
{
  memset(d->memory, 0, d->size);
  d->memory->local = d->tolerance;
}

void hn_doubling_carry(const hn_step_doubling *from, hn_step_doubling *to)
{
  memcpy(to->memory, from->memory, sizeof *to->memory);
  to->memory->pilot = 0.0; /* its bodies are others */
}

/* ---- Parts --------------------------------------------------------------------------------------------- */

typedef struct mark {
  int events, impulses, roundings;
  hn_report report;
} mark;

/* Saves all that a step of SOLVER from STATE may change. */
static mark save(hn_solver *solver, const hn_state *state)
{
  hn_step_doubling *d = solver->doubling;
  hn_state_copy(d->start, state);
  hn_solver_copy_own(solver, d->kept);
  memcpy(d->multipliers, solver->multipliers, sizeof *d->multipliers * (size_t)solver->system->max_rows);
  return (mark){ hn_events_count(solver), hn_impulses_mark(solver), solver->system->parts->roundings,
                 solver->report };
}

/* Restores it. Only counts of work remain: those of the system, and the iterations of the report. */
static void restore(hn_solver *solver, hn_state *state, const mark *m)
{
  hn_step_doubling *d = solver->doubling;
  const hn_report now = solver->report;
  hn_state_copy(state, d->start);
  hn_solver_restore_own(solver, d->kept);
  memcpy(solver->multipliers, d->multipliers, sizeof *d->multipliers * (size_t)solver->system->max_rows);
  hn_events_take_back(solver, m->events), hn_impulses_take_back(solver, m->impulses);
  solver->system->parts->roundings = m->roundings;
  solver->report = m->report;
  solver->report.position_iterations = now.position_iterations;
  solver->report.velocity_iterations = now.velocity_iterations;
  solver->report.halvings = now.halvings;
}

static hn_reason advance(hn_solver *solver, hn_state *state, double h)
{
  hn_reason reason = hn_system_begin(solver->system, state);
  if (reason == HN_CONVERGED) reason = solver->type->step(solver, state, h);
  return reason == HN_CONVERGED && !hn_state_finite(state) ? HN_NOT_FINITE : reason;
}

/* Takes a step of H from START that belongs to the result, with its events, contact impulses and changes of
 * forces. STATE is a copy of START; END: the time at the end, s. */
static hn_reason advance_result(hn_solver *solver, const hn_state *start, hn_state *state, double h,
                                double end)
{
  hn_impulses_begin_part(solver);
  hn_reason reason = advance(solver, state, h);
  if (reason != HN_CONVERGED) return reason;
  state->time = end;
  hn_impulses_end_part(solver, start, state);
  hn_forces_update(solver->system->model, h, state);
  hn_log_end_part(solver, state, h);
  return HN_CONVERGED;
}

/* Takes the part of H from STATE after ELAPSED as one step and as two, and estimates its error. */
static hn_reason take_twice(hn_solver *solver, hn_state *state, double elapsed, double h, const mark *m)
{
  hn_step_doubling *d = solver->doubling;
  hn_reason reason = advance(solver, state, h);
  if (reason != HN_CONVERGED) return reason;
  hn_state_copy_motion(d->whole, state);
  restore(solver, state, m);
  reason = advance_result(solver, d->start, state, 0.5 * h, d->begin + (elapsed + 0.5 * h));
  if (reason != HN_CONVERGED) return reason;
  hn_state_copy_motion(d->middle, state);
  reason = advance_result(solver, d->middle, state, 0.5 * h, d->begin + (elapsed + h));
  if (reason != HN_CONVERGED) return reason;
  const hn_doubled part = { d->start, d->whole, d->middle, state, h };
  d->error = hn_doubling_error(solver->system->model, &part, d->reach, hn_solver_order(solver),
                               d->jumps ? &d->by_jumps : NULL);
  return reason;
}

/* True if a shorter part may succeed after REASON. */
static bool may_recover(hn_reason reason)
{
  return reason == HN_STALLED || reason == HN_SINGULAR || reason == HN_NOT_FINITE || reason == HN_DIVERGED;
}

/* Returns the length of the next part, of LEFT seconds that are left of the step. */
static double choose_part(const hn_step_doubling *d, double left)
{
  const double part = d->memory->next;
  if (!(part > 0.0) || part >= left) return left;
  return left < 2.0 * part ? 0.5 * left : part; /* avoids a very short last part */
}

/* Counts the accepted part of H. */
static void count_part(const hn_step_doubling *d, double h)
{
  hn_doubling_memory *m = d->memory;
  m->accepted++;
  m->sum += d->error, m->by_jumps += d->by_jumps;
  m->length += h, m->square += h * h;
  m->shortest = m->shortest > 0.0 ? fmin(m->shortest, h) : h;
}

/* Tries the part of H from STATE after ELAPSED, and sets the length of the next one. GROWS: it may be longer.
 * Stores in ACCEPTED whether STATE has advanced. */
static hn_reason try_part(hn_solver *solver, hn_state *state, double elapsed, double h, bool *accepted)
{
  hn_step_doubling *d = solver->doubling;
  hn_doubling_memory *m = d->memory;
  const bool grows = *accepted;
  const mark before = save(solver, state);
  const double share = h / (m->span > 0.0 ? m->span : d->step);
  const hn_reason reason = take_twice(solver, state, elapsed, h, &before);
  if (reason != HN_CONVERGED && !may_recover(reason)) return reason;
  *accepted = reason == HN_CONVERGED && d->error <= m->local * fmax(share, impact_share);
  double factor = reason == HN_CONVERGED
                    ? hn_flight_step_factor(m->local * share / d->error, hn_solver_order(solver))
                    : failed_factor;
  if (*accepted) {
    count_part(d, h);
    if (!grows) factor = fmin(factor, 1.0);
    m->next = factor < 1.0 ? factor * h : fmin(fmax(m->next, factor * h), d->step);
    m->next = fmin(m->next, longest_part * m->square / m->length);
    return HN_CONVERGED;
  }
  d->failed = solver->report;
  restore(solver, state, &before);
  solver->report.halvings++, m->rejected++;
  m->next = fmin(factor, 0.5) * h;
  return reason;
}

hn_reason hn_doubling_step(hn_solver *solver, hn_state *state, double h)
{
  hn_step_doubling *d = solver->doubling;
  bool accepted = true;
  double elapsed = 0.0;
  d->begin = state->time, d->step = h;
  for (int i = 0; i < MAX_ATTEMPTS; i++) {
    const double part = choose_part(d, h - elapsed);
    const hn_reason reason = try_part(solver, state, elapsed, part, &accepted);
    if (reason != HN_CONVERGED && !may_recover(reason)) return reason;
    if (accepted) elapsed = part < h - elapsed ? elapsed + part : h;
    if (elapsed >= h) return HN_CONVERGED;
    if (accepted || part > min_part * h) continue;
    if (reason == HN_CONVERGED) break;
    solver->report = d->failed; /* the solver cannot take even the shortest part */
    return reason;
  }
  return hn_step_failed(solver, HN_STALLED, "step size control", -1, d->error);
}
