/* krylov.c - GMRES (krylov.h) with modified Gram-Schmidt and Givens rotations [saad1986]. */
#include "energy_momentum/krylov.h"
#include "registry/solver_arrays.h"

#include <math.h>
#include <string.h>

int hn_krylov_setup(hn_solver *solver, hn_krylov *k, size_t n, hn_error *error)
{
  k->n = n;
  return hn_solver_allocate(solver, error, HN_ARRAY(k->V, n * (HN_KRYLOV_MOST + 1)), HN_ARRAY(k->weight, n));
}

static double product(const hn_krylov *k, const double *x, const double *y)
{
  double sum = 0.0;
  for (size_t i = 0; i < k->n; i++) sum += k->weight[i] * k->weight[i] * x[i] * y[i];
  return sum;
}

double hn_krylov_length(const hn_krylov *k, const double *x)
{
  return sqrt(product(k, x, x));
}

static void scale(double *x, size_t n, double factor)
{
  for (size_t i = 0; i < n; i++) x[i] *= factor;
}

/* Makes vector COLUMN + 1 of the basis orthonormal to those before it, and stores the coefficients. */
static void orthonormalise(hn_krylov *k, int column)
{
  double *v = k->V + (size_t)(column + 1) * k->n;
  for (int j = 0; j <= column; j++) {
    const double *u = k->V + (size_t)j * k->n;
    k->H[j][column] = product(k, u, v);
    for (size_t i = 0; i < k->n; i++) v[i] -= k->H[j][column] * u[i];
  }
  const double length = hn_krylov_length(k, v);
  k->H[column + 1][column] = length;
  if (length > 0.0) scale(v, k->n, 1.0 / length);
}

/* Applies the rotations of the columns before COLUMN to it, then one that clears its last entry. */
static void rotate(hn_krylov *k, int column)
{
  for (int j = 0; j < column; j++) {
    const double upper = k->H[j][column], lower = k->H[j + 1][column];
    k->H[j][column] = k->cosine[j] * upper + k->sine[j] * lower;
    k->H[j + 1][column] = k->cosine[j] * lower - k->sine[j] * upper;
  }
  const double upper = k->H[column][column], lower = k->H[column + 1][column];
  const double length = sqrt(upper * upper + lower * lower);
  k->cosine[column] = length > 0.0 ? upper / length : 1.0;
  k->sine[column] = length > 0.0 ? lower / length : 0.0;
  k->H[column][column] = length;
  k->right[column + 1] = -k->sine[column] * k->right[column];
  k->right[column] *= k->cosine[column];
}

/* Computes x from the triangle of COUNT columns. */
static void substitute(hn_krylov *k, int count, double *x)
{
  memset(x, 0, sizeof *x * k->n);
  for (int j = count - 1; j >= 0; j--) {
    for (int i = j + 1; i < count; i++) k->right[j] -= k->H[j][i] * k->right[i];
    k->right[j] = k->H[j][j] > 0.0 ? k->right[j] / k->H[j][j] : 0.0;
    for (size_t i = 0; i < k->n; i++) x[i] += k->right[j] * k->V[(size_t)j * k->n + i];
  }
}

hn_reason hn_krylov_solve(hn_krylov *k, hn_krylov_product *multiply, void *user, double reduction, double *b)
{
  const double size = hn_krylov_length(k, b);
  int count = 0;
  if (!(size > 0.0)) return isfinite(size) ? HN_CONVERGED : HN_NOT_FINITE;
  memcpy(k->V, b, sizeof *b * k->n);
  scale(k->V, k->n, 1.0 / size);
  k->right[0] = size;
  while (count < HN_KRYLOV_MOST && fabs(k->right[count]) > reduction * size) {
    double *v = k->V + (size_t)count * k->n;
    hn_reason reason = multiply(user, v, v + k->n);
    if (reason != HN_CONVERGED) return reason;
    orthonormalise(k, count);
    rotate(k, count++);
  }
  substitute(k, count, b);
  return HN_CONVERGED;
}
