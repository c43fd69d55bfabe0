/* view_frame.h - what a page draws of a lane at one time, in one message. */
#ifndef CLI_VIEW_FRAME_H
#define CLI_VIEW_FRAME_H

#include "cli/view/pace.h"

/* What pages want in it, beside the poses. */
typedef struct cli_wants {
  bool boxes, forces, contacts;
} cli_wants;

/* Of LANE, and what has been since the last one, which is then forgotten. */
cli_blob *cli_picture(cli_lane *lane, const cli_pace *pace, const cli_wants *wants);

#endif
