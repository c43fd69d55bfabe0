/* figure_data.c - reads tables from CSV files. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/figure/figure_data.h"

/* Relative difference of equal numbers in different spellings. */
static const double name_rounding = 1e-12;

static char *read_all(const char *path, hn_error *error)
{
  size_t capacity = 0;
  char *text = NULL;
  FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
  const bool good = file && (getdelim(&text, &capacity, '\0', file) >= 0 || !ferror(file));
  if (!good) hn_fail(error, "cannot read %s: %s", path, strerror(errno));
  if (file && file != stdin) fclose(file);
  if (good && text) return text;
  free(text);
  return good ? cli_text("%s", "") : NULL;
}

/* Returns the field at *FROM, unquoted in place, and advances *FROM. Stores its terminator in *END: a comma,
 * a newline or the end of the text. */
static char *read_field(char **from, char *end)
{
  char *start = *from, *to = start, *c = start;
  if (*c != '"') c += strcspn(c, ",\r\n"), to = c;
  else
    for (c++; *c && (*c != '"' || c[1] == '"'); c++) *to++ = *c == '"' ? *c++ : *c;
  if (*c == '"') c++;
  *end = *c;
  *to = '\0';
  if (*end == '\r' && c[1] == '\n') *end = '\n', c++;
  *from = *end ? c + 1 : c;
  return start;
}

/* Appends the fields of one line. Returns their number. */
static size_t read_line(char **from, char ***field, size_t count)
{
  char end = ',';
  size_t taken = 0;
  for (; end == ','; taken++) {
    *field = cli_grow(*field, count + taken + 1, sizeof **field);
    (*field)[count + taken] = read_field(from, &end);
  }
  return taken;
}

static int read_one(figure_data *data, const char *path, hn_error *error)
{
  *data = (figure_data){ .text = NULL };
  char *text = read_all(path, error);
  return text ? figure_data_parse(data, text, path, error) : -1;
}

int figure_data_parse(figure_data *data, char *text, const char *what, hn_error *error)
{
  *data = (figure_data){ .text = cli_alloc(1, sizeof *data->text), .ntable = 1 };
  char *at = data->text[0] = text;
  data->ncolumn = read_line(&at, &data->column, 0);
  for (; *at; data->nrow++) {
    const size_t taken = read_line(&at, &data->field, data->nrow * data->ncolumn);
    if (taken != data->ncolumn)
      return hn_fail(error, "%s: line %zu has %zu fields, its head %zu", what, data->nrow + 2, taken,
                     data->ncolumn);
  }
  return data->nrow > 0 ? 0 : hn_fail(error, "%s: a table without rows", what);
}

/* Returns the name of a table: that of "dir/x.csv" is x. */
static char *name_of(const char *path)
{
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  return cli_text("%.*s", (int)strcspn(name, "."), name);
}

/* Keeps TEXT as long as the data. */
static char *keep(figure_data *data, char *text)
{
  data->text = cli_grow(data->text, data->ntable + 1, sizeof *data->text);
  return data->text[data->ntable++] = text;
}

/* Appends the rows of MORE, from PATH, to DATA, with the columns of DATA and one for the name of the table. A
 * column that MORE lacks is empty. */
static void add_table(figure_data *data, figure_data *more, const char *path)
{
  static char empty[] = "", table[] = "table";
  if (data->ncolumn == 0) {
    data->column = cli_alloc(more->ncolumn + 1, sizeof *data->column);
    memcpy(data->column, more->column, more->ncolumn * sizeof *data->column);
    data->column[more->ncolumn] = table, data->ncolumn = more->ncolumn + 1;
  }
  char *name = keep(data, name_of(path));
  data->field = cli_grow(data->field, (data->nrow + more->nrow) * data->ncolumn, sizeof *data->field);
  for (size_t c = 0; c < data->ncolumn; c++) {
    const int from = c + 1 < data->ncolumn ? figure_column(more, data->column[c], NULL) : -1;
    for (size_t row = 0; row < more->nrow; row++)
      data->field[(data->nrow + row) * data->ncolumn + c] =
        c + 1 == data->ncolumn ? name
        : from < 0             ? empty
                               : more->field[row * more->ncolumn + (size_t)from];
  }
  data->nrow += more->nrow;
  keep(data, more->text[0]), more->text[0] = NULL;
}

int figure_data_read(figure_data *data, char *const *path, size_t count, hn_error *error)
{
  int status = 0;
  *data = (figure_data){ .text = NULL };
  if (count == 1) return read_one(data, path[0], error);
  for (size_t i = 0; status == 0 && i < count; i++) {
    figure_data more;
    status = read_one(&more, path[i], error);
    if (status == 0) add_table(data, &more, path[i]);
    figure_data_free(&more);
  }
  return status;
}

void figure_data_free(figure_data *data)
{
  for (size_t i = 0; i < data->ntable; i++) free(data->text[i]);
  free(data->text), free(data->column), free(data->field);
  memset(data, 0, sizeof *data);
}

int figure_column(const figure_data *data, const char *name, hn_error *error)
{
  return cli_find(name, (const char *const *)data->column, data->ncolumn, error,
                  "the table has no column \"%.60s\"", name);
}

const char *figure_field(const figure_data *data, size_t row, int column)
{
  return data->field[row * data->ncolumn + (size_t)column];
}

bool figure_agrees(const char *field, const char *value)
{
  double a, b;
  if (strcmp(field, value) == 0) return true;
  return cli_parse_number(field, &a) && cli_parse_number(value, &b) && fabs(a - b) <= name_rounding * fabs(b);
}
