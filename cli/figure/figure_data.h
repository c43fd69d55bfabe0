/* figure_data.h - cli/figure/: a figure of a table. It stands on cli/base/ alone.
 *
 *   CSV -> columns -> rows chosen, joined to curves -> ranges, labels, slopes -> gnuplot */
#ifndef CLI_FIGURE_DATA_H
#define CLI_FIGURE_DATA_H

#include "holonom.h"

/* A table of texts. */
typedef struct figure_data {
  char **text; /* [ntable] all fields of each file, one behind the other */
  size_t ntable;
  char **column; /* [ncolumn] names */
  char **field;  /* [nrow * ncolumn] */
  size_t ncolumn, nrow;
} figure_data;

/* Reads COUNT files of CSV with a head: fields in double quotes may hold commas, and a doubled quote. "-" is standard
 * input. Of several the first one's columns count, and one more, "table", has their names. -1 on error; free with
 * figure_data_free either way. */
int figure_data_read(figure_data *data, char *const *path, size_t count, hn_error *error);
/* The same of one TEXT, which it takes over; WHAT names it in errors. */
int figure_data_take(figure_data *data, char *text, const char *what, hn_error *error);
void figure_data_free(figure_data *data);
/* The column called NAME; -1 with the nearest name. */
int figure_column(const figure_data *data, const char *name, hn_error *error);
const char *figure_field(const figure_data *data, size_t row, int column);

#endif
