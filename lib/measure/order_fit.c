/* order_fit.c - order of convergence by least squares in the logarithms, and the range of steps where it is
 * visible
 *
 * The asymptotic range is found without the expected order. It lies above round-off and below errors as large
 * as the motion, where errors follow the first two terms of their expansion, the second smaller than the
 * first:
 *
 *   e(h) = C h^p (1 + s (h / h0)^k),  -1/2 < s < 1,  k = 1 or 2,  h0 the largest step in the range
 *
 * k is 2 for symmetric solvers; the k with the better fit is used.
 *
 * A straight line through such errors is too steep by up to about s/2, and s is not small if round-off limits
 * the range: for high orders, or a slow motion beside a fast one. Over a narrow range, s can hardly be
 * distinguished from a change of p, so it is regularised towards 0 (Tikhonov: s = 1 counts like one residual
 * of SLACK). No choice depends on a declared order.
 *
 * Random errors of some percent can bend the fit, whose extrapolation to h = 0 is then wrong. Therefore p is
 * only known to lie between the fit and the slope of a straight line, which does not extrapolate, plus or
 * minus twice the standard error of that slope. */
#include "elementary.h"
#include "run.h"

#include <math.h>

/* bounds of s: the second term is smaller than the first */
enum { MAX_ITERATIONS = 50 };         /* of Gauss-Newton, which converges in far fewer */
static const double rounding = 1e-14; /* change of s, of size up to 1, that ends the iteration */
static const double min_second = -0.5, max_second = 1.0;

static bool is_usable(double step, double error)
{
  return step > 0 && error > 0 && isfinite(step) && isfinite(error);
}

double hn_fit_order(const double *step, const double *error, size_t count)
{
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (size_t i = 0; i < count; i++) {
    if (!is_usable(step[i], error[i])) continue;
    double x = hn_log(step[i]), y = hn_log(error[i]);
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  double spread = n * sxx - sx * sx;
  return n >= 2 && spread > 0 ? (n * sxy - sx * sy) / spread : (double)NAN;
}

double hn_fit_scatter(const double *step, const double *error, size_t count, double order)
{
  double n = 0, sx = 0, sxx = 0, sz = 0, szz = 0; /* z: log(error) minus the straight line */
  for (size_t i = 0; i < count; i++) {
    if (!is_usable(step[i], error[i])) continue;
    double x = hn_log(step[i]), z = hn_log(error[i]) - order * x;
    n += 1, sx += x, sxx += x * x, sz += z, szz += z * z;
  }
  double spread = sxx - sx * sx / n, square = fmax(0.0, szz - sz * sz / n);
  return n >= 3 && spread > 0 ? 2.0 * sqrt(square / (n - 2) / spread) : (double)NAN;
}

/* Subtracts from y its straight line in x and returns the slope. */
static double flatten(const double *x, double *y, size_t count)
{
  double mx = 0, my = 0, sxx = 0, sxy = 0;
  for (size_t i = 0; i < count; i++) mx += x[i] / (double)count, my += y[i] / (double)count;
  for (size_t i = 0; i < count; i++) sxx += (x[i] - mx) * (x[i] - mx), sxy += (x[i] - mx) * (y[i] - my);
  double slope = sxy / sxx;
  for (size_t i = 0; i < count; i++) y[i] -= my + slope * (x[i] - mx);
  return slope;
}

/* Fits ORDER by Gauss-Newton for s, orthogonally to straight lines. Returns the sum of squared residuals, or
 * NAN if an error deviates from the fit by more than SLACK of itself or the second term is as large as the
 * first. */
static double fit_second(const double *step, const double *error, size_t count, int power, double slack,
                         double *order)
{
  double x[HN_WINDOW_MAX], left[HN_WINDOW_MAX], rate[HN_WINDOW_MAX], s = 0.0, change = 1.0, sum = 0.0;
  for (size_t i = 0; i < count; i++) x[i] = hn_log(step[i] / step[0]);
  /* Gauss-Newton iteration. */
  for (int k = 0; k < MAX_ITERATIONS && fabs(change) > rounding; k++) {
    double along = -slack * slack * s, square = slack * slack;
    for (size_t i = 0; i < count; i++) {
      double ratio = step[i] / step[0], u = power == 1 ? ratio : ratio * ratio;
      left[i] = hn_log(error[i]) - hn_log1p(s * u);
      rate[i] = u / (1.0 + s * u);
    }
    *order = flatten(x, left, count);
    flatten(x, rate, count);
    for (size_t i = 0; i < count; i++) along += rate[i] * left[i], square += rate[i] * rate[i];
    double next = fmax(min_second, fmin(max_second, s + along / square));
    change = next - s;
    s = next;
  }
  /* Acceptance and residual. */
  if (s <= min_second || s >= max_second) return NAN;
  for (size_t i = 0; i < count; i++) {
    if (!(fabs(left[i]) <= slack)) return NAN;
    sum += left[i] * left[i];
  }
  return sum + slack * slack * s * s;
}

static bool is_asymptotic(const double *step, const double *error, size_t count, double slack, double *order)
{
  double order_of[2], left[2];
  for (int k = 0; k < 2; k++) left[k] = fit_second(step, error, count, k + 1, slack, &order_of[k]);
  int better = isnan(left[0]) || left[1] < left[0];
  *order = order_of[better];
  return !isnan(left[better]);
}

static void find_bounds(const double *step, const double *error, hn_window *window)
{
  double slope = hn_fit_order(step, error, window->count);
  double scatter = hn_fit_scatter(step, error, window->count, slope);
  window->low = fmin(slope, window->order) - scatter;
  window->high = fmax(slope, window->order) + scatter;
}

/* Returns the start of the run of entries before END, at most HN_WINDOW_MAX, that lie between floor and
 * ceiling. */
static size_t start_within(const double *error, size_t end, double floor, double ceiling)
{
  size_t first = end;
  while (first > 0 && end - first < HN_WINDOW_MAX && error[first - 1] > floor && error[first - 1] < ceiling)
    first--;
  return first;
}

hn_window hn_fit_window(const double *step, const double *error, size_t count, double floor, double ceiling,
                        double slack)
{
  for (size_t end = count; end >= HN_WINDOW_MIN; end--)
    for (size_t first = start_within(error, end, floor, ceiling); first + HN_WINDOW_MIN <= end; first++) {
      hn_window window = { .first = first, .count = end - first };
      if (!is_asymptotic(step + first, error + first, window.count, slack, &window.order)) continue;
      find_bounds(step + first, error + first, &window);
      return window;
    }
  return (hn_window){ .order = (double)NAN };
}
