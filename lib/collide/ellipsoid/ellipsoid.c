/* ellipsoid.c - geometry shared by the pairs with ellipsoids (see ellipsoid.h).
 *
 * Nearest point of an ellipsoid. In principal axes the point x of the surface nearest to p has p - x along
 * the normal there, so x_i / e_i = q_i with
 *
 *   q_i = r_i z_i / (u + r_i - 1),   |q(u)| = 1,   z_i = p_i / e_i,   r_i = (e_i / e_m)^2
 *
 * where e_m is the smallest half axis. The nearest point has the largest root, u >= 0. Between
 * poles 1 / |q| is concave (Cauchy and Schwarz), so Newton's method from where |q| > 1 is monotonic; for a
 * sphere it is exact. The next root below u = 0, if there is one, is the point of locally least depth on the
 * other side. [Eberly, Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid, 2013, has the
 * equation, solved there by bisection] */
#include "collide/ellipsoid/ellipsoid.h"
#include "base/vec.h"

#include <string.h>

enum { MAX_NEWTON_STEPS = 60, MAX_SWEEPS = 12 };
/* Relative: Newton's method ends at smaller changes. */
static const double rounding = 4e-16;
/* Deviation of |q| from 1 at a root that rounding may leave. */
static const double root_tolerance = 1e-12;

/* ---- Support ------------------------------------------------------------------------------------------- */

void hn_ellipsoid_make(hn_ellipsoid *e, const double size[3], const double x[3], const double R[9])
{
  vec_copy(e->x, x);
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) e->W[3 * r + c] = size[r] * R[3 * c + r];
  e->smallest = fmin(size[0], fmin(size[1], size[2]));
  e->largest = fmax(size[0], fmax(size[1], size[2]));
  e->middle = fmax(fmin(size[0], size[1]), fmin(fmax(size[0], size[1]), size[2]));
}

double hn_ellipsoid_extent(const hn_ellipsoid *e, const double n[3])
{
  double w[3];
  mat_vec(w, e->W, n);
  return vec_norm(w);
}

double hn_ellipsoid_point(const hn_ellipsoid *e, const double n[3], double x[3])
{
  double w[3];
  mat_vec(w, e->W, n);
  const double h = vec_norm(w);
  mat_tvec(x, e->W, w);
  vec_scale(x, 1.0 / h, x);
  return h;
}

void hn_ellipsoid_tangents(const double n[3], double u[2][3])
{
  int k = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(n[i]) < fabs(n[k])) k = i;
  for (int i = 0; i < 3; i++) u[0][i] = (i == k) - n[k] * n[i];
  vec_scale(u[0], 1.0 / vec_norm(u[0]), u[0]);
  vec_cross(u[1], n, u[0]);
}

void hn_ellipsoid_radii(const hn_ellipsoid *e, const double n[3], double u[2][3], double radii[3])
{
  double w[3], v[2][3];
  mat_vec(w, e->W, n);
  const double h = vec_norm(w);
  vec_scale(w, 1.0 / h, w);
  for (int k = 0; k < 2; k++) {
    mat_vec(v[k], e->W, u[k]);
    vec_add_scaled(v[k], -vec_dot(v[k], w), w);
  }
  radii[0] = vec_dot(v[0], v[0]) / h, radii[1] = vec_dot(v[0], v[1]) / h, radii[2] = vec_dot(v[1], v[1]) / h;
}

/* The product of both radii of curvature is (e_1 e_2 e_3 / h^2)^2. */
double hn_ellipsoid_skin(const hn_ellipsoid *e, const double n[3])
{
  double u[2][3], radii[3];
  hn_ellipsoid_tangents(n, u);
  hn_ellipsoid_radii(e, n, u, radii);
  const double h = hn_ellipsoid_extent(e, n), half = 0.5 * (radii[0] - radii[2]),
               larger = 0.5 * (radii[0] + radii[2]) + sqrt(half * half + radii[1] * radii[1]),
               root = e->smallest / h * (e->middle / h) * e->largest;
  return fmin(root / larger * root, e->largest);
}

/* ---- Nearest points ------------------------------------------------------------------------------------ */

/* A point in the principal axes: k coordinates, see above; `over` is r - 1, m the smallest half axis. */
typedef struct near_problem {
  int k, m;
  double z[3], r[3], over[3];
} near_problem;

static void set_problem(near_problem *p, const double *size, const double *point)
{
  for (int i = 1; i < p->k; i++)
    if (size[i] < size[p->m]) p->m = i;
  const double least = size[p->m];
  for (int i = 0; i < p->k; i++) {
    p->z[i] = point[i] / size[i];
    p->r[i] = size[i] / least * (size[i] / least);
    p->over[i] = (size[i] - least) / least * ((size[i] + least) / least);
  }
}

/* Computes q at U. Returns |q|; SLOPE: sum of q_i^2 / (u + r_i - 1). Coordinates 0 have q_i = 0. */
static double evaluate(const near_problem *p, double u, double q[3], double *slope)
{
  double square = 0.0;
  *slope = 0.0;
  for (int i = 0; i < p->k; i++) {
    q[i] = p->z[i] == 0.0 ? 0.0 : p->r[i] * p->z[i] / (u + p->over[i]);
    square += q[i] * q[i];
    *slope += p->z[i] == 0.0 ? 0.0 : q[i] * q[i] / (u + p->over[i]);
  }
  return sqrt(square);
}

/* Finds the largest root, from the largest lower bound that a single coordinate gives. */
static void find_nearest(const near_problem *p, double q[3])
{
  double u = 0.0, slope;
  for (int i = 0; i < p->k; i++) u = fmax(u, p->r[i] * fabs(p->z[i]) - p->over[i]);
  for (int i = 0; i < MAX_NEWTON_STEPS; i++) {
    const double length = evaluate(p, u, q, &slope);
    if (!(length > 1.0)) break;
    const double step = (length - 1.0) * length * length / slope;
    if (!(step > rounding * u)) break;
    u += step;
  }
  /* in the plane of symmetry across the smallest half axis both sides are equally near */
  if (u == 0.0) q[p->m] = sqrt(fmax(0.0, 1.0 - norm_of(q, p->k) * norm_of(q, p->k)));
}

/* Finds the next root below 0; false if there is none. */
static bool find_opposite(const near_problem *p, double q[3])
{
  double u = -fabs(p->z[p->m]), low = HUGE_VAL, slope;
  for (int i = 0; i < p->k; i++)
    if (p->over[i] > 0.0) low = fmin(low, p->over[i]);
  if (u == 0.0) {
    find_nearest(p, q);
    q[p->m] = -q[p->m];
    return true;
  }
  for (int i = 0; i < MAX_NEWTON_STEPS && u < 0.0 && u > -low; i++) {
    const double length = evaluate(p, u, q, &slope), step = (length - 1.0) * length * length / slope;
    if (!(length > 1.0)) return true;
    if (!(step < -rounding * fabs(u))) return length < 1.0 + root_tolerance;
    u += step;
  }
  return false;
}

/* Appends the unit normal at the point with the coordinates q. */
static void add_normal(const near_problem *p, const double *size, double q[3], double normal[3])
{
  vec_set(normal, 0, 0, 0);
  for (int i = 0; i < p->k; i++) normal[i] = q[i] * (size[p->m] / size[i]);
  vec_scale(normal, 1.0 / vec_norm(normal), normal);
}

int hn_nearest_normals(int k, const double *size, const double *point, double normal[HN_ELLIPSOID_NORMALS][3])
{
  near_problem p = { .k = k };
  double q[3] = { 0 };
  int count = 1;
  set_problem(&p, size, point);
  find_nearest(&p, q);
  add_normal(&p, size, q, normal[0]);
  if (find_opposite(&p, q)) add_normal(&p, size, q, normal[count++]);
  return count;
}

/* Turns columns I and J of the 2-D array V, and the axes, so that the columns become orthogonal. Returns true
 * if they were not. */
static bool orthogonalise(double v[3][6], int rows, double axes[3][3], int i, int j)
{
  double a = 0.0, b = 0.0, c = 0.0;
  for (int r = 0; r < rows; r++) a += v[i][r] * v[i][r], b += v[j][r] * v[j][r], c += v[i][r] * v[j][r];
  if (!(fabs(c) > 1e-16 * sqrt(a * b))) return false;
  const double zeta = (b - a) / (2.0 * c),
               t = (zeta < 0.0 ? -1.0 : 1.0) / (fabs(zeta) + sqrt(1.0 + zeta * zeta)),
               cosine = 1.0 / sqrt(1.0 + t * t), sine = cosine * t;
  for (int r = 0; r < rows; r++) {
    const double x = v[i][r], y = v[j][r];
    v[i][r] = cosine * x - sine * y, v[j][r] = sine * x + cosine * y;
  }
  for (int r = 0; r < 3; r++) {
    const double x = axes[i][r], y = axes[j][r];
    axes[i][r] = cosine * x - sine * y, axes[j][r] = sine * x + cosine * y;
  }
  return true;
}

/* Principal axes by one-sided Jacobi rotations, which keep the relative accuracy of the smallest one.
 * [Hestenes, Inversion of matrices by biorthogonalization, J. SIAM 6 (1958) 51] */
int hn_projected_normals(int k, const double *W, int rows, const double point[3], double axes[3][3],
                         double normal[HN_ELLIPSOID_NORMALS][3])
{
  double v[3][6], size[3], p[3], found[HN_ELLIPSOID_NORMALS][3];
  for (int i = 0; i < k; i++)
    for (int r = 0; r < rows; r++) v[i][r] = vec_dot(W + 3 * r, axes[i]);
  bool turned = true;
  for (int sweep = 0; sweep < MAX_SWEEPS && turned; sweep++) {
    turned = false;
    for (int i = 0; i < k; i++)
      for (int j = i + 1; j < k; j++) turned |= orthogonalise(v, rows, axes, i, j);
  }
  for (int i = 0; i < k; i++) size[i] = norm_of(v[i], rows), p[i] = vec_dot(point, axes[i]);
  const int count = hn_nearest_normals(k, size, p, found);
  for (int f = 0; f < count; f++) {
    vec_set(normal[f], 0, 0, 0);
    for (int i = 0; i < k; i++) vec_add_scaled(normal[f], found[f][i], axes[i]);
    vec_scale(normal[f], 1.0 / vec_norm(normal[f]), normal[f]);
  }
  return count;
}
