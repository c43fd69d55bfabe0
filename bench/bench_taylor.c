/* bench_taylor.c - the time per step of the Taylor solver over its order N, bounded by N^2. */
#include "bench.h"

#include <math.h>
#include <stdio.h>

void bench_taylor(void)
{
  enum { COUNT = 6, PARTS = 3, REPETITIONS = 5 };
  static const int orders[COUNT] = { 5, 10, 15, 20, 25, 30 };
  bench_trial trials[COUNT];
  bench_job jobs[COUNT];
  double order[COUNT], median[COUNT];
  printf("\n## Taylor: tree, n = 127, h = 1/30 s, 1 s\n\n");
  for (int i = 0; i < COUNT; i++) {
    char spec[32];
    snprintf(spec, sizeof spec, "taylor:order=%d", orders[i]);
    trials[i] = bench_trial_open("tree", 127, spec, 1, PARTS);
    jobs[i] = bench_trial_job(&trials[i]);
  }
  bench_measure(jobs, COUNT, REPETITIONS);
  bench_figure_head("a step");
  for (int i = 0; i < COUNT; i++) {
    char what[32];
    snprintf(what, sizeof what, "N = %d", orders[i]);
    order[i] = orders[i], median[i] = jobs[i].us.median;
    bench_figure(what, "us", jobs[i].us, jobs[i].scaled, orders[i] == 10 ? 2000.0 : (double)NAN);
    bench_trial_close(&trials[i]);
  }
  printf("\nFitted exponent of N: %.3f; bound 2\n", hn_fit_order(order, median, COUNT));
}
