/* session.h - cli/session/: a run that commands change between its steps, and the session file, which lists
 * the commands and repeats the run to the bit. Uses cli/base/. */
#ifndef HN_CLI_SESSION_H
#define HN_CLI_SESSION_H

#include <jansson.h>
#include "cli/session/world.h"

typedef struct cli_session cli_session;
enum { CLI_SLOTS = 9 };

/* Plan of a session; all pointers must remain valid as long as the session. */
typedef struct cli_session_plan {
  const char *scene;          /* path or name */
  const cli_options *options; /* how to load the scene */
  const char *solver;         /* spec; NULL: the scene's own */
  double step;                /* s; 0: the scene's own */
  const hn_setting *setting;  /* [nsetting] */
  size_t nsetting;
  /* Called with the scene, which lives as long as the session, before any frame; -1: error. May be NULL. */
  int (*begin)(void *user, const hn_scene *scene, hn_error *error);
  /* Observes each frame as in a run; frames are numbered through. May be NULL. */
  bool (*observe)(void *user, const hn_frame *frame);
  void (*write_line)(void *user, const char *line); /* receives each line of the session file; may be NULL */
  void *user;
  bool keep_impulses; /* frames have the impulses of contacts: records of contacts need them */
} cli_session_plan;

/* Creates a session at the initial state. Returns NULL on error. */
cli_session *cli_session_create(const cli_session_plan *plan, hn_error *error);
/* Creates a session that continues at the present state of FROM, with the same session file so far. PLAN must
 * have the scene and options of FROM. The state of a scene's control cannot be copied: the steps and commands
 * since the control was created are repeated without being observed or written. Returns NULL on error: a
 * joint of a scene without control has broken, more than CLI_MAX_REPEATED_STEPS steps, or an interrupt. */
cli_session *cli_session_copy(const cli_session *from, const cli_session_plan *plan, hn_error *error);
enum { CLI_MAX_REPEATED_STEPS = 10000 };
void cli_session_free(cli_session *s);
/* Carries COMMAND out between two steps and writes it to the session file. Returns -1 with a message, and
 * changes nothing, if the command is refused. */
int cli_session_do(cli_session *s, const json_t *command, hn_error *error);
/* Takes one step. Any reason but HN_CONVERGED ends the run until a command replaces solver, step or world. A
 * failed step is undone, except in the state of the scene's control; so it is written to the session file. */
hn_reason cli_session_step(cli_session *s);
/* Takes steps until STEPS have been taken in all, or one ends the run. */
hn_reason cli_session_step_to(cli_session *s, long steps);
/* Tries the step that must fail as LINE of the session file states. Returns -1 if it does not. */
int cli_session_fail(cli_session *s, const json_t *line, hn_error *error);
/* Writes the last line of the session file: number of steps and hash. */
void cli_session_end(cli_session *s);

const cli_world *cli_session_world(const cli_session *s);  /* scene, state, solver, step, mouse springs */
const hn_model *cli_session_model(const cli_session *s);   /* the present one, with mouse springs */
uint64_t cli_session_model_version(const cli_session *s);  /* changes whenever the model may have changed */
bool cli_session_slot(const cli_session *s, int slot);     /* true if SLOT, from 1, holds a state */
long cli_session_steps(const cli_session *s);              /* number of steps taken */
uint64_t cli_session_hash(const cli_session *s);           /* of all steps */
const char *cli_session_explanation(const cli_session *s); /* of a reason other than HN_CONVERGED */

#define CLI_SESSION_FORMAT "holonom session"
enum { CLI_SESSION_VERSION = 1 };

#endif
