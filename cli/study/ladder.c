/* ladder.c - runs of one solver with ever smaller steps, and the order fitted to their errors.
 *
 * Errors at the level of rounding are left out of the fit. No order is given when the runs converge to a
 * motion other than the reference. The distance d of the two finest runs bounds the error of the finer one,
 * for any order from one on. A larger error than d therefore means that the reference is wrong, or that the
 * solver computes another motion; a trusted run decides which. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "cli/base/interrupt.h"
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/base/progress.h"
#include "cli/study/ladder.h"
#include "cli/study/reference_runs.h"
#include "base/vec.h"

enum { LEAST_STEPS = 3 };
enum { FINER = 8 }; /* smallest step, over the step of a reference by the same solver */
static const double rounding_base =
  300.0;                                /* rounding error of a run of few steps, in epsilon times the size */
static const double clear_factor = 4.0; /* error over its bound from which the runs miss the reference */

/* Returns an estimate of the rounding error at the end of a run, m: for each step, an epsilon of the size of
 * the mechanism or of its distance from the origin. */
static double rounding_of(const cli_outcome *o)
{
  double size = o->summary.size;
  for (int i = 0; i < o->state->nbody; i++)
    size = fmax(size, sqrt(vec_dot(o->state->pose[i].x, o->state->pose[i].x)));
  return DBL_EPSILON * size * (rounding_base + (double)o->summary.steps);
}

int cli_ladder_steps(cli_ladder *l, const double *steps, size_t count, hn_error *error)
{
  l->count = count;
  l->step = cli_alloc(count, sizeof *l->step);
  l->error = cli_alloc(count, sizeof *l->error);
  l->outcome = cli_alloc(count, sizeof *l->outcome);
  for (size_t i = 0; i < count; i++) {
    l->step[i] = steps ? steps[i] : ldexp(l->plan.step, -(int)i);
    if (l->step[i] > l->plan.duration)
      return hn_fail(error, "converge: the step %s s is longer than the duration %s s",
                     cli_exact(l->step[i]).text, cli_exact(l->plan.duration).text);
  }
  return 0;
}

/* ---- The budget ---------------------------------------------------------------------------------------- */

/* Returns the place of the largest of the steps (SIGN 1), or of the smallest (-1). */
static size_t extreme_step(const cli_ladder *l, double sign)
{
  size_t at = 0;
  for (size_t i = 1; i < l->count; i++)
    if (sign * l->step[i] > sign * l->step[at]) at = i;
  return at;
}

/* Returns the joint operations of all runs, and of the reference if it is one of the same solver (OWN), with
 * WORK operations a second of the motion over the step. */
static double total_work(const cli_ladder *l, double work, bool own)
{
  double total = own ? FINER * work / l->step[extreme_step(l, -1.0)] : 0.0;
  for (size_t i = 0; i < l->count; i++) total += work / l->step[i];
  return total;
}

static void leave_out(cli_ladder *l, size_t i)
{
  l->left_out[l->nleft_out++] = l->step[i];
  memmove(l->step + i, l->step + i + 1, (l->count - i - 1) * sizeof *l->step);
  l->count--;
}

/* Leaves out the smallest steps until the runs, by the work of one with the largest step, are within the
 * budget. */
static int limit_work(cli_ladder *l, bool own, hn_error *error)
{
  cli_plan plan = l->plan;
  cli_outcome outcome;
  if (!(l->budget > 0.0) || l->count <= LEAST_STEPS) return 0;
  plan.step = l->step[extreme_step(l, 1.0)], plan.measures = CLI_FEW_MEASURES;
  const int status = cli_outcome_run(&outcome, &plan, error);
  const double work = (double)hn_work_operations(&outcome.summary.work) * plan.step;
  const bool known = status == 0 && outcome.summary.reason == HN_CONVERGED;
  cli_outcome_free(&outcome);
  if (!known) return status;
  l->estimated = total_work(l, work, own);
  l->left_out = cli_alloc(l->count, sizeof *l->left_out);
  while (l->count > LEAST_STEPS && total_work(l, work, own) > l->budget) leave_out(l, extreme_step(l, -1.0));
  return 0;
}

/* ---- The reference ------------------------------------------------------------------------------------- */

static int run_own_reference(cli_ladder *l, hn_error *error)
{
  cli_plan plan = l->plan;
  int status = limit_work(l, true, error);
  if (status < 0) return status;
  plan.step = l->step[extreme_step(l, -1.0)] / FINER;
  cli_progress_study(0, l->count + 1);
  status = cli_reference_run(&l->reference, &plan, error);
  if (status == 1) {
    free(l->reference.key);
    l->reference.key = cli_text("self");
  }
  return status;
}

/* Makes a reference by runs of SPEC. */
static int run_reference_of(cli_ladder *l, const char *spec, hn_error *error)
{
  const double coarsest = l->step[extreme_step(l, 1.0)], finest = l->step[extreme_step(l, -1.0)];
  return cli_reference_by(&l->reference, l->plan.scene, spec, coarsest, finest, l->plan.duration, 0, error);
}

static int find_reference(cli_ladder *l, const char *wanted, cli_norm norm, hn_error *error)
{
  const cli_reference_kind kind = cli_reference_kind_of(wanted);
  if (wanted && strcmp(wanted, "self") == 0) return run_own_reference(l, error);
  if (kind == CLI_REFERENCE_NONE)
    return hn_fail(error,
                   "converge needs a reference: scene, self, a solver, or a file with the JSON of a run");
  if (cli_reference_check(wanted, l->plan.scene, norm, error) < 0) return -1;
  if (kind == CLI_REFERENCE_FILE) return cli_reference_file(&l->reference, &l->plan, wanted, error);
  if (kind == CLI_REFERENCE_SPEC) return run_reference_of(l, wanted, error);
  int status = cli_reference_scene(&l->reference, l->plan.scene, norm, l->plan.duration, error);
  if (status != 0) return status;
  if (wanted)
    return hn_fail(error, "--reference scene: %s has no reference %s t = %s s; use self", l->plan.scene->name,
                   norm == CLI_END ? "at" : "at all times to", cli_exact(l->plan.duration).text);
  cli_reference_free(&l->reference);
  return run_own_reference(l, error);
}

int cli_ladder_reference(cli_ladder *l, const char *wanted, cli_norm norm, hn_error *error)
{
  int status = find_reference(l, wanted, norm, error);
  l->reference.norm = norm;
  const bool own = l->reference.key && strcmp(l->reference.key, "self") == 0;
  return status > 0 && !own && limit_work(l, false, error) < 0 ? -1 : status;
}

/* ---- Runs and their order ------------------------------------------------------------------------------ */

/* Fits the order of quantity Q over the steps whose position error is above rounding. Stores these steps and
 * errors in STEP and ABOVE, COUNT of them. */
static double fit_one(const cli_ladder *l, int q, double *step, double *above, size_t *count)
{
  *count = 0;
  for (size_t i = 0; i < l->count; i++) {
    const double error = l->outcome[i].error[q];
    const bool is_used = l->error[i] > rounding_of(&l->outcome[i]) && error > 0.0;
    if (is_used) step[*count] = l->step[i], above[(*count)++] = error;
  }
  return hn_fit_order(step, above, *count);
}

static void fit(cli_ladder *l)
{
  double *step = cli_alloc(l->count + 1, sizeof *step), *above = cli_alloc(l->count + 1, sizeof *above);
  size_t count = 0, known = 0;
  for (int q = CLI_QUANTITIES; --q >= 0;) l->orders[q] = fit_one(l, q, step, above, &count);
  for (size_t i = 0; i < l->count; i++) known += isfinite(l->error[i]) ? 1 : 0;
  l->order = l->orders[CLI_POSITION];
  l->scatter = hn_fit_scatter(step, above, count, l->order);
  l->exact = known >= 2 && count < 2;
  free(step);
  free(above);
}

/* Finds the two runs with the smallest steps that reached the end. Returns false without two. */
static bool find_finest(const cli_ladder *l, size_t *finest, size_t *second)
{
  *finest = *second = l->count;
  for (size_t i = 0; i < l->count; i++) {
    if (!isfinite(l->error[i])) continue;
    if (*finest == l->count || l->step[i] < l->step[*finest]) *second = *finest, *finest = i;
    else if (*second == l->count || l->step[i] < l->step[*second]) *second = i;
  }
  return *second < l->count && l->step[*finest] < l->step[*second];
}

/* Measures the distance of the reference from a trusted run. */
static int compare_with_trusted(cli_ladder *l, hn_error *error)
{
  cli_reference trusted = { 0 };
  double finest = l->step[0];
  for (size_t i = 1; i < l->count; i++) finest = fmin(finest, l->step[i]);
  int status = cli_reference_trusted(&trusted, l->plan.scene, l->plan.step, finest, l->plan.duration, 0,
                                     error);
  if (status == 1 && trusted.name) {
    l->trusted = cli_pose_distance(&l->reference, l->reference.end->pose, trusted.end->pose);
    l->trusted_uncertainty = trusted.uncertainty;
  }
  cli_reference_free(&trusted);
  return status < 0 ? -1 : 0;
}

/* Checks whether the runs converge to the reference; if not, sets `astray` and makes a trusted run. */
static int check_reference(cli_ladder *l, hn_error *error)
{
  size_t finest, second;
  const bool own = l->reference.key && strcmp(l->reference.key, "self") == 0;
  l->trusted = l->trusted_uncertainty = NAN;
  if (own || !l->reference.name || !find_finest(l, &finest, &second)) return 0;
  const double apart = cli_pose_distance(&l->reference, l->outcome[finest].state->pose,
                                         l->outcome[second].state->pose);
  const double off = cli_pose_distance(&l->reference, l->reference.end->pose, l->outcome[finest].state->pose);
  if (!(off > clear_factor * apart + rounding_of(&l->outcome[finest]))) return 0;
  l->astray = off;
  return compare_with_trusted(l, error);
}

int cli_ladder_run(cli_ladder *l, hn_error *error)
{
  int status = 0;
  const size_t count = l->count;
  const bool own = l->reference.key && strcmp(l->reference.key, "self") == 0;
  l->plan.reference = &l->reference;
  l->count = 0; /* counts the runs made: at least one, even after an early interruption */
  for (size_t i = 0; i < count && status == 0 && (i == 0 || !*cli_stop()); i++) {
    cli_plan plan = l->plan;
    plan.step = l->step[l->count++];
    plan.measures = CLI_FEW_MEASURES;
    cli_progress_study(i + own, count + own);
    status = cli_reference_prepare(&l->reference, &plan, error);
    if (status == 0) status = cli_outcome_run(&l->outcome[i], &plan, error);
    l->error[i] = l->outcome[i].error[CLI_POSITION];
  }
  cli_progress_study(0, 0);
  if (status < 0) return -1;
  fit(l);
  return *cli_stop() ? 0 : check_reference(l, error);
}

void cli_ladder_free(cli_ladder *l)
{
  for (size_t i = 0; l->outcome && i < l->count; i++) cli_outcome_free(&l->outcome[i]);
  cli_reference_free(&l->reference);
  free(l->step), free(l->error), free(l->outcome), free(l->left_out);
  memset(l, 0, sizeof *l);
}

int cli_ladder_declared(const cli_ladder *l)
{
  for (size_t i = 0; i < l->count; i++)
    if (l->outcome[i].solver) return hn_solver_order(l->outcome[i].solver);
  return 0;
}

/* ---- The verdict --------------------------------------------------------------------------------------- */

double cli_order_tolerance(double order)
{
  return order >= 8.0 ? 0.5 : 0.2; /* high orders show over a narrow range of steps */
}

cli_verdict cli_ladder_judge(const cli_ladder *l, double expected)
{
  const double allowed = cli_order_tolerance(expected) + (isfinite(l->scatter) ? l->scatter : 0.0);
  if (l->astray > 0.0) return CLI_ASTRAY;
  if (l->exact) return CLI_EXACT;
  if (!isfinite(l->order)) return CLI_UNKNOWN;
  if (!isfinite(expected)) return CLI_AS_EXPECTED;
  if (l->order < expected - allowed) return CLI_SHORT;
  return l->order > expected + allowed ? CLI_BETTER : CLI_AS_EXPECTED;
}

static char *describe_astray(const cli_ladder *l)
{
  const double uncertainty = l->trusted_uncertainty + rounding_of(&l->outcome[0]);
  char *text = cli_text("runs approach a motion that is %.1e m from the reference", l->astray);
  if (!isfinite(l->trusted)) return text;
  if (l->trusted > clear_factor * uncertainty)
    cli_append(&text, ": so is a trusted run, by %.1e m, uncertain by %.1e m; the reference is off",
               l->trusted, l->trusted_uncertainty);
  else cli_append(&text, ", with which a trusted run agrees: the solver is off");
  return text;
}

char *cli_ladder_verdict(const cli_ladder *l, double expected)
{
  switch (cli_ladder_judge(l, expected)) {
  case CLI_SHORT: return cli_text("order %.2f falls short of %g", l->order, expected);
  case CLI_AS_EXPECTED: return cli_text("order %.2f, as expected: %g", l->order, expected);
  case CLI_BETTER: return cli_text("order %.2f, better than expected: %g", l->order, expected);
  case CLI_EXACT: return cli_text("errors are at rounding: no order can be seen, and none is needed");
  case CLI_ASTRAY: return describe_astray(l);
  default: return cli_text("fewer than two errors are known: no order can be fitted");
  }
}
