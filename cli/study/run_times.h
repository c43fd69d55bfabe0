/* run_times.h - repeated measurement of the time of a run. */
#ifndef CLI_RUN_TIMES_H
#define CLI_RUN_TIMES_H

#include "cli/study/study_runs.h"

/* Measures the time of OUTCOME REPEAT times, each over as many runs as take 50 ms. The smallest mean becomes
 * its time, the difference of the largest and smallest its spread. Does nothing unless OUTCOME converged.
 * Returns -1 on error. */
int cli_times_measure(cli_outcome *outcome, int repeat, hn_error *error);

#endif
