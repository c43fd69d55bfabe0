/* budget.c - equal cost: the step with which a solver spends a given work to reach the end of the scene.
 *
 * Work is counted in joint operations (hn_work_operations), the same for every solver and machine. A run of k steps
 * costs nearly k times what a step costs, but not quite: shorter steps need fewer iterations. So k is bracketed, each
 * trial starting where the last one's work per step puts the budget, and no trial costs more than the budget itself. */
#include <math.h>
#include "cli/study/budget.h"
#include "cli/study/study_runs.h"

enum { MAX_TRIALS = 40 };
static const double resolution = 0.005; /* of k */
static const double most_steps = 1e9;

/* The bracket: FITS steps stay within the budget, OVER steps do not. 0: not found yet. */
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

/* Where to try next: where the work per step of the last trial puts the budget, kept inside the bracket. */
static double choose(const search *s, double per_step)
{
  double guess = per_step > 0.0 ? floor((double)s->budget / per_step) : 2.0 * s->next;
  if (s->over == 0.0) return fmin(most_steps, fmax(guess, s->fits + 1.0 + floor(resolution * s->fits)));
  double low = s->fits + 1.0, high = s->over - 1.0;
  double margin = floor(0.05 * (s->over - s->fits)); /* so that the bracket shrinks from both sides */
  return fmin(fmax(guess, low + margin), high - margin);
}

/* A run with s->next steps, and what it says of the bracket. */
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
  else s->fits = s->next; /* or failed for another reason: only shorter steps can help */
  bool hopeless = reason == HN_SINGULAR && trial.summary.steps == 0; /* from the start: no step will do */
  int status = reason == HN_UNSUPPORTED || reason == HN_INTERRUPTED || hopeless ? 0 : 1;
  if (reason != HN_CONVERGED && reason != HN_BUDGET) per_step = 0.0;
  s->plan.step = plan.step;
  if (status == 1) s->next = choose(s, per_step);
  cli_outcome_free(&trial);
  return status;
}

static bool narrow(const search *s)
{
  if (s->fits >= most_steps) return true;
  return s->over > 0.0 && s->over - s->fits <= fmax(1.0, resolution * s->fits);
}

int cli_budget_step(const cli_plan *plan, uint64_t budget, double *step, hn_error *error)
{
  search s = { .plan = *plan, .budget = budget, .next = (double)hn_step_count(plan->step, plan->duration) };
  int status = 1;
  for (int trial = 0; trial < MAX_TRIALS && status == 1 && !narrow(&s); trial++)
    status = try_steps(&s, error);
  *step = s.fits > 0.0 ? plan->duration / s.fits : s.plan.step;
  return status < 0 ? -1 : 0;
}
