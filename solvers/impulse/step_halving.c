/* step_halving.c - steps that stall are halved (step_halving.h). */
#include "impulse/step_halving.h"
#include "impulse/turn_limit.h"
#include "event/contact_impulses.h"
#include "registry/solver_arrays.h"

int hn_halving_setup(hn_solver *solver, hn_halving *halving, hn_error *error)
{
  for (int level = 0; level < halving->limit; level++) {
    if (hn_solver_allocate(solver, error, HN_STATE(halving->start[level]))) return -1;
  }
  return 0;
}

/* Finds contacts and sets targets for a part of a step; the framework has done so for a whole step. */
static hn_reason begin_part(hn_solver *solver, int level, hn_state *state)
{
  return level > 0 ? hn_system_begin(solver->system, state) : HN_CONVERGED;
}

/* Takes STEP over h; if it stalls, restores STATE and takes two halves, down to the limit of levels. */
static hn_reason step_or_halve(hn_solver *solver, hn_halving *halving, int level, hn_state *state, double h,
                               hn_reason (*step)(hn_solver *, hn_state *, double))
{
  if (level == halving->limit) {
    hn_reason reason = begin_part(solver, level, state);
    return reason == HN_CONVERGED ? step(solver, state, h) : reason;
  }
  const int events = hn_events_count(solver), impulses = hn_impulses_mark(solver);
  hn_state_copy(halving->start[level], state);
  hn_reason reason = begin_part(solver, level, state);
  if (reason == HN_CONVERGED) reason = step(solver, state, h);
  if (reason != HN_STALLED) return reason;
  hn_state_copy(state, halving->start[level]);
  hn_events_take_back(solver, events), hn_impulses_take_back(solver, impulses);
  solver->report.halvings++;
  reason = step_or_halve(solver, halving, level + 1, state, 0.5 * h, step);
  return reason == HN_CONVERGED ? step_or_halve(solver, halving, level + 1, state, 0.5 * h, step) : reason;
}

hn_reason hn_halving_step(hn_solver *solver, hn_halving *halving, hn_state *state, double h,
                          hn_reason (*step)(hn_solver *, hn_state *, double))
{
  const int parts = hn_turn_parts(solver->system, state, h);
  hn_reason reason = HN_CONVERGED;
  for (int i = 0; i < parts && reason == HN_CONVERGED; i++) {
    if (i > 0) reason = hn_system_begin(solver->system, state);
    if (reason == HN_CONVERGED) reason = step_or_halve(solver, halving, 0, state, h / parts, step);
  }
  return reason;
}
