/* page_frames.h - the motion of a run as the page has it. */
#ifndef CLI_PAGE_FRAMES_H
#define CLI_PAGE_FRAMES_H

#include <jansson.h>
#include "cli/page/pack.h"
#include "cli/study/track.h"

/* What the page has to know of TRACK's arrays; and these, added to PACK. */
json_t *cli_frames_pack(const cli_track *track, cli_pack *pack);

#endif
