/* study_lua.h - the Lua interpreter of a study. Internal: only lua/ includes it. */
#ifndef HN_STUDY_LUA_H
#define HN_STUDY_LUA_H

#include "scene_registry.h"
#include "study.h"

/* Registry of the study's sandbox; its `scene` is the scene of the measured run. */
typedef struct hn_study_lua {
  hn_scene_lua registry; /* first member: hn_registry_of returns it */
  hn_study *study;       /* to be filled; NULL: only measures and results are needed */
  int measures, results; /* registry indices of lists of { name =, call = } */
  int conclude;          /* registry index of the function; LUA_REFNIL if there is none */
  int line;              /* of the declaration */
} hn_study_lua;

/* Run the text of STUDY, or its file if the text is not loaded yet, in a new interpreter. The caller closes
 * the interpreter, also on error. */
int hn_study_open(hn_study_lua *lua, const hn_study *study, hn_error *error);

#endif
