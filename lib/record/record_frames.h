/* record_frames.h - the frames of a record as they were, in a file beside it. Internal. */
#ifndef HN_RECORD_FRAMES_H
#define HN_RECORD_FRAMES_H

#include "run.h"

typedef struct hn_frames {
  FILE *file; /* NULL: not open */
  char *path;
  hn_record_mark now;
} hn_frames;

/* Opens PATH and holds it, empty, or, when FROM is given, cut off where it says; -1, and PATH as it was,
 * where that is not what is in it. */
int hn_frames_open(hn_frames *frames, const char *path, const hn_record_mark *from, hn_error *error);
/* The frame that is in the cells of LAYOUT, behind the others. */
int hn_frames_write(hn_frames *frames, const hn_record_layout *layout, hn_error *error);
/* All frames that FROM counts, one after the other, into the cells of LAYOUT and to WRITE. */
int hn_frames_read(hn_frames *frames, const hn_record_mark *from, hn_record_layout *layout,
                   int (*write)(void *user, hn_error *error), void *user, hn_error *error);
/* All that was written is in the file. */
int hn_frames_flush(hn_frames *frames, hn_error *error);
void hn_frames_close(hn_frames *frames); /* which need not be open */

#endif
