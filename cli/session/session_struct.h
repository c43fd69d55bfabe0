/* session_struct.h - the fields of a session and how commands change them. Internal to cli/session/. */
#ifndef HN_CLI_SESSION_STRUCT_H
#define HN_CLI_SESSION_STRUCT_H

#include "cli/session/session.h"

/* Start of the present control, and the commands since. */
typedef struct cli_origin {
  cli_world saved;  /* state and description when the control was created; state NULL: there is no control */
  long steps;       /* taken before */
  uint64_t hash;    /* of these steps */
  json_t *commands; /* array: impulses that were pending, then lines of the session file */
} cli_origin;

struct cli_session {
  cli_session_plan plan;
  char *path; /* of the scene */
  cli_world world;
  hn_scene *initial_scene; /* as first loaded; given to plan.begin */
  hn_runner *runner;
  long previous_steps;    /* steps taken before this runner */
  uint64_t previous_hash; /* hash of the steps while there is no runner */
  cli_origin origin;
  bool control_restarted; /* the command being carried out has created a new control */
  uint64_t model_version; /* number of models before this runner */
  json_t *pending;        /* array of impulse commands, applied before the next step */
  hn_event *event;        /* [nevent] of the last step, for control; owns the names of joints */
  int nevent;
  bool start_observed;       /* the initial state has been observed */
  bool model_changed;        /* control has changed the present model */
  cli_world slot[CLI_SLOTS]; /* saved states with the descriptions of their worlds */
};

/* Replaces the world by one created from SETUP, which it takes over, with the state of FROM
 * (cli_world_create). Returns -1 and leaves the session unchanged on error. */
int cli_session_replace_world(cli_session *s, cli_world_setup *setup, const cli_world *from, hn_error *error);
/* Continues the present world with the solver and step of SETUP, which it takes over. Errors as above. */
int cli_session_replace_solver(cli_session *s, cli_world_setup *setup, hn_error *error);
/* Returns -1 with a message if control has changed the model, or a joint has broken. */
int cli_session_check_unchanged(const cli_session *s, hn_error *error);
/* Describes the present world, mouse springs at their present targets. Free with cli_world_setup_free. */
void cli_session_describe(const cli_session *s, cli_world_setup *setup);
/* Saves the present state in SLOT, which may hold an older one. */
int cli_session_save(const cli_session *s, cli_world *slot, hn_error *error);
/* Writes COMMAND as a line of the session file. */
void cli_session_write_command(cli_session *s, const json_t *command);
/* Makes the present state the start of the control. Returns -1 on error. */
int cli_origin_set(cli_origin *origin, const cli_session *s, hn_error *error);
void cli_origin_free(cli_origin *origin);

#endif
