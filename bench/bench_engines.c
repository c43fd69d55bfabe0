/* bench_engines.c - other engines in this process, beside built-in solvers, step for step in one run.
 *
 * Of an engine the step is timed that it takes itself: forces, its detection of contacts and its solution,
 * and the copies of the state. Of a built-in solver it is hn_solver_step, with its detection. All solvers of
 * a scene begin at the same start and are timed in turn, in processor time; the least of the rounds
 * counts. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 5, MOST = 32, SPEC = 128 };

typedef struct engine_job {
  char spec[SPEC];
  bench_trial trial;
  bool runs;
  double best; /* us a step */
  char why[160];
} engine_job;

static double processor_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Adds SPECS, separated by spaces, of solvers that exist to the N ones of JOB, each with SETTING. Returns
 * their number. */
static int list_specs(const char *specs, const char *setting, engine_job *job, int n)
{
  for (const char *at = specs; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
    char name[SPEC];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ": "), at);
    if (!hn_solver_type_find(name, NULL, NULL)) continue;
    snprintf(job[n++].spec, SPEC, "%.*s%s", (int)strcspn(at, " "), at, setting);
  }
  return n;
}

/* Lists OURS, specs separated by spaces; and THEIRS, those of installed engines, or every variant of the
 * engines if it is NULL. Returns their number. */
static int list_jobs(const char *ours, const char *theirs, engine_job *job)
{
  int n = list_specs(ours, "", job, 0);
  size_t count;
  hn_error error;
  if (hn_engines_load(&error)) bench_fail("%s", error.text);
  if (theirs) return list_specs(theirs, ",worker=false", job, n);
  const hn_solver_type *const *type = hn_solver_types(&count);
  for (size_t i = 0; i < count; i++)
    for (const char *const *v = hn_solver_variants(type[i]); type[i]->engine && *v && n < MOST; v++)
      snprintf(job[n++].spec, SPEC, "%s:worker=false%s%s", type[i]->name, **v ? "," : "", *v);
  return n;
}

static void open_job(engine_job *job, const char *scene, int n)
{
  hn_error error;
  bench_trial *t = &job->trial;
  *t = (bench_trial){ .scene = bench_scene(scene, n) };
  t->solver = hn_solver_create(job->spec, t->scene->model, &error);
  t->start = hn_state_create(t->scene->model), t->state = hn_state_create(t->scene->model);
  if (!t->start || !t->state) bench_fail("out of memory");
  t->step = t->scene->step;
  job->runs = t->solver, job->best = HUGE_VAL;
  if (!job->runs) snprintf(job->why, sizeof job->why, "%.150s", error.text);
}

/* Takes STEPS steps from the start. */
static void run_job(engine_job *job, int steps)
{
  bench_trial *t = &job->trial;
  const hn_solver_type *type = t->solver->type;
  hn_state_copy(t->state, t->start);
  hn_solver_reset(t->solver);
  const double begin = processor_seconds();
  for (int k = 1; k <= steps && job->runs; k++) {
    const hn_reason reason = type->engine ? type->step(t->solver, t->state, t->step)
                                          : hn_solver_step(t->solver, t->state, t->step);
    t->state->time = k * t->step;
    if (reason == HN_CONVERGED) continue;
    job->runs = false;
    hn_solver_explain(t->solver, reason, t->step, job->why, sizeof job->why);
  }
  const double us = 1e6 * (processor_seconds() - begin) / steps;
  if (us < job->best) job->best = us;
}

/* Measures STEPS steps of a scene; solvers of OURS come first, and ratios are to the first of them. */
static void measure_scene(const char *scene, int n, int steps, const char *ours, const char *theirs)
{
  static engine_job job[MOST];
  char head[96];
  const int count = list_jobs(ours, theirs, job);
  for (int i = 0; i < count; i++) open_job(&job[i], scene, n);
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < count; i++)
      if (job[i].runs) run_job(&job[i], steps);
  snprintf(head, sizeof head, "| %s, %d bodies, %d steps of %g s", scene, job->trial.scene->model->nbody - 1,
           steps, job->trial.step);
  printf("\n%s | us a step | over the first |\n|---|---|---|\n", head);
  for (int i = 0; i < count; i++) {
    if (job[i].runs) printf("| %s | %.1f | %.2f |\n", job[i].spec, job[i].best, job[i].best / job[0].best);
    else if (job[i].trial.solver) printf("| %s | - | %s |\n", job[i].spec, job[i].why);
  }
  printf("\nNot supported:");
  for (int i = 0; i < count; i++) {
    if (!job[i].trial.solver) printf(" %s", job[i].spec);
    bench_trial_close(&job[i].trial);
  }
  puts("");
  fflush(stdout);
}

void bench_engines(void)
{
  static const char contact[] = "moreau moreau:contact=pgs,sweeps=20,contact_tolerance=0 tgs-soft";
  static const char trees[] = "articulated:stepper=semi-implicit articulated:stepper=rk4 impulse-sle";
  static const char coordinates[] = "bullet:multibody=true mujoco:integrator=euler mujoco:integrator=rk4 "
                                    "simbody:integrator=semi-explicit-euler dart:lcp=dantzig";
  puts("\n## Other engines in the same process\n");
  measure_scene("peer_tree", 127, 100, trees, NULL);
  measure_scene("peer_tree", 31, 100, trees, coordinates);
  measure_scene("peer_tree", 1023, 10, trees, coordinates);
  measure_scene("chain", 64, 10, trees, coordinates);
  measure_scene("cubes1000:side=5", 0, 40, contact, NULL);
  measure_scene("pile:side=6", 0, 120, contact, NULL);
  measure_scene("stack", 0, 100, contact, NULL);
}
