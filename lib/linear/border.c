/* border.c - solves with a matrix of which a few diagonal entries were increased (border.h).
 * [Woodbury; Golub and Van Loan, section 2.1.4] */
#include "linear/border.h"
#include "base/small.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_OF_HUB = 12 }; /* twice the rank of a hub: a row may be increased that could have remained */

hn_border *hn_border_create(int rows, int hubs)
{
  hn_border *border = calloc(1, sizeof *border);
  if (!border) return NULL;
  border->rows = rows;
  border->capacity = hubs < HN_BORDER_MOST / ROWS_OF_HUB ? hubs * ROWS_OF_HUB : HN_BORDER_MOST;
  border->X = malloc(sizeof *border->X * ((size_t)rows * (size_t)border->capacity + 1));
  border->residual = malloc(sizeof *border->residual * ((size_t)rows + 1));
  if (border->X && border->residual) return border;
  hn_border_free(border);
  return NULL;
}

void hn_border_free(hn_border *border)
{
  if (!border) return;
  free(border->X), free(border->residual);
  free(border);
}

bool hn_border_add(hn_border *border, int row, double d)
{
  if (border->count == border->capacity) return false;
  border->row[border->count] = row;
  border->u[border->count++] = sqrt(d);
  return true;
}

hn_reason hn_border_factor(hn_border *border, hn_border_solve *solve, const void *factor, double min_pivot)
{
  const int m = border->count;
  const size_t rows = (size_t)border->rows;
  double *S = border->S;
  for (int k = 0; k < m; k++) {
    double *x = border->X + rows * (size_t)k;
    memset(x, 0, sizeof *x * rows);
    x[border->row[k]] = border->u[k];
    solve(factor, x);
    for (int i = k; i < m; i++) S[i * m + k] = (i == k ? 1.0 : 0.0) - border->u[i] * x[border->row[i]];
  }
  for (int j = 0; j < m; j++) {
    const double pivot = ldl_pivot(m, S, j);
    if (!(pivot > min_pivot)) return isfinite(pivot) ? HN_SINGULAR : HN_NOT_FINITE;
    S[j * m + j] = pivot;
    for (int i = j + 1; i < m; i++) S[i * m + j] = ldl_entry(m, S, i, j) / pivot;
  }
  return HN_CONVERGED;
}

void hn_border_correct(const hn_border *border, double *x)
{
  const int m = border->count;
  double s[HN_BORDER_MOST];
  for (int k = 0; k < m; k++) s[k] = border->u[k] * x[border->row[k]];
  ldl_forward(m, border->S, s);
  for (int k = 0; k < m; k++) s[k] /= border->S[k * m + k];
  ldl_backward(m, border->S, s);
  for (int k = 0; k < m; k++) {
    const double *X = border->X + (size_t)border->rows * (size_t)k;
    for (int i = 0; i < border->rows; i++) x[i] += X[i] * s[k];
  }
}
