/* scene_contact.c - sys:contact and sys:material_pair: collision of the shapes, and properties of pairs of
 * materials.
 *
 *   law = "hertz", stiffness = 1e9     a law of compliant contact, and its parameters beside it
 *   law = "rigid"                      of a pair of materials: no law, whatever that of the system */
#include "declare.h"
#include "fields.h"

#include <math.h>
#include <string.h>

enum { RIGID_LAW = -1, NO_LAW, LAW };

/* Reads the key `law` of the table at index 2: NO_LAW, RIGID_LAW, or LAW with its type. */
static int read_law(lua_State *L, const char *what, const hn_contact_law_type **type)
{
  hn_error error;
  lua_pushliteral(L, "law");
  if (lua_rawget(L, 2) == LUA_TNIL) {
    lua_pop(L, 1);
    return NO_LAW;
  }
  if (lua_type(L, -1) != LUA_TSTRING)
    hn_sandbox_fail(L, "%s: law must be the name of a law of contact, such as \"hertz\"", what);
  const char *name = lua_tostring(L, -1);
  const bool rigid = strcmp(name, "rigid") == 0;
  *type = rigid ? NULL : hn_contact_law_type_find(name, &error);
  if (!rigid && !*type) hn_sandbox_fail(L, "%s: %.400s", what, error.text);
  lua_pop(L, 1);
  return rigid ? RIGID_LAW : LAW;
}

/* Copies the COUNT fields to LIST[HN_MAX_FIELDS] and appends `law` and the parameters of TYPE, which may be
 * NULL. Returns the new count. */
static size_t list_fields(const hn_field *fields, size_t count, const hn_contact_law_type *type,
                          hn_field *list)
{
  memcpy(list, fields, sizeof *list * count);
  list[count++] = (hn_field){ .key = "law", .kind = HN_FIELD_OTHER };
  return type ? hn_settings_list(type->params, NULL, list, count) : count;
}

/* Pushes "name:key=value,..." of a law with the parameters in the table at index 2. */
static const char *push_law(lua_State *L, const char *what, const hn_contact_law_type *type)
{
  const char *settings = hn_settings_push(L, what, type->params, NULL);
  return lua_pushfstring(L, "%s:%s", type->name, settings ? settings : "");
}

typedef struct contact_input {
  double margin, capacity, threshold, points;
  bool jointed;
  const char *overlap;
} contact_input;

enum { CONTACT_FIELDS = 6, PAIR_FIELDS = 4 };
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
  const hn_contact_law_type *type = NULL;
  hn_field fields[HN_MAX_FIELDS];
  if (read_law(L, "contact", &type) == RIGID_LAW)
    hn_sandbox_fail(L, "contact: contacts without a law are rigid: leave out law = \"rigid\"");
  const size_t count = list_fields(contact_fields, CONTACT_FIELDS, type, fields);
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
  if (type) lua->contact_law = hn_sandbox_copy(L, push_law(L, "contact", type));
  lua->contact.law = lua->contact_law;
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
};

int hn_declare_material_pair(lua_State *L)
{
  hn_error error;
  pair_input in = { .surface = { NAN, NAN, NAN } };
  hn_registry_check_call(L, "material_pair", LUA_TTABLE);
  const hn_contact_law_type *type = NULL;
  hn_field fields[HN_MAX_FIELDS];
  const int law = read_law(L, "material_pair", &type);
  const size_t count = list_fields(pair_fields, PAIR_FIELDS, type, fields);
  unsigned given = hn_fields_read(L, 2, "material_pair", fields, count, &in);
  if (!(given & 12) && law == NO_LAW)
    hn_sandbox_fail(L, "material_pair: give friction, restitution or a law of contact");
  hn_model *model = hn_registry_model(L);
  if (hn_model_pair_materials(model, in.name[0], in.name[1], &in.surface, &error) ||
      (law != NO_LAW && hn_model_pair_law(model, in.name[0], in.name[1],
                                          type ? push_law(L, "material_pair", type) : NULL, &error)))
    hn_sandbox_fail(L, "material_pair: %.400s", error.text);
  return 0;
}
