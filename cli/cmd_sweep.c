/* cmd_sweep.c - `holonom sweep`: parameters x solvers x steps, one table. */
#include <string.h>
#include "cli/base/complain.h"
#include "cli/base/output.h"
#include "cli/base/gnuplot.h"
#include "cli/base/memory.h"
#include "cli/commands.h"
#include "cli/figure/figure_make.h"
#include "cli/sweep/grid_read.h"
#include "cli/sweep/sweep_row.h"
#include "cli/sweep/sweep_columns.h"
#include "cli/sweep/sweep.h"
#include "cli/sweep/sweep_table.h"

/* As CSV or HDF5, or what a study has for people. */
static int write_table(sweep_journal *journal, const sweep_grid *grid, const char *path, hn_error *error)
{
  const bool shown = grid->study && grid->study->nshow > 0;
  if (!path && shown) return sweep_show(journal, grid, error);
  if (!path) return sweep_journal_print(journal, grid, stdout, error);
  cli_file file;
  if (cli_file_open(&file, path, error) < 0) return -1;
  const int status = cli_ends_in(path, ".h5") ? sweep_table_hdf5(journal, grid, file.stream, error)
                                              : sweep_journal_print(journal, grid, file.stream, error);
  if (status == 0) return cli_file_close(&file, error);
  cli_file_abandon(&file);
  return -1;
}

/* The columns that tell curves apart: solvers, and what varies beside what the figure is over; to be freed. */
static char *what_else(const sweep_grid *grid, const char *over)
{
  char *by = cli_text("solver");
  for (size_t i = 0; i <= grid->naxis; i++) {
    const sweep_axis *axis = i < grid->naxis ? &grid->axis[i] : NULL;
    const char *name = axis ? axis->name[0] : "step";
    if ((axis ? axis->count : grid->nstep) < 2 || strcmp(name, over) == 0) continue;
    char *longer = cli_text("%s,%s", by, name);
    free(by);
    by = longer;
  }
  return by;
}

/* Over the step where there are several, else over the first parameter that varies. */
static int draw_figure(const sweep_grid *grid, const cli_options *options, hn_error *error)
{
  cli_options own = *options;
  for (size_t i = grid->naxis; i-- > 0 && !options->x && grid->nstep < 2;)
    if (grid->axis[i].count > 1) own.x = grid->axis[i].name[0];
  if (!own.x) own.x = "step";
  char *by = what_else(grid, own.x);
  if (!own.by) own.by = by;
  const long curves = figure_of((char *[]){ (char *)options->output }, 1, options->figure, &own, error);
  free(by);
  if (curves >= 0 && !options->quiet) printf("%ld curves: %s\n", curves, options->figure);
  return curves < 0 ? -1 : 0;
}

static int conclude(sweep_journal *journal, const sweep_grid *grid, const cli_options *options, int status)
{
  hn_error error;
  if (status == 1 && options->output)
    return cli_complain("interrupted after %zu of %zu runs, which are kept in %s; --resume goes on with them",
                        journal->done, grid->nrow, journal->path),
           CLI_OUTCOME;
  if (write_table(journal, grid, options->output, &error) < 0) return cli_complain("%s", error.text);
  if (status == 1)
    return cli_complain("interrupted after %zu of %zu runs", journal->done, grid->nrow), CLI_OUTCOME;
  if (options->output && !options->quiet)
    printf("%zu runs, %zu of which failed: %s\n", grid->nrow, journal->failed, options->output);
  if (options->figure && draw_figure(grid, options, &error) < 0) return cli_complain("%s", error.text);
  return CLI_DONE; /* failures are results */
}

static int sweep(const sweep_grid *grid, sweep_hands *hands, const cli_options *options)
{
  hn_error error;
  char *fingerprint;
  sweep_journal journal = { 0 };
  if (sweep_check(hands, &fingerprint, &error) < 0) return cli_complain("%s", error.text);
  int status = sweep_journal_open(&journal, grid, options->output, fingerprint, options->resume, &error);
  free(fingerprint);
  const bool open = status == 0;
  if (open) status = sweep_run(grid, hands, &journal, &error);
  if (status < 0) cli_complain("%s", error.text);
  const int end = status < 0 ? CLI_USAGE : conclude(&journal, grid, options, status);
  sweep_journal_close(&journal, grid, end != CLI_USAGE && status == 0);
  return end;
}

static int run_grid(const sweep_grid *grid, const cli_options *options)
{
  hn_error error;
  sweep_hands *hands;
  const int asked = options->jobs == 0 && grid->study && grid->study->times > 0
                      ? 1
                      : options->jobs; /* undisturbed */
  const int jobs = asked > 0 && (size_t)asked > grid->nrow ? (int)grid->nrow : asked;
  if (sweep_hands_create(&hands, grid, jobs, &error) < 0) return cli_complain("%s", error.text);
  if (!hands) return CLI_DONE; /* not the first rank */
  const int status = sweep(grid, hands, options);
  sweep_hands_free(hands);
  return status;
}

static int run_command(const cli_options *options)
{
  hn_error error;
  sweep_grid grid;
  const char *output = options->output;
  if (output && !options->figure && cli_ends_in(output, ".h5")
        ? cli_output_is_file(output, &error) < 0
        : output && cli_output_is_csv(output, &error) < 0)
    return cli_complain("%s", error.text);
  if (options->resume && !options->output)
    return cli_complain("sweep: --resume needs the --output of the sweep to go on with");
  if (options->figure && !options->output)
    return cli_complain("sweep: --figure needs the table that it is of: --output FILE.csv");
  if (options->figure && cli_gnuplot_ready(&error) < 0) return cli_complain("%s", error.text);
  int status = sweep_grid_read(&grid, options, &error) || sweep_check_columns(&grid, &error) ? -1 : 0;
  status = status < 0 ? cli_complain("%s", error.text) : run_grid(&grid, options);
  sweep_grid_free(&grid);
  return status;
}

const cli_command cli_command_sweep = {
  .name = "sweep",
  .arguments = "SCENE|STUDY.lua",
  .summary = "parameters x solvers x steps: many runs, one table",
  .details =
    "--set NAME=VALUES varies a parameter of the scene, --KEY VALUES one of the solvers, and --steps the step: values\n"
    "are 1,2,5 or FROM:TO:COUNT or log:FROM:TO:COUNT. One row a run, as CSV or (FILE.h5) HDF5; "
    "a run that fails is a row. Runs are made\n"
    "on all processors (--jobs), or on all ranks of mpirun; the table is the same on any number of them. What is done\n"
    "is kept beside FILE.csv, in FILE.csv.journal: "
    "--resume goes on with it. Errors are against the scene's reference,\n"
    "else against a run made once for each point; "
    "--reference scene or none makes none. A study is a file that returns\n"
    "study { ... } of the module holonom.study, or the name of an installed one (holonom list studies): what it\n"
    "says stands where an option is not given, and measures and results of its own are columns. "
    "--figure FILE draws the\n"
    "table as `plot` does: over the step, or the first of what varies, a curve for each solver and all else that\n"
    "varies. Exit status 1 when it is interrupted.\n",
  .examples = "sweep cart_pole --set M=0.5,1,2 --steps 0.01,0.005 --output mass.csv\n"
              "mpirun -n 4 holonom sweep study.lua --output study.csv\n",
  .takes = { CLI_SET,    CLI_CONSISTENT, CLI_SOLVER_FILE, CLI_SOLVER, CLI_SOLVERS, CLI_STEP,
             CLI_STEPS,  CLI_DURATION,   CLI_REFERENCE,   CLI_NORM,   CLI_DRAWN,   CLI_FIGURE,
             CLI_OUTPUT, CLI_JOBS,       CLI_RESUME,      CLI_TIMES,  CLI_REPEAT,  CLI_VARY,
             CLI_QUIET,  CLI_PLUGIN,     CLI_LIMITS,      CLI_HELP },
  .least = 1,
  .most = 1,
  .run = run_command,
};
