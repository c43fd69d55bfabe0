/* forecast.h - how many iterations a contact solver will need, foretold from its progress. Internal.
 *
 * Errors of c_0 in the first iteration, and of at least c in k iterations, foretell k ln(c_0 / tolerance) /
 * ln(c_0 / c). A chain of contact solvers turns to another one if that is too many. */
#ifndef HN_FORECAST_H
#define HN_FORECAST_H

#include <stdbool.h>

typedef struct hn_forecast {
  double first, smallest; /* m/s, errors: of the first iteration, and the smallest so far */
} hn_forecast;

/* Notes the ERROR of iteration K = 0, 1, 2, ... True after 10, 20, 30, ... of them if more than MOST are
 * foretold to a TOLERANCE; never if MOST or TOLERANCE is 0. */
bool hn_forecast_exceeds(hn_forecast *forecast, int k, double error, double most, double tolerance);

#endif
