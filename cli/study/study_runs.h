/* study_runs.h - cli/study/: runs of solvers on scenes, measured, and what is made of several: a reference, equal cost, a
 * comparison, its plots and its report. It knows no command and not the order study. */
#ifndef CLI_STUDY_RUNS_H
#define CLI_STUDY_RUNS_H

#include "cli/base/options.h"
#include "cli/study/reference_distance.h"
#include "cli/study/residual_history.h"
#include "cli/study/error_series.h"
#include "cli/study/track.h"
#include "holonom.h"
#include "scene.h"

struct cli_outcome;

enum { CLI_FEW_MEASURES = 256 }; /* of runs of which only the end, or some instants, are asked for */

typedef struct cli_plan {
  hn_scene *scene;
  const char *solver;             /* spec */
  double step, duration;          /* s */
  uint64_t budget;                /* joint operations; 0: no limit */
  const cli_reference *reference; /* may be NULL; prepared for the step */
  cli_motion *motion;             /* takes the motion at its times; may be NULL */
  hn_record *record;              /* may be NULL */
  hn_event_record *events;        /* likewise */
  bool list_events;               /* they are kept */
  bool keep_series;
  bool keep_history; /* of a contact solver, of the step at this time, s; 0: of the worst */
  double history_at;
  size_t track_numbers; /* its motion is kept in so many numbers; 0: it is not */
  double track_step;    /* s: from frame to frame at least */
  long measures;        /* times at which errors are taken (hn_run_options); 0: after every step */
  /* Called for the initial state and after every step; false ends the run there. May be NULL. */
  bool (*watch)(void *watcher, const struct cli_outcome *outcome, const hn_frame *frame);
  void *watcher;
  /* What takes the steps, as hn_run does; NULL: hn_run. */
  hn_reason (*loop)(void *looper, hn_solver *solver, hn_state *state, const hn_run_options *options,
                    hn_summary *summary);
  void *looper;
} cli_plan;

/* One run and all that is told of it. */
typedef struct cli_outcome {
  cli_plan plan;
  hn_solver *solver;   /* NULL when it cannot do the scene */
  hn_state *state;     /* at the end */
  hn_control *control; /* NULL: the scene has none */
  hn_summary summary;
  double error[CLI_QUANTITIES]; /* against the reference, in its norm; NAN when not known */
  cli_series *series;           /* when asked for */
  cli_course *course;           /* likewise, where errors are over the motion and the run came to the end */
  double wall_spread; /* s: between the least and the largest time, where it was measured repeatedly */
  hn_event *event;    /* [nevent] when asked for */
  size_t nevent, event_room;
  cli_track *track;     /* likewise; NULL when the solver cannot do the scene */
  cli_history *history; /* likewise, where the solver solves contact problems */
} cli_outcome;

/* Scene, solver, step and duration as the options and the scene's defaults say; NULL on error. */
hn_scene *cli_plan_read(cli_plan *plan, const cli_options *options, hn_error *error);
/* Runs PLAN. -1 only when the spec is wrong in itself, the steps cannot be counted, or the scene's control function has
 * an error; everything else is an outcome with its reason. */
int cli_outcome_run(cli_outcome *outcome, const cli_plan *plan, hn_error *error);
/* What was done to the start, in words, to be freed; NULL when nothing was asked for. */
char *cli_projection_text(const hn_model *model);
/* The solvers there are, those of the process and then those that SCENE (which may be NULL) declares; to be freed. */
const hn_solver_type **cli_solvers(const hn_scene *scene, size_t *count);
const hn_contact_type **cli_contact_solvers(const hn_scene *scene, size_t *count); /* likewise */
/* 0 when the spec is right in itself, whatever it makes of a scene. Its solver may be one of SCENE, which may be
 * NULL. */
int cli_spec_check(const char *spec, const hn_scene *scene, hn_error *error);
void cli_outcome_free(cli_outcome *outcome);
/* The model at the end, which a run may have changed. */
const hn_model *cli_outcome_model(const cli_outcome *outcome);
/* Does its solver tell joint forces? */
bool cli_outcome_tells_forces(const cli_outcome *outcome);
double cli_outcome_us_per_step(const cli_outcome *outcome);
double cli_outcome_impulses(const cli_outcome *outcome); /* mean per step that succeeded */
double cli_outcome_per_step(const cli_outcome *outcome, uint64_t count);
/* The last step, when it was made shorter to end at the duration; else 0. */
double cli_outcome_short_step(const cli_outcome *outcome);
/* Joint operations: residuals + Jacobians + jets + impulses (a solve gives one to every joint) and one per joint for
 * every factorisation. The unit of "error against work". */
double cli_outcome_operations(const cli_outcome *outcome);

#endif
