/* run.h - the step loop, checkpoints, records, processes of a parallel job, and fits of orders */
#ifndef HOLONOM_RUN_H
#define HOLONOM_RUN_H

#include "solver.h"

#include <signal.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

/* ---- The step loop ------------------------------------------------------------------------------------- */

/* Measures of the contacts of one step, computed from the states at its ends and not from the solver's
 * report. With error_tolerance residuals and balance are NAN: impulses are those of the last part of a step,
 * states those of its ends. So are they, and the cone excess, if the solver hides impulses. */
typedef struct hn_contact_measure {
  int contacts;
  double penetration;  /* largest, at the end, m */
  double residual;     /* largest error of Coulomb's law, m/s: zero if and only if it holds */
  double own_residual; /* that of the law which the solver solves (hn_solver_contact_law) */
  double cone_excess;  /* largest friction beyond its cone, N s */
  double balance;      /* largest error of a body's momentum balance, N s; NAN if joint forces are unknown */
} hn_contact_measure;

typedef struct hn_frame {
  long index; /* 0 is the initial state */
  const hn_state *state;
  const hn_model *model;     /* of the state; replaced when the model changes (hn_model_change) */
  const hn_measure *measure; /* NULL if the step is not measured (hn_run_options.measures) */
  const hn_report *report;
  uint64_t hash;
  const double *multipliers; /* [nrow] joint forces at the end of the step; NULL if the solver reports none */
  const hn_state *before;    /* state before the step; NULL for the initial frame */
  const hn_contact_measure *contact; /* of the step; NULL: no collisions, or not measured */
  uint64_t impulses, operations;     /* of the step: impulses on joints, joint operations */
  double seconds;                    /* wall time of the step */
  const hn_event *event;             /* [nevent] of the step: those of control first, then by time */
  int nevent;
  bool last; /* the last planned step */
  /* [nimpulse] of the contacts in the step; NULL: not kept (hn_solver_keep_impulses), or the initial frame */
  const hn_contact_impulse *impulse;
  int nimpulse;
  bool between; /* a state within step `index` (hn_dense_at): only state, model and multipliers are given */
  bool wanted;  /* recorded whatever the interval of the record */
} hn_frame;

/* The arguments of control, which is called between two steps. */
typedef struct hn_control_context {
  hn_state *state;       /* control may change only inputs and velocities, to finite numbers */
  const hn_model *model; /* current model */
  const hn_event *event; /* [nevent] of the previous step */
  int nevent;
  hn_model *changed; /* an edited model (hn_model_change), which the run then owns, or NULL */
} hn_control_context;
/* Applies an impulse (N s) to BODY at the point AT in world axes (NULL: its centre of mass), and an
 * angular impulse (N m s). */
void hn_state_apply_impulse(hn_state *state, const hn_model *model, int body, const double *at,
                            const double impulse[3], const double angular[3]);

typedef struct hn_run_options {
  double step, duration; /* s */
  uint64_t budget;       /* joint operations: the run ends after the step that reaches it; 0: no limit */
  /* The run is measured at the start, at the end, and at about this number of evenly spread times between
   * them. Only then are the largest errors updated and divergence detected. 0: after every step. */
  long measures;
  uint64_t hash; /* start of the hash chain: hash of the run that this one continues, or 0 */
  /* Called for the initial state and after every step; returns false to stop the run. May be NULL. */
  bool (*observe)(void *user, const hn_frame *frame);
  void *user;
  const volatile sig_atomic_t *stop; /* checked between steps; may be NULL */
  /* Called before every step. Returning -1 with an error ends the run before that step. Changes of
   * velocities that violate joints are projected onto them. A failed step also undoes the changes of
   * control. May be NULL. */
  int (*control)(void *controller, hn_control_context *moment, hn_error *error);
  void *controller;
} hn_run_options;

typedef struct hn_range {
  uint64_t min, max, total;
} hn_range;

/* The control of the error at the end of a run (parameter error_tolerance of solvers). */
typedef struct hn_error_summary {
  double tolerance;            /* m: error_tolerance; 0: steps are not divided, and all else is 0 */
  double estimate;             /* m: of the largest position error of a body at the end; NAN: unknown */
  double local;                /* m: sum of the errors of parts that the run allows */
  double shortest;             /* s: shortest part */
  uint64_t accepted, rejected; /* parts of steps */
  uint64_t pilots;             /* runs before the first step that measure the growth of errors */
  char why[256];               /* why the estimate is unknown, or not within a factor of 10; else empty */
} hn_error_summary;

typedef struct hn_summary {
  hn_reason reason;
  char explanation[sizeof(hn_error)]; /* of a reason other than HN_CONVERGED */
  bool control_failed; /* an error of control, or no memory, ended the run; the explanation is its text */
  long steps;          /* taken */
  double time;         /* reached, s */
  double
    last_step; /* size of the last step taken, s; smaller than `step` if that does not divide the duration */
  double position_max, velocity_max; /* largest joint errors measured, m and m/s (rad and rad/s) */
  double energy_initial, energy_final, energy_error_max; /* J */
  bool energy_conserved; /* else energy_error_max includes work and losses: no error */
  double position_iterations_mean, velocity_iterations_mean;
  int position_iterations_max;
  double size; /* size of the mechanism at the start, m: limit on drift (doc/manual.md, reasons) */
  double slip; /* sum over the steps of h times the largest joint velocity error, relative to the size of
                              * the mechanism and its motion: limit 1 */
  double spin; /* rad/s: fastest rotation of a body after any step */
  double energy_in_play;           /* J: limit on the energy error; NAN if energy is not conserved */
  bool collides;                   /* if true, the following fields on contact are valid */
  hn_contact_measure contact;      /* largest measures after any step */
  int asleep;                      /* bodies asleep in the last step */
  uint64_t capped;                 /* number of times that the speed of a body was cut to the maximum */
  uint64_t contradictions;         /* contact problems accepted above their tolerance: up to a limit
                              * (contact_limit) or the accuracy of gaps */
  uint64_t time_stepped;           /* parts of steps that were time-stepped, as no smooth motion was found */
  double time_stepped_s;           /* s: their length */
  uint64_t rounding_steps;         /* steps with a contact problem solved to the level of rounding, above its
                              * tolerance */
  double energy_gain;              /* largest growth of the energy in one step, J */
  double energy_rise;              /* largest energy after any step less that of the start, J */
  double energy_supply;            /* J: energies in play, also if energy is lost; NAN if it can be added */
  double energy_jump;              /* largest change of the energy between two measures, J */
  double energy_jump_time;         /* at the end of that change, s */
  double energy_changes;           /* sum of all other changes, J */
  uint64_t halvings;               /* number of halved steps and parts of steps */
  bool eventful;                   /* the model or control can cause events */
  uint64_t events[HN_EVENT_KINDS]; /* number of events of each kind */
  uint64_t changes;                /* of the model, by control or breakage */
  uint64_t events_lost;            /* events discarded for lack of room */
  hn_error_summary control;        /* of the error at the end */
  hn_range impulses;               /* per step */
  hn_work work;
  uint64_t hash;
  double wall_s; /* wall time of the steps alone */
} hn_summary;

/* A run step by step, for programs that show, control or pause it. SOLVER, STATE and the targets of
 * OPTIONS belong to the caller and must outlive the runner. A change of the model replaces the model of
 * SOLVER (solver->system->model) and adapts STATE to it; the controller's new model then belongs to
 * SOLVER. A duration of infinity never ends. */
typedef struct hn_runner hn_runner;
/* Creates a runner: resets SOLVER, then measures and observes STATE as frame 0. Returns NULL without
 * memory. */
hn_runner *hn_runner_create(hn_solver *solver, hn_state *state, const hn_run_options *options,
                            hn_error *error);
/* Takes one step: control, step, measure, observe. Any reason but HN_CONVERGED ends the run; after that it
 * does nothing. */
hn_reason hn_runner_step(hn_runner *runner);
/* True if the run has ended, by its duration or a reason. */
bool hn_runner_ended(const hn_runner *runner);
/* Returns the summary so far. */
const hn_summary *hn_runner_summary(const hn_runner *runner);
/* Ends the run and frees the runner; SUMMARY may be NULL. */
void hn_runner_finish(hn_runner *runner, hn_summary *summary);

/* Writes a checkpoint between two steps: the complete run with the memory of its solver (hn_solver_save,
 * which may reset the solver), into FILE. Returns -1 on error. */
int hn_runner_save(hn_runner *runner, FILE *file, hn_error *error);
/* Creates a runner that continues from a checkpoint. SOLVER, STATE and OPTIONS must be created as before,
 * by the same program. Steps, records and the summary agree with those of the saved run to the bit.
 * Nothing is observed before the next step; the memory of the controller is not included. Returns NULL on
 * error, for example if FILE is truncated or of another model. */
hn_runner *hn_runner_resume(hn_solver *solver, hn_state *state, const hn_run_options *options, FILE *file,
                            hn_error *error);

/* Runs to the end: create, steps, finish. Returns the reason of the summary. */
hn_reason hn_run(hn_solver *solver, hn_state *state, const hn_run_options *options, hn_summary *summary);

/* ---- States between the steps (dense output) ----------------------------------------------------------- */

/* States at any time within the last step of a run, of the order of its solver. The run is not changed: its
 * solver is only read. */
typedef struct hn_dense hn_dense;
/* SOLVER is that of the run and must outlive the result. Memory is allocated at the first state, and again
 * after a change of the model. Returns NULL without memory. */
hn_dense *hn_dense_create(const hn_solver *solver, hn_error *error);
void hn_dense_free(hn_dense *dense); /* may be NULL */
/* Computes the state at TIME inside the step of FRAME, after its start and before its end: to be called by an
 * observer of the run with the frame that it observes. Sets BETWEEN, whose state and joint forces (if FRAME
 * has them) are valid until the next call. On failure returns another reason than HN_CONVERGED with an
 * explanation. */
hn_reason hn_dense_at(hn_dense *dense, const hn_frame *frame, double time, hn_frame *between,
                      hn_error *error);

/* ---- Output files -------------------------------------------------------------------------------------- */

/* Opens PATH with the flags of open(2) and locks it until the descriptor is closed. O_TRUNC empties the
 * file only when the lock is held. Returns a descriptor, or -1 if PATH cannot be opened or another
 * descriptor, also of this process, has locked it. */
int hn_lock_file(const char *path, int flags, hn_error *error);

/* A file that appears under its name when it is complete. Until then it is PATH.part, locked against other
 * writers. Where PATH is a link, the file that it leads to is written so, and the link stays. */
typedef struct hn_pending {
  FILE *stream;        /* NULL: not open */
  char *path, *target; /* as given; and the file that it is, or that the link PATH leads to */
  char *part;          /* TARGET.part; NULL: standard output */
} hn_pending;
typedef enum hn_record_end { HN_RECORD_KEEP, HN_RECORD_DROP, HN_RECORD_LEAVE } hn_record_end;

/* Opens PATH.part, empty; PATH "-" is standard output. */
int hn_pending_open(hn_pending *pending, const char *path, hn_error *error);
/* Closes the file and renames it to PATH, deletes it, or leaves it as PATH.part, as END says. Returns -1
 * on error; then a file to be renamed is left as PATH.part. PENDING, which need not be open, is empty
 * afterwards. */
int hn_pending_close(hn_pending *pending, hn_record_end end, hn_error *error);

/* ---- Records: the frames of a run in a file ------------------------------------------------------------ */

/* A number of a record: real (not finite if missing), whole number or body index (negative if missing), or
 * 64 bits. */
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
  const char *const *part; /* [width] endings of the column names, after the owner's name: ".x" */
} hn_record_field;

/* Words for the whole numbers, from 0 on, in the cells of a group. */
typedef struct hn_record_words {
  const char *name; /* "kinds" */
  char **word;      /* [count] */
  int count;
} hn_record_words;

/* The data of all owners of one kind, for example of the bodies. */
typedef struct hn_record_group {
  const char *name;             /* "bodies" */
  const hn_record_field *field; /* [nfield] */
  int nfield, width;            /* width: cells of one owner */
  char **owner;                 /* [count] names; NULL: one unnamed owner (the step), or a list of rows */
  bool listed;                  /* a list: the number of rows varies from frame to frame */
  int count;                    /* owners, or rows of this frame */
  int room;                     /* rows allocated for a list */
  const hn_record_words *words; /* [nwords] */
  int nwords;
  hn_cell *cell; /* [count * width] data of this frame, owner by owner */
} hn_record_group;

/* A note on the whole run: a text, or a number if `text` is NULL. */
typedef struct hn_record_note {
  const char *name, *text;
  double number;
} hn_record_note;

typedef struct hn_record_layout {
  const hn_model *model;   /* at the start; its bodies, joints and forces are recorded */
  const hn_model *now;     /* model of the frame */
  const char *path, *part; /* final name, and temporary name while it is written */
  FILE *file;              /* open at PART */
  hn_record_group
    *group; /* [ngroup] the first is the step itself, the second the bodies without the ground */
  int ngroup;
  bool skipped;                /* only the lists of the frame are written */
  long frames;                 /* expected number; 0: unknown */
  const hn_record_note *about; /* ended by a name of NULL */
} hn_record_layout;

/* A file format of records. The groups of a layout and their arrays keep their addresses from open to
 * close. */
typedef struct hn_record_type {
  const char *ending; /* of file names, ".csv" */
  bool whole;         /* joints, forces, contacts and events are always recorded */
  void *(*open)(const hn_record_layout *layout, hn_error *error); /* returns a writer, NULL on error */
  int (*write)(void *writer, hn_error *error); /* writes the frame in the cells; -1 on error */
  /* Frees WRITER. Returns -1 on error, 1 if the file is not complete and of no use: it is then deleted.
   * Otherwise the file is renamed, deleted or left under its temporary name, as END says. */
  int (*close)(void *writer, hn_record_end end, hn_error *error);
} hn_record_type;

/* Returns the formats of the library, ended by NULL: CSV, and HDF5, whose module is loaded when a record
 * is opened. */
const hn_record_type *const *hn_record_types(void);

typedef struct hn_record_options {
  const hn_record_type *type; /* NULL: by the ending of PATH, else CSV */
  long every;                 /* interval in steps; the last planned step is always written; 0: 1 */
  long frames;                /* expected number; 0: unknown, possibly many */
  bool rank;                  /* rank of the constraints, smallest kept and largest dropped singular value */
  bool joints;                /* coordinates of joints and their rates */
  bool
    reactions; /* with `joints`: forces and torques on bodies b; requires a solver that reports multipliers */
  bool forces; /* values, rates and forces of force elements: springs, motors, ... */
  /* contacts of every written step; for CSV in a second file, "run.contacts.csv". The solver must keep their
   * impulses (hn_solver_keep_impulses) */
  bool contacts;
  bool events;                       /* with a `whole` type: events, even if the model alone causes none */
  bool times;                        /* wall times, in which two records of one run differ */
  const char *frames_path;           /* second file of all frames, with which the record can be continued
                              * (hn_record_mark); NULL: none */
  const struct hn_record_mark *from; /* the record begins with the frames up to this mark; NULL: none */
  const hn_record_note
    *about; /* notes, ended by a name of NULL, for types that store them. Longer texts have a name that
                              * begins with a slash. Must live until close. May be NULL */
} hn_record_options;

/* Creates a record of MODEL in PATH; "-" is standard output. It is written to PATH.part, which is locked,
 * and renamed by close; after an interruption PATH.part is readable. A record without frames leaves PATH
 * unchanged. OPTIONS may be NULL. Returns NULL on error; contacts of a model without collisions are an
 * error. */
typedef struct hn_record hn_record;
hn_record *hn_record_create(const char *path, const hn_model *model, const hn_record_options *options,
                            hn_error *error);
bool hn_record_frame(void *record, const hn_frame *frame); /* observer for hn_run; false if writing fails */
int hn_record_close(hn_record *record, hn_error *error);

/* The progress of a record. With the file at options.frames_path, which is not deleted, a later record of
 * any format can continue from the mark. The result equals a record without interruption to the byte,
 * whatever became of the first file. */
typedef struct hn_record_mark {
  uint64_t cells;  /* number of cells, of 8 bytes, in frames_path */
  uint64_t hash;   /* of these cells */
  uint64_t frames; /* number of frames in these cells */
} hn_record_mark;
/* Sets MARK to the present and writes everything recorded so far to frames_path. Returns -1 on error. */
int hn_record_mark_now(hn_record *record, hn_record_mark *mark, hn_error *error);

/* Creates a record of events as CSV, one per line: step, time, kind, bodies and so on. PATH, FRAMES_PATH and
 * FROM as for records (hn_record_create, hn_record_options); the last two may be NULL. Returns NULL on
 * error. */
hn_record *hn_event_record_create(const char *path, const char *frames_path, const hn_record_mark *from,
                                  hn_error *error);

/* A column of a table: [rows] numbers, or texts if `number` is NULL. */
typedef struct hn_column {
  const char *name;
  const double *number;
  char *const *text;
} hn_column;
/* Writes a table as an HDF5 file in memory, one data set per column: BYTES[SIZE], to be freed. Equal
 * tables give equal bytes. Returns -1 on error. */
int hn_table_hdf5(const hn_column *column, size_t columns, size_t rows, void **bytes, size_t *size,
                  hn_error *error);

/* A data set of an HDF5 file: of numbers, or of texts of equal length. */
typedef struct hn_data_set {
  const char *name; /* its path in the file */
  bool texts;
  size_t dimensions, size[3]; /* read: its shape; 1 beyond its dimensions */
  size_t length;              /* read: bytes of a text with its final zero */
  double *number;             /* read: [size[0] size[1] size[2]], to be freed */
  char *text;                 /* read: [size[0] length], to be freed */
} hn_data_set;
/* Reads the data sets SET[COUNT] of the HDF5 file PATH; only name and texts are given. On error frees what it
 * has read and returns -1. */
int hn_hdf5_read(const char *path, hn_data_set *set, size_t count, hn_error *error);

/* Returns the number of steps that cover DURATION: all of size STEP, the last one shorter if STEP does not
 * divide it. At most HN_MAX_STEPS; with more, their times would not be distinct. */
#define HN_MAX_STEPS (1L << 53)
long hn_step_count(double step, double duration);

/* ---- Processes of a parallel job ----------------------------------------------------------------------- */

/* Text messages between the processes started by one mpirun. hn_ranks_open loads MPI. */
typedef struct hn_ranks hn_ranks;
bool hn_ranks_wanted(void);               /* true if the environment names several processes */
hn_ranks *hn_ranks_open(hn_error *error); /* to be called by all processes; NULL on error */
int hn_ranks_rank(const hn_ranks *ranks); /* number of this process, from 0 */
int hn_ranks_size(const hn_ranks *ranks); /* number of processes */
int hn_ranks_send(hn_ranks *ranks, int rank,
                  const char *text); /* returns when TEXT may be reused; -1 on error */
char *
hn_ranks_receive(hn_ranks *ranks,
                 int *rank); /* returns a message, to be freed, and its sender; NULL: none has arrived */
void hn_ranks_close(hn_ranks *ranks); /* to be called by all processes; may be NULL */

/* ---- Orders of convergence ----------------------------------------------------------------------------- */

/* Returns the slope of log(error) against log(step) by least squares over the finite, positive entries;
 * NAN with fewer than two. */
double hn_fit_order(const double *step, const double *error, size_t count);
/* Returns twice the standard error of the slope ORDER, from the scatter about the line; NAN with fewer
 * than three entries. */
double hn_fit_scatter(const double *step, const double *error, size_t count, double order);

/* A range of step sizes in the asymptotic range, found from the errors alone. */
typedef struct hn_window {
  size_t first, count; /* entries; count is 0 if there is no such range */
  double order;        /* fitted p; NAN without entries */
  double low, high;    /* bounds on the order: they include the slope of a straight line and its scatter */
} hn_window;

enum { HN_WINDOW_MIN = 6, HN_WINDOW_MAX = 16 }; /* least and largest number of entries of a window */

/* Returns the window nearest to the end of the list, with as many entries as possible. Its consecutive
 * entries satisfy floor < error < ceiling and follow C h^p (1 + D h) or C h^p (1 + D h^2) within the
 * relative deviation SLACK (0.02 is strict), where the second term is smaller than the first. STEP must
 * descend. */
hn_window hn_fit_window(const double *step, const double *error, size_t count, double floor, double ceiling,
                        double slack);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
