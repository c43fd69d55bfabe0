/* figure_make.h - draws a figure from tables in files to a file. */
#ifndef CLI_FIGURE_MAKE_H
#define CLI_FIGURE_MAKE_H

#include "cli/base/options.h"

/* Draws the figure that OPTIONS describe, of COUNT tables, into PATH. Returns the number of curves, or -1. */
long figure_of(char *const *table, size_t count, const char *path, const cli_options *options,
               hn_error *error);

#endif
