/* precision.c - the time of every solver to a given error, on a smooth motion with a known end.
 *
 * The problem is double_pendulum at t = 1 s; the error is the largest distance of a body from its reference.
 * The step descends a ladder of 8 * 2^(i/4) steps a second to the first rung at which the errors of this and
 * the next rung are below the limit, since a single small error may be a zero crossing. Solvers that choose
 * their steps descend in error_tolerance, 10^-(i/4), instead, and take one step of a second. Tolerances of
 * corrections are below the limit. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double error_limit = 1e-10; /* limit of the error, m */
static const double max_run_time = 1.0;  /* s, limit of one run: slower solvers are not timed */
static const char scene_name[] = "double_pendulum";
static const char reference_spec[] = "lagrange"; /* with its default stepper, rk4 */
static const double max_time_ratio =
  0.1; /* bound for the best solver, as a fraction of the time of lagrange */
enum { REPETITIONS = 5, RUNGS = 100, NAME = 192 };

/* Specs beyond the registry's variants: higher orders, and solvers that choose their steps. */
static const char *const extra_specs[] = { "taylor:order=15",
                                           "taylor:order=20",
                                           "taylor:order=30",
                                           "taylor:order=20,adaptive=true",
                                           "lagrange:stepper=rk8pd,adaptive=true",
                                           "lagrange:stepper=msadams,adaptive=true" };
enum { EXTRA_SPECS = sizeof extra_specs / sizeof *extra_specs };

/* The search for the step of one solver. */
typedef struct search {
  char spec[BENCH_SPEC];
  bool adaptive; /* the rungs are tolerances */
  bool found;
  bench_trial trial; /* on the rung found, open while timed */
  double rung;       /* step in s, or error tolerance */
  double error;      /* on that rung, m; if none was found, the smallest */
  char why[160];     /* cause, if none was found */
  bench_job job;
} search;

/* ---- One rung ---------------------------------------------------------------------------------------- */

/* Adds tight tolerances to SPEC for the parameters that it does not set. */
static void add_tolerances(const char *spec, double tolerance, char *out)
{
  static const struct {
    const char *key;
    double value;
  } tight[] = { { "tolerance", 1e-13 }, { "velocity_tolerance", 1e-13 }, { "error_tolerance", 1e-13 } };
  char name[BENCH_SPEC];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, ":"), spec);
  const hn_solver_type *type = hn_solver_type_find(name, NULL, NULL);
  int used = snprintf(out, NAME, "%s", spec);
  for (size_t i = 0; i < sizeof tight / sizeof *tight; i++)
    for (const hn_param *p = type->params; p->key; p++) {
      if (strcmp(p->key, tight[i].key) != 0) continue;
      double value = strcmp(p->key, "error_tolerance") == 0 && tolerance > 0 ? tolerance : tight[i].value;
      used += snprintf(out + used, NAME - (size_t)used, "%c%s=%.6g", strchr(out, ':') ? ',' : ':', p->key,
                       value);
    }
}

/* Returns the largest distance from the reference at t = 1 s. */
static double error_of(bench_trial *trial)
{
  const int n = trial->scene->model->nbody;
  bool *has = bench_alloc((size_t)n, sizeof *has);
  double *position = bench_alloc(3 * (size_t)n, sizeof *position), largest = 0.0;
  hn_error error;
  if (hn_scene_reference(trial->scene, 1.0, has, position, &error) != 1) bench_fail("no reference at 1 s");
  for (int i = 1; i < n; i++) {
    if (!has[i]) continue;
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
      double difference = trial->state->pose[i].x[k] - position[3 * i + k];
      sum += difference * difference;
    }
    largest = fmax(largest, sqrt(sum));
  }
  free(has), free(position);
  return largest;
}

static bench_trial open_rung(const search *c, int i, double *rung)
{
  char spec[NAME];
  int steps = c->adaptive ? 1 : (int)lround(8.0 * pow(2.0, 0.25 * i));
  *rung = c->adaptive ? pow(10.0, -2.0 - 0.25 * i) : 1.0 / steps;
  add_tolerances(c->spec, c->adaptive ? *rung : 0.0, spec);
  bench_trial trial = bench_trial_open(scene_name, 0, spec, 1.0, 1);
  trial.step = 1.0 / steps, trial.steps = steps;
  return trial;
}

/* Returns the error on rung I, NAN if a step fails, and the time of the run. */
static double try_rung(search *c, int i, double *seconds)
{
  double rung, error = NAN;
  bench_trial trial = open_rung(c, i, &rung);
  hn_reason reason = HN_CONVERGED;
  hn_state_copy(trial.state, trial.start);
  double clock = bench_seconds();
  for (int k = 0; k < trial.steps && reason == HN_CONVERGED; k++)
    reason = hn_solver_step(trial.solver, trial.state, trial.step);
  *seconds = bench_seconds() - clock;
  if (reason == HN_CONVERGED) error = error_of(&trial);
  else hn_solver_explain(trial.solver, reason, trial.step, c->why, sizeof c->why);
  bench_trial_close(&trial);
  return error;
}

/* ---- The ladder -------------------------------------------------------------------------------------- */

static double smallest_tolerance(const hn_solver_type *type)
{
  for (const hn_param *p = type->params; p->key; p++)
    if (strcmp(p->key, "error_tolerance") == 0) return p->min;
  return 0.0;
}

static bool in_range(const search *c, int i)
{
  char name[BENCH_SPEC];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(c->spec, ":"), c->spec);
  return !c->adaptive ||
         pow(10.0, -2.0 - 0.25 * i) >= smallest_tolerance(hn_solver_type_find(name, NULL, NULL));
}

static void descend(search *c)
{
  double seconds = 0.0, before = INFINITY;
  c->error = INFINITY;
  for (int i = 0; i < RUNGS && in_range(c, i); i++) {
    double error = try_rung(c, i, &seconds);
    if (error < c->error) c->error = error;
    if (before < error_limit && error < error_limit) {
      c->found = true;
      c->error = before;
      c->trial = open_rung(c, i - 1, &c->rung);
      c->job = bench_trial_job(&c->trial);
      c->job.parts = 1;
      return;
    }
    if (seconds > max_run_time) {
      snprintf(c->why, sizeof c->why, "least error %.1e, in a run of %.2g s", c->error, seconds);
      return;
    }
    before = error;
  }
  if (isfinite(c->error)) snprintf(c->why, sizeof c->why, "least error of all rungs %.1e", c->error);
}

static int list_searches(search *searches)
{
  char specs[BENCH_SPECS][BENCH_SPEC];
  int count = bench_specs(specs, BENCH_SPECS);
  for (int i = 0; i < EXTRA_SPECS && count < BENCH_SPECS; i++)
    snprintf(specs[count++], BENCH_SPEC, "%s", extra_specs[i]);
  for (int i = 0; i < count; i++) {
    memcpy(searches[i].spec, specs[i], BENCH_SPEC);
    searches[i].adaptive = strcmp(specs[i], "ida") == 0 || strstr(specs[i], "adaptive=true");
  }
  return count;
}

static void print_search(const search *c, double unit)
{
  if (!c->found) {
    printf("| %s | not reached: %s | | | | |\n", c->spec, c->why);
    return;
  }
  printf("| %s | %s %.3g | %.1e | %.3g | %.3g | %.3f |\n", c->spec, c->adaptive ? "tolerance" : "step",
         c->rung, c->error, 1e-3 * c->job.us.min, 1e-3 * c->job.us.median, c->job.us.median / unit);
}

/* Times the solvers that reached the limit in turn. Returns the time of lagrange, us. */
static double measure(search *searches, int count)
{
  bench_job jobs[BENCH_SPECS];
  double unit = NAN;
  int timed = 0;
  for (int i = 0; i < count; i++) {
    if (!searches[i].found) continue;
    jobs[timed] = searches[i].job;
    jobs[timed].units = 1.0;
    timed++;
  }
  bench_measure(jobs, timed, REPETITIONS);
  for (int i = 0, k = 0; i < count; i++) {
    if (!searches[i].found) continue;
    searches[i].job = jobs[k++];
    if (strcmp(searches[i].spec, reference_spec) == 0) unit = searches[i].job.us.median;
  }
  return unit;
}

void bench_precision(void)
{
  search *searches = bench_alloc(BENCH_SPECS, sizeof *searches);
  const search *best = NULL;
  int count = list_searches(searches);
  printf("\n## Time to an error of %.0e m: %s at 1 s\n\n", error_limit, scene_name);
  for (int i = 0; i < count; i++) descend(&searches[i]);
  double unit = measure(searches, count);
  bench_table(
    "| solver | largest step, s | its error, m | least, ms | median, ms | over lagrange with rk4 |");
  for (int i = 0; i < count; i++) {
    print_search(&searches[i], unit);
    if (searches[i].found && (!best || searches[i].job.us.median < best->job.us.median)) best = &searches[i];
    if (searches[i].found) bench_trial_close(&searches[i].trial);
  }
  if (best)
    printf("\nThe best, %s, takes %.3f of the time of lagrange with rk4; bound %.1f\n", best->spec,
           best->job.us.median / unit, max_time_ratio);
  free(searches);
}
