/* plot.h - plots by gnuplot. */
#ifndef HN_CLI_PLOT_H
#define HN_CLI_PLOT_H

#include "cli/base/output.h"

typedef struct cli_curve {
  const char *file;    /* CSV */
  size_t first, count; /* rows of it, from 0 */
  const char *label;
  char *remark; /* added to the label in the legend; may be NULL */
} cli_curve;

typedef struct cli_panel {
  const char *title, *xlabel, *ylabel;
  int x, y; /* columns of the CSV */
  bool log_x, points;
  bool plain_y;        /* not logarithmic */
  bool sorted;         /* points are joined in the order of x */
  double x_min, x_max; /* 0: as the data have it */
  double floor;        /* smaller values are drawn here; 0: there are none */
  double top;          /* larger values, and runs that failed, are marked in a band above; 0: no band */
  int reason;          /* with a band: column of the reason */
  bool failed, off;    /* are there runs to be marked: that failed, with larger errors */
} cli_panel;

/* NAME.gp and NAME.svg in FOLDER: the panels side by side, the same curves in each. */
int cli_plot(cli_folder *folder, const char *name, const cli_panel *panel, size_t npanel,
             const cli_curve *curve, size_t ncurve, hn_error *error);

#endif
