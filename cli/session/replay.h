/* replay.h - repeats a session from its file. */
#ifndef HN_CLI_SESSION_REPLAY_H
#define HN_CLI_SESSION_REPLAY_H

#include "cli/session/session.h"

typedef struct cli_replay {
  cli_session *session; /* in its last state */
  json_t *head;         /* first line of the file */
  long commands;        /* number carried out */
  hn_reason reason;     /* HN_CONVERGED: the file was read to its end */
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
} cli_observer;

/* Repeats the session in the file PATH. Returns -1 with a message if it cannot be read, is of another version
 * or scene, contains a command that is refused, or a step does not fail as it should; OBSERVER has then seen
 * all before. Free with cli_replay_free in any case. */
int cli_replay_run(cli_replay *replay, const char *path, const cli_options *options,
                   const cli_observer *observer, hn_error *error);
void cli_replay_free(cli_replay *replay);
/* True if the final hash is that of the file, or the file has none. */
bool cli_replay_agrees(const cli_replay *replay);

#endif
