/* unique.h - joint forces that are not unique. */
#ifndef HN_CLI_UNIQUE_H
#define HN_CLI_UNIQUE_H

#include "cli/study/study_runs.h"

/* Returns the rank of the joint constraints at STATE; NULL on error. */
hn_rank *cli_rank_at(const hn_model *model, const hn_state *state, hn_error *error);
/* True if the run reports joint forces that may not be unique. */
bool cli_may_have_nonunique_forces(const cli_outcome *outcome);
/* True if the force is unique in all rows */
bool cli_force_unique(const hn_rank *rank, const hn_joint *joint);

#endif
