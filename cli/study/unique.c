/* unique.c - joint and contact forces that are not unique. Redundant constraints determine only sums of
 * forces; the single forces that a solver reports are its own choice. */
#include <string.h>
#include "base/vec.h"
#include "cli/base/memory.h"
#include "cli/study/study_runs.h"
#include "cli/study/unique.h"

hn_rank *cli_rank_at(const hn_model *model, const hn_state *state, hn_error *error)
{
  hn_system *system = hn_system_create(model, error);
  if (!system) return NULL;
  hn_system_jacobian(system, state);
  hn_rank *rank = hn_rank_create(system, HN_RANK_AUTO, error);
  hn_system_free(system);
  return rank;
}

/* True if the solver computes joint forces and accepts redundant constraints. With redundancy=error, K was
 * regular and forces are unique. */
bool cli_may_have_nonunique_forces(const cli_outcome *outcome)
{
  if (!cli_outcome_has_forces(outcome)) return false;
  const char *policy = strstr(outcome->solver->spec, "redundancy=");
  bool refuses = policy && strncmp(policy, "redundancy=error", strlen("redundancy=error")) == 0;
  return cli_outcome_model(outcome)->nrow > 0 && !refuses;
}

bool cli_force_unique(const hn_rank *rank, const hn_joint *joint)
{
  bool unique = true;
  for (int r = 0; r < joint->type->rows; r++) unique &= hn_rank_unique(rank, joint->row + r);
  return unique;
}

/* ---- Contacts ------------------------------------------------------------------------------------------ */

static const double stick_part = 1.0 - 1e-6; /* friction below this part of its cone sticks */
static const double stick_velocity = 1e-6;   /* m/s: slower contacts stick */

const hn_block *cli_contact_equations_block(const cli_contact_equations *t, int i)
{
  return &t->system->block[t->system->model->njoint + i];
}

/* Holds the active rows of contact I: normal with an impulse, friction if it sticks. V: velocities of
 * rows. */
static void hold_contact(cli_contact_equations *t, int i, const double *v)
{
  const hn_contact *c = &t->state->contact[i];
  const hn_block *block = cli_contact_equations_block(t, i);
  const double *p = c->impulse, slip = block->n > 1 ? norm_of(v + block->row + 1, block->n - 1) : 0.0;
  const bool acts = p[0] > 0.0;
  const bool sticks = norm_of(p + 1, 2) < stick_part * c->friction * p[0] || slip < stick_velocity;
  for (int r = 0; r < block->n; r++) hn_system_hold(t->system, block->row + r, acts && (r == 0 || sticks));
}

static int find_equations(cli_contact_equations *t, const hn_model *model, const hn_state *state,
                          hn_error *error)
{
  if (!(t->state = hn_state_duplicate(state))) return hn_fail(error, "out of memory");
  if (!(t->system = hn_system_create(model, error))) return -1;
  if (hn_system_begin(t->system, t->state) != HN_CONVERGED)
    return hn_fail(error, "there is no room for contacts");
  double *v = cli_alloc((size_t)t->system->nrow + 1, sizeof *v);
  for (int i = 0; i < t->system->nrow; i++) hn_system_hold(t->system, i, true);
  hn_system_jacobian(t->system, t->state);
  hn_system_velocity_residual(t->system, t->state, v, NULL);
  for (int i = 0; i < t->state->ncontact; i++) hold_contact(t, i, v);
  free(v);
  t->rank = hn_rank_create(t->system, HN_RANK_AUTO, error);
  return t->rank ? 0 : -1;
}

int cli_contact_equations_create(cli_contact_equations *t, const hn_model *model, const hn_state *state,
                                 hn_error *error)
{
  *t = (cli_contact_equations){ .rank = NULL };
  if (state->ncontact == 0 || find_equations(t, model, state, error) == 0) return 0;
  cli_contact_equations_free(t);
  return -1;
}

void cli_contact_equations_free(cli_contact_equations *t)
{
  hn_rank_free(t->rank);
  hn_system_free(t->system);
  hn_state_free(t->state);
  *t = (cli_contact_equations){ .rank = NULL };
}
