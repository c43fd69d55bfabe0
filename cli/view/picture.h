/* picture.h - what a page draws of a lane at one time, in one message. */
#ifndef HN_CLI_VIEW_PICTURE_H
#define HN_CLI_VIEW_PICTURE_H

#include "cli/view/pace.h"

/* What pages want in it, beside the poses. */
typedef struct cli_wants { bool boxes, forces, contacts; } cli_wants;

/* Of LANE, and what has been since the last one, which is then forgotten. */
cli_blob *cli_picture(cli_lane *lane, const cli_pace *pace, const cli_wants *wants);

#endif
