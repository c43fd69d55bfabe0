/* grid.h - cli/sweep/: many runs of one scene, on many processes, into one table. It stands on cli/study/.
 *
 *   options -> grid: points x methods x steps -> processes that run its rows -> journal -> table in its order */
#ifndef HN_CLI_SWEEP_GRID_H
#define HN_CLI_SWEEP_GRID_H

#include "cli/base/options.h"

enum { SWEEP_MOST_ROWS = 1000000 };

/* A method as the command line has it. */
typedef struct sweep_method {
  char *spec;             /* NULL: the scene's own */
  char *settings;         /* "key=value,...", over those of the spec; NULL: none */
} sweep_method;

/* What is run: the rows, of which the step goes round fastest, then the method, then the point. */
typedef struct sweep_grid {
  const cli_options *options;
  char **axis;            /* [naxis] parameters of the scene */
  size_t naxis;
  char ***value;          /* [naxis] the values of each axis, */
  size_t *nvalue;         /* [naxis] so many; the last axis goes round fastest */
  size_t npoint;
  sweep_method *method;   /* [nmethod] */
  size_t nmethod;
  double *step;           /* [nstep] s; 0: the scene's own */
  size_t nstep;
  size_t nrow;
} sweep_grid;

/* The grid that OPTIONS ask for; -1 on error. Free with sweep_grid_free either way. */
int sweep_grid_read(sweep_grid *grid, const cli_options *options, hn_error *error);
void sweep_grid_free(sweep_grid *grid);

size_t sweep_point_of(const sweep_grid *grid, size_t row);
const sweep_method *sweep_method_of(const sweep_grid *grid, size_t row);
double sweep_step_of(const sweep_grid *grid, size_t row);
const char *sweep_value(const sweep_grid *grid, size_t point, size_t axis);
/* A number that any two grids that differ will hardly share, with the scene in the file PATH and this version. */
uint64_t sweep_fingerprint(const sweep_grid *grid, const char *path);

#endif
