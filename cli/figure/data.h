/* data.h - cli/figure/: a figure of a table. It stands on cli/base/ alone.
 *
 *   CSV -> columns -> rows chosen, joined to curves -> ranges, labels, slopes -> gnuplot */
#ifndef HN_CLI_FIGURE_DATA_H
#define HN_CLI_FIGURE_DATA_H

#include "holonom.h"

/* A table of texts. */
typedef struct figure_data {
  char *text;             /* all fields, one behind the other */
  char **column;          /* [ncolumn] names */
  char **field;           /* [nrow * ncolumn] */
  size_t ncolumn, nrow;
} figure_data;

/* Reads CSV with a head: fields in double quotes may hold commas, and a doubled quote. -1 on error. */
int figure_data_read(figure_data *data, const char *path, hn_error *error);
/* The same of TEXT, which it takes over; WHAT names it in errors. */
int figure_data_take(figure_data *data, char *text, const char *what, hn_error *error);
void figure_data_free(figure_data *data);
/* The column called NAME; -1 with the nearest name. */
int figure_column(const figure_data *data, const char *name, hn_error *error);
const char *figure_field(const figure_data *data, size_t row, int column);

#endif
