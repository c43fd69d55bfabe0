/* course.h - a session between two steps: what its commands change. Internal to cli/session/. */
#ifndef HN_CLI_SESSION_COURSE_H
#define HN_CLI_SESSION_COURSE_H

#include "cli/session/session.h"
#include "cli/session/world.h"

struct cli_session {
  cli_session_plan plan;
  char *path;                 /* of the scene */
  cli_world world;
  hn_scene *first;            /* as it was loaded first: what records stand on */
  hn_runner *runner;
  long base;                  /* steps taken before it */
  json_t *pending;            /* array: for control, before the next step */
  bool shown;                 /* the start has been observed */
};

/* The world of MAKE, which it takes over, takes the place of the one there is; FRESH: at its start. -1 on error, and
 * all is as it was. */
int cli_session_change(cli_session *s, cli_make *make, bool fresh, hn_error *error);
/* A line of its file. */
void cli_session_note(const cli_session *s, const json_t *command);

#endif
