/* figure.h - curves, axes and layout of a figure, and its drawing. */
#ifndef HN_CLI_FIGURE_FIGURE_H
#define HN_CLI_FIGURE_FIGURE_H

#include "cli/base/options.h"
#include "cli/figure/figure_data.h"

enum { FIGURE_MAX_CURVES = 40, FIGURE_MAX_SLOPES = 8 };

typedef struct figure_curve {
  char *name;
  const char *shown; /* label: the name, or the text of --name */
  double *x, *y;     /* [count] in the order of x */
  size_t count;
  double at, label; /* height of its right end, and of its name there, as a part of the axis */
} figure_curve;

typedef struct figure_axis {
  char *title; /* owned by the figure */
  bool logarithmic;
  bool step, time;  /* the axis shows the step size, or time */
  double low, high; /* ends of the axis */
} figure_axis;

/* A triangle with corners (x0, y0), (x1, y0), (x1, y1) that shows the slope p on logarithmic axes. */
typedef struct figure_slope {
  double p, x0, x1, y0, y1;
} figure_slope;

typedef struct figure {
  figure_axis x, y;
  figure_curve *curve; /* [ncurve] */
  size_t ncurve;
  figure_slope slope[FIGURE_MAX_SLOPES];
  size_t nslope;
  bool lines;                       /* curves without symbols */
  double width, height;             /* mm */
  double left, right, below, above; /* margins between edges and axes, mm */
  /* columns of the legend below; 0: names stand at the ends of the curves */
  int columns;
} figure;

/* Makes the figure of DATA that OPTIONS describe. Returns -1 on error. Always free with figure_free. */
int figure_make(figure *f, const figure_data *data, const cli_options *options, hn_error *error);
/* Sets labels, layout and places of names of a figure with curves, axes and titles. Returns -1 on error. */
int figure_finish(figure *f, const cli_options *options, hn_error *error);
void figure_free(figure *f);
/* Returns the position of X on its axis, from 0 to 1. */
double figure_place(const figure_axis *axis, double x);

#define FIGURE_POINT 0.353                                /* mm */
#define FIGURE_LETTERS 8.0                                /* size of letters, points */
#define FIGURE_LINE (FIGURE_LETTERS * FIGURE_POINT * 1.2) /* height of a line of text, mm */

/* Adds triangles for SLOPES: "2,4", "none", or NULL for the slopes of curves over the step. -1 on error. */
int figure_add_slopes(figure *f, const char *slopes, hn_error *error);

/* Draws the figure that OPTIONS describe, of COUNT CSV files TABLE, into PATH (.pdf, .svg or .png), or writes
 * its gnuplot script (.gp). Returns the number of curves, or -1 on error. */
long figure_draw(char *const *table, size_t count, const char *path, const cli_options *options,
                 hn_error *error);

/* Draws G and K = G W G' of MODEL at STATE into PATH, WIDTH mm wide (0: default). Returns -1 on error. */
int figure_topology(const hn_model *model, const hn_state *state, const hn_rank *rank, const char *path,
                    double width, hn_error *error);

#endif
