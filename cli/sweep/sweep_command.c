/* sweep_command.c - the runs of a grid and what becomes of their table: printed, written, drawn. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/base/complain.h"
#include "cli/base/memory.h"
#include "cli/base/output.h"
#include "cli/figure/figure.h"
#include "cli/sweep/sweep.h"
#include "cli/sweep/sweep_row.h"
#include "cli/sweep/sweep_table.h"

/* Writes the table as CSV or HDF5, or prints the tables that a study defines. */
static int write_table(sweep_journal *journal, const sweep_grid *grid, const char *path, hn_error *error)
{
  const bool shown = grid->study && grid->study->nshow > 0;
  if (grid->write) return grid->write(journal, grid, grid->written_to, error);
  if (!path && grid->study && grid->study->concludes) return sweep_show_conclusions(journal, grid, error);
  if (!path && shown) return sweep_show(journal, grid, error);
  if (!path) return sweep_journal_print(journal, grid, stdout, error);
  cli_file file;
  if (hn_pending_open(&file, path, error) < 0) return -1;
  const int status = cli_ends_in(path, ".h5") ? sweep_table_hdf5(journal, grid, file.stream, error)
                                              : sweep_journal_print(journal, grid, file.stream, error);
  if (status == 0) return cli_file_close(&file, error);
  hn_pending_close(&file, HN_RECORD_DROP, NULL);
  return -1;
}

/* Returns the columns that distinguish curves: the solver, and all that varies except OVER; to be freed. */
static char *curve_columns(const sweep_grid *grid, const char *over)
{
  char *by = cli_text("solver");
  for (size_t i = 0; i <= grid->naxis; i++) {
    const sweep_axis *axis = i < grid->naxis ? &grid->axis[i] : NULL;
    const char *name = axis ? axis->name[0] : "step";
    if ((axis ? axis->count : grid->nstep) < 2 || strcmp(name, over) == 0) continue;
    cli_append(&by, ",%s", name);
  }
  return by;
}

/* Draws the figure over the step if it varies, else over the first parameter that does, with the rows of the
 * file that the study names. */
static int draw_figure(const sweep_grid *grid, const cli_options *options, hn_error *error)
{
  cli_options own = *options;
  for (size_t i = grid->naxis; i-- > 0 && !options->x && grid->nstep < 2;)
    if (grid->axis[i].count > 1) own.x = grid->axis[i].name[0];
  if (!own.x) own.x = "step";
  char *by = curve_columns(grid, own.x);
  if (!own.by) own.by = by;
  char *const table[] = { (char *)options->output, grid->study ? grid->study->beside : NULL };
  const long curves = figure_draw(table, table[1] ? 2 : 1, options->figure, &own, error);
  free(by);
  if (curves >= 0 && !options->quiet) printf("%ld curves: %s\n", curves, options->figure);
  return curves < 0 ? -1 : 0;
}

/* Reports rows whose process was ended by a signal. */
static int report_lost(const sweep_journal *journal, const sweep_grid *grid)
{
  if (journal->path)
    cli_complain(
      "%zu of %zu runs were ended by a signal; the others are kept in %s: --resume runs these again",
      journal->nlost, grid->nrow, journal->path);
  else cli_complain("%zu of %zu runs were ended by a signal", journal->nlost, grid->nrow);
  return CLI_OUTCOME;
}

static int conclude(sweep_journal *journal, const sweep_grid *grid, const cli_options *options, int status,
                    hn_error *error)
{
  if (status == 1 && options->output)
    return cli_complain("interrupted after %zu of %zu runs, which are kept in %s; --resume continues",
                        journal->done, grid->nrow, journal->path),
           CLI_OUTCOME;
  if (write_table(journal, grid, options->output, error) < 0) return -1;
  if (status == 1)
    return cli_complain("interrupted after %zu of %zu runs", journal->done, grid->nrow), CLI_OUTCOME;
  if (options->output && !options->quiet)
    printf("%zu runs, %zu of which failed: %s\n", grid->nrow, journal->failed, options->output);
  if (options->figure && draw_figure(grid, options, error) < 0) return -1;
  if (journal->nlost > 0) return report_lost(journal, grid);
  if (journal->failed < grid->nrow) return CLI_DONE; /* failed runs are results, among others */
  return cli_complain("no run of %zu reached its end: the table has the reasons", grid->nrow), CLI_OUTCOME;
}

static int sweep(const sweep_grid *grid, sweep_pool *pool, const cli_options *options, hn_error *error)
{
  char *fingerprint;
  sweep_journal journal = { 0 };
  if (sweep_check(pool, &fingerprint, error) < 0) return -1;
  int status = sweep_journal_open(&journal, grid, options->output, fingerprint, options->resume, error);
  free(fingerprint);
  if (status == 0) status = sweep_run(grid, pool, &journal, error);
  const int end = status < 0 ? -1 : conclude(&journal, grid, options, status, error);
  sweep_journal_close(&journal, grid, end >= 0 && status == 0 && journal.nlost == 0);
  return end;
}

int sweep_command(const sweep_grid *grid, const cli_options *options, hn_error *error)
{
  sweep_pool *pool;
  const bool measures_times = grid->study && grid->study->times > 0;
  int jobs = options->jobs == 0 && measures_times ? 1 : options->jobs; /* one process: undisturbed times */
  if (jobs > 0 && (size_t)jobs > grid->nrow) jobs = (int)grid->nrow;
  if (sweep_pool_create(&pool, grid, jobs, error) < 0) return -1;
  if (!pool) return CLI_DONE; /* not the first rank */
  const int status = sweep(grid, pool, options, error);
  sweep_pool_free(pool);
  return status;
}
