/* picture_shapes.h - what the eye sees of shapes. */
#ifndef CLI_PICTURE_SHAPES_H
#define CLI_PICTURE_SHAPES_H

#include "cli/picture/items.h"

/* Adds the faces of BODY's shapes that the eye sees. */
void picture_add_shapes(picture *p, int body, const hn_pose *pose);
/* Adds the ball, cylinder or box with the mass and moments of inertia of a body that has no shape. */
void picture_add_inertia(picture *p, int body, const hn_pose *pose);
/* Adds the planes that fill half spaces, as far as the rest goes. */
void picture_add_planes(picture *p, const hn_state *state);

#endif
