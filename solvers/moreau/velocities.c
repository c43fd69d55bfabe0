/* velocities.c - what gaps and forces do to the velocities of a step (see moreau.c). */
#include "base/vec.h"
#include "moreau/moreau.h"
#include "part/correction.h"

#include <string.h>

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
    const double *g = s->g + block->row, target = s->aimed ? s->target[block->row] : 0.0;
    double *b = d->problem->b + block->row;
    if (hn_is_one_sided(block) && g[0] > 0.0 && d->open_gaps == WAIT) d->problem->block[k].set = hn_moreau_nothing;
    else if (hn_is_one_sided(block)) b[0] += hn_moreau_gap_shift(d, g[0], d->rate[block->row], target, h);
    else if (d->stabilisation == BAUMGARTE && !block->joint->type->velocity && block->joint->set->kind == HN_ANY)
      for (int r = 0; r < block->n; r++) b[r] += d->erp * g[r] / h;
  }
}

void hn_moreau_note_rates(hn_solver *solver, const hn_state *state)
{
  hn_moreau *d = solver->data;
  hn_system *s = solver->system;
  const bool aimed = s->aimed;
  s->aimed = false;
  for (int k = 0; k < s->nblock; k++) {
    const int row = s->block[k].row;
    if (hn_is_one_sided(&s->block[k]) && s->g[row] > 0.0)
      hn_system_block_velocity(s, k, state, d->rate + row);
  }
  s->aimed = aimed;
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
    vec_add_scaled(change[i].v, h, d->acceleration[i].v), vec_add(state->twist[i].v, d->start->twist[i].v, change[i].v);
    vec_add_scaled(change[i].w, h, d->acceleration[i].w), vec_add(state->twist[i].w, d->start->twist[i].w, change[i].w);
  }
}
