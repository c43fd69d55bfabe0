/* elements.c - joints and forces. Their keys come from the types in the registries, so a new type needs no
 * change here. */
#include "scene_change.h"
#include "declare.h"
#include "fields.h"
#include "trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct element_input {
  hn_joint_spec spec;
  double at[3];
} element_input;

/* A key of an element's table, and the types that accept it: those with any of these HN_KEY_... flags. */
typedef struct element_key {
  hn_field field;
  unsigned keys;
} element_key;

#define SPEC(name) (offsetof(element_input, spec) + offsetof(hn_joint_spec, name))
#define NUMBERS(key, place, count, required)        \
  {                                                 \
    key, HN_FIELD_NUMBER, place, count, 0, required \
  }
#define OF_JOINTS (1U << 31) /* flag of all joint types, which can break */
enum {
  BODY_A,
  BODY_B,
  ELEMENT_NAME,
  AT,
  AT_A,
  AT_B,
  AXIS,
  AXIS_A,
  AXIS_B,
  MOTION,
  BREAKS_AT,
  BREAKS_TORQUE,
  ELEMENT_KEYS
};
static const element_key element_keys[ELEMENT_KEYS] = {
  [BODY_A] = { { NULL, HN_FIELD_BODY, SPEC(a), 0, 1, true }, ~0U },
  [BODY_B] = { { NULL, HN_FIELD_BODY, SPEC(b), 0, 2, true }, ~0U },
  [ELEMENT_NAME] = { { "name", HN_FIELD_TEXT, SPEC(name), 0, 0, false }, ~0U },
  [AT] = { NUMBERS("at", offsetof(element_input, at), 3, false), HN_KEY_AT },
  [AT_A] = { NUMBERS("at_a", SPEC(at_a), 3, false), HN_KEY_AT },
  [AT_B] = { NUMBERS("at_b", SPEC(at_b), 3, false), HN_KEY_AT },
  [AXIS] = { NUMBERS("axis", SPEC(axis_a), 3, true), HN_KEY_AXIS },
  [AXIS_A] = { NUMBERS("axis_a", SPEC(axis_a), 3, true), HN_KEY_AXES },
  [AXIS_B] = { NUMBERS("axis_b", SPEC(axis_b), 3, true), HN_KEY_AXES },
  [MOTION] = { { "motion", HN_FIELD_MOTION, SPEC(motion), 0, 0, true }, HN_KEY_MOTION },
  [BREAKS_AT] = { NUMBERS("breaks_at", SPEC(breaks_at), 1, false), OF_JOINTS },
  [BREAKS_TORQUE] = { NUMBERS("breaks_torque", SPEC(breaks_torque), 1, false), OF_JOINTS },
};
#undef NUMBERS
#undef SPEC

/* Set the point of a side that has no key: a particle's position or the ground's origin, if the type allows
 * it. */
static void default_point(lua_State *L, const char *what, unsigned keys, int body, const char *key,
                          double at[3])
{
  bool own = keys & HN_KEY_DEFAULT_POINTS;
  if (!own || (body != 0 && !hn_registry_is_particle(L, body)))
    hn_sandbox_fail(L, "%s: key \"%s\" is missing", what, own ? key : "at");
  memcpy(at, hn_registry_model(L)->body[body].pose0.x, 3 * sizeof *at);
}

/* Store the fields of an element with KEYS in FIELDS and their indices in element_keys in KEY_OF. Returns
 * their number. */
static size_t list_keys(unsigned keys, hn_field *fields, int *key_of)
{
  size_t count = 0;
  for (int i = 0; i < ELEMENT_KEYS; i++)
    if (element_keys[i].keys == ~0U || (element_keys[i].keys & keys))
      key_of[count] = i, fields[count++] = element_keys[i].field;
  return count;
}

/* Returns the mask READ of fields as a mask of element_keys: bit k becomes bit key_of[k]. */
static unsigned keys_given(unsigned read, const int *key_of, size_t count)
{
  unsigned given = 0;
  for (size_t k = 0; k < count; k++)
    if (read >> k & 1) given |= 1U << key_of[k];
  return given;
}

/* Complete the points from `at`, from `at_a` and `at_b`, or by default. */
static void complete_points(lua_State *L, element_input *in, const char *what, unsigned keys, unsigned given)
{
  bool at = given >> AT & 1, at_a = given >> AT_A & 1, at_b = given >> AT_B & 1;
  hn_joint_spec *spec = &in->spec;
  if (!(keys & HN_KEY_AT)) return;
  if (at && (at_a || at_b)) hn_sandbox_fail(L, "%s: give at, or at_a and at_b, not both", what);
  if (at) memcpy(spec->at_a, in->at, sizeof in->at), memcpy(spec->at_b, in->at, sizeof in->at);
  if (!at && !at_a) default_point(L, what, keys, spec->a, "at_a", spec->at_a);
  if (!at && !at_b) default_point(L, what, keys, spec->b, "at_b", spec->at_b);
  spec->has_points = true;
}

/* Joints and forces share one table of names, by which records and control refer to them. */
static void enter_element(lua_State *L, const char *kind, const char *name, int index)
{
  if (!hn_registry_enter(L, HN_ELEMENT_NAMES, name, index))
    hn_sandbox_fail(L, "there is a %s \"%.60s\" already: names must differ", kind, name);
}

/* ---- Parameters ------------------------------------------------------------------------------------ */

/* Push the value on top of the stack, of parameter P, as the text that hn_params_read reads. */
static void push_value(lua_State *L, const char *what, const char *key, const hn_param *p)
{
  char text[80];
  double pair[2];
  int kind = lua_type(L, -1);
  switch (p->kind) {
  case HN_PAIR:
    hn_fields_vector(L, what, key, 2, pair);
    snprintf(text, sizeof text, "%s:%s", hn_exact(pair[0]).text, hn_exact(pair[1]).text);
    break;
  case HN_FLAG:
    if (kind != LUA_TBOOLEAN) hn_sandbox_fail(L, "%s: %s must be true or false", what, key);
    snprintf(text, sizeof text, "%s", lua_toboolean(L, -1) ? "true" : "false");
    break;
  case HN_CHOICE:
    if (kind != LUA_TSTRING) hn_sandbox_fail(L, "%s: %s must be one of %s", what, key, p->choices);
    snprintf(text, sizeof text, "%.60s", lua_tostring(L, -1));
    break;
  default:
    if (kind == LUA_TBOOLEAN) hn_sandbox_fail(L, "%s: %s must be a number", what, key);
    snprintf(text, sizeof text, "%s", hn_exact(hn_fields_number(L, -1, what, key)).text);
  }
  lua_pushstring(L, text);
}

const char *hn_settings_push(lua_State *L, const char *what, const hn_param *table, const char *key)
{
  lua_pushliteral(L, "");
  for (const hn_param *p = table; p->key && (!key || p == table); p++) {
    const char *entry = key ? key : p->key;
    lua_pushstring(L, entry);
    if (lua_rawget(L, 2) == LUA_TNIL) {
      lua_pop(L, 1);
      continue;
    }
    push_value(L, what, entry, p);
    const char *so_far = lua_tostring(L, -3);
    lua_pushfstring(L, "%s%s%s=%s", so_far, *so_far ? "," : "", p->key, lua_tostring(L, -1));
    lua_replace(L, -4);
    lua_pop(L, 2);
  }
  return *lua_tostring(L, -1) ? lua_tostring(L, -1) : NULL;
}

size_t hn_settings_list(const hn_param *table, const char *key, hn_field *fields, size_t count)
{
  for (const hn_param *p = table; p->key && (!key || p == table) && count < HN_MAX_FIELDS; p++)
    fields[count++] = (hn_field){ .key = key ? key : p->key, .kind = HN_FIELD_OTHER };
  return count;
}

/* Append the parameters of a joint type and of the joints that it can add beside it. Returns the new
 * count. */
static size_t list_joint_params(const hn_joint_type *type, hn_field *fields, size_t count)
{
  count = hn_settings_list(hn_joint_params(type), NULL, fields, count);
  for (const hn_companion *b = type->beside; b && b->type; b++)
    count = hn_settings_list(hn_joint_params(b->type), b->key, fields, count);
  return count;
}

/* ---- Joints ---------------------------------------------------------------------------------------- */

int hn_add_joint(lua_State *L, const hn_joint_spec *spec)
{
  hn_error error;
  hn_model *model = hn_registry_model(L);
  hn_sandbox_hold(L, sizeof(hn_joint) + (spec->name ? strlen(spec->name) : 0));
  int index = hn_model_add_joint(model, spec, &error);
  if (index < 0) hn_sandbox_fail(L, "%.480s", error.text);
  enter_element(L, "joint", model->joint[index].name, index);
  return index;
}

/* Add the joint that the table at index 2 requests beside joint INDEX (a motor, say). SPEC is that of joint
 * INDEX. */
static void add_beside(lua_State *L, const char *what, const hn_companion *beside, int index,
                       hn_joint_spec spec)
{
  char name[128];
  spec.settings = hn_settings_push(L, what, hn_joint_params(beside->type), beside->key);
  snprintf(name, sizeof name, "%.100s.%s", hn_registry_model(L)->joint[index].name, beside->suffix);
  spec.type = beside->type->name, spec.name = name;
  spec.breaks_at = spec.breaks_torque = 0.0;
  if (spec.settings) hn_add_joint(L, &spec);
  lua_pop(L, 1);
}

static void check_breaks(lua_State *L, const char *what, const hn_joint_spec *spec)
{
  if (spec->breaks_at < 0.0 || spec->breaks_torque < 0.0)
    hn_sandbox_fail(L, "%s: breaks_at and breaks_torque are a force and a torque, which cannot be negative",
                    what);
}

/* sys:<joint type>; upvalue 1 is the name of the type. */
int hn_declare_joint(lua_State *L)
{
  char what[96];
  hn_error error;
  hn_field fields[HN_MAX_FIELDS];
  int key_of[ELEMENT_KEYS];
  element_input in = { .spec = { .type = lua_tostring(L, lua_upvalueindex(1)) } };
  const hn_joint_type *type = hn_joint_type_find(in.spec.type, &error);
  if (!type) hn_sandbox_fail(L, "%.480s", error.text);
  hn_change_check_addition(L, in.spec.type);
  hn_registry_describe(L, in.spec.type, what);
  size_t geometry = list_keys(type->keys | OF_JOINTS, fields, key_of);
  size_t count = list_joint_params(type, fields, geometry);
  unsigned read = hn_fields_read(L, 2, what, fields, count, &in);
  check_breaks(L, what, &in.spec);
  complete_points(L, &in, what, type->keys, keys_given(read, key_of, geometry));
  in.spec.settings = hn_settings_push(L, what, hn_joint_params(type), NULL);
  int index = hn_add_joint(L, &in.spec);
  for (const hn_companion *b = type->beside; b && b->type; b++) add_beside(L, what, b, index, in.spec);
  return 0;
}

/* ---- Forces ---------------------------------------------------------------------------------------- */

typedef struct force_input {
  element_input element; /* first: the offsets of element_keys are in it */
  double vector[3];
} force_input;

/* Read a force on one body or between two. Its function of time is the motion of a vector or the target of
 * a motor; TIMED is true if it is given. With OWN_LAW, the law is written in Lua and replaces the
 * parameters of the type. Returns the keys given. */
static unsigned read_force(lua_State *L, force_input *in, const char *what, const hn_force_type *type,
                           bool own_law, bool *timed)
{
  hn_field fields[HN_MAX_FIELDS];
  int key_of[ELEMENT_KEYS];
  const size_t geometry = list_keys(type->keys & ~(unsigned)HN_KEY_MOTION, fields, key_of);
  const size_t motion_at = offsetof(force_input, element.spec.motion);
  const bool targeted = !own_law && type->keys & HN_KEY_MOTION, directed = !own_law && type->vector;
  size_t count = geometry, motion = 0;
  fields[BODY_B].required = !type->vector;
  if (own_law) fields[count++] = (hn_field){ .key = "law", .kind = HN_FIELD_OTHER };
  if (own_law) fields[count++] = (hn_field){ .key = "energy", .kind = HN_FIELD_OTHER };
  if (directed)
    fields[count++] = (hn_field){ type->vector, HN_FIELD_NUMBER, offsetof(force_input, vector), 3, 0, true };
  if (directed || targeted)
    fields[motion = count++] =
      (hn_field){ targeted ? "target" : "motion", HN_FIELD_MOTION, motion_at, 0, 0, targeted };
  if (!own_law) count = hn_settings_list(type->params, NULL, fields, count);
  const unsigned read = hn_fields_read(L, 2, what, fields, count, in);
  *timed = motion > 0 && read >> motion & 1;
  return keys_given(read, key_of, geometry);
}

/* sys:<force type>; upvalue 1 is the name of the type. */
int hn_declare_force(lua_State *L)
{
  char what[96];
  hn_error error;
  const hn_force_type *type = hn_force_type_find(lua_tostring(L, lua_upvalueindex(1)), &error);
  force_input in = { .element = { .spec = { .type = type ? type->name : "" } } };
  if (!type) hn_sandbox_fail(L, "%.480s", error.text);
  hn_change_check_addition(L, type->name);
  hn_registry_describe(L, type->name, what);
  hn_force_spec spec = { .has_motion = false };
  const bool own = hn_laws_given(L, type);
  unsigned given = read_force(L, &in, what, type, own, &spec.has_motion);
  hn_joint_spec *geometry = &in.element.spec;
  bool alone = !(given >> BODY_B & 1); /* on one body: the other side is the ground */
  if (alone) geometry->b = geometry->a, geometry->a = 0;
  if (alone && geometry->b == 0) hn_sandbox_fail(L, "%s: it acts on the ground, which cannot move", what);
  complete_points(L, &in.element, what, type->keys, given);
  if (own && alone && type->vector)
    memset(geometry->at_a, 0, sizeof geometry->at_a); /* x is the position of the point */
  spec.geometry = *geometry;
  spec.settings = own ? NULL : hn_settings_push(L, what, type->params, NULL);
  memcpy(spec.vector, in.vector, sizeof spec.vector);
  hn_model *model = hn_registry_model(L);
  hn_sandbox_hold(L, sizeof(hn_force) + (geometry->name ? strlen(geometry->name) : 0));
  if (own) {
    hn_laws_push(L, what, type);
    spec.energy = hn_trace_take(L, -1), spec.law = hn_trace_take(L, -2);
  }
  int index = hn_model_add_force(model, &spec, &error);
  if (index < 0) hn_sandbox_fail(L, "%.480s", error.text);
  enter_element(L, "force", model->force[index].name, index);
  return 0;
}

/* ---- For listings ---------------------------------------------------------------------------------- */

static size_t list_words(unsigned keys, const char *words[HN_MAX_ELEMENT_KEYS])
{
  hn_field fields[ELEMENT_KEYS];
  int key_of[ELEMENT_KEYS];
  size_t count = list_keys(keys, fields, key_of), n = 0;
  for (size_t i = 0; i < count; i++)
    if (fields[i].key && key_of[i] != ELEMENT_NAME) words[n++] = fields[i].key;
  return n;
}

size_t hn_scene_joint_keys(const hn_joint_type *type, const char *keys[HN_MAX_ELEMENT_KEYS])
{
  return list_words(type->keys | OF_JOINTS, keys);
}

size_t hn_scene_joint_params(const hn_joint_type *type, const char *keys[HN_MAX_ELEMENT_KEYS])
{
  hn_field fields[HN_MAX_FIELDS];
  size_t count = list_joint_params(type, fields, 0);
  for (size_t i = 0; i < count && i < HN_MAX_ELEMENT_KEYS; i++) keys[i] = fields[i].key;
  return count < HN_MAX_ELEMENT_KEYS ? count : HN_MAX_ELEMENT_KEYS;
}

size_t hn_scene_force_keys(const hn_force_type *type, const char *keys[HN_MAX_ELEMENT_KEYS])
{
  size_t n = list_words(type->keys & ~(unsigned)HN_KEY_MOTION, keys);
  if (type->vector) keys[n++] = type->vector, keys[n++] = "motion";
  else if (type->keys & HN_KEY_MOTION) keys[n++] = "target";
  if (type->own_law != HN_NO_LAW) keys[n++] = "law";
  if (type->own_law == HN_LAW) keys[n++] = "energy";
  return n;
}
