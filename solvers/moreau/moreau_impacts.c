/* moreau_impacts.c - impacts before contacts: sequence=guendelman and sequence=chain of moreau.c. */
#include "moreau/moreau_parts.h"
#include "timestepping/substep.h"

#include <math.h>
#include <string.h>

enum { MAX_ROUNDS = 1000 }; /* limit on the rounds of a chain in one step */

/* Returns the closing rate (m/s) up to which a block does not bounce. */
static double threshold_rate(const hn_moreau *d, const hn_system *s)
{
  return fmax(s->model->threshold, hn_moreau_margin * d->contact.tolerance);
}

/* True if block K has an impact or resists one. NOW is its rate without forces, END that at the end of the
 * step with forces only. In a chain all blocks that the law of the step would stop take part. */
static bool is_included(const hn_moreau *d, const hn_system *s, int k, double now, double end, double h)
{
  const hn_block *block = &s->block[k];
  const double g = s->g[block->row], e = block->joint->set->restitution;
  if (!hn_is_one_sided(block)) return false;
  if (d->sequence == GUENDELMAN) return g + h * end <= 0.0 && now < 0.0;
  if (d->open_gaps == WAIT && g > 0.0) return false;
  const bool closes = now < 0.0 || (e == 0.0 && now <= threshold_rate(d, s));
  return closes && end + hn_moreau_gap_term(d, g, d->initial_rate[k], 0.0, h) <= 0.0;
}

/* Poses the problem of these impacts at the velocities of STATE, which include the PART of the forces. Joints
 * take part, bounded motors and friction do not. True if there is an impact. */
static bool pose_impacts(hn_solver *solver, const hn_state *state, double part, double h)
{
  hn_moreau *d = solver->data;
  hn_system *s = solver->system;
  bool any_impact = false;
  hn_problem_assemble(d->problem, s, state, h);
  hn_system_velocity_residual(s, state, d->v, NULL);
  for (int k = 0; k < s->nblock; k++) {
    const int row = s->block[k].row;
    const double now = d->v[row] - part * d->force_rate[row], end = now + d->force_rate[row];
    const double e = s->block[k].joint->set->restitution;
    const bool included = is_included(d, s, k, now, end, h),
               bounces = included && e > 0.0 && now < -threshold_rate(d, s);
    if (!included && s->block[k].joint->set->kind != HN_ANY) d->problem->block[k].set = hn_moreau_no_impulse;
    if (bounces) d->problem->b[row] += e * d->v[row];
    any_impact |= d->sequence == CHAIN ? bounces : included;
  }
  return any_impact;
}

/* Computes the change of all rates by forces in a step, also of closed gaps; STATE is restored. */
static void compute_force_rates(hn_solver *solver, hn_state *state, double h)
{
  hn_moreau *d = solver->data;
  hn_system *s = solver->system;
  hn_system_velocity_residual(s, state, d->v, NULL);
  hn_moreau_free_velocities(solver, h, state);
  hn_system_velocity_residual(s, state, d->force_rate, NULL);
  hn_state_copy_motion(state, d->start);
  for (int i = 0; i < s->nrow; i++) d->force_rate[i] -= d->v[i];
}

hn_reason hn_moreau_impacts(hn_solver *solver, hn_state *state, double h)
{
  hn_moreau *d = solver->data;
  hn_system *s = solver->system;
  const bool chain = d->sequence == CHAIN, bounces = hn_system_has_targets(s);
  const double part = chain ? 0.5 : 0.0;
  hn_system_clear_targets(s);
  memset(d->impact, 0, sizeof *d->impact * (size_t)s->nrow);
  if (chain && !bounces) return HN_CONVERGED;
  compute_force_rates(solver, state, h);
  hn_substep_accelerate(part * h, d->acceleration, state);
  for (int round = 0; pose_impacts(solver, state, part, h); round++) {
    if (round == MAX_ROUNDS)
      return hn_step_stalled(solver, "chain of impacts", -1, d->velocity_solver->error, round);
    memset(d->p, 0, sizeof *d->p * (size_t)s->nrow);
    hn_reason reason = hn_moreau_solve(solver, d->p);
    if (reason != HN_CONVERGED) return reason;
    hn_system_apply(s, d->p, 1.0, state);
    for (int i = 0; i < s->nrow; i++) d->impact[i] += d->p[i];
    if (!chain) break;
  }
  hn_substep_accelerate(-part * h, d->acceleration, state);
  if (!chain) hn_moreau_store_rates(solver, state);
  return HN_CONVERGED;
}
