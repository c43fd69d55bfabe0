/* cmd_plot.c - `holonom plot`: a figure of a table. */
#include <stdio.h>
#include "cli/base/complain.h"
#include "cli/commands.h"
#include "cli/figure/make.h"

int cli_cmd_plot(const cli_options *options)
{
  hn_error error;
  if (!options->output)
    return cli_complain("plot: --output FILE.pdf, .svg, .png or .gp says where the figure goes");
  const long curves = figure_of(options->word[0], options->output, options, &error);
  if (curves < 0) return cli_complain("%s", error.text);
  if (!options->quiet) printf("%ld curves: %s\n", curves, options->output);
  return CLI_DONE;
}
