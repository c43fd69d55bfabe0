/* unique.c - joint forces that are not unique: where constraints repeat each other only sums of forces are known, and
 * what a solver reports of the single ones is its own choice. */
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

/* A solver without a policy has solved with a regular K: its forces are unique. */
bool cli_forces_may_vary(const cli_outcome *outcome)
{
  if (!outcome->solver || !(outcome->solver->type->capabilities & HN_HAS_MULTIPLIERS)) return false;
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

/* ---- Contacts ----------------------------------------------------------------------------------------- */

static const double inside = 1.0 - 1e-6; /* of its cone is what has less friction than that: it sticks; */
static const double no_slip = 1e-6;      /* m/s: nor does that slide */

const hn_block *cli_touching_block(const cli_touching *t, int i)
{
  return &t->system->block[t->system->model->njoint + i];
}

/* V are the velocities of all rows. */
static void hold(cli_touching *t, int i, const double *v)
{
  const hn_contact *c = &t->state->contact[i];
  const hn_block *block = cli_touching_block(t, i);
  const double *p = c->impulse, slip = block->n > 1 ? norm_of(v + block->row + 1, block->n - 1) : 0.0;
  const bool acts = p[0] > 0.0;
  const bool sticks = norm_of(p + 1, 2) < inside * c->friction * p[0] || slip < no_slip;
  for (int r = 0; r < block->n; r++) hn_system_hold(t->system, block->row + r, acts && (r == 0 || sticks));
}

static int find_touching(cli_touching *t, const hn_model *model, const hn_state *state, hn_error *error)
{
  if (!(t->state = hn_state_duplicate(state))) return hn_fail(error, "out of memory");
  if (!(t->system = hn_system_create(model, error))) return -1;
  if (hn_system_begin(t->system, t->state) != HN_CONVERGED)
    return hn_fail(error, "there is no room for contacts");
  double *v = cli_alloc((size_t)t->system->nrow + 1, sizeof *v);
  for (int i = 0; i < t->system->nrow; i++) hn_system_hold(t->system, i, true);
  hn_system_jacobian(t->system, t->state);
  hn_system_velocity_residual(t->system, t->state, v, NULL);
  for (int i = 0; i < t->state->ncontact; i++) hold(t, i, v);
  free(v);
  t->rank = hn_rank_create(t->system, HN_RANK_AUTO, error);
  return t->rank ? 0 : -1;
}

int cli_touching_create(cli_touching *t, const hn_model *model, const hn_state *state, hn_error *error)
{
  *t = (cli_touching){ .rank = NULL };
  if (state->ncontact == 0 || find_touching(t, model, state, error) == 0) return 0;
  cli_touching_free(t);
  return -1;
}

void cli_touching_free(cli_touching *t)
{
  hn_rank_free(t->rank);
  hn_system_free(t->system);
  hn_state_free(t->state);
  *t = (cli_touching){ .rank = NULL };
}
