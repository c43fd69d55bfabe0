/* sweep_table.c - the table of a sweep as HDF5, its columns that a study selects, and its conclusions. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/base/text_table.h"
#include "cli/sweep/sweep_row.h"
#include "cli/sweep/sweep_table.h"

int sweep_table_read(figure_data *data, sweep_journal *journal, const sweep_grid *grid, hn_error *error)
{
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  *data = (figure_data){ 0 };
  int status = stream ? sweep_journal_print(journal, grid, stream, error) : -1;
  if (!stream || (fclose(stream) != 0 && status == 0)) status = hn_fail(error, "out of memory");
  if (status == 0) return figure_data_parse(data, text, "the table", error);
  free(text);
  return -1;
}

/* Returns column C as numbers; NULL if a field is no number or all are empty. */
static double *numbers(const figure_data *data, int c)
{
  double *number = cli_alloc(data->nrow, sizeof *number);
  size_t found = 0;
  for (size_t row = 0; row < data->nrow; row++) {
    const char *field = figure_field(data, row, c);
    char *end;
    number[row] = *field ? strtod(field, &end) : (double)NAN;
    if (!*field) continue;
    if (*end) {
      free(number);
      return NULL;
    }
    found++;
  }
  if (found > 0) return number;
  free(number);
  return NULL;
}

static char **texts(const figure_data *data, size_t c)
{
  char **text = cli_alloc(data->nrow, sizeof *text);
  for (size_t row = 0; row < data->nrow; row++) text[row] = data->field[row * data->ncolumn + c];
  return text;
}

static int write_columns(const figure_data *data, FILE *out, hn_error *error)
{
  hn_column *column = cli_alloc(data->ncolumn, sizeof *column);
  void *bytes;
  size_t size;
  for (size_t c = 0; c < data->ncolumn; c++) {
    column[c] = (hn_column){ .name = data->column[c], .number = numbers(data, (int)c) };
    if (!column[c].number) column[c].text = texts(data, c);
  }
  int status = hn_table_hdf5(column, data->ncolumn, data->nrow, &bytes, &size, error);
  if (status == 0 && fwrite(bytes, 1, size, out) != size)
    status = hn_fail(error, "cannot write the table: %s", strerror(errno));
  if (status == 0) free(bytes);
  for (size_t c = 0; c < data->ncolumn; c++) free((void *)column[c].number), free((void *)column[c].text);
  free(column);
  return status;
}

int sweep_table_hdf5(sweep_journal *journal, const sweep_grid *grid, FILE *out, hn_error *error)
{
  figure_data data;
  int status = sweep_table_read(&data, journal, grid, error);
  if (status == 0) status = write_columns(&data, out, error);
  figure_data_free(&data);
  return status;
}

/* ---- Columns that a study selects ---------------------------------------------------------------------- */

/* Adds a field; long numbers are rounded to six digits. */
static void add_cell(cli_table *table, const char *field)
{
  double number;
  if (cli_parse_number(field, &number) && strlen(field) > 7) cli_cell(table, "%.6g", number);
  else cli_cell(table, "%s", *field ? field : "-");
}

/* True if rows I and K have the same scene, parameters of the scene and step. */
static bool are_compared(const figure_data *data, size_t i, size_t k, size_t parameters, int step)
{
  for (int c = 0; c <= (int)parameters; c++)
    if (strcmp(figure_field(data, i, c), figure_field(data, k, c)) != 0) return false;
  return strcmp(figure_field(data, i, step), figure_field(data, k, step)) == 0;
}

/* Adds the time of a step of row I over that of the fastest solver of the same scene and step. */
static int add_time_ratio(cli_table *table, const figure_data *data, size_t i, size_t parameters,
                          hn_error *error)
{
  const int time = figure_column(data, "us_per_step", error), step = figure_column(data, "step", error);
  double own, other, least = INFINITY;
  if (time < 0 || step < 0) return -1;
  const bool measured = cli_parse_number(figure_field(data, i, time), &own);
  for (size_t k = 0; k < data->nrow && measured; k++)
    if (are_compared(data, i, k, parameters, step) && cli_parse_number(figure_field(data, k, time), &other))
      least = fmin(least, other);
  if (measured && least > 0.0) cli_cell(table, "%.3g", own / least);
  else cli_cell(table, "-");
  return 0;
}

static int print_columns(const figure_data *data, const sweep_grid *grid, hn_error *error)
{
  const hn_study *study = grid->study;
  int status = 0;
  char *titles = NULL;
  size_t length;
  FILE *head = open_memstream(&titles, &length);
  for (size_t k = 0; k < study->nshow; k++)
    fprintf(head, "%s%s%s", k > 0 ? "|" : "", strcmp(study->show[k], "solver") == 0 ? "<" : "",
            study->show[k]);
  fclose(head);
  cli_table *table = cli_table_create(titles);
  for (size_t i = 0; i < data->nrow && status == 0; i++)
    for (size_t k = 0; k < study->nshow && status == 0; k++) {
      const bool ratio = strcmp(study->show[k], sweep_time_ratio) == 0;
      const int column = ratio ? 0 : figure_column(data, study->show[k], error);
      if (ratio) status = add_time_ratio(table, data, i, grid->nparameter, error);
      else if (column < 0) status = -1;
      else add_cell(table, figure_field(data, i, column));
    }
  if (status == 0 && study->summary) printf("%s\n\n", study->summary);
  if (status == 0) cli_table_print(table, stdout);
  else cli_table_free(table);
  free(titles);
  return status;
}

int sweep_show(sweep_journal *journal, const sweep_grid *grid, hn_error *error)
{
  figure_data data;
  int status = sweep_table_read(&data, journal, grid, error);
  if (status == 0) status = print_columns(&data, grid, error);
  figure_data_free(&data);
  return status;
}

/* ---- Conclusions --------------------------------------------------------------------------------------- */

int sweep_conclude(hn_study_table *table, sweep_journal *journal, const sweep_grid *grid, hn_error *error)
{
  figure_data data;
  *table = (hn_study_table){ 0 };
  int status = sweep_table_read(&data, journal, grid, error);
  if (status == 0) {
    hn_study_field *field = cli_alloc(data.nrow * data.ncolumn + 1, sizeof *field);
    for (size_t i = 0; i < data.nrow * data.ncolumn; i++) {
      const char *text = data.field[i];
      double number = NAN;
      const bool is_text = *text && !cli_parse_number(text, &number);
      field[i] = (hn_study_field){ data.column[i % data.ncolumn], is_text ? text : NULL, number };
    }
    status = hn_study_conclude(grid->study, field, data.ncolumn, data.nrow, table, error);
    free(field);
  }
  figure_data_free(&data);
  return status;
}

int sweep_print_conclusions(const hn_study_table *from, const sweep_grid *grid)
{
  char *titles = NULL;
  size_t length;
  FILE *head = open_memstream(&titles, &length);
  for (size_t k = 0; k < from->ncolumn; k++) fprintf(head, "%s<%s", k > 0 ? "|" : "", from->column[k]);
  fclose(head);
  cli_table *table = cli_table_create(titles);
  for (size_t i = 0; i < from->nrow * from->ncolumn; i++) add_cell(table, from->field[i]);
  if (grid->study->summary) printf("%s\n\n", grid->study->summary);
  cli_table_print(table, stdout);
  free(titles);
  return 0;
}

int sweep_show_conclusions(sweep_journal *journal, const sweep_grid *grid, hn_error *error)
{
  hn_study_table table;
  int status = sweep_conclude(&table, journal, grid, error);
  if (status == 0) status = sweep_print_conclusions(&table, grid);
  hn_study_table_free(&table);
  return status;
}
