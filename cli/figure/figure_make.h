/* figure_make.h - from a table in a file to a figure in a file. */
#ifndef CLI_FIGURE_MAKE_H
#define CLI_FIGURE_MAKE_H

#include "cli/base/options.h"

/* Draws the figure that OPTIONS ask for of COUNT tables, in the files TABLE, into the file PATH; how many curves it
 * has, -1 on error. */
long figure_of(char *const *table, size_t count, const char *path, const cli_options *options,
               hn_error *error);

#endif
