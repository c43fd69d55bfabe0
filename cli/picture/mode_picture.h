/* mode_picture.h - a mode of linearised motion as a drawing or an animation. */
#ifndef HN_CLI_MODE_PICTURE_H
#define HN_CLI_MODE_PICTURE_H

#include "holonom.h"

/* Draws MODE of MODEL about STATE into PATH (.pdf, .svg, .png, .gp): the mechanism at its largest
 * displacement and the paths of its bodies over a period. VIEW, WIDTH and HEIGHT as for picture_view_read and
 * picture_draw. */
int mode_draw(const hn_model *model, const hn_state *state, const hn_eigenmode *mode, const char *path,
              const char *view, double width, double height, hn_error *error);
/* Writes one period of MODE into PATH as a record of TYPE, an animation. The period of a mode without
 * frequency is 1 s. */
int mode_animate(const hn_model *model, const hn_state *state, const hn_eigenmode *mode, const char *path,
                 const hn_record_type *type, hn_error *error);

#endif
