/* lanes.h - the runs of a view, up to four side by side: a session each, with its file. */
#ifndef HN_CLI_VIEW_LANES_H
#define HN_CLI_VIEW_LANES_H

#include "cli/base/output.h"
#include "cli/session/session.h"
#include "cli/view/exchange.h"

/* What pictures tell of the steps since the last one, and since the start. */
typedef struct cli_course {
  bool measured;
  double energy, drift, velocity_drift, penetration; /* J, m, m/s, m; NAN: nothing collides */
  int worst;                                         /* joint, -1: none */
  double impulses, operations;                       /* since the start */
  double seconds;                                    /* and these since the last picture */
  long steps;
} cli_course;

void cli_course_measure(cli_course *course, const hn_measure *measure);

typedef struct cli_lane {
  cli_session *session; /* NULL: there is no such lane */
  int number;           /* from 0 */
  cli_exchange *exchange;
  cli_file file;    /* its session; stream NULL: none */
  hn_reason reason; /* by which it has ended; HN_CONVERGED: it goes on */
  cli_course course;
  uint64_t models; /* of the session, when its model was told last, */
  long generation; /* how often that was another one, */
  char *model;     /* and what was told */
} cli_lane;

/* A lane of SCENE; FILE is its session's, NULL: none. */
int cli_lane_open(cli_lane *lane, const char *scene, const cli_options *options, const char *spec,
                  const char *file, hn_error *error);
/* A copy of FROM as it is, its session so far too. */
int cli_lane_fork(cli_lane *lane, const cli_lane *from, const char *scene, const cli_options *options,
                  const char *file, hn_error *error);
/* Ends its session and the file of it; -1 when that cannot be written. */
int cli_lane_close(cli_lane *lane, hn_error *error);
int cli_lane_do(cli_lane *lane, const json_t *command, hn_error *error);
/* One step. */
void cli_lane_step(cli_lane *lane);
bool cli_lane_runs(const cli_lane *lane); /* is it there, and not ended? */
double cli_lane_time(const cli_lane *lane);

#endif
