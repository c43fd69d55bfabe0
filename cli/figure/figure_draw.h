/* figure_draw.h - draws a figure of tables in files. */
#ifndef CLI_FIGURE_DRAW_H
#define CLI_FIGURE_DRAW_H

#include "cli/base/options.h"

/* Draws the figure that OPTIONS describe, of COUNT CSV files TABLE, into PATH (.pdf, .svg or .png), or writes
 * its gnuplot script (.gp). Returns the number of curves, or -1 on error. */
long figure_draw(char *const *table, size_t count, const char *path, const cli_options *options,
                 hn_error *error);

#endif
