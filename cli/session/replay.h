/* replay.h - repeats a session from its file. */
#ifndef HN_CLI_SESSION_REPLAY_H
#define HN_CLI_SESSION_REPLAY_H

#include "cli/session/session.h"

typedef struct cli_replay {
  cli_session *session; /* in its last state */
  json_t *head;         /* first line of the file */
  long commands;        /* number carried out */
  hn_reason reason;     /* HN_CONVERGED: the file was read to its end */
  bool ended;           /* the line "end" was reached */
  long trailing;        /* number of the line after "end"; 0: there is none */
  char *expected;       /* hash in the file, or NULL */
  const char *path;
  const struct cli_observer *observer;
} cli_replay;

/* Callbacks as in cli_session_plan; `log` receives the session file anew. Each may be NULL. */
typedef struct cli_observer {
  int (*begin)(void *user, const hn_scene *scene, hn_error *error);
  bool (*observe)(void *user, const hn_frame *frame);
  void *user;
  FILE *log;
  bool keep_impulses;
} cli_observer;

/* Repeats the session in the file PATH. Returns -1 with a message if it cannot be read, is of another version
 * or scene, contains a command that is refused, or a step does not fail as it should; OBSERVER has then seen
 * all before. Free with cli_replay_free in any case. */
int cli_replay_run(cli_replay *replay, const char *path, const cli_options *options,
                   const cli_observer *observer, hn_error *error);
void cli_replay_free(cli_replay *replay);
/* Returns why the file is not that of the session that was repeated, to be freed: a step failed, the line
 * "end" is missing or not the last one, or the final hash is not that of the file. NULL: it is; a file
 * that has an end without a hash is accepted. */
char *cli_replay_complaint(const cli_replay *replay);

#endif
