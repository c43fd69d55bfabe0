/* lua_solver_data.h - solvers written in Lua: instance data, and handles of the system and of states.
 * Internal: only lua/ includes it. */
#ifndef HN_LUA_SOLVER_DATA_H
#define HN_LUA_SOLVER_DATA_H

#include "scene_registry.h"

#define HN_STATE_HANDLE "state"        /* userdata: hn_lua_state */
#define HN_ROWS_HANDLE "solver system" /* userdata: hn_lua_rows */

/* Handle of a state. A state made by Lua code is followed by its poses and twists, in the same userdata. */
typedef struct hn_lua_state {
  hn_state *at; /* NULL: state of a step that has ended */
  hn_state own;
} hn_lua_state;

/* Instance data of a solver written in Lua. */
typedef struct hn_lua_solver {
  double tolerance;
  int iterations;
  hn_flight_options flight;
  hn_linear_options linear;
  hn_state *scratch;
  double *rows;                   /* [nrow] scratch */
  double *forces;                 /* [nrow] joint forces reported in this step, */
  bool has_forces;                /* if any */
  bool has_jacobian, has_factor;  /* computed in this step: no step uses those of an earlier one */
  int worst;                      /* joint with the largest residual in the last evaluation */
  int handles;                    /* registry index of { system, state } */
  struct hn_lua_rows *system;     /* handle of the system, owned by Lua */
  hn_lua_state *state;            /* handle of the state of the step, owned by Lua */
  char message[sizeof(hn_error)]; /* cause of the failure of the step */
  char broken[sizeof(hn_error)];  /* error raised by reset, reported by the next step; "" if none */
} hn_lua_solver;

/* Handle of the system in a step. */
typedef struct hn_lua_rows {
  hn_solver *solver; /* NULL: the run has ended */
} hn_lua_rows;

/* lua_solver_state.c: open the kind of states; push the handle of the state of a step, which the caller
 * sets before each step; push a new copy of LIKE. */
void hn_lua_solver_open_states(lua_State *L);
hn_lua_state *hn_lua_solver_push_state(lua_State *L);
hn_state *hn_lua_solver_new_state(lua_State *L, const hn_state *like);
/* Returns the state at INDEX; the state at INDEX, which must belong to SOLVER's system. Otherwise raises
 * an error. */
hn_state *hn_lua_solver_state(lua_State *L, int index);
hn_state *hn_lua_solver_own_state(lua_State *L, int index, const hn_solver *solver);

/* lua_solver_rows.c: open both kinds of handles; push the handle of the system; empty sys.memory of the
 * system on top of the stack, which allocates nothing. */
void hn_lua_solver_open(lua_State *L);
hn_lua_rows *hn_lua_solver_push_system(lua_State *L, hn_solver *solver);
void hn_lua_solver_forget(lua_State *L);

#endif
