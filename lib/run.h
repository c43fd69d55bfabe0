/* run.h - the step loop, its record, fits of orders, and the files of an installation */
#ifndef HOLONOM_RUN_H
#define HOLONOM_RUN_H

#include "solver.h"

#include <signal.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

/* ---- Run: the step loop and its record --------------------------------------------------------------------------- */

/* Of the contacts of one step: from the states at both its ends, not from what the solver says. */
typedef struct hn_contact_measure {
  int contacts;
  double penetration; /* the deepest, at the end, m */
  double residual;    /* of the law of contact, the largest, m/s: zero exactly when it holds */
  double cone_excess; /* of friction over what its cone allows, N s */
  double balance;     /* of a body's momentum with all impulses, N s; NAN where joints do not tell theirs */
} hn_contact_measure;

typedef struct hn_frame {
  long index; /* 0 is the initial state */
  const hn_state *state;
  const hn_model *model;     /* of the state: another one after a change (hn_model_change) */
  const hn_measure *measure; /* NULL after a step that is not measured (hn_run_options.measures) */
  const hn_report *report;
  uint64_t hash;
  const double
    *multipliers;         /* [nrow] joint forces at the end of the step; NULL where the solver tells none */
  const hn_state *before; /* the step; NULL: there was none */
  const hn_contact_measure *contact; /* of the step; NULL: nothing collides, or as measure */
  uint64_t impulses, operations;     /* of the step: impulses on joints, joint operations */
  double seconds;                    /* that the machine took for it */
  const hn_event *event;             /* [nevent] of the step, what was done before it first, then by time */
  int nevent;
  bool last; /* of the steps that were planned */
} hn_frame;

/* Between two steps, in the hands of control. */
typedef struct hn_moment {
  hn_state *state;       /* of which it may change inputs and velocities alone, to finite numbers */
  const hn_model *model; /* of now */
  const hn_event *event; /* [nevent] of the step before */
  int nevent;
  hn_model *changed; /* NULL; or what it makes of the model (hn_model_change): goes to the run */
} hn_moment;
/* Gives BODY an impulse (N s) at a point of the world, NULL: at its centre, and an angular one (N m s). */
void hn_state_strike(hn_state *state, const hn_model *model, int body, const double *at,
                     const double impulse[3], const double angular[3]);

typedef struct hn_run_options {
  double step, duration; /* s */
  uint64_t budget; /* joint operations: the run ends after the first step that reaches it; 0: no limit */
  /* The run is measured at the start, at the end, and at about so many times between them, evenly spread: largest
   * errors are those seen then, and then it can be found to have diverged. 0: after every step. */
  long measures;
  uint64_t hash; /* to which that of this run is chained: of the one it goes on from; or 0 */
  /* Called for the initial state and after every step; false stops the run. May be NULL. */
  bool (*observe)(void *user, const hn_frame *frame);
  void *user;
  const volatile sig_atomic_t *stop; /* checked between steps; may be NULL */
  /* Called before every step. -1 with a text ends the run before that step. A step that fails takes back what
   * control has set for it; joints take what they hold of changes of velocities. May be NULL. */
  int (*control)(void *controller, hn_moment *moment, hn_error *error);
  void *controller;
} hn_run_options;

typedef struct hn_range {
  uint64_t min, max, total;
} hn_range;

typedef struct hn_summary {
  hn_reason reason;
  char explanation[sizeof(hn_error)]; /* of a reason that is not success */
  bool
    control_failed; /* control ended the run (reason HN_INTERRUPTED): an error, with the explanation as text */
  long steps;       /* taken */
  double time;      /* reached, s */
  double last_step; /* size of the last step taken, s; below step when that does not divide the duration */
  double position_max, velocity_max; /* largest joint errors measured, m and m/s (rad and rad/s) */
  double energy_initial, energy_final, energy_error_max; /* J */
  bool energy_conserved; /* hn_model_conserves_energy: else energy_error_max is work, not an error */
  double position_iterations_mean, velocity_iterations_mean;
  int position_iterations_max;
  double size; /* of the mechanism at the start, m: drift as large means nothing (doc/manual.md, reasons) */
  double slip; /* h times the largest error of a joint's rate, summed over the steps, over all that the
                              * mechanism has moved and its size: 1 means nothing */
  double energy_in_play; /* J: an energy error as large means nothing; NAN where energy is not conserved */
  bool collides;         /* then: largest measures of contact after any step, */
  hn_contact_measure contact;
  int asleep;              /* bodies that the solver did not move in the last step, as they rest */
  uint64_t capped;         /* times that it cut the speed of a body to the largest one allowed */
  uint64_t contradictions; /* problems of contact whose law was met no better than gaps are known, or
                              * rounding allows */
  double energy_gain;      /* and the most that the energy has grown in one step, J */
  double energy_jump;      /* largest change of the energy from one measure to the next, J */
  double energy_jump_time; /* at its end, s */
  double energy_changes;   /* sum of all other changes, J */
  uint64_t halvings;       /* steps and parts of steps that were halved */
  bool eventful;           /* is there anything that can have events? Then how many of each kind, */
  uint64_t events[HN_EVENT_KINDS];
  uint64_t changes;     /* of the model: by control, or as joints broke */
  uint64_t events_lost; /* and those of steps with more of them than there was room for */
  hn_range impulses;    /* per step */
  hn_work work;
  uint64_t hash;
  double wall_s; /* time spent in steps alone */
} hn_summary;

/* The loop in its caller's hands: a program that shows, steers or pauses a run calls hn_runner_step when it
 * likes. SOLVER, STATE and what OPTIONS points to belong to the caller and stay as long. Where the model
 * changes they become those of the new one (solver->system->model), in which what the controller has made is,
 * so that it stays as long as SOLVER; a duration of infinity has no end. */
typedef struct hn_runner hn_runner;
/* Resets SOLVER, and measures and observes STATE, the frame of index 0. NULL when memory is out. */
hn_runner *hn_runner_create(hn_solver *solver, hn_state *state, const hn_run_options *options,
                            hn_error *error);
/* One step: control, step, measure, observe. When the run has ended, nothing; any reason but HN_CONVERGED ends it. */
hn_reason hn_runner_step(hn_runner *runner);
/* Has it ended: with its duration, or with a reason? */
bool hn_runner_ended(const hn_runner *runner);
/* What has been so far. */
const hn_summary *hn_runner_summary(const hn_runner *runner);
/* Ends the run and frees the runner; SUMMARY may be NULL. */
void hn_runner_finish(hn_runner *runner, hn_summary *summary);

/* Checkpoints, between two steps: all that the run is, what SOLVER remembers included, into FILE
 * (hn_solver_save: a solver that cannot tell its memory starts afresh there); -1 when it cannot be
 * written. */
int hn_runner_save(hn_runner *runner, FILE *file, hn_error *error);
/* As hn_runner_create, but goes on from there: SOLVER, STATE and OPTIONS are made as they were, by the
 * same program, and steps, records and the summary are to the bit those of the run that was saved. Nothing
 * is observed before the next step. The controller is its caller's. NULL on error: what is in FILE is cut
 * off, or of something else. */
hn_runner *hn_runner_resume(hn_solver *solver, hn_state *state, const hn_run_options *options, FILE *file,
                            hn_error *error);

/* All of it: create, step until the end, finish. */
hn_reason hn_run(hn_solver *solver, hn_state *state, const hn_run_options *options, hn_summary *summary);

/* Opens PATH with the flags of open(2) and holds it until the descriptor is closed; with O_TRUNC a file is emptied
 * then, and not before. A descriptor, or -1 with a text when it cannot be opened, or somebody else, of this process
 * too, holds it. */
int hn_hold(const char *path, int flags, hn_error *error);

/* ---- Records: what a run was, frame by frame, as a file ---------------------------------------------------------- */

/* A number of a record: real, and not finite where it does not exist; a whole number, or that of a body, and negative
 * where it does not exist; or 64 bits. */
typedef union hn_cell {
  double real;
  int64_t whole;
  uint64_t bits;
} hn_cell;
typedef enum hn_cell_kind { HN_CELL_REAL, HN_CELL_WHOLE, HN_CELL_BODY, HN_CELL_BITS } hn_cell_kind;

typedef struct hn_record_field {
  const char *name, *unit; /* "position", "m" */
  hn_cell_kind kind;
  int width;               /* cells: 1, 3 or 4 */
  const char *const *part; /* [width] what follows the owner's name in that of a column: ".x" */
} hn_record_field;

/* What whole numbers in the cells of a group stand for, from 0 on. */
typedef struct hn_record_words {
  const char *name; /* "kinds" */
  char **word;      /* [count] */
  int count;
} hn_record_words;

/* What owners of one kind have: bodies, say. */
typedef struct hn_record_group {
  const char *name;             /* "bodies" */
  const hn_record_field *field; /* [nfield] */
  int nfield, width;            /* width: cells of one owner */
  char **owner;                 /* [count] names; NULL: there is one, the step, or rows are listed */
  bool listed;                  /* more rows in one frame, fewer in another, */
  int count;                    /* of which this frame has so many; else owners */
  int room;                     /* rows, of a list */
  const hn_record_words *words; /* [nwords] */
  int nwords;
  hn_cell *cell; /* [count * width] of this frame, owner by owner */
} hn_record_group;

/* Something to be told of the run as a whole: a text, or a number where that is NULL. */
typedef struct hn_record_note {
  const char *name, *text;
  double number;
} hn_record_note;

typedef struct hn_record_layout {
  const hn_model *model;   /* at the start, whose bodies, joints and forces are recorded, */
  const hn_model *now;     /* and that of the frame */
  const char *path, *part; /* final name, and that while it is written */
  FILE *file;              /* open at PART */
  hn_record_group
    *group; /* [ngroup] the first is the step itself, the second the bodies but for the ground */
  int ngroup;
  bool skipped;                /* the frame is none that is to be written, but what is listed in it is */
  long frames;                 /* expected; 0: not known */
  const hn_record_note *about; /* ended by a name of NULL */
} hn_record_layout;

typedef enum hn_record_end { HN_RECORD_KEEP, HN_RECORD_DROP, HN_RECORD_LEAVE } hn_record_end;

/* A kind of files. Groups, and all that hangs on them, stay where they are from open to close. */
typedef struct hn_record_type {
  const char *ending; /* of their names, ".csv" */
  bool whole;         /* they have joints, forces, contacts and events, asked for or not */
  void *(*open)(const hn_record_layout *layout, hn_error *error); /* what it needs to write; NULL on error */
  int (*write)(void *writer, hn_error *error); /* the frame that is in the cells; -1 on error */
  /* Frees WRITER; -1 on error. Afterwards the file gets its name, is taken away, or left as it is, as END says. */
  int (*close)(void *writer, hn_record_end end, hn_error *error);
} hn_record_type;

/* Those that the library has, ended by NULL: CSV, and HDF5, whose module is loaded when it is opened. */
const hn_record_type *const *hn_record_types(void);

typedef struct hn_record_options {
  const hn_record_type *type; /* NULL: that which PATH ends as, else CSV */
  long every;     /* steps from one that is written to the next; the last one planned always is; 0: 1 */
  long frames;    /* that are to be expected; 0: it is not known, and may be many */
  bool rank;      /* of the constraints, the last singular value kept and the first dropped */
  bool joints;    /* coordinates of joints and their rates, and, where */
  bool reactions; /* the solver reports multipliers, forces and torques on their bodies b */
  bool forces;    /* springs, motors and so on: what they measure, and what they pull with */
  bool contacts;  /* of every step that is written; of CSV in a file beside it, "run.contacts.csv" */
  bool events;    /* types that are whole: also where the model alone has none to tell */
  bool times;     /* of the machine: two records differ in them */
  const char *frames_path;           /* all frames are kept there too, so that the record can be gone on with:
                              * hn_record_mark; NULL: they are not */
  const struct hn_record_mark *from; /* the record begins with what was there then; NULL: with nothing */
  const hn_record_note
    *about; /* ended by a name of NULL; where the type has room for it. A name that begins with a
                              * slash is that of a longer text. It stays until close. May be NULL */
} hn_record_options;

/* A record of MODEL in PATH: written to PATH.part, which is held, and renamed by close; what was written before an
 * interruption stays readable. One without a frame leaves PATH as it was. PATH "-" is standard output. OPTIONS may be
 * NULL. NULL on error: contacts where nothing collides are one. */
typedef struct hn_record hn_record;
hn_record *hn_record_create(const char *path, const hn_model *model, const hn_record_options *options,
                            hn_error *error);
bool hn_record_frame(void *record,
                     const hn_frame *frame); /* an observer for hn_run; false when writing fails */
int hn_record_close(hn_record *record, hn_error *error);

/* How far a record has come. With the file at options.frames_path, which stays when the record is closed, it
 * is all that a later one needs to go on from there, whatever kind of file it is, and whatever has become of
 * that: the bytes are those of a record that was never interrupted. */
typedef struct hn_record_mark {
  uint64_t cells;  /* 8 bytes each, that count in frames_path, */
  uint64_t hash;   /* their hash, */
  uint64_t frames; /* and frames that they are */
} hn_record_mark;
/* After it, all that has been recorded until now is in frames_path; -1 when it cannot be written there. */
int hn_record_mark_now(hn_record *record, hn_record_mark *mark, hn_error *error);

/* Events of a run as CSV, one a line: the step at whose end it is told, its time, kind, bodies, and so on.
 * PATH as of a record. With FRAMES_PATH all is kept there too, and with FROM it begins with what was there
 * then: as of a record (hn_record_options), both may be NULL. NULL on error. */
typedef struct hn_event_record hn_event_record;
hn_event_record *hn_event_record_create(const char *path, const char *frames_path, const hn_record_mark *from,
                                        hn_error *error);
bool hn_event_record_frame(void *record, const hn_frame *frame); /* as hn_record_frame */
int hn_event_record_mark_now(hn_event_record *record, hn_record_mark *mark, hn_error *error); /* likewise */
int hn_event_record_close(hn_event_record *record, hn_error *error);

/* A column of a table: numbers, or texts where `number` is NULL; [rows] of either. */
typedef struct hn_column {
  const char *name;
  const double *number;
  char *const *text;
} hn_column;
/* The table as a file of HDF5 in memory, a data set for each column, the same bytes for the same table:
 * BYTES[SIZE], to be freed. -1 on error. */
int hn_table_hdf5(const hn_column *column, size_t columns, size_t rows, void **bytes, size_t *size,
                  hn_error *error);

/* Steps that cover DURATION: all of size STEP, the last one shorter when STEP does not divide it. HN_MAX_STEPS when
 * there would be more: their times could not be told apart. */
#define HN_MAX_STEPS (1L << 53)
long hn_step_count(double step, double duration);

/* ---- Ranks of a job ---------------------------------------------------------------------------------------------- */

/* Texts between the processes that mpirun has started together. MPI is loaded by hn_ranks_open and not before. */
typedef struct hn_ranks hn_ranks;
bool hn_ranks_wanted(void);               /* is this process one of several? By the environment */
hn_ranks *hn_ranks_open(hn_error *error); /* called by all; NULL on error */
int hn_ranks_rank(const hn_ranks *ranks); /* from 0 to */
int hn_ranks_size(const hn_ranks *ranks); /* this, exclusive */
int hn_ranks_send(hn_ranks *ranks, int rank,
                  const char *text); /* returns when TEXT may change; -1 on error */
char *hn_ranks_receive(hn_ranks *ranks,
                       int *rank);    /* a text that has come, to be freed, and of whom; NULL: none has */
void hn_ranks_close(hn_ranks *ranks); /* called by all; may be NULL */

/* ---- Studies ----------------------------------------------------------------------------------------------------- */

/* Slope of log(error) against log(step) by least squares over the finite, positive entries; NAN with fewer than two. */
double hn_fit_order(const double *step, const double *error, size_t count);
/* Twice the standard error of that slope, ORDER, by the scatter about it; NAN with fewer than three entries. */
double hn_fit_scatter(const double *step, const double *error, size_t count, double order);

/* Where an order can be read off, found from the errors alone. */
typedef struct hn_window {
  size_t first, count; /* entries; count is 0 when there is no such place */
  double order;        /* p, fitted over them; NAN without */
  double low,
    high; /* what the errors allow it to be: as far as the slope of a straight line, and its scatter */
} hn_window;

enum { HN_WINDOW_LEAST = 6, HN_WINDOW_MOST = 16 }; /* entries of a window */

/* The HN_WINDOW_LEAST to HN_WINDOW_MOST consecutive entries with floor < error < ceiling that lie nearest to the end of
 * the list, as many as can be, that follow C h^p (1 + D h), or C h^p (1 + D h^2), within SLACK of themselves (0.02 is
 * strict), the second term being smaller than the first. STEP descends: the end is where h goes to 0. */
hn_window hn_fit_window(const double *step, const double *error, size_t count, double floor, double ceiling,
                        double slack);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
