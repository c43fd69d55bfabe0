/* page_frames.h - the motion of a run for the page. */
#ifndef CLI_PAGE_FRAMES_H
#define CLI_PAGE_FRAMES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "cli/study/track.h"

/* A growing array of bytes. */
typedef struct cli_pack {
  uint8_t *byte;
  size_t count, room;
} cli_pack;

/* Adds the arrays of TRACK to PACK. Returns their description. */
json_t *cli_frames_pack(const cli_track *track, cli_pack *pack);

/* Deflates the bytes, writes them as base64 and frees them. Returns false on error. */
bool cli_pack_write(cli_pack *pack, FILE *out);

#endif
