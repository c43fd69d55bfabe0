/* record_frames.h - the frames of a record in a second file, to continue from. Internal. */
#ifndef HN_RECORD_FRAMES_H
#define HN_RECORD_FRAMES_H

#include "run.h"

typedef struct hn_frames {
  FILE *file; /* NULL: not open */
  char *path;
  hn_record_mark now;
} hn_frames;

/* Opens and locks PATH, empty or, if FROM is given, truncated to that mark. Returns -1 on error; if PATH
 * does not contain the frames of FROM, it is unchanged. */
int hn_frames_open(hn_frames *frames, const char *path, const hn_record_mark *from, hn_error *error);
/* Appends the frame in the cells of LAYOUT. */
int hn_frames_write(hn_frames *frames, const hn_record_layout *layout, hn_error *error);
/* Reads the frames up to FROM one by one into the cells of LAYOUT and calls WRITE for each. */
int hn_frames_read(hn_frames *frames, const hn_record_mark *from, hn_record_layout *layout,
                   int (*write)(void *user, hn_error *error), void *user, hn_error *error);
/* Writes all buffered data to the disk. */
int hn_frames_flush(hn_frames *frames, hn_error *error);
void hn_frames_close(hn_frames *frames); /* FRAMES need not be open */

#endif
