/* corrections.c - joint corrections a second of impulse-gs.
 *
 * Position corrections (prediction of two bodies, residual, block solve, impulse) and velocity corrections (velocity
 * residual, block solve, impulse) are told apart by running one step from the same state with the other kind switched
 * off by a tolerance of 1, and with k and 2 k sweeps: the difference of the two times is that of k sweeps alone, free
 * of Jacobians, copies and the rest of a step. The counters of work say how many corrections were made. */
#include "bench.h"

#include <math.h>
#include <stdio.h>

enum { SWEEPS = 20, STEPS = 20, REPETITIONS = 15 };

typedef struct variant {
  const char *name, *spec;
} variant;

/* One step from the start, again and again. */
static void run(void *data)
{
  bench_ride *ride = data;
  for (int k = 0; k < STEPS; k++) {
    hn_state_copy(ride->state, ride->start);
    if (hn_solver_step(ride->solver, ride->state, ride->step))
      bench_fail("%s fails on the tree", ride->solver->spec);
  }
}

static uint64_t count_impulses(bench_ride *ride)
{
  hn_solver_reset(ride->solver);
  run(ride);
  uint64_t impulses = ride->solver->system->work.impulses;
  hn_solver_reset(ride->solver);
  return impulses;
}

static bench_stat rate(bench_stat us)
{
  return (bench_stat){ 1e6 / us.min, 1e6 / us.median };
}

static void measure_variant(const variant *v)
{
  bench_ride rides[2];
  bench_job jobs[2];
  uint64_t impulses[2];
  for (int i = 0; i < 2; i++) {
    char spec[128];
    snprintf(spec, sizeof spec, "impulse-gs:%s,sweeps=%d", v->spec, (i + 1) * SWEEPS);
    rides[i] = bench_ride_open("tree", 127, spec, 1, 1);
    impulses[i] = count_impulses(&rides[i]);
    jobs[i] = (bench_job){ .run = run, .data = &rides[i], .parts = 1, .units = 1 };
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
  for (int i = 0; i < 2; i++) bench_ride_close(&rides[i]);
}

/* All corrections of a real run, with everything else a step does. */
static void measure_run(void)
{
  bench_ride ride = bench_ride_open("tree", 127, "impulse-gs:tolerance=1e-6,velocity_tolerance=1e-6", 2, 10);
  hn_summary summary = bench_ride_summary(&ride);
  bench_job job = bench_ride_job(&ride);
  bench_measure(&job, 1, REPETITIONS);
  double made = bench_per_step(&summary, summary.work.impulses);
  char what[128];
  snprintf(what, sizeof what, "both, in a run at tolerance 1e-6 (%.0f a step, %.1f and %.1f sweeps)", made,
           summary.position_iterations_mean, summary.velocity_iterations_mean);
  bench_stat us = { job.us.min / made, job.us.median / made };
  bench_figure(what, "1/s", rate(us),
               (bench_units){ 1e6 * made / job.scaled.floor, 1e6 * made / job.scaled.petsc }, 3e6);
  bench_ride_close(&ride);
}

void bench_corrections(void)
{
  static const variant variants[] = {
    { "position corrections alone", "tolerance=1e-16,velocity_tolerance=1" },
    { "velocity corrections alone", "tolerance=1,velocity_tolerance=1e-16" },
  };
  printf(
    "\n## Corrections a second: impulse-gs, tree, n = 127\n\n"
    "The bound is a least one here: ratios should be above 1, and \"min\" is the rate at the least time.\n\n");
  bench_figure_head("rate");
  for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) measure_variant(&variants[i]);
  measure_run();
}
