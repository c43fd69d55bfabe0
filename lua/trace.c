/* trace.c - compiles functions of a scene to tapes (tape/tape.h).
 *
 * The function is called with traced numbers, userdata whose arithmetic records operations: once for each
 * path that its comparisons leave open, and twice for the first path. Then it is called with plain numbers,
 * including zeros and ones, and compared with the tape. This check detects what tracing cannot see: a
 * comparison with ==, a variable that persists, a test of the type of an argument. An accepted function
 * depends on its arguments alone, and no Lua code runs in a step. Traced numbers are dead after their call:
 * their use is an error, in other functions and in the scene, too. */
#include "trace.h"
#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TAPE_HANDLE "holonom.tape" /* userdata: hn_tape *, freed with it */

/* A traced number: a slot of the tape recorded in the call number `trace`. */
typedef struct traced {
  unsigned trace;
  int slot;
} traced;

static int free_tape(lua_State *L)
{
  hn_tape **handle = lua_touserdata(L, 1);
  hn_tape_free(*handle);
  *handle = NULL;
  return 0;
}

static hn_tape_writer *writer_of(lua_State *L)
{
  return hn_sandbox_of(L)->writer;
}

static int push_slot(lua_State *L, int slot)
{
  traced *number = lua_newuserdatauv(L, sizeof *number, 0);
  *number = (traced){ hn_sandbox_of(L)->traces, slot };
  luaL_setmetatable(L, HN_TRACED);
  return 1;
}

void hn_trace_push(lua_State *L, const hn_trace *trace, int i)
{
  if (trace->writer) push_slot(L, i);
  else lua_pushnumber(L, trace->sample[i]);
}

void hn_trace_push_vector(lua_State *L, const hn_trace *trace, int first, int count)
{
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    hn_trace_push(L, trace, first + i);
    lua_rawseti(L, -2, i + 1);
  }
}

unsigned hn_trace_number(lua_State *L)
{
  const hn_sandbox *box = hn_sandbox_of(L);
  return box->tracing ? box->traces : 0;
}

/* ---- Arithmetic ---------------------------------------------------------------------------------------- */

static bool is_traced(lua_State *L, int index)
{
  return lua_type(L, index) == LUA_TUSERDATA && luaL_testudata(L, index, HN_TRACED);
}

/* Returns the slot of an operand, a traced number or a plain number. */
static int operand(lua_State *L, hn_tape_writer *w, int index)
{
  const traced *number = lua_touserdata(L, index);
  const bool traced_operand = is_traced(L, index);
  if (!w || (traced_operand && number->trace != hn_sandbox_of(L)->traces))
    hn_sandbox_fail(L, "an argument of a law has been kept and is used after the call");
  if (traced_operand) return number->slot;
  if (lua_type(L, index) != LUA_TNUMBER)
    hn_sandbox_fail(L, "a law cannot do arithmetic with a %s", luaL_typename(L, index));
  return hn_tape_constant(w, lua_tonumber(L, index));
}

/* Raise an error if the tape has become too long; otherwise an endless loop would never end. */
static void check_problem(lua_State *L, const hn_tape_writer *w)
{
  if (w->problem) hn_sandbox_fail(L, "the law cannot be recorded: %s", w->problem);
}

static int push_operation(lua_State *L, hn_tape_writer *w, hn_tape_kind kind, int a, int b, double c)
{
  int slot = hn_tape_emit(w, kind, a, b, c);
  check_problem(L, w);
  return push_slot(L, slot);
}

/* Metamethod of the operation in upvalue 1. */
static int arithmetic(lua_State *L)
{
  hn_tape_writer *w = writer_of(L);
  int a = operand(L, w, 1), b = operand(L, w, 2);
  return push_operation(L, w, (hn_tape_kind)lua_tointeger(L, lua_upvalueindex(1)), a, b, 0.0);
}

static int floor_division(lua_State *L)
{
  hn_tape_writer *w = writer_of(L);
  int a = operand(L, w, 1), b = operand(L, w, 2), quotient = hn_tape_emit(w, HN_TAPE_DIV, a, b, 0.0);
  return push_operation(L, w, HN_TAPE_FLOOR, quotient, quotient, 0.0);
}

/* Compute a^n by products, so that its series exists at a = 0. */
static int whole_power(hn_tape_writer *w, int a, int n)
{
  int power = -1;
  for (; n > 0; n /= 2) {
    if (n % 2) power = power < 0 ? a : hn_tape_emit(w, HN_TAPE_MUL, power, a, 0.0);
    if (n > 1) a = hn_tape_emit(w, HN_TAPE_MUL, a, a, 0.0);
  }
  return power;
}

enum { MAX_WHOLE_POWER = 64 }; /* larger whole exponents are computed by HN_TAPE_POWER, as others are */

static int power(lua_State *L)
{
  hn_tape_writer *w = writer_of(L);
  int a = operand(L, w, 1), b;
  if (lua_type(L, 2) != LUA_TNUMBER) { /* exp(b log a) if a is positive */
    b = operand(L, w, 2);
    bool positive = lua_type(L, 1) == LUA_TNUMBER
                      ? lua_tonumber(L, 1) > 0
                      : hn_tape_branch(w, HN_TAPE_LESS, hn_tape_constant(w, 0.0), a);
    if (!positive) return push_operation(L, w, HN_TAPE_RAISE, a, b, 0.0);
    int product = hn_tape_emit(w, HN_TAPE_MUL, b, hn_tape_emit(w, HN_TAPE_LOG, a, a, 0.0), 0.0);
    return push_operation(L, w, HN_TAPE_EXP, product, product, 0.0);
  }
  double c = lua_tonumber(L, 2);
  if (c != floor(c) || fabs(c) > MAX_WHOLE_POWER) return push_operation(L, w, HN_TAPE_POWER, a, a, c);
  if (c == 0) return push_slot(L, hn_tape_constant(w, 1.0));
  int whole = whole_power(w, a, (int)fabs(c));
  if (c < 0) return push_operation(L, w, HN_TAPE_DIV, hn_tape_constant(w, 1.0), whole, 0.0);
  check_problem(L, w);
  return push_slot(L, whole);
}

/* Metamethod of < and <=: returns the outcome that this path assumes. */
static int compare(lua_State *L)
{
  hn_tape_writer *w = writer_of(L);
  int a = operand(L, w, 1), b = operand(L, w, 2);
  bool holds = hn_tape_branch(w, (hn_tape_kind)lua_tointeger(L, lua_upvalueindex(1)), a, b);
  check_problem(L, w);
  lua_pushboolean(L, holds);
  return 1;
}

static int refuse_equality(lua_State *L)
{
  return hn_sandbox_fail(
    L, "a law cannot compare its arguments for equality: a condition that holds at a single value "
       "has no derivative there; compare with < or <=");
}

static int refuse_use(lua_State *L)
{
  return hn_sandbox_fail(L, "an argument of a law is a number: %s", lua_tostring(L, lua_upvalueindex(1)));
}

/* ---- Functions of math --------------------------------------------------------------------------------- */

typedef struct math_function {
  const char *name;
  hn_tape_kind kind;
  int slot; /* offset of the result: 1 for the second output of the operation */
} math_function;

static const math_function functions[] = {
  { "sin", HN_TAPE_SINE, 0 },  { "cos", HN_TAPE_SINE, 1 },    { "tan", HN_TAPE_TAN, 0 },
  { "asin", HN_TAPE_ASIN, 0 }, { "acos", HN_TAPE_ACOS, 0 },   { "atan", HN_TAPE_ATAN2, 0 },
  { "exp", HN_TAPE_EXP, 0 },   { "log", HN_TAPE_LOG, 0 },     { "sqrt", HN_TAPE_SQRT, 0 },
  { "abs", HN_TAPE_ABS, 0 },   { "floor", HN_TAPE_FLOOR, 0 }, { "ceil", HN_TAPE_CEIL, 0 },
  { "min", HN_TAPE_MIN, 0 },   { "max", HN_TAPE_MAX, 0 },     { "fmod", HN_TAPE_FMOD, 0 },
};

/* Logarithm to the base at index 2, with Lua's treatment of the bases 2 and 10. */
static int traced_log(lua_State *L, hn_tape_writer *w, int a)
{
  const double base = lua_type(L, 2) == LUA_TNUMBER ? lua_tonumber(L, 2) : 0.0;
  if (lua_isnoneornil(L, 2)) return push_operation(L, w, HN_TAPE_LOG, a, a, 0.0);
  if (base == 2.0) return push_operation(L, w, HN_TAPE_LOG2, a, a, 0.0);
  if (base == 10.0) return push_operation(L, w, HN_TAPE_LOG10, a, a, 0.0);
  int b = operand(L, w, 2);
  return push_operation(L, w, HN_TAPE_DIV, hn_tape_emit(w, HN_TAPE_LOG, a, a, 0.0),
                        hn_tape_emit(w, HN_TAPE_LOG, b, b, 0.0), 0.0);
}

static int traced_call(lua_State *L, const math_function *f)
{
  hn_tape_writer *w = writer_of(L);
  const int count = lua_gettop(L);
  int a = operand(L, w, 1);
  switch (f->kind) {
  case HN_TAPE_LOG: return traced_log(L, w, a);
  case HN_TAPE_ATAN2:
    return push_operation(L, w, f->kind, a, count > 1 ? operand(L, w, 2) : hn_tape_constant(w, 1.0), 0.0);
  case HN_TAPE_FMOD: return push_operation(L, w, f->kind, a, operand(L, w, 2), 0.0);
  case HN_TAPE_MIN:
  case HN_TAPE_MAX:
    for (int i = 2; i <= count; i++) a = hn_tape_emit(w, f->kind, a, operand(L, w, i), 0.0);
    check_problem(L, w);
    return push_slot(L, a);
  default:
    a = hn_tape_emit(w, f->kind, a, a, 0.0);
    check_problem(L, w);
    return push_slot(L, a + f->slot);
  }
}

/* A function of math. Upvalues: the original for plain numbers; its index in `functions`. */
static int call_math(lua_State *L)
{
  for (int i = lua_gettop(L); i > 0; i--)
    if (is_traced(L, i)) return traced_call(L, &functions[lua_tointeger(L, lua_upvalueindex(2))]);
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* math.random, refused in a law. Upvalue 1: the original. */
static int call_random(lua_State *L)
{
  if (writer_of(L))
    hn_sandbox_fail(L, "a law cannot use random numbers: it must depend on its arguments alone");
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

/* ---- Calls --------------------------------------------------------------------------------------------- */

enum { FUNCTION = 1 }; /* stack index of the function in trace_all, followed by the job */

/* A request to trace a function, with its result. */
typedef struct job {
  hn_trace trace;
  hn_trace_arguments *push;
  const void *context;
  int inputs, outputs;
  hn_tape **handle;
} job;

/* Expand the results of a call: the COUNT values on top of the stack, or the entries of a single table.
 * Returns their number. */
static int expand_values(lua_State *L, const hn_trace *trace, int count)
{
  if (count != 1 || !lua_istable(L, -1)) return count;
  int n = (int)lua_rawlen(L, -1), table = lua_gettop(L);
  if (n > HN_TAPE_OUTPUTS) hn_sandbox_fail(L, "%s returns a table of %d values", trace->what, n);
  luaL_checkstack(L, n, NULL);
  for (int i = 1; i <= n; i++) lua_rawgeti(L, table, i);
  return n;
}

/* Call the function and leave its values on the stack. Returns their number. */
static int call_function(lua_State *L, const job *j, int outputs)
{
  const hn_trace *trace = &j->trace;
  int before = lua_gettop(L);
  hn_sandbox_of(L)->traces++; /* traced numbers that an earlier call has kept are dead */
  lua_pushvalue(L, FUNCTION);
  lua_call(L, j->push(L, trace, j->context), LUA_MULTRET);
  int count = expand_values(L, trace, lua_gettop(L) - before);
  const int most = outputs ? outputs : HN_MAX_ROWS;
  if (count == 0)
    hn_sandbox_fail(L, "%s returns nothing: it must return %s", trace->what,
                    outputs == 1 ? "a number" : "numbers");
  if (outputs ? count != outputs : count > most)
    hn_sandbox_fail(L, "%s returns %d values: it must return %s%d", trace->what, count,
                    outputs ? "" : "at most ", most);
  for (int i = -count; i < 0; i++)
    if (lua_type(L, i) != LUA_TNUMBER && !is_traced(L, i))
      hn_sandbox_fail(L, "%s returns a %s: it must return %s", trace->what, luaL_typename(L, i),
                      most == 1 ? "a number" : "numbers");
  return count;
}

/* Record one path through the function. */
static void trace_path(lua_State *L, job *j)
{
  int slot[HN_TAPE_OUTPUTS];
  const hn_trace *trace = &j->trace;
  hn_tape_start_path(trace->writer);
  int count = call_function(L, j, j->outputs);
  for (int i = 0; i < count; i++) slot[i] = operand(L, trace->writer, lua_gettop(L) + 1 + i - count);
  hn_tape_end_path(trace->writer, slot, count);
  if (trace->writer->problem) hn_sandbox_fail(L, "%s: %s", trace->what, trace->writer->problem);
  lua_settop(L, FUNCTION + 1);
}

/* ---- Comparison of the tape with the function ---------------------------------------------------------- */

/* Bound on the rounding difference of a tape and its function, which may order operations differently. */
static const double tape_tolerance = 1e-9;

static bool agrees(double a, double b)
{
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  return a == b || fabs(a - b) <= tape_tolerance * (1.0 + fabs(a) + fabs(b));
}

static void check_at(lua_State *L, const job *j)
{
  double slot[HN_TAPE_SLOTS], out[HN_TAPE_OUTPUTS];
  const hn_tape *tape = *j->handle;
  int count = call_function(L, j, tape->outputs);
  memcpy(slot, j->trace.sample, sizeof *slot * (size_t)tape->inputs);
  hn_tape_run(tape, slot, out);
  for (int i = 0; i < count; i++) {
    double value = lua_tonumber(L, i - count);
    if (!agrees(value, out[i]))
      hn_sandbox_fail(
        L,
        "%s returns %s where its recorded operations return %s: it must depend on its arguments alone, "
        "and not compare them with == or ~=",
        j->trace.what, isnan(value) ? "nan" : hn_exact(value).text,
        isnan(out[i]) ? "nan" : hn_exact(out[i]).text);
  }
  lua_settop(L, FUNCTION + 1);
}

/* At zero, at small and large numbers, and with each input zero and one in turn. */
static void check(lua_State *L, job *j)
{
  static const double scale[] = { 0.0, 0.01, 1.0, 30.0 };
  enum { MOST_INPUTS = 64 };
  double sample[MOST_INPUTS];
  uint32_t seed = 12345;
  const int inputs = (*j->handle)->inputs;
  j->trace.sample = sample;
  for (size_t s = 0; s < sizeof scale / sizeof *scale; s++) {
    for (int i = 0; i < inputs; i++) sample[i] = scale[s] * random_signed(&seed);
    check_at(L, j);
  }
  for (int i = 0; i < 2 * inputs; i++) {
    double kept = sample[i / 2];
    sample[i / 2] = i % 2;
    check_at(L, j);
    sample[i / 2] = kept;
  }
}

/* Record all paths through the function. */
static hn_tape *record(lua_State *L, job *j)
{
  hn_tape_writer *w = j->trace.writer = hn_sandbox_of(L)->writer = hn_tape_write(j->inputs, j->outputs);
  if (!w) hn_sandbox_fail(L, "out of memory");
  trace_path(L, j);
  trace_path(L, j); /* a second time: must record the same operations */
  while (hn_tape_next_path(w)) trace_path(L, j);
  j->trace.writer = hn_sandbox_of(L)->writer = NULL;
  return hn_tape_finish(w);
}

/* (function, job): record all paths, then compare the tape with the function. Where the function keeps its
 * arguments, a last recording leaves dead numbers there, not those of the comparison. */
static int trace_all(lua_State *L)
{
  job *j = lua_touserdata(L, FUNCTION + 1);
  *j->handle = record(L, j);
  hn_sandbox_hold(L, hn_tape_size(*j->handle));
  check(L, j);
  hn_tape_free(record(L, j));
  return 0;
}

void hn_trace_key(lua_State *L, const char *key, const char *what, hn_trace_arguments *push,
                  const void *context, int inputs, int outputs)
{
  char name[128];
  lua_pushstring(L, key);
  const int kind = lua_rawget(L, 2), function = lua_gettop(L);
  if (kind == LUA_TNIL) return;
  snprintf(name, sizeof name, "%s: %s", what, key);
  if (kind != LUA_TFUNCTION)
    hn_sandbox_fail(L, "%s must be a function, not a %s", name, lua_typename(L, kind));
  job j = { .trace = { .what = name },
            .push = push,
            .context = context,
            .inputs = inputs,
            .outputs = outputs,
            .handle = lua_newuserdatauv(L, sizeof *j.handle, 0) };
  *j.handle = NULL;
  luaL_setmetatable(L, TAPE_HANDLE);
  hn_sandbox_of(L)->tracing = true;
  lua_pushcfunction(L, trace_all);
  lua_pushvalue(L, function);
  lua_pushlightuserdata(L, &j);
  int status = lua_pcall(L, 2, 0, 0);
  if (j.trace.writer) hn_tape_free(hn_tape_finish(j.trace.writer));
  hn_sandbox_of(L)->writer = NULL;
  hn_sandbox_of(L)->tracing = false;
  if (status == LUA_ERRMEM) hn_sandbox_of(L)->stopped = hn_sandbox_of(L)->starved = true;
  if (status != LUA_OK) lua_error(L);
  lua_remove(L, function);
}

hn_tape *hn_trace_take(lua_State *L, int index)
{
  if (lua_isnil(L, index)) return NULL;
  hn_tape **handle = luaL_checkudata(L, index, TAPE_HANDLE), *tape = *handle;
  *handle = NULL;
  return tape;
}

/* ---- Opening ------------------------------------------------------------------------------------------- */

static void set_operation(lua_State *L, const char *name, lua_CFunction function, hn_tape_kind kind)
{
  lua_pushinteger(L, kind);
  lua_pushcclosure(L, function, 1);
  lua_setfield(L, -2, name);
}

static void open_numbers(lua_State *L)
{
  static const struct {
    const char *name;
    hn_tape_kind kind;
  } plain[] = {
    { "__add", HN_TAPE_ADD }, { "__sub", HN_TAPE_SUB }, { "__mul", HN_TAPE_MUL },
    { "__div", HN_TAPE_DIV }, { "__mod", HN_TAPE_MOD }, { "__unm", HN_TAPE_NEG },
  };
  static const struct {
    const char *name, *why;
  } refused[] = {
    { "__index", "it has no fields" }, { "__newindex", "it has no fields" },
    { "__len", "it has no length" },   { "__call", "it cannot be called" },
    { "__concat", "it is no text" },
  };
  luaL_newmetatable(L, HN_TRACED);
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    set_operation(L, plain[i].name, arithmetic, plain[i].kind);
  set_operation(L, "__lt", compare, HN_TAPE_LESS);
  set_operation(L, "__le", compare, HN_TAPE_LESS_EQUAL);
  set_operation(L, "__pow", power, HN_TAPE_POWER);
  set_operation(L, "__idiv", floor_division, HN_TAPE_FLOOR);
  lua_pushcfunction(L, refuse_equality);
  lua_setfield(L, -2, "__eq");
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    lua_pushstring(L, refused[i].why);
    lua_pushcclosure(L, refuse_use, 1);
    lua_setfield(L, -2, refused[i].name);
  }
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}

void hn_trace_open(lua_State *L)
{
  open_numbers(L);
  luaL_newmetatable(L, TAPE_HANDLE);
  lua_pushcfunction(L, free_tape);
  lua_setfield(L, -2, "__gc");
  lua_pop(L, 1);
  lua_getglobal(L, "math");
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    lua_getfield(L, -1, functions[i].name);
    lua_pushinteger(L, (lua_Integer)i);
    lua_pushcclosure(L, call_math, 2);
    lua_setfield(L, -2, functions[i].name);
  }
  lua_getfield(L, -1, "random");
  lua_pushcclosure(L, call_random, 1);
  lua_setfield(L, -2, "random");
  lua_pop(L, 1);
}
