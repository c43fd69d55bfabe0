/* moreau_velocities.c - what gaps and forces do to the velocities of a step (see moreau.c). */
#include "base/vec.h"
#include "moreau/moreau_parts.h"
#include "contact/contradiction.h"
#include "impulse/correction.h"

#include <math.h>
#include <string.h>

static const double most_unknown = 1e-7; /* m/s: of velocities, however short a step */

double hn_moreau_gap_shift(const hn_moreau *d, double g, double rate, double target, double h)
{
  const bool closes = g + h * rate <= 0.0, pushes = target == 0.0 || d->open_gaps == WAIT;
  if (g <= 0.0) return d->stabilisation == BAUMGARTE && pushes ? d->erp * fmin(g + d->slop, 0.0) / h : 0.0;
  if (closes && (target > 0.0 || d->open_gaps == VELOCITIES)) return 0.0;
  return target + fmax(g / h + (1.0 - d->theta) * rate, 0.0) / d->theta;
}

void hn_moreau_shift(hn_solver *solver, double h)
{
  const hn_moreau *d = solver->data;
  const hn_system *s = solver->system;
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    const double *g = s->g + block->row, target = hn_system_target(s, k);
    double *b = d->problem->b + block->row;
    if (hn_is_one_sided(block) && g[0] > 0.0 && d->open_gaps == WAIT)
      d->problem->block[k].set = hn_moreau_nothing;
    else if (hn_is_one_sided(block)) b[0] += hn_moreau_gap_shift(d, g[0], d->rate[block->row], target, h);
    else if (d->stabilisation == BAUMGARTE && !block->joint->type->velocity &&
             block->joint->set->kind == HN_ANY)
      for (int r = 0; r < block->n; r++) b[r] += d->erp * g[r] / h;
  }
}

void hn_moreau_note_rates(hn_solver *solver, const hn_state *state)
{
  hn_moreau *d = solver->data;
  hn_system *s = solver->system;
  for (int k = 0; k < s->nblock; k++) {
    const int row = s->block[k].row;
    if (hn_is_one_sided(&s->block[k]) && s->g[row] > 0.0) hn_system_block_rates(s, k, state, d->rate + row);
  }
}

void hn_moreau_hasten(const hn_moreau *d, double h, hn_state *state)
{
  for (int i = 0; i < state->nbody; i++) {
    vec_add_scaled(state->twist[i].v, h, d->acceleration[i].v);
    vec_add_scaled(state->twist[i].w, h, d->acceleration[i].w);
  }
}

void hn_moreau_kick(hn_solver *solver, double h, hn_state *state)
{
  hn_moreau *d = solver->data;
  hn_system *s = solver->system;
  hn_system_free_acceleration(s, state, d->acceleration);
  if (d->turn == FLIGHT) hn_system_fly_tops(s, state, h, d->flown, d->acceleration);
  memcpy(d->from, state->twist, sizeof *d->from * (size_t)state->nbody);
  hn_moreau_hasten(d, h, state);
}

/* The parts are small and are added up alone. Velocities of many contacts would else be rounded once for each, by the
 * same amount in every step. */
void hn_moreau_accelerate(const hn_moreau *d, hn_system *s, double h, hn_state *state)
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

/* The law is not met, and its solver says that it gets no further: is it met as well as velocities are known, of gaps
 * that the projection leaves within its tolerance? Where contacts repeat each other but for that, they contradict each
 * other by as much. */
static bool is_met_as_known(const hn_moreau *d, hn_reason reason, const double *p)
{
  if (reason != HN_STALLED || d->stabilisation != PROJECTION || d->rest.any) return false;
  const double most = fmin(d->gaps.tolerance / d->problem->h, most_unknown);
  return hn_is_met_within(d->problem, p, most, d->scratch, d->v);
}

hn_reason hn_moreau_solve(hn_solver *solver, double *p)
{
  hn_moreau *d = solver->data;
  hn_reason reason = hn_rest_solve(&d->rest, d->law, d->problem, p);
  solver->report.velocity_iterations += d->law->iterations;
  if (reason == HN_BUDGET && d->law->options.tolerance == 0.0) return HN_CONVERGED;
  if (reason == HN_CONVERGED) return reason;
  if (is_met_as_known(d, reason, p)) {
    solver->report.contradictions++;
    return HN_CONVERGED;
  }
  const char *what = d->law->message ? d->law->message : "problem of contact";
  if (reason == HN_BUDGET && d->law->iterations == 0)
    what = "a problem of contact that is too large for its solver";
  return reason == HN_BUDGET ? hn_step_stalled(solver, what, -1, d->law->error, d->law->iterations)
                             : hn_step_failed(solver, reason, what, -1, d->law->error);
}
