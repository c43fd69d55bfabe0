/* lua_solver_data.h - what the functions of a solver written in Lua share: its solver's data, its handles, and their
 * arguments. Internal: only lua/ includes it. */
#ifndef HN_LUA_SOLVER_DATA_H
#define HN_LUA_SOLVER_DATA_H

#include "scene_registry.h"

#define HN_STATE_HANDLE "state"        /* userdata: hn_lua_state */
#define HN_ROWS_HANDLE "solver system" /* userdata: hn_lua_rows */

/* A state that a solver sees. One that its code makes has its poses and twists behind itself, in the memory of Lua. */
typedef struct hn_lua_state {
  hn_state *at; /* NULL: the state of a step that is over */
  hn_state own;
} hn_lua_state;

/* The data of a solver whose solver is written in Lua. */
typedef struct hn_lua_solver {
  double tolerance;
  int iterations;
  hn_flight_options flight;
  hn_linear_options linear;
  hn_state *scratch;
  double *rows;                   /* [nrow] scratch */
  double *forces;                 /* [nrow] joint forces that this step has told, */
  bool has_forces;                /* if it has */
  bool has_jacobian, has_factor;  /* made in this step: no step sees what an earlier one left */
  int worst;                      /* joint of the last residual */
  int handles;                    /* registry index of { system, state } */
  struct hn_lua_rows *system;     /* in the memory of Lua, as is */
  hn_lua_state *state;            /* the state of the step */
  char message[sizeof(hn_error)]; /* why the step failed */
  char broken[sizeof(hn_error)];  /* why reset failed, and the next step does; "" */
} hn_lua_solver;

/* The system that a step is given. */
typedef struct hn_lua_rows {
  hn_solver *solver; /* NULL: freed */
} hn_lua_rows;

/* For functions of the handles: the solver of the system at index 1; the state at INDEX; the same of this solver's
 * system; the number of a body at index 2; and the twists of OF as { { v =, w = }, ... } into the table at INDEX, or a
 * new one. */
hn_solver *hn_lua_solver_of(lua_State *L);
hn_state *hn_lua_solver_state(lua_State *L, int index);
hn_state *hn_lua_solver_own_state(lua_State *L, int index, const hn_solver *solver);
int hn_lua_solver_body(lua_State *L, const hn_state *state);
void hn_lua_solver_push_twists(lua_State *L, int index, const hn_state *of);

#endif
