/* fit.c - order of convergence by least squares in the logarithms, and the range of steps where it shows.
 *
 * The asymptotic range is found without knowing the order expected: above round-off, below errors as large as the
 * motion, and where the slope has settled. Nothing is chosen for being near to a declared order. */
#include "holonom.h"

#include <math.h>

double hn_fit_order(const double *step, const double *error, size_t count)
{
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (size_t i = 0; i < count; i++) {
    if (!(step[i] > 0) || !(error[i] > 0) || !isfinite(step[i]) || !isfinite(error[i])) continue;
    double x = log(step[i]), y = log(error[i]);
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  double spread = n * sxx - sx * sx;
  return n >= 2 && spread > 0 ? (n * sxy - sx * sy) / spread : (double)NAN;
}

/* Do the slopes between neighbours keep to the slope of all? */
static bool settled(const double *step, const double *error, size_t count, double order, double slack)
{
  double allowed = fmax(slack, 0.05 * fabs(order));
  for (size_t i = 0; i + 1 < count; i++)
    if (!(fabs(hn_fit_order(step + i, error + i, 2) - order) <= allowed)) return false;
  return true;
}

/* Where the entries, at most HN_WINDOW_MOST, that end before END and lie between floor and ceiling begin. */
static size_t start_within(const double *error, size_t end, double floor, double ceiling)
{
  size_t first = end;
  while (first > 0 && end - first < HN_WINDOW_MOST && error[first - 1] > floor && error[first - 1] < ceiling) first--;
  return first;
}

hn_window hn_fit_window(const double *step, const double *error, size_t count, double floor, double ceiling,
                        double slack)
{
  for (size_t end = count; end >= HN_WINDOW_LEAST; end--)
    for (size_t first = start_within(error, end, floor, ceiling); first + HN_WINDOW_LEAST <= end; first++) {
      double order = hn_fit_order(step + first, error + first, end - first);
      if (settled(step + first, error + first, end - first, order, slack))
        return (hn_window){ first, end - first, order };
    }
  return (hn_window){ .order = (double)NAN };
}
