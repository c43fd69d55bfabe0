/* scene_contact.c - sys:contact and sys:material_pair: collision of the shapes, and properties of pairs of
 * materials.
 *
 *   law = "hertz", stiffness = 1e9     a law of compliant contact, and its parameters beside it
 *   law = "rigid"                      of a pair of materials: no law, whatever that of the system
 *   law = function(d, v) ... end       the force, N, of the compression, m, and its rate, m/s
 *   energy = function(d) ... end       the stored energy, J; without a law, its derivative is the force
 *
 * Functions are called at declaration only, to record their tapes. */
#include "declare.h"
#include "fields.h"
#include "trace.h"

#include <math.h>
#include <string.h>

/* The law of contact of a declaration. */
typedef struct law_input {
  const hn_contact_law_type *type; /* NULL: none */
  bool rigid;                      /* the word "rigid" */
} law_input;

/* Returns the kind of value of KEY in the table at index 2, which is left on the stack. */
static int look_up(lua_State *L, const char *key)
{
  lua_pushstring(L, key);
  return lua_rawget(L, 2);
}

/* Reads the keys `law` and `energy` of the table at index 2. */
static law_input read_law(lua_State *L, const char *what)
{
  hn_error error;
  const int stored = look_up(L, "energy"), kind = look_up(L, "law");
  const char *name = kind == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
  law_input in = { .rigid = name && strcmp(name, "rigid") == 0 };
  if (name && stored != LUA_TNIL)
    hn_sandbox_fail(L, "%s: law %s has its own energy; an energy is for a law that is a function", what,
                    name);
  if (kind == LUA_TFUNCTION || stored != LUA_TNIL) in.type = hn_contact_law_own();
  else if (name && !in.rigid && !(in.type = hn_contact_law_type_find(name, &error)))
    hn_sandbox_fail(L, "%s: %.400s", what, error.text);
  if (kind != LUA_TNIL && !name && kind != LUA_TFUNCTION)
    hn_sandbox_fail(L, "%s: law must be the name of a law of contact, such as \"hertz\", or a function",
                    what);
  lua_pop(L, 2);
  return in;
}

/* Copies the COUNT fields to LIST[HN_MAX_FIELDS] and appends those of a law. Returns the new count. */
static size_t list_fields(const hn_field *fields, size_t count, const law_input *law, hn_field *list)
{
  memcpy(list, fields, sizeof *list * count);
  list[count++] = (hn_field){ .key = "law", .kind = HN_FIELD_OTHER };
  list[count++] = (hn_field){ .key = "energy", .kind = HN_FIELD_OTHER };
  return law->type ? hn_settings_list(law->type->params, NULL, list, count) : count;
}

static int push_depth_and_rate(lua_State *L, const hn_trace *trace, const void *unused)
{
  (void)unused;
  hn_trace_push(L, trace, 0), hn_trace_push(L, trace, 1);
  return 2;
}

static int push_depth(lua_State *L, const hn_trace *trace, const void *unused)
{
  (void)unused;
  hn_trace_push(L, trace, 0);
  return 1;
}

/* Sets the law of the materials A and B, or of all pairs if A is NULL, from the table at index 2. */
static void set_law(lua_State *L, const char *what, const law_input *law, const char *a, const char *b)
{
  hn_error error;
  hn_model *model = hn_registry_model(L);
  const char *settings = law->type ? hn_settings_push(L, what, law->type->params, NULL) : NULL;
  int status;
  if (law->type == hn_contact_law_own()) {
    hn_trace_key(L, "law", what, push_depth_and_rate, NULL, 2, 1);
    hn_trace_key(L, "energy", what, push_depth, NULL, 2, 1);
    hn_tape *energy = hn_trace_take(L, -1), *force = hn_trace_take(L, -2);
    status = hn_model_own_law(model, a, b, settings, force, energy, &error);
  } else {
    const char *spec = law->rigid ? NULL
                                  : lua_pushfstring(L, "%s:%s", law->type->name, settings ? settings : "");
    status = hn_model_pair_law(model, a, b, spec, &error);
  }
  if (status) hn_sandbox_fail(L, "%s: %.400s", what, error.text);
}

typedef struct contact_input {
  double margin, capacity, threshold, points;
  bool jointed;
  const char *overlap;
} contact_input;

enum { CONTACT_FIELDS = 6, PAIR_FIELDS = 7 };
static const hn_field contact_fields[CONTACT_FIELDS] = {
  { "margin", HN_FIELD_NUMBER, offsetof(contact_input, margin), 1, 0, false },
  { "capacity", HN_FIELD_NUMBER, offsetof(contact_input, capacity), 1, 0, false },
  { "threshold", HN_FIELD_NUMBER, offsetof(contact_input, threshold), 1, 0, false },
  { "points", HN_FIELD_NUMBER, offsetof(contact_input, points), 1, 0, false },
  { "jointed", HN_FIELD_FLAG, offsetof(contact_input, jointed), 0, 0, false },
  { "overlap", HN_FIELD_TEXT, offsetof(contact_input, overlap), 0, 0, false },
};

/* Store the arguments of sys:contact; load.c applies them when all bodies are known. */
int hn_declare_contact(lua_State *L)
{
  hn_scene_lua *lua = hn_registry_of(L);
  contact_input in = { 0 };
  if (lua_gettop(L) == 1) lua_newtable(L);
  hn_registry_check_call(L, "contact", LUA_TTABLE);
  if (lua->collides) hn_sandbox_fail(L, "contact: the system collides already");
  hn_field fields[HN_MAX_FIELDS];
  const law_input law = read_law(L, "contact");
  if (law.rigid) hn_sandbox_fail(L, "contact: contacts without a law are rigid: leave out law = \"rigid\"");
  const size_t count = list_fields(contact_fields, CONTACT_FIELDS, &law, fields);
  unsigned given = hn_fields_read(L, 2, "contact", fields, count, &in);
  const double number[] = { in.margin, in.capacity, in.threshold, in.points };
  for (int i = 0; i < 4; i++)
    if (given >> i & 1 && !(number[i] > 0))
      hn_sandbox_fail(L, "contact: %s must be positive, not %g", contact_fields[i].key, number[i]);
  if (given >> 1 & 1 && !(in.capacity == floor(in.capacity) && in.capacity <= HN_MAX_CONTACTS))
    hn_sandbox_fail(L, "contact: capacity must be a whole number up to %d, not %g", HN_MAX_CONTACTS,
                    in.capacity);
  if (given >> 3 & 1 && !(in.points == floor(in.points) && in.points <= 4))
    hn_sandbox_fail(L, "contact: points must be 1, 2, 3 or 4, not %g", in.points);
  static const char *const overlaps[] = { "report", "refuse" };
  lua->refuses_overlap = in.overlap && hn_fields_word(L, "contact", "overlap", in.overlap, overlaps, 2) == 1;
  lua->collides = true;
  lua->contact = (hn_contact_spec){ .margin = in.margin,
                                    .most = (int)in.capacity,
                                    .threshold = in.threshold,
                                    .jointed = in.jointed,
                                    .points = (int)in.points };
  if (law.type) set_law(L, "contact", &law, NULL, NULL);
  return 0;
}

typedef struct pair_input {
  const char *name[2];
  hn_surface surface;
} pair_input;

static const hn_field pair_fields[PAIR_FIELDS] = {
  { NULL, HN_FIELD_TEXT, offsetof(pair_input, name[0]), 0, 1, true },
  { NULL, HN_FIELD_TEXT, offsetof(pair_input, name[1]), 0, 2, true },
  { "friction", HN_FIELD_FRICTION, offsetof(pair_input, surface.friction), 2, 0, false },
  { "restitution", HN_FIELD_NUMBER, offsetof(pair_input, surface.restitution), 1, 0, false },
  { "rolling_friction", HN_FIELD_NUMBER, offsetof(pair_input, surface.rolling_friction), 1, 0, false },
  { "torsional_friction", HN_FIELD_NUMBER, offsetof(pair_input, surface.torsional_friction), 1, 0, false },
  { "friction_across", HN_FIELD_NUMBER, offsetof(pair_input, surface.friction_across), 1, 0, false },
};

int hn_declare_material_pair(lua_State *L)
{
  hn_error error;
  pair_input in = { .surface = { NAN, NAN, NAN, NAN, NAN, NAN } };
  hn_registry_check_call(L, "material_pair", LUA_TTABLE);
  hn_field fields[HN_MAX_FIELDS];
  const law_input law = read_law(L, "material_pair");
  const bool has_law = law.type || law.rigid;
  const size_t count = list_fields(pair_fields, PAIR_FIELDS, &law, fields);
  unsigned given = hn_fields_read(L, 2, "material_pair", fields, count, &in);
  if (!(given & 124) && !has_law)
    hn_sandbox_fail(L, "material_pair: give friction, restitution or a law of contact");
  if (given >> 6 & 1 && !(in.surface.friction_across > 0.0))
    hn_sandbox_fail(L, "material_pair: friction_across must be positive, not %g", in.surface.friction_across);
  if (hn_model_pair_materials(hn_registry_model(L), in.name[0], in.name[1], &in.surface, &error))
    hn_sandbox_fail(L, "material_pair: %.400s", error.text);
  if (has_law) set_law(L, "material_pair", &law, in.name[0], in.name[1]);
  return 0;
}
