/* moreau_velocities.c - effect of gaps and forces on the velocities of a step (see moreau.c). */
#include "base/vec.h"
#include "moreau/moreau_parts.h"
#include "timestepping/substep.h"
#include "contact/block_rows.h"
#include "timestepping/substep.h"

#include <math.h>
#include <string.h>

double hn_moreau_gap_term(const hn_moreau *d, double g, double rate, double target, double h)
{
  const bool closes = g + h * rate <= 0.0, pushes = target == 0.0 || d->open_gaps == WAIT;
  if (g <= 0.0) /* the larger of both: the sum would rebound faster, for any step */
    return d->stabilisation == BAUMGARTE && pushes ? fmin(d->erp * fmin(g + d->slop, 0.0) / h + target, 0.0)
                                                   : 0.0;
  if (closes && (target > 0.0 || d->open_gaps == VELOCITIES)) return 0.0;
  return target + fmax(g / h + (1.0 - d->theta) * rate, 0.0) / d->theta;
}

void hn_moreau_add_gap_terms(hn_solver *solver, double h)
{
  const hn_moreau *d = solver->data;
  const hn_system *s = solver->system;
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    const double *g = s->g + block->row, target = hn_system_target(s, k);
    double *b = d->problem->b + block->row;
    if (hn_is_one_sided(block) && g[0] > 0.0 && d->open_gaps == WAIT)
      d->problem->block[k].set = hn_moreau_no_impulse;
    else if (hn_is_one_sided(block)) b[0] += hn_moreau_gap_term(d, g[0], d->initial_rate[k], target, h);
    else if (d->stabilisation == BAUMGARTE && !block->joint->type->velocity &&
             block->joint->set->kind == HN_ANY)
      for (int r = 0; r < block->n; r++) b[r] += d->erp * g[r] / h;
  }
}

void hn_moreau_store_rates(hn_solver *solver, const hn_state *state)
{
  hn_moreau *d = solver->data;
  hn_system *s = solver->system;
  for (int k = 0; k < s->nblock; k++) {
    double rate[HN_MAX_ROWS];
    if (hn_is_one_sided(&s->block[k]) && s->g[s->block[k].row] > 0.0)
      hn_system_block_rates(s, k, state, rate), d->initial_rate[k] = rate[0];
  }
}

void hn_moreau_free_velocities(hn_solver *solver, double h, hn_state *state)
{
  hn_moreau *d = solver->data;
  hn_system *s = solver->system;
  hn_system_free_acceleration(s, state, d->acceleration);
  if (d->turn == FLIGHT) hn_system_rotate_asymmetric(s, state, h, d->flight_end, d->acceleration);
  int count;
  const int *body = hn_system_asymmetric(s, &count);
  for (int k = 0; k < count; k++) d->flight_start[body[k]] = state->twist[body[k]];
  hn_substep_accelerate(h, d->acceleration, state);
}

/* The changes are small and are summed separately: summed into the velocities, many contacts would add one
 * rounding error each, the same in every step. */
void hn_moreau_end_velocities(const hn_moreau *d, hn_system *s, double h, hn_state *state)
{
  hn_twist *change = d->work->twist;
  memset(change, 0, sizeof *change * (size_t)state->nbody);
  hn_system_apply(s, d->p, 1.0, d->work);
  for (int i = 0; i < state->nbody; i++) {
    vec_add_scaled(change[i].v, h, d->acceleration[i].v),
      vec_add(state->twist[i].v, d->start->twist[i].v, change[i].v);
    vec_add_scaled(change[i].w, h, d->acceleration[i].w),
      vec_add(state->twist[i].w, d->start->twist[i].w, change[i].w);
  }
}

/* Returns the residual, m/s, that is as accurate as the gap tolerance of the projection allows: redundant
 * contacts may be inconsistent by that much. No fallback is due then. 0 where gaps are not projected. */
static double accuracy_of_gaps(const hn_moreau *d)
{
  if (d->stabilisation != PROJECTION || d->rest.any) return 0.0;
  return fmin(d->gaps.tolerance / d->problem->h, d->contact_limit);
}

hn_reason hn_moreau_solve(hn_solver *solver, double *p)
{
  hn_moreau *d = solver->data;
  hn_contact_solver_accept(d->velocity_solver, accuracy_of_gaps(d));
  hn_reason reason = hn_sleeping_solve(&d->rest, d->velocity_solver, d->problem, p);
  solver->report.velocity_iterations += d->velocity_solver->iterations;
  if (reason == HN_BUDGET && d->velocity_solver->options.tolerance == 0.0) return HN_CONVERGED;
  if (reason == HN_CONVERGED) return reason;
  const bool missed = reason == HN_STALLED || reason == HN_BUDGET;
  if (missed && hn_is_met_within(d->problem, p, d->contact_limit, d->scratch, d->v)) {
    solver->report.contradictions++;
    return HN_CONVERGED;
  }
  const bool too_large = reason == HN_BUDGET && d->velocity_solver->iterations == 0;
  reason = hn_step_contact_failed(solver, d->velocity_solver, reason,
                                  too_large ? "contact problem too large for its solver" : "contact problem");
  solver->report.limit = "contact_limit";
  return reason;
}
