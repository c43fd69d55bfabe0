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
/* Relative to the smaller of a cell and the body: points this near are one. */
static const double one_point = 1e-6;

static const double identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };

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

/* Returns the function of a plane and a shape of KIND. */
static hn_collide_function *above_plane(hn_shape_kind kind)
{
  switch (kind) {
  case HN_BOX: return hn_collide_plane_box;
  case HN_CYLINDER: return hn_collide_plane_cylinder;
  case HN_ELLIPSOID: return hn_collide_plane_ellipsoid;
  case HN_CONVEX: return hn_collide_plane_corners;
  default: return hn_collide_plane_round;
  }
}

/* Adds the points above a triangle of cell (I, J). */
static void add_face(hn_field_pair *pair, int i, int j, int triangle)
{
  hn_shape plane = { .kind = HN_PLANE };
  hn_placed_shape placed = { .shape = &plane };
  hn_manifold above;
  const int number = hn_field_part(pair->field, i, j, triangle);
  hn_field_face(pair->field, i, j, triangle, placed.x, plane.size);
  for (int k = 0; k < 9; k++) placed.R[k] = identity[k];
  above.count = 0;
  above_plane(pair->body.shape->kind)(&placed, &pair->body, pair->margin, &above);
  for (int k = 0; k < above.count; k++) {
    hn_contact_point *point = &above.point[k];
    if (!is_above(pair, triangle, placed.x, point)) continue;
    point->feature = hn_feature(hn_feature_kind(point->feature), number,
                                hn_feature_number(point->feature, 1));
    hn_field_add(pair, point);
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
