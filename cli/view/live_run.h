/* live_run.h - a run of a view: a session with its file. Messages call the runs lanes, numbered from 1. */
#ifndef HN_CLI_LIVE_RUN_H
#define HN_CLI_LIVE_RUN_H

#include "cli/base/output.h"
#include "cli/session/session.h"
#include "cli/view/exchange.h"

/* Statistics shown with a frame. */
typedef struct cli_run_statistics {
  bool measured;                                     /* the four below are those of the present state */
  double energy, drift, velocity_drift, penetration; /* J, m, m/s, m; NAN: nothing collides */
  int worst;                                         /* joint with the largest drift; -1: none */
  double impulses, operations;                       /* since the start */
  double seconds;                                    /* computing time since the last frame, s */
  long steps;                                        /* since the last frame */
} cli_run_statistics;

void cli_run_statistics_measure(cli_run_statistics *statistics, const hn_measure *measure);

typedef struct cli_live_run {
  cli_session *session; /* NULL: this run does not exist */
  int number;           /* from 0 */
  cli_exchange *exchange;
  cli_file file;    /* session file; stream NULL: none */
  hn_reason reason; /* HN_CONVERGED: the run has not ended */
  cli_run_statistics statistics;
  uint64_t model_version; /* cli_session_model_version when the model was last sent */
  long generation;        /* number of different models sent */
  char *model;            /* the last model sent, as JSON */
} cli_live_run;

/* Starts a run of SCENE with the solver SPEC, or a copy of FROM in its present state, with its session
 * file so far; FILE is the path of the session file, or NULL. */
int cli_live_run_open(cli_live_run *run, const cli_live_run *from, const char *scene,
                      const cli_options *options, const char *spec, const char *file, hn_error *error);
/* Ends the session and its file. Returns -1 if the file cannot be written. */
int cli_live_run_close(cli_live_run *run, hn_error *error);
int cli_live_run_do(cli_live_run *run, const json_t *command, hn_error *error);
bool cli_live_run_is_active(const cli_live_run *run); /* true if it exists and has not ended */
double cli_live_run_time(const cli_live_run *run);

#endif
