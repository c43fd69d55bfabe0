/* cmd_sweep.c - `holonom sweep`: runs over parameters x solvers x steps, in one table. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "cli/base/complain.h"
#include "cli/base/output.h"
#include "cli/base/gnuplot.h"
#include "cli/base/memory.h"
#include "cli/commands.h"
#include "cli/record_page/record_parts.h"
#include "cli/sweep/grid.h"
#include "cli/sweep/sweep_row.h"
#include "cli/sweep/sweep.h"
#include "cli/sweep/sweep_row.h"

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
