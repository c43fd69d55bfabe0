/* budget.h - equal cost: the step with which a solver needs a given amount of work. */
#ifndef HN_CLI_BUDGET_H
#define HN_CLI_BUDGET_H

#include "cli/study/study_runs.h"

/* Finds the smallest step duration/k, k whole, with which the run of PLAN stays within BUDGET, to half a
 * percent. If no step does, *STEP is the one tried last. Returns -1 if the spec is invalid. */
int cli_budget_step(const cli_plan *plan, uint64_t budget, double *step, hn_error *error);
/* Returns 0 if work can be counted: BUDGET is 0, or the scene has joints. */
int cli_budget_check(const hn_scene *scene, uint64_t budget, hn_error *error);

#endif
