/* pace.h - the clock of a view: how far its lanes may go. */
#ifndef HN_CLI_VIEW_PACE_H
#define HN_CLI_VIEW_PACE_H

#include "cli/view/lanes.h"

typedef struct cli_pace {
  double speed; /* s of motion a s of the clock; 0: as fast as it goes */
  bool paused;
  double due;          /* s of motion to which lanes may go, at */
  double clock;        /* s */
  double lag;          /* s of motion that were given up, as the machine is not that fast */
  double factor;       /* reached, s of motion a s of the clock, over the last half second or so */
  double since, moved; /* s of the clock and of motion for the next one */
} cli_pace;

double cli_clock(void); /* s */
/* Time goes on from where LANES are now. */
void cli_pace_begin(cli_pace *pace, const cli_lane lane[CLI_MOST_LANES], double now);
/* Takes a step of each lane that runs, the last ones first, to the same time; ONCE: though it is paused. Else
 * how long there is nothing to do, s; 0: something was done. */
double cli_pace_step(cli_pace *pace, cli_lane lane[CLI_MOST_LANES], double now, bool once);

#endif
