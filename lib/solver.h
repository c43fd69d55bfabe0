/* solver.h - solvers: their tables, their registry, and plugins */
#ifndef HOLONOM_SOLVER_H
#define HOLONOM_SOLVER_H

#include "system.h"

#include <signal.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

/* ---- Solvers ------------------------------------------------------------------------------------------- */

typedef struct hn_solver hn_solver;
struct hn_problem; /* contact.h */

/* Settings by one name: preset=NAME, which stands for "key=value,..." and comes before all others. */
typedef struct hn_preset {
  const char *name, *settings;
  const char *help; /* one line */
} hn_preset;

/* A solver: one constant table. The framework allocates data_size bytes, fills them from the parameters, and calls
 * setup once; step advances STATE by h and may leave it in any condition when it fails (hn_solver_step restores it). */
typedef struct hn_solver_type {
  int abi; /* HN_ABI */
  const char *name;
  const char *summary; /* one line */
  const char *citation;
  unsigned capabilities; /* HN_CAN_BILATERAL and so on: with the parameters that allow most */
  int order;             /* nominal global order; 0 when a parameter decides */
  size_t data_size;
  const hn_param *params; /* ends with a key of NULL */
  int (*setup)(hn_solver *solver, hn_error *error);
  hn_reason (*step)(hn_solver *solver, hn_state *state, double h);
  void (*reset)(hn_solver *solver); /* forgets all history; NULL: it has none */
  /* What the solver remembers from step to step, as one piece of plain memory of *SIZE bytes, always the same one. The
   * framework copies it: a step that fails takes it back, and so does a checkpoint. NULL: nothing, or what only reset
   * can take back, such as the history of a library. What can be made again from a state with the same bits, as a
   * factor, is none of it. */
  void *(*memory)(hn_solver *solver, size_t *size);
  void (*free)(hn_solver *solver);          /* may be NULL */
  int (*order_of)(const hn_solver *solver); /* order with these parameters; NULL: `order` */
  /* What of `capabilities` these parameters leave; NULL: all. Asked before setup. */
  unsigned (*capabilities_of)(const hn_solver *solver);
  /* Joint forces at time t within the last step (dense output) into lambda[nrow]; NULL: only at its end. */
  void (*multipliers_at)(const hn_solver *solver, double t, double *lambda);
  /* What studies of all solvers show of this one: settings "key=value,...", "" for the defaults, ended by NULL.
   * NULL: the defaults alone. */
  const char *const *variants;
  void *user;               /* of whoever makes the table while the program runs; NULL in a constant one */
  const hn_preset *presets; /* ended by a name of NULL; NULL: none */
  /* Poses the problem of contact of the step of H from STATE, which it may leave in any condition, and gives it in
   * *PROBLEM: it stays the solver's. NULL: there is no such problem. */
  hn_reason (*pose)(hn_solver *solver, hn_state *state, double h, const struct hn_problem **problem);
  /* What solves the contact problems of its steps, for who wants to see how (contact.h); NULL: nothing does. */
  struct hn_contact_solver *(*contact_solver)(const hn_solver *solver);
} hn_solver_type;

/* ---- Events -------------------------------------------------------------------------------------------- */

typedef enum hn_event_kind {
  HN_EVENT_IMPACT,  /* two bodies collide: with an impulse */
  HN_EVENT_LIMIT,   /* a joint reaches its limit: with an impulse */
  HN_EVENT_CLOSED,  /* a lasting contact begins, */
  HN_EVENT_OPENED,  /* and ends */
  HN_EVENT_SLIP,    /* a contact, or a joint with dry friction, begins to slide, */
  HN_EVENT_STICK,   /* and sticks */
  HN_EVENT_ZENO,    /* infinitely many impacts end: the next one would be slower than the threshold */
  HN_EVENT_BROKEN,  /* the load of a joint has exceeded its breakage load, and it is gone */
  HN_EVENT_IMPULSE, /* control has given a body an impulse, */
  HN_EVENT_ADDED,   /* has put something into the model, */
  HN_EVENT_REMOVED, /* or taken it out */
  HN_EVENT_KINDS
} hn_event_kind;
/* The word for it in every output: "impact", ... */
const char *hn_event_name(hn_event_kind kind);

typedef struct hn_event {
  double time; /* s */
  hn_event_kind kind;
  int a, b;                 /* bodies */
  const char *joint;        /* the joint or force of that name, the model's; NULL: it is of the bodies */
  double impulse, friction; /* N s: along the normal, and across it; of a joint N s or N m s; NAN: none */
  double force;             /* N or N m: of what has broken; else NAN */
  double angular;           /* N m s, about the middle of body b: of an impulse of control; else NAN */
  double until;             /* s: when impacts without end would have been over; else NAN */
} hn_event;

/* The mode of a limit, a contact or a bounded force between events. */
typedef enum hn_contact_mode { HN_MODE_OPEN = 0, HN_MODE_STICKING, HN_MODE_SLIDING } hn_contact_mode;

/* ---- What a solver says of its last step --------------------------------------------------------------- */

/* What a solver says of its last step: for records, never for judging it. */
typedef struct hn_report {
  int position_iterations;
  int velocity_iterations;
  int iterations;     /* of what failed; 0 where it does not iterate */
  int halvings;       /* times a part of the step was halved, or repeated by step control */
  double residual;    /* position residual left, m or rad */
  int joint;          /* joint of a failure, or -1 */
  int asleep;         /* bodies that were not moved, as they rest */
  int capped;         /* bodies whose speed was cut to the largest one allowed */
  int contradictions; /* problems of contact whose law is met no better than gaps are known, or rounding
                          * allows */
  const char *stage;  /* what failed: "joint correction", ... */
} hn_report;

struct hn_solver {
  const hn_solver_type *type;
  void *data;
  hn_system *system;
  hn_report report;
  double *multipliers;   /* [nrow] joint forces at the end of the last step (N, N m), where the solver reports
                          * them, or where joints break, as it judges them; a run whose step fails takes back
                          * those of the step before */
  hn_state *backup;      /* the state before the step */
  void *kept;            /* and the memory before it */
  char *spec;            /* "name:key=value,..." with every parameter, as reported */
  struct hn_text *texts; /* strings owned by the parameters */
  struct hn_log *log;    /* events of the last step, and what is known of touches */
  uint64_t changes;      /* of its model: hn_solver_change */
  hn_model *model;       /* of the system, after hn_solver_change; NULL: it is the caller's */
  const volatile sig_atomic_t *stop; /* of the run that steps it (run.h); NULL */
};

/* Whether solvers of TYPE run on redundant constraints: never, with parameter redundancy set, or as they are. */
typedef enum hn_redundant_kind { HN_NEVER, HN_BY_POLICY, HN_ALWAYS } hn_redundant_kind;
hn_redundant_kind hn_solver_redundant(const hn_solver_type *type);

/* The variants of TYPE, never NULL. */
const char *const *hn_solver_variants(const hn_solver_type *type);

/* The solvers of the process: built-in ones, then those of plugins; ended by NULL. COUNT may be NULL. */
const hn_solver_type *const *hn_solver_types(size_t *count);
/* The solver NAME: a built-in one, one of OWN (as in hn_model.own_solvers), or one of a plugin, in this order. NULL on
 * error. */
const hn_solver_type *hn_solver_type_find(const char *name, const hn_solver_type *const *own,
                                          hn_error *error);

/* A solver by SPEC, "name" or "name:key=value,key=value", ready to step MODEL: of the process, or of the model itself.
 * Solvers may run side by side in threads, each with a state of its own, and may share a model; not those that need
 * PETSc (linear back ends other than `ldl` and `dense`, and impulse-newton) or SUNDIALS, nor those of the model itself,
 * whose owner says what they may. NULL on error. */
hn_solver *hn_solver_create(const char *spec, const hn_model *model, hn_error *error);
void hn_solver_free(hn_solver *solver);
void hn_solver_reset(hn_solver *solver);
/* SOLVER, with its settings, becomes one of MODEL, a change of the model it has (hn_model_change), which it
 * frees with itself: what it remembers is gone, what is known of touches, counts of work, and joint forces of
 * what stays go on. On error it is as it was, and MODEL the caller's. Checkpoints of before are refused. */
int hn_solver_change(hn_solver *solver, hn_model *model, hn_error *error);
int hn_solver_order(const hn_solver *solver);
/* What SOLVER can do with its parameters. */
unsigned hn_solver_capabilities(const hn_solver *solver);
/* Those that TYPE has, or has by what it says: who reports joint forces can tell when one breaks. */
unsigned hn_solver_type_capabilities(const hn_solver_type *type);
/* One step of size h > 0. When it fails, STATE is as it was given, to the bit, and so is what SOLVER remembers. */
hn_reason hn_solver_step(hn_solver *solver, hn_state *state, double h);
/* The problem of contact of the step of H from STATE as SOLVER poses it, good until its next step; STATE and what
 * SOLVER remembers stay as they are. NULL, with the reason, when there is none: HN_UNSUPPORTED for a solver that solves
 * no such problem. */
const struct hn_problem *hn_solver_pose(hn_solver *solver, hn_state *state, double h, hn_reason *reason);
/* A checkpoint, beside a copy of the state: what SOLVER remembers into MEMORY, of hn_solver_memory bytes,
 * and back. A solver that cannot tell its memory starts afresh both where it is saved and where it is
 * restored; so a run that goes on after saving and one that is restored have the same bits, for every
 * solver. -1 when the SIZE bytes are of another model: then nothing is restored, and the state that is kept
 * is none of SOLVER's either. */
size_t hn_solver_memory(hn_solver *solver);
void hn_solver_save(hn_solver *solver, void *memory);
int hn_solver_restore(hn_solver *solver, const void *memory, size_t size, hn_error *error);
/* Events of the last step, in the order of their times, until the next one; of those for which there was no
 * room LOST, which may be NULL, has the number. */
const hn_event *hn_events_of(const hn_solver *solver, int *count, uint64_t *lost);
/* Declares, in setup, that the solver reports its events. For all others the framework derives closings and openings
 * from the impulses of a step. A pair closes by an impulse above what the tolerance of the contact solver allows. */
void hn_events_told(hn_solver *solver);
/* Reports impacts at TIME, where the system is listed, with impulses P[nrow] of limits and contacts. */
void hn_events_impact(hn_solver *solver, double time, const double *p);
/* Returns an array [most_blocks] for hn_events_touch, all HN_MODE_OPEN. */
hn_contact_mode *hn_events_modes(hn_solver *solver);
/* Reports the modes of the blocks from TIME on; changes since the last report are events. */
void hn_events_touch(hn_solver *solver, double time, const hn_contact_mode *mode);
/* Reports that joint number JOINT broke at TIME by FORCE, N or N m (hn_joint_strain). The run removes it from the model
 * after the step. */
void hn_events_broken(hn_solver *solver, int joint, double time, double force);
/* The number of events of the step; and back to COUNT, when a part of a step is given up. */
int hn_events_count(const hn_solver *solver);
void hn_events_take_back(hn_solver *solver, int count);
/* Notes in the report of SOLVER why its step failed, and returns the reason: REASON, or HN_NOT_FINITE when RESIDUAL
 * is not finite. JOINT: the joint of the failure, or -1. For the code of solvers. */
hn_reason hn_step_failed(hn_solver *solver, hn_reason reason, const char *stage, int joint, double residual);
/* Notes that STAGE stalled after ITERATIONS, and returns HN_STALLED or HN_NOT_FINITE. */
hn_reason hn_step_stalled(hn_solver *solver, const char *stage, int joint, double residual, int iterations);
/* Notes that CONTACT, a contact solver, ended with REASON, by its own words or by STAGE. Returns REASON;
 * HN_STALLED for used-up iterations. */
hn_reason hn_step_contact_failed(hn_solver *solver, const struct hn_contact_solver *contact, hn_reason reason,
                                 const char *stage);
/* What solves contact problems in SOLVER; NULL: nothing does. */
struct hn_contact_solver *hn_solver_contact(const hn_solver *solver);
/* The failure of the last step in words: stage, joint, residual. */
void hn_solver_explain(const hn_solver *solver, hn_reason reason, double h, char *text, size_t size);

/* ---- Plugins: solvers in shared objects outside the tree (doc/plugin.md) ------------------------------- */

/* A plugin is linked with this library and defines this symbol, its solvers, ended by NULL, or that of contact.h, its
 * contact solvers, or both. A process that loads plugins does so before it makes solvers; they stay
 * loaded. */
extern const hn_solver_type *const hn_plugin_solvers[];

/* Loads what the shared object PATH has into the registries. All or none: a file that is no plugin, a table for
 * another HN_ABI, or the name of another solver or solver is an error. A plugin that is loaded already stays as it
 * is. */
int hn_plugin_load(const char *path, hn_error *error);
/* Loads every *.so of DIRECTORIES, separated by colons, in the order of their names. */
int hn_plugin_load_path(const char *directories, hn_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
