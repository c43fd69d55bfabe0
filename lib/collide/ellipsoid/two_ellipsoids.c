/* two_ellipsoids.c - the direction of least overlap or of the distance of two ellipsoids.
 *
 * Let d lead from centre to centre and s(n) = n . d - h_a(n) - h_b(n). Sought is its maximum over unit
 * vectors. For every tau > 0 the ellipsoid with the extent h(n),
 *
 *   h^2 = (1 + tau) h_a^2 + (1 + 1/tau) h_b^2 >= (h_a + h_b)^2,    equal if tau = h_b(n) / h_a(n)
 *
 * contains the sum of both. So s has its maximum where the free space of d and this ellipsoid, found from its
 * nearest points (ellipsoid.c), is largest in tau as well. Each tau gives a start, from which s ascends:
 *
 *   (D_a + D_b + s) delta = d - grad h_a - grad h_b,  in the tangent plane;   n += delta, normalised
 *
 * where D are the matrices of the radii of curvature (Newton's method on the sphere); a step that would not
 * ascend is halved, or replaced by the nearest point for tau = h_b / h_a, which always ascends. Unless the
 * maximum is known to be the only one (hn_ellipsoid_least_radius), starts for all tau, a factor of 4 apart,
 * are tried. */
#include "collide/ellipsoid/ellipsoid.h"
#include "base/vec.h"

enum { MAX_STEPS = 1000 }; /* a bound for failures; needles of a ratio of 1000 need up to 200 */
static const double start_ratio = 4.0;
/* Relative extent of a disc along N, below which its face is across N. */
static const double flat_extent = 1e-9;
/* Least shift of a matrix that is not positive definite, over the size. */
static const double least_shift = 1e-9;
/* Newton's steps are halved down to this fraction until they ascend. */
static const double least_fraction = 1e-6;
/* Relative change of the free space that is rounding: then Newton's steps end when they are not halved. */
static const double rounding = 1e-14;

typedef struct two_ellipsoids {
  const hn_ellipsoid *a, *b;
  double d[3], size;
} two_ellipsoids;

static double free_space(const two_ellipsoids *p, const double n[3])
{
  return vec_dot(n, p->d) - hn_ellipsoid_extent(p->a, n) - hn_ellipsoid_extent(p->b, n);
}

/* Computes the normals at the nearest points of the ellipsoid of TAU (hn_nearest_normals). */
static int nearest_for(const two_ellipsoids *p, double tau, double normal[HN_ELLIPSOID_NORMALS][3])
{
  double W[18], axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  for (int i = 0; i < 9; i++)
    W[i] = sqrt(1.0 + tau) * p->a->W[i], W[9 + i] = sqrt(1.0 + 1.0 / tau) * p->b->W[i];
  return hn_projected_normals(3, W, 6, p->d, axes, normal);
}

/* Computes Newton's step. Returns its decrement, the root of gradient . step, which is a measure of the gain.
 * A matrix that is not positive definite is shifted to be so, and the result infinite. */
static double newton_step(const two_ellipsoids *p, const double n[3], double s, double step[3])
{
  double u[2][3], x[3], y[3], Da[3], Db[3], g[2];
  hn_ellipsoid_tangents(n, u);
  hn_ellipsoid_point(p->a, n, x), hn_ellipsoid_point(p->b, n, y);
  hn_ellipsoid_radii(p->a, n, u, Da), hn_ellipsoid_radii(p->b, n, u, Db);
  for (int k = 0; k < 2; k++) g[k] = vec_dot(u[k], p->d) - vec_dot(u[k], x) - vec_dot(u[k], y);
  const double half = 0.5 * (Da[0] + Db[0] - Da[2] - Db[2]), B = Da[1] + Db[1],
               mean = 0.5 * (Da[0] + Db[0] + Da[2] + Db[2]) + s, least = mean - sqrt(half * half + B * B),
               shift = least > 0.0 ? 0.0 : least_shift * p->size - 2.0 * least;
  const double A = mean + half + shift, C = mean - half + shift, det = A * C - B * B;
  const double x_0 = (C * g[0] - B * g[1]) / det, x_1 = (A * g[1] - B * g[0]) / det;
  vec_scale(step, x_0, u[0]);
  vec_add_scaled(step, x_1, u[1]);
  return shift > 0.0 ? HUGE_VAL : sqrt(fmax(0.0, g[0] * x_0 + g[1] * x_1));
}

/* Computes the direction NEXT at FRACTION of a step from N. Returns its free space. */
static double along_step(const two_ellipsoids *p, const double n[3], double fraction, const double step[3],
                         double next[3])
{
  vec_along(next, n, fraction, step);
  vec_scale(next, 1.0 / vec_norm(next), next);
  return free_space(p, next);
}

/* Replaces NEXT, with the free space VALUE, by the nearest point for the tau of N if that is better. */
static double best_of_both(const two_ellipsoids *p, const double n[3], double value, double next[3])
{
  double normal[HN_ELLIPSOID_NORMALS][3];
  nearest_for(p, hn_ellipsoid_extent(p->b, n) / hn_ellipsoid_extent(p->a, n), normal);
  const double other = free_space(p, normal[0]);
  if (!(other > value)) return value;
  vec_copy(next, normal[0]);
  return other;
}

/* Moves N to a local maximum of the free space; returns it. */
static double ascend(const two_ellipsoids *p, double n[3])
{
  double s = free_space(p, n), last = HUGE_VAL;
  for (int i = 0; i < MAX_STEPS; i++) {
    double step[3], next[3], fraction = 1.0, value;
    if (!(hn_ellipsoid_extent(p->b, n) > flat_extent * p->b->largest)) return s;
    const double size = newton_step(p, n, s, step);
    value = along_step(p, n, fraction, step, next);
    for (; fraction > least_fraction && value < s - rounding * p->size; fraction *= 0.5)
      value = along_step(p, n, 0.5 * fraction, step, next);
    if (fraction < 1.0 || isinf(size)) value = best_of_both(p, n, value, next);
    if (!(value > s + rounding * p->size) && !(fraction == 1.0 && size < 0.5 * last)) return s;
    vec_copy(n, next);
    s = value, last = size;
    if (size == 0.0) return s;
  }
  return s;
}

/* The largest maximum found, and a half space of normals: those with n . toward >= 0. */
typedef struct maximum {
  double s, n[3];
  const double *toward;
} maximum;

/* Ascends from N; replaces the maximum found by a larger one. */
static void try_start(const two_ellipsoids *p, double n[3], maximum *found)
{
  const double s = ascend(p, n);
  if (!(s > found->s + hn_tie_tolerance * p->size) || vec_dot(n, found->toward) < 0.0) return;
  found->s = s;
  vec_copy(found->n, n);
}

/* Starts from normals that lean from the face of a disc, across `toward`, to where the free space
 * increases. */
static void try_beside_face(const two_ellipsoids *p, maximum *found)
{
  static const double lean[] = { 0.1, 1.0 };
  double x[3], across[3], n[3];
  hn_ellipsoid_point(p->a, found->toward, x);
  vec_sub(across, p->d, x);
  vec_add_scaled(across, -vec_dot(across, found->toward), found->toward);
  const double length = vec_norm(across);
  for (int i = 0; i < 2 && length > p->b->largest; i++) {
    vec_along(n, found->toward, lean[i] / length, across);
    vec_scale(n, 1.0 / vec_norm(n), n);
    try_start(p, n, found);
  }
}

double hn_ellipsoids_separate(const hn_ellipsoid *a, const hn_ellipsoid *b, const double toward[3],
                              double n[3])
{
  two_ellipsoids p = { .a = a, .b = b, .size = a->largest + b->largest };
  maximum found = { .s = -HUGE_VAL, .toward = toward };
  double normal[HN_ELLIPSOID_NORMALS][3];
  vec_sub(p.d, b->x, a->x);
  const double low = fmax(b->smallest, 1e-3 * b->largest) / a->largest, high = b->largest / a->smallest;
  nearest_for(&p, sqrt(low * high), normal);
  try_start(&p, normal[0], &found);
  const bool unique = found.s > -hn_ellipsoid_least_radius(a) - hn_ellipsoid_least_radius(b);
  for (double tau = low; tau < start_ratio * high && !unique; tau *= start_ratio) {
    const int count = nearest_for(&p, tau, normal);
    for (int i = 0; i < count; i++) try_start(&p, normal[i], &found);
  }
  if (!unique && b->smallest == 0.0) try_beside_face(&p, &found);
  vec_copy(n, found.n);
  return found.s;
}
