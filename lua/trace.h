/* trace.h - compiles functions of a scene to tapes, by calling them with traced numbers that record the
 * operations. Internal: only lua/ includes it. */
#ifndef HN_TRACE_H
#define HN_TRACE_H

#include "sandbox.h"
#include "tape/tape.h"

#define HN_TRACED "traced number" /* name of the kind of userdata */

/* A call of a function, to record its tape or to compare it with the tape. */
typedef struct hn_trace {
  hn_tape_writer *writer; /* NULL: the function is called with plain numbers */
  const double *sample;   /* these plain numbers, one for each input */
  const char *what;       /* for messages: `spring "s": law` */
} hn_trace;

/* Pushes the arguments of the function, made of inputs. Returns their number. */
typedef int hn_trace_arguments(lua_State *L, const hn_trace *trace, const void *context);

/* Push input I: a traced number, or its sample. */
void hn_trace_push(lua_State *L, const hn_trace *trace, int i);
/* Push a table of COUNT inputs from FIRST on. */
void hn_trace_push_vector(lua_State *L, const hn_trace *trace, int first, int count);

/* Push a handle of the tape of the function KEY of the table at index 2, or nil if it is absent. OUTPUTS 0
 * accepts any number of outputs. WHAT starts messages. Raises an error if the value is no function, if it
 * cannot be recorded, or if its values differ from those of its tape. */
void hn_trace_key(lua_State *L, const char *key, const char *what, hn_trace_arguments *push,
                  const void *context, int inputs, int outputs);
/* Returns the tape of the handle at INDEX, which the caller now owns; NULL for nil. */
hn_tape *hn_trace_take(lua_State *L, int index);

/* Returns the number of the current call, 0 if no function is traced. It detects functions kept from an
 * earlier call. */
unsigned hn_trace_number(lua_State *L);

/* Open the kind of traced numbers, and extend the functions of `math` to them. */
void hn_trace_open(lua_State *L);

#endif
