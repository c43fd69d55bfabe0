/* scene_contact.c - sys:contact and sys:material_pair: collision of the shapes, and properties of pairs of
 * materials. */
#include "declare.h"
#include "fields.h"

#include <math.h>
#include <string.h>

typedef struct contact_input {
  double margin, capacity, threshold, points;
  bool jointed;
  const char *overlap;
} contact_input;

static const hn_field contact_fields[] = {
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
  unsigned given = hn_fields_read(L, 2, "contact", contact_fields, 6, &in);
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
  return 0;
}

typedef struct pair_input {
  const char *name[2];
  hn_surface surface;
} pair_input;

static const hn_field pair_fields[] = {
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
  unsigned given = hn_fields_read(L, 2, "material_pair", pair_fields, 4, &in);
  if (!(given & 12)) hn_sandbox_fail(L, "material_pair: give friction, or restitution, or both");
  if (hn_model_pair_materials(hn_registry_model(L), in.name[0], in.name[1], &in.surface, &error))
    hn_sandbox_fail(L, "material_pair: %.400s", error.text);
  return 0;
}
