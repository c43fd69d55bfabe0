/* nearest_points.c - where two cores are nearest, as power series (see nearest_points.h).
 *
 * That is two numbers alpha: along a line, or an angle on a circle, from where it is at coefficient 0, which
 * is found by Newton's method. Coefficient k of alpha enters the equations of order k linearly, with the
 * matrix that Newton's method had, so that every further one takes one solution of two by two. */
#include "system/nearest_points.h"
#include "base/product.h"
#include "base/vec.h"
#include "elementary.h"

/* Short names, in this file, of series of a side; and of both, in the scratch. */
enum {
  PLACE = HN_MEET_PLACE,
  AXIS = HN_MEET_AXIS,
  FIRST = HN_MEET_FIRST,
  SECOND = HN_MEET_SECOND,
  OWN = HN_MEET_OWN,
  ALPHA = HN_MEET_ALPHA,
  COSINE = HN_MEET_COSINE,
  SINE = HN_MEET_SINE,
  POINT = HN_MEET_POINT,
  TAU = HN_MEET_TAU
};
enum {
  NORMAL = HN_MEET_NORMAL,
  REACH = HN_MEET_REACH,
  ARM = HN_MEET_ARM,
  SPAN = HN_MEET_SCRATCH,
  ACROSS = SPAN + 3,
  LENGTH = ACROSS + 3,
  ASIDE = LENGTH + 1,
  ASIDE_LENGTH = ASIDE + 3,
  TANGENT = ASIDE_LENGTH + 1,
  ALONG = TANGENT + 3,
  MATRIX = ALONG + 1,
  FOUND = MATRIX + 4,
  END = FOUND + 1
};
_Static_assert((int)END <= (int)HN_MEET_SERIES, "room for all series");

/* Sines between directions that have no common normal, and of a disc that lies flat, which collision holds by
 * points that are fixed to it. */
static const double parallel = 1e-3, flat = 1e-9;

static bool is_curve(const hn_core *core)
{
  return core->kind == HN_CORE_LINE || core->kind == HN_CORE_CIRCLE;
}

static const hn_core *plane_of(const hn_moving *m)
{
  return m->core[0].kind == HN_CORE_PLANE   ? &m->core[0]
         : m->core[1].kind == HN_CORE_PLANE ? &m->core[1]
                                            : NULL;
}

static double *side_of(const hn_meet *p, int side)
{
  return p->work + (size_t)(side * HN_MEET_SIDE) * p->n;
}

/* Component c of a vector of series, and its coefficient k of a dot product. */
static double dot_coefficient(const double *a, const double *b, size_t n, size_t k)
{
  return convolution(a, b, k + 1) + convolution(a + n, b + n, k + 1) +
         convolution(a + 2 * n, b + 2 * n, k + 1);
}

static void cross_coefficient(const double *a, const double *b, size_t n, size_t k, double *out)
{
  for (size_t c = 0; c < 3; c++) {
    const size_t d = (c + 1) % 3 * n, e = (c + 2) % 3 * n;
    out[c * n + k] = convolution(a + d, b + e, k + 1) - convolution(a + e, b + d, k + 1);
  }
}

/* Coefficient 0 of three series. */
static void value_of(const double *series, size_t n, double out[3])
{
  for (size_t c = 0; c < 3; c++) out[c] = series[c * n];
}

/* Coefficient k of R v. */
static void turn(const hn_body_jet *body, const double v[3], size_t k, size_t n, double *out)
{
  for (size_t c = 0; c < 3; c++) out[c * n + k] = vec_dot(body->power[k].R + 3 * c, v);
}

/* Unit vector along V; false where that is next to nothing beside SIZE. */
static bool unit(double out[3], const double v[3], double size)
{
  const double length = vec_norm(v);
  vec_scale(out, 1.0 / length, v);
  return length > flat * size;
}

/* ---- Where the cores are nearest ----------------------------------------------------------------------- */

/* What does not depend on alpha, but for the axes of a circle at coefficient 0. */
static void set_side(const hn_meet *p, int side, size_t k)
{
  const hn_core *core = &p->moving->core[side];
  const hn_body_jet *body = p->body[side];
  double *s = side_of(p, side), second[3], first[3];
  const size_t n = p->n;
  turn(body, core->at, k, n, s + PLACE * n);
  turn(body, core->axis, k, n, s + AXIS * n);
  for (size_t c = 0; c < 3 && side; c++)
    s[(PLACE + c) * n + k] += body->power[k].x[c] - p->body[0]->power[k].x[c];
  if (core->kind != HN_CORE_CIRCLE || k == 0) return;
  value_of(s + OWN * n, n, first);
  vec_cross(second, core->axis, first);
  turn(body, first, k, n, s + FIRST * n);
  turn(body, second, k, n, s + SECOND * n);
}

/* Coefficient k of the point and its tangent, with coefficient k of alpha. */
static void set_point(const hn_meet *p, int side, size_t k, double alpha)
{
  const hn_core *core = &p->moving->core[side];
  const size_t n = p->n;
  double *s = side_of(p, side), *angle = s + ALPHA * n, *cosine = s + COSINE * n, *sine = s + SINE * n;
  angle[k] = alpha;
  for (size_t c = 0; c < 3; c++) {
    s[(POINT + c) * n + k] = s[(PLACE + c) * n + k];
    if (core->kind != HN_CORE_LINE) continue;
    s[(POINT + c) * n + k] += convolution(angle, s + (AXIS + c) * n, k + 1);
    s[(TAU + c) * n + k] = s[(AXIS + c) * n + k];
  }
  if (core->kind != HN_CORE_CIRCLE) return;
  cosine[k] = k == 0, sine[k] = 0.0;
  for (size_t j = 1; j <= k; j++) {
    const double rate = (double)j / (double)k * angle[j];
    cosine[k] -= rate * sine[k - j], sine[k] += rate * cosine[k - j];
  }
  for (size_t c = 0; c < 3; c++) {
    const double *first = s + (FIRST + c) * n, *second = s + (SECOND + c) * n;
    s[(POINT + c) * n + k] += core->radius *
                              (convolution(cosine, first, k + 1) + convolution(sine, second, k + 1));
    s[(TAU + c) * n + k] = convolution(cosine, second, k + 1) - convolution(sine, first, k + 1);
  }
}

/* The normal, if it is that of a plane: from a to b. */
static void set_plane(const hn_meet *p, size_t k)
{
  const hn_core *plane = plane_of(p->moving);
  const bool on_b = plane == &p->moving->core[1];
  const double *axis = side_of(p, on_b) + AXIS * p->n;
  for (size_t i = k; i < 3 * p->n && plane; i += p->n) p->work[NORMAL * p->n + i] = on_b ? -axis[i] : axis[i];
}

/* Coefficient k of the equations of both sides: what is to be across their tangents. */
static void miss(const hn_meet *p, size_t k, double off[2])
{
  const size_t n = p->n;
  const double *a = side_of(p, 0), *b = side_of(p, 1);
  const double *across = p->work + (plane_of(p->moving) ? NORMAL : SPAN) * n;
  for (size_t i = k; i < 3 * n; i += n) p->work[SPAN * n + i] = b[POINT * n + i] - a[POINT * n + i];
  for (int side = 0; side < 2; side++)
    off[side] = is_curve(&p->moving->core[side]) ? dot_coefficient(across, side_of(p, side) + TAU * n, n, k)
                                                 : 0.0;
}

/* The derivatives of coefficient 0 of the equations by both alpha, row by row. */
static void set_matrix(const hn_meet *p)
{
  const size_t n = p->n;
  const bool plane = plane_of(p->moving) != NULL;
  double across[3], tau[2][3], *M = p->work + MATRIX * n;
  value_of(p->work + (plane ? NORMAL : SPAN) * n, n, across);
  for (int side = 0; side < 2; side++) value_of(side_of(p, side) + TAU * n, n, tau[side]);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      const hn_core *core = &p->moving->core[j];
      const double speed = core->kind == HN_CORE_CIRCLE ? core->radius : 1.0;
      double *entry = &M[(size_t)(2 * i + j) * n];
      *entry = i == j;
      if (!is_curve(&p->moving->core[i]) || !is_curve(core)) continue;
      *entry = plane ? 0.0 : (j ? 1.0 : -1.0) * speed * vec_dot(tau[i], tau[j]);
      if (i != j || core->kind != HN_CORE_CIRCLE) continue;
      double outward[3];
      value_of(side_of(p, j) + FIRST * n, n, outward); /* the tangent turns inwards */
      *entry -= vec_dot(across, outward);
    }
}

/* Changes of both alpha that take OFF away. */
static void correct(const hn_meet *p, const double off[2], double change[2])
{
  const double *M = p->work + MATRIX * p->n;
  const size_t n = p->n;
  const double det = M[0] * M[3 * n] - M[n] * M[2 * n];
  change[0] = -(M[3 * n] * off[0] - M[n] * off[1]) / det;
  change[1] = -(M[0] * off[1] - M[2 * n] * off[0]) / det;
}

/* Axes of the circle of SIDE whose first one is as near to TOWARDS as it can be. */
static bool face(const hn_meet *p, int side, const double towards[3])
{
  const size_t n = p->n;
  double *s = side_of(p, side), axis[3], first[3], second[3];
  value_of(s + AXIS * n, n, axis);
  vec_copy(first, towards);
  vec_add_scaled(first, -vec_dot(axis, first), axis);
  const bool found = unit(first, first, vec_norm(towards));
  /* Again, where little was left, of a disc that is nearly flat. */
  vec_add_scaled(first, -vec_dot(axis, first), axis);
  vec_cross(second, axis, first);
  for (size_t c = 0; c < 3; c++) s[(FIRST + c) * n] = first[c], s[(SECOND + c) * n] = second[c];
  return found;
}

/* The circle of SIDE faces a plane or a point, which is the answer, or what it faced before. */
static bool begin(const hn_meet *p, int side)
{
  const hn_core *core = &p->moving->core[side], *other = &p->moving->core[!side];
  const size_t n = p->n;
  const double *own = side_of(p, side) + PLACE * n, *at = side_of(p, !side) + PLACE * n;
  double towards[3];
  side_of(p, side)[ALPHA * n] = 0.0;
  if (core->kind != HN_CORE_CIRCLE) return true;
  vec_copy(towards, p->moving->near[side]);
  for (size_t c = 0; c < 3 && other->kind == HN_CORE_PLANE; c++)
    towards[c] = (side ? -1.0 : 1.0) * p->work[(NORMAL + c) * n];
  for (size_t c = 0; c < 3 && other->kind == HN_CORE_POINT; c++) towards[c] = at[c * n] - own[c * n];
  return face(p, side, towards);
}

/* Moves along SIDE by CHANGE: a circle turns by the angle whose tangent that is. */
static void step(const hn_meet *p, int side, double change)
{
  const size_t n = p->n;
  double *s = side_of(p, side), towards[3];
  if (p->moving->core[side].kind == HN_CORE_CIRCLE) {
    for (size_t c = 0; c < 3; c++) towards[c] = s[(FIRST + c) * n] + change * s[(SECOND + c) * n];
    face(p, side, towards);
    set_point(p, side, 0, 0.0);
  } else {
    set_point(p, side, 0, s[ALPHA * n] + change);
  }
}

/* Coefficient 0: Newton's method, until rounding is all that changes. */
static void find(const hn_meet *p)
{
  enum { MOST = 50 };
  const size_t n = p->n;
  double off[2], change[2], last = HUGE_VAL;
  set_plane(p, 0);
  const bool begun = begin(p, 0) && begin(p, 1);
  for (int side = 0; side < 2; side++) set_point(p, side, 0, 0.0);
  miss(p, 0, off);
  set_matrix(p);
  for (int i = 0; i < MOST; i++) {
    correct(p, off, change);
    const double size = hn_hypot(change[0], change[1]);
    if (!(size < 1e-10 && size >= 0.5 * last)) last = size;
    else break;
    if (!(size > 0.0)) break;
    for (int side = 0; side < 2; side++)
      if (is_curve(&p->moving->core[side])) step(p, side, change[side]);
    miss(p, 0, off);
    set_matrix(p);
  }
  for (int side = 0; side < 2; side++) {
    double first[3], own[3];
    if (p->moving->core[side].kind != HN_CORE_CIRCLE) continue;
    value_of(side_of(p, side) + FIRST * n, n, first);
    mat_tvec(own, p->body[side]->power[0].R, first);
    for (size_t c = 0; c < 3; c++) side_of(p, side)[(OWN + c) * n] = own[c];
  }
  p->work[FOUND * n] = begun && last < 1e-6;
}

/* ---- Normal, tangents and the place of contact --------------------------------------------------------- */

/* Coefficient k of V / |V|, times SIGN: |V|^2 and (V / |V|) |V|, solved for the newest coefficients. */
static void normalise(const double *v, double sign, size_t n, size_t k, double *length, double *out)
{
  double square = dot_coefficient(v, v, n, k);
  if (k > 1) square -= square_coefficient(length + 1, k - 2);
  length[k] = k == 0 ? sqrt(square) : square / (2.0 * length[0]);
  for (size_t i = 0; i < 3 * n; i += n)
    out[i + k] = (sign * v[i + k] - (k ? convolution(length + 1, out + i, k) : 0.0)) / length[0];
}

static void set_normal(const hn_meet *p, size_t k)
{
  const size_t n = p->n;
  double *w = p->work, *across = w + ACROSS * n;
  const bool both = is_curve(&p->moving->core[0]) && is_curve(&p->moving->core[1]);
  if (plane_of(p->moving)) return;
  if (both) cross_coefficient(side_of(p, 0) + TAU * n, side_of(p, 1) + TAU * n, n, k, across);
  else
    for (size_t i = k; i < 3 * n; i += n) across[i] = w[SPAN * n + i];
  normalise(across, both ? p->moving->sign : 1.0, n, k, w + LENGTH * n, w + NORMAL * n);
}

static void set_tangents(const hn_meet *p, size_t k)
{
  const size_t n = p->n;
  double *w = p->work, *normal = w + NORMAL * n, *along = w + ALONG * n;
  turn(p->body[0], p->moving->tangent, k, n, w + TANGENT * n);
  along[k] = dot_coefficient(w + TANGENT * n, normal, n, k);
  for (size_t i = 0; i < 3 * n; i += n)
    w[ASIDE * n + i + k] = w[TANGENT * n + i + k] - convolution(along, normal + i, k + 1);
  normalise(w + ASIDE * n, 1.0, n, k, w + ASIDE_LENGTH * n, normal + 3 * n);
  cross_coefficient(normal, normal + 3 * n, n, k, normal + 6 * n);
}

/* Coefficient k of all series; that of the gap. */
double hn_meet_set(const hn_meet *p, size_t k)
{
  const hn_core *core = p->moving->core;
  const size_t n = p->n;
  double off[2], change[2], *w = p->work;
  for (int side = 0; side < 2; side++) set_side(p, side, k);
  if (k == 0) {
    find(p);
  } else {
    set_plane(p, k);
    for (int side = 0; side < 2; side++) set_point(p, side, k, 0.0);
    miss(p, k, off);
    correct(p, off, change);
    for (int side = 0; side < 2; side++)
      if (is_curve(&core[side])) set_point(p, side, k, change[side]);
    miss(p, k, off);
  }
  set_normal(p, k), set_tangents(p, k);
  for (size_t c = 0, i = k; c < 3; c++, i += n) {
    w[REACH * n + i] = side_of(p, 1)[POINT * n + i] - core[1].skin * w[NORMAL * n + i];
    w[ARM * n + i] = w[REACH * n + i] - (p->body[1]->power[k].x[c] - p->body[0]->power[k].x[c]);
  }
  return dot_coefficient(w + NORMAL * n, w + SPAN * n, n, k) - (k == 0 ? core[0].skin + core[1].skin : 0.0);
}

void hn_meet_direction(const hn_meet *p, int side, size_t k, double out[3])
{
  const double *s = side_of(p, side), radius = p->moving->core[side].radius;
  for (size_t c = 0; c < 3; c++) out[c] = (s[(POINT + c) * p->n + k] - s[(PLACE + c) * p->n + k]) / radius;
}

bool hn_meet_is_smooth(const hn_meet *p)
{
  const hn_core *core = p->moving->core;
  const size_t n = p->n;
  const double *M = p->work + MATRIX * n, skins = core[0].skin + core[1].skin;
  double size = 1.0;
  if (p->work[FOUND * n] == 0.0) return false;
  for (int side = 0; side < 2; side++)
    if (core[side].kind == HN_CORE_CIRCLE && !plane_of(p->moving)) size *= core[side].radius;
  const double det = fabs(M[0] * M[3 * n] - M[n] * M[2 * n]);
  if (plane_of(p->moving)) return det > flat;
  if (!(det > parallel * parallel * size)) return false;
  if (is_curve(&core[0]) && is_curve(&core[1])) return p->work[LENGTH * n] > parallel;
  return skins > 0.0 && p->work[LENGTH * n] > parallel * skins;
}
