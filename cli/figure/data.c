/* data.c - a table from a CSV file. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/figure/data.h"

static char *read_all(const char *path, hn_error *error)
{
  size_t size = 0, room = 1 << 16;
  char *text = cli_alloc(room, 1);
  FILE *file = fopen(path, "r");
  for (size_t n; file && (n = fread(text + size, 1, room - size - 1, file)) > 0;) {
    size += n;
    if (size + 1 == room) text = cli_grow(text, room *= 2, 1);
  }
  const bool good = file && !ferror(file);
  if (!good) hn_fail(error, "cannot read %s: %s", path, strerror(errno));
  if (file) fclose(file);
  text[size] = '\0';
  if (good) return text;
  free(text);
  return NULL;
}

/* The field at *FROM, taken out of its quotes in place; its end, a comma, a line's end or the text's, in *END. */
static char *take_field(char **from, char *end)
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

/* Fields of one line; how many. */
static size_t take_line(char **from, char ***field, size_t count)
{
  char end = ',';
  size_t taken = 0;
  for (; end == ','; taken++) {
    *field = cli_grow(*field, count + taken + 1, sizeof **field);
    (*field)[count + taken] = take_field(from, &end);
  }
  return taken;
}

int figure_data_read(figure_data *data, const char *path, hn_error *error)
{
  *data = (figure_data){ .text = NULL };
  char *text = read_all(path, error);
  return text ? figure_data_take(data, text, path, error) : -1;
}

int figure_data_take(figure_data *data, char *text, const char *what, hn_error *error)
{
  *data = (figure_data){ .text = text };
  char *at = data->text;
  data->ncolumn = take_line(&at, &data->column, 0);
  for (; *at; data->nrow++) {
    const size_t taken = take_line(&at, &data->field, data->nrow * data->ncolumn);
    if (taken != data->ncolumn)
      return hn_fail(error, "%s: line %zu has %zu fields, its head %zu", what, data->nrow + 2, taken, data->ncolumn);
  }
  return data->nrow > 0 ? 0 : hn_fail(error, "%s: a table without rows", what);
}

void figure_data_free(figure_data *data)
{
  free(data->text), free(data->column), free(data->field);
  memset(data, 0, sizeof *data);
}

int figure_column(const figure_data *data, const char *name, hn_error *error)
{
  for (size_t i = 0; i < data->ncolumn; i++)
    if (strcmp(data->column[i], name) == 0) return (int)i;
  char *hint = cli_hint(name, (const char *const *)data->column, data->ncolumn);
  hn_fail(error, "the table has no column \"%.60s\"%s", name, hint);
  free(hint);
  return -1;
}

const char *figure_field(const figure_data *data, size_t row, int column)
{
  return data->field[row * data->ncolumn + (size_t)column];
}
