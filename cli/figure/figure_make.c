/* figure_make.c - draws a figure from tables in files to a file. */
#include "cli/base/gnuplot.h"
#include "cli/figure/figure_draw.h"
#include "cli/figure/figure_make.h"
#include "cli/figure/slopes.h"

long figure_of(char *const *table, size_t count, const char *path, const cli_options *options,
               hn_error *error)
{
  figure_data data = { 0 };
  figure f = { 0 };
  const bool good = cli_gnuplot_check(path, error) == 0 &&
                    figure_data_read(&data, table, count, error) == 0 &&
                    figure_make(&f, &data, options, error) == 0 &&
                    figure_add_slopes(&f, options->slopes, error) == 0 && figure_draw(&f, path, error) == 0;
  const long curves = good ? (long)f.ncurve : -1;
  figure_free(&f);
  figure_data_free(&data);
  return curves;
}
