/* speed.c - time per step of impulse-sle on trees and machines, beside its bounds and other engines.
 *
 * The times of other engines are on peer_tree with 127 bodies, per step of 1/240 s, on the machine of the
 * bounds. Ours are printed as measured and scaled to that machine. */
#include "bench.h"

#include <math.h>
#include <stdio.h>

enum { PARTS = 10, REPETITIONS = 9, MAX_TRIALS = 8 };

static const char spec[] = "impulse-sle:tolerance=1e-6";

typedef struct problem {
  const char *scene;
  int n;
  double duration, bound; /* s, us a step */
} problem;

static void measure_problems(const problem *problems, int count, bench_trial *trials, hn_summary *summaries,
                             bench_job *jobs)
{
  for (int i = 0; i < count; i++) {
    trials[i] = bench_trial_open(problems[i].scene, problems[i].n, spec, problems[i].duration, PARTS);
    summaries[i] = bench_trial_summary(&trials[i]);
    if (summaries[i].reason != HN_CONVERGED)
      bench_fail("%s: %s", problems[i].scene, summaries[i].explanation);
    jobs[i] = bench_trial_job(&trials[i]);
  }
  bench_measure(jobs, count, REPETITIONS);
}

static void print_facts(const problem *problems, int count, const hn_summary *summaries)
{
  putchar('\n');
  bench_table("| scene | n | iterations | residuals | flights | solves | factorisations | drift, m "
              "| energy error, J |");
  for (int i = 0; i < count; i++) {
    const hn_summary *s = &summaries[i];
    printf("| %s | %.0d | %.3f | %.2f | %.2f | %.2f | %.2f | %.2e | %.2e |\n", problems[i].scene,
           problems[i].n, s->position_iterations_mean, bench_per_step(s, s->work.residuals),
           bench_per_step(s, s->work.flights), bench_per_step(s, s->work.solves),
           bench_per_step(s, s->work.factorisations), s->position_max, s->energy_error_max);
  }
  printf("\nCounts are per step. ");
}

static double kinetic(const bench_trial *trial)
{
  hn_measure measure;
  hn_measure_state(trial->scene->model, trial->start, &measure);
  return measure.kinetic;
}

static void print_engines(const bench_job *job, const hn_summary *s, double start_kinetic)
{
  static const struct {
    const char *name, *remark;
    double us;
  } engine[] = {
    { "Bullet, Featherstone", "order 1; energy +15 % after 10 s", 66 },
    { "MuJoCo", "", 108 },
    { "ODE, direct", "", 1830 },
    { "Chrono, sparse LU", "drift 8e-4 m", 698 },
  };
  double change = s->energy_final - s->energy_initial;
  printf("\n### peer_tree, n = 127, beside other engines\n\n");
  bench_table("| engine | us a step | ours / theirs: measured, by PETSc, by the floor | remark |");
  printf("| Holonom, impulse-sle, measured | %.1f | | order 2; drift %.1e m; energy %+.2e J after %.0f s: "
         "%+.4f %% of "
         "the total, %+.3f %% of the kinetic energy at the start |\n",
         job->us.median, s->position_max, change, s->time, 100.0 * change / fabs(s->energy_initial),
         100.0 * change / start_kinetic);
  printf("| the same, scaled by PETSc | %.1f | | |\n| the same, scaled by the floor | %.1f | | |\n",
         job->scaled.petsc, job->scaled.floor);
  for (size_t i = 0; i < sizeof engine / sizeof *engine; i++)
    printf("| %s | %g | %.2f, %.2f, %.2f | %s |\n", engine[i].name, engine[i].us,
           job->us.median / engine[i].us, job->scaled.petsc / engine[i].us, job->scaled.floor / engine[i].us,
           engine[i].remark);
}

void bench_speed(void)
{
  static const problem problems[] = {
    { "tree", 31, 10, 20 },           { "tree", 127, 10, 75 },     { "car", 0, 6, 100 },
    { "walking_machine", 0, 4, 100 }, { "peer_tree", 31, 10, 16 }, { "peer_tree", 127, 10, 60 },
  };
  enum { COUNT = sizeof problems / sizeof *problems };
  bench_trial trials[COUNT];
  hn_summary summaries[COUNT];
  bench_job jobs[COUNT];
  printf("\n## Speed: %s, 4 to 10 s\n\n", spec);
  measure_problems(problems, COUNT, trials, summaries, jobs);
  bench_figure_head("a step");
  for (int i = 0; i < COUNT; i++) {
    char what[64], size[20] = "";
    if (problems[i].n > 0) snprintf(size, sizeof size, ", n = %d", problems[i].n);
    snprintf(what, sizeof what, "%s%s, h = 1/%.0f s", problems[i].scene, size, 1.0 / trials[i].step);
    bench_figure(what, "us", jobs[i].us, jobs[i].scaled, problems[i].bound);
  }
  print_facts(problems, COUNT, summaries);
  printf("Bound of the drift of peer_tree: 1e-6 m. car and walking_machine: 100 us a step are a hundred "
         "times faster "
         "than real time.\n");
  print_engines(&jobs[COUNT - 1], &summaries[COUNT - 1], kinetic(&trials[COUNT - 1]));
  for (int i = 0; i < COUNT; i++) bench_trial_close(&trials[i]);
}

void bench_linearity(void)
{
  static const problem problems[] = {
    { "tree", 31, 2, NAN },  { "tree", 63, 2, NAN },  { "tree", 127, 2, NAN },
    { "tree", 255, 2, NAN }, { "tree", 511, 2, NAN }, { "tree", 1023, 2, NAN },
  };
  enum { COUNT = sizeof problems / sizeof *problems };
  bench_trial trials[COUNT];
  hn_summary summaries[COUNT];
  bench_job jobs[COUNT];
  double n[COUNT], least[COUNT], median[COUNT];
  printf("\n## Linearity: tree, %s, 2 s\n\n", spec);
  measure_problems(problems, COUNT, trials, summaries, jobs);
  bench_table(
    "| n | min, us | median, us | by PETSc, us | by the floor, us | median a body, us | iterations |");
  for (int i = 0; i < COUNT; i++) {
    n[i] = problems[i].n, least[i] = jobs[i].us.min, median[i] = jobs[i].us.median;
    printf("| %d | %.4g | %.4g | %.4g | %.4g | %.3f | %.3f |\n", problems[i].n, least[i], median[i],
           jobs[i].scaled.petsc, jobs[i].scaled.floor, median[i] / n[i],
           summaries[i].position_iterations_mean);
    bench_trial_close(&trials[i]);
  }
  printf("\nFitted exponent of n: %.3f by the minima, %.3f by the medians; bound 1.1\n",
         hn_fit_order(n, least, COUNT), hn_fit_order(n, median, COUNT));
}
