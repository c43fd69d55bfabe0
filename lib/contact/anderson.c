/* anderson.c - Anderson acceleration (anderson.h) by normal equations: a step adds one row to the Gram
 * matrix. */
#include "contact/anderson.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/* Smallest pivot of the Gram matrix, relative to its diagonal; below it a column depends on others by
 * rounding. */
static const double min_pivot = 1e-13;
/* Largest growth of |f| after an accelerated step, of the smallest before: a larger one is a failure. A step
 * that is not monotone may still be a good one. */
static const double max_growth = 2.0;
/* Plain steps after the first failure. */
enum { FIRST_PAUSE = 10 };

bool hn_anderson_create(hn_anderson *a, size_t n)
{
  a->x = malloc(sizeof *a->x * n), a->f = malloc(sizeof *a->f * n), a->tx = malloc(sizeof *a->tx * n);
  a->dX = malloc(sizeof *a->dX * n * HN_ANDERSON_COLUMNS);
  a->dF = malloc(sizeof *a->dF * n * HN_ANDERSON_COLUMNS);
  hn_anderson_reset(a);
  return a->x && a->f && a->tx && a->dX && a->dF;
}

void hn_anderson_free(hn_anderson *a)
{
  free(a->x), free(a->f), free(a->tx), free(a->dX), free(a->dF);
}

void hn_anderson_reset(hn_anderson *a)
{
  hn_anderson_restart(a);
  a->wait = 0, a->pause = FIRST_PAUSE;
}

void hn_anderson_restart(hn_anderson *a)
{
  a->count = a->next = 0;
  a->min_residual = -1.0;
  a->accelerated = false;
}

static double product(int n, const double *weight, const double *a, const double *b)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += weight[i] * weight[i] * a[i] * b[i];
  return sum;
}

/* Stores the changes of x and f since the last step in the oldest columns. */
static void add_columns(hn_anderson *a, int n, const double *weight, const double *tx, const double *x)
{
  const int k = a->next;
  double *dX = a->dX + (size_t)k * (size_t)n, *dF = a->dF + (size_t)k * (size_t)n;
  for (int i = 0; i < n; i++) dX[i] = x[i] - a->x[i], dF[i] = tx[i] - x[i] - a->f[i];
  a->next = (k + 1) % HN_ANDERSON_COLUMNS;
  if (a->count < HN_ANDERSON_COLUMNS) a->count++;
  for (int j = 0; j < a->count; j++)
    a->gram[k][j] = a->gram[j][k] = product(n, weight, dF, a->dF + (size_t)j * (size_t)n);
}

/* Solves dF' dF c = c by Cholesky's factorisation; columns that depend on others get 0. */
static void solve_normal_equations(const hn_anderson *a, double *c)
{
  double L[HN_ANDERSON_COLUMNS][HN_ANDERSON_COLUMNS];
  const int m = a->count;
  for (int j = 0; j < m; j++) {
    double pivot = a->gram[j][j];
    for (int k = 0; k < j; k++) pivot -= L[j][k] * L[j][k];
    const bool depends = !(pivot > min_pivot * a->gram[j][j]);
    L[j][j] = depends ? 0.0 : sqrt(pivot);
    for (int i = j + 1; i < m; i++) {
      double sum = a->gram[i][j];
      for (int k = 0; k < j; k++) sum -= L[i][k] * L[j][k];
      L[i][j] = depends ? 0.0 : sum / L[j][j];
    }
    for (int k = 0; k < j; k++) c[j] -= L[j][k] * c[k];
    c[j] = depends ? 0.0 : c[j] / L[j][j];
  }
  for (int j = m - 1; j >= 0; j--) {
    for (int k = j + 1; k < m; k++) c[j] -= L[k][j] * c[k];
    c[j] = L[j][j] > 0.0 ? c[j] / L[j][j] : 0.0;
  }
}

/* Takes the last step back to T(x) alone and pauses the acceleration. */
static void take_back(hn_anderson *a, int n, double *x)
{
  memcpy(x, a->tx, sizeof *x * (size_t)n);
  hn_anderson_restart(a);
  a->wait = a->pause, a->pause *= 2;
}

void hn_anderson_step(hn_anderson *a, int n, const double *weight, const double *tx, double *x)
{
  double residual = 0.0, c[HN_ANDERSON_COLUMNS];
  for (int i = 0; i < n; i++) residual += weight[i] * weight[i] * (tx[i] - x[i]) * (tx[i] - x[i]);
  residual = sqrt(residual);
  if (a->accelerated && !(residual <= max_growth * a->min_residual)) {
    take_back(a, n, x);
    return;
  }
  /* the history, and the plain step */
  const bool first = a->min_residual < 0.0;
  if (!first) add_columns(a, n, weight, tx, x);
  a->min_residual = first ? residual : fmin(a->min_residual, residual);
  a->accelerated = a->count > 0 && a->wait-- <= 0;
  for (int i = 0; i < n; i++) a->x[i] = x[i], a->f[i] = tx[i] - x[i], x[i] = a->tx[i] = tx[i];
  if (!a->accelerated) return;
  /* the correction by the columns */
  for (int j = 0; j < a->count; j++) c[j] = product(n, weight, a->dF + (size_t)j * (size_t)n, a->f);
  solve_normal_equations(a, c);
  for (int j = 0; j < a->count; j++) {
    const double *dX = a->dX + (size_t)j * (size_t)n, *dF = a->dF + (size_t)j * (size_t)n;
    for (int i = 0; i < n; i++) x[i] -= (dX[i] + dF[i]) * c[j];
  }
}
