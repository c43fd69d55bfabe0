/* budget.c - equal cost: finds the step with which a solver needs a given amount of work to reach the end of
 * the scene.
 *
 * Work is counted in joint operations (hn_work_operations), the same for every solver and machine. A run of k
 * steps costs a little less than k times one step, since shorter steps need fewer iterations. Therefore k is
 * bracketed. Each trial begins where the work per step of the last one predicts the budget, and no trial
 * costs more than the budget. */
#include <math.h>
#include "cli/study/study_runs.h"

enum { MAX_TRIALS = 40 };
static const double resolution = 0.005; /* relative width of the final bracket of k */
static const double margin_part = 0.05; /* of the bracket: trials keep off its ends, so that both ends move */
static const double max_steps = 1e9;    /* of a run */

/* A search: `fits` steps stay within the budget, `over` steps do not; 0: not found yet. */
typedef struct search {
  cli_plan plan;
  uint64_t budget;
  double fits, over;
  double next; /* number of steps to try */
} search;

int cli_budget_check(const hn_scene *scene, uint64_t budget, hn_error *error)
{
  if (!budget || scene->model->njoint > 0) return 0;
  return hn_fail(error, "--budget: %s has no joints, and work is counted in joint operations", scene->name);
}

/* Returns the next number of steps, in the bracket, as predicted by the work per step of the last trial. */
static double choose_steps(const search *s, double per_step)
{
  double guess = per_step > 0.0 ? floor((double)s->budget / per_step) : 2.0 * s->next;
  if (s->over == 0.0) return fmin(max_steps, fmax(guess, s->fits + 1.0 + floor(resolution * s->fits)));
  double low = s->fits + 1.0, high = s->over - 1.0;
  double margin = floor(margin_part * (s->over - s->fits));
  return fmin(fmax(guess, low + margin), high - margin);
}

/* Runs s->next steps and updates the bracket. Returns 1 to continue the search, 0 to end it, -1 on error. */
static int try_steps(search *s, hn_error *error)
{
  cli_outcome trial;
  cli_plan plan = s->plan;
  plan.step = plan.duration / s->next;
  plan.budget = s->budget;
  if (cli_outcome_run(&trial, &plan, error) < 0) return -1;
  hn_reason reason = trial.summary.reason;
  double operations = cli_outcome_operations(&trial), per_step = cli_outcome_per_step(&trial, 1) * operations;
  bool above = reason == HN_BUDGET || (reason == HN_CONVERGED && operations > (double)s->budget);
  if (above) s->over = s->next;
  else s->fits = s->next; /* or failed for another reason, against which only shorter steps can help */
  /* singular at the start, with any step */
  bool hopeless = reason == HN_SINGULAR && trial.summary.steps == 0;
  int status = reason == HN_UNSUPPORTED || reason == HN_INTERRUPTED || hopeless ? 0 : 1;
  if (reason != HN_CONVERGED && reason != HN_BUDGET) per_step = 0.0;
  s->plan.step = plan.step;
  if (status == 1) s->next = choose_steps(s, per_step);
  cli_outcome_free(&trial);
  return status;
}

static bool is_narrow(const search *s)
{
  if (s->fits >= max_steps) return true;
  return s->over > 0.0 && s->over - s->fits <= fmax(1.0, resolution * s->fits);
}

int cli_budget_step(const cli_plan *plan, uint64_t budget, double *step, hn_error *error)
{
  search s = { .plan = *plan, .budget = budget, .next = (double)hn_step_count(plan->step, plan->duration) };
  int status = 1;
  for (int trial = 0; trial < MAX_TRIALS && status == 1 && !is_narrow(&s); trial++)
    status = try_steps(&s, error);
  *step = s.fits > 0.0 ? plan->duration / s.fits : s.plan.step;
  return status < 0 ? -1 : 0;
}
