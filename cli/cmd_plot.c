/* cmd_plot.c - `holonom plot`: a figure of a table. */
#include <stdio.h>
#include "cli/base/complain.h"
#include "cli/commands.h"
#include "cli/figure/figure_make.h"

static int run_command(const cli_options *options)
{
  hn_error error;
  if (!options->output)
    return cli_complain("plot: --output FILE.pdf, .svg, .png or .gp says where the figure goes");
  const long curves = figure_of(options->word, (size_t)options->nword, options->output, options, &error);
  if (curves < 0) return cli_complain("%s", error.text);
  if (!options->quiet) printf("%ld curves: %s\n", curves, options->output);
  return CLI_DONE;
}

const cli_command cli_command_plot = {
  .name = "plot",
  .arguments = "TABLE.csv ...",
  .summary = "a figure of a table: of a sweep, a study of steps, a record",
  .details =
    "--x COLUMN and --y COLUMN,COLUMN are its axes: "
    "step and error unless told otherwise. Several tables make curves of\n"
    "their own; - is standard input. Rows are joined to curves by the values of --by COLUMN,COLUMN (solver); --where\n"
    "COLUMN=VALUE keeps to some of them, and may be repeated. "
    "An axis is logarithmic where its numbers are positive and\n"
    "span a factor of 20; time never is. Over the step, triangles show the slopes that the curves have, or those of\n"
    "--slopes 2,4; --slopes none shows none. --name CURVE=TEXT writes TEXT for the curve that is called so, as --name\n"
    "impulse-sle=SLE. --output FILE.pdf, .svg or .png is as wide as --width, in mm (120), with letters of 8 points;\n"
    "FILE.gp is the script of gnuplot that draws it.\n",
  .examples = "plot mass.csv --by M --output errors.pdf --width 85\n"
              "plot chain8.csv --x time --y position_error --output drift.svg\n",
  .takes = { CLI_OUTPUT, CLI_FIGURE, CLI_QUIET, CLI_HELP },
  .least = 1,
  .most = 40,
  .run = run_command,
};
