/* page_frames.h - the motion of a run for the page. */
#ifndef CLI_PAGE_FRAMES_H
#define CLI_PAGE_FRAMES_H

#include <jansson.h>
#include "cli/page/pack.h"
#include "cli/study/track.h"

/* Adds the arrays of TRACK to PACK. Returns their description. */
json_t *cli_frames_pack(const cli_track *track, cli_pack *pack);

#endif
