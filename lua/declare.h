/* declare.h - functions that scenes call to declare something; scene_open.c collects them. Internal: only
 * lua/ includes it. Methods of a system receive their name as upvalue 1. */
#ifndef HN_DECLARE_H
#define HN_DECLARE_H

#include "fields.h"
#include "scene_registry.h"

/* declare.c: parameters, defaults, expectations, reference, sys:control and sys:on. */
int hn_declare_param(lua_State *L);
int hn_declare_defaults(lua_State *L);
int hn_declare_expect(lua_State *L);
int hn_declare_reference(lua_State *L);
int hn_declare_control(lua_State *L);
int hn_declare_on(lua_State *L);
/* Append a zeroed element of SIZE bytes to *ARRAY, a pointer to COUNT elements, and return it. Another
 * zeroed element follows: it ends a list of pointers. */
void *hn_declare_append(lua_State *L, void *array, size_t *count, size_t size);
/* Push the value at INDEX (number, string or boolean) as the text that --set accepts. */
const char *hn_declare_text(lua_State *L, int index);

/* scene_bodies.c: sys:body and sys:particle; the kind of body handles; pushing a handle. */
int hn_declare_body(lua_State *L);
void hn_bodies_open(lua_State *L);
int hn_body_push(lua_State *L, int body);

/* scene_shapes.c: the kind of shape handles; adding the constructors to the table on top of the stack. */
void hn_shapes_open(lua_State *L);
void hn_shapes_set(lua_State *L);

/* scene_contact.c: sys:contact and sys:material_pair */
int hn_declare_contact(lua_State *L);
int hn_declare_material_pair(lua_State *L);

/* elements.c: sys:<joint type> and sys:<force type>; adding a joint, whose index is returned. */
int hn_declare_joint(lua_State *L);
int hn_declare_force(lua_State *L);
int hn_add_joint(lua_State *L, const hn_joint_spec *spec);
/* Push "key=value,..." of the entries of the table at index 2 that are parameters in TABLE. If KEY is not
 * NULL, only the first parameter counts, and the table calls it KEY. Returns the text, NULL if it is
 * empty. */
const char *hn_settings_push(lua_State *L, const char *what, const hn_param *table, const char *key);
/* Append the parameters of TABLE to the COUNT fields; KEY as in hn_settings_push. Returns the new count. */
size_t hn_settings_list(const hn_param *table, const char *key, hn_field *fields, size_t count);

/* custom_joints.c: sys:joint, with rows written in Lua. */
int hn_declare_own_joint(lua_State *L);

/* force_laws.c: force laws written in Lua, law = function(t, x, v, u) ... end, energy = function(x) ... end.
 * True if the table at index 2, of a force of TYPE, has the key `law` or `energy`. */
bool hn_laws_given(lua_State *L, const hn_force_type *type);
/* Push the tape handles of `law` and `energy`, nil for an absent one. WHAT starts messages. */
void hn_laws_push(lua_State *L, const char *what, const hn_force_type *type);

/* lua_solver.c, lua_contact_solver.c: scene.solver and scene.contact_solver; freeing those of a scene. */
int hn_lua_solver_declare(lua_State *L);
void hn_lua_solvers_free(hn_scene_lua *lua);
int hn_contact_solver_declare(lua_State *L);
void hn_contact_solvers_free(hn_scene_lua *lua);

/* scene_point_masses.c: scene.point_mass_model */
int hn_point_mass_model(lua_State *L);

/* special.c: pushes the table of special functions. */
int hn_special_push(lua_State *L);

/* scene_open.c: pushes the table of functions on which the Lua module holonom.scene is built. */
int hn_open_core(lua_State *L);

/* load.c: loads SCENE again for its control functions alone; skips checks and registration. Returns NULL on
 * error. */
hn_scene *hn_scene_load_again(const hn_scene *scene, hn_error *error);

#endif
