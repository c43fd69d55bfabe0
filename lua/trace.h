/* trace.h - functions of a scene as tapes: called with numbers that write down what is done with them. Internal: only
 * lua/ includes it. */
#ifndef HN_TRACE_H
#define HN_TRACE_H

#include "sandbox.h"
#include "tape/tape.h"

/* A function that is being called for its tape, or to be held against it. */
typedef struct hn_trace {
  hn_tape_writer *writer; /* NULL: it is called with plain numbers, */
  const double *sample;   /* these, one for each input */
  const char *what;       /* for messages: `spring "s": law` */
} hn_trace;

/* Pushes its arguments, made of inputs, and returns how many. */
typedef int hn_trace_arguments(lua_State *L, const hn_trace *trace, const void *context);

/* Pushes input I: a traced number, or its sample. */
void hn_trace_push(lua_State *L, const hn_trace *trace, int i);

/* Pushes a handle of the tape of the function at INDEX of the stack; OUTPUTS 0: as many as it gives. WHAT starts
 * messages. Raises an error when it cannot be written down, or does something else than its tape. */
void hn_trace_function(lua_State *L, int index, const char *what, hn_trace_arguments *push,
                       const void *context, int inputs, int outputs);
/* The tape of the handle at INDEX, which is the caller's now; NULL where there is nil. */
hn_tape *hn_trace_take(lua_State *L, int index);

/* The number of the trace under way; 0: there is none. A function that was made for one may have been kept. */
unsigned hn_trace_number(lua_State *L);

/* Opens the kind of traced numbers, and teaches the functions of `math` about them. */
void hn_trace_open(lua_State *L);

#endif
