/* study_lua.h - the Lua code of a study while it runs. Internal: only lua/ includes it. */
#ifndef HN_STUDY_LUA_H
#define HN_STUDY_LUA_H

#include "scene_registry.h"
#include "study.h"

/* The registry of the sandbox of a study; its `scene` is that of the run that is measured. */
typedef struct hn_study_lua {
  hn_scene_lua registry; /* first: hn_registry_of gives it */
  hn_study *study;       /* to be filled; NULL: measures and results alone are wanted */
  int measures, results; /* registry indices: lists of { name =, call = } */
  int line;              /* where the study is declared */
} hn_study_lua;

/* Runs the text of STUDY, or its file where there is none yet, in a new interpreter, which is to be closed either
 * way. */
int hn_study_open(hn_study_lua *lua, const hn_study *study, hn_error *error);

#endif
