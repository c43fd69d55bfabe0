/* ellipsoid_pairs.c - ellipsoids with spheres, capsules, boxes, hulls, cylinders and ellipsoids.
 *
 * Coordinates are the axes of the ellipsoid. s(n), the free space along n between it and another convex
 * shape, has its maximum at the normal of a face, or where it is stationary for an edge (n perpendicular to
 * it), a vertex, the side of a cylinder or a rim. All these are tried; the largest is the distance or minus
 * the depth. An edge is a point before an ellipse, the projection of the ellipsoid along it; so is the side
 * of a cylinder. A rim is a disc, an ellipsoid without one half axis. The pair has one point. */
#include "base/vec.h"
#include "collide/cylinder/cylinder.h"
#include "collide/ellipsoid/ellipsoid.h"
#include "collide/pairs.h"
#include "elementary.h"

static const double identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, origin[3] = { 0, 0, 0 };

/* The best direction so far: s(n), the touching feature of the second shape, and its number. */
typedef struct best_normal {
  double s, n[3];
  hn_touch_kind kind;
  int number;
} best_normal;

/* An ellipsoid in its own axes, a shape there, its size, and the best direction. */
typedef struct trial {
  hn_ellipsoid e;
  hn_placed_shape other;
  double tie;
  best_normal best;
} trial;

static void begin(trial *t, const hn_placed_shape *a, const hn_placed_shape *b, double size)
{
  hn_ellipsoid_make(&t->e, a->shape->size, origin, identity);
  hn_into_axes(a, b, &t->other);
  t->tie = hn_tie_tolerance * (t->e.largest + size);
  t->best.s = -HUGE_VAL;
}

/* Replaces the best direction by N if S, its free space, is larger. */
static void keep(trial *t, double s, const double n[3], hn_touch_kind kind, int number)
{
  if (!(s > t->best.s + t->tie)) return;
  t->best.s = s, t->best.kind = kind, t->best.number = number;
  vec_copy(t->best.n, n);
}

/* Adds the contact point: b on the second shape, without its radius SKIN. */
static void add_point(const hn_placed_shape *a, const trial *t, const double b[3], double skin,
                      hn_manifold *out)
{
  const best_normal *best = &t->best;
  const double skin_a = hn_ellipsoid_skin(&t->e, best->n);
  double x[3];
  hn_ellipsoid_point(&t->e, best->n, x);
  vec_add_scaled(x, -skin_a, best->n);
  const uint64_t feature = hn_feature(best->kind, 0, best->number);
  if (best->kind == HN_VERTEX_FACE) hn_manifold_add(out, origin, x, b, best->n, skin_a, skin, true, feature);
  else hn_manifold_add_free(out, origin, x, b, best->n, skin_a, skin, feature);
  hn_out_of_axes(a, out);
}

/* Computes the point at distance s along N from the surface of the ellipsoid. */
static void point_before(const trial *t, double x[3])
{
  hn_ellipsoid_point(&t->e, t->best.n, x);
  vec_add_scaled(x, t->best.s, t->best.n);
}

/* ---- Polytopes ----------------------------------------------------------------------------------------- */

/* Tries N of a feature of P at X, if the feature supports P there. */
static void try_normal(trial *t, const hn_polytope *p, const double n[3], const double x[3],
                       hn_touch_kind kind, int number)
{
  const double h = hn_ellipsoid_extent(&t->e, n), s = vec_dot(n, x) - p->skin - h;
  if (s > t->best.s + t->tie && hn_polytope_lowest(p, n) - p->skin - h >= s - t->tie)
    keep(t, s, n, kind, number);
}

static void try_faces(trial *t, const hn_polytope *p)
{
  for (int f = 0; f < p->nface; f++) {
    double n[3];
    vec_scale(n, -1.0, p->normal[f]);
    keep(t, -p->offset[f] - hn_ellipsoid_extent(&t->e, n), n, HN_VERTEX_FACE, f);
  }
}

/* Tries the edges. No direction across an edge has more free space than its distance from the centre less the
 * smallest half axis. */
static void try_edges(trial *t, const hn_polytope *p)
{
  for (int k = 0; k < p->nedge; k++) {
    const double *x = p->vertex[p->edge[4 * k]];
    double d[3], u[3][3], normal[HN_ELLIPSOID_NORMALS][3];
    vec_sub(d, p->vertex[p->edge[4 * k + 1]], x);
    vec_scale(d, 1.0 / vec_norm(d), d);
    hn_ellipsoid_tangents(d, u);
    if (hn_hypot(vec_dot(x, u[0]), vec_dot(x, u[1])) - t->e.smallest - p->skin <= t->best.s) continue;
    const int count = hn_projected_normals(2, t->e.W, 3, x, u, normal);
    for (int i = 0; i < count; i++) try_normal(t, p, normal[i], x, HN_VERTEX_EDGE, k);
  }
}

static void try_vertices(trial *t, const hn_polytope *p, const double size[3])
{
  for (int k = 0; k < p->nvertex; k++) {
    const double *x = p->vertex[k];
    double normal[HN_ELLIPSOID_NORMALS][3];
    if (vec_norm(x) - t->e.smallest - p->skin <= t->best.s) continue;
    const int count = hn_nearest_normals(3, size, x, normal);
    for (int i = 0; i < count; i++) try_normal(t, p, normal[i], x, HN_VERTEX_VERTEX, k);
  }
}

/* True if the best direction, of a face, is the only maximum: the point before the ellipsoid is on P, and the
 * overlap is below the radii of curvature. */
static bool is_on_face(const trial *t, const hn_polytope *p)
{
  double x[3];
  if (p->nface == 0 || !(t->best.s > -hn_ellipsoid_least_radius(&t->e))) return false;
  point_before(t, x);
  for (int f = 0; f < p->nface; f++)
    if (vec_dot(p->normal[f], x) > p->offset[f] + t->tie) return false;
  return true;
}

/* Computes the point of P of the best direction. */
static void polytope_point(const trial *t, const hn_polytope *p, double x[3])
{
  double span[3];
  bool beyond;
  point_before(t, x);
  vec_add_scaled(x, p->skin, t->best.n);
  if (t->best.kind == HN_VERTEX_VERTEX) vec_copy(x, p->vertex[t->best.number]);
  if (t->best.kind != HN_VERTEX_EDGE) return;
  hn_nearest_on_edge(p, p->edge + 4 * t->best.number, x, &beyond, span);
  vec_add(x, x, span);
}

void hn_collide_ellipsoid(const hn_placed_shape *a, const hn_placed_shape *b, double margin, hn_manifold *out)
{
  trial t;
  hn_polytope p;
  double x[3];
  begin(&t, a, b, 0.0);
  hn_polytope_of(&p, &t.other, origin);
  t.tie += hn_tie_tolerance * p.size;
  try_faces(&t, &p);
  if (t.best.s >= margin) return;
  if (!is_on_face(&t, &p)) {
    try_edges(&t, &p);
    try_vertices(&t, &p, a->shape->size);
  }
  if (!(t.best.s < margin)) return;
  polytope_point(&t, &p, x);
  add_point(a, &t, x, p.skin, out);
}

/* ---- Cylinders ----------------------------------------------------------------------------------------- */

/* Tries the normal of the rim at the end that the sign SIDE names, with its centre at X. */
static void try_rim(trial *t, const hn_cylinder *c, int side, const double x[3])
{
  const double *R = t->other.R, disc[3] = { c->r, 0.0, c->r },
               inward[3] = { -side * R[1], -side * R[4], -side * R[7] };
  double n[3];
  hn_ellipsoid rim;
  hn_ellipsoid_make(&rim, disc, x, R);
  const double s = hn_ellipsoids_separate(&t->e, &rim, inward, n);
  if (s > -HUGE_VAL) keep(t, s, n, HN_VERTEX_EDGE, HN_RIM + (side > 0));
}

/* Computes the point of the cylinder, as in cylinder_ends.c: on the axis, or on a rim that is nearly level.
 * Returns the radius around it. */
static double cylinder_point(const trial *t, const hn_cylinder *c, double x[3])
{
  double n[3], to[3], y[3];
  mat_tvec(n, t->other.R, t->best.n);
  point_before(t, x);
  if (t->best.kind == HN_VERTEX_FACE) return 0.0;
  vec_sub(to, x, t->other.x);
  mat_tvec(y, t->other.R, to);
  if (t->best.number != HN_SIDE) y[1] = n[1] < 0.0 ? c->h : -c->h;
  hn_rim_point(c->r, y[1], (double[3]){ -n[0], 0.0, -n[2] }, y);
  const double skin = fabs(n[1]) > hn_cos_level ? 0.0 : hn_onto_axis((double[3]){ -n[0], -n[1], -n[2] }, y);
  mat_vec(x, t->other.R, y);
  vec_add(x, x, t->other.x);
  return skin;
}

/* True if the best direction is the only maximum: the point before the ellipsoid is on the end or side, and
 * the overlap is below the radii of curvature. */
static bool is_on_cylinder(const trial *t, const hn_cylinder *c)
{
  double x[3], to[3], y[3];
  if (!(t->best.s > -hn_ellipsoid_least_radius(&t->e))) return false;
  if (t->best.kind == HN_VERTEX_EDGE && t->best.number != HN_SIDE) return true;
  point_before(t, x);
  vec_sub(to, x, t->other.x);
  mat_tvec(y, t->other.R, to);
  return t->best.kind == HN_VERTEX_FACE ? hn_across(y) <= c->r : fabs(y[1]) <= c->h;
}

static void try_ends_and_side(trial *t, const hn_cylinder *c, const double axis[3])
{
  double n[3], u[3][3], normal[HN_ELLIPSOID_NORMALS][3];
  for (int side = -1; side <= 1; side += 2) {
    vec_scale(n, -side, axis);
    keep(t, vec_dot(n, t->other.x) - c->h - hn_ellipsoid_extent(&t->e, n), n, HN_VERTEX_FACE,
         HN_END + (side > 0));
  }
  hn_ellipsoid_tangents(axis, u);
  const int count = hn_projected_normals(2, t->e.W, 3, t->other.x, u, normal);
  for (int i = 0; i < count; i++)
    keep(t, vec_dot(normal[i], t->other.x) - c->r - hn_ellipsoid_extent(&t->e, normal[i]), normal[i],
         HN_VERTEX_EDGE, HN_SIDE);
}

void hn_collide_ellipsoid_cylinder(const hn_placed_shape *a, const hn_placed_shape *b, double margin,
                                   hn_manifold *out)
{
  const hn_cylinder c = { b->shape->size[0], 0.5 * b->shape->size[1] };
  trial t;
  double x[3];
  begin(&t, a, b, c.r + c.h);
  const double axis[3] = { t.other.R[1], t.other.R[4], t.other.R[7] };
  const int first = vec_dot(axis, t.other.x) > 0.0 ? -1 : 1; /* the end nearer to the ellipsoid */
  try_ends_and_side(&t, &c, axis);
  if (t.best.s >= margin) return;
  for (int k = 0; k < 2 && !is_on_cylinder(&t, &c); k++) {
    const int side = k ? -first : first;
    vec_along(x, t.other.x, side * c.h, axis);
    try_rim(&t, &c, side, x);
  }
  if (!(t.best.s < margin)) return;
  const double skin = cylinder_point(&t, &c, x);
  add_point(a, &t, x, skin, out);
}

/* ---- Ellipsoids ---------------------------------------------------------------------------------------- */

void hn_collide_ellipsoids(const hn_placed_shape *a, const hn_placed_shape *b, double margin,
                           hn_manifold *out)
{
  trial t;
  hn_ellipsoid other;
  double n[3], back[3], x[3];
  begin(&t, a, b, 0.0);
  hn_ellipsoid_make(&other, b->shape->size, t.other.x, t.other.R);
  const double s = hn_ellipsoids_separate(&t.e, &other, origin, n);
  if (!(s < margin)) return;
  keep(&t, s, n, HN_VERTEX_VERTEX, 0);
  vec_scale(back, -1.0, n);
  hn_ellipsoid_point(&other, back, x);
  const double skin = hn_ellipsoid_skin(&other, back);
  vec_add_scaled(x, skin, n);
  vec_add(x, x, other.x);
  add_point(a, &t, x, skin, out);
}
