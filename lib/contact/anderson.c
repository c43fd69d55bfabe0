/* anderson.c - Anderson's acceleration. The Gram matrix of the columns is kept, one row of it is new in a step. */
#include "contact/anderson.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

static const double rounding = 1e-13; /* of the Gram matrix, relative */
static const double growth = 2.0;     /* of |f| after a leap over the least before, at most */
enum { FIRST_PAUSE = 10 };

bool hn_anderson_create(hn_anderson *a, size_t n)
{
  a->x = malloc(sizeof *a->x * n), a->f = malloc(sizeof *a->f * n), a->plain = malloc(sizeof *a->plain * n);
  a->X = malloc(sizeof *a->X * n * HN_ANDERSON), a->F = malloc(sizeof *a->F * n * HN_ANDERSON);
  hn_anderson_start(a);
  return a->x && a->f && a->plain && a->X && a->F;
}

void hn_anderson_free(hn_anderson *a)
{
  free(a->x), free(a->f), free(a->plain), free(a->X), free(a->F);
}

void hn_anderson_start(hn_anderson *a)
{
  hn_anderson_forget(a);
  a->wait = 0, a->pause = FIRST_PAUSE;
}

void hn_anderson_forget(hn_anderson *a)
{
  a->count = a->next = 0;
  a->least = -1.0;
  a->leapt = false;
}

static double product(int n, const double *weight, const double *a, const double *b)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += weight[i] * weight[i] * a[i] * b[i];
  return sum;
}

/* The changes since the step before into the oldest columns. */
static void note_changes(hn_anderson *a, int n, const double *weight, const double *tx, const double *x)
{
  const int k = a->next;
  double *X = a->X + (size_t)k * (size_t)n, *F = a->F + (size_t)k * (size_t)n;
  for (int i = 0; i < n; i++) X[i] = x[i] - a->x[i], F[i] = tx[i] - x[i] - a->f[i];
  a->next = (k + 1) % HN_ANDERSON;
  if (a->count < HN_ANDERSON) a->count++;
  for (int j = 0; j < a->count; j++)
    a->gram[k][j] = a->gram[j][k] = product(n, weight, F, a->F + (size_t)j * (size_t)n);
}

/* c with F' F c = F' f by Cholesky; columns that depend on others get nothing. */
static void solve_columns(const hn_anderson *a, double *c)
{
  double L[HN_ANDERSON][HN_ANDERSON];
  const int m = a->count;
  for (int j = 0; j < m; j++) {
    double pivot = a->gram[j][j];
    for (int k = 0; k < j; k++) pivot -= L[j][k] * L[j][k];
    const bool depends = !(pivot > rounding * a->gram[j][j]);
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

void hn_anderson_leap(hn_anderson *a, int n, const double *weight, const double *tx, double *x)
{
  double size = 0.0, c[HN_ANDERSON];
  for (int i = 0; i < n; i++) size += weight[i] * weight[i] * (tx[i] - x[i]) * (tx[i] - x[i]);
  size = sqrt(size);
  if (a->leapt && !(size <= growth * a->least)) { /* back to where T alone leads */
    memcpy(x, a->plain, sizeof *x * (size_t)n);
    hn_anderson_forget(a);
    a->wait = a->pause, a->pause *= 2;
    return;
  }
  if (a->least >= 0.0) note_changes(a, n, weight, tx, x);
  a->least = a->least >= 0.0 ? fmin(a->least, size) : size;
  a->leapt = a->count > 0 && a->wait-- <= 0;
  for (int i = 0; i < n; i++) a->x[i] = x[i], a->f[i] = tx[i] - x[i], x[i] = a->plain[i] = tx[i];
  if (!a->leapt) return;
  for (int j = 0; j < a->count; j++) c[j] = product(n, weight, a->F + (size_t)j * (size_t)n, a->f);
  solve_columns(a, c);
  for (int j = 0; j < a->count; j++) {
    const double *X = a->X + (size_t)j * (size_t)n, *F = a->F + (size_t)j * (size_t)n;
    for (int i = 0; i < n; i++) x[i] -= (X[i] + F[i]) * c[j];
  }
}
