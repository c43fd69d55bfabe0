/* figure.h - curves, and where all of a figure stands. */
#ifndef HN_CLI_FIGURE_FIGURE_H
#define HN_CLI_FIGURE_FIGURE_H

#include "cli/base/options.h"
#include "cli/figure/figure_data.h"

enum { FIGURE_MOST_CURVES = 40, FIGURE_MOST_SLOPES = 8 };

typedef struct figure_curve {
  char *name;
  const char *shown; /* its name, or what stands for it */
  double *x, *y;     /* [count], by x */
  size_t count;
  double at, label; /* height of its right end, and of its name there, in parts of the axis */
} figure_curve;

typedef struct figure_axis {
  const char *title;
  bool logarithmic, step; /* is it that of the step size, */
  bool time;              /* or of time? */
  double low, high;       /* ends of the axis */
} figure_axis;

/* Corners (x0, y0), (x1, y0), (x1, y1): a slope of p where both axes are logarithmic. */
typedef struct figure_slope {
  double p, x0, x1, y0, y1;
} figure_slope;

typedef struct figure {
  figure_axis x, y;
  figure_curve *curve; /* [ncurve] */
  size_t ncurve;
  figure_slope slope[FIGURE_MOST_SLOPES];
  size_t nslope;
  double width, height;             /* mm */
  double left, right, below, above; /* mm between its edges and its axes */
  int columns;                      /* of the legend below; 0: names stand at the ends of the curves */
} figure;

/* The figure that OPTIONS ask for of DATA; -1 on error. Free with figure_free either way. */
int figure_make(figure *f, const figure_data *data, const cli_options *options, hn_error *error);
void figure_free(figure *f);
/* Where X is on its axis, from 0 to 1. */
double figure_place(const figure_axis *axis, double x);

/* Letters and distances, in mm: a point is 0.353 mm. */
#define FIGURE_LETTERS 8.0 /* points */
#define FIGURE_LINE (FIGURE_LETTERS * 0.353 * 1.2)

#endif
