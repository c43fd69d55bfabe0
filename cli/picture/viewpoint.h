/* viewpoint.h - the direction from which a mechanism is drawn: parallel projection. */
#ifndef CLI_VIEWPOINT_H
#define CLI_VIEWPOINT_H

#include "holonom.h"

typedef struct picture_view {
  double right[3], up[3]; /* axes of the picture, world axes */
  double eye[3];          /* towards the observer */
  double above[3];        /* opposite to gravity, or y */
} picture_view;

/* Sets VIEW to NAME: xy, xz, yz, iso, or NULL: xy for a mechanism in that plane, else iso. -1 on error. */
int picture_view_read(picture_view *view, const char *name, const hn_model *model, const hn_state *state,
                      hn_error *error);

#endif
