/* figure_data.h - cli/figure/: draws a figure of a table. It depends on cli/base/ alone.
 *
 *   CSV -> columns -> rows selected, joined to curves -> ranges, labels, slopes -> gnuplot */
#ifndef CLI_FIGURE_DATA_H
#define CLI_FIGURE_DATA_H

#include "holonom.h"

/* A table of texts. */
typedef struct figure_data {
  char **text; /* [ntable] text of each file, to which the fields point */
  size_t ntable;
  char **column; /* [ncolumn] names */
  char **field;  /* [nrow * ncolumn] */
  size_t ncolumn, nrow;
} figure_data;

/* Reads COUNT CSV files with a head line. Fields in double quotes may contain commas and doubled quotes; "-"
 * is standard input. Several files are joined under the columns of the first one, a missing column being
 * empty, with a further column "table" of their names. Returns -1 on error. Always free with
 * figure_data_free. */
int figure_data_read(figure_data *data, char *const *path, size_t count, hn_error *error);
/* Reads one TEXT, which becomes part of DATA; WHAT names it in messages. */
int figure_data_parse(figure_data *data, char *text, const char *what, hn_error *error);
void figure_data_free(figure_data *data);
/* Returns the index of the column NAME; -1 with a message that names the nearest one. */
int figure_column(const figure_data *data, const char *name, hn_error *error);
const char *figure_field(const figure_data *data, size_t row, int column);
/* True if FIELD and VALUE are the same text or the same number. */
bool figure_agrees(const char *field, const char *value);

#endif
