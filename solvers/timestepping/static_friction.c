/* static_friction.c - static and kinetic friction in time stepping.
 *
 *   a contact sticks: v_t = 0, |p_t| <= mu_s p_n        or it slides: |p_t| = mu_k p_n against v_t
 *
 * The state stores the mode: contacts that slid in the last step have mu_k, all others mu_s. A contact that
 * would slide with mu_s gets mu_k in the same step, and the problem is solved again. Contacts only change
 * from sticking to sliding, so this terminates. A contact that stops with mu_k has mu_s from the next step
 * on. Each problem is Coulomb's with one coefficient a contact. Of several solutions this finds the one in
 * which contacts stick for as long as possible. */
#include "timestepping/static_friction.h"
#include "base/vec.h"

bool hn_static_friction_is_needed(const hn_state *state)
{
  for (int i = 0; i < state->ncontact; i++)
    if (state->contact[i].sticking > 0) return true;
  return false;
}

void hn_static_friction_set_cones(const hn_static_friction *s)
{
  for (int i = 0; i < s->state->ncontact; i++) {
    const hn_contact *contact = &s->state->contact[i];
    hn_set *set = &s->problem->block[s->first + i].set;
    if (contact->sticking > 0 && set->kind == HN_CONE)
      set->mu = contact->sliding, set->mu_static = contact->sticking;
  }
}

/* True if contact I slides with FRICTION: its impulse less its velocity divided by the block's scale of K
 * lies outside the cone by more than the tolerance. */
static bool slides(const hn_static_friction *s, int i, double friction, const double *p, const double *v)
{
  const hn_problem_block *block = &s->problem->block[s->first + i];
  const double scale = hn_problem_scale(s->problem, s->first + i);
  double trial[2] = { 0.0, 0.0 };
  for (int r = 1; r < block->n && r < 3; r++) trial[r - 1] = p[block->row + r] - v[block->row + r] / scale;
  return p[block->row] > 0.0 && norm_of(trial, 2) > friction * p[block->row] + s->tolerance / scale;
}

static bool is_left_out(const hn_static_friction *s, int i)
{
  return s->left_out && s->left_out[s->first + i];
}

int hn_static_friction_start_sliding(const hn_static_friction *s, const double *p, const double *v)
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

void hn_static_friction_update(const hn_static_friction *s, const double *p, const double *v)
{
  for (int i = 0; i < s->state->ncontact; i++) {
    hn_contact *contact = &s->state->contact[i];
    if (!(contact->sticking > 0) || is_left_out(s, i)) continue;
    const hn_problem_block *block = &s->problem->block[s->first + i];
    const bool slips = norm_of(v + block->row + 1, block->n < 3 ? 1 : 2) > s->tolerance;
    contact->friction = slips && slides(s, i, contact->sliding, p, v) ? contact->sliding : contact->sticking;
  }
}
