/* lemke_pivots.c - Lemke's pivoting on a full table of a linear complementarity problem.
 *
 *   w - M x - z_0 = q,   w, x >= 0,   w_i x_i = 0        starts at z_0 = -min q, ends at z_0 = 0
 *
 * The complement of the variable that left the basis enters. The row with the least ratio of right-hand side
 * to entry leaves; ties are broken lexicographically by the columns of w, so that no vertex recurs in exact
 * arithmetic. At the end, and if no row can leave, the table is recomputed for its basis, free of accumulated
 * rounding. [Lemke, Manag. Sci. 11 (1965) 681; Cottle, Pang and Stone 1992, section 4.4] */
#include "contact/lemke/lemke_pivots.h"

#include <math.h>
#include <string.h>

/* Entries below it are rounding: the entries of the initial table are of order 1. */
static const double smallest_pivot = 1e-11;

/* Share of the magnitude of the terms in the tie tolerance: they may have cancelled. */
static const double size_share = 0.01;

/* True if the numbers agree to s->rounding; SIZE is the magnitude of their terms. */
static bool ties(const hn_pivots *s, double left, double right, double size)
{
  return fabs(left - right) <= s->rounding * (fabs(left) + fabs(right) + size_share * size);
}

/* True if row I, divided by its entry A, lexicographically precedes row J divided by B: by the right-hand
 * side, then by the columns of w. */
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

/* Returns the row that leaves when COLUMN enters, -1 if none does. The row of z_0 precedes rows that tie with
 * it. */
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

/* Pivots on row LEAVES and COLUMN. CLAMPED: negative right-hand sides are rounding and become 0. */
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
  s->count++;
}

/* Returns the row with the least right-hand side, through which z_0 enters; -1 if none is negative. */
static int first_row(const hn_pivots *s)
{
  const size_t w = hn_pivots_width(s);
  int least = 0;
  for (int i = 1; i < s->n; i++)
    if (is_before(s, i, 1.0, least, 1.0)) least = i;
  return s->table[(size_t)least * w + w - 1] < 0.0 ? least : -1;
}

/* Enters z_0 through ROW: all right-hand sides become nonnegative. */
static void enter_z0(hn_pivots *s, int row)
{
  const size_t w = hn_pivots_width(s);
  double *least = s->table + (size_t)row * w;
  for (int i = 0; i < s->n; i++)
    for (size_t c = 0; c < w && i != row; c++) s->table[(size_t)i * w + c] -= least[c];
  for (size_t c = 0; c < w; c++) least[c] *= -1.0;
  s->basis[row] = 2 * s->n;
}

/* Recomputes the table of the current basis from the problem. Returns false, with the table lost, if the
 * basis is singular or a stop is requested. */
static bool recompute(hn_pivots *s, hn_pivots_fill *fill, void *context)
{
  const size_t w = hn_pivots_width(s);
  memcpy(s->columns, s->basis, sizeof(int) * (size_t)s->n);
  fill(context);
  for (int k = 0; k < s->n; k++) s->basis[k] = -1;
  for (int k = 0; k < s->n; k++) {
    int best = -1;
    double size = 0.0;
    if (hn_stopped(s->stop)) return false;
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

/* Extracts the values of x from the basis. */
static void extract_values(hn_pivots *s)
{
  const size_t w = hn_pivots_width(s);
  memset(s->value, 0, sizeof(double) * (size_t)s->n);
  for (int i = 0; i < s->n; i++)
    if (s->basis[i] >= s->n && s->basis[i] < 2 * s->n)
      s->value[s->basis[i] - s->n] = s->table[(size_t)i * w + w - 1];
}

hn_reason hn_pivots_follow(hn_pivots *s, hn_pivots_fill *fill, void *context, double rounding,
                           double max_pivots)
{
  const int z0 = 2 * s->n;
  fill(context);
  s->count = 0, s->rounding = rounding, s->largest = 0.0;
  for (int i = 0; i < s->n; i++)
    s->largest = fmax(s->largest, fabs(s->table[(size_t)(i + 1) * hn_pivots_width(s) - 1]));
  int row = s->n > 0 ? first_row(s) : -1;
  bool is_recomputed = false;
  extract_values(s);
  if (row < 0) return HN_CONVERGED;
  int left = s->basis[row];
  enter_z0(s, row);
  for (double pivots = 1.0; left != z0; pivots += 1.0) {
    if (hn_stopped(s->stop)) return HN_INTERRUPTED;
    const int enters = left < s->n ? left + s->n : left - s->n;
    if (pivots > max_pivots) {
      extract_values(s);
      return HN_BUDGET;
    }
    row = leaving_row(s, enters);
    if (row < 0) {
      extract_values(s);
      if (is_recomputed || !recompute(s, fill, context)) return HN_STALLED;
      is_recomputed = true;
      row = leaving_row(s, enters);
    }
    if (row < 0) return HN_STALLED;
    left = s->basis[row];
    pivot(s, row, enters, true);
    is_recomputed = false;
  }
  extract_values(s);
  if (recompute(s, fill, context)) extract_values(s);
  return HN_CONVERGED;
}
