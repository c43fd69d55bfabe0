/* fields.c - reads a table written by a user of Lua into a C structure, and refuses unknown keys. */
#include "fields.h"
#include "trace.h"
#include "scene_registry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHORT_TEXT = 80, MAX_NAMES = 64 };

/* Describe the value at INDEX in a few words, for messages. */
static const char *describe_value(lua_State *L, int index, char text[SHORT_TEXT])
{
  switch (lua_type(L, index)) {
  case LUA_TNUMBER: /* the printed sign of a NaN depends on the machine */
    if (isnan(lua_tonumber(L, index))) snprintf(text, SHORT_TEXT, "nan");
    else snprintf(text, SHORT_TEXT, "%g", lua_tonumber(L, index));
    break;
  case LUA_TSTRING: snprintf(text, SHORT_TEXT, "\"%.40s\"", lua_tostring(L, index)); break;
  case LUA_TBOOLEAN: snprintf(text, SHORT_TEXT, "%s", lua_toboolean(L, index) ? "true" : "false"); break;
  case LUA_TNIL:
  case LUA_TNONE: snprintf(text, SHORT_TEXT, "nil"); break;
  case LUA_TUSERDATA:
    snprintf(text, SHORT_TEXT, "%s",
             luaL_testudata(L, index, HN_TRACED) ? "an argument kept by a law" : "an object of the scene");
    break; /* a body, a shape, the system */
  default: snprintf(text, SHORT_TEXT, "a %s", luaL_typename(L, index));
  }
  return text;
}

int hn_fields_unknown(lua_State *L, const char *what, const char *kind, const char *word,
                      const char *const *valid, size_t count)
{
  const char *near = hn_nearest(word, valid, count);
  if (near)
    return hn_sandbox_fail(L, "%s: unknown %s \"%.60s\"; did you mean \"%s\"?", what, kind, word, near);
  char list[300] = "";
  for (size_t i = 0, used = 0; i < count && used < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", valid[i]);
  if (count == 0) return hn_sandbox_fail(L, "%s: unknown %s \"%.60s\"", what, kind, word);
  return hn_sandbox_fail(L, "%s: unknown %s \"%.60s\"; there are: %s", what, kind, word, list);
}

size_t hn_fields_word(lua_State *L, const char *what, const char *kind, const char *word,
                      const char *const *valid, size_t count)
{
  size_t i = 0;
  while (i < count && strcmp(valid[i], word) != 0) i++;
  if (i == count) hn_fields_unknown(L, what, kind, word, valid, count);
  return i;
}

hn_reason hn_fields_reason(lua_State *L, const char *what, const char *word, unsigned allowed)
{
  const char *names[HN_REASONS];
  hn_reason reason[HN_REASONS];
  size_t count = 0;
  for (int i = 0; i < HN_REASONS; i++)
    if (allowed >> i & 1) reason[count] = (hn_reason)i, names[count++] = hn_reason_name((hn_reason)i);
  return reason[hn_fields_word(L, what, "reason", word, names, count)];
}

const char *hn_fields_infinity(double value)
{
  return isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
}

double hn_fields_number(lua_State *L, int index, const char *what, const char *name)
{
  char text[SHORT_TEXT];
  if (lua_type(L, index) != LUA_TNUMBER)
    hn_sandbox_fail(L, "%s: %s must be a number, not %s", what, name, describe_value(L, index, text));
  double value = lua_tonumber(L, index);
  if (!isfinite(value))
    hn_sandbox_fail(L, "%s: %s must be finite, not %s", what, name, hn_fields_infinity(value));
  return value;
}

void hn_fields_vector(lua_State *L, const char *what, const char *key, int count, double *out)
{
  char text[SHORT_TEXT];
  if (lua_type(L, -1) != LUA_TTABLE)
    hn_sandbox_fail(L, "%s: %s must be a table of %d numbers, not %s", what, key, count,
                    describe_value(L, -1, text));
  int entries = 0, length = (int)lua_rawlen(L, -1);
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) entries++;
  if (entries != count || length != count)
    hn_sandbox_fail(L, "%s: %s must be a table of %d numbers, not of %d%s", what, key, count, entries,
                    entries == length ? "" : " with gaps or names");
  for (int i = 0; i < count; i++) {
    bool number = lua_rawgeti(L, -1, i + 1) == LUA_TNUMBER;
    out[i] = lua_tonumber(L, -1);
    if (!number || !isfinite(out[i])) {
      char name[SHORT_TEXT];
      snprintf(name, sizeof name, "%s[%d]", key, i + 1);
      hn_fields_number(L, -1, what, name); /* an error */
    }
    lua_pop(L, 1);
  }
}

/* True if TEXT is printable UTF-8 and not empty: names go to CSV, JSON and terminals. */
static bool is_printable(const char *text, size_t length)
{
  static const unsigned least[] = { ' ', 0x80, 0x800, 0x10000 }; /* code points of 1 to 4 bytes */
  for (size_t i = 0; i < length;) {
    const unsigned char c = (unsigned char)text[i++];
    const int following = c < 0x80 ? 0 : c < 0xE0 ? 1 : c < 0xF0 ? 2 : 3;
    unsigned point = following == 0 ? c : c & (0x3FU >> following);
    if ((c >= 0x80 && c < 0xC0) || c >= 0xF8) return false;
    for (int k = 0; k < following; k++, i++) {
      if (i >= length || ((unsigned char)text[i] & 0xC0) != 0x80) return false;
      point = point << 6 | ((unsigned char)text[i] & 0x3FU);
    }
    const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
    if (point < least[following] || point == 0x7F || surrogate || point > 0x10FFFF) return false;
  }
  return length > 0;
}

static const char *read_text(lua_State *L, const char *what, const char *key)
{
  char text[SHORT_TEXT];
  if (lua_type(L, -1) != LUA_TSTRING)
    hn_sandbox_fail(L, "%s: %s must be a string, not %s", what, key, describe_value(L, -1, text));
  size_t length;
  const char *value = lua_tolstring(L, -1, &length);
  if (!is_printable(value, length))
    hn_sandbox_fail(L, "%s: %s must be printable text (UTF-8), not empty", what, key);
  return value;
}

/* Returns BODY. Raises an error if it has been removed from the run. */
static int check_not_removed(lua_State *L, const char *what, int body)
{
  const hn_body *of = &hn_registry_model(L)->body[body];
  if (of->gone) hn_sandbox_fail(L, "%s: body \"%.60s\" is gone", what, of->name);
  return body;
}

int hn_fields_body(lua_State *L, const char *what, const char *key)
{
  char text[SHORT_TEXT];
  const int *handle = luaL_testudata(L, -1, HN_BODY_HANDLE);
  if (handle) return check_not_removed(L, what, *handle);
  if (lua_type(L, -1) != LUA_TSTRING)
    hn_sandbox_fail(L, "%s: %s must be a body or its name, not %s", what, key, describe_value(L, -1, text));
  int body = hn_registry_find(L, HN_BODY_NAMES, lua_tostring(L, -1));
  if (body >= 0) return check_not_removed(L, what, body);
  hn_error error;
  hn_model_find_body(hn_registry_of(L)->scene->model, lua_tostring(L, -1), &error);
  return hn_sandbox_fail(L, "%s: %.400s", what, error.text);
}

/* Read the polynomial of the motion on top of the stack: up to HN_MOTION_TERMS numbers, the constant
 * first. */
static void read_polynomial(lua_State *L, const char *what, hn_motion *motion)
{
  lua_getfield(L, -1, "polynomial");
  if (!lua_isnil(L, -1)) {
    lua_Unsigned length = lua_istable(L, -1) ? lua_rawlen(L, -1) : 0;
    if (length < 1 || length > HN_MOTION_TERMS)
      hn_sandbox_fail(L, "%s: polynomial must be a table of 1 to %d numbers, the constant first", what,
                      HN_MOTION_TERMS);
    hn_fields_vector(L, what, "polynomial", (int)length, motion->polynomial);
  }
  lua_pop(L, 1);
}

/* Read the motion on top of the stack: a constant, or a table. */
static void read_motion(lua_State *L, const char *what, const char *key, hn_motion *motion)
{
  static const hn_field fields[] = {
    { "polynomial", HN_FIELD_OTHER, 0, 0, 0, false },
    { "amplitude", HN_FIELD_NUMBER, offsetof(hn_motion, amplitude), 1, 0, false },
    { "frequency", HN_FIELD_NUMBER, offsetof(hn_motion, frequency), 1, 0, false },
    { "phase", HN_FIELD_NUMBER, offsetof(hn_motion, phase), 1, 0, false },
  };
  char where[2 * SHORT_TEXT];
  *motion = (hn_motion){ { 0 }, 0, 0, 0 };
  if (lua_type(L, -1) == LUA_TNUMBER) {
    motion->polynomial[0] = hn_fields_number(L, -1, what, key);
    return;
  }
  if (!lua_istable(L, -1))
    hn_sandbox_fail(L,
                    "%s: %s must be a number or a table { polynomial = { c0, c1 }, amplitude =, frequency =, "
                    "phase = }",
                    what, key);
  snprintf(where, sizeof where, "%s: %s", what, key);
  hn_fields_read(L, lua_gettop(L), where, fields, sizeof fields / sizeof fields[0], motion);
  read_polynomial(L, where, motion);
}

/* Read the friction on top of the stack: one number, or the static and the kinetic coefficient. */
static void read_friction(lua_State *L, const char *what, const char *key, double friction[2])
{
  static const hn_field fields[] = {
    { "kinetic", HN_FIELD_NUMBER, 0, 1, 0, true },
    { "static", HN_FIELD_NUMBER, sizeof(double), 1, 0, true },
  };
  char where[2 * SHORT_TEXT];
  if (lua_istable(L, -1)) {
    snprintf(where, sizeof where, "%s: %s", what, key);
    hn_fields_read(L, lua_gettop(L), where, fields, 2, friction);
    if (friction[1] < friction[0])
      hn_sandbox_fail(L, "%s: static friction, %g, must be at least the kinetic one, %g", where, friction[1],
                      friction[0]);
  } else {
    friction[0] = friction[1] = hn_fields_number(L, -1, what, key);
  }
}

/* Read the value on top of the stack into OUT. */
static void read_field(lua_State *L, const char *what, const hn_field *field, void *out)
{
  char text[SHORT_TEXT], entry[SHORT_TEXT];
  const char *key = field->key;
  if (!key) {
    snprintf(entry, sizeof entry, "entry %d", field->position);
    key = entry;
  }
  char *place = (char *)out + field->offset;
  const hn_shape *shape;
  switch (field->kind) {
  case HN_FIELD_NUMBER:
    if (field->count > 1) hn_fields_vector(L, what, key, field->count, (double *)place);
    else *(double *)place = hn_fields_number(L, -1, what, key);
    break;
  case HN_FIELD_FLAG:
    if (!lua_isboolean(L, -1))
      hn_sandbox_fail(L, "%s: %s must be true or false, not %s", what, key, describe_value(L, -1, text));
    *(bool *)place = lua_toboolean(L, -1);
    break;
  case HN_FIELD_TEXT: *(const char **)place = read_text(L, what, key); break;
  case HN_FIELD_BODY: *(int *)place = hn_fields_body(L, what, key); break;
  case HN_FIELD_SHAPE:
    shape = luaL_testudata(L, -1, HN_SHAPE_HANDLE);
    if (!shape)
      hn_sandbox_fail(L, "%s: %s must be a shape such as scene.box { 1, 1, 1 }, not %s", what, key,
                      describe_value(L, -1, text));
    *(hn_shape *)place = *shape;
    break;
  case HN_FIELD_FRICTION: read_friction(L, what, key, (double *)place); break;
  case HN_FIELD_MOTION: read_motion(L, what, key, (hn_motion *)place); break;
  case HN_FIELD_OTHER: break;
  }
}

static bool is_known(lua_State *L, const hn_field *fields, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (fields[i].key && lua_type(L, -1) == LUA_TSTRING && strcmp(lua_tostring(L, -1), fields[i].key) == 0)
      return true;
    if (!fields[i].key && lua_isinteger(L, -1) && lua_tointeger(L, -1) == fields[i].position) return true;
  }
  return false;
}

/* Refuse unknown keys. Of several, report the first in byte order, so that the message is deterministic. */
static void refuse_unknown(lua_State *L, int index, const char *what, const hn_field *fields, size_t count)
{
  const char *first = NULL, *keys[HN_MAX_FIELDS];
  size_t nkeys = 0;
  for (lua_pushnil(L); lua_next(L, index);) {
    lua_pop(L, 1);
    if (is_known(L, fields, count)) continue;
    if (lua_isinteger(L, -1))
      hn_sandbox_fail(L, "%s: entry %d has no meaning here", what, (int)lua_tointeger(L, -1));
    if (lua_type(L, -1) != LUA_TSTRING)
      hn_sandbox_fail(L, "%s: a key cannot be a %s", what, luaL_typename(L, -1));
    const char *key = lua_tostring(L, -1);
    if (!first || strcmp(key, first) < 0) first = key;
  }
  for (size_t i = 0; i < count; i++)
    if (fields[i].key) keys[nkeys++] = fields[i].key;
  if (first) hn_fields_unknown(L, what, "key", first, keys, nkeys);
}

unsigned hn_fields_read(lua_State *L, int index, const char *what, const hn_field *fields, size_t count,
                        void *out)
{
  unsigned given = 0;
  refuse_unknown(L, index, what, fields, count);
  for (size_t i = 0; i < count; i++) {
    const hn_field *field = &fields[i];
    if (field->key) lua_pushstring(L, field->key);
    else lua_pushinteger(L, field->position);
    if (lua_rawget(L, index) != LUA_TNIL) {
      read_field(L, what, field, out);
      given |= 1u << i;
    } else if (field->required && field->key) {
      hn_sandbox_fail(L, "%s: key \"%s\" is missing", what, field->key);
    } else if (field->required) {
      hn_sandbox_fail(L, "%s: body %d is missing (nil)", what, field->position);
    }
    lua_pop(L, 1);
  }
  return given;
}

/* ---- For modules written in Lua ------------------------------------------------------------------------ */

int hn_core_fail(lua_State *L)
{
  return hn_sandbox_fail(L, "%.480s", luaL_checkstring(L, 1));
}

int hn_core_unknown(lua_State *L)
{
  const char *valid[MAX_NAMES], *what = luaL_checkstring(L, 1), *kind = luaL_checkstring(L, 2);
  const char *word = luaL_checkstring(L, 3);
  size_t n = 0;
  luaL_checkstack(L, MAX_NAMES, NULL);
  while (n < MAX_NAMES && lua_rawgeti(L, 4, (lua_Integer)n + 1) == LUA_TSTRING)
    valid[n++] = lua_tostring(L, -1);
  return hn_fields_unknown(L, what, kind, word, valid, n);
}
