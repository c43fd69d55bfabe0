/* separate.c - axes along which two polytopes are farthest apart, or overlap least (see polytope.h).
 *
 * For unit n, s(n) = min over b of n . y - max over a of n . x. Its largest value is the distance when that is
 * positive, else less the depth of penetration. It lies at the normal of a face, or of an edge pair whose arcs on the
 * Gauss map cross; only for disjoint shapes may it lie elsewhere, at the line between corners and edges, and is below s
 * then. */
#include "collide/polytope.h"
#include "base/vec.h"

#include <string.h>

static const double tie = 1e-12;     /* of the size: what is not better by more comes in second */
static const double parallel = 1e-7; /* sine between edges that have no common normal */

/* ---- Faces and edges --------------------------------------------------------------------------------------------- */

static double lowest_along(const hn_polytope *p, const double n[3])
{
  double least = vec_dot(n, p->vertex[0]);
  for (int i = 1; i < p->nvertex; i++) {
    double along = vec_dot(n, p->vertex[i]);
    if (along < least) least = along;
  }
  return least;
}

static void take_axis(hn_axis *axis, double gap, double sign, const double n[3], hn_touch_kind kind, int i,
                      int j)
{
  axis->gap = gap, axis->kind = kind, axis->i = i, axis->j = j;
  vec_scale(axis->normal, sign, n);
}

/* s(n) <= n . (from centre to centre) - both inner radii: most directions need no closer look. */
typedef struct outlook {
  double span[3], length, inner, better;
} outlook;

static void look(outlook *o, const hn_polytope *a, const hn_polytope *b)
{
  vec_sub(o->span, b->centre, a->centre);
  o->length = vec_norm(o->span), o->inner = a->inner + b->inner;
}

/* The normals of the faces of P, whose outward side points to Q. */
static bool try_faces(const hn_polytope *p, const hn_polytope *q, hn_touch_kind kind, double most,
                      const outlook *o, hn_axis *axis)
{
  double sign = kind == HN_FACE_VERTEX ? 1 : -1, better = sign > 0 ? 0 : o->better;
  for (int f = 0; f < p->nface; f++) {
    if (sign * vec_dot(o->span, p->normal[f]) - o->inner <= axis->gap) continue;
    double gap = lowest_along(q, p->normal[f]) - p->offset[f];
    if (gap > axis->gap + better) take_axis(axis, gap, sign, p->normal[f], kind, f, f);
    if (gap > most) return false;
  }
  return true;
}

/* Edges of P with a normal between those of their faces that may be better than the axis: their numbers and directions.
 * No normal is farther from the nearer of the two than half their arc, which is less than 0.8 of the chord. */
typedef struct edge_list {
  int count, number[HN_MOST_EDGES];
  double d[HN_MOST_EDGES][3];
} edge_list;

static void list_edges(const hn_polytope *p, double sign, const outlook *o, double gap, edge_list *list)
{
  list->count = 0;
  for (int i = 0; i < p->nedge; i++) {
    const int *e = p->edge + 4 * i;
    if (p->nface) {
      const double *m = p->normal[e[2]], *n = p->normal[e[3]];
      double chord[3];
      vec_sub(chord, m, n);
      double along = fmax(sign * vec_dot(o->span, m), sign * vec_dot(o->span, n)) +
                     0.8 * o->length * vec_norm(chord);
      if (along - o->inner <= gap) continue;
    }
    vec_sub(list->d[list->count], p->vertex[e[1]], p->vertex[e[0]]);
    list->number[list->count++] = i;
  }
}

/* Does the arc between the normals of edge E of P cross the great circle across D? */
static bool across(const hn_polytope *p, const int *e, const double d[3])
{
  return vec_dot(p->normal[e[2]], d) * vec_dot(p->normal[e[3]], d) < 0;
}

/* Do the arc of edge E of P, which has the direction D, and the arc of edge F of Q, mirrored, cross? The first is on
 * the great circle across D. A polytope without faces has the whole circle. */
static bool arcs_cross(const hn_polytope *p, const int *e, const double d[3], const hn_polytope *q,
                       const int *f, const double g[3])
{
  if (p->nface && !across(p, e, g)) return false;
  if (q->nface && !across(q, f, d)) return false;
  if (!p->nface || !q->nface) return true;
  return vec_dot(q->normal[f[2]], d) * vec_dot(p->normal[e[3]], g) < 0; /* on one half of the sphere */
}

/* Outward of edge E of P, or 0 when it has no faces. */
static double outward(const hn_polytope *p, const int *e, const double n[3])
{
  return p->nface ? vec_dot(n, p->normal[e[2]]) + vec_dot(n, p->normal[e[3]]) : 0.0;
}

static void try_edge_pair(const hn_polytope *a, int i, const double d[3], const hn_polytope *b, int j,
                          const double g[3], double better, hn_axis *axis)
{
  const int *e = a->edge + 4 * i, *f = b->edge + 4 * j;
  double n[3], span[3];
  vec_cross(n, d, g);
  double sine = vec_norm(n);
  if (!(sine > parallel * vec_norm(d) * vec_norm(g))) return;
  double out = outward(a, e, n) - outward(b, f, n);
  vec_scale(n, (out < 0 ? -1 : 1) / sine, n);
  vec_sub(span, b->vertex[f[0]], a->vertex[e[0]]);
  double gap = vec_dot(n, span);
  if (gap > axis->gap + better) take_axis(axis, gap, 1, n, HN_EDGE_EDGE, i, j);
}

static void try_edges(const hn_polytope *a, const hn_polytope *b, const outlook *o, hn_axis *axis)
{
  edge_list p, q;
  list_edges(a, 1, o, axis->gap, &p);
  list_edges(b, -1, o, axis->gap, &q);
  for (int i = 0; i < p.count; i++)
    for (int j = 0; j < q.count; j++)
      if (arcs_cross(a, a->edge + 4 * p.number[i], p.d[i], b, b->edge + 4 * q.number[j], q.d[j]))
        try_edge_pair(a, p.number[i], p.d[i], b, q.number[j], q.d[j], o->better, axis);
}

bool hn_separate(const hn_polytope *a, const hn_polytope *b, double most, hn_axis *axis)
{
  outlook o = { .better = tie * (a->size + b->size) };
  look(&o, a, b);
  axis->gap = -HUGE_VAL;
  if (!try_faces(a, b, HN_FACE_VERTEX, most, &o, axis)) return false;
  if (!try_faces(b, a, HN_VERTEX_FACE, most, &o, axis)) return false;
  try_edges(a, b, &o, axis);
  return axis->gap <= most;
}

/* ---- Two boxes --------------------------------------------------------------------------------------------------- */

typedef struct box_pair {
  const hn_placed *a, *b;
  double l[3], m[3];           /* half edges of a and b */
  double C[3][3], abs_C[3][3]; /* scalar products of their axes */
  double t[3], u[3];           /* from a to b, in the axes of a and of b */
} box_pair;

static void set_box_pair(box_pair *p, const hn_placed *a, const hn_placed *b)
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

/* The direction of column I of R. */
static void column(double out[3], const double R[9], int i)
{
  vec_set(out, R[i], R[3 + i], R[6 + i]);
}

static void take_box_face(hn_axis *axis, double gap, const double R[9], int i, bool positive,
                          hn_touch_kind kind)
{
  double n[3];
  int face = 2 * i + (kind == HN_FACE_VERTEX ? positive : !positive);
  column(n, R, i);
  take_axis(axis, gap, positive ? 1 : -1, n, kind, face, face);
}

/* The edge of a box along axis I that is farthest along N. */
static int farthest_edge(const double R[9], int i, const double n[3])
{
  int number = 4 * i;
  for (int k = 0; k < 2; k++) {
    int c = (i + 1 + k) % 3;
    if (n[0] * R[c] + n[1] * R[3 + c] + n[2] * R[6 + c] > 0) number += 1 << k;
  }
  return number;
}

static void take_box_edges(const box_pair *p, int i, int j, double gap, double sign, double length,
                           hn_axis *axis)
{
  double d[3], g[3], n[3], back[3];
  column(d, p->a->R, i);
  column(g, p->b->R, j);
  vec_cross(n, d, g);
  vec_scale(n, sign / length, n);
  vec_scale(back, -1, n);
  take_axis(axis, gap, 1, n, HN_EDGE_EDGE, farthest_edge(p->a->R, i, n), farthest_edge(p->b->R, j, back));
}

/* The pairs of edges; those along axis I of a and J of b all have the normal a_i x b_j. */
static bool try_box_edges(const box_pair *p, double most, double better, hn_axis *axis)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      double x = p->C[i1][j], y = p->C[i2][j], square = x * x + y * y;
      if (!(square > parallel * parallel)) continue;
      double length = sqrt(square), along = p->t[i2] * x - p->t[i1] * y;
      double reach = p->l[i1] * p->abs_C[i2][j] + p->l[i2] * p->abs_C[i1][j] + p->m[j1] * p->abs_C[i][j2] +
                     p->m[j2] * p->abs_C[i][j1];
      double gap = (fabs(along) - reach) / length;
      if (gap > axis->gap + better) take_box_edges(p, i, j, gap, along < 0 ? -1 : 1, length, axis);
      if (gap > most) return false;
    }
  return true;
}

bool hn_separate_boxes(const hn_placed *a, const hn_placed *b, double most, hn_axis *axis)
{
  box_pair p;
  set_box_pair(&p, a, b);
  double better = tie * (p.l[0] + p.l[1] + p.l[2] + p.m[0] + p.m[1] + p.m[2]), best = -HUGE_VAL;
  int face = -1;
  for (int i = 0; i < 3; i++) {
    const double *c = p.abs_C[i];
    double gap = fabs(p.t[i]) - p.l[i] - c[0] * p.m[0] - c[1] * p.m[1] - c[2] * p.m[2];
    if (gap > best) best = gap, face = i;
    if (gap > most) return false;
  }
  for (int j = 0; j < 3; j++) {
    double gap = fabs(p.u[j]) - p.m[j] - p.abs_C[0][j] * p.l[0] - p.abs_C[1][j] * p.l[1] -
                 p.abs_C[2][j] * p.l[2];
    if (gap > best + better) best = gap, face = 3 + j;
    if (gap > most) return false;
  }
  if (face < 3) take_box_face(axis, best, a->R, face, !(p.t[face] < 0), HN_FACE_VERTEX);
  else take_box_face(axis, best, b->R, face - 3, !(p.u[face - 3] < 0), HN_VERTEX_FACE);
  return try_box_edges(&p, most, better, axis);
}

/* ---- Corners and edges of disjoint polytopes --------------------------------------------------------------------- */

double hn_nearest_on_edge(const hn_polytope *q, const int *e, const double x[3], bool *beyond, double span[3])
{
  double d[3], to[3];
  vec_sub(d, q->vertex[e[1]], q->vertex[e[0]]);
  vec_sub(to, x, q->vertex[e[0]]);
  double fraction = vec_dot(to, d) / vec_dot(d, d);
  *beyond = fraction < -hn_on_side || fraction > 1 + hn_on_side;
  fraction = fraction > 1 - hn_on_side ? 1 : fraction < hn_on_side ? 0 : fraction;
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

/* How far along the axis corners lie before the nearest ones: edges beyond that need no look. */
typedef struct shell {
  double n[3], bound, least,
    round; /* closer than ROUND, the line between two points says nothing of an axis */
} shell;

static bool in_shell(const shell *s, double sign, const double *x, double slack)
{
  return sign * vec_dot(s->n, x) >= s->bound - slack;
}

/* The corners of P beside the edges of Q: the nearest such pair, if nearer than axis->gap. */
static void try_corners(const hn_polytope *p, const hn_polytope *q, bool swapped, const shell *sp,
                        const shell *sq, hn_axis *axis)
{
  double toward = swapped ? -1 : 1, span[3];
  bool beyond;
  for (int j = 0; j < q->nedge; j++) {
    const int *e = q->edge + 4 * j;
    double slack = axis->gap - sp->least;
    if (!in_shell(sq, -toward, q->vertex[e[0]], slack) && !in_shell(sq, -toward, q->vertex[e[1]], slack))
      continue;
    for (int i = 0; i < p->nvertex; i++) {
      if (!in_shell(sp, toward, p->vertex[i], slack)) continue;
      double fraction = hn_nearest_on_edge(q, e, p->vertex[i], &beyond, span), distance = vec_norm(span);
      if (!(distance < axis->gap)) continue;
      axis->gap = distance;
      if (distance > sp->round) vec_scale(axis->normal, toward / distance, span);
      hn_name_corner(axis, q, i, j, fraction, swapped);
    }
  }
}

bool hn_nearest_corners(const hn_polytope *a, const hn_polytope *b, double most, hn_axis *axis)
{
  double back[3], round = 1e-12 * (a->size + b->size);
  shell sa = { .least = axis->gap - round, .round = round }, sb = sa;
  vec_scale(back, -1, axis->normal);
  vec_copy(sa.n, axis->normal);
  vec_copy(sb.n, axis->normal);
  sa.bound = -lowest_along(a, back), sb.bound = -lowest_along(b, axis->normal);
  axis->gap = most;
  axis->kind = HN_RIM_POINT;
  try_corners(a, b, false, &sa, &sb, axis);
  try_corners(b, a, true, &sb, &sa, axis);
  return axis->kind != HN_RIM_POINT;
}
