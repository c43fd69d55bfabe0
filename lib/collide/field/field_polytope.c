/* field_polytope.c - edges and vertices of a height field with spheres, capsules, boxes and convex hulls
 * (see field_pair.h).
 *
 *   edge, edge       n across both; the crossing is inside both
 *   vertex, face     n is that of the face with the least overlap that the normals of the vertex contain
 *   edge, corner;  vertex, corner;  vertex, edge       n along the line between the nearest points
 *
 * n must be a normal of both features. In the last row the shapes are disjoint but for the radius of a round
 * one. */
#include "base/vec.h"
#include "collide/field/field_pair.h"

/* Computes the direction T (not a unit vector) from the edge with direction G into its face of the normal N;
 * M is the normal of the other face. */
static void into_face(const double g[3], const double n[3], const double m[3], double t[3])
{
  vec_cross(t, g, n);
  if (vec_dot(t, m) > 0.0) vec_scale(t, -1.0, t);
}

/* True if unit N supports polytope P from below at its edge K along G, within the sine of level edges. */
static bool edge_supports(const hn_polytope *p, int k, const double g[3], const double n[3])
{
  const int *e = p->edge + 4 * k;
  double t[3];
  if (p->nface == 0) return true;
  for (int side = 0; side < 2; side++) {
    into_face(g, p->normal[e[2 + side]], p->normal[e[3 - side]], t);
    if (!(vec_dot(n, t) >= -hn_sin_level_edge * vec_norm(t))) return false;
  }
  return true;
}

/* True if unit N supports P from below at X. */
static bool supports(const hn_polytope *p, const double n[3], const double x[3])
{
  return hn_polytope_lowest(p, n) >= vec_dot(n, x) - hn_normal_rounding * p->size;
}

static bool is_within(double along, double length)
{
  return along >= -hn_side_tolerance * length && along <= (1.0 + hn_side_tolerance) * length;
}

/* Computes the unit normal N, upwards, of edge E and a direction G; false if they are parallel. */
static bool common_normal(const hn_field_edge *e, const double g[3], double n[3])
{
  vec_cross(n, e->d, g);
  const double length = vec_norm(n);
  if (!(length > hn_sin_parallel * vec_norm(g))) return false;
  const bool down = fabs(n[1]) > hn_normal_rounding * length ? n[1] < 0.0 : vec_dot(n, e->out[0]) < 0.0;
  vec_scale(n, (down ? -1.0 : 1.0) / length, n);
  return true;
}

/* Adds the crossing of edge E with edge K of P, along their common normal. */
static void add_crossing(hn_field_pair *pair, const hn_field_edge *e, const hn_polytope *p, int k)
{
  const double *from = p->vertex[p->edge[4 * k]];
  double g[3], n[3], span[3], x[3], y[3];
  vec_sub(g, p->vertex[p->edge[4 * k + 1]], from);
  if (!common_normal(e, g, n) || !hn_field_edge_has(e, n, hn_sin_level_edge)) return;
  vec_sub(span, from, e->p);
  const double gg = vec_dot(g, g), dg = vec_dot(e->d, g), ds = vec_dot(e->d, span), gs = vec_dot(g, span),
               square = gg - dg * dg, along = (ds * gg - gs * dg) / square,
               fraction = (ds * dg - gs) / square;
  if (!is_within(along, e->length) || !is_within(fraction, 1.0) || !edge_supports(p, k, g, n)) return;
  vec_along(x, e->p, along, e->d), vec_along(y, from, fraction, g);
  hn_field_add_point(pair, x, y, n, p->skin, p->skin > 0.0, hn_feature(HN_EDGE_EDGE, e->number, k));
}

/* Computes the unit normal N from X to Y; false if they are too near. */
static bool from_to(const hn_polytope *p, const double x[3], const double y[3], double n[3])
{
  vec_sub(n, y, x);
  const double distance = vec_norm(n);
  vec_scale(n, 1.0 / distance, n);
  return distance > hn_normal_rounding * p->size;
}

/* Adds corner K of P before the inside of edge E. */
static void add_corner_at_edge(hn_field_pair *pair, const hn_field_edge *e, const hn_polytope *p, int k)
{
  double span[3], x[3], n[3];
  vec_sub(span, p->vertex[k], e->p);
  const double along = vec_dot(span, e->d);
  if (!is_within(along, e->length)) return;
  vec_along(x, e->p, along, e->d);
  if (from_to(p, x, p->vertex[k], n) && hn_field_edge_has(e, n, hn_normal_rounding) &&
      supports(p, n, p->vertex[k]))
    hn_field_add_point(pair, x, p->vertex[k], n, p->skin, p->skin > 0.0,
                       hn_feature(HN_EDGE_VERTEX, e->number, k));
}

static void add_edge(hn_field_pair *pair, const hn_field_edge *e, const void *body)
{
  const hn_polytope *p = body;
  for (int k = 0; k < p->nedge; k++) add_crossing(pair, e, p, k);
  for (int k = 0; k < p->nvertex; k++) add_corner_at_edge(pair, e, p, k);
}

/* Returns the height of X above the face of P, other than FACE, that is farthest below it. */
static double highest_above(const hn_polytope *p, int face, const double x[3])
{
  double highest = -HUGE_VAL;
  for (int f = 0; f < p->nface; f++)
    if (f != face) highest = fmax(highest, vec_dot(p->normal[f], x) - p->offset[f]);
  return highest;
}

/* Adds vertex V below the face of P with the least overlap among those it faces. */
static void add_face(hn_field_pair *pair, const hn_field_vertex *v, const hn_polytope *p)
{
  double best = -HUGE_VAL, n[3], y[3];
  int face = -1;
  for (int f = 0; f < p->nface; f++) {
    const double height = vec_dot(p->normal[f], v->p) - p->offset[f];
    if (height >= pair->margin) return;
    if (!(height > best)) continue;
    vec_scale(n, -1.0, p->normal[f]);
    vec_along(y, v->p, height > 0.0 ? height : 0.0, n);
    if (highest_above(p, f, y) <= hn_side_tolerance * p->size && hn_field_vertex_has(v, n, hn_sin_level_edge))
      best = height, face = f;
  }
  if (face < 0) return;
  vec_scale(n, -1.0, p->normal[face]);
  vec_along(y, v->p, best, n);
  hn_field_add_point(pair, v->p, y, n, p->skin, true, hn_feature(HN_VERTEX_FACE, v->number, face));
}

/* Adds Y, of feature KIND and NUMBER of P, before vertex V. */
static void add_at_vertex(hn_field_pair *pair, const hn_field_vertex *v, const hn_polytope *p,
                          const double y[3], hn_touch_kind kind, int number)
{
  double n[3];
  if (from_to(p, v->p, y, n) && hn_field_vertex_has(v, n, hn_normal_rounding) && supports(p, n, y))
    hn_field_add_point(pair, v->p, y, n, p->skin, p->skin > 0.0, hn_feature(kind, v->number, number));
}

static void add_vertex(hn_field_pair *pair, const hn_field_vertex *v, const void *body)
{
  const hn_polytope *p = body;
  double span[3], y[3];
  bool beyond;
  add_face(pair, v, p);
  for (int k = 0; k < p->nvertex; k++) add_at_vertex(pair, v, p, p->vertex[k], HN_VERTEX_VERTEX, k);
  for (int k = 0; k < p->nedge; k++) {
    const double fraction = hn_nearest_on_edge(p, p->edge + 4 * k, v->p, &beyond, span);
    vec_add(y, v->p, span);
    if (fraction > 0.0 && fraction < 1.0) add_at_vertex(pair, v, p, y, HN_VERTEX_EDGE, k);
  }
}

void hn_field_polytope(hn_field_pair *pair)
{
  static const hn_field_features features = { add_edge, add_vertex };
  static const double origin[3] = { 0, 0, 0 };
  hn_polytope p;
  hn_polytope_of(&p, &pair->body, origin);
  hn_field_visit(pair, &features, &p);
}
