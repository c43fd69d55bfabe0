/* course.h - a session between two steps: what its commands change. Internal to cli/session/. */
#ifndef HN_CLI_SESSION_COURSE_H
#define HN_CLI_SESSION_COURSE_H

#include "cli/session/session.h"
#include "cli/session/world.h"

/* Where the control of a world began anew, and what has been done since. */
typedef struct cli_origin {
  cli_world start; /* state alone, NULL: the world has no control; and of what it was made */
  long steps;      /* taken before, */
  uint64_t hash;   /* and theirs */
  json_t *since;   /* array: lines of the file, impulses before them that were waiting */
} cli_origin;

struct cli_session {
  cli_session_plan plan;
  char *path; /* of the scene */
  cli_world world;
  hn_scene *first; /* as it was loaded first: what records stand on */
  hn_runner *runner;
  long base;        /* steps taken before it, */
  uint64_t chained; /* and the hash of them, while there is none */
  cli_origin origin;
  bool anew;                 /* control has begun anew in the command under way */
  uint64_t models;           /* that there have been before it */
  json_t *pending;           /* array: for control, before the next step */
  hn_event *event;           /* [nevent] of the last step, for control too, whichever runner took it; */
  int nevent;                /* names of joints are its own */
  bool shown;                /* the start has been observed */
  bool changed;              /* control has changed the model that there is */
  cli_world slot[CLI_SLOTS]; /* states alone that were saved, and of what their worlds are made */
};

/* The world of MAKE, which it takes over, with the state of FROM (cli_world_make), takes the place of the one
 * there is. -1 on error, and all is as it was. */
int cli_session_change(cli_session *s, cli_make *make, const cli_world *from, hn_error *error);
/* The world there is goes on with the solver and the step of MAKE, which it takes over. -1 as before. */
int cli_session_swap(cli_session *s, cli_make *make, hn_error *error);
/* Has control changed the model? Then no other world can be made: -1. */
int cli_session_check_unchanged(const cli_session *s, hn_error *error);
/* Of what the world there is was made, with its hands where they have been moved to. */
void cli_session_make_again(const cli_session *s, cli_make *make);
/* What there is now, into SLOT, which may have been filled before. */
int cli_session_keep(const cli_session *s, cli_world *slot, hn_error *error);
/* A line of its file, for COMMAND. */
void cli_session_note(cli_session *s, const json_t *command);
/* As cli_origin: here, where nothing has been done since. */
int cli_origin_begin(cli_origin *origin, const cli_session *s, hn_error *error);
void cli_origin_free(cli_origin *origin);

#endif
