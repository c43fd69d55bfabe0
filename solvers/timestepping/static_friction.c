/* static_friction.c - static and kinetic friction in time stepping.
 *
 *   a contact sticks: v_t = 0, |p_t| <= mu_s p_n        or it slides: |p_t| = mu_k p_n against v_t
 *
 * Its state remembers which: what slid in the last step has mu_k, all others mu_s. What would slide with mu_s has mu_k
 * in the same step, and the problem is solved again: contacts go from sticking to sliding alone, so that this ends.
 * What stops on mu_k sticks by mu_s from the next step on. Each problem is Coulomb's with one friction a contact; of
 * the solutions that two frictions allow it is that in which what sticks goes on to as long as it can. */
#include "timestepping/static_friction.h"
#include "base/vec.h"

bool hn_sticking_needed(const hn_state *state)
{
  for (int i = 0; i < state->ncontact; i++)
    if (state->contact[i].sticking > 0) return true;
  return false;
}

void hn_sticking_offer(const hn_sticking *s)
{
  for (int i = 0; i < s->state->ncontact; i++) {
    const hn_contact *contact = &s->state->contact[i];
    hn_set *set = &s->problem->block[s->first + i].set;
    if (contact->sticking > 0 && set->kind == HN_CONE)
      set->mu = contact->sliding, set->mu_static = contact->sticking;
  }
}

/* Does contact I slide with FRICTION? Its impulse less its velocity over the block's part of K is then beyond the cone,
 * by that velocity. */
static bool slides(const hn_sticking *s, int i, double friction, const double *p, const double *v)
{
  const hn_problem_block *block = &s->problem->block[s->first + i];
  const double scale = hn_problem_scale(s->problem, s->first + i);
  double beyond[2] = { 0.0, 0.0 };
  for (int r = 1; r < block->n; r++) beyond[r - 1] = p[block->row + r] - v[block->row + r] / scale;
  return p[block->row] > 0.0 && norm_of(beyond, 2) > friction * p[block->row] + s->tolerance / scale;
}

static bool is_left_out(const hn_sticking *s, int i)
{
  return s->left_out && s->left_out[s->first + i];
}

int hn_sticking_release(const hn_sticking *s, const double *p, const double *v)
{
  int count = 0;
  for (int i = 0; i < s->state->ncontact; i++) {
    hn_contact *contact = &s->state->contact[i];
    if (!(contact->sticking > 0) || contact->friction < contact->sticking || is_left_out(s, i)) continue;
    if (!slides(s, i, contact->friction, p, v)) continue;
    s->problem->block[s->first + i].set.mu = contact->friction = contact->sliding;
    count++;
  }
  return count;
}

void hn_sticking_keep(const hn_sticking *s, const double *p, const double *v)
{
  for (int i = 0; i < s->state->ncontact; i++) {
    hn_contact *contact = &s->state->contact[i];
    if (!(contact->sticking > 0) || is_left_out(s, i)) continue;
    const hn_problem_block *block = &s->problem->block[s->first + i];
    const bool slips = norm_of(v + block->row + 1, block->n - 1) > s->tolerance;
    contact->friction = slips && slides(s, i, contact->sliding, p, v) ? contact->sliding : contact->sticking;
  }
}
