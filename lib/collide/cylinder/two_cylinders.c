/* two_cylinders.c - pairs of cylinders.
 *
 * As in cylinder_polytope.c, the best of all directions in which two features face each other, in the axes of
 * the first cylinder; w is the centre and v the axis of the second:
 *
 *   s(n) = n . w - h_a |n_y| - r_a |n - n_y y| - h_b |n . v| - r_b |n - (n . v) v|
 *
 * Ends and sides are in closed form; a rim before a side uses cylinder.c, two rims nearest_circles.c. */
#include "base/vec.h"
#include "collide/cylinder/cylinder_pair.h"
#include "collide/pairs.h"

#include <float.h>

/* Sine below which two axes are parallel to rounding: the rims then have no isolated nearest points. */
static const double sin_exactly_parallel = 1e-14;

static double support(const hn_cylinder *c, const double v[3], const double n[3])
{
  double along = vec_dot(n, v), across[3];
  vec_along(across, n, -along, v);
  return c->h * fabs(along) + c->r * vec_norm(across);
}

/* Replaces the best axis by N if its gap is larger. A and B, the facing points, must be the nearest ones
 * along N; NULL: there always are such points. */
static void try_axis(hn_cylinders *s, const double n[3], const double *a, const double *b, int i, int j)
{
  static const double y[3] = { 0, 1, 0 };
  double gap = vec_dot(n, s->w) - support(&s->c[0], y, n) - support(&s->c[1], s->v, n), span[3];
  if (!(gap > s->best.gap + s->tie)) return;
  if (a) {
    vec_sub(span, b, a);
    if (!(fabs(vec_dot(n, span) - gap) <= s->tie)) return;
  }
  s->best.gap = gap, s->best.i = i, s->best.j = j;
  vec_copy(s->best.n, n);
  vec_copy(s->best.a, a ? a : hn_cylinder_centre);
  vec_copy(s->best.b, b ? b : hn_cylinder_centre);
}

/* Tries direction N in the axes of cylinder WHICH, outward from its feature I. */
static void try_from(hn_cylinders *s, int which, const double n[3], const double x[3], const double y[3],
                     int i, int j)
{
  double m[3], p[3], q[3];
  if (which == 0) {
    try_axis(s, n, x, y, i, j);
    return;
  }
  mat_vec(m, s->placed[1]->R, n);
  mat_vec(p, s->placed[1]->R, x);
  mat_vec(q, s->placed[1]->R, y);
  vec_scale(m, -1, m);
  vec_add(p, p, s->w);
  vec_add(q, q, s->w);
  try_axis(s, m, q, p, j, i);
}

/* ---- Ends and sides ---------------------------------------------------------------------------------- */

static void try_ends(hn_cylinders *s, int which)
{
  static const double y[3] = { 0, 1, 0 };
  for (int end = 0; end < 2; end++) {
    double n[3];
    vec_scale(n, end ? 1 : -1, which ? s->v : y);
    if (which) vec_scale(n, -1, n);
    try_axis(s, n, NULL, NULL, which ? HN_SIDE : HN_END + end, which ? HN_END + end : HN_SIDE);
  }
}

/* Tries two sides: the normal of both axes, and the direction from the first axis to the centre of the
 * second. */
static void try_sides(hn_cylinders *s)
{
  double length = sqrt(s->v[0] * s->v[0] + s->v[2] * s->v[2]), n[3], a[3], b[3], to[3];
  if (length > hn_sin_parallel) {
    vec_set(n, s->v[2] / length, 0, -s->v[0] / length);
    if (vec_dot(n, s->w) < 0) vec_scale(n, -1, n);
    vec_copy(b, s->w); /* the nearest point of the second axis, then both sides */
    vec_add_scaled(b, -(s->w[0] * s->v[0] + s->w[2] * s->v[2]) / (length * length), s->v);
    bool within = fabs(b[1]) <= s->c[0].h;
    vec_set(a, 0, b[1], 0);
    vec_sub(to, b, s->w);
    within &= vec_norm(to) <= s->c[1].h;
    vec_add_scaled(a, s->c[0].r, n);
    vec_add_scaled(b, -s->c[1].r, n);
    if (within) try_axis(s, n, a, b, HN_SIDE, HN_SIDE);
  }
  double away = sqrt(s->w[0] * s->w[0] + s->w[2] * s->w[2]);
  if (!(away > 0)) return;
  vec_set(n, s->w[0] / away, 0, s->w[2] / away);
  vec_scale(a, s->c[0].r, n);
  vec_along(b, s->w, -s->c[1].r, n);
  try_axis(s, n, a, b, HN_SIDE, HN_SIDE);
}

/* Tries a rim of cylinder WHICH before the side of the other. */
static void try_rim_side(hn_cylinders *s, int which)
{
  double x[3], d[3], t[2], n[2][3];
  const hn_cylinder *c = &s->c[which];
  hn_cylinders_other_in_axes(s, which, x, d);
  for (int end = 0; end < 2; end++) {
    double y = end ? c->h : -c->h;
    int count = hn_circle_line(c->r, y, x, d, t, n);
    for (int k = 0; k < count; k++) {
      double p[3], rim[3];
      if (!(fabs(t[k]) <= s->c[!which].h + s->tie)) continue; /* beyond the ends, not flush to rounding */
      vec_along(p, x, t[k], d);
      hn_rim_point(c->r, y, p, rim);
      vec_add_scaled(p, -s->c[!which].r, n[k]);
      try_from(s, which, n[k], rim, p, HN_RIM + end, HN_SIDE);
    }
  }
}

/* Tries rim I of the first and rim J of the second. */
static void try_rims(hn_cylinders *s, int i, int j)
{
  const double *R = s->placed[1]->R, tilt = hn_across(s->v), reach = fmax(s->max_gap, -s->best.gap);
  hn_rims m = { .r = s->c[0].r, .y = i ? s->c[0].h : -s->c[0].h, .s = s->c[1].r };
  hn_rim_pair pair[HN_RIM_PAIRS];
  double span[3];
  vec_along(m.centre, s->w, j ? s->c[1].h : -s->c[1].h, s->v);
  vec_sub(span, m.centre, (double[3]){ 0, m.y, 0 });
  if (vec_norm(span) > m.r + m.s + reach || fabs(span[1]) > m.s * tilt + reach) return;
  if (fabs(vec_dot(span, s->v)) > m.r * tilt + reach) return;
  for (int k = 0; k < 3; k++) m.e[0][k] = R[3 * k], m.e[1][k] = R[3 * k + 2];
  int count = hn_rims_nearest(&m, pair);
  for (int k = 0; k < count; k++) try_axis(s, pair[k].n, pair[k].a, pair[k].b, HN_RIM + i, HN_RIM + j);
}

/* Tries the rims of parallel axes: they are nearest in the plane of both axes. */
static void try_parallel_rims(hn_cylinders *s)
{
  double n[3], a[3], b[3], rho = sqrt(s->w[0] * s->w[0] + s->w[2] * s->w[2]);
  bool high = s->w[1] > 0;
  if (!(rho > s->c[0].r + s->c[1].r && fabs(s->w[1]) > s->c[0].h + s->c[1].h)) return;
  hn_rim_point(s->c[0].r, high ? s->c[0].h : -s->c[0].h, s->w, a);
  hn_rim_point(s->c[1].r, high ? s->c[1].h : -s->c[1].h, s->w, b);
  vec_set(b, s->w[0] - b[0], s->w[1] - b[1], s->w[2] - b[2]);
  vec_sub(n, b, a);
  vec_scale(n, 1 / vec_norm(n), n);
  try_axis(s, n, a, b, HN_RIM + high, HN_RIM + (s->v[1] > 0 ? !high : high));
}

static bool find_axis(hn_cylinders *s)
{
  s->best.gap = -HUGE_VAL;
  for (int which = 0; which < 2 && s->best.gap <= s->max_gap; which++) try_ends(s, which);
  if (s->best.gap <= s->max_gap) try_sides(s);
  for (int which = 0; which < 2 && s->best.gap <= s->max_gap; which++) try_rim_side(s, which);
  bool parallel = fmax(fabs(s->v[0]), fabs(s->v[2])) < sin_exactly_parallel;
  if (parallel) try_parallel_rims(s);
  for (int k = 0; k < 4 && !parallel && s->best.gap <= s->max_gap; k++) try_rims(s, k >> 1, k & 1);
  return s->best.gap <= s->max_gap;
}

/* Sets up the search; LOCAL is the second cylinder in the axes of the first. */
static void set_search(hn_cylinders *s, const hn_placed_shape *a, const hn_placed_shape *b, double margin,
                       hn_placed_shape *local)
{
  const double *of_a = a->shape->size, *of_b = b->shape->size;
  hn_into_axes(a, b, local);
  *s = (hn_cylinders){ .c = { { of_a[0], 0.5 * of_a[1] }, { of_b[0], 0.5 * of_b[1] } },
                       .placed = { a, local },
                       .max_gap = margin };
  s->tie = hn_tie_tolerance * (s->c[0].r + s->c[0].h + s->c[1].r + s->c[1].h);
  vec_copy(s->w, local->x);
  for (int k = 0; k < 3; k++) s->v[k] = local->R[3 * k + 1];
}

void hn_collide_cylinders(const hn_placed_shape *a, const hn_placed_shape *b, double margin, hn_manifold *out)
{
  hn_placed_shape local;
  hn_cylinders s;
  set_search(&s, a, b, margin, &local);
  if (!find_axis(&s)) return;
  hn_cylinders_build(&s, margin, out);
  hn_out_of_axes(a, out);
}

void hn_along_cylinders(const hn_placed_shape *a, const hn_placed_shape *b, bool on_b, const double normal[3],
                        double margin, hn_manifold *out)
{
  hn_placed_shape local;
  hn_cylinders s;
  (void)on_b; /* the end of the first cylinder precedes that of the second */
  set_search(&s, a, b, margin, &local);
  s.best = (hn_best_axis){ .gap = DBL_MAX, .i = HN_END, .j = HN_END }; /* any manifold is complete */
  mat_tvec(s.best.n, a->R, normal);
  hn_cylinders_build(&s, margin, out);
  hn_out_of_axes(a, out);
}
