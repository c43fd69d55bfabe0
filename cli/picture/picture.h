/* picture.h - cli/picture/: draws a mechanism. It depends on cli/base/ and the library.
 *
 *   model, state, view -> faces, lines and marks in the plane of the picture -> gnuplot, far faces first */
#ifndef HN_CLI_PICTURE_PICTURE_H
#define HN_CLI_PICTURE_PICTURE_H

#include "cli/picture/items.h"

/* Draws MODEL at STATE. Free with picture_free. */
void picture_make(picture *p, const hn_model *model, const hn_state *state, const picture_view *view);
/* Adds the path of a body: COUNT points in world axes. */
void picture_add_path(picture *p, int body, const double (*point)[3], int count);

#endif
