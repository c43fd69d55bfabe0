/* planar_pairs.c - contact points of circles and polygons in the plane z = 0. */
#include "base/vec.h"
#include "collide/hull.h"
#include "collide/pairs.h"
#include "collide/polytope.h"

/* Returns the side of Q with the largest height of X above it; stores that height. */
static int side_of(const hn_polytope *q, const double x[3], double *height)
{
  int side = 0;
  *height = -HUGE_VAL;
  for (int f = 0; f < q->nface; f++) {
    double beyond = vec_dot(q->normal[f], x) - q->offset[f];
    if (beyond > *height) *height = beyond, side = f;
  }
  return side;
}

/* Returns the coordinate of X along side F of Q, from its first corner; stores the length of the side. */
static double along_side(const hn_polytope *q, int f, const double x[3], double *length)
{
  const double *from = q->vertex[q->face_vertex[2 * f]], *to = q->vertex[q->face_vertex[2 * f + 1]];
  double d[3], r[3];
  vec_sub(d, to, from);
  vec_sub(r, x, from);
  *length = vec_norm(d);
  return vec_dot(r, d) / *length;
}

/* Returns the corner of Q nearest to X. */
static int nearest_corner(const hn_polytope *q, const double x[3], double *distance)
{
  int corner = 0;
  *distance = HUGE_VAL;
  for (int i = 0; i < q->nvertex; i++) {
    double span[3];
    vec_sub(span, q->vertex[i], x);
    if (vec_norm(span) < *distance) *distance = vec_norm(span), corner = i;
  }
  return corner;
}

void hn_collide_circle_polygon(const hn_placed_shape *a, const hn_placed_shape *b, double margin,
                               hn_manifold *out)
{
  hn_polytope q;
  double height, length, n[3], y[3], r = a->shape->size[0];
  const double centre[3] = { 0, 0, 0 };
  hn_polytope_of(&q, b, a->x);
  int side = side_of(&q, centre, &height);
  double along = along_side(&q, side, centre, &length);
  if (height <= 0 || (along >= 0 && along <= length)) {
    if (!(height - r < margin)) return;
    vec_scale(n, -1, q.normal[side]);
    vec_scale(y, -height, q.normal[side]);
    hn_manifold_add(out, a->x, centre, y, n, r, 0, true, hn_feature(HN_VERTEX_FACE, 0, side));
    return;
  }
  int corner = nearest_corner(&q, centre, &height);
  if (!(height - r < margin)) return;
  vec_scale(n, 1 / height, q.vertex[corner]);
  hn_manifold_add_free(out, a->x, centre, q.vertex[corner], n, r, 0, hn_feature(HN_VERTEX_VERTEX, 0, corner));
}

/* ---- Two polygons ------------------------------------------------------------------------------------ */

/* Returns the side of P along whose normal the gap to Q is largest, if it exceeds BEST by more than TIE; -1
 * if none does. Updates BEST. */
static int farthest_side(const hn_polytope *p, const hn_polytope *q, double tie, double *best)
{
  int side = -1;
  for (int f = 0; f < p->nface; f++) {
    const double gap = hn_polytope_lowest(q, p->normal[f]) - p->offset[f];
    if (gap > *best + tie) *best = gap, side = f;
  }
  return side;
}

/* Adds point X of the other polygon above side F. The feature numbers: J of the other polygon, I of the one
 * with F. OWN_CORNER: I is a corner and J a side, else the reverse. */
static void add_above(const hn_polytope_pair *p, bool on_b, int f, const double x[3], bool own_corner, int i,
                      int j)
{
  hn_touch_kind kind = own_corner != on_b ? HN_VERTEX_FACE : HN_FACE_VERTEX;
  hn_polytope_add_above(p, on_b, f, x, on_b ? hn_feature(kind, j, i) : hn_feature(kind, i, j));
}

/* Adds corner K of side F below point X on side G of the other polygon. If the sides are parallel, the normal
 * is that of G: G turns about the corner, and only its own normal makes the gap consistent with its rate. */
static void add_below(const hn_polytope_pair *p, bool on_b, int f, int k, int g, const double x[3])
{
  const hn_polytope *reference = on_b ? p->b : p->a, *opposite = on_b ? p->a : p->b;
  const int corner = reference->face_vertex[2 * f + k];
  if (vec_dot(reference->normal[f], opposite->normal[g]) < -hn_cos_aligned)
    add_above(p, !on_b, g, reference->vertex[corner], false, g, corner);
  else add_above(p, on_b, f, x, true, corner, g);
}

/* Adds the overlap of side F with the nearest side of the other polygon; returns the least height. */
static double add_side(const hn_polytope_pair *p, bool on_b, int f)
{
  const hn_polytope *reference = on_b ? p->b : p->a, *opposite = on_b ? p->a : p->b;
  int g = hn_polytope_face_against(opposite, reference->normal[f]);
  const int *end = opposite->face_vertex + 2 * g;
  const double *x = opposite->vertex[end[0]], *y = opposite->vertex[end[1]];
  double length, s = along_side(reference, f, x, &length), t = along_side(reference, f, y, &length),
                 lowest_height = HUGE_VAL;
  double tolerance = hn_side_tolerance * reference->size;
  for (int k = 0; k < 2; k++) {
    const double at = k ? t : s, *corner = k ? y : x;
    if (!(at >= -tolerance && at <= length + tolerance)) continue;
    add_above(p, on_b, f, corner, false, f, end[k]);
    lowest_height = fmin(lowest_height, vec_dot(reference->normal[f], corner) - reference->offset[f]);
  }
  for (int k = 0; k < 2; k++) {
    double at = k ? length : 0, d = s - at, e = t - at, point[3];
    if (!((d > tolerance && e < -tolerance) || (d < -tolerance && e > tolerance))) continue;
    for (int c = 0; c < 3; c++) point[c] = x[c] + d / (d - e) * (y[c] - x[c]);
    add_below(p, on_b, f, k, g, point);
    lowest_height = fmin(lowest_height, vec_dot(reference->normal[f], point) - reference->offset[f]);
  }
  return lowest_height;
}

/* Adds the pair of nearest corners. */
static void add_corners(const hn_polytope_pair *p)
{
  double best = HUGE_VAL, n[3];
  int i = 0, j = 0;
  for (int k = 0; k < p->a->nvertex; k++) {
    double distance;
    int corner = nearest_corner(p->b, p->a->vertex[k], &distance);
    if (distance < best) best = distance, i = k, j = corner;
  }
  if (!(best < p->margin)) return;
  vec_sub(n, p->b->vertex[j], p->a->vertex[i]);
  vec_scale(n, 1 / best, n);
  hn_manifold_add(p->out, p->origin, p->a->vertex[i], p->b->vertex[j], n, 0, 0, false,
                  hn_feature(HN_VERTEX_VERTEX, i, j));
}

/* Returns the side of P opposed to N within the tolerance hn_cos_aligned; -1: none. */
static int aligned_side(const hn_polytope *p, const double n[3])
{
  for (int f = 0; f < p->nface; f++)
    if (vec_dot(p->normal[f], n) < -hn_cos_aligned) return f;
  return -1;
}

void hn_collide_polygons(const hn_placed_shape *a, const hn_placed_shape *b, double margin, hn_manifold *out)
{
  hn_polytope p, q;
  double best = -HUGE_VAL;
  hn_polytope_of(&p, a, a->x);
  hn_polytope_of(&q, b, a->x);
  const hn_polytope_pair both = { &p, &q, a->x, margin, out };
  double tie = hn_tie_tolerance * (p.size + q.size);
  int f = farthest_side(&p, &q, 0, &best), g = farthest_side(&q, &p, tie, &best);
  if (!(best < margin)) return;
  int along = g >= 0 ? aligned_side(&p, q.normal[g]) : f;
  if (along >= 0 && fabs(add_side(&both, false, along) - best) <= 4 * tie) return;
  if (g >= 0) {
    out->count = 0;
    if (fabs(add_side(&both, true, g) - best) <= 4 * tie) return;
  }
  if (best <= 0) return;
  out->count = 0;
  add_corners(&both);
}

void hn_along_polygons(const hn_placed_shape *a, const hn_placed_shape *b, bool on_b, const double normal[3],
                       double margin, hn_manifold *out)
{
  hn_polytope p, q;
  hn_polytope_of(&p, a, a->x);
  hn_polytope_of(&q, b, a->x);
  const hn_polytope_pair both = { &p, &q, a->x, margin, out };
  for (int k = 0; k < 2; k++) {
    const bool side = on_b != (k == 1);
    const int f = hn_polytope_face_along(side ? &q : &p, normal, side ? -1 : 1);
    if (f < 0) continue;
    add_side(&both, side, f);
    return;
  }
}
