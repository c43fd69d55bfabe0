/* core.h - what the parts of the scene binding share. Internal. */
#ifndef HN_CORE_H
#define HN_CORE_H

#include "sandbox.h"
#include "scene.h"

#define HN_BODY_HANDLE "body"     /* userdata: int, index in the model */
#define HN_SHAPE_HANDLE "shape"   /* userdata: hn_shape */
#define HN_SYSTEM_HANDLE "system" /* userdata: no data, there is one system to a scene */

typedef struct hn_scene_lua {
  hn_sandbox box;
  hn_scene *scene;
  const hn_setting *setting; /* while loading: overrides of parameters, */
  size_t nsetting;
  bool *used;                /* and which of them the scene has asked for */
  bool consistent;           /* the start is to be projected, whatever the scene says */
  int reference;             /* registry index of the reference function, or LUA_NOREF */
  int reference_line;
  int control;               /* registry index of the control function, or LUA_NOREF */
  int control_line;
  bool again;                /* loaded once more, for its control function alone */
  bool complete;             /* the scene has returned its system, to which nothing can be added then */
  struct hn_lua_method *methods; /* declared with scene.method, the last one first */
} hn_scene_lua;

hn_scene_lua *hn_core_of(lua_State *L);

/* core.c: pushes the table of functions that holonom.scene is built on. */
int hn_core_push(lua_State *L);
/* Index of a body by name, -1 when there is none. */
int hn_core_find_body(lua_State *L, const char *name);
/* Raises an error when the scene is complete. NAME is what it declares too late. */
void hn_core_check_incomplete(lua_State *L, const char *name);
/* The same, and unless the call is `sys:NAME <value of TYPE>`. */
void hn_core_check_call(lua_State *L, const char *name, int type);

hn_model *hn_core_model(lua_State *L);
/* `TYPE "name"` or `TYPE` into WHAT, from the table at index 2, for messages. */
void hn_core_describe(lua_State *L, const char *type, char what[96]);
/* Notes NAME with INDEX in a registry table of names; false when it is there already. */
bool hn_core_enter(lua_State *L, const char *table, const char *name, int index);
#define HN_ELEMENT_NAMES "holonom.elements" /* registry: name of a joint or force -> index */
#define HN_BODY_NAMES "holonom.bodies" /* registry: name of a body -> index */
/* Was the body declared with sys:particle? */
bool hn_core_is_particle(lua_State *L, int body);
void hn_core_enter_particle(lua_State *L, int body);

/* A metatable that scenes can neither see nor change; left on the stack. */
void hn_core_open_kind(lua_State *L, const char *kind);

/* declare.c: parameters, and what a scene says of its runs. Methods of a system take their name from upvalue 1. */
int hn_declare_param(lua_State *L);
int hn_declare_defaults(lua_State *L);
int hn_declare_expect(lua_State *L);
int hn_declare_reference(lua_State *L);

/* elements.c: sys:<joint type> and sys:<force type>; upvalue 1 is the name of the type. */
int hn_declare_joint(lua_State *L);
int hn_declare_force(lua_State *L);

/* scene.c: loads SCENE once more, for its control alone: nothing else of it is tried or registered. NULL on error. */
hn_scene *hn_scene_load_again(const hn_scene *scene, hn_error *error);

/* point_masses.c: scene.point_mass_model */
int hn_point_mass_model(lua_State *L);

/* special.c: pushes the table of special functions. */
int hn_special_push(lua_State *L);

#endif
