/* field_round.c - edges and vertices of a height field with ellipsoids and cylinders (see field_pair.h).
 *
 * An edge is a line before the ellipse that the ellipsoid casts along it; before a cylinder it meets the
 * side, a rim or crosses an end that is level with it. */
#include "base/vec.h"
#include "collide/cylinder/cylinder.h"
#include "collide/ellipsoid/ellipsoid.h"
#include "collide/field/field_pair.h"
#include "collide/pairs.h"

static bool is_within(double along, double length)
{
  return along >= -hn_side_tolerance * length && along <= (1.0 + hn_side_tolerance) * length;
}

/* ---- Ellipsoids ---------------------------------------------------------------------------------------- */

/* Adds point A of the field before the ellipsoid, which has the outward unit normal OUTWARD there. */
static void add_before(hn_field_pair *pair, const hn_ellipsoid *e, const double a[3], const double outward[3],
                       uint64_t feature)
{
  const double skin = hn_ellipsoid_skin(e, outward);
  double b[3], n[3];
  hn_ellipsoid_point(e, outward, b);
  vec_add(b, b, e->x);
  vec_add_scaled(b, -skin, outward);
  vec_scale(n, -1.0, outward);
  hn_field_add_point(pair, a, b, n, skin, true, feature);
}

static void add_edge_of_ellipsoid(hn_field_pair *pair, const hn_field_edge *edge, const void *body)
{
  const hn_ellipsoid *e = body;
  double p[3], x[3], n[3], u[3][3], normal[HN_ELLIPSOID_NORMALS][3];
  vec_sub(p, edge->p, e->x);
  hn_ellipsoid_tangents(edge->d, u);
  const int count = hn_projected_normals(2, e->W, 3, p, u, normal);
  for (int i = 0; i < count; i++) {
    vec_scale(n, -1.0, normal[i]);
    if (!hn_field_edge_has(edge, n, hn_normal_rounding)) continue;
    hn_ellipsoid_point(e, normal[i], x);
    vec_sub(x, x, p);
    const double along = vec_dot(x, edge->d);
    if (!is_within(along, edge->length)) continue;
    vec_along(x, edge->p, along, edge->d);
    add_before(pair, e, x, normal[i], hn_feature(HN_EDGE_VERTEX, edge->number, 0));
  }
}

static void add_vertex_of_ellipsoid(hn_field_pair *pair, const hn_field_vertex *v, const void *body)
{
  const hn_ellipsoid *e = body;
  double to[3], p[3], outward[3], n[3], normal[HN_ELLIPSOID_NORMALS][3];
  vec_sub(to, v->p, e->x);
  mat_tvec(p, pair->body.R, to);
  const int count = hn_nearest_normals(3, pair->body.shape->size, p, normal);
  for (int i = 0; i < count; i++) {
    mat_vec(outward, pair->body.R, normal[i]);
    vec_scale(n, -1.0, outward);
    if (hn_field_vertex_has(v, n, hn_normal_rounding))
      add_before(pair, e, v->p, outward, hn_feature(HN_VERTEX_VERTEX, v->number, 0));
  }
}

void hn_field_ellipsoid(hn_field_pair *pair)
{
  static const hn_field_features features = { add_edge_of_ellipsoid, add_vertex_of_ellipsoid };
  hn_ellipsoid e;
  hn_ellipsoid_make(&e, pair->body.shape->size, pair->body.x, pair->body.R);
  hn_field_visit(pair, &features, &e);
}

/* ---- Cylinders ----------------------------------------------------------------------------------------- */

/* An edge in the axes of the cylinder. */
typedef struct local_edge {
  const hn_field_edge *edge;
  hn_cylinder c;
  double x[3], d[3];
} local_edge;

/* Adds the point at ALONG of the edge before the surface point Y, where the cylinder has the outward normal
 * OUTWARD (axes of the cylinder); ROUND: of a sphere around a point of the axis. */
static void add_surface_point(hn_field_pair *pair, const local_edge *l, double along, double y[3],
                              const double outward[3], double tolerance, bool round, uint64_t feature)
{
  double a[3], b[3], n[3], back[3];
  vec_scale(back, -1.0, outward);
  mat_vec(n, pair->body.R, back);
  if (!is_within(along, l->edge->length) || !hn_field_edge_has(l->edge, n, tolerance)) return;
  const double skin = round ? hn_onto_axis(outward, y) : 0.0;
  mat_vec(b, pair->body.R, y);
  vec_add(b, b, pair->body.x);
  vec_along(a, l->edge->p, along, l->edge->d);
  hn_field_add_point(pair, a, b, n, skin, skin > 0.0, feature);
}

/* Adds the point of the side on the common normal with the line; both directions are tried. */
static void add_side(hn_field_pair *pair, const local_edge *l)
{
  const double across = hn_across(l->d);
  if (!(across > hn_sin_parallel)) return;
  const double along = -(l->x[0] * l->d[0] + l->x[2] * l->d[2]) / (across * across);
  const double height = l->x[1] + along * l->d[1];
  if (!(fabs(height) <= l->c.h * (1.0 + hn_side_tolerance))) return;
  for (int sign = -1; sign <= 1; sign += 2) {
    const double outward[3] = { -sign * l->d[2] / across, 0.0, sign * l->d[0] / across };
    double y[3] = { l->c.r * outward[0], height, l->c.r * outward[2] };
    add_surface_point(pair, l, along, y, outward, hn_sin_level_edge, true,
                      hn_feature(HN_RIM_POINT, l->edge->number, HN_SIDE));
  }
}

/* Adds the points of the rim at END on the common normals with the line. */
static void add_rim(hn_field_pair *pair, const local_edge *l, int end)
{
  const double height = end ? l->c.h : -l->c.h;
  double t[2], outward[2][3], y[3], x[3];
  const int count = hn_circle_line(l->c.r, height, l->x, l->d, t, outward);
  for (int k = 0; k < count; k++) {
    vec_along(x, l->x, t[k], l->d);
    hn_rim_point(l->c.r, height, x, y);
    if (outward[k][1] * height < 0.0 || outward[k][0] * y[0] + outward[k][2] * y[2] < 0.0) continue;
    add_surface_point(pair, l, t[k], y, outward[k], hn_normal_rounding, fabs(outward[k][1]) <= hn_cos_level,
                      hn_feature(HN_RIM_POINT, l->edge->number, HN_RIM + end + (k ? HN_SECOND : 0)));
  }
}

/* Adds the points where the line enters and leaves the space above the end, if it is level with it. */
static void add_end(hn_field_pair *pair, const local_edge *l, int end)
{
  const double outward[3] = { 0.0, end ? 1.0 : -1.0, 0.0 };
  double fraction[2], q[3];
  if (!(fabs(l->d[1]) <= hn_sin_level_edge)) return;
  vec_along(q, l->x, l->edge->length, l->d);
  const int count = hn_circle_crossings(l->c.r, l->x, q, fraction);
  for (int k = 0; k < count; k++) {
    double y[3];
    vec_along(y, l->x, fraction[k] * l->edge->length, l->d);
    const bool leaves = y[0] * l->d[0] + y[2] * l->d[2] > 0.0;
    y[1] = end ? l->c.h : -l->c.h;
    add_surface_point(pair, l, fraction[k] * l->edge->length, y, outward, hn_sin_level_edge, false,
                      hn_feature(HN_EDGE_EDGE, l->edge->number, HN_RIM + end + (leaves ? HN_SECOND : 0)));
  }
}

static void add_edge_of_cylinder(hn_field_pair *pair, const hn_field_edge *edge, const void *body)
{
  local_edge l = { .edge = edge, .c = *(const hn_cylinder *)body };
  double to[3];
  vec_sub(to, edge->p, pair->body.x);
  mat_tvec(l.x, pair->body.R, to);
  mat_tvec(l.d, pair->body.R, edge->d);
  add_side(pair, &l);
  for (int end = 0; end < 2; end++) add_rim(pair, &l, end), add_end(pair, &l, end);
}

/* Adds the vertex as a sphere of radius 0 before the cylinder. */
static void add_vertex_of_cylinder(hn_field_pair *pair, const hn_field_vertex *v, const void *body)
{
  const hn_shape point = { .kind = HN_SPHERE };
  hn_placed_shape placed = { .shape = &point };
  hn_manifold found;
  (void)body;
  found.count = 0;
  vec_copy(placed.x, v->p);
  hn_collide_sphere_cylinder(&placed, &pair->body, pair->margin, &found);
  if (found.count == 0 || !all_finite(found.point[0].normal, 3)) return;
  const hn_contact_point *p = &found.point[0];
  const hn_touch_kind kind = hn_feature_kind(p->feature);
  const double tolerance = kind == HN_VERTEX_FACE ? hn_sin_level_edge : hn_normal_rounding;
  if (hn_field_vertex_has(v, p->normal, tolerance))
    hn_field_add_point(pair, v->p, p->b, p->normal, p->skin_b, p->on_b,
                       hn_feature(kind, v->number, hn_feature_number(p->feature, 1)));
}

void hn_field_cylinder(hn_field_pair *pair)
{
  static const hn_field_features features = { add_edge_of_cylinder, add_vertex_of_cylinder };
  const hn_cylinder c = { pair->body.shape->size[0], 0.5 * pair->body.shape->size[1] };
  hn_field_visit(pair, &features, &c);
}
