/* picture_shapes.h - visible faces of shapes. */
#ifndef CLI_PICTURE_SHAPES_H
#define CLI_PICTURE_SHAPES_H

#include "cli/picture/items.h"

/* Transforms the point X from the axes of POSE to world axes. */
void picture_to_world(double out[3], const hn_pose *pose, const double x[3]);
/* Adds the visible faces of the shapes of BODY. */
void picture_add_shapes(picture *p, int body, const hn_pose *pose);
/* Adds the ball, cylinder or box with the mass and moments of inertia of BODY, which has no shape. */
void picture_add_inertia(picture *p, int body, const hn_pose *pose);
/* Adds the planes that bound half spaces, within the bounds of all other items. */
void picture_add_planes(picture *p, const hn_state *state);

#endif
