/* forecast.c - see forecast.h. */
#include "contact/forecast.h"
#include "elementary.h"

#include <math.h>

/* Iterations between two forecasts. */
enum { INTERVAL = 10 };

bool hn_forecast_exceeds(hn_forecast *forecast, int k, double error, double most, double tolerance)
{
  if (k == 0) forecast->first = forecast->smallest = error;
  forecast->smallest = fmin(forecast->smallest, error);
  const bool due = k > 0 && k % INTERVAL == 0 && most > 0.0 && tolerance > 0.0;
  if (!due || forecast->smallest <= tolerance) return false;
  return !(k * hn_log(forecast->first / tolerance) <= most * hn_log(forecast->first / forecast->smallest));
}
