/* body_parts.h - the shapes of a body in a scene, and what they collide with. Internal. */
#ifndef HN_BODY_PARTS_H
#define HN_BODY_PARTS_H

#include "scene_registry.h"

/* Reads key "shapes" of the table at INDEX, { { shape = ..., position = ... }, ... }, into SPEC; the parts are alive as
 * long as what is on the stack, to which they are added. WHAT starts messages. */
void hn_parts_read(lua_State *L, int index, const char *what, hn_body_spec *spec);
/* Key "collides": false, or a list of groups; the same. */
void hn_collides_read(lua_State *L, int index, const char *what, hn_body_spec *spec);
/* Bytes that the model takes for the shapes of SPEC. */
size_t hn_parts_memory(const hn_body_spec *spec);
/* Completes the orientation Q of a body or a shape: from AXIS_ANGLE = { x, y, z, angle }, unless it is NULL, else as key
 * "orientation" has given it. Fails if both are given, or if the axis or the quaternion has zero length. */
void hn_orientation_read(lua_State *L, const char *what, bool has_orientation, const double *axis_angle,
                         double q[4]);

#endif
