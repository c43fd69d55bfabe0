/* separate.c - separating axes of two polytopes (see polytope.h).
 *
 * For unit n, s(n) = min over b of n . y - max over a of n . x. Its maximum is the distance if positive, else
 * minus the penetration depth. The maximum is at the normal of a face, or at the cross product of two edges
 * whose arcs on the Gauss map cross. Only for disjoint shapes may it be elsewhere, at the line between
 * vertices and edges; then the result here is a lower bound. */
#include "collide/polytope.h"
#include "base/vec.h"

#include <string.h>

/* ---- Faces and edges --------------------------------------------------------------------------------- */

static void set_axis(hn_axis *axis, double gap, double sign, const double n[3], hn_touch_kind kind, int i,
                     int j)
{
  axis->gap = gap, axis->kind = kind, axis->i = i, axis->j = j;
  vec_scale(axis->normal, sign, n);
}

/* Bound for culling: s(n) <= n . (centre to centre) - both inner radii. */
typedef struct cull_bound {
  double span[3], length, inner, tie;
} cull_bound;

static void set_cull_bound(cull_bound *o, const hn_polytope *a, const hn_polytope *b)
{
  vec_sub(o->span, b->centre, a->centre);
  o->length = vec_norm(o->span), o->inner = a->inner + b->inner;
}

/* Tries the normals of the faces of P towards Q. Returns false if a gap exceeds MAX_GAP. */
static bool try_faces(const hn_polytope *p, const hn_polytope *q, hn_touch_kind kind, double max_gap,
                      const cull_bound *o, hn_axis *axis)
{
  double sign = kind == HN_FACE_VERTEX ? 1 : -1, tie = sign > 0 ? 0 : o->tie;
  for (int f = 0; f < p->nface; f++) {
    if (sign * vec_dot(o->span, p->normal[f]) - o->inner <= axis->gap) continue;
    double gap = hn_polytope_lowest(q, p->normal[f]) - p->offset[f];
    if (gap > axis->gap + tie) set_axis(axis, gap, sign, p->normal[f], kind, f, f);
    if (gap > max_gap) return false;
  }
  return true;
}

/* Edges of P whose normals, between those of the adjacent faces, may beat the axis: numbers and directions.
 * Such a normal is within half the arc of the nearer face normal, which is less than 0.8 of the chord. */
typedef struct edge_list {
  int count, number[HN_MAX_EDGES];
  double d[HN_MAX_EDGES][3];
} edge_list;

static void list_edges(const hn_polytope *p, double sign, const cull_bound *o, double gap, edge_list *list)
{
  list->count = 0;
  for (int i = 0; i < p->nedge; i++) {
    const int *e = p->edge + 4 * i;
    if (p->nface) {
      const double *m = p->normal[e[2]], *n = p->normal[e[3]];
      double chord[3];
      vec_sub(chord, m, n);
      double distance_along = fmax(sign * vec_dot(o->span, m), sign * vec_dot(o->span, n)) +
                              0.8 * o->length * vec_norm(chord);
      if (distance_along - o->inner <= gap) continue;
    }
    vec_sub(list->d[list->count], p->vertex[e[1]], p->vertex[e[0]]);
    list->number[list->count++] = i;
  }
}

/* True if the arc between the face normals of edge E of P crosses the great circle normal to D. */
static bool arc_crosses(const hn_polytope *p, const int *e, const double d[3])
{
  return vec_dot(p->normal[e[2]], d) * vec_dot(p->normal[e[3]], d) < 0;
}

/* True if the arc of edge E of P, with direction D, crosses the mirrored arc of edge F of Q, with direction
 * G, on the Gauss map. A polytope without faces has the whole circle as its arc. */
static bool arcs_cross(const hn_polytope *p, const int *e, const double d[3], const hn_polytope *q,
                       const int *f, const double g[3])
{
  if (p->nface && !arc_crosses(p, e, g)) return false;
  if (q->nface && !arc_crosses(q, f, d)) return false;
  if (!p->nface || !q->nface) return true;
  return vec_dot(q->normal[f[2]], d) * vec_dot(p->normal[e[3]], g) < 0; /* on the same hemisphere */
}

/* Returns the component of N along the outward direction of edge E of P; 0 if it has no faces. */
static double outward(const hn_polytope *p, const int *e, const double n[3])
{
  return p->nface ? vec_dot(n, p->normal[e[2]]) + vec_dot(n, p->normal[e[3]]) : 0.0;
}

static void try_edge_pair(const hn_polytope *a, int i, const double d[3], const hn_polytope *b, int j,
                          const double g[3], double tie, hn_axis *axis)
{
  const int *e = a->edge + 4 * i, *f = b->edge + 4 * j;
  double n[3], span[3];
  vec_cross(n, d, g);
  double sine = vec_norm(n);
  if (!(sine > hn_sin_parallel * vec_norm(d) * vec_norm(g))) return;
  double out = outward(a, e, n) - outward(b, f, n);
  vec_scale(n, (out < 0 ? -1 : 1) / sine, n);
  vec_sub(span, b->vertex[f[0]], a->vertex[e[0]]);
  double gap = vec_dot(n, span);
  if (gap > axis->gap + tie) set_axis(axis, gap, 1, n, HN_EDGE_EDGE, i, j);
}

static void try_edges(const hn_polytope *a, const hn_polytope *b, const cull_bound *o, hn_axis *axis)
{
  edge_list p, q;
  list_edges(a, 1, o, axis->gap, &p);
  list_edges(b, -1, o, axis->gap, &q);
  for (int i = 0; i < p.count; i++)
    for (int j = 0; j < q.count; j++)
      if (arcs_cross(a, a->edge + 4 * p.number[i], p.d[i], b, b->edge + 4 * q.number[j], q.d[j]))
        try_edge_pair(a, p.number[i], p.d[i], b, q.number[j], q.d[j], o->tie, axis);
}

bool hn_separate(const hn_polytope *a, const hn_polytope *b, double max_gap, hn_axis *axis)
{
  cull_bound o = { .tie = hn_tie_tolerance * (a->size + b->size) };
  set_cull_bound(&o, a, b);
  axis->gap = -HUGE_VAL;
  if (!try_faces(a, b, HN_FACE_VERTEX, max_gap, &o, axis)) return false;
  if (!try_faces(b, a, HN_VERTEX_FACE, max_gap, &o, axis)) return false;
  try_edges(a, b, &o, axis);
  return axis->gap <= max_gap;
}

/* ---- Two boxes --------------------------------------------------------------------------------------- */

typedef struct box_pair {
  const hn_placed_shape *a, *b;
  double l[3], m[3];           /* half edge lengths of a and b */
  double C[3][3], abs_C[3][3]; /* scalar products of their axes */
  double t[3], u[3];           /* from a to b, in the axes of a and of b */
} box_pair;

static void set_box_pair(box_pair *p, const hn_placed_shape *a, const hn_placed_shape *b)
{
  double d[3];
  p->a = a, p->b = b;
  vec_sub(d, b->x, a->x);
  mat_tvec(p->t, a->R, d);
  mat_tvec(p->u, b->R, d);
  for (int i = 0; i < 3; i++) {
    p->l[i] = 0.5 * a->shape->size[i], p->m[i] = 0.5 * b->shape->size[i];
    for (int j = 0; j < 3; j++) {
      p->C[i][j] = a->R[i] * b->R[j] + a->R[3 + i] * b->R[3 + j] + a->R[6 + i] * b->R[6 + j];
      p->abs_C[i][j] = fabs(p->C[i][j]);
    }
  }
}

/* Copies column I of R. */
static void column(double out[3], const double R[9], int i)
{
  vec_set(out, R[i], R[3 + i], R[6 + i]);
}

static void set_box_face(hn_axis *axis, double gap, const double R[9], int i, bool positive,
                         hn_touch_kind kind)
{
  double n[3];
  int face = 2 * i + (kind == HN_FACE_VERTEX ? positive : !positive);
  column(n, R, i);
  set_axis(axis, gap, positive ? 1 : -1, n, kind, face, face);
}

/* Returns the edge of a box along axis I that is farthest along N. */
static int farthest_edge(const double R[9], int i, const double n[3])
{
  int number = 4 * i;
  for (int k = 0; k < 2; k++) {
    int c = (i + 1 + k) % 3;
    if (n[0] * R[c] + n[1] * R[3 + c] + n[2] * R[6 + c] > 0) number += 1 << k;
  }
  return number;
}

static void set_box_edges(const box_pair *p, int i, int j, double gap, double sign, double length,
                          hn_axis *axis)
{
  double d[3], g[3], n[3], back[3];
  column(d, p->a->R, i);
  column(g, p->b->R, j);
  vec_cross(n, d, g);
  vec_scale(n, sign / length, n);
  vec_scale(back, -1, n);
  set_axis(axis, gap, 1, n, HN_EDGE_EDGE, farthest_edge(p->a->R, i, n), farthest_edge(p->b->R, j, back));
}

/* Tries the nine edge pairs: all edges along axis I of a and J of b have the normal a_i x b_j. */
static bool try_box_edges(const box_pair *p, double max_gap, double tie, hn_axis *axis)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      double x = p->C[i1][j], y = p->C[i2][j], square = x * x + y * y;
      if (!(square > hn_sin_parallel * hn_sin_parallel)) continue;
      double length = sqrt(square), along = p->t[i2] * x - p->t[i1] * y;
      double reach = p->l[i1] * p->abs_C[i2][j] + p->l[i2] * p->abs_C[i1][j] + p->m[j1] * p->abs_C[i][j2] +
                     p->m[j2] * p->abs_C[i][j1];
      double gap = (fabs(along) - reach) / length;
      if (gap > axis->gap + tie) set_box_edges(p, i, j, gap, along < 0 ? -1 : 1, length, axis);
      if (gap > max_gap) return false;
    }
  return true;
}

bool hn_separate_boxes(const hn_placed_shape *a, const hn_placed_shape *b, double max_gap, hn_axis *axis)
{
  box_pair p;
  set_box_pair(&p, a, b);
  double tie = hn_tie_tolerance * (p.l[0] + p.l[1] + p.l[2] + p.m[0] + p.m[1] + p.m[2]), best = -HUGE_VAL;
  int face = -1;
  for (int i = 0; i < 3; i++) {
    const double *c = p.abs_C[i];
    double gap = fabs(p.t[i]) - p.l[i] - c[0] * p.m[0] - c[1] * p.m[1] - c[2] * p.m[2];
    if (gap > best) best = gap, face = i;
    if (gap > max_gap) return false;
  }
  for (int j = 0; j < 3; j++) {
    double gap = fabs(p.u[j]) - p.m[j] - p.abs_C[0][j] * p.l[0] - p.abs_C[1][j] * p.l[1] -
                 p.abs_C[2][j] * p.l[2];
    if (gap > best + tie) best = gap, face = 3 + j;
    if (gap > max_gap) return false;
  }
  if (face < 3) set_box_face(axis, best, a->R, face, !(p.t[face] < 0), HN_FACE_VERTEX);
  else set_box_face(axis, best, b->R, face - 3, !(p.u[face - 3] < 0), HN_VERTEX_FACE);
  return try_box_edges(&p, max_gap, tie, axis);
}

/* ---- Corners and edges of disjoint polytopes --------------------------------------------------------- */

double hn_nearest_on_edge(const hn_polytope *q, const int *e, const double x[3], bool *beyond, double span[3])
{
  double d[3], to[3];
  vec_sub(d, q->vertex[e[1]], q->vertex[e[0]]);
  vec_sub(to, x, q->vertex[e[0]]);
  double fraction = vec_dot(to, d) / vec_dot(d, d);
  *beyond = fraction < -hn_side_tolerance || fraction > 1 + hn_side_tolerance;
  fraction = fraction > 1 - hn_side_tolerance ? 1 : fraction < hn_side_tolerance ? 0 : fraction;
  for (int i = 0; i < 3; i++) span[i] = fraction == 1 ? q->vertex[e[1]][i] - x[i] : fraction * d[i] - to[i];
  return fraction;
}

void hn_name_corner(hn_axis *axis, const hn_polytope *q, int i, int j, double fraction, bool swapped)
{
  bool inside = fraction > 0 && fraction < 1;
  int other = inside ? j : q->edge[4 * j + (fraction == 1)];
  axis->kind = !inside ? HN_VERTEX_VERTEX : swapped ? HN_EDGE_VERTEX : HN_VERTEX_EDGE;
  axis->i = swapped ? other : i, axis->j = swapped ? i : other;
}

/* Culling of vertices: a nearer pair must have its vertices above `bound` along n, less the slack. */
typedef struct shell {
  /* m; below this distance the line between two points does not define an axis */
  double n[3], bound, gap_bound, min_length;
} shell;

static bool in_shell(const shell *s, double sign, const double *x, double slack)
{
  return sign * vec_dot(s->n, x) >= s->bound - slack;
}

/* Tries the vertices of P against the edges of Q; replaces AXIS by a nearer pair. */
static void try_vertices(const hn_polytope *p, const hn_polytope *q, bool swapped, const shell *sp,
                         const shell *sq, hn_axis *axis)
{
  double toward = swapped ? -1 : 1, span[3];
  bool beyond;
  for (int j = 0; j < q->nedge; j++) {
    const int *e = q->edge + 4 * j;
    double slack = axis->gap - sp->gap_bound;
    if (!in_shell(sq, -toward, q->vertex[e[0]], slack) && !in_shell(sq, -toward, q->vertex[e[1]], slack))
      continue;
    for (int i = 0; i < p->nvertex; i++) {
      if (!in_shell(sp, toward, p->vertex[i], slack)) continue;
      double fraction = hn_nearest_on_edge(q, e, p->vertex[i], &beyond, span), distance = vec_norm(span);
      if (!(distance < axis->gap)) continue;
      axis->gap = distance;
      if (distance > sp->min_length) vec_scale(axis->normal, toward / distance, span);
      hn_name_corner(axis, q, i, j, fraction, swapped);
    }
  }
}

bool hn_nearest_corners(const hn_polytope *a, const hn_polytope *b, double max_gap, hn_axis *axis)
{
  double back[3], min_length = hn_tie_tolerance * (a->size + b->size);
  shell sa = { .gap_bound = axis->gap - min_length, .min_length = min_length }, sb = sa;
  vec_scale(back, -1, axis->normal);
  vec_copy(sa.n, axis->normal);
  vec_copy(sb.n, axis->normal);
  sa.bound = -hn_polytope_lowest(a, back), sb.bound = -hn_polytope_lowest(b, axis->normal);
  axis->gap = max_gap;
  axis->kind = HN_RIM_POINT;
  try_vertices(a, b, false, &sa, &sb, axis);
  try_vertices(b, a, true, &sb, &sa, axis);
  return axis->kind != HN_RIM_POINT;
}
