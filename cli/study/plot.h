/* plot.h - plots of a report, by gnuplot. */
#ifndef HN_CLI_PLOT_H
#define HN_CLI_PLOT_H

#include "cli/base/output.h"

typedef struct cli_curve {
  const char *file;    /* CSV file */
  size_t first, count; /* its rows, from 0 */
  const char *label;
  char *remark; /* added to the label in the legend; may be NULL */
} cli_curve;

typedef struct cli_panel {
  const char *title, *xlabel, *ylabel;
  int x, y; /* columns of the CSV */
  bool log_x, points;
  bool plain_y;        /* not logarithmic */
  bool sorted;         /* points are joined in the order of x */
  double x_min, x_max; /* range of x; 0: that of the data */
  double floor;        /* smaller values are drawn here; 0: no floor */
  double top;          /* larger values and failed runs are marked in a band above; 0: no band */
  int reason;          /* with a band: column of the reason of the end */
  bool failed, off;    /* there are runs to be marked: failed ones, and ones with larger errors */
} cli_panel;

/* Writes NAME.gp and draws NAME.svg in FOLDER: the panels side by side, with the same curves in each. */
int cli_plot(cli_folder *folder, const char *name, const cli_panel *panel, size_t npanel,
             const cli_curve *curve, size_t ncurve, hn_error *error);

#endif
