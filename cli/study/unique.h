/* unique.h - forces of joints and of contacts that are not unique. */
#ifndef HN_CLI_UNIQUE_H
#define HN_CLI_UNIQUE_H

#include "cli/study/study_runs.h"

hn_rank *cli_rank_at(const hn_model *model, const hn_state *state, hn_error *error); /* NULL on error */
/* Does the solver report joint forces, and run where they are not unique? */
bool cli_forces_may_vary(const cli_outcome *outcome);
bool cli_force_unique(const hn_rank *rank, const hn_joint *joint); /* in all rows */

/* What touches, as equations beside those of the joints: normal directions with an impulse, and friction
 * of what sticks. Where it slides friction follows from the normal impulse. */
typedef struct cli_touching {
  hn_system *system;
  hn_state *state; /* with its contacts, by key */
  hn_rank *rank;
} cli_touching;

/* At STATE, with the impulses of its last step. -1 on error; nothing is known where nothing touches: rank
 * is NULL. */
int cli_touching_create(cli_touching *touching, const hn_model *model, const hn_state *state,
                        hn_error *error);
void cli_touching_free(cli_touching *touching);
/* Block of contact I. */
const hn_block *cli_touching_block(const cli_touching *touching, int i);

#endif
