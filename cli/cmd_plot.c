/* cmd_plot.c - `holonom plot`: draws a figure of one or more tables. */
#include <stdio.h>
#include "cli/commands.h"
#include "cli/figure/figure.h"

static int run_command(const cli_options *options, hn_error *error)
{
  if (!options->output) return hn_fail(error, "plot: --output FILE.pdf, .svg, .png or .gp is required");
  const long curves = figure_draw(options->word, (size_t)options->nword, options->output, options, error);
  if (curves < 0) return -1;
  if (!options->quiet) printf("%ld curves: %s\n", curves, options->output);
  return CLI_DONE;
}

const cli_command cli_command_plot = {
  .name = "plot",
  .arguments = "TABLE.csv ...",
  .summary = "draw a figure of a table: of a sweep, a study of steps, a record",
  .details = "--x COLUMN and --y COLUMN,COLUMN are the axes (default: step and error). Each\n"
             "table has curves of its own; - is standard input. Rows with the same values of\n"
             "--by COLUMN,COLUMN (default: solver) make a curve; --where COLUMN=VALUE selects\n"
             "rows and may be repeated. An axis is logarithmic if its numbers are positive\n"
             "and span a factor of 20; time is always linear. Over the step, triangles show\n"
             "the slopes of the curves, or those of --slopes 2,4; --slopes none shows none.\n"
             "--name CURVE=TEXT labels a curve, as in --name impulse-sle=SLE. --output\n"
             "--profile draws performance profiles of a table of `problem FOLDER`: for each\n"
             "solver the fraction of the problems that it solves within a factor of the best\n"
             "solver's cost, the column of --y (default: seconds). --output\n"
             "FILE.pdf, .svg or .png is --width mm wide (default 120), with letters of 8\n"
             "points; FILE.gp is the gnuplot script that draws it.\n",
  .examples = "plot mass.csv --by M --output errors.pdf --width 85\n"
              "plot fclib.csv --profile --where tolerance=1e-8 --output profiles.pdf\n"
              "plot chain8.csv --x time --y position_error --output drift.svg\n",
  .options = { CLI_OUTPUT, CLI_PROFILE, CLI_PLOT_OPTIONS, CLI_QUIET, CLI_HELP },
  .run = run_command,
};
