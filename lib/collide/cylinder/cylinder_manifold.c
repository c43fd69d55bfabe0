/* cylinder_manifold.c - the manifold of two cylinders along their axis of closest approach: the overlap of an
 * end with the other cylinder, of two parallel sides, or else the two facing points. */
#include "base/vec.h"
#include "collide/cylinder/cylinder_pair.h"
#include "elementary.h"

void hn_cylinders_other_in_axes(const hn_cylinders *s, int which, double x[3], double d[3])
{
  if (which == 0) {
    vec_copy(x, s->w);
    vec_copy(d, s->v);
    return;
  }
  const double y[3] = { 0, 1, 0 };
  double back[3];
  vec_scale(back, -1, s->w);
  mat_tvec(x, s->placed[1]->R, back);
  mat_tvec(d, s->placed[1]->R, y);
}

enum { MAX_NEWTON_STEPS = 20 }; /* more are needed only where the rims are tangent */
/* Relative to r: squared distance from the rim at which Newton's method is done, distance that it may leave,
 * and slope below which the rims are tangent. */
static const double rim_rounding = 4e-16, rim_tolerance = 1e-14, min_rim_slope = 1e-8;

/* The points in the axes of cylinder WHICH, whose end HIGH has the normal N. */
typedef struct manifold_builder {
  const hn_cylinders *s;
  int which;
  /* n; m, margin and least gap; place, direction and axes of the other cylinder */
  double n[3], margin, least_gap, x[3], d[3], R[9];
  const hn_cylinder *base, *other_cylinder;
  bool high;
  hn_manifold *out;
} manifold_builder;

/* Adds point P of the other cylinder above the end, with its foot or the point Q. It is the surface of a
 * sphere of radius SKIN (hn_onto_axis). */
static void add_point(manifold_builder *m, const double p[3], double skin, const double *q,
                      hn_touch_kind kind, int i, int j)
{
  double end = m->high ? m->base->h : -m->base->h, gap = (m->high ? 1 : -1) * (p[1] - end), centre[3];
  const double foot[3] = { p[0], end, p[2] };
  m->least_gap = fmin(m->least_gap, gap);
  if (!(gap < m->margin)) return;
  if (!q) q = foot;
  vec_along(centre, p, skin, m->n);
  if (m->which == 0) {
    hn_manifold_add(m->out, hn_cylinder_centre, q, centre, m->n, 0, skin, false, hn_feature(kind, i, j));
    return;
  }
  const double *R = m->s->placed[1]->R;
  hn_touch_kind swapped = kind == HN_EDGE_EDGE ? kind : HN_FACE_VERTEX + HN_VERTEX_FACE - kind;
  double a[3], b[3], n[3];
  mat_vec(a, R, centre);
  mat_vec(b, R, q);
  mat_vec(n, R, m->n);
  vec_scale(n, -1, n);
  hn_manifold_add(m->out, m->s->w, a, b, n, skin, 0, true, hn_feature(swapped, j, i));
}

static bool in_disc(const hn_cylinder *c, double x, double z)
{
  return sqrt(x * x + z * z) <= c->r * (1 + hn_side_tolerance);
}

/* Transforms point (X, Y, Z) from the axes of the other cylinder. */
static void other_point(const manifold_builder *m, double x, double y, double z, double out[3])
{
  const double local[3] = { x, y, z };
  mat_vec(out, m->R, local);
  vec_add(out, out, m->x);
}

/* Computes the lowest point of rim END of the other cylinder. */
static void lowest_point(const manifold_builder *m, bool end, double p[3])
{
  double down[3], local[3];
  vec_scale(down, -1, m->n);
  mat_tvec(local, m->R, down);
  double rim[3];
  hn_rim_point(m->other_cylinder->r, end ? m->other_cylinder->h : -m->other_cylinder->h, local, rim);
  other_point(m, rim[0], rim[1], rim[2], p);
}

/* Adds a side lying on the end: its nearest line, clipped by the rim. */
static void add_lying(manifold_builder *m)
{
  const double skin = m->other_cylinder->r / hn_across(m->d);
  double p[2][3], fraction[2];
  for (int end = 0; end < 2; end++) {
    lowest_point(m, end, p[end]);
    if (in_disc(m->base, p[end][0], p[end][2]))
      add_point(m, p[end], skin, NULL, HN_FACE_VERTEX, HN_END + m->high, HN_RIM + end);
  }
  int count = hn_circle_crossings(m->base->r, p[0], p[1], fraction);
  for (int k = 0; k < count; k++) {
    double x[3];
    for (int i = 0; i < 3; i++) x[i] = p[0][i] + fraction[k] * (p[1][i] - p[0][i]);
    bool leaves = x[0] * (p[1][0] - p[0][0]) + x[2] * (p[1][2] - p[0][2]) > 0;
    add_point(m, x, skin, NULL, HN_EDGE_EDGE, HN_RIM + m->high + (leaves ? HN_SECOND : 0), HN_SIDE);
  }
}

/* Moves the ANGLE of a point on rim END of the other cylinder by Newton's method until the point is on this
 * rim, both projected along the normal. Returns false if the rims are tangent or the method fails. */
static bool onto_rim(const manifold_builder *m, bool end, double angle, double p[3])
{
  double r = m->base->r, s = m->other_cylinder->r, cosine, sine, rate[3];
  for (int i = 0; i < MAX_NEWTON_STEPS; i++) {
    hn_sincos(angle, &sine, &cosine);
    other_point(m, s * cosine, end ? m->other_cylinder->h : -m->other_cylinder->h, s * sine, p);
    mat_vec(rate, m->R, (double[3]){ -s * sine, 0, s * cosine });
    double off = 0.5 * (p[0] * p[0] + p[2] * p[2] - r * r), slope = p[0] * rate[0] + p[2] * rate[2];
    if (fabs(off) <= rim_rounding * r * r) return true;
    if (!(fabs(slope) > min_rim_slope * r * s)) return false;
    angle -= off / slope;
  }
  return fabs(sqrt(p[0] * p[0] + p[2] * p[2]) - r) <= rim_tolerance * r;
}

/* Adds the crossings of the two rims, projected along the normal; starts from those of two level circles. */
static void add_rim_crossings(manifold_builder *m, bool end)
{
  double centre[3], r = m->base->r, s = m->other_cylinder->r;
  other_point(m, 0, end ? m->other_cylinder->h : -m->other_cylinder->h, 0, centre);
  double square = centre[0] * centre[0] + centre[2] * centre[2], d = sqrt(square);
  if (!(d > fabs(r - s) && d < r + s)) return;
  double along = (square + r * r - s * s) / (2 * d), half = sqrt(fmax(r * r - along * along, 0));
  double u = centre[0] / d, v = centre[2] / d;
  for (int k = 0; k < 2; k++) {
    double side = k ? half : -half, p[3], local[3];
    const double to[3] = { along * u - side * v - centre[0], 0, along * v + side * u - centre[2] };
    mat_tvec(local, m->R, to);
    if (onto_rim(m, end, hn_atan2(local[2], local[0]), p))
      add_point(m, p, 0, NULL, HN_EDGE_EDGE, HN_RIM + m->high + (k ? HN_SECOND : 0), HN_RIM + end);
  }
}

/* Adds an end of the other cylinder standing on the end. */
static void add_standing(manifold_builder *m)
{
  bool end = (m->d[1] > 0) != m->high;
  double p[3], plane[3], slope = m->d[1];
  other_point(m, 0, end ? m->other_cylinder->h : -m->other_cylinder->h, 0, plane);
  for (int k = 0; k < 4; k++) {
    double local[3];
    hn_rim_fixed(m->other_cylinder, end, k, local);
    other_point(m, local[0], local[1], local[2], p);
    if (in_disc(m->base, p[0], p[2]))
      add_point(m, p, 0, NULL, HN_FACE_VERTEX, HN_END + m->high, HN_RIM_FIXED + 4 * end + k);
  }
  for (int k = 0; k < 4; k++) {
    double q[3], local[3], to[3];
    hn_rim_fixed(m->base, m->high, k, q);
    vec_set(p, q[0], plane[1] - ((q[0] - plane[0]) * m->d[0] + (q[2] - plane[2]) * m->d[2]) / slope, q[2]);
    vec_sub(to, p, m->x);
    mat_tvec(local, m->R, to);
    /* ^Fixed points of this rim below the other end; one on both rims is listed already. */
    double rho = sqrt(local[0] * local[0] + local[2] * local[2]);
    if (rho < m->other_cylinder->r * (1 - hn_side_tolerance))
      add_point(m, p, 0, q, HN_VERTEX_FACE, HN_RIM_FIXED + 4 * m->high + k, HN_END + end);
  }
  add_rim_crossings(m, end);
  if (!(sqrt(m->d[0] * m->d[0] + m->d[2] * m->d[2]) > hn_sin_level)) return;
  lowest_point(m, end, p);
  if (in_disc(m->base, p[0], p[2])) add_point(m, p, 0, NULL, HN_FACE_VERTEX, HN_END + m->high, HN_RIM + end);
}

static void add_on_end(manifold_builder *m, int which)
{
  const hn_cylinders *s = m->s;
  double n[3];
  m->which = which, m->base = &s->c[which], m->other_cylinder = &s->c[!which];
  hn_cylinders_other_in_axes(s, which, m->x, m->d);
  vec_copy(n, s->best.n);
  if (which) mat_tvec(n, s->placed[1]->R, s->best.n), vec_scale(n, -1, n);
  m->high = n[1] > 0;
  vec_set(m->n, 0, m->high ? 1 : -1, 0);
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) m->R[3 * r + c] = s->placed[1]->R[which ? 3 * c + r : 3 * r + c];
  if (fabs(m->d[1]) > hn_cos_level) add_standing(m);
  else add_lying(m);
}

/* Adds the ends of the overlap of two parallel sides, on the line of the second side nearest to the first. */
static void add_parallel(manifold_builder *m)
{
  const hn_cylinders *s = m->s;
  const hn_cylinder *c = &s->c[0], *other_cylinder = &s->c[1];
  double across[3], middle[3], sign = s->v[1] > 0 ? 1 : -1;
  vec_along(across, s->best.n, -vec_dot(s->best.n, s->v), s->v);
  vec_along(middle, s->w, -other_cylinder->r / vec_norm(across), across);
  double half = other_cylinder->h * fabs(s->v[1]), low = middle[1] - half, high = middle[1] + half,
         tolerance = hn_side_tolerance * (c->h + half);
  for (int end = 0; end < 2; end++) {
    double own = end ? c->h : -c->h, other = end ? high : low, a[3], b[3], n[3];
    bool first_ends = end ? own <= other + tolerance : own >= other - tolerance;
    double y = first_ends ? own : other;
    if (fabs(y) > c->h + tolerance || y < low - tolerance || y > high + tolerance) continue;
    vec_copy(b, middle);
    vec_add_scaled(b,
                   first_ends ? fmax(-other_cylinder->h, fmin(other_cylinder->h, (y - middle[1]) / s->v[1]))
                   : end      ? sign * other_cylinder->h
                              : -sign * other_cylinder->h,
                   s->v);
    double distance = hn_across(b), gap = distance - c->r;
    vec_set(n, b[0] / distance, 0, b[2] / distance);
    if (!(distance > 0 && vec_dot(n, s->best.n) > hn_cos_aligned)) continue;
    m->least_gap = fmin(m->least_gap, gap);
    vec_set(a, 0, b[1], 0);
    vec_add_scaled(b, other_cylinder->r, n);
    if (gap < m->margin)
      hn_manifold_add_free(m->out, hn_cylinder_centre, a, b, n, c->r, other_cylinder->r,
                           first_ends
                             ? hn_feature(HN_VERTEX_EDGE, HN_RIM + end, HN_SIDE)
                             : hn_feature(HN_EDGE_VERTEX, HN_SIDE, HN_RIM + (sign > 0 ? end : !end)));
  }
}

/* Adds the facing points of the best axis, on sides or rims. */
static void add_facing(const hn_cylinders *s, hn_manifold *out)
{
  const hn_best_axis *best = &s->best;
  const double along = vec_dot(best->n, s->v);
  double a[3], b[3], across[3];
  vec_copy(a, best->a), vec_copy(b, best->b);
  vec_along(across, best->n, -along, s->v);
  const double skin_a = fabs(best->n[1]) > hn_cos_level ? 0.0 : hn_onto_axis(best->n, a);
  const double skin_b = fabs(along) > hn_cos_level ? 0.0 : s->c[1].r / vec_norm(across);
  vec_add_scaled(b, skin_b, best->n);
  hn_manifold_add_free(out, hn_cylinder_centre, a, b, best->n, skin_a, skin_b,
                       hn_feature(HN_RIM_POINT, best->i, best->j));
}

void hn_cylinders_build(const hn_cylinders *s, double margin, hn_manifold *out)
{
  static const double y[3] = { 0, 1, 0 };
  const hn_best_axis *best = &s->best;
  manifold_builder m = { .s = s, .margin = margin, .least_gap = HUGE_VAL, .out = out };
  const double bound = s->best.gap + HN_MANIFOLD_TIES * s->tie;
  for (int which = 0; which < 2 && !(m.least_gap <= bound); which++) {
    if (!(fabs(vec_dot(best->n, which ? s->v : y)) > hn_cos_aligned)) continue;
    out->count = 0, m.least_gap = HUGE_VAL;
    add_on_end(&m, which);
  }
  if (fabs(s->v[1]) > hn_cos_aligned && fabs(best->n[1]) < hn_sin_aligned) add_parallel(&m);
  if (m.least_gap <= bound || best->i >= HN_END || best->j >= HN_END) return;
  if (best->gap < margin) add_facing(s, out);
}
