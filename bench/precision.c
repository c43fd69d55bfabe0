/* precision.c - the time of every solver to a given error, on a smooth motion with a known end.
 *
 * double_pendulum at t = 1 s; its error is the largest distance of a body from its reference. The step descends a
 * ladder, 8 * 2^(i/4) steps for the whole second, to the first rung whose error and whose next rung's error are below
 * the aim: one alone may be a lucky zero of the error. Solvers that choose their steps descend in error_tolerance,
 * 10^-(i/4), instead, and take the second as one step. Tolerances of corrections are set below the aim. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double aim = 1e-10;    /* m */
static const double patience = 1.0; /* s, of one run: a solver that needs more is not timed */
static const char scene_name[] = "double_pendulum";
static const char yardstick[] = "lagrange"; /* with its default stepper, rk4 */
static const double share = 0.1;            /* of the yardstick's time: bound for the best solver */
enum { REPETITIONS = 5, RUNGS = 100, NAME = 192 };

/* What the registry's variants leave out: higher orders, and solvers that choose their steps. */
static const char *const more[] = { "taylor:order=15",
                                    "taylor:order=20",
                                    "taylor:order=30",
                                    "taylor:order=20,adaptive=true",
                                    "lagrange:stepper=rk8pd,adaptive=true",
                                    "lagrange:stepper=msadams,adaptive=true" };
enum { MORE = sizeof more / sizeof *more };

/* A solver on its way down the ladder. */
typedef struct climb {
  char spec[BENCH_SPEC];
  bool adaptive; /* the rungs are tolerances */
  bool found;
  bench_ride ride; /* of the rung found, open while timed */
  double rung;     /* step in s, or error tolerance */
  double error;    /* m, there; or the least seen */
  char why[160];   /* not found */
  bench_job job;
} climb;

/* ---- One rung ---------------------------------------------------------------------------------------------------- */

/* The settings for which SPEC says nothing and its solver has a parameter. */
static void complete(const char *spec, double tolerance, char *out)
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

/* Largest distance from the reference at t = 1 s. */
static double error_of(bench_ride *ride)
{
  const int n = ride->scene->model->nbody;
  bool *has = bench_alloc((size_t)n, sizeof *has);
  double *position = bench_alloc(3 * (size_t)n, sizeof *position), largest = 0.0;
  hn_error error;
  if (hn_scene_reference(ride->scene, 1.0, has, position, &error) != 1) bench_fail("no reference at 1 s");
  for (int i = 1; i < n; i++) {
    if (!has[i]) continue;
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
      double difference = ride->state->pose[i].x[k] - position[3 * i + k];
      sum += difference * difference;
    }
    largest = fmax(largest, sqrt(sum));
  }
  free(has), free(position);
  return largest;
}

static bench_ride open_rung(const climb *c, int i, double *rung)
{
  char spec[NAME];
  int steps = c->adaptive ? 1 : (int)lround(8.0 * pow(2.0, 0.25 * i));
  *rung = c->adaptive ? pow(10.0, -2.0 - 0.25 * i) : 1.0 / steps;
  complete(c->spec, c->adaptive ? *rung : 0.0, spec);
  bench_ride ride = bench_ride_open(scene_name, 0, spec, 1.0, 1);
  ride.step = 1.0 / steps, ride.steps = steps;
  return ride;
}

/* The error on rung I and the time it took; NAN when a step fails. */
static double try_rung(climb *c, int i, double *seconds)
{
  double rung, error = NAN;
  bench_ride ride = open_rung(c, i, &rung);
  hn_reason reason = HN_CONVERGED;
  hn_state_copy(ride.state, ride.start);
  double clock = bench_seconds();
  for (int k = 0; k < ride.steps && reason == HN_CONVERGED; k++)
    reason = hn_solver_step(ride.solver, ride.state, ride.step);
  *seconds = bench_seconds() - clock;
  if (reason == HN_CONVERGED) error = error_of(&ride);
  else hn_solver_explain(ride.solver, reason, ride.step, c->why, sizeof c->why);
  bench_ride_close(&ride);
  return error;
}

/* ---- The ladder -------------------------------------------------------------------------------------------------- */

static double smallest_tolerance(const hn_solver_type *type)
{
  for (const hn_param *p = type->params; p->key; p++)
    if (strcmp(p->key, "error_tolerance") == 0) return p->min;
  return 0.0;
}

static bool in_range(const climb *c, int i)
{
  char name[BENCH_SPEC];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(c->spec, ":"), c->spec);
  return !c->adaptive ||
         pow(10.0, -2.0 - 0.25 * i) >= smallest_tolerance(hn_solver_type_find(name, NULL, NULL));
}

static void descend(climb *c)
{
  double seconds = 0.0, before = INFINITY;
  c->error = INFINITY;
  for (int i = 0; i < RUNGS && in_range(c, i); i++) {
    double error = try_rung(c, i, &seconds);
    if (error < c->error) c->error = error;
    if (before < aim && error < aim) {
      c->found = true;
      c->error = before;
      c->ride = open_rung(c, i - 1, &c->rung);
      c->job = bench_ride_job(&c->ride);
      c->job.parts = 1;
      return;
    }
    if (seconds > patience) {
      snprintf(c->why, sizeof c->why, "least error %.1e, in a run of %.2g s", c->error, seconds);
      return;
    }
    before = error;
  }
  if (isfinite(c->error)) snprintf(c->why, sizeof c->why, "least error of all rungs %.1e", c->error);
}

static int list(climb *climbs)
{
  char specs[BENCH_SPECS][BENCH_SPEC];
  int count = bench_specs(specs, BENCH_SPECS);
  for (int i = 0; i < MORE && count < BENCH_SPECS; i++) snprintf(specs[count++], BENCH_SPEC, "%s", more[i]);
  for (int i = 0; i < count; i++) {
    memcpy(climbs[i].spec, specs[i], BENCH_SPEC);
    climbs[i].adaptive = strcmp(specs[i], "ida") == 0 || strstr(specs[i], "adaptive=true");
  }
  return count;
}

static void print_climb(const climb *c, double unit)
{
  if (!c->found) {
    printf("| %s | not reached: %s | | | | |\n", c->spec, c->why);
    return;
  }
  printf("| %s | %s %.3g | %.1e | %.3g | %.3g | %.3f |\n", c->spec, c->adaptive ? "tolerance" : "step",
         c->rung, c->error, 1e-3 * c->job.us.min, 1e-3 * c->job.us.median, c->job.us.median / unit);
}

/* Times all that arrived, in turn; returns the time of the yardstick, us. */
static double measure(climb *climbs, int count)
{
  bench_job jobs[BENCH_SPECS];
  double unit = NAN;
  int timed = 0;
  for (int i = 0; i < count; i++) {
    if (!climbs[i].found) continue;
    jobs[timed] = climbs[i].job;
    jobs[timed].units = 1.0;
    timed++;
  }
  bench_measure(jobs, timed, REPETITIONS);
  for (int i = 0, k = 0; i < count; i++) {
    if (!climbs[i].found) continue;
    climbs[i].job = jobs[k++];
    if (strcmp(climbs[i].spec, yardstick) == 0) unit = climbs[i].job.us.median;
  }
  return unit;
}

void bench_precision(void)
{
  climb *climbs = bench_alloc(BENCH_SPECS, sizeof *climbs);
  const climb *best = NULL;
  int count = list(climbs);
  printf("\n## Time to an error of %.0e m: %s at 1 s\n\n", aim, scene_name);
  for (int i = 0; i < count; i++) descend(&climbs[i]);
  double unit = measure(climbs, count);
  bench_table(
    "| solver | largest step, s | its error, m | least, ms | median, ms | over lagrange with rk4 |");
  for (int i = 0; i < count; i++) {
    print_climb(&climbs[i], unit);
    if (climbs[i].found && (!best || climbs[i].job.us.median < best->job.us.median)) best = &climbs[i];
    if (climbs[i].found) bench_ride_close(&climbs[i].ride);
  }
  if (best)
    printf("\nThe best, %s, takes %.3f of the time of lagrange with rk4; bound %.1f\n", best->spec,
           best->job.us.median / unit, share);
  free(climbs);
}
