/* tables.h - the tables of a report, and the curves in them. */
#ifndef HN_CLI_TABLES_H
#define HN_CLI_TABLES_H

#include "cli/base/output.h"
#include "cli/study/comparison.h"
#include "cli/study/plot.h"

/* A table and its curves. */
typedef struct report_curves {
  const char *file;
  FILE *out;
  cli_curve *curve; /* [count] curves that have rows */
  size_t count, rows;
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

#endif
