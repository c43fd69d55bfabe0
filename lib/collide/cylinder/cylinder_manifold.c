/* cylinder_manifold.c - the manifold of two cylinders along the axis that has been found: an end of one, and
 * what of the other lies on it; sides that are parallel; else the two points that face each other. */
#include "base/vec.h"
#include "collide/cylinder/cylinder_pair.h"
#include "elementary.h"

void hn_cylinders_seen_from(const hn_cylinders *s, int which, double x[3], double d[3])
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

static const double zero[3] = { 0, 0, 0 };

/* In the axes of cylinder WHICH, of which the end HIGH is level with the normal N. */
typedef struct builder {
  const hn_cylinders *s;
  int which;
  double n[3], margin, least, x[3], d[3], R[9]; /* the other one's place */
  const hn_cylinder *on, *of;
  bool high;
  hn_manifold *out;
} builder;

/* Point P of the other cylinder above the end, at its foot or the point Q. */
static void add(builder *m, const double p[3], const double *q, hn_touch_kind kind, int i, int j)
{
  double end = m->high ? m->on->h : -m->on->h, gap = (m->high ? 1 : -1) * (p[1] - end);
  const double foot[3] = { p[0], end, p[2] };
  m->least = fmin(m->least, gap);
  if (!(gap < m->margin)) return;
  if (!q) q = foot;
  if (m->which == 0) {
    hn_manifold_add(m->out, zero, q, p, m->n, 0, 0, false, hn_feature(kind, i, j));
    return;
  }
  const double *R = m->s->placed[1]->R;
  hn_touch_kind swapped = kind == HN_EDGE_EDGE ? kind : HN_FACE_VERTEX + HN_VERTEX_FACE - kind;
  double a[3], b[3], n[3];
  mat_vec(a, R, p);
  mat_vec(b, R, q);
  mat_vec(n, R, m->n);
  vec_scale(n, -1, n);
  hn_manifold_add(m->out, m->s->w, a, b, n, 0, 0, true, hn_feature(swapped, j, i));
}

static bool in_disc(const hn_cylinder *c, double x, double z)
{
  return sqrt(x * x + z * z) <= c->r * (1 + hn_side_tolerance);
}

/* The other one's axes: point (X, Y, Z) there. */
static void other_point(const builder *m, double x, double y, double z, double out[3])
{
  const double local[3] = { x, y, z };
  mat_vec(out, m->R, local);
  vec_add(out, out, m->x);
}

/* The lowest point of the other one's rim END. */
static void lowest_point(const builder *m, bool end, double p[3])
{
  double down[3], local[3];
  vec_scale(down, -1, m->n);
  mat_tvec(local, m->R, down);
  double rim[3];
  hn_rim_point(m->of->r, end ? m->of->h : -m->of->h, local, rim);
  other_point(m, rim[0], rim[1], rim[2], p);
}

/* A side that lies on the end: its line nearest to it, cut by the rim. */
static void add_lying(builder *m)
{
  double p[2][3], fraction[2];
  for (int end = 0; end < 2; end++) {
    lowest_point(m, end, p[end]);
    if (in_disc(m->on, p[end][0], p[end][2]))
      add(m, p[end], NULL, HN_FACE_VERTEX, HN_END + m->high, HN_RIM + end);
  }
  int count = hn_circle_crossings(m->on->r, p[0], p[1], fraction);
  for (int k = 0; k < count; k++) {
    double x[3];
    for (int i = 0; i < 3; i++) x[i] = p[0][i] + fraction[k] * (p[1][i] - p[0][i]);
    bool leaves = x[0] * (p[1][0] - p[0][0]) + x[2] * (p[1][2] - p[0][2]) > 0;
    add(m, x, NULL, HN_EDGE_EDGE, HN_RIM + m->high + (leaves ? HN_SECOND : 0), HN_SIDE);
  }
}

/* Turns the angle (X, Z) of a point of the other one's rim END until that is on this
 * rim, seen along the normal. */
static bool onto_rim(const builder *m, bool end, double angle, double p[3])
{
  double r = m->on->r, s = m->of->r, cosine, sine, rate[3];
  for (int i = 0; i < 20; i++) {
    hn_sincos(angle, &sine, &cosine);
    other_point(m, s * cosine, end ? m->of->h : -m->of->h, s * sine, p);
    mat_vec(rate, m->R, (double[3]){ -s * sine, 0, s * cosine });
    double off = 0.5 * (p[0] * p[0] + p[2] * p[2] - r * r), slope = p[0] * rate[0] + p[2] * rate[2];
    if (fabs(off) <= 4e-16 * r * r) return true;
    if (!(fabs(slope) > 1e-8 * r * s)) return false;
    angle -= off / slope;
  }
  return fabs(sqrt(p[0] * p[0] + p[2] * p[2]) - r) <= 1e-14 * r;
}

/* Where the rims cross, seen along the normal: as if the other end were level at first. */
static void add_rim_crossings(builder *m, bool end)
{
  double centre[3], r = m->on->r, s = m->of->r;
  other_point(m, 0, end ? m->of->h : -m->of->h, 0, centre);
  double square = centre[0] * centre[0] + centre[2] * centre[2], d = sqrt(square);
  if (!(d > fabs(r - s) && d < r + s)) return;
  double along = (square + r * r - s * s) / (2 * d), half = sqrt(fmax(r * r - along * along, 0));
  double u = centre[0] / d, v = centre[2] / d;
  for (int k = 0; k < 2; k++) {
    double side = k ? half : -half, p[3], local[3];
    const double to[3] = { along * u - side * v - centre[0], 0, along * v + side * u - centre[2] };
    mat_tvec(local, m->R, to);
    if (onto_rim(m, end, hn_atan2(local[2], local[0]), p))
      add(m, p, NULL, HN_EDGE_EDGE, HN_RIM + m->high + (k ? HN_SECOND : 0), HN_RIM + end);
  }
}

/* An end of the other one on the end. */
static void add_standing(builder *m)
{
  bool end = (m->d[1] > 0) != m->high;
  double p[3], plane[3], slope = m->d[1];
  other_point(m, 0, end ? m->of->h : -m->of->h, 0, plane);
  for (int k = 0; k < 4; k++) {
    double local[3];
    hn_rim_fixed(m->of, end, k, local);
    other_point(m, local[0], local[1], local[2], p);
    if (in_disc(m->on, p[0], p[2]))
      add(m, p, NULL, HN_FACE_VERTEX, HN_END + m->high, HN_RIM_FIXED + 4 * end + k);
  }
  for (int k = 0; k < 4; k++) { /* fixed points of this rim, below the other end */
    double q[3], local[3], to[3];
    hn_rim_fixed(m->on, m->high, k, q);
    vec_set(p, q[0], plane[1] - ((q[0] - plane[0]) * m->d[0] + (q[2] - plane[2]) * m->d[2]) / slope, q[2]);
    vec_sub(to, p, m->x);
    mat_tvec(local, m->R, to);
    /* One on both rims is in the list already. */
    double rho = sqrt(local[0] * local[0] + local[2] * local[2]);
    if (rho < m->of->r * (1 - hn_side_tolerance))
      add(m, p, q, HN_VERTEX_FACE, HN_RIM_FIXED + 4 * m->high + k, HN_END + end);
  }
  add_rim_crossings(m, end);
  if (!(sqrt(m->d[0] * m->d[0] + m->d[2] * m->d[2]) > hn_level)) return;
  lowest_point(m, end, p);
  if (in_disc(m->on, p[0], p[2])) add(m, p, NULL, HN_FACE_VERTEX, HN_END + m->high, HN_RIM + end);
}

static void add_on_end(builder *m, int which)
{
  const hn_cylinders *s = m->s;
  double n[3];
  m->which = which, m->on = &s->c[which], m->of = &s->c[!which];
  hn_cylinders_seen_from(s, which, m->x, m->d);
  vec_copy(n, s->best.n);
  if (which) mat_tvec(n, s->placed[1]->R, s->best.n), vec_scale(n, -1, n);
  m->high = n[1] > 0;
  vec_set(m->n, 0, m->high ? 1 : -1, 0);
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) m->R[3 * r + c] = s->placed[1]->R[which ? 3 * c + r : 3 * r + c];
  if (fabs(m->d[1]) > hn_upright) add_standing(m);
  else add_lying(m);
}

/* Sides that are parallel but for a thousandth: where both begin, and where both end, on the line of the
 * second one's side that is nearest to the first one. */
static void add_parallel(builder *m)
{
  const hn_cylinders *s = m->s;
  const hn_cylinder *c = &s->c[0], *of = &s->c[1];
  double across[3], middle[3], sign = s->v[1] > 0 ? 1 : -1;
  vec_copy(across, s->best.n);
  vec_add_scaled(across, -vec_dot(across, s->v), s->v);
  vec_copy(middle, s->w);
  vec_add_scaled(middle, -of->r / vec_norm(across), across);
  double half = of->h * fabs(s->v[1]), low = middle[1] - half, high = middle[1] + half,
         round = hn_side_tolerance * (c->h + half);
  for (int end = 0; end < 2; end++) {
    double own = end ? c->h : -c->h, other = end ? high : low, a[3], b[3], n[3];
    bool mine = end ? own <= other + round : own >= other - round;
    double y = mine ? own : other;
    if (fabs(y) > c->h + round || y < low - round || y > high + round) continue;
    vec_copy(b, middle);
    vec_add_scaled(b,
                   mine  ? fmax(-of->h, fmin(of->h, (y - middle[1]) / s->v[1]))
                   : end ? sign * of->h
                         : -sign * of->h,
                   s->v);
    double away = hn_across(b), gap = away - c->r;
    vec_set(n, b[0] / away, 0, b[2] / away);
    if (!(away > 0 && vec_dot(n, s->best.n) > hn_cos_aligned)) continue;
    hn_rim_point(c->r, b[1], b, a);
    m->least = fmin(m->least, gap);
    if (gap < m->margin)
      hn_manifold_add(m->out, zero, a, b, n, 0, 0, false,
                      mine ? hn_feature(HN_VERTEX_EDGE, HN_RIM + end, HN_SIDE)
                           : hn_feature(HN_EDGE_VERTEX, HN_SIDE, HN_RIM + (sign > 0 ? end : !end)));
  }
}

void hn_cylinders_build(const hn_cylinders *s, double margin, hn_manifold *out)
{
  static const double y[3] = { 0, 1, 0 };
  const hn_best_axis *best = &s->best;
  builder m = { .s = s, .margin = margin, .least = HUGE_VAL, .out = out };
  const double round = s->best.gap + 4 * s->better;
  for (int which = 0; which < 2 && !(m.least <= round); which++) {
    if (!(fabs(vec_dot(best->n, which ? s->v : y)) > hn_cos_aligned)) continue;
    out->count = 0, m.least = HUGE_VAL;
    add_on_end(&m, which);
  }
  if (fabs(s->v[1]) > hn_cos_aligned && fabs(best->n[1]) < 1e-3) add_parallel(&m);
  if (m.least <= round || best->i >= HN_END || best->j >= HN_END) return;
  if (best->gap < margin)
    hn_manifold_add(out, zero, best->a, best->b, best->n, 0, 0, false,
                    hn_feature(HN_RIM_POINT, best->i, best->j));
}
