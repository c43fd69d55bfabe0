/* field_points.c - the contact points of a height field and a shape as they are found, and the visit of the
 * edges and vertices below the shape (see field_pair.h). */
#include "base/vec.h"
#include "collide/field/field_pair.h"

static const double one_normal = 1e-12; /* 1 - cosine of the angle between normals that are one */

/* ---- Points -------------------------------------------------------------------------------------------- */

static double gap_of(const hn_contact_point *point)
{
  double span[3];
  vec_sub(span, point->b, point->a);
  return vec_dot(span, point->normal) - point->skin_a - point->skin_b;
}

static bool is_near(const double x[3], const double y[3], double distance)
{
  for (int k = 0; k < 3; k++)
    if (!(fabs(x[k] - y[k]) <= distance)) return false;
  return true;
}

/* True if P and Q have the same features, or the same place and normal. The points above one face are all
 * those above its plane. */
static bool is_same(const hn_field_pair *pair, const hn_contact_point *p, const hn_contact_point *q)
{
  const bool face = hn_feature_kind(p->feature) == HN_FACE_VERTEX &&
                    hn_feature_kind(q->feature) == HN_FACE_VERTEX;
  if (p->feature == q->feature) return true;
  if (face && hn_feature_number(p->feature, 0) == hn_feature_number(q->feature, 0)) return false;
  return is_near(p->b, q->b, pair->same) && is_near(p->a, q->a, pair->same) && p->skin_b == q->skin_b &&
         vec_dot(p->normal, q->normal) > 1.0 - one_normal;
}

void hn_field_add(hn_field_pair *pair, const hn_contact_point *point)
{
  hn_manifold *out = pair->out;
  for (int k = 0; k < out->count; k++)
    if (is_same(pair, &out->point[k], point)) return;
  hn_contact_point *place = hn_manifold_next(out);
  double largest = gap_of(point);
  for (int k = 0; k < out->count && !place; k++)
    if (gap_of(&out->point[k]) > largest) largest = gap_of(&out->point[k]), place = &out->point[k];
  if (place) *place = *point;
}

void hn_field_add_point(hn_field_pair *pair, const double a[3], const double b[3], const double normal[3],
                        double skin, bool on_body, uint64_t feature)
{
  hn_contact_point point = { .skin_b = skin, .on_b = on_body, .feature = feature };
  vec_copy(point.a, a), vec_copy(point.b, b), vec_copy(point.normal, normal);
  if (gap_of(&point) < pair->margin) hn_field_add(pair, &point);
}

/* ---- Edges and vertices -------------------------------------------------------------------------------- */

static bool reaches_edge(const hn_field_pair *pair, const hn_field_edge *e)
{
  for (int k = 0; k < 3; k++) {
    const double end = e->p[k] + e->length * e->d[k];
    if (fmax(e->p[k], end) < pair->low[k] || fmin(e->p[k], end) > pair->high[k]) return false;
  }
  return true;
}

static bool reaches_vertex(const hn_field_pair *pair, const hn_field_vertex *v)
{
  for (int k = 0; k < 3; k++)
    if (v->p[k] < pair->low[k] || v->p[k] > pair->high[k]) return false;
  return true;
}

void hn_field_visit(hn_field_pair *pair, const hn_field_features *features, const void *body)
{
  hn_field_edge edge;
  hn_field_vertex vertex;
  for (int j = pair->first[1]; j <= pair->last[1] + 1; j++)
    for (int i = pair->first[0]; i <= pair->last[0] + 1; i++) {
      for (int k = 0; k < 3; k++)
        if (hn_field_edge_of(pair->field, i, j, k, &edge) && reaches_edge(pair, &edge))
          features->edge(pair, &edge, body);
      if (hn_field_vertex_of(pair->field, i, j, &vertex) && reaches_vertex(pair, &vertex))
        features->vertex(pair, &vertex, body);
    }
}
