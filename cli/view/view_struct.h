/* view_struct.h - the state of a view: its runs, their pace and the connected clients. */
#ifndef HN_CLI_VIEW_STRUCT_H
#define HN_CLI_VIEW_STRUCT_H

#include "cli/view/pace.h"

/* Optional contents of a frame. */
typedef struct cli_frame_content {
  bool boxes, forces, contacts;
} cli_frame_content;

/* A client as the step loop sees it. */
typedef struct cli_client {
  long number; /* -1: none */
  cli_frame_content content;
} cli_client;

/* Client that owns a mouse spring. */
typedef struct cli_spring_owner {
  long client;
  char id[32];
} cli_spring_owner;

typedef struct cli_view {
  const char *scene;
  const cli_options *options;
  cli_exchange *exchange;
  cli_live_run run[CLI_MAX_RUNS];
  int opened; /* number of runs started so far */
  cli_pace pace;
  cli_client client[CLI_MAX_CLIENTS];
  cli_spring_owner owner[CLI_MAX_CLIENTS];
  bool once;                      /* take one step although paused */
  bool frames_due;                /* new frames are due */
  bool status_due;                /* a new status is due */
  double frame_time, status_time; /* times of the last frames and status, s */
  double report_time[2];          /* times of the last reports of a target and of an input, s */
} cli_view;

/* Processes the requests of all clients. */
void cli_view_process_requests(cli_view *view, double now);
/* Starts another run: a copy of FROM, or with the solver SPEC; NULL: the scene's own. */
int cli_view_open_run(cli_view *view, const cli_live_run *from, const char *spec, hn_error *error);
int cli_view_close(cli_view *view, hn_error *error);

/* ---- Messages to clients --------------------------------------------------------------------------- */

/* Returns the binary message with the data that a client draws of RUN, and restarts the statistics since
 * the last frame. */
cli_blob *cli_view_frame(cli_live_run *run, const cli_pace *pace, const cli_frame_content *content);
json_t *cli_hello_message(const cli_live_run *run);
/* Returns the model of RUN; *CHANGED: it differs from the one last sent. */
json_t *cli_model_message(cli_live_run *run, bool *changed);
/* Returns the status of all runs: progress, and everything that commands can change. */
json_t *cli_status_message(const cli_live_run run[CLI_MAX_RUNS], const cli_pace *pace, int clients);

#endif
