/* sweep_columns.c - prints the columns of a table that a study selects. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/base/parse.h"
#include "cli/base/text_table.h"
#include "cli/sweep/sweep_columns.h"
#include "cli/sweep/sweep_table.h"

/* Adds a field; long numbers are rounded to six digits. */
static void add_cell(cli_table *table, const char *field)
{
  double number;
  if (cli_parse_number(field, &number) && strlen(field) > 7) cli_cell(table, "%.6g", number);
  else cli_cell(table, "%s", *field ? field : "-");
}

static int print_columns(const figure_data *data, const hn_study *study, hn_error *error)
{
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
      const int column = figure_column(data, study->show[k], error);
      if (column < 0) status = -1;
      else add_cell(table, figure_field(data, i, column));
    }
  if (status == 0 && study->summary) printf("%s\n\n", study->summary);
  if (status == 0) cli_table_print(table, stdout);
  cli_table_free(table);
  free(titles);
  return status;
}

int sweep_show(sweep_journal *journal, const sweep_grid *grid, hn_error *error)
{
  figure_data data;
  int status = sweep_table_read(&data, journal, grid, error);
  if (status == 0) status = print_columns(&data, grid->study, error);
  figure_data_free(&data);
  return status;
}
