/* budget.h - equal cost: the step with which a solver spends a given work. */
#ifndef HN_CLI_BUDGET_H
#define HN_CLI_BUDGET_H

#include "cli/study/study_runs.h"

/* The smallest step duration/k, k whole, with which PLAN's run stays within BUDGET, to half a percent; that of the last
 * run tried where none does. -1 when the spec is wrong in itself. */
int cli_budget_step(const cli_plan *plan, uint64_t budget, double *step, hn_error *error);
/* 0 when work can be counted in the scene: it has joints. */
int cli_budget_check(const hn_scene *scene, uint64_t budget, hn_error *error);

#endif
