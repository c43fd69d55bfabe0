/* corrections.c - joint corrections a second of impulse-gs.
 *
 * Position corrections are a prediction of two bodies, residual, block solution and impulse; velocity
 * corrections a velocity residual, block solution and impulse. To separate them, one step is repeated from
 * the same state with the other kind disabled by a tolerance of 1, with k and with 2 k sweeps. The difference
 * of the times is that of k sweeps, without Jacobians, copies and the rest of a step. The counters of work
 * provide the number of corrections. */
#include "bench.h"

#include <math.h>
#include <stdio.h>

enum { SWEEPS = 20, STEPS = 20, REPETITIONS = 15 };

typedef struct variant {
  const char *name, *spec;
} variant;

/* Repeats one step from the initial state. */
static void run(void *data)
{
  bench_trial *trial = data;
  for (int k = 0; k < STEPS; k++) {
    hn_state_copy(trial->state, trial->start);
    if (hn_solver_step(trial->solver, trial->state, trial->step))
      bench_fail("%s fails on the tree", trial->solver->spec);
  }
}

static uint64_t count_impulses(bench_trial *trial)
{
  hn_solver_reset(trial->solver);
  run(trial);
  uint64_t impulses = trial->solver->system->work.impulses;
  hn_solver_reset(trial->solver);
  return impulses;
}

static bench_stat rate(bench_stat us)
{
  return (bench_stat){ 1e6 / us.min, 1e6 / us.median };
}

static void measure_variant(const variant *v)
{
  bench_trial trials[2];
  bench_job jobs[2];
  uint64_t impulses[2];
  for (int i = 0; i < 2; i++) {
    char spec[128];
    snprintf(spec, sizeof spec, "impulse-gs:%s,sweeps=%d", v->spec, (i + 1) * SWEEPS);
    trials[i] = bench_trial_open("tree", 127, spec, 1, 1);
    impulses[i] = count_impulses(&trials[i]);
    jobs[i] = (bench_job){ .run = run, .data = &trials[i], .parts = 1, .units = 1 };
  }
  bench_measure(jobs, 2, REPETITIONS);
  double made = (double)(impulses[1] - impulses[0]);
  if (made <= 0.0) bench_fail("%s: no correction was made", v->name);
  bench_stat us = { (jobs[1].us.min - jobs[0].us.min) / made,
                    (jobs[1].us.median - jobs[0].us.median) / made };
  char what[96];
  snprintf(what, sizeof what, "%s (%.0f of them)", v->name, made);
  bench_figure(what, "1/s", rate(us),
               (bench_units){ 1e6 * made / (jobs[1].scaled.floor - jobs[0].scaled.floor),
                              1e6 * made / (jobs[1].scaled.petsc - jobs[0].scaled.petsc) },
               NAN);
  for (int i = 0; i < 2; i++) bench_trial_close(&trials[i]);
}

/* Measures all corrections of a run, including the rest of each step. */
static void measure_run(void)
{
  bench_trial trial = bench_trial_open("tree", 127, "impulse-gs:tolerance=1e-6,velocity_tolerance=1e-6", 2,
                                       10);
  hn_summary summary = bench_trial_summary(&trial);
  bench_job job = bench_trial_job(&trial);
  bench_measure(&job, 1, REPETITIONS);
  double made = bench_per_step(&summary, summary.work.impulses);
  char what[128];
  snprintf(what, sizeof what, "both, in a run at tolerance 1e-6 (%.0f a step, %.1f and %.1f sweeps)", made,
           summary.position_iterations_mean, summary.velocity_iterations_mean);
  bench_stat us = { job.us.min / made, job.us.median / made };
  bench_figure(what, "1/s", rate(us),
               (bench_units){ 1e6 * made / job.scaled.floor, 1e6 * made / job.scaled.petsc }, 3e6);
  bench_trial_close(&trial);
}

void bench_corrections(void)
{
  static const variant variants[] = {
    { "position corrections alone", "tolerance=1e-16,velocity_tolerance=1" },
    { "velocity corrections alone", "tolerance=1,velocity_tolerance=1e-16" },
  };
  printf("\n## Corrections a second: impulse-gs, tree, n = 127\n\n"
         "The bound is a lower limit here: ratios should be above 1, and \"min\" is the rate at the least "
         "time.\n\n");
  bench_figure_head("rate");
  for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) measure_variant(&variants[i]);
  measure_run();
}
