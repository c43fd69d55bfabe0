/* cylinder_polytope.c - pairs of a cylinder with a box, convex hull or capsule.
 *
 * The distance of disjoint shapes, or minus the depth of overlapping ones, is the maximum over unit n of
 *
 *   s(n) = min over the polytope of n . x - h |n_y| - r sqrt(n_x^2 + n_z^2)
 *
 * in the axes of the cylinder. Each n gives a lower bound. The best n is among those where two features face
 * each other: ends and faces with their normals; a corner or an edge before the side; a corner or an edge
 * before a rim. All are in closed form except rim and edge (cylinder.c). No feature need be known beforehand,
 * and the result is as accurate as the normal of its features. */
#include "base/vec.h"
#include "collide/cylinder/cylinder.h"
#include "collide/pairs.h"

typedef enum feature_pair { END, FACE, SIDE_CORNER, SIDE_EDGE, RIM_EDGE, RIM_CORNER } feature_pair;

typedef struct best_axis {
  double n[3], gap, at[3]; /* the facing point of the polytope, if known */
  feature_pair kind;
  int i, j; /* features of the cylinder and of the polytope */
} best_axis;

typedef struct search {
  hn_cylinder c;
  const hn_polytope *p;
  double max_gap, tie;
  best_axis best;
} search;

/* Fraction of an edge within which a crossing counts as its corner, if that is on the rim. */
static const double near_corner = 1e-3;

/* Returns s(n), or any value not above BOUND if s(n) is not. */
static double separation(const search *s, const double n[3], double bound)
{
  double support = hn_cylinder_support(&s->c, n), lowest = HUGE_VAL;
  for (int i = 0; i < s->p->nvertex; i++) {
    double along = vec_dot(n, s->p->vertex[i]);
    if (along < lowest) lowest = along;
    if (lowest - support <= bound) break;
  }
  return lowest - support;
}

/* Replaces the best axis by N if its gap is larger. AT, the facing point, must be the nearest one along N;
 * NULL: there always is one. */
static void try_axis(search *s, const double n[3], feature_pair kind, int i, int j, const double *at)
{
  double bound = s->best.gap + s->tie,
         upper_bound = at ? vec_dot(n, at) - hn_cylinder_support(&s->c, n) : HUGE_VAL;
  if (!(upper_bound > bound)) return;
  double gap = separation(s, n, bound);
  if (!(gap > bound) || (at && upper_bound > gap + s->tie)) return;
  s->best = (best_axis){ .gap = gap, .kind = kind, .i = i, .j = j };
  vec_copy(s->best.n, n);
  vec_copy(s->best.at, at ? at : hn_cylinder_centre);
}

/* ---- Candidates -------------------------------------------------------------------------------------- */

static void try_flat(search *s)
{
  for (int end = 0; end < 2; end++)
    try_axis(s, (double[3]){ 0, end ? 1 : -1, 0 }, END, HN_END + end, 0, NULL);
  for (int f = 0; f < s->p->nface; f++) {
    double n[3];
    vec_scale(n, -1, s->p->normal[f]);
    try_axis(s, n, FACE, 0, f, NULL);
  }
}

/* Tries a corner before the side or before a rim. */
static void try_corner(search *s, int i)
{
  const double *x = s->p->vertex[i];
  double rho = hn_across(x), rim[3], n[3];
  hn_rim_point(1, 0, x, n); /* on the axis any radial direction will do */
  if (fabs(x[1]) <= s->c.h) try_axis(s, n, SIDE_CORNER, HN_SIDE, i, x);
  if (!(rho > s->c.r && fabs(x[1]) > s->c.h)) return;
  hn_rim_point(s->c.r, x[1] < 0 ? -s->c.h : s->c.h, x, rim);
  vec_sub(n, x, rim);
  vec_scale(n, 1 / vec_norm(n), n);
  try_axis(s, n, RIM_CORNER, HN_RIM + (x[1] > 0), i, x);
}

/* Tries edge J, from X along unit D with LENGTH, before the side: the direction normal to it and the axis. */
static void try_side(search *s, int j, const double x[3], const double d[3], double length)
{
  double sine = hn_across(d), n[3], at[3];
  if (!(sine > hn_sin_parallel)) return;
  double t = -(x[0] * d[0] + x[2] * d[2]) / (sine * sine);
  vec_along(at, x, t, d);
  if (!(t >= 0 && t <= length && fabs(at[1]) <= s->c.h)) return; /* the lines cross beyond an end */
  for (int sign = -1; sign <= 1; sign += 2) {
    vec_set(n, sign * d[2] / sine, 0, -sign * d[0] / sine);
    try_axis(s, n, SIDE_EDGE, HN_SIDE, j, at);
  }
}

/* True if the edge from X along D of LENGTH may be within REACH of the rim at height Y. */
static bool near_rim(const search *s, double y, const double x[3], const double d[3], double length,
                     double reach)
{
  double far[3], k = d[0] * d[0] + d[2] * d[2], near[3];
  vec_along(far, x, length, d);
  if (fmin(x[1], far[1]) > y + reach || fmax(x[1], far[1]) < y - reach) return false;
  if (fmax(hn_across(x), hn_across(far)) < s->c.r - reach) return false;
  double t = k > 0 ? -(x[0] * d[0] + x[2] * d[2]) / k : 0;
  vec_along(near, x, t < 0 ? 0 : t > length ? length : t, d);
  return hn_across(near) <= s->c.r + reach;
}

static void try_rims(search *s, int j, const double x[3], const double d[3], double length)
{
  double reach = fmax(s->max_gap, -s->best.gap);
  for (int end = 0; end < 2; end++) {
    double y = end ? s->c.h : -s->c.h, t[2], n[2][3];
    if (!near_rim(s, y, x, d, length, reach + s->tie)) continue;
    int count = hn_circle_line(s->c.r, y, x, d, t, n);
    for (int k = 0; k < count; k++) {
      double at[3];
      if (!(t[k] >= 0 && t[k] <= length)) continue;
      vec_along(at, x, t[k], d);
      try_axis(s, n[k], RIM_EDGE, HN_RIM + end, j, at);
    }
  }
}

static void edge_of(const hn_polytope *p, int j, const double **x, double d[3], double *length)
{
  const int *e = p->edge + 4 * j;
  *x = p->vertex[e[0]];
  vec_sub(d, p->vertex[e[1]], p->vertex[e[0]]);
  *length = vec_norm(d);
  vec_scale(d, 1 / *length, d);
}

/* Finds the best axis; false if its gap exceeds s->max_gap. */
static bool find_axis(search *s)
{
  double length, d[3];
  const double *x;
  s->best.gap = -HUGE_VAL;
  try_flat(s);
  for (int i = 0; i < s->p->nvertex && s->best.gap <= s->max_gap; i++) try_corner(s, i);
  for (int j = 0; j < s->p->nedge && s->best.gap <= s->max_gap; j++) {
    edge_of(s->p, j, &x, d, &length);
    try_side(s, j, x, d, length);
  }
  for (int j = 0; j < s->p->nedge && s->best.gap <= s->max_gap; j++) {
    edge_of(s->p, j, &x, d, &length);
    try_rims(s, j, x, d, length);
  }
  return s->best.gap <= s->max_gap;
}

/* ---- The manifold ------------------------------------------------------------------------------------ */

typedef struct manifold_builder {
  const search *s;
  const double *n; /* normal of the points being added */
  bool on_b, is_free;
  double margin, least_gap;
  hn_manifold *out;
} manifold_builder;

/* Adds point A, of the cylinder with radius SKIN, and B of the polytope, aligned along the normal. */
static void add_points(manifold_builder *m, const double a[3], double skin, const double b[3],
                       uint64_t feature)
{
  double span[3];
  vec_sub(span, b, a);
  double gap = vec_dot(m->n, span) - skin;
  m->least_gap = fmin(m->least_gap, gap);
  if (!(gap - m->s->p->skin < m->margin)) return;
  if (m->is_free) hn_manifold_add_free(m->out, hn_cylinder_centre, a, b, m->n, skin, m->s->p->skin, feature);
  else hn_manifold_add(m->out, hn_cylinder_centre, a, b, m->n, skin, m->s->p->skin, m->on_b, feature);
}

static void add_point(manifold_builder *m, const double a[3], const double b[3], uint64_t feature)
{
  add_points(m, a, 0.0, b, feature);
}

/* Adds point A where the side or a rim has the outward normal of the manifold. */
static void add_round_point(manifold_builder *m, const double a[3], const double b[3], uint64_t feature)
{
  double centre[3];
  vec_copy(centre, a);
  const double skin = hn_onto_axis(m->n, centre);
  add_points(m, centre, skin, b, feature);
}

/* Returns corner I of face F, or of all corners if F is -1. */
static int listed_corner(const hn_polytope *p, int f, int i)
{
  return f < 0 ? i : p->face_vertex[p->face_start[f] + i];
}

/* Moves X along N to height Y. */
static void to_height(const double n[3], double y, const double x[3], double out[3])
{
  double distance = (y - x[1]) / n[1];
  vec_along(out, x, distance, n);
  out[1] = y;
}

/* True if X, in the plane of face F, is inside it. */
static bool inside_face(const hn_polytope *p, int f, const double x[3])
{
  for (int k = 0; k < p->face_start[f + 1] - p->face_start[f]; k++) {
    double out[3];
    const double *from = hn_polytope_side(p, f, k, out);
    if (vec_dot(out, x) - vec_dot(out, from) > hn_side_tolerance * p->size) return false;
  }
  return true;
}

/* Adds rim point A above face F. */
static void add_rim_on_face(manifold_builder *m, int f, const double a[3], int feature)
{
  const hn_polytope *p = m->s->p;
  double b[3], slope = vec_dot(p->normal[f], m->n);
  vec_along(b, a, (p->offset[f] - vec_dot(p->normal[f], a)) / slope, m->n);
  if (inside_face(p, f, b)) add_point(m, a, b, hn_feature(HN_VERTEX_FACE, feature, f));
}

/* Adds the crossings of EDGE of the polytope, from corner I to J, with the rim of end HIGH, projected along
 * the normal. Q and TO are these corners at the height of the end. Corners on the rim are listed already. */
static void add_crossings(manifold_builder *m, bool high, int edge, int i, int j, const double q[3],
                          const double to[3])
{
  const double r = m->s->c.r, *x = m->s->p->vertex[i];
  double fraction[2], span[3];
  int count = hn_circle_crossings(r, q, to, fraction);
  vec_sub(span, m->s->p->vertex[j], x);
  for (int k = 0; k < count; k++) {
    double a[3], b[3], corner = fraction[k] < 0.5 ? hn_across(q) : hn_across(to);
    if (fabs(corner - r) <= hn_side_tolerance * r && fmin(fraction[k], 1 - fraction[k]) < near_corner)
      continue;
    vec_along(b, x, fraction[k], span);
    to_height(m->n, q[1], b, a);
    bool leaves = a[0] * (to[0] - q[0]) + a[2] * (to[2] - q[2]) > 0;
    add_point(m, a, b, hn_feature(HN_EDGE_EDGE, HN_RIM + high + (leaves ? HN_SECOND : 0), edge));
  }
}

/* Adds the corners of face F, or all if F is -1, before end HIGH and the crossings of its sides with the
 * rim. */
static void add_corners(manifold_builder *m, bool high, int f)
{
  const hn_polytope *p = m->s->p;
  int count = f < 0 ? p->nvertex : p->face_start[f + 1] - p->face_start[f];
  double y = high ? m->s->c.h : -m->s->c.h;
  for (int i = 0; i < count; i++) {
    int corner = listed_corner(p, f, i), next = listed_corner(p, f, (i + 1) % count);
    double q[3], to[3];
    to_height(m->n, y, p->vertex[corner], q);
    to_height(m->n, y, p->vertex[next], to);
    if (hn_across(q) <= m->s->c.r * (1 + hn_side_tolerance))
      add_point(m, q, p->vertex[corner], hn_feature(HN_FACE_VERTEX, HN_END + high, corner));
    if (count > 2 || i + 1 < count)
      add_crossings(m, high, f < 0 ? 0 : p->face_edge[p->face_start[f] + i], corner, next, q, to);
  }
}

/* Adds end HIGH on face F, or on an edge or corner if F is -1. A face also gets rim points: the fixed ones,
 * and the lowest if the face is not level. */
static void add_end(manifold_builder *m, bool high, int f)
{
  const hn_cylinder *c = &m->s->c;
  const hn_polytope *p = m->s->p;
  double rim[3], low[3];
  add_corners(m, high, f);
  for (int k = 0; f >= 0 && k < 4; k++) {
    hn_rim_fixed(c, high, k, rim);
    add_rim_on_face(m, f, rim, HN_RIM_FIXED + 4 * high + k);
  }
  if (f < 0 || !(hn_across(p->normal[f]) > hn_sin_level)) return;
  vec_scale(low, vec_dot(p->normal[f], m->n) > 0 ? 1 : -1, p->normal[f]);
  hn_rim_point(c->r, high ? c->h : -c->h, low, rim);
  add_rim_on_face(m, f, rim, HN_RIM + high);
}

/* Adds the side on face F: the ends of its nearest line between the rims, clipped by the face. */
static void add_side(manifold_builder *m, int f)
{
  const hn_cylinder *c = &m->s->c;
  const hn_polytope *p = m->s->p;
  double x[2][3], from = 0, to = 1;
  int start = p->face_start[f], n = p->face_start[f + 1] - start, cut[2] = { -1, -1 };
  for (int end = 0; end < 2; end++) hn_rim_point(c->r, end ? c->h : -c->h, m->n, x[end]);
  for (int k = 0; k < n; k++) {
    double out[3], slack = hn_side_tolerance * p->size, at = vec_dot(out, hn_polytope_side(p, f, k, out));
    double d = vec_dot(out, x[0]) - at, e = vec_dot(out, x[1]) - at;
    if (d > slack && e > slack) return;
    if (d > slack && d / (d - e) > from) from = d / (d - e), cut[0] = k;
    if (e > slack && d / (d - e) < to) to = d / (d - e), cut[1] = k;
  }
  if (from > to) return;
  for (int end = 0; end < 2; end++) {
    double a[3], b[3], fraction = end ? to : from;
    for (int i = 0; i < 3; i++) a[i] = x[0][i] + fraction * (x[1][i] - x[0][i]);
    if (cut[end] < 0) vec_copy(a, x[end]);
    vec_along(b, a, p->offset[f] - vec_dot(p->normal[f], a), p->normal[f]);
    add_round_point(m, a, b,
                    cut[end] < 0 ? hn_feature(HN_VERTEX_FACE, HN_RIM + end, f)
                                 : hn_feature(HN_EDGE_EDGE, HN_SIDE, p->face_edge[start + cut[end]]));
  }
}

/* Adds point B of an edge parallel to the axis, before the side: a corner or a crossing with the plane of a
 * rim. */
static void add_beside(manifold_builder *m, const double b[3], uint64_t feature)
{
  double a[3], n[3], rho = hn_across(b);
  const double *saved_normal = m->n;
  if (!(rho > 0)) return;
  vec_set(n, b[0] / rho, 0, b[2] / rho);
  if (!(vec_dot(n, m->n) > hn_cos_aligned)) return;
  hn_rim_point(m->s->c.r, b[1], n, a);
  m->n = n;
  add_round_point(m, a, b, feature);
  m->n = saved_normal;
}

static void add_parallel_edges(manifold_builder *m)
{
  const hn_polytope *p = m->s->p;
  const hn_cylinder *c = &m->s->c;
  for (int j = 0; j < p->nedge; j++) {
    double length, d[3];
    const double *x;
    edge_of(p, j, &x, d, &length);
    if (!(fabs(d[1]) > hn_cos_aligned)) continue;
    for (int end = 0; end < 2; end++) {
      double y = end ? c->h : -c->h, t = (y - x[1]) / d[1], b[3];
      int corner = p->edge[4 * j + end];
      if (fabs(p->vertex[corner][1]) <= c->h * (1 + hn_side_tolerance))
        add_beside(m, p->vertex[corner], hn_feature(HN_FACE_VERTEX, HN_SIDE, corner));
      if (!(t > hn_side_tolerance * length && t < (1 - hn_side_tolerance) * length)) continue;
      vec_along(b, x, t, d);
      add_beside(m, b, hn_feature(HN_EDGE_EDGE, HN_RIM + end, j));
    }
  }
}

/* Adds the features of the best axis itself. */
static void add_features(manifold_builder *m)
{
  const best_axis *best = &m->s->best;
  const hn_cylinder *c = &m->s->c;
  double a[3];
  if (best->kind == END || best->kind == FACE) return;
  if (best->kind == SIDE_CORNER || best->kind == SIDE_EDGE) hn_rim_point(c->r, best->at[1], best->n, a);
  else hn_rim_point(c->r, best->i == HN_RIM ? -c->h : c->h, best->at, a);
  bool corner = best->kind == SIDE_CORNER || best->kind == RIM_CORNER;
  m->n = best->n, m->is_free = true;
  const uint64_t feature = hn_feature(corner ? HN_EDGE_VERTEX : HN_RIM_POINT, best->i, best->j);
  if (fabs(best->n[1]) > hn_cos_level) add_point(m, a, best->at, feature);
  else add_round_point(m, a, best->at, feature);
}

static void build(search *s, double margin, hn_manifold *out)
{
  const double *n = s->best.n;
  manifold_builder m = { .s = s, .n = n, .margin = margin, .least_gap = HUGE_VAL, .out = out };
  double normal[3];
  int face = hn_polytope_face_along(s->p, n, -1);
  if (face >= 0) {
    vec_scale(normal, -1, s->p->normal[face]);
    m.n = normal, m.on_b = true;
    if (fabs(normal[1]) > hn_cos_level) add_end(&m, normal[1] > 0, face);
    else add_side(&m, face);
  } else if (fabs(n[1]) > hn_cos_aligned) {
    vec_set(normal, 0, n[1] < 0 ? -1 : 1, 0);
    m.n = normal;
    add_end(&m, n[1] > 0, hn_polytope_face_against(s->p, normal));
  } else if (fabs(n[1]) < hn_sin_aligned) {
    m.is_free = true;
    add_parallel_edges(&m);
  }
  if (!(m.least_gap <= s->best.gap + HN_MANIFOLD_TIES * s->tie)) add_features(&m);
}

/* Sets up the search for cylinder A and polytope B, which P and LOCAL hold in the axes of A. */
static void set_search(search *s, const hn_placed_shape *a, const hn_placed_shape *b, double margin,
                       hn_placed_shape *local, hn_polytope *p)
{
  hn_into_axes(a, b, local);
  hn_polytope_of(p, local, hn_cylinder_centre);
  *s = (search){ .c = { a->shape->size[0], 0.5 * a->shape->size[1] }, .p = p, .max_gap = margin + p->skin };
  s->tie = hn_tie_tolerance * (s->c.r + s->c.h + p->size);
}

void hn_collide_cylinder(const hn_placed_shape *a, const hn_placed_shape *b, double margin, hn_manifold *out)
{
  hn_polytope p;
  hn_placed_shape local;
  search s;
  set_search(&s, a, b, margin, &local, &p);
  if (!find_axis(&s)) return;
  build(&s, margin, out);
  hn_out_of_axes(a, out);
}

void hn_along_cylinder(const hn_placed_shape *a, const hn_placed_shape *b, bool on_b, const double normal[3],
                       double margin, hn_manifold *out)
{
  hn_polytope p;
  hn_placed_shape local;
  search s;
  (void)on_b; /* a face of the polytope precedes an end of the cylinder */
  set_search(&s, a, b, margin, &local, &p);
  s.best.kind = FACE;
  mat_tvec(s.best.n, a->R, normal);
  build(&s, margin, out);
  hn_out_of_axes(a, out);
}
