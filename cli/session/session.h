/* session.h - cli/session/: a run that is changed while it goes on, by commands that are carried out between
 * steps, and the file that says which: with it the run is repeated to the bit. It stands on cli/base/. */
#ifndef HN_CLI_SESSION_H
#define HN_CLI_SESSION_H

#include <jansson.h>
#include "cli/base/options.h"

typedef struct cli_session cli_session;
enum { CLI_SLOTS = 9 };

typedef struct cli_session_plan {
  const char *scene;          /* path or name */
  const cli_options *options; /* how it is loaded; stays as long as the session */
  const char *solver;         /* spec; NULL: the scene's own */
  double step;                /* s; 0: the scene's own */
  const hn_setting *setting;  /* [nsetting] */
  size_t nsetting;
  /* Called when the scene is there, which stays as long as the session, before anything is observed; -1 ends
   * it. May be NULL. */
  int (*begin)(void *user, const hn_scene *scene, hn_error *error);
  bool (*observe)(void *user, const hn_frame *frame); /* as of a run, frames counted through; may be NULL */
  void (*note)(void *user, const char *line);         /* the session as it goes, line by line; may be NULL */
  void *user;
} cli_session_plan;

/* At its start. NULL on error. */
cli_session *cli_session_create(const cli_session_plan *plan, hn_error *error);
/* One that goes on from where FROM is, whose file it takes to be its own so far; scene and options of PLAN
 * are those of FROM. What a scene's control remembers cannot be copied: what has been done since it began
 * anew is done again, steps and all, without being observed or noted. NULL on error: a joint of a scene
 * without control has broken, there are more than CLI_MOST_REPEATED of those steps, or they were
 * interrupted. */
cli_session *cli_session_copy(const cli_session *from, const cli_session_plan *plan, hn_error *error);
enum { CLI_MOST_REPEATED = 10000 };
void cli_session_free(cli_session *s);
/* Carries COMMAND out, between two steps, and notes it. -1 with a text: it is refused, and nothing has
 * changed. */
int cli_session_do(cli_session *s, const json_t *command, hn_error *error);
/* One step; any reason but HN_CONVERGED ends the run until there is another solver, step or world. A step
 * that fails is taken back, but for what the scene's control remembers of it, and noted for that. */
hn_reason cli_session_step(cli_session *s);
/* Steps until so many have been taken, or one ends the run. */
hn_reason cli_session_step_to(cli_session *s, long steps);
/* The step that fails here, as LINE of its file says; -1 with a text: it does not, or for another reason. */
int cli_session_fail(cli_session *s, const json_t *line, hn_error *error);
/* Writes the last line of its file: how far it has come, and the hash. */
void cli_session_end(cli_session *s);

const hn_scene *cli_session_scene(const cli_session *s);
const hn_model *cli_session_model(const cli_session *s); /* of now, hands included */
uint64_t cli_session_models(const cli_session *s);       /* another number when the model may be another */
/* A hand on a body; false: there are no more. */
typedef struct cli_hand {
  const char *id;
  int body;
  const double *point, *target; /* [3] of the body, in its axes; m */
} cli_hand;
bool cli_session_hand(const cli_session *s, int index, cli_hand *hand);
bool cli_session_slot(const cli_session *s, int slot); /* is there something in SLOT, from 1? */
const hn_state *cli_session_state(const cli_session *s);
const hn_solver *cli_session_solver(const cli_session *s);
double cli_session_step_size(const cli_session *s);
long cli_session_steps(const cli_session *s);              /* that it has taken */
uint64_t cli_session_hash(const cli_session *s);           /* of all of them */
const char *cli_session_explanation(const cli_session *s); /* of a reason that is not success */

/* What is before the commands of a file, as JSON: version, scene, settings, solver, step. */
json_t *cli_session_head(const cli_session *s);
#define CLI_SESSION_FORMAT "holonom session"
enum { CLI_SESSION_VERSION = 1 };

#endif
