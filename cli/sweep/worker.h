/* worker.h - runs of scenes in a worker process, which answers requests to run rows. */
#ifndef HN_CLI_SWEEP_WORKER_H
#define HN_CLI_SWEEP_WORKER_H

#include "cli/sweep/grid.h"

/* Requests and answers are texts:
 *
 *   "c"            check the grid        -> "ok FINGERPRINT", or "no " and a message
 *   "p POINT"      make the reference    -> a line, to be sent with the rows of the point
 *   "r ROW\nLINE"  run a row             -> its fields as CSV after + if it converged, - if not */
extern const sweep_runs sweep_scene_runs;

#endif
