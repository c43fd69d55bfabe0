/* page_frames.h - the motion of a run for the page. */
#ifndef CLI_PAGE_FRAMES_H
#define CLI_PAGE_FRAMES_H

#include <jansson.h>
#include <stdio.h>
#include "cli/study/track.h"

/* Writes the arrays of TRACK, compressed, as base64. Returns their description; NULL on error. */
json_t *cli_frames_write(const cli_track *track, FILE *out);

#endif
