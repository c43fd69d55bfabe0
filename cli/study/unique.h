/* unique.h - joint and contact forces that are not unique. */
#ifndef HN_CLI_UNIQUE_H
#define HN_CLI_UNIQUE_H

#include "cli/study/study_runs.h"

/* Returns the rank of the joint constraints at STATE; NULL on error. */
hn_rank *cli_rank_at(const hn_model *model, const hn_state *state, hn_error *error);
/* True if the run reports joint forces that may not be unique. */
bool cli_may_have_nonunique_forces(const cli_outcome *outcome);
/* True if the force is unique in all rows */
bool cli_force_unique(const hn_rank *rank, const hn_joint *joint);

/* Active contacts as equations beside those of the joints: normal rows with an impulse, and friction rows of
 * sticking contacts. Friction of a sliding contact follows from its normal impulse. */
typedef struct cli_contact_equations {
  hn_system *system;
  hn_state *state; /* state with its contacts */
  hn_rank *rank;
} cli_contact_equations;

/* Determines equations and rank at STATE, with the impulses of its last step; rank is NULL without contacts.
 * Returns -1 on error. */
int cli_contact_equations_create(cli_contact_equations *equations, const hn_model *model,
                                 const hn_state *state, hn_error *error);
void cli_contact_equations_free(cli_contact_equations *equations);
/* Returns the block of contact I. */
const hn_block *cli_contact_equations_block(const cli_contact_equations *equations, int i);

#endif
