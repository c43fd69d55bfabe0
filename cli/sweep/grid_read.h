/* grid_read.h - the grid that the command line asks for, and a study. */
#ifndef CLI_GRID_READ_H
#define CLI_GRID_READ_H

#include "cli/sweep/grid.h"

/* The grid of the scene or the study that OPTIONS name, where what the options say stands for what the study does; -1
 * on error. Free with sweep_grid_free either way. */
int sweep_grid_read(sweep_grid *grid, const cli_options *options, hn_error *error);

#endif
