/* fit.c - order of convergence by least squares in the logarithms. */
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
