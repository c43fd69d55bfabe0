/* run_times.h - how long a run takes, measured more than once. */
#ifndef CLI_RUN_TIMES_H
#define CLI_RUN_TIMES_H

#include "cli/study/study_runs.h"

/* Measures the time of the steps of OUTCOME, which has converged, REPEAT times, each over as many runs as take 50 ms:
 * the least mean becomes its time, and what the largest is above it its spread. Else nothing is done. -1 on error. */
int cli_times_measure(cli_outcome *outcome, int repeat, hn_error *error);

#endif
