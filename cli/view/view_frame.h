/* view_frame.h - the binary message with the data that a client draws of one run. */
#ifndef CLI_VIEW_FRAME_H
#define CLI_VIEW_FRAME_H

#include "cli/view/pace.h"

/* Optional contents of a frame. */
typedef struct cli_frame_content {
  bool boxes, forces, contacts;
} cli_frame_content;

/* Returns the frame of RUN and restarts the statistics since the last frame. */
cli_blob *cli_view_frame(cli_live_run *run, const cli_pace *pace, const cli_frame_content *content);

#endif
