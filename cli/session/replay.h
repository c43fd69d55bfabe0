/* replay.h - a session, repeated from its file. */
#ifndef HN_CLI_SESSION_REPLAY_H
#define HN_CLI_SESSION_REPLAY_H

#include "cli/session/session.h"

typedef struct cli_replay {
  cli_session *session; /* at its end */
  json_t *head;         /* the first line */
  long commands;        /* carried out */
  hn_reason reason;     /* HN_CONVERGED: as far as the file goes */
  char *expected;       /* the hash that the file says; NULL: it says none */
  const char *path;
  const struct cli_observer *observer;
} cli_replay;

/* Who sees it, as of a session; all may be NULL. */
typedef struct cli_observer {
  int (*begin)(void *user, const hn_scene *scene, hn_error *error);
  bool (*observe)(void *user, const hn_frame *frame);
  void *user;
  FILE *log;
} cli_observer;

/* Repeats the session in the file PATH. -1 with a text: it cannot be read, is of another version or another
 * scene, a command in it is refused, or a step does not fail that should; then OBSERVER has seen what came
 * before. Free with cli_replay_free either way. */
int cli_replay_run(cli_replay *replay, const char *path, const cli_options *options,
                   const cli_observer *observer, hn_error *error);
void cli_replay_free(cli_replay *replay);
/* Is the hash at the end that of the file? Where it says none, yes. */
bool cli_replay_agrees(const cli_replay *replay);

#endif
