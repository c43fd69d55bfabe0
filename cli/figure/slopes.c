/* slopes.c - triangles that show slopes, placed where they fit. */
#include <math.h>
#include <string.h>
#include "cli/base/parse.h"
#include "cli/base/values.h"
#include "cli/figure/figure.h"
#include "elementary.h"

/* Lengths, in parts of the axes. */
static const double length = 0.14;     /* side of a triangle along x */
static const double below = 0.05;      /* distance of the hypotenuse below the curve */
static const double text_width = 0.05; /* space for the number right of the triangle */
static const double edge = 0.02;       /* distance from the lower edge */
static const double near_whole = 0.25; /* distance of a slope from a whole number that is shown */
/* Minimum points of a curve, highest slope, positions tried on a curve, samples of a distance along x. */
enum { MIN_POINTS = 3, MAX_ORDER = 14, TRIES = 24, SAMPLES = 6 };

typedef struct spot {
  double x, y;     /* upper corner of a triangle, in parts of the axes */
  double distance; /* distance to the nearest curve */
} spot;

/* Returns the rise of a curve of slope P, both in parts of the axes. */
static double rise(const figure *f, double p)
{
  return p * hn_log(f->x.high / f->x.low) / hn_log(f->y.high / f->y.low);
}

/* Returns the height of a curve at x, interpolated; NAN beyond its ends. */
static double height_at(const figure *f, const figure_curve *c, double x)
{
  for (size_t i = 1; i < c->count; i++) {
    const double a = figure_place(&f->x, c->x[i - 1]), b = figure_place(&f->x, c->x[i]);
    if (x < a || x > b) continue;
    const double ya = figure_place(&f->y, c->y[i - 1]), yb = figure_place(&f->y, c->y[i]);
    return b > a ? ya + (yb - ya) * (x - a) / (b - a) : ya;
  }
  return NAN;
}

/* Returns the distance of the triangle of slope P with its upper corner at (x, y), and its number to the
 * right, from the nearest curve or edge. */
static double find_distance(const figure *f, double p, double x, double y)
{
  const double fall = rise(f, p) * length;
  double distance = fmin(y - fall - edge, fmin(x - length, 1.0 - text_width - x));
  for (size_t k = 0; k < f->ncurve; k++)
    for (int i = 0; i <= SAMPLES; i++) {
      const double at = x - length + (length + text_width) * i / (double)SAMPLES,
                   h = height_at(f, &f->curve[k], at);
      const double top = at < x ? y - rise(f, p) * (x - at) : y, bottom = y - fall;
      if (!isnan(h)) distance = fmin(distance, h > top ? h - top : h < bottom ? bottom - h : -1.0);
    }
  return distance;
}

/* Finds the best place below a curve marked in HAS. */
static spot find_spot(const figure *f, double p, const bool *has)
{
  spot best = { .distance = -INFINITY };
  for (size_t k = 0; k < f->ncurve; k++)
    for (int i = 1; i < TRIES && has[k]; i++) {
      const double x = (double)i / TRIES, y = height_at(f, &f->curve[k], x) - below;
      const double distance = isnan(y) ? -INFINITY : find_distance(f, p, x, y);
      if (distance > best.distance) best = (spot){ x, y, distance };
    }
  return best;
}

static double value_at(const figure_axis *axis, double place)
{
  return axis->low * hn_pow(axis->high / axis->low, place);
}

static void add(figure *f, double p, const bool *has)
{
  const spot s = find_spot(f, p, has);
  if (!(s.distance > 0.0) || f->nslope == FIGURE_MAX_SLOPES) return; /* no triangle without space for it */
  f->slope[f->nslope++] = (figure_slope){
    .p = p,
    .x0 = value_at(&f->x, s.x - length),
    .x1 = value_at(&f->x, s.x),
    .y1 = value_at(&f->y, s.y),
    .y0 = value_at(&f->y, s.y - rise(f, p) * length),
  };
}

/* Returns the whole number closest to the slope of a curve over its middle; 0: none. */
static int slope_of(const figure_curve *c)
{
  const double p = hn_fit_order(c->x, c->y, c->count), whole = round(p);
  return c->count >= MIN_POINTS && fabs(p - whole) <= near_whole && whole >= 1.0 && whole <= MAX_ORDER
           ? (int)whole
           : 0;
}

static void add_fitted(figure *f)
{
  for (int p = 1; p <= MAX_ORDER; p++) {
    bool has[FIGURE_MAX_CURVES] = { false }, any = false;
    for (size_t k = 0; k < f->ncurve; k++) any = (has[k] = slope_of(&f->curve[k]) == p) || any;
    if (any) add(f, p, has);
  }
}

int figure_add_slopes(figure *f, const char *slopes, hn_error *error)
{
  if (slopes ? strcmp(slopes, "none") == 0 : !f->x.step) return 0;
  if (!f->x.logarithmic || !f->y.logarithmic)
    return slopes ? hn_fail(error, "--slopes: there are slopes where both axes are logarithmic") : 0;
  if (!slopes) return add_fitted(f), 0;
  size_t count;
  char **value = cli_values("--slopes", slopes, &count, error);
  bool all[FIGURE_MAX_CURVES];
  for (size_t k = 0; k < FIGURE_MAX_CURVES; k++) all[k] = k < f->ncurve;
  int status = value ? 0 : -1;
  for (size_t i = 0; status == 0 && i < count; i++) {
    double p;
    if (!cli_parse_number(value[i], &p)) status = hn_fail(error, "--slopes: '%s' is not a number", value[i]);
    else add(f, p, all);
  }
  cli_strings_free(value);
  return status;
}
