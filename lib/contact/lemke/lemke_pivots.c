/* lemke_pivots.c - Lemke's path from vertex to vertex of a linear complementarity problem in a full table.
 *
 *   w - M x - z_0 = q,   w, x >= 0,   w_i x_i = 0        begins at z_0 = the most negative q, ends at z_0 = 0
 *
 * What has left the basis, its partner enters; the row that leaves is the least by its right-hand side over its entry,
 * ties broken lexicographically by what w was, so that no vertex comes twice in exact numbers. At its end, and where no
 * row can leave, the table is made anew for its basis, without the rounding of the way.
 * [Lemke, Manag. Sci. 11 (1965) 681; Cottle, Pang and Stone 1992, section 4.4] */
#include "contact/lemke/lemke_pivots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double smallest_pivot = 1e-11; /* numbers of the table begin at 1 or so */

bool hn_pivots_create(hn_pivots *s, size_t most)
{
  const size_t n = most + 1;
  s->basis = malloc(sizeof(int) * n), s->columns = malloc(sizeof(int) * n);
  s->table = malloc(sizeof(double) * n * 2 * n), s->value = malloc(sizeof(double) * n);
  return s->basis && s->columns && s->table && s->value;
}

void hn_pivots_free(hn_pivots *s)
{
  free(s->basis), free(s->columns), free(s->table), free(s->value);
}

/* Are they the same but for rounding? SIZE is that of the numbers they come from. */
static bool ties(const hn_pivots *s, double left, double right, double size)
{
  return fabs(left - right) <= s->rounding * (fabs(left) + fabs(right) + 0.01 * size);
}

/* Is row I, over its entry A, lexicographically before row J over B? First the right-hand side, then what w was. */
static bool is_before(const hn_pivots *s, int i, double a, int j, double b)
{
  const size_t w = hn_pivots_width(s);
  const double *row = s->table + (size_t)i * w, *other = s->table + (size_t)j * w;
  double left = row[w - 1] / a, right = other[w - 1] / b;
  if (!ties(s, left, right, s->largest / fmin(a, b))) return left < right;
  for (int c = 0; c < s->n; c++) {
    left = row[c] / a, right = other[c] / b;
    if (!ties(s, left, right, 1.0 / fmin(a, b))) return left < right;
  }
  return false;
}

/* The row that leaves as COLUMN enters: -1, none does. That of z_0 comes before those that tie with it. */
static int leaving_row(const hn_pivots *s, int column)
{
  const size_t w = hn_pivots_width(s);
  int best = -1;
  for (int i = 0; i < s->n; i++) {
    const double a = s->table[(size_t)i * w + (size_t)column];
    if (!(a > smallest_pivot)) continue;
    if (best < 0 || is_before(s, i, a, best, s->table[(size_t)best * w + (size_t)column])) best = i;
  }
  for (int i = 0; i < s->n && best >= 0; i++) {
    const double *row = s->table + (size_t)i * w, *first = s->table + (size_t)best * w;
    if (s->basis[i] == 2 * s->n && row[column] > smallest_pivot &&
        row[w - 1] / row[column] <= first[w - 1] / first[column])
      best = i;
  }
  return best;
}

/* CLAMPED: right-hand sides are negative by rounding alone. */
static void pivot(hn_pivots *s, int leaves, int column, bool clamped)
{
  const size_t w = hn_pivots_width(s);
  double *row = s->table + (size_t)leaves * w;
  const double inverse = 1.0 / row[column];
  for (size_t c = 0; c < w; c++) row[c] *= inverse;
  row[column] = 1.0;
  for (int i = 0; i < s->n; i++) {
    double *other = s->table + (size_t)i * w, factor = other[column];
    if (i == leaves || factor == 0.0) continue;
    for (size_t c = 0; c < w; c++) other[c] -= factor * row[c];
    other[column] = 0.0;
    if (clamped) other[w - 1] = fmax(other[w - 1], 0.0);
  }
  s->basis[leaves] = column;
  s->made++;
}

/* The row with which z_0 comes in: the least right-hand side. -1: none is negative. */
static int first_row(const hn_pivots *s)
{
  const size_t w = hn_pivots_width(s);
  int least = 0;
  for (int i = 1; i < s->n; i++)
    if (is_before(s, i, 1.0, least, 1.0)) least = i;
  return s->table[(size_t)least * w + w - 1] < 0.0 ? least : -1;
}

/* z_0 comes in by ROW: all right-hand sides become positive. */
static void begin(hn_pivots *s, int row)
{
  const size_t w = hn_pivots_width(s);
  double *least = s->table + (size_t)row * w;
  for (int i = 0; i < s->n; i++)
    for (size_t c = 0; c < w && i != row; c++) s->table[(size_t)i * w + c] -= least[c];
  for (size_t c = 0; c < w; c++) least[c] *= -1.0;
  s->basis[row] = 2 * s->n;
}

/* The table of the same basis from the problem, without the rounding of the way to it; false: the basis is singular,
 * and the table is lost. */
static bool refresh(hn_pivots *s, hn_pivots_fill *fill, void *of)
{
  const size_t w = hn_pivots_width(s);
  memcpy(s->columns, s->basis, sizeof(int) * (size_t)s->n);
  fill(of);
  for (int k = 0; k < s->n; k++) s->basis[k] = -1;
  for (int k = 0; k < s->n; k++) {
    int best = -1;
    double size = 0.0;
    for (int i = 0; i < s->n; i++) {
      double entry = fabs(s->table[(size_t)i * w + (size_t)s->columns[k]]);
      if (s->basis[i] < 0 && entry > size) best = i, size = entry;
    }
    if (!(size > smallest_pivot * smallest_pivot)) return false;
    pivot(s, best, s->columns[k], false);
  }
  for (int i = 0; i < s->n; i++) s->table[(size_t)i * w + w - 1] = fmax(s->table[(size_t)i * w + w - 1], 0.0);
  return true;
}

/* The x of the basis. */
static void take_values(hn_pivots *s)
{
  const size_t w = hn_pivots_width(s);
  memset(s->value, 0, sizeof(double) * (size_t)s->n);
  for (int i = 0; i < s->n; i++)
    if (s->basis[i] >= s->n && s->basis[i] < 2 * s->n)
      s->value[s->basis[i] - s->n] = s->table[(size_t)i * w + w - 1];
}

hn_reason hn_pivots_follow(hn_pivots *s, hn_pivots_fill *fill, void *of, double rounding, double most)
{
  const int z0 = 2 * s->n;
  fill(of);
  s->made = 0, s->rounding = rounding, s->largest = 0.0;
  for (int i = 0; i < s->n; i++)
    s->largest = fmax(s->largest, fabs(s->table[(size_t)(i + 1) * hn_pivots_width(s) - 1]));
  int row = s->n > 0 ? first_row(s) : -1;
  bool fresh = false;
  take_values(s);
  if (row < 0) return HN_CONVERGED;
  int left = s->basis[row];
  begin(s, row);
  for (double pivots = 1.0; left != z0; pivots += 1.0) {
    const int enters = left < s->n ? left + s->n : left - s->n;
    if (pivots > most) {
      take_values(s);
      return HN_BUDGET;
    }
    row = leaving_row(s, enters);
    if (row < 0) {
      take_values(s);
      if (fresh || !refresh(s, fill, of)) return HN_STALLED;
      fresh = true;
      row = leaving_row(s, enters);
    }
    if (row < 0) return HN_STALLED;
    left = s->basis[row];
    pivot(s, row, enters, true);
    fresh = false;
  }
  take_values(s);
  if (refresh(s, fill, of)) take_values(s);
  return HN_CONVERGED;
}
