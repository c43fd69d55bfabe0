/* lua_solver_data.h - data shared by the functions of a solver written in Lua: instance data, handles and
 * arguments. Internal: only lua/ includes it. */
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

/* Arguments of the methods of the handles; an invalid one raises an error. In turn: the solver of the system
 * at index 1; the state at INDEX; the state at INDEX, which must belong to SOLVER's system; the number of a
 * body at index 2. */
hn_solver *hn_lua_solver_of(lua_State *L);
hn_state *hn_lua_solver_state(lua_State *L, int index);
hn_state *hn_lua_solver_own_state(lua_State *L, int index, const hn_solver *solver);
int hn_lua_solver_body(lua_State *L, const hn_state *state);
/* Push the twists of OF as { { v =, w = }, ... }, into the table at INDEX or into a new one. */
void hn_lua_solver_push_twists(lua_State *L, int index, const hn_state *of);

#endif
