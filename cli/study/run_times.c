/* run_times.c - measures the time of a run.
 *
 * Disturbances only lengthen a measurement, so that the minimum of several is closest to the undisturbed
 * time. A measurement must be long compared with clock ticks and cache misses. */
#include <math.h>
#include "cli/base/interrupt.h"
#include "cli/study/run_times.h"

static const double min_measurement = 0.05; /* s */

/* Measures the mean time of a run over enough repetitions. */
static int measure(const cli_plan *plan, double *mean, hn_error *error)
{
  double sum = 0.0;
  long runs = 0;
  int status = 0;
  for (; sum < min_measurement && status == 0 && !*cli_stop(); runs++) {
    cli_outcome again;
    status = cli_outcome_run(&again, plan, error);
    sum += again.summary.wall_s;
    cli_outcome_free(&again);
  }
  *mean = sum / (double)runs;
  return status;
}

int cli_times_measure(cli_outcome *outcome, int repeat, hn_error *error)
{
  double smallest = INFINITY, largest = 0.0;
  cli_plan plan = outcome->plan;
  plan.reference = NULL, plan.keep_series = plan.keep_history = false, plan.track_numbers = 0;
  plan.measures = CLI_FEW_MEASURES;
  if (outcome->summary.reason != HN_CONVERGED || !(outcome->summary.wall_s > 0.0)) return 0;
  for (int i = 0; i < repeat; i++) {
    double mean;
    if (measure(&plan, &mean, error) < 0) return -1;
    if (*cli_stop()) return 0;
    smallest = fmin(smallest, mean), largest = fmax(largest, mean);
  }
  if (repeat > 0) outcome->summary.wall_s = smallest, outcome->wall_spread = largest - smallest;
  return 0;
}
