/* grid.h - cli/sweep/: many runs of one scene in worker processes, collected in one table. Uses cli/study/.
 *
 *   options, study -> grid: points x solvers x steps -> workers run its rows -> journal -> ordered table */
#ifndef HN_CLI_SWEEP_GRID_H
#define HN_CLI_SWEEP_GRID_H

#include "cli/base/options.h"
#include "cli/study/sampled_motion.h"
#include "study.h"

enum { SWEEP_MAX_ROWS = 1000000 };

/* A solver from the command line or a study. */
typedef struct sweep_solver {
  char *spec;     /* NULL: the scene's own */
  char *settings; /* "key=value,..." that override those of `spec`, or NULL */
  bool absent;    /* an engine of the study that is not installed: its rows say so */
} sweep_solver;

/* Parameters of the scene that vary together: one, or those of a list of samples. */
typedef struct sweep_axis {
  char **name; /* [nname] */
  size_t nname;
  char **value; /* [count * nname] NULL-terminated; one value for each parameter, `count` times */
  size_t count;
} sweep_axis;

struct sweep_journal;

/* The runs of a grid: of scenes (worker.h), or of contact problems (cli/problem/). Texts are to be freed. */
struct sweep_grid;
typedef struct sweep_runs {
  char *(*head)(const struct sweep_grid *grid); /* names of the columns of the table */
  /* The row of a run without results for the reason WHY, as CSV after "-" */
  char *(*dead_row)(const struct sweep_grid *grid, size_t row, const char *why);
  /* A worker, and its answer to a request (worker.h) */
  void *(*create)(const struct sweep_grid *grid);
  char *(*answer)(void *worker, const char *request);
} sweep_runs;

/* Rows of the table: the step varies fastest, then the solver, then the point. */
typedef struct sweep_grid {
  const sweep_runs *runs;
  const cli_options *options;
  hn_study *study;     /* or NULL */
  const char *scene;   /* name or path to load */
  const char *written; /* name in the table */
  sweep_axis *axis;    /* [naxis] the last one varies fastest */
  size_t naxis;
  const char **parameter; /* [nparameter] the names of all axes, in order */
  size_t nparameter;
  size_t npoint;
  sweep_solver *solver; /* [nsolver] */
  size_t nsolver;
  double *step; /* [nstep] s; 0: the scene's own. Of contact problems: tolerances, m/s */
  size_t nstep;
  double duration;       /* s; 0: the scene's own */
  const char *reference; /* NULL: the best available */
  cli_norm norm;         /* of errors */
  bool consistent;       /* project the initial state onto the joints */
  bool times;            /* add columns of computing times */
  /* Writes the table to TO; NULL: the options say where to */
  int (*write)(struct sweep_journal *journal, const struct sweep_grid *grid, void *to, hn_error *error);
  void *written_to;
  int repeat; /* number of measurements of times; 0: one, during the run */
  size_t nrow;
} sweep_grid;

void sweep_grid_free(sweep_grid *grid);

size_t sweep_point_of(const sweep_grid *grid, size_t row);
const sweep_solver *sweep_solver_of(const sweep_grid *grid, size_t row);
/* Returns the spec of SOLVER on a scene whose own is OWN, to be freed. */
char *sweep_spec(const sweep_solver *solver, const char *own);
double sweep_step_of(const sweep_grid *grid, size_t row);
const char *sweep_value(const sweep_grid *grid, size_t point, size_t parameter);
/* Returns a hash of GRID, the scene file PATH and this version, which identifies the sweep. */
uint64_t sweep_fingerprint(const sweep_grid *grid, const char *path);

/* Loads the study named in OPTIONS; *STUDY is NULL if that is a scene. Returns -1 on error. */
int sweep_study_read(hn_study **study, const cli_options *options, hn_error *error);
/* Reads the grid of the scene or study named in OPTIONS; options override the study. Returns -1 on error.
 * Free with sweep_grid_free in either case. */
int sweep_grid_read(sweep_grid *grid, const cli_options *options, hn_error *error);

#endif
