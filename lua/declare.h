/* declare.h - what scenes call to declare something; scene_open.c collects it. Internal.
 *
 * Functions of a system take their name from upvalue 1. */
#ifndef HN_DECLARE_H
#define HN_DECLARE_H

#include "scene_registry.h"

/* declare.c: parameters, and what a scene says of its runs. */
int hn_declare_param(lua_State *L);
int hn_declare_defaults(lua_State *L);
int hn_declare_expect(lua_State *L);
int hn_declare_reference(lua_State *L);
/* Pushes the value at INDEX, a number, a string, true or false, as the text that --set takes. */
const char *hn_declare_text(lua_State *L, int index);

/* scene_bodies.c: sys:body and sys:particle; their kind of handle; and one for a body, onto the stack. */
int hn_declare_body(lua_State *L);
void hn_bodies_open(lua_State *L);
int hn_body_push(lua_State *L, int body);

/* scene_shapes.c: their kind of handle, and functions that make them, into the table on top of the stack. */
void hn_shapes_open(lua_State *L);
void hn_shapes_set(lua_State *L);

/* scene_contact.c: sys:contact and sys:material_pair */
int hn_declare_contact(lua_State *L);
int hn_declare_material_pair(lua_State *L);

/* elements.c: sys:<joint type> and sys:<force type>; and the name of a joint or force, KIND, among theirs. */
int hn_declare_joint(lua_State *L);
int hn_declare_force(lua_State *L);
void hn_enter_element(lua_State *L, const char *kind, const char *name, int index);

/* custom_joints.c: sys:joint, with rows written in Lua. */
int hn_declare_own_joint(lua_State *L);

/* scene_point_masses.c: scene.point_mass_model */
int hn_point_mass_model(lua_State *L);

/* special.c: pushes the table of special functions. */
int hn_special_push(lua_State *L);

#endif
