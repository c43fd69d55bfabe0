/* cmd_sweep.c - `holonom sweep`: runs over parameters x solvers x steps, in one table. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "cli/base/complain.h"
#include "cli/base/output.h"
#include "cli/base/gnuplot.h"
#include "cli/base/memory.h"
#include "cli/commands.h"
#include "cli/figure/figure.h"
#include "cli/record_page/record_parts.h"
#include "cli/sweep/grid.h"
#include "cli/sweep/sweep_row.h"
#include "cli/sweep/sweep_table.h"
#include "cli/sweep/sweep.h"

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

/* Returns -1 if the file that the study names for its figure cannot be read. */
static int check_beside(const sweep_grid *grid, hn_error *error)
{
  const char *beside = grid->study ? grid->study->beside : NULL;
  if (!beside || access(beside, R_OK) == 0) return 0;
  return hn_fail(error, "%s:%d: beside: cannot read %s: %s", grid->study->path, grid->study->line, beside,
                 strerror(errno));
}

static int check_options(const cli_options *options, hn_error *error)
{
  const char *output = options->output;
  if (output && !options->figure && cli_ends_in(output, ".h5")
        ? cli_output_is_file(output, error) < 0
        : output && cli_output_is_csv(output, error) < 0)
    return -1;
  if (options->resume && !output)
    return hn_fail(error, "sweep: --resume needs the --output of the sweep to continue");
  if (options->figure && !output) return hn_fail(error, "sweep: --figure needs a table: --output FILE.csv");
  return options->figure && cli_gnuplot_ready(error) < 0 ? -1 : 0;
}

static int run_command(const cli_options *options, hn_error *error)
{
  sweep_grid grid;
  hn_study *study;
  hn_error ignored; /* sweep_grid_read finds it again */
  if (sweep_study_read(&study, options, &ignored) == 0 && record_wanted(study, options)) {
    const int status = record_command(study, options, error);
    hn_study_free(study);
    return status;
  }
  hn_study_free(study);
  if (check_options(options, error) < 0) return -1;
  const bool good = sweep_grid_read(&grid, options, error) == 0 && sweep_check_columns(&grid, error) == 0 &&
                    (!options->figure || check_beside(&grid, error) == 0);
  const int status = good ? sweep_command(&grid, options, error) : -1;
  sweep_grid_free(&grid);
  return status;
}

const cli_command cli_command_sweep = {
  .name = "sweep",
  .arguments = "SCENE|STUDY.lua",
  .summary = "runs over parameters x solvers x steps, in one table",
  .details = "--set NAME=VALUES varies a parameter of the scene, --KEY VALUES one of the\n"
             "solvers, and --steps the step. VALUES are 1,2,5 or FROM:TO:COUNT or\n"
             "log:FROM:TO:COUNT. Each run is a row, failed ones too, as CSV or (FILE.h5)\n"
             "HDF5. Runs are made on all processors (--jobs), or on all ranks of mpirun; the\n"
             "table does not depend on their number. Completed rows are kept in\n"
             "FILE.csv.journal, from which --resume continues. Errors are measured against\n"
             "the scene's reference, else against a run made once for each point; --reference\n"
             "scene uses the scene's alone, a solver makes that one's runs, and none makes none.\n"
             "STUDY.lua is a file that returns study { ... } of the module holonom.study, or\n"
             "the name of an installed study (holonom list studies). It provides defaults of\n"
             "the options, and columns for its own measures and results.\n"
             "--figure FILE draws the table as `plot` does: over the step, or the first\n"
             "parameter that varies, with a curve for each solver and each combination of the\n"
             "others. Exit status 1 when all runs fail, when the sweep is interrupted, or when\n"
             "a signal ended the process of a run (a crash, or lack of memory): --resume makes\n"
             "such runs again.\n",
  .examples = "sweep cart_pole --set M=0.5,1,2 --steps 0.01,0.005 --output mass.csv\n"
              "mpirun -n 4 holonom sweep study.lua --output study.csv\n",
  .options = { CLI_SET,          CLI_CONSISTENT, CLI_SOLVER_FILE, CLI_SOLVER,        CLI_SOLVERS, CLI_ALSO,
               CLI_STEP,         CLI_STEPS,      CLI_DURATION,    CLI_REFERENCE,     CLI_NORM,    CLI_FIGURE,
               CLI_PLOT_OPTIONS, CLI_OUTPUT,     CLI_JOBS,        CLI_RESUME,        CLI_TIMES,   CLI_REPEAT,
               CLI_VARY,         CLI_QUIET,      CLI_PLUGIN,      CLI_LIMIT_OPTIONS, CLI_HELP },
  .run = run_command,
};
