/* scene_registry.h - what the parts of the scene binding share: the scene being loaded, the names in it, its handles.
 * Internal. */
#ifndef HN_SCENE_REGISTRY_H
#define HN_SCENE_REGISTRY_H

#include "sandbox.h"
#include "scene.h"

#define HN_BODY_HANDLE "body"     /* userdata: int, index in the model */
#define HN_SHAPE_HANDLE "shape"   /* userdata: hn_shape */
#define HN_SYSTEM_HANDLE "system" /* userdata: no data, there is one system to a scene */

typedef struct hn_scene_lua {
  hn_sandbox box;
  hn_scene *scene;
  hn_scene_options options; /* its settings only while loading; */
  bool *used;               /* which of them the scene has asked for */
  int reference;            /* registry index of the reference function, or LUA_NOREF */
  int reference_line;
  int control; /* registry index of the control function, or LUA_NOREF */
  int control_line;
  struct hn_lua_change *change; /* of the model, by control; NULL: not in a run */
  struct hn_on *on;             /* [non] functions for events, in the order of the scene */
  size_t non;
  bool refuses_overlap;    /* of sys:contact */
  bool collides;           /* sys:contact has been called, */
  hn_contact_spec contact; /* with this */
  bool again;              /* loaded once more, for its control function alone */
  bool complete;           /* the scene has returned its system, to which nothing can be added then */
  struct hn_declared_solver *solvers;     /* declared with scene.solver, the last one first */
  struct hn_lua_contact *contact_solvers; /* and with scene.contact_solver */
} hn_scene_lua;

#define HN_ELEMENT_NAMES "holonom.elements" /* Lua's registry: name of a joint or force -> index */
#define HN_BODY_NAMES "holonom.bodies"      /* Lua's registry: name of a body -> index */

/* The scene that L runs, and its model. */
hn_scene_lua *hn_registry_of(lua_State *L);
hn_model *hn_registry_model(lua_State *L);

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

/* Raises an error when the scene is complete. NAME is what it declares too late. */
void hn_registry_check_incomplete(lua_State *L, const char *name);
/* The same, and unless the call is `sys:NAME <value of TYPE>`. */
void hn_registry_check_call(lua_State *L, const char *name, int type);
/* The latter alone. */
void hn_registry_check_form(lua_State *L, const char *name, int type);
/* `TYPE "name"` or `TYPE` into WHAT, from the table at index 2, for messages. */
void hn_registry_describe(lua_State *L, const char *type, char what[96]);

/* ---- Names ------------------------------------------------------------------------------------------------------- */

/* Makes the tables of names, empty. */
void hn_registry_open_names(lua_State *L);
/* Notes NAME with INDEX in a table of names; false when it is there already. */
bool hn_registry_enter(lua_State *L, const char *table, const char *name, int index);
/* Index of a body by name, -1 when there is none. */
int hn_registry_find_body(lua_State *L, const char *name);
/* Was the body declared with sys:particle? */
bool hn_registry_is_particle(lua_State *L, int body);
void hn_registry_enter_particle(lua_State *L, int body);

/* ---- Handles ----------------------------------------------------------------------------------------------------- */

/* A metatable that scenes can neither see nor change; left on the stack. */
void hn_registry_open_kind(lua_State *L, const char *kind);
/* SIZE bytes of KIND, on the stack. */
void *hn_registry_new_handle(lua_State *L, size_t size, const char *kind);

#endif
