/* unique.h - joint forces that are not unique. */
#ifndef HN_CLI_UNIQUE_H
#define HN_CLI_UNIQUE_H

#include "cli/study/runs.h"

hn_rank *cli_rank_at(const hn_model *model, const hn_state *state, hn_error *error); /* NULL on error */
/* Does the method report joint forces, and run where they are not unique? */
bool cli_forces_may_vary(const cli_outcome *outcome);
bool cli_force_unique(const hn_rank *rank, const hn_joint *joint); /* in all rows */

#endif
