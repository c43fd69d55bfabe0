/* clip.c - the manifold of two polytopes along an axis (see polytope.h).
 *
 * The reference face is a face of one polytope along the axis. The face or edge of the other polytope nearest
 * to it is clipped by the planes through the sides of the reference face, along the axis. [Sutherland and
 * Hodgman, Commun. ACM 17 (1974) 32] Each point remembers its origin: a corner of the clipped face, a corner
 * of the reference face, or a crossing of two edges. */
#include "collide/polytope.h"
#include "base/vec.h"

#include <string.h>

/* Relative to the size: a manifold whose least gap equals that of the axis within this is complete. It
 * exceeds the tie tolerance of separate.c. */
static const double agreement = 1e-11;
/* Least cosine between the axis and the clipped plane for a projection along the axis: error grows as its
 * inverse. */
static const double min_slope = 0.1;

typedef struct clip_point {
  double x[3];
  /* HN_FACE_VERTEX: corner j of the clipped face; HN_VERTEX_FACE: corner i of the reference face;
   * HN_EDGE_EDGE */
  hn_touch_kind kind;
  int i, j;
  int next; /* edge to the next point: of the clipped face, or -1 - k for side k of the reference face */
} clip_point;

/* The polygon being clipped. */
typedef struct clip {
  const hn_polytope *reference, *clipped; /* the reference and the other polytope */
  int face, clipped_face;                 /* -1: an edge or a vertex */
  const double *n;                        /* normal of the reference face */
  int count;
  clip_point *point, buffer[2][2 * HN_MAX_CORNERS + 2];
} clip;

static void start_clip(clip *c)
{
  const hn_polytope *p = c->clipped;
  c->point = c->buffer[0];
  c->clipped_face = hn_polytope_face_against(p, c->n);
  int start = c->clipped_face < 0 ? 0 : p->face_start[c->clipped_face];
  c->count = c->clipped_face < 0 ? p->nvertex : p->face_start[c->clipped_face + 1] - start;
  for (int k = 0; k < c->count; k++) {
    clip_point *point = &c->point[k];
    int corner = c->clipped_face < 0 ? k : p->face_vertex[start + k];
    vec_copy(point->x, p->vertex[corner]);
    point->kind = HN_FACE_VERTEX, point->i = c->face, point->j = corner;
    point->next = c->clipped_face < 0 ? 0 : p->face_edge[start + k];
  }
}

/* ---- Cutting ----------------------------------------------------------------------------------------- */

/* Computes the crossing of sides K and L of the reference face: for neighbours their corner, projected along
 * the axis onto the clipped plane. Other crossings will be clipped away, unless they are neighbours to
 * rounding. */
static void set_corner_crossing(const clip *c, int k, int l, clip_point *point)
{
  const hn_polytope *p = c->reference, *q = c->clipped;
  int start = p->face_start[c->face], n = p->face_start[c->face + 1] - start;
  bool follows = (k + 1) % n == l;
  int corner = p->face_vertex[start + (follows ? l : k)];
  const double *m = q->normal[c->clipped_face], *x = p->vertex[corner];
  double slope = vec_dot(m, c->n);
  point->kind = HN_VERTEX_FACE, point->i = corner, point->j = c->clipped_face;
  if (fabs(slope) < min_slope || !(follows || (l + 1) % n == k)) return;
  double height = (q->offset[c->clipped_face] - vec_dot(m, x)) / slope;
  vec_along(point->x, x, height, c->n);
}

/* Computes the crossing of side K with the edge from P to Q, which are D and E beyond it. */
static void set_side_crossing(const clip *c, int k, const clip_point *p, const clip_point *q, double d,
                              double e, clip_point *point)
{
  int start = c->reference->face_start[c->face];
  for (int i = 0; i < 3; i++) point->x[i] = p->x[i] + d / (d - e) * (q->x[i] - p->x[i]);
  point->next = d < 0 ? -1 - k : p->next;
  point->kind = HN_EDGE_EDGE, point->i = c->reference->face_edge[start + k], point->j = p->next;
  if (p->next < 0) set_corner_crossing(c, -1 - p->next, k, point);
}

/* Makes the edges of the clipped face that lie on a side of the reference face parts of that side. A corner
 * of the reference face on such an edge then remains a corner, and is no crossing of edges. */
static void join_sides(clip *c, int sides, double on_side)
{
  for (int k = 0; k < sides && c->clipped_face >= 0; k++) {
    double out[3];
    const double at = vec_dot(out, hn_polytope_side(c->reference, c->face, k, out));
    bool last = fabs(vec_dot(out, c->point[0].x) - at) <= on_side;
    for (int i = c->count; i-- > 0;) {
      const bool lies = fabs(vec_dot(out, c->point[i].x) - at) <= on_side;
      if (lies && last) c->point[i].next = -1 - k;
      last = lies;
    }
  }
}

/* Clips away the part beyond side K. */
static void cut_side(clip *c, int k, double on_side)
{
  double out[3], beyond[2 * HN_MAX_CORNERS + 2];
  const double at = vec_dot(out, hn_polytope_side(c->reference, c->face, k, out));
  bool any = false;
  for (int i = 0; i < c->count; i++) {
    beyond[i] = vec_dot(out, c->point[i].x) - at;
    any |= beyond[i] > on_side;
  }
  if (!any) return;
  const clip_point *old = c->point;
  int count = c->count;
  c->point = c->buffer[old == c->buffer[0]];
  c->count = 0;
  for (int i = 0; i < count; i++) {
    int j = i + 1 < count ? i + 1 : 0;
    double d = beyond[i], e = beyond[j];
    bool edge = count > 2 || j > i;
    if (d <= on_side) {
      c->point[c->count] = old[i];
      if (e > on_side && d >= -on_side && edge) c->point[c->count].next = -1 - k;
      c->count++;
    }
    if (edge && ((d < -on_side && e > on_side) || (d > on_side && e < -on_side)))
      set_side_crossing(c, k, &old[i], &old[j], d, e, &c->point[c->count++]);
  }
}

/* Clips the nearest feature of CLIPPED by face FACE of REFERENCE. */
static void clip_on_face(clip *c, const hn_polytope *reference, int face, const hn_polytope *clipped)
{
  c->reference = reference, c->face = face, c->clipped = clipped, c->n = reference->normal[face];
  start_clip(c);
  int sides = reference->face_start[face + 1] - reference->face_start[face];
  double on_side = hn_side_tolerance * reference->size;
  join_sides(c, sides, on_side);
  for (int k = 0; k < sides && c->count > 0; k++) cut_side(c, k, on_side);
}

/* ---- The manifold ------------------------------------------------------------------------------------ */

/* Adds the points on face FACE of a, or of b; true if the manifold is complete for an axis with that gap. If
 * both faces are parallel, a corner of the reference face takes the normal of the clipped face: that face
 * turns about the corner, and only its own normal makes the gap consistent with its rate. */
static bool add_face(const hn_polytope_pair *p, bool on_b, int face, double gap)
{
  clip c;
  double least_gap = HUGE_VAL;
  clip_on_face(&c, on_b ? p->b : p->a, face, on_b ? p->a : p->b);
  const bool level = c.clipped_face >= 0 && vec_dot(c.clipped->normal[c.clipped_face], c.n) < -hn_cos_aligned;
  for (int k = 0; k < c.count; k++) {
    const clip_point *q = &c.point[k];
    bool swap = on_b && q->kind != HN_EDGE_EDGE;
    hn_touch_kind kind = swap ? HN_FACE_VERTEX + HN_VERTEX_FACE - q->kind : q->kind;
    uint64_t feature = on_b ? hn_feature(kind, q->j, q->i) : hn_feature(kind, q->i, q->j);
    least_gap = fmin(least_gap, vec_dot(c.n, q->x) - c.reference->offset[face]);
    if (level && q->kind == HN_VERTEX_FACE)
      hn_polytope_add_above(p, !on_b, q->j, c.reference->vertex[q->i], feature);
    else hn_polytope_add_above(p, on_b, face, q->x, feature);
  }
  return fabs(least_gap - gap) <= agreement * (p->a->size + p->b->size);
}

/* Adds the points of a face along the axis, of the first shape or the second. True if the manifold is
 * complete. */
static bool add_aligned(const hn_polytope_pair *p, const hn_axis *axis)
{
  for (int k = 0; k < 2; k++) {
    int axis_face = axis->kind == (k ? HN_VERTEX_FACE : HN_FACE_VERTEX) ? axis->i : -1;
    int face = axis_face >= 0 ? axis_face : hn_polytope_face_along(k ? p->b : p->a, axis->normal, k ? -1 : 1);
    if (face < 0) continue;
    p->out->count = 0;
    if (add_face(p, k, face, axis->gap)) return true;
  }
  return false;
}

/* Computes where the common normal of edges I and J meets them: fractions of the edges, and the points X and
 * Y, clamped to the ends. Edges that overlap cross within them, except by rounding if they are almost
 * parallel. */
static void crossing(const hn_polytope_pair *p, int i, int j, double x[3], double y[3], double fraction[2])
{
  const int *e = p->a->edge + 4 * i, *f = p->b->edge + 4 * j;
  double d[3], g[3], span[3];
  vec_sub(d, p->a->vertex[e[1]], p->a->vertex[e[0]]);
  vec_sub(g, p->b->vertex[f[1]], p->b->vertex[f[0]]);
  vec_sub(span, p->b->vertex[f[0]], p->a->vertex[e[0]]);
  double dd = vec_dot(d, d), gg = vec_dot(g, g), dg = vec_dot(d, g), ds = vec_dot(d, span),
         gs = vec_dot(g, span);
  double n[3];
  vec_cross(n, d, g);
  double square = vec_dot(n, n);
  fraction[0] = (ds * gg - gs * dg) / square, fraction[1] = (ds * dg - gs * dd) / square;
  vec_along(x, p->a->vertex[e[0]], fmax(0, fmin(1, fraction[0])), d);
  vec_along(y, p->b->vertex[f[0]], fmax(0, fmin(1, fraction[1])), g);
}

/* Removes the points with FEATURE, to be replaced by a better one. */
static void remove_feature(hn_manifold *out, uint64_t feature)
{
  for (int k = 0; k < out->count; k++)
    if (out->point[k].feature == feature) out->point[k--] = out->point[--out->count];
}

/* Adds the crossing of the two edges of the axis; false if disjoint edges cross beyond their ends. */
static bool add_crossing(const hn_polytope_pair *p, const hn_axis *axis)
{
  double x[3], y[3], fraction[2];
  uint64_t feature = hn_feature(HN_EDGE_EDGE, axis->i, axis->j);
  crossing(p, axis->i, axis->j, x, y, fraction);
  for (int k = 0; k < 2; k++)
    if (axis->gap > 0 && !(fraction[k] >= -hn_side_tolerance && fraction[k] <= 1 + hn_side_tolerance))
      return false;
  remove_feature(p->out, feature);
  hn_manifold_add_free(p->out, p->origin, x, y, axis->normal, p->a->skin, p->b->skin, feature);
  return true;
}

/* ---- Corners ----------------------------------------------------------------------------------------- */

/* Computes Y, the vertex or the nearest point to X of the edge with NUMBER. */
static void corner_or_foot(const hn_polytope *p, bool corner, int number, const double x[3], double y[3])
{
  double span[3];
  bool beyond;
  if (corner) {
    vec_copy(y, p->vertex[number]);
  } else {
    hn_nearest_on_edge(p, p->edge + 4 * number, x, &beyond, span);
    vec_add(y, x, span);
  }
}

/* Adds the nearest vertex pair or vertex and edge of the axis. */
static void add_corner(const hn_polytope_pair *p, const hn_axis *axis)
{
  double x[3], y[3];
  uint64_t feature = hn_feature(axis->kind, axis->i, axis->j);
  if (axis->kind == HN_EDGE_VERTEX) {
    vec_copy(y, p->b->vertex[axis->j]);
    corner_or_foot(p->a, false, axis->i, y, x);
  } else {
    vec_copy(x, p->a->vertex[axis->i]);
    corner_or_foot(p->b, axis->kind == HN_VERTEX_VERTEX, axis->j, x, y);
  }
  remove_feature(p->out, feature);
  hn_manifold_add_free(p->out, p->origin, x, y, axis->normal, p->a->skin, p->b->skin, feature);
}

/* Adds vertex I of one polytope with edge J of the other if they are near in the direction of AXIS. */
static void try_beside(const hn_polytope_pair *p, bool swapped, int i, int j, const hn_axis *axis)
{
  const hn_polytope *vertex_owner = swapped ? p->b : p->a, *edge_owner = swapped ? p->a : p->b;
  double span[3];
  bool beyond;
  double fraction = hn_nearest_on_edge(edge_owner, edge_owner->edge + 4 * j, vertex_owner->vertex[i], &beyond,
                                       span);
  hn_axis other = *axis;
  other.gap = vec_norm(span);
  if (beyond || !(other.gap - p->a->skin - p->b->skin < p->margin)) return;
  if (!((swapped ? -1 : 1) * vec_dot(span, axis->normal) > hn_cos_aligned * other.gap)) return;
  vec_scale(other.normal, (swapped ? -1 : 1) / other.gap, span);
  hn_name_corner(&other, edge_owner, i, j, fraction, swapped);
  add_corner(p, &other);
}

static bool belongs_to_edge(const int *e, bool corner, int number, int j)
{
  return corner ? e[0] == number || e[1] == number : j == number;
}

/* Adds the ends of the overlap of edges that are parallel within hn_cos_aligned. */
static void add_parallel(const hn_polytope_pair *p, const hn_axis *axis)
{
  bool at_a = axis->kind != HN_EDGE_VERTEX, at_b = axis->kind != HN_VERTEX_EDGE;
  for (int i = 0; i < p->a->nedge; i++) {
    const int *e = p->a->edge + 4 * i;
    for (int j = 0; belongs_to_edge(e, at_a, axis->i, i) && j < p->b->nedge; j++) {
      const int *f = p->b->edge + 4 * j;
      double d[3], g[3];
      if (!belongs_to_edge(f, at_b, axis->j, j)) continue;
      vec_sub(d, p->a->vertex[e[1]], p->a->vertex[e[0]]);
      vec_sub(g, p->b->vertex[f[1]], p->b->vertex[f[0]]);
      if (!(fabs(vec_dot(d, g)) > hn_cos_aligned * vec_norm(d) * vec_norm(g))) continue;
      for (int k = 0; k < 2; k++) try_beside(p, false, e[k], j, axis);
      for (int k = 0; k < 2; k++) try_beside(p, true, f[k], i, axis);
    }
  }
}

void hn_polytope_points(const hn_polytope *a, const hn_polytope *b, const double origin[3], double margin,
                        hn_axis *axis, hn_manifold *out)
{
  const hn_polytope_pair p = { a, b, origin, margin, out };
  const double max_gap = margin + a->skin + b->skin;
  bool face = axis->kind == HN_FACE_VERTEX || axis->kind == HN_VERTEX_FACE;
  if (add_aligned(&p, axis)) return;
  if (face && axis->gap <= 0) return;
  if (!face && add_crossing(&p, axis)) return;
  out->count = 0;
  if (!hn_nearest_corners(a, b, max_gap, axis)) return;
  if (add_aligned(&p, axis)) return;
  add_corner(&p, axis);
  add_parallel(&p, axis);
}

void hn_polytope_points_along(const hn_polytope *a, const hn_polytope *b, const double origin[3], bool on_b,
                              const double normal[3], double margin, hn_manifold *out)
{
  const hn_polytope_pair p = { a, b, origin, margin, out };
  for (int k = 0; k < 2; k++) {
    const bool side = on_b != (k == 1);
    const int face = hn_polytope_face_along(side ? b : a, normal, side ? -1 : 1);
    if (face < 0) continue;
    add_face(&p, side, face, 0.0);
    return;
  }
}
