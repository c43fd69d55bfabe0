/* pace.h - paces the runs of a view by the clock. */
#ifndef HN_CLI_VIEW_PACE_H
#define HN_CLI_VIEW_PACE_H

#include "cli/view/live_run.h"

typedef struct cli_pace {
  double speed; /* simulated seconds per second; 0: as fast as possible */
  bool paused;
  double due;          /* simulated time that runs may reach at `clock`, s */
  double clock;        /* s */
  double lag;          /* simulated time given up because the machine is too slow, s */
  double factor;       /* speed reached in the last averaging period */
  double since, moved; /* start of the present period, s; simulated time in it, s */
} cli_pace;

/* Restarts the clock at the present time of the runs. */
void cli_pace_begin(cli_pace *pace, const cli_live_run run[CLI_MAX_RUNS], double now);
/* Steps the runs that are due, the last one first, until they have the same time. ONCE steps even while
 * paused. Returns 0 after a step, otherwise the time until the next one is due, s. */
double cli_pace_step(cli_pace *pace, cli_live_run run[CLI_MAX_RUNS], double now, bool once);

#endif
