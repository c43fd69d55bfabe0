/* scene_registry.h - state shared by the parts of the scene binding: scene being loaded, names, handles.
 * Internal. */
#ifndef HN_SCENE_REGISTRY_H
#define HN_SCENE_REGISTRY_H

#include "sandbox.h"
#include "scene.h"

#define HN_BODY_HANDLE "body"     /* userdata: int, index in the model */
#define HN_SHAPE_HANDLE "shape"   /* userdata: hn_shape */
#define HN_SYSTEM_HANDLE "system" /* userdata without data: a scene has one system */

/* Function for events of one kind. */
typedef struct hn_on {
  hn_event_kind kind;
  int function; /* registry index */
  int line;
} hn_on;

typedef struct hn_scene_lua {
  hn_sandbox box;
  hn_scene *scene;
  hn_scene_options options; /* its settings are valid only while loading */
  bool *used;               /* [nsetting] settings that the scene has requested */
  int reference;            /* registry index of the reference function, or LUA_NOREF */
  int reference_line;
  int control; /* registry index of the control function, or LUA_NOREF */
  int control_line;
  struct hn_lua_change *change; /* pending change of the model by control; NULL outside of a run */
  hn_on *on;                    /* [non] functions for events, in the order of the scene */
  size_t non;
  bool refuses_overlap;                   /* option of sys:contact */
  bool collides;                          /* sys:contact has been called */
  hn_contact_spec contact;                /* arguments of sys:contact */
  bool again;                             /* loaded again for its control functions alone */
  bool complete;                          /* the scene has returned its system: no more declarations */
  struct hn_declared_solver *solvers;     /* declared with scene.solver, newest first */
  struct hn_lua_contact *contact_solvers; /* declared with scene.contact_solver, newest first */
} hn_scene_lua;

#define HN_ELEMENT_NAMES "holonom.elements" /* Lua's registry: name of a joint or force -> index */
#define HN_BODY_NAMES "holonom.bodies"      /* Lua's registry: name of a body -> index */

/* Returns the scene that L runs, and its model. */
hn_scene_lua *hn_registry_of(lua_State *L);
hn_model *hn_registry_model(lua_State *L);

/* ---- Checks -------------------------------------------------------------------------------------------- */

/* Raise an error if the scene is complete. NAME names the declaration. */
void hn_registry_check_incomplete(lua_State *L, const char *name);
/* Raise an error if the scene is complete, or unless the call is `sys:NAME <value of TYPE>`. */
void hn_registry_check_call(lua_State *L, const char *name, int type);
/* Raise an error unless the call is `sys:NAME <value of TYPE>`. */
void hn_registry_check_form(lua_State *L, const char *name, int type);
/* Write `TYPE "name"` or `TYPE` into WHAT, from the table at index 2, for messages. */
void hn_registry_describe(lua_State *L, const char *type, char what[96]);

/* ---- Names --------------------------------------------------------------------------------------------- */

/* Create the tables of names, empty. */
void hn_registry_open_names(lua_State *L);
/* Enter NAME with INDEX in a table of names. Returns false if the name exists. */
bool hn_registry_enter(lua_State *L, const char *table, const char *name, int index);
/* Returns the index of NAME in a table of names, -1 if there is none. */
int hn_registry_find(lua_State *L, const char *table, const char *name);
/* True if the body was declared with sys:particle. */
bool hn_registry_is_particle(lua_State *L, int body);
void hn_registry_enter_particle(lua_State *L, int body);

/* ---- Handles ------------------------------------------------------------------------------------------- */

/* Create a metatable that scenes can neither read nor change, and push it. */
void hn_registry_open_kind(lua_State *L, const char *kind);
/* Push a handle of KIND with SIZE bytes of data and return the data. */
void *hn_registry_new_handle(lua_State *L, size_t size, const char *kind);

#endif
