/* lorentz.c - second-order cones (see lorentz.h).
 *
 *   x' = x / sqrt(det x), z' = z / sqrt(det z),   c = sqrt((1 + x' . z') / 2)
 *   w = (x'_0 + z'_0, x'_1 - z'_1) / (2 c),       eta = (det x / det z)^(1/4),   e = w_1 / |w_1|
 *   eigenvalues of W:   eta (w_0 + |w_1|),  eta / (w_0 + |w_1|),  eta
 *
 * det w = 1 gives the second one without a difference. */
#include "contact/ipm/lorentz.h"
#include "base/vec.h"

static double determinant(int n, const double *x)
{
  const double size = norm_of(x + 1, n - 1);
  return (x[0] - size) * (x[0] + size);
}

void hn_scaling_set(hn_scaling *s, int n, const double *x, const double *z)
{
  const double det_x = determinant(n, x), det_z = determinant(n, z);
  const double root_x = sqrt(det_x), root_z = sqrt(det_z), eta = sqrt(root_x / root_z);
  double product = 0.0, w[3];
  for (int i = 0; i < n; i++) product += x[i] / root_x * (z[i] / root_z);
  const double half = 0.5 / sqrt(0.5 * (1.0 + product));
  for (int i = 0; i < n; i++) w[i] = half * (x[i] / root_x + (i > 0 ? -z[i] : z[i]) / root_z);
  const double size = norm_of(w + 1, n - 1), sum = sqrt(1.0 + size * size) + size;
  s->n = n;
  for (int i = 1; i < n; i++) s->e[i - 1] = size > 0.0 ? w[i] / size : i == 1;
  s->eigenvalue[0] = eta * sum, s->eigenvalue[1] = eta / sum, s->eigenvalue[2] = eta;
  hn_scaling_apply(s, 0, z, s->u);
}

/* Computes the matrix with FACTORS for eigenvalues times y. */
static void apply(const hn_scaling *s, const double *factor, const double *y, double *result)
{
  double along = 0.0;
  for (int i = 1; i < s->n; i++) along += s->e[i - 1] * y[i];
  const double one = 0.5 * factor[0] * (y[0] + along), two = 0.5 * factor[1] * (y[0] - along);
  for (int i = 1; i < s->n; i++)
    result[i] = (one - two) * s->e[i - 1] + factor[2] * (y[i] - along * s->e[i - 1]);
  result[0] = one + two;
}

void hn_scaling_apply(const hn_scaling *s, int inverse, const double *y, double *result)
{
  double factor[3];
  for (int i = 0; i < 3; i++) factor[i] = inverse ? 1.0 / s->eigenvalue[i] : s->eigenvalue[i];
  apply(s, factor, y, result);
}

void hn_scaling_apply_root(const hn_scaling *s, double shift, const double *y, double *result)
{
  double factor[3];
  for (int i = 0; i < 3; i++)
    factor[i] = s->eigenvalue[i] / sqrt(1.0 + shift * s->eigenvalue[i] * s->eigenvalue[i]);
  apply(s, factor, y, result);
}

void hn_jordan_product(int n, const double *x, const double *y, double *result)
{
  double sum = 0.0, part[3];
  for (int i = 0; i < n; i++) sum += x[i] * y[i], part[i] = x[0] * y[i] + y[0] * x[i];
  for (int i = 1; i < n; i++) result[i] = part[i];
  result[0] = sum;
}

void hn_jordan_quotient(int n, const double *x, const double *y, double *result)
{
  double sum = x[0] * y[0];
  for (int i = 1; i < n; i++) sum -= x[i] * y[i];
  const double first = sum / determinant(n, x);
  for (int i = 1; i < n; i++) result[i] = (y[i] - first * x[i]) / x[0];
  result[0] = first;
}

double hn_lorentz_step(int n, const double *x, const double *d, double most)
{
  const double a = determinant(n, d), c = determinant(n, x);
  double b = x[0] * d[0];
  for (int i = 1; i < n; i++) b -= x[i] * d[i];
  if (n == 1) return d[0] < 0.0 ? fmin(most, -x[0] / d[0]) : most;
  /* the smallest positive root of a t^2 + 2 b t + c, c > 0 */
  const double square = b * b - a * c;
  if (square < 0.0 || (a >= 0.0 && b >= 0.0)) return most;
  const double q = b < 0.0 ? -b + sqrt(square) : -b - sqrt(square); /* a < 0 where b >= 0 */
  return fmin(most, b < 0.0 ? c / q : q / a);
}
