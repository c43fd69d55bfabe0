/* lua_solver_stage.h - methods for the stages of a Runge-Kutta method written in Lua: changing states,
 * accelerations and velocities that satisfy the joints.
 *
 * Methods that share a function are told apart by their hn_handle_detail. */
#ifndef HN_LUA_SOLVER_STAGE_H
#define HN_LUA_SOLVER_STAGE_H

#include "lua_solver_data.h"

enum { HN_PLACE_POSITION, HN_PLACE_ORIENTATION };
int hn_stage_place(lua_State *L);        /* state:set_position(i, x), state:set_orientation(i, q) */
int hn_stage_move(lua_State *L);         /* state:move(i, dx, turn) */
int hn_stage_time(lua_State *L);         /* state:time() */
int hn_stage_set_time(lua_State *L);     /* state:set_time(t) */
int hn_stage_acceleration(lua_State *L); /* sys:acceleration(state, table) */
int hn_stage_project(lua_State *L);      /* sys:project(state) */

#endif
