/* lua_contact_problem.h - what a contact solver written in Lua works with. Internal: only lua/ includes it. */
#ifndef HN_LUA_CONTACT_PROBLEM_H
#define HN_LUA_CONTACT_PROBLEM_H

#include "scene_registry.h"

#define HN_PROBLEM_HANDLE "contact problem" /* userdata: hn_lua_problem */

/* The problem that a solver is given. */
typedef struct hn_lua_problem {
  hn_contact_solver *solver;
  const hn_problem *at; /* NULL: the solution is over */
  double *u;            /* [6 nbody] velocities of bodies by the impulses that its code has applied, */
  double *work;         /* [6 nbody] scratch */
  double *p, *v;        /* [nrow] scratch */
} hn_lua_problem;

/* Opens the kind of handle; and pushes one. */
void hn_contact_problem_open(lua_State *L);
hn_lua_problem *hn_contact_problem_push(lua_State *L, hn_contact_solver *solver);
/* u := W G' p. */
void hn_contact_problem_start(hn_lua_problem *problem, const double *p);

#endif
