/* cmd_plot.c - `holonom plot`: a figure of a table. */
#include <stdio.h>
#include "cli/base/complain.h"
#include "cli/commands.h"
#include "cli/figure/draw.h"
#include "cli/figure/script.h"
#include "cli/figure/slopes.h"

static int plot(const cli_options *options, figure_data *data, figure *f, hn_error *error)
{
  if (!options->output) return hn_fail(error, "plot: --output FILE.pdf, .svg, .png or .gp says where the figure goes");
  if (figure_check(options->output, error) || figure_data_read(data, options->word, (size_t)options->nword, error)) return -1;
  if (figure_make(f, data, options, error) || figure_add_slopes(f, options->slopes, error)) return -1;
  return figure_draw(f, options->output, error);
}

int cli_cmd_plot(const cli_options *options)
{
  hn_error error;
  figure_data data = { 0 };
  figure f = { 0 };
  int status = plot(options, &data, &f, &error);
  if (status == 0 && !options->quiet) printf("%zu curves: %s\n", f.ncurve, options->output);
  figure_free(&f);
  figure_data_free(&data);
  return status < 0 ? cli_complain("%s", error.text) : CLI_DONE;
}
