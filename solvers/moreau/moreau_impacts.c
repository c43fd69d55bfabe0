/* moreau_impacts.c - impacts before contacts: sequence=guendelman and chain of moreau.c. */
#include "moreau/moreau_parts.h"
#include "impulse/correction.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 1000 }; /* of impacts in a step */

/* m/s: what closes no faster does not bounce. */
static double slowest(const hn_moreau *d, const hn_system *s)
{
  return fmax(s->model->threshold, 10.0 * d->contact.tolerance);
}

/* Is block K an impact, or what holds one up? With its rates NOW, without forces, and at the END of the step by forces
 * alone. In a chain all are that the law of the step would stop. */
static bool takes_part(const hn_moreau *d, const hn_system *s, int k, double now, double end, double h)
{
  const hn_block *block = &s->block[k];
  const double g = s->g[block->row], e = block->joint->set->restitution;
  if (!hn_is_one_sided(block)) return false;
  if (d->sequence == GUENDELMAN) return g + h * end <= 0.0 && now < 0.0;
  if (d->open_gaps == WAIT && g > 0.0) return false;
  const bool closes = now < 0.0 || (e == 0.0 && now <= slowest(d, s));
  return closes && end + hn_moreau_gap_shift(d, g, d->rate[block->row], 0.0, h) <= 0.0;
}

/* The problem of these, at the velocities of STATE, of which forces made the PART so far: joints take part, what is
 * bounded by a force does not. Is there an impact? */
static bool pose_impacts(hn_solver *solver, const hn_state *state, double part, double h)
{
  hn_moreau *d = solver->data;
  hn_system *s = solver->system;
  bool any = false;
  hn_problem_pose(d->problem, s, state, h);
  hn_system_velocity_residual(s, state, d->v, NULL);
  for (int k = 0; k < s->nblock; k++) {
    const int row = s->block[k].row;
    const double now = d->v[row] - part * d->push[row], end = now + d->push[row];
    const double e = s->block[k].joint->set->restitution;
    const bool meets = takes_part(d, s, k, now, end, h), bounces = meets && e > 0.0 && now < -slowest(d, s);
    if (!meets && s->block[k].joint->set->kind != HN_ANY) d->problem->block[k].set = hn_moreau_nothing;
    if (bounces) d->problem->b[row] += e * d->v[row];
    any |= d->sequence == CHAIN ? bounces : meets;
  }
  return any;
}

/* What forces change of all rates in a step, of gaps that are closed as well; STATE as it was. */
static void note_push(hn_solver *solver, hn_state *state, double h)
{
  hn_moreau *d = solver->data;
  hn_system *s = solver->system;
  hn_system_velocity_residual(s, state, d->v, NULL);
  hn_moreau_kick(solver, h, state);
  hn_system_velocity_residual(s, state, d->push, NULL);
  hn_state_copy_motion(state, d->start);
  for (int i = 0; i < s->nrow; i++) d->push[i] -= d->v[i];
}

hn_reason hn_moreau_impacts(hn_solver *solver, hn_state *state, double h)
{
  hn_moreau *d = solver->data;
  hn_system *s = solver->system;
  const bool chain = d->sequence == CHAIN, bounces = s->ntarget > 0;
  const double part = chain ? 0.5 : 0.0;
  hn_system_clear_targets(s);
  memset(d->impact, 0, sizeof *d->impact * (size_t)s->nrow);
  if (chain && !bounces) return HN_CONVERGED;
  note_push(solver, state, h);
  hn_moreau_hasten(d, part * h, state);
  for (int round = 0; pose_impacts(solver, state, part, h); round++) {
    if (round == MOST_ROUNDS) return hn_step_stalled(solver, "chain of impacts", -1, d->law->error, round);
    memset(d->p, 0, sizeof *d->p * (size_t)s->nrow);
    hn_reason reason = hn_moreau_solve(solver, d->p);
    if (reason != HN_CONVERGED) return reason;
    hn_system_apply(s, d->p, 1.0, state);
    for (int i = 0; i < s->nrow; i++) d->impact[i] += d->p[i];
    if (!chain) break;
  }
  hn_moreau_hasten(d, -part * h, state);
  if (!chain) hn_moreau_note_rates(solver, state);
  return HN_CONVERGED;
}
