/* cylinder.c - geometry shared by the pairs with cylinders (see cylinder.h).
 *
 * Nearest points of circle and line. Let t be measured from the point of the line nearest to the axis, rho(t)
 * the distance from the axis, k = 1 - d_y^2, and c the parameter where the line crosses the circle's plane.
 * Half the derivative of the squared distance is
 *
 *   g(t) = t - d_y^2 c - k r t / rho(t)
 *
 * For t > 0 the last term is concave, so g is convex and has at most one rising root. Newton's method from
 * its right, from t = d_y^2 c + r sqrt(k), descends to it monotonically. t < 0 is the mirror image. */
#include "collide/cylinder/cylinder.h"
#include "base/vec.h"

/* Newton's method needs more only at a double root; a fixed-point step gains three digits. */
enum { MAX_NEWTON_STEPS = 50, MAX_FIXED_POINT_STEPS = 8 };
/* Square of the sine between line and axis below which the line counts as along the axis. */
static const double along_sine_squared = 1e-6;
/* Relative distance from the axis below which the radial direction changes too fast for a fixed-point
 * step. */
static const double min_axis_distance = 1e-3;

double hn_cylinder_support(const hn_cylinder *c, const double n[3])
{
  return c->h * fabs(n[1]) + c->r * hn_across(n);
}

void hn_rim_fixed(const hn_cylinder *c, bool high, int k, double x[3])
{
  static const double at[4][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
  vec_set(x, c->r * at[k][0], high ? c->h : -c->h, c->r * at[k][1]);
}

void hn_rim_point(double r, double y, const double p[3], double x[3])
{
  double rho = hn_across(p);
  if (rho > 0) vec_set(x, r * (p[0] / rho), y, r * (p[2] / rho));
  else vec_set(x, r, y, 0);
}

double hn_onto_axis(const double n[3], double x[3])
{
  const double distance = hn_across(x) / hn_across(n);
  vec_add_scaled(x, -distance, n); /* the gap stays as it is, should N not meet the axis to rounding */
  return distance;
}

/* Returns the root t > 0 of g(t) = t - bias - k r t / rho(t), rho^2 = low^2 + k t^2; a value <= 0 if there is
 * none. */
static double rising_root(double r, double low, double k, double bias)
{
  double t = bias + r * sqrt(k);
  for (int i = 0; i < MAX_NEWTON_STEPS && t > 0; i++) {
    double square = low * low + k * t * t, rho = sqrt(square);
    double g = t - bias - k * r * t / rho, slope = 1 - k * r * low * low / (square * rho);
    if (!(slope > 0)) return -1;
    double next = t - g / slope;
    if (!(next < t)) break;
    t = next;
  }
  return t;
}

/* Computes the outward unit vector normal to the rim at X and to the line D; false if they are parallel. */
static bool common_normal(const double x[3], double y, const double d[3], double n[3])
{
  const double tangent[3] = { -x[2], 0, x[0] };
  vec_cross(n, tangent, d);
  double length = vec_norm(n), outward = n[0] * x[0] + n[2] * x[2] + (y < 0 ? -1 : 1) * n[1] * hn_across(x);
  if (!(length > hn_min_cross_length * hn_across(x))) return false;
  vec_scale(n, (outward < 0 ? -1 : 1) / length, n);
  return true;
}

/* Computes the outward unit vector normal to circle and line at the point P of the line: from their
 * directions, accurate for any distance; from the circle to P if they are parallel. Returns false if P is on
 * the circle then. */
static bool across_both(double r, double y, const double p[3], const double d[3], double n[3])
{
  double c[3], span[3];
  hn_rim_point(r, y, p, c);
  if (common_normal(c, y, d, n)) return true;
  vec_sub(span, p, c);
  double length = vec_norm(span), outward = span[0] * c[0] + span[2] * c[2] + (y < 0 ? -r : r) * span[1];
  if (!(length > hn_min_distance * r)) return false;
  vec_scale(n, (outward < 0 ? -1 : 1) / length, span);
  return true;
}

/* Returns the nearest point of a line almost along the axis. Near the crossing with the circle's plane the
 * derivative has slope 1 - k r / rho, so fixed-point steps converge. The point of the line nearest to the
 * axis would be far off. */
static double along_root(double r, double y, const double x[3], const double d[3])
{
  double t = (y - x[1]) / d[1];
  for (int i = 0; i < MAX_FIXED_POINT_STEPS; i++) {
    double p[3];
    vec_along(p, x, t, d);
    double rho = hn_across(p);
    if (!(rho > min_axis_distance * r)) break;
    t -= (1 - r / rho) * (p[0] * d[0] + p[2] * d[2]) + (p[1] - y) * d[1];
  }
  return t;
}

int hn_circle_line(double r, double y, const double x[3], const double d[3], double t[2], double n[2][3])
{
  double k = d[0] * d[0] + d[2] * d[2];
  double p[3];
  if (k < along_sine_squared) {
    t[0] = along_root(r, y, x, d);
    vec_along(p, x, t[0], d);
    return across_both(r, y, p, d, n[0]);
  }
  double start = -(x[0] * d[0] + x[2] * d[2]) / k;
  vec_along(p, x, start, d);
  double low = hn_across(p), bias = d[1] * (y - p[1]);
  double right = rising_root(r, low, k, bias), left = rising_root(r, low, k, -bias);
  int count = 0;
  for (int side = 0; side < 3; side++) { /* right, left; the middle if neither has one */
    double root = side == 0 ? right : side == 1 ? -left : 0.0;
    if (side == 2 ? right > 0 || left > 0 : !((side ? left : right) > 0)) continue;
    t[count] = start + root;
    vec_along(p, x, t[count], d);
    if (across_both(r, y, p, d, n[count])) count++;
  }
  return count;
}

int hn_circle_crossings(double r, const double p[3], const double q[3], double fraction[2])
{
  double x = q[0] - p[0], z = q[2] - p[2], a = x * x + z * z, b = p[0] * x + p[2] * z;
  double c = p[0] * p[0] + p[2] * p[2] - r * r, square = b * b - a * c;
  int count = 0;
  if (!(a > 0)) return 0;
  if (!(square > 0)) { /* outside, or tangent to rounding */
    fraction[0] = -b / a;
    return -square <= 2 * hn_side_tolerance * r * r * a && fraction[0] > 0 && fraction[0] < 1;
  }
  double s = -b - (b < 0 ? -1 : 1) * sqrt(square); /* the larger root without cancellation */
  double root[2] = { s / a, s == 0 ? 0 : c / s };
  if (root[0] > root[1]) root[0] = c / s, root[1] = s / a;
  for (int k = 0; k < 2; k++)
    if (root[k] > 0 && root[k] < 1) fraction[count++] = root[k];
  return count;
}

void hn_into_axes(const hn_placed_shape *cylinder, const hn_placed_shape *shape, hn_placed_shape *local)
{
  double to[3];
  vec_sub(to, shape->x, cylinder->x);
  mat_tvec(local->x, cylinder->R, to);
  for (int k = 0; k < 3; k++) {
    const double from[3] = { shape->R[k], shape->R[3 + k], shape->R[6 + k] };
    double axis[3];
    mat_tvec(axis, cylinder->R, from);
    for (int c = 0; c < 3; c++) local->R[3 * c + k] = axis[c];
  }
  local->shape = shape->shape;
}

static void turn(const double R[9], double v[3])
{
  double turned[3];
  mat_vec(turned, R, v);
  vec_copy(v, turned);
}

void hn_out_of_axes(const hn_placed_shape *cylinder, hn_manifold *out)
{
  for (int k = 0; k < out->count; k++) {
    hn_contact_point *p = &out->point[k];
    turn(cylinder->R, p->a);
    turn(cylinder->R, p->b);
    turn(cylinder->R, p->normal);
    vec_add(p->a, p->a, cylinder->x);
    vec_add(p->b, p->b, cylinder->x);
  }
}
