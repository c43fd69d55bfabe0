/* body_parts.h - shapes and collision groups of a body in a scene. Internal. */
#ifndef HN_BODY_PARTS_H
#define HN_BODY_PARTS_H

#include "scene_registry.h"

/* Read key "shapes" of the table at INDEX, { { shape = ..., position = ... }, ... }, into SPEC. The parts are
 * pushed on the stack and stay valid there. WHAT starts messages. */
void hn_parts_read(lua_State *L, int index, const char *what, hn_body_spec *spec);
/* Read key "collides", false or a list of groups, into SPEC. The list is pushed on the stack and stays valid
 * there. */
void hn_collides_read(lua_State *L, int index, const char *what, hn_body_spec *spec);
/* Returns the memory (bytes) that the model needs for the shapes of SPEC. */
size_t hn_parts_memory(const hn_body_spec *spec);
/* Complete the orientation Q of a body or a shape: from AXIS_ANGLE = { x, y, z, angle } unless it is NULL,
 * else as read from key "orientation". Raises an error if both are given, or if the axis or the quaternion
 * has zero length. */
void hn_orientation_read(lua_State *L, const char *what, bool has_orientation, const double *axis_angle,
                         double q[4]);

#endif
