/* singular_position.c - recognises positions where joints become dependent.
 *
 * There the mechanism has more freedoms for an instant, and the joint residuals do not determine the motion
 * after it: a solver can leave on another branch, or with another speed, and all residuals are zero. The
 * measure is the smallest singular value of the independent rows, of unit length and without units (rank.c).
 * It is compared with that at the start, because long chains have small ones everywhere. */
#include "run/singular_position.h"

#include <stdio.h>
#include <string.h>

enum { MOST_ROWS = 2000 }; /* of joints: the rank of more takes long */

/* Part of the singular value at the start below which a position counts as nearly singular. */
static const double near_part = 0.2;

/* Numbers of a jump of the energy: steps before it; ratio to all other changes; part of the energies in
 * play. */
enum { MIN_STEPS = 10 };
static const double jump_ratio = 10.0, min_jump = 1e-6;

static hn_rank *rank_at(hn_system *system, const hn_state *state)
{
  hn_error error;
  hn_system_jacobian(system, state);
  return hn_rank_create(system, HN_RANK_AUTO, &error);
}

/* True if the joints of MODEL are much nearer to dependence at STATE than at START; writes both values to
 * TEXT. */
static bool is_nearer(const hn_model *model, const hn_state *start, const hn_state *state, char *text,
                      size_t size)
{
  hn_error error;
  hn_system *system = model->nrow > 0 && model->nrow <= MOST_ROWS ? hn_system_create(model, &error) : NULL;
  hn_rank *first = system ? rank_at(system, start) : NULL, *now = first ? rank_at(system, state) : NULL;
  bool is_near = now && (now->rank < first->rank || now->kept < near_part * first->kept);
  if (is_near && now->rank < first->rank)
    snprintf(text, size, "of rank %d, and %d at the start", now->rank, first->rank);
  else if (is_near)
    snprintf(text, size, "singular value %.2g, and %.2g at the start", now->kept, first->kept);
  hn_rank_free(first), hn_rank_free(now);
  hn_system_free(system);
  return is_near;
}

/* True if the joints are nearly dependent before or after the last step; writes the reason to WHY. */
static bool is_singular_position(hn_runner *r, char *why, size_t size)
{
  const hn_model *model = r->solver->system->model;
  if (r->summary.changes > 0 || !r->bounds.first) return false; /* the start was of another model */
  return is_nearer(model, r->bounds.first, r->solver->backup, why, size) ||
         is_nearer(model, r->bounds.first, r->state, why, size);
}

bool hn_runner_left_singular_position(hn_runner *r)
{
  char why[128];
  hn_summary *s = &r->summary;
  const double jump = s->energy_jump;
  if (!hn_runner_measures(r, r->index) || r->index < MIN_STEPS || s->energy_jump_time != r->state->time)
    return false;
  if (!(jump > jump_ratio * s->energy_changes && jump > min_jump * hn_bounds_energy(&r->bounds)))
    return false;
  if (!is_singular_position(r, why, sizeof why)) return false;
  snprintf(s->explanation, sizeof s->explanation,
           "%s: %s: at a singular position (joints nearly dependent: %s) the energy jumps by %.2g J, and the "
           "motion after it would be a different one; augmented passes such positions",
           r->solver->type->name, hn_reason_name(HN_SINGULAR), why, jump);
  return true;
}

void hn_runner_explain_singular_position(hn_runner *r)
{
  char why[128];
  hn_summary *s = &r->summary;
  const size_t length = strlen(s->explanation);
  if (r->index < 1 || (r->reason != HN_STALLED && r->reason != HN_DIVERGED)) return;
  if (is_singular_position(r, why, sizeof why))
    snprintf(s->explanation + length, sizeof s->explanation - length,
             "; the position is nearly singular (joints nearly dependent: %s), which augmented passes", why);
}
