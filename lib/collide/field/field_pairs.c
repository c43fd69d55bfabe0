/* field_pairs.c - a height field and a convex shape (see field_pair.h): points above its triangles.
 *
 * The points above a triangle are those of the shape above its plane (plane_pairs.c), so that a flat field
 * has the contacts of a plane. A point belongs to the triangle in which its foot lies; below the surface, to
 * the triangle above it: that pushes it up and out, whatever edges are near. Only the cells below the shape
 * are visited. */
#include "base/vec.h"
#include "collide/cylinder/cylinder.h"
#include "collide/field/field_pair.h"
#include "collide/pairs.h"

/* Relative to a cell: a point this near to a side of a triangle is on it. */
static const double on_side = 1e-9;
/* Relative to the smaller of a cell and the body: points this near are one; 1 - cosine of the angle between
 * their normals. */
static const double one_point = 1e-6, one_normal = 1e-12;

static const double identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };

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

/* ---- Triangles ----------------------------------------------------------------------------------------- */

/* True if POINT, above the plane of a triangle with the corner AT, belongs to the triangle. Points deep
 * below the field, of a body whose place is beyond the rim, belong to none: they came from the side. */
static bool is_above(const hn_field_pair *pair, int triangle, const double at[3],
                     const hn_contact_point *point)
{
  const hn_height_field *f = pair->field;
  double to[3];
  vec_sub(to, point->b, at);
  const double height = vec_dot(point->normal, to);
  if (height > 0.0) vec_add_scaled(to, -height, point->normal);
  if (height < -pair->margin && pair->beyond) return false;
  const double back = triangle ? -1.0 : 1.0, u = back * to[0] / f->dx, w = back * to[2] / f->dz;
  return u >= -on_side && w >= -on_side && u + w <= 1.0 + on_side;
}

/* Adds the points above a triangle of cell (I, J). */
static void add_face(hn_field_pair *pair, int i, int j, int triangle)
{
  hn_shape plane = { .kind = HN_PLANE };
  hn_placed_shape placed = { .shape = &plane };
  hn_manifold above;
  bool swapped;
  const int number = hn_field_part(pair->field, i, j, triangle);
  hn_field_face(pair->field, i, j, triangle, placed.x, plane.size);
  for (int k = 0; k < 9; k++) placed.R[k] = identity[k];
  above.count = 0;
  hn_collide_find(HN_PLANE, pair->body.shape->kind, &swapped)
    ->collide(&placed, &pair->body, pair->margin, &above);
  for (int k = 0; k < above.count; k++) {
    hn_contact_point *point = &above.point[k];
    if (!is_above(pair, triangle, placed.x, point)) continue;
    point->feature = hn_feature(hn_feature_kind(point->feature), number,
                                hn_feature_number(point->feature, 1));
    hn_field_add(pair, point);
  }
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

/* ---- The pair ------------------------------------------------------------------------------------------ */

/* Sets the cells below the range from LOW to HIGH along one axis; false if there are none. */
static bool set_cells(double low, double high, int points, double width, int *first, int *last)
{
  const double half = 0.5 * (points - 1), from = floor(low / width + half), to = floor(high / width + half);
  if (!(from <= points - 2 && to >= 0.0)) return false;
  *first = from > 0.0 ? (int)from : 0;
  *last = to < points - 2 ? (int)to : points - 2;
  return true;
}

/* Places BODY in the axes of FIELD; false if nothing of the field is below it. */
static bool set_pair(hn_field_pair *pair, const hn_placed_shape *field, const hn_placed_shape *body)
{
  const hn_height_field *f = field->shape->field;
  double largest = 0.0;
  hn_into_axes(field, body, &pair->body);
  hn_placed_bounds(&pair->body, pair->margin, pair->low, pair->high);
  for (int k = 0; k < 3; k++) largest = fmax(largest, pair->high[k] - pair->low[k]);
  pair->field = f, pair->same = one_point * fmin(fmin(f->dx, f->dz), largest);
  pair->beyond = fabs(pair->body.x[0]) > 0.5 * (f->nx - 1) * f->dx ||
                 fabs(pair->body.x[2]) > 0.5 * (f->nz - 1) * f->dz;
  return pair->low[1] <= f->high &&
         set_cells(pair->low[0], pair->high[0], f->nx, f->dx, &pair->first[0], &pair->last[0]) &&
         set_cells(pair->low[2], pair->high[2], f->nz, f->dz, &pair->first[1], &pair->last[1]);
}

void hn_collide_field(const hn_placed_shape *a, const hn_placed_shape *b, double margin, hn_manifold *out)
{
  hn_field_pair pair = { .margin = margin, .out = out };
  if (!set_pair(&pair, a, b)) return;
  for (int j = pair.first[1]; j <= pair.last[1]; j++)
    for (int i = pair.first[0]; i <= pair.last[0]; i++)
      for (int triangle = 0; triangle < 2; triangle++) add_face(&pair, i, j, triangle);
  switch (b->shape->kind) {
  case HN_ELLIPSOID: hn_field_ellipsoid(&pair); break;
  case HN_CYLINDER: hn_field_cylinder(&pair); break;
  default: hn_field_polytope(&pair); break;
  }
  hn_out_of_axes(a, out);
}
