/* unique.c - joint forces that are not unique. Redundant constraints determine only sums of
 * forces; the single forces that a solver reports are its own choice. */
#include <string.h>
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
