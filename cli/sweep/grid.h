/* grid.h - cli/sweep/: many runs of one scene, on many processes, into one table. It stands on cli/study/.
 *
 *   options, study -> grid: points x solvers x steps -> processes that run its rows -> journal -> table in its order */
#ifndef HN_CLI_SWEEP_GRID_H
#define HN_CLI_SWEEP_GRID_H

#include "cli/base/options.h"
#include "cli/study/sampled_motion.h"
#include "study.h"

enum { SWEEP_MOST_ROWS = 1000000 };

/* A solver as the command line has it. */
typedef struct sweep_solver {
  char *spec;     /* NULL: the scene's own */
  char *settings; /* "key=value,...", over those of the spec; NULL: none */
} sweep_solver;

/* Parameters of the scene that are set together: one, or those of samples. */
typedef struct sweep_axis {
  char **name; /* [nname] */
  size_t nname;
  char **value; /* [count * nname] one for each of them, then the next ones for each, and so on; and a NULL */
  size_t count;
} sweep_axis;

/* What is run: the rows, of which the step goes round fastest, then the solver, then the point. */
typedef struct sweep_grid {
  const cli_options *options;
  hn_study *study;     /* NULL: the options say it all */
  const char *scene;   /* as it is loaded, */
  const char *written; /* and as the table has it */
  sweep_axis *axis;    /* [naxis] the last goes round fastest */
  size_t naxis;
  const char **parameter; /* [nparameter] the names of all axes, in order */
  size_t nparameter;
  size_t npoint;
  sweep_solver *solver; /* [nsolver] */
  size_t nsolver;
  double *step; /* [nstep] s; 0: the scene's own */
  size_t nstep;
  double duration;       /* s; 0: the scene's own */
  const char *reference; /* NULL: the best there is */
  cli_norm norm;         /* of errors */
  bool consistent;       /* the start is projected onto the joints */
  bool times;            /* columns of them, */
  int repeat;            /* measured so often; 0: once, as the run goes */
  size_t nrow;
} sweep_grid;

void sweep_grid_free(sweep_grid *grid);

size_t sweep_point_of(const sweep_grid *grid, size_t row);
const sweep_solver *sweep_solver_of(const sweep_grid *grid, size_t row);
double sweep_step_of(const sweep_grid *grid, size_t row);
const char *sweep_value(const sweep_grid *grid, size_t point, size_t parameter);
/* A number that any two grids that differ will hardly share, with the scene in the file PATH and this version. */
uint64_t sweep_fingerprint(const sweep_grid *grid, const char *path);

#endif
