/* study_runs.h - cli/study/: runs of solvers on scenes, with measurements, and results of several runs: a
 * reference, equal cost, a comparison, its plots and its report. It depends on no command and not on the
 * order study. */
#ifndef CLI_STUDY_RUNS_H
#define CLI_STUDY_RUNS_H

#include "cli/base/options.h"
#include "cli/study/reference_distance.h"
#include "cli/study/residual_history.h"
#include "cli/study/error_series.h"
#include "cli/study/states_at.h"
#include "cli/study/track.h"
#include "holonom.h"
#include "scene.h"

struct cli_outcome;

enum { CLI_FEW_MEASURES = 256 }; /* times at which errors are computed, in runs where only few are needed */

typedef struct cli_plan {
  hn_scene *scene;
  const char *solver;             /* spec */
  double step, duration;          /* s */
  uint64_t budget;                /* joint operations; 0: no limit */
  const cli_reference *reference; /* may be NULL; prepared for the step */
  cli_motion *motion;             /* receives the motion at its times; may be NULL */
  bool keep_motion;               /* keep the motion at the times of `norm` for cli_outcome_judge */
  cli_norm norm;
  const char *part;   /* part of the study, shown before the solver; NULL: none */
  hn_record *record;  /* may be NULL */
  hn_record *events;  /* may be NULL */
  bool keep_impulses; /* the record has contacts */
  bool list_events;   /* keep all events in the outcome */
  const double *at;   /* [nat] times of states, ascending; NULL: none */
  size_t nat;
  bool keep_series;     /* keep errors over time */
  bool keep_history;    /* keep residuals of a contact solver in one step */
  double history_at;    /* time of that step, s; 0: the worst step */
  size_t track_numbers; /* numbers available for the motion; 0: it is not kept */
  double track_step;    /* minimum time between frames of the motion, s */
  long measures;        /* times at which errors are computed (hn_run_options); 0: after every step */
  /* Called for the initial state and after every step; ends the run by returning false. May be NULL. */
  bool (*watch)(void *watcher, const struct cli_outcome *outcome, const hn_frame *frame);
  void *watcher;
  /* Function that makes the run; NULL: hn_run. */
  hn_reason (*loop)(void *looper, hn_solver *solver, hn_state *state, const hn_run_options *options,
                    hn_summary *summary);
  void *looper;
} cli_plan;

/* One run and its results. */
typedef struct cli_outcome {
  cli_plan plan;
  hn_solver *solver;   /* NULL if the solver does not support the scene */
  hn_state *state;     /* at the end */
  hn_control *control; /* NULL: the scene has none */
  hn_summary summary;
  double error[CLI_QUANTITIES]; /* against the reference, in its norm; NAN when not known */
  cli_series *series;           /* errors of joints and energy over time; NULL: not kept */
  cli_error_curve
    *error_curve;     /* errors against the reference; NULL: not kept, end not reached, or norm of the end */
  cli_motion *motion; /* until it is judged; NULL: not kept */
  double wall_spread; /* largest minus smallest of repeated time measurements, s */
  hn_event *event;    /* [nevent], if they are kept */
  size_t nevent, event_room;
  cli_track *track;      /* motion for display; NULL: not kept */
  cli_states_at *states; /* at the times of the plan; NULL: none */
  cli_history *history;  /* residuals of the contact solver; NULL: not kept, or no contact solver */
} cli_outcome;

/* Loads the scene and sets solver, step and duration from options or its defaults. NULL on error. */
hn_scene *cli_plan_read(cli_plan *plan, const cli_options *options, hn_error *error);
/* Runs PLAN. Returns -1 only if the spec is invalid, there are too many steps, or the scene's control
 * function fails; every other end is an outcome with its reason. */
int cli_outcome_run(cli_outcome *outcome, const cli_plan *plan, hn_error *error);
/* Computes the errors of OUTCOME, whose motion was kept, against REFERENCE, prepared for its step, which must
 * outlive it. A run that did not reach the end, or exceeded its budget, has none. */
void cli_outcome_judge(cli_outcome *outcome, const cli_reference *reference);
/* Describes the projection of the start, to be freed; NULL if there was none. */
char *cli_projection_text(const hn_model *model);
/* Return the solvers, or contact solvers, of the process and of SCENE (may be NULL); to be freed. */
const hn_solver_type **cli_solvers(const hn_scene *scene, size_t *count);
const hn_contact_type **cli_contact_solvers(const hn_scene *scene, size_t *count);
/* Returns 0 if SPEC is valid in itself, supported or not. SCENE (may be NULL) may declare the solver. */
int cli_spec_check(const char *spec, const hn_scene *scene, hn_error *error);
/* Runs PLAN to the time AT, s; for 0 takes the start, which needs no solver. Returns 0 with the state in
 * OUTCOME, CLI_OUTCOME after a message if the run stops before, or -1 on error. To be freed in all cases. */
int cli_outcome_reach(cli_outcome *outcome, cli_plan *plan, double at, hn_error *error);
void cli_outcome_free(cli_outcome *outcome);
/* Returns the model at the end, which a run may have changed. */
const hn_model *cli_outcome_model(const cli_outcome *outcome);
/* True if the solver computes joint forces. */
bool cli_outcome_has_forces(const cli_outcome *outcome);
double cli_outcome_us_per_step(const cli_outcome *outcome);
double cli_outcome_impulses(const cli_outcome *outcome); /* mean per successful step */
double cli_outcome_per_step(const cli_outcome *outcome, uint64_t count);
/* Returns the size of the last step if it was shortened to end at the duration, s; else 0. */
double cli_outcome_short_step(const cli_outcome *outcome);
/* Returns the joint operations: residuals + Jacobians + jets + impulses (a solve counts one per joint) and
 * one per joint for every factorisation. They are the unit of "error against work". */
double cli_outcome_operations(const cli_outcome *outcome);

/* Finds the smallest step duration/k, k whole, with which the run of PLAN stays within BUDGET, to half a
 * percent. If no step does, *STEP is the one tried last. Returns -1 if the spec is invalid. */
int cli_budget_step(const cli_plan *plan, uint64_t budget, double *step, hn_error *error);
/* Returns 0 if work can be counted: BUDGET is 0, or the scene has joints. */
int cli_budget_check(const hn_scene *scene, uint64_t budget, hn_error *error);

/* Measures the time of OUTCOME REPEAT times, each over as many runs as take 50 ms. The smallest mean becomes
 * its time, the difference of the largest and smallest its spread. Does nothing unless OUTCOME converged.
 * Returns -1 on error. */
int cli_times_measure(cli_outcome *outcome, int repeat, hn_error *error);

/* Returns the warnings of a run, an array ended by NULL, to be freed with cli_strings_free. A run that did
 * not converge has none: its reason suffices. */
char **cli_warnings(const cli_outcome *outcome);
/* Writes the law of contact that the solver of OUTCOME solves into TEXT: "Coulomb", or another one by its
 * settings. Returns true if it is Coulomb's. */
bool cli_outcome_law(const cli_outcome *outcome, char *text, size_t size);
/* Returns a warning if the uncertainty of the reference is too large, else NULL; to be freed. */
char *cli_warning_of_reference(const cli_reference *reference, double size);

#endif
