/* pair_surfaces.c - friction and restitution of pairs of shapes (pair_surfaces.h).
 *
 * Materials and rules of combination are resolved: shapes that behave alike against all are of one kind. */
#include "cli/external/pair_surfaces.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"

#include <stdlib.h>

static bool are_alike(const hn_surface *a, const hn_surface *b)
{
  return a->friction == b->friction && a->static_friction == b->static_friction &&
         a->restitution == b->restitution && a->rolling_friction == b->rolling_friction &&
         a->torsional_friction == b->torsional_friction;
}

/* True if shape C behaves as FIRST does against itself and against the first shapes of all COUNT kinds. */
static bool is_of_kind(const hn_model *model, int c, int first, const int *kinds, int count)
{
  const hn_surface own = hn_model_surface(model, c, c), theirs = hn_model_surface(model, first, first);
  bool alike = are_alike(&own, &theirs);
  for (int k = 0; k < count && alike; k++) {
    const hn_surface a = hn_model_surface(model, c, kinds[k]), b = hn_model_surface(model, first, kinds[k]);
    alike = are_alike(&a, &b);
  }
  return alike;
}

static json_t *surface_json(const hn_surface *s)
{
  return json_pack("{s:o, s:o, s:o, s:o, s:o}", "friction", cli_json_real(s->friction), "static_friction",
                   cli_json_real(s->static_friction > 0.0 ? s->static_friction : s->friction), "restitution",
                   cli_json_real(s->restitution), "rolling_friction", cli_json_real(s->rolling_friction),
                   "torsional_friction", cli_json_real(s->torsional_friction));
}

json_t *cli_json_surfaces(const hn_model *model)
{
  json_t *of = json_array(), *table = json_array();
  int *first = cli_alloc((size_t)model->ncollider + 1, sizeof *first), count = 0;
  for (int c = 0; c < model->ncollider; c++) {
    int kind = 0;
    while (kind < count && !is_of_kind(model, c, first[kind], first, count)) kind++;
    if (kind == count) first[count++] = c;
    json_array_append_new(of, json_integer(kind));
  }
  for (int i = 0; i < count; i++) {
    json_t *row = json_array();
    for (int k = 0; k < count; k++) {
      const hn_surface s = hn_model_surface(model, first[i], first[k]);
      json_array_append_new(row, surface_json(&s));
    }
    json_array_append_new(table, row);
  }
  free(first);
  return json_pack("{s:o, s:o}", "kind", of, "pairs", table);
}
