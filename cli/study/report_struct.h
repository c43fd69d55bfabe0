/* report_struct.h - the report of a comparison: its tables, curves in them, and plots by gnuplot. */
#ifndef CLI_REPORT_STRUCT_H
#define CLI_REPORT_STRUCT_H

#include "cli/base/output.h"
#include "cli/study/comparison.h"

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

/* The curves of a table: of the solvers that have rows in it. */
typedef struct report_curves {
  cli_curve *curve; /* [count] */
  size_t count;
} report_curves;

typedef struct report_tables {
  cli_folder *folder;
  report_curves series, errors, study, history;
} report_tables;

/* Writes series.csv, errors.csv, work.csv and residuals.csv of C, as far as there are data, into the folder
 * of TABLES. Free with report_free_tables in either case. */
int report_write_tables(report_tables *tables, const cli_comparison *c, hn_error *error);
void report_free_tables(report_tables *tables);
/* Writes TEXT as a field of CSV on one line, quoted if necessary. */
void cli_put_csv(FILE *out, const char *text);

/* Writes report.md, its data, gnuplot scripts and plots into FOLDER. */
int cli_report_write(const cli_comparison *comparison, cli_folder *folder, hn_error *error);

#endif
