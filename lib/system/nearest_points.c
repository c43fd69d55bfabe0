/* nearest_points.c - nearest points of two cores as power series (see nearest_points.h).
 *
 * The nearest point of an ellipsoid to a plane is a function of the poses. Otherwise the unknowns are two
 * numbers alpha: the position along a line, or the angle on a circle from the nearest
 * point at coefficient 0. Coefficient 0 is found by Newton's method. Coefficient k of alpha enters the
 * equations of order k linearly, with Newton's matrix: every further coefficient takes one solution of a 2 x
 * 2 system. */
#include "system/nearest_points.h"
#include "base/product.h"
#include "base/vec.h"
#include "elementary.h"

/* Indices of the series of one side; positions are relative to the centre of mass of a: the core's `at` and
 * axis, axes in the plane of a circle, the first of them in body axes (constant), alpha, the nearest point,
 * its tangent. */
enum { PLACE = 0, AXIS = 3, FIRST = 6, SECOND = 9, OWN = 12, ALPHA = 15, COSINE, SINE, POINT, TAU = 21 };
/* An ellipsoid instead has its half axes, their extents along the normal, the root of the sum of their
 * squares, and their quotients by it. */
enum { HALF = 6, EXTENT = 15, ROOT = 3, QUOTIENT = 21 };
/* Indices of common series and of scratch. */
enum {
  NORMAL = HN_NEAREST_NORMAL,
  REACH = HN_NEAREST_REACH,
  ARM = HN_NEAREST_ARM,
  SPAN = HN_NEAREST_SCRATCH,
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
_Static_assert((int)END <= (int)HN_NEAREST_SERIES, "room for all series");

/* Smallest sines: between directions that define a common normal, and between a disc and its plane. Below
 * them collision detection represents the contact by points fixed to a body. */
static const double parallel = 1e-3, flat = 1e-9;
/* Bounds on the changes of alpha in Newton's method, m or 1: below near_rounding it ends when a change is not
 * half the one before; `converged` is the largest last change of a solution. */
static const double near_rounding = 1e-10, converged = 1e-6;
enum { MAX_NEWTON_STEPS = 50 }; /* a bound for failures: convergence is quadratic */

static bool is_curve(const hn_core *core)
{
  return core->kind == HN_CORE_LINE || core->kind == HN_CORE_CIRCLE;
}

/* True if an alpha is unknown: else cores are points and planes, whose equations hold. */
static bool has_curve(const hn_moving_contact *m)
{
  return is_curve(&m->core[0]) || is_curve(&m->core[1]);
}

static const hn_core *plane_of(const hn_moving_contact *m)
{
  return m->core[0].kind == HN_CORE_PLANE   ? &m->core[0]
         : m->core[1].kind == HN_CORE_PLANE ? &m->core[1]
                                            : NULL;
}

static double *side_of(const hn_nearest_points *p, int side)
{
  return p->work + (size_t)(side * HN_NEAREST_SIDE) * p->n;
}

/* Returns coefficient k of the dot product of two vectors of series. */
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

/* Copies coefficient 0 of a vector of series. */
static void value_of(const double *series, size_t n, double out[3])
{
  for (size_t c = 0; c < 3; c++) out[c] = series[c * n];
}

/* Computes coefficient k of R v. */
static void rotate(const hn_body_jet *body, const double v[3], size_t k, size_t n, double *out)
{
  for (size_t c = 0; c < 3; c++) out[c * n + k] = vec_dot(body->power[k].R + 3 * c, v);
}

/* Computes the unit vector along v; false if v is negligible beside SIZE. */
static bool normalised(double out[3], const double v[3], double size)
{
  const double length = vec_norm(v);
  vec_scale(out, 1.0 / length, v);
  return length > flat * size;
}

/* ---- Nearest points ----------------------------------------------------------------------------------- */

/* Computes coefficient k of the series that do not depend on alpha, except the axes of a circle for k = 0. */
static void set_side(const hn_nearest_points *p, int side, size_t k)
{
  const hn_core *core = &p->moving->core[side];
  const hn_body_jet *body = p->body[side];
  double *s = side_of(p, side), second[3], first[3];
  const size_t n = p->n;
  rotate(body, core->at, k, n, s + PLACE * n);
  rotate(body, core->axis, k, n, s + AXIS * n);
  for (size_t c = 0; c < 3 && side; c++)
    s[(PLACE + c) * n + k] += body->power[k].x[c] - p->body[0]->power[k].x[c];
  for (size_t c = 0; c < 3 && core->kind == HN_CORE_ELLIPSOID; c++)
    rotate(body, core->half + 3 * c, k, n, s + (HALF + 3 * c) * n);
  if (core->kind != HN_CORE_CIRCLE || k == 0) return;
  value_of(s + OWN * n, n, first);
  vec_cross(second, core->axis, first);
  rotate(body, first, k, n, s + FIRST * n);
  rotate(body, second, k, n, s + SECOND * n);
}

/* Adds coefficient k of the point of an ellipsoid that is nearest to a plane: the sum of y_i / |y| times the
 * half axes with extents y_i along the normal towards the plane. */
static void add_extreme_point(const hn_nearest_points *p, int side, size_t k)
{
  const double *normal = p->work + NORMAL * p->n;
  const size_t n = p->n;
  double *s = side_of(p, side), *extent = s + EXTENT * n, *root = s + ROOT * n, *quotient = s + QUOTIENT * n;
  double square = 0.0;
  for (size_t c = 0; c < 3; c++) {
    extent[c * n + k] = (side ? -1.0 : 1.0) * dot_coefficient(s + (HALF + 3 * c) * n, normal, n, k);
    square += convolution(extent + c * n, extent + c * n, k + 1);
  }
  if (k > 1) square -= square_coefficient(root + 1, k - 2);
  root[k] = k == 0 ? sqrt(square) : square / (2.0 * root[0]);
  for (size_t c = 0; c < 3; c++)
    quotient[c * n + k] = (extent[c * n + k] - (k ? convolution(root + 1, quotient + c * n, k) : 0.0)) /
                          root[0];
  for (size_t c = 0; c < 3; c++)
    for (size_t i = 0; i < 3; i++)
      s[(POINT + i) * n + k] += convolution(quotient + c * n, s + (HALF + 3 * c + i) * n, k + 1);
}

/* Sets coefficient k of alpha and computes coefficient k of the point and its tangent. */
static void set_point(const hn_nearest_points *p, int side, size_t k, double alpha)
{
  const hn_core *core = &p->moving->core[side];
  const size_t n = p->n;
  double *s = side_of(p, side), *angle = s + ALPHA * n, *cosine = s + COSINE * n, *sine = s + SINE * n;
  /* centre of a circle, point of a plane or itself, or point of a line */
  if (core->kind != HN_CORE_ELLIPSOID) angle[k] = alpha;
  for (size_t c = 0; c < 3; c++) {
    s[(POINT + c) * n + k] = s[(PLACE + c) * n + k];
    if (core->kind != HN_CORE_LINE) continue;
    s[(POINT + c) * n + k] += convolution(angle, s + (AXIS + c) * n, k + 1);
    s[(TAU + c) * n + k] = s[(AXIS + c) * n + k];
  }
  if (core->kind == HN_CORE_ELLIPSOID && plane_of(p->moving)) add_extreme_point(p, side, k);
  if (core->kind != HN_CORE_CIRCLE) return;
  /* cosine' = -angle' sine, sine' = angle' cosine; then the point of a circle */
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

/* Sets the normal if a core is a plane: from a to b. */
static void set_plane(const hn_nearest_points *p, size_t k)
{
  const hn_core *plane = plane_of(p->moving);
  const bool on_b = plane == &p->moving->core[1];
  const double *axis = side_of(p, on_b) + AXIS * p->n;
  for (size_t i = k; i < 3 * p->n && plane; i += p->n) p->work[NORMAL * p->n + i] = on_b ? -axis[i] : axis[i];
}

/* Evaluates coefficient k of the equations of both sides. */
static void residuals(const hn_nearest_points *p, size_t k, double residual[2])
{
  const size_t n = p->n;
  const double *a = side_of(p, 0), *b = side_of(p, 1);
  const double *across = p->work + (plane_of(p->moving) ? NORMAL : SPAN) * n;
  for (size_t i = k; i < 3 * n; i += n) p->work[SPAN * n + i] = b[POINT * n + i] - a[POINT * n + i];
  for (int side = 0; side < 2; side++)
    residual[side] = is_curve(&p->moving->core[side])
                       ? dot_coefficient(across, side_of(p, side) + TAU * n, n, k)
                       : 0.0;
}

/* Computes the derivatives of the equations by both alpha at coefficient 0, row by row. */
static void set_matrix(const hn_nearest_points *p)
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

/* Solves for the changes of both alpha that make the residuals zero. */
static void correct(const hn_nearest_points *p, const double residual[2], double change[2])
{
  const double *M = p->work + MATRIX * p->n;
  const size_t n = p->n;
  const double det = M[0] * M[3 * n] - M[n] * M[2 * n];
  change[0] = -(M[3 * n] * residual[0] - M[n] * residual[1]) / det;
  change[1] = -(M[0] * residual[1] - M[2 * n] * residual[0]) / det;
}

/* Sets the axes of the circle of SIDE, the first one as close as possible to TOWARDS. */
static bool set_circle_axes(const hn_nearest_points *p, int side, const double towards[3])
{
  const size_t n = p->n;
  double *s = side_of(p, side), axis[3], first[3], second[3];
  value_of(s + AXIS * n, n, axis);
  vec_copy(first, towards);
  vec_add_scaled(first, -vec_dot(axis, first), axis);
  const bool found = normalised(first, first, vec_norm(towards));
  /* Repeat the projection: for a nearly flat disc little of the vector is left, and rounding matters. */
  vec_add_scaled(first, -vec_dot(axis, first), axis);
  vec_cross(second, axis, first);
  for (size_t c = 0; c < 3; c++) s[(FIRST + c) * n] = first[c], s[(SECOND + c) * n] = second[c];
  return found;
}

/* Initialises alpha. A circle is turned towards a plane or a point, which solves its equation, or else to its
 * previous nearest point. */
static bool start_alpha(const hn_nearest_points *p, int side)
{
  const hn_core *core = &p->moving->core[side], *other = &p->moving->core[!side];
  const size_t n = p->n;
  const double *own = side_of(p, side) + PLACE * n, *at = side_of(p, !side) + PLACE * n;
  double towards[3];
  if (core->kind == HN_CORE_ELLIPSOID) return true;
  side_of(p, side)[ALPHA * n] = 0.0;
  if (core->kind != HN_CORE_CIRCLE) return true;
  vec_copy(towards, p->moving->near[side]);
  for (size_t c = 0; c < 3 && other->kind == HN_CORE_PLANE; c++)
    towards[c] = (side ? -1.0 : 1.0) * p->work[(NORMAL + c) * n];
  for (size_t c = 0; c < 3 && other->kind == HN_CORE_POINT; c++) towards[c] = at[c * n] - own[c * n];
  return set_circle_axes(p, side, towards);
}

/* Moves the point of SIDE by CHANGE; a circle turns by the angle whose tangent is CHANGE. */
static void move_point(const hn_nearest_points *p, int side, double change)
{
  const size_t n = p->n;
  double *s = side_of(p, side), towards[3];
  if (p->moving->core[side].kind == HN_CORE_CIRCLE) {
    for (size_t c = 0; c < 3; c++) towards[c] = s[(FIRST + c) * n] + change * s[(SECOND + c) * n];
    set_circle_axes(p, side, towards);
    set_point(p, side, 0, 0.0);
  } else {
    set_point(p, side, 0, s[ALPHA * n] + change);
  }
}

/* Computes coefficient 0 by Newton's method, until changes are rounding errors. Stores whether it converged
 * in FOUND. */
static void solve_nearest(const hn_nearest_points *p)
{
  const size_t n = p->n;
  double residual[2], change[2], last = HUGE_VAL;
  set_plane(p, 0);
  const bool started = start_alpha(p, 0) && start_alpha(p, 1);
  for (int side = 0; side < 2; side++) set_point(p, side, 0, 0.0);
  residuals(p, 0, residual);
  set_matrix(p);
  if (!has_curve(p->moving)) {
    p->work[FOUND * n] = started;
    return;
  }
  /* Newton's method */
  for (int i = 0; i < MAX_NEWTON_STEPS; i++) {
    correct(p, residual, change);
    const double size = hn_hypot(change[0], change[1]);
    if (!(size < near_rounding && size >= 0.5 * last)) last = size;
    else break;
    if (!(size > 0.0)) break;
    for (int side = 0; side < 2; side++)
      if (is_curve(&p->moving->core[side])) move_point(p, side, change[side]);
    residuals(p, 0, residual);
    set_matrix(p);
  }
  /* axes of circles, fixed to the bodies from now on */
  for (int side = 0; side < 2; side++) {
    double first[3], own[3];
    if (p->moving->core[side].kind != HN_CORE_CIRCLE) continue;
    value_of(side_of(p, side) + FIRST * n, n, first);
    mat_tvec(own, p->body[side]->power[0].R, first);
    for (size_t c = 0; c < 3; c++) side_of(p, side)[(OWN + c) * n] = own[c];
  }
  p->work[FOUND * n] = started && last < converged;
}

/* ---- Normal, tangents and contact point --------------------------------------------------------------- */

/* Computes coefficient k of SIGN v / |v|, from |v|^2 and (v / |v|) |v|, solved for the newest
 * coefficients. */
static void normalise(const double *v, double sign, size_t n, size_t k, double *length, double *out)
{
  double square = dot_coefficient(v, v, n, k);
  if (k > 1) square -= square_coefficient(length + 1, k - 2);
  length[k] = k == 0 ? sqrt(square) : square / (2.0 * length[0]);
  for (size_t i = 0; i < 3 * n; i += n)
    out[i + k] = (sign * v[i + k] - (k ? convolution(length + 1, out + i, k) : 0.0)) / length[0];
}

static void set_normal(const hn_nearest_points *p, size_t k)
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

static void set_tangents(const hn_nearest_points *p, size_t k)
{
  const size_t n = p->n;
  double *w = p->work, *normal = w + NORMAL * n, *along = w + ALONG * n;
  rotate(p->body[0], p->moving->tangent, k, n, w + TANGENT * n);
  along[k] = dot_coefficient(w + TANGENT * n, normal, n, k);
  for (size_t i = 0; i < 3 * n; i += n)
    w[ASIDE * n + i + k] = w[TANGENT * n + i + k] - convolution(along, normal + i, k + 1);
  normalise(w + ASIDE * n, 1.0, n, k, w + ASIDE_LENGTH * n, normal + 3 * n);
  cross_coefficient(normal, normal + 3 * n, n, k, normal + 6 * n);
}

double hn_nearest_set(const hn_nearest_points *p, size_t k)
{
  const hn_core *core = p->moving->core;
  const size_t n = p->n;
  double residual[2], change[2], *w = p->work;
  /* coefficient k of both points: one solution, since it enters linearly */
  for (int side = 0; side < 2; side++) set_side(p, side, k);
  if (k == 0) {
    solve_nearest(p);
  } else {
    set_plane(p, k);
    for (int side = 0; side < 2; side++) set_point(p, side, k, 0.0);
    residuals(p, k, residual);
    correct(p, residual, change);
    for (int side = 0; side < 2; side++)
      if (is_curve(&core[side])) set_point(p, side, k, change[side]);
    if (has_curve(p->moving)) residuals(p, k, residual);
  }
  /* normal, tangents and contact point */
  set_normal(p, k), set_tangents(p, k);
  for (size_t c = 0, i = k; c < 3; c++, i += n) {
    w[REACH * n + i] = side_of(p, 1)[POINT * n + i] - core[1].skin * w[NORMAL * n + i];
    w[ARM * n + i] = w[REACH * n + i] - (p->body[1]->power[k].x[c] - p->body[0]->power[k].x[c]);
  }
  return dot_coefficient(w + NORMAL * n, w + SPAN * n, n, k) - (k == 0 ? core[0].skin + core[1].skin : 0.0);
}

void hn_nearest_direction(const hn_nearest_points *p, int side, size_t k, double out[3])
{
  const double *s = side_of(p, side), radius = p->moving->core[side].radius;
  for (size_t c = 0; c < 3; c++) out[c] = (s[(POINT + c) * p->n + k] - s[(PLACE + c) * p->n + k]) / radius;
}

bool hn_nearest_is_smooth(const hn_nearest_points *p)
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
  if (core[0].kind == HN_CORE_ELLIPSOID || core[1].kind == HN_CORE_ELLIPSOID) return false;
  if (!(det > parallel * parallel * size)) return false;
  if (is_curve(&core[0]) && is_curve(&core[1])) return p->work[LENGTH * n] > parallel;
  return skins > 0.0 && p->work[LENGTH * n] > parallel * skins;
}
