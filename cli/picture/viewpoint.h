/* viewpoint.h - where a picture is looked at from: parallel light, no perspective. */
#ifndef CLI_VIEWPOINT_H
#define CLI_VIEWPOINT_H

#include "holonom.h"

typedef struct picture_view {
  double right[3], up[3]; /* of the picture, world axes */
  double eye[3];          /* towards who looks */
  double above[3];        /* opposite to gravity, or y */
} picture_view;

/* NAME is xy, xz, yz or iso; NULL: xy of what lies in that plane, else iso. -1 on error. */
int picture_view_read(picture_view *view, const char *name, const hn_model *model, const hn_state *state,
                      hn_error *error);

#endif
