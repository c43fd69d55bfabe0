/* grid_read.h - reads the grid of a sweep from the command line and a study. */
#ifndef CLI_GRID_READ_H
#define CLI_GRID_READ_H

#include "cli/sweep/grid.h"

/* Reads the grid of the scene or study named in OPTIONS; options override the study. Returns -1 on error.
 * Free with sweep_grid_free in either case. */
int sweep_grid_read(sweep_grid *grid, const cli_options *options, hn_error *error);

#endif
