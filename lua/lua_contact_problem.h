/* lua_contact_problem.h - the contact problem as seen by a contact solver written in Lua. Internal: only lua/
 * includes it. */
#ifndef HN_LUA_CONTACT_PROBLEM_H
#define HN_LUA_CONTACT_PROBLEM_H

#include "scene_registry.h"

#define HN_PROBLEM_HANDLE "contact problem" /* userdata: hn_lua_problem */

/* The problem of one instance of a contact solver. */
typedef struct hn_lua_problem {
  hn_contact_solver *solver;
  const hn_problem *at; /* NULL: not being solved */
  double *u;            /* [6 nbody] body velocities due to the impulses applied so far */
  double *work;         /* [6 nbody] scratch */
  double *p, *v;        /* [nrow] scratch */
} hn_lua_problem;

/* Open the kind of handle. */
void hn_contact_problem_open(lua_State *L);
/* Push a new handle for SOLVER and return its data, owned by Lua. */
hn_lua_problem *hn_contact_problem_push(lua_State *L, hn_contact_solver *solver);
/* Set u = W G' p. */
void hn_contact_problem_start(hn_lua_problem *problem, const double *p);

#endif
