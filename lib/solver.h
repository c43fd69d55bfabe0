/* solver.h - solvers: their types, their registry, and plugins */
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
struct hn_contact_impulses;
struct hn_contact_law;

/* Several settings under one name: preset=NAME stands for "key=value,...". Explicit settings override it. */
typedef struct hn_preset {
  const char *name, *settings;
  const char *help; /* one line */
} hn_preset;

/* The type of a solver: one constant table. The framework allocates data_size bytes, fills them from the
 * parameters and calls setup once. step advances STATE by h; if it fails, it may leave STATE in any
 * condition, because hn_solver_step restores it. */
typedef struct hn_solver_type {
  int abi; /* HN_ABI */
  const char *name;
  const char *summary; /* one line */
  const char *citation;
  unsigned capabilities; /* HN_CAN_BILATERAL and so on, with the most capable parameters */
  int order;             /* nominal global order; 0 if a parameter decides */
  size_t data_size;
  const hn_param *params; /* ends with a key of NULL */
  int (*setup)(hn_solver *solver, hn_error *error);
  hn_reason (*step)(hn_solver *solver, hn_state *state, double h);
  void (*reset)(hn_solver *solver); /* discards all history; NULL: there is none */
  /* Returns the data that the solver carries from step to step: one block of plain memory, always the
   * same, of *SIZE bytes. The framework copies it, to undo a failed step and for checkpoints. Data that a
   * state determines to the bit, such as a factor, is not part of it. NULL: there is none, or only reset
   * can restore it (history of a library). */
  void *(*memory)(hn_solver *solver, size_t *size);
  void (*free)(hn_solver *solver);          /* may be NULL */
  int (*order_of)(const hn_solver *solver); /* order with the current parameters; NULL: `order` */
  /* Capabilities with the current parameters, called before setup; NULL: `capabilities`. */
  unsigned (*capabilities_of)(const hn_solver *solver);
  /* Computes the joint forces at time t within the last step (dense output) in lambda[nrow]; NULL: known
   * only at its end. */
  void (*multipliers_at)(const hn_solver *solver, double t, double *lambda);
  /* Settings "key=value,..." shown in studies of all solvers, "" for the defaults, ended by NULL. NULL:
   * only the defaults. */
  const char *const *variants;
  void *user;               /* for the owner of the table; NULL: nothing */
  const hn_preset *presets; /* ended by a name of NULL; NULL: none */
  /* Assembles the contact problem of the step of H from STATE in *PROBLEM, which belongs to the solver. It
   * may leave STATE in any condition. NULL: the solver has no such problem. */
  hn_reason (*pose)(hn_solver *solver, hn_state *state, double h, const struct hn_problem **problem);
  /* Returns the contact solver (contact.h) used in the steps, or NULL. NULL: there is none. */
  struct hn_contact_solver *(*contact_solver)(const hn_solver *solver);
  const char *engine; /* another engine that takes the steps, "NAME VERSION"; NULL: none */
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

/* The impulses of one contact in a step: their sum, impacts included. With m and L of a body, sums over its
 * contacts are m (v+ - v-) and L+ - L-, less what other forces and joints do. */
typedef struct hn_contact_impulse {
  uint64_t key;
  int a, b;                 /* bodies */
  double gap;               /* m, at the first impulse, or at the start of the step if there is none */
  double point[3];          /* m: where it acts on b, or on a if b is fixed, for the pose before the step */
  double normal[3];         /* from a to b; the vectors are along world axes */
  double push, friction[3]; /* N s, on b: along the normal, and across it */
  double moment_a[3], moment_b[3]; /* N m s, on each body about its centre of mass, at the time of action */
  double arm_a[3], arm_b[3];       /* m: from the centres of mass to the point of action */
  double weight;                   /* N s: sum of the sizes of the parts, */
  int parts, order;                /* their number, and place in the step */
} hn_contact_impulse;

/* ---- Solver objects and their reports ------------------------------------------------------------------ */

/* The report of a solver on its last step: for records, not for judging the solver. */
typedef struct hn_report {
  int position_iterations;
  int velocity_iterations;
  int iterations;     /* of the stage that failed; 0 if it does not iterate */
  int halvings;       /* number of times that a part of the step was halved, or repeated by step control */
  double residual;    /* remaining position residual, m or rad */
  int joint;          /* block of a failure, a joint or a contact, or -1 */
  int asleep;         /* number of bodies that are asleep */
  int capped;         /* number of bodies whose speed was cut to the maximum */
  int contradictions; /* number of contact problems accepted above their tolerance: up to a limit
                          * (contact_limit) or the accuracy of gaps */
  int time_stepped;   /* number of parts of the step that were time-stepped, as no smooth motion was found */
  double time_stepped_s; /* s: their length */
  int roundings;     /* number of contact problems solved to the level of rounding, above their tolerance */
  const char *stage; /* stage that failed: "joint correction", ... */
  /* parameter whose tolerance the residual of the failed stage exceeds, and that tolerance, which rounding
   * can make larger than the parameter; NULL: none */
  const char *setting;
  double tolerance;
  double sufficient; /* value of that parameter which the failed stage would have met; 0: unknown */
  const char *limit; /* parameter that lets the run go on with such residuals, counted; NULL: none */
  int sweeps; /* limit on the iterations of a contact solver that have been used up; 0: they were not */
  const struct hn_contact_solver *contact; /* the contact solver that failed, or NULL */
} hn_report;

struct hn_solver {
  const hn_solver_type *type;
  void *data;
  hn_system *system;
  hn_report report;
  double *multipliers;      /* [nrow] joint forces at the end of the last step (N, N m), reported by the
                          * solver or estimated for breakage; a run restores them after a failed step */
  hn_state *backup;         /* the state before the step */
  void *kept;               /* the solver's memory before the step */
  char *spec;               /* "name:key=value,..." with every parameter */
  struct hn_text *texts;    /* strings owned by the parameters */
  struct hn_event_log *log; /* events of the last step and the history of contacts */
  struct hn_contact_impulses *impulses; /* of the contacts in the last step; NULL: they are not kept */
  uint64_t changes;                     /* number of changes of its model by hn_solver_change */
  hn_model *model;                      /* model after hn_solver_change, owned; NULL: the caller's */
  const volatile sig_atomic_t *stop;    /* stop flag of the run (run.h), or NULL */
  struct hn_array_block *arrays; /* arrays and states of `data`, freed with it: see hn_solver_allocate */
  hn_state **states;
  int nstate;
  struct hn_step_doubling *doubling; /* control of the error at the end of a run, or NULL */
};

/* Returns whether solvers of TYPE support redundant constraints: never, with parameter redundancy set, or
 * always. */
typedef enum hn_redundant_kind { HN_NEVER, HN_BY_POLICY, HN_ALWAYS } hn_redundant_kind;
hn_redundant_kind hn_solver_redundant(const hn_solver_type *type);

/* Returns the variants of TYPE, never NULL. */
const char *const *hn_solver_variants(const hn_solver_type *type);

/* Returns the solver types of the process, ended by NULL: built-in ones, then those of plugins. COUNT may
 * be NULL. */
const hn_solver_type *const *hn_solver_types(size_t *count);
/* Returns the solver type NAME: a built-in one, one of OWN (as in hn_model.own_solvers, or NULL), or one
 * of a plugin, in this order. Returns NULL on error. */
const hn_solver_type *hn_solver_type_find(const char *name, const hn_solver_type *const *own,
                                          hn_error *error);

/* Returns the library without which the built-in solver of SPEC, "name" or "name:...", was left out; NULL if
 * it was not. */
const char *hn_solver_missing_library(const char *spec);

/* Creates a solver of MODEL by SPEC, "name" or "name:key=value,key=value"; the type is one of the process
 * or of the model. Returns NULL on error. Solvers may run in several threads, each with its own state, and
 * may share a model. Exceptions: solvers that need PETSc (linear solvers other than `ldl` and `dense`, and
 * impulse-newton) or SUNDIALS, and solvers that the model defines, for which its owner sets the rules. */
hn_solver *hn_solver_create(const char *spec, const hn_model *model, hn_error *error);
void hn_solver_free(hn_solver *solver);
void hn_solver_reset(hn_solver *solver);
/* Replaces the model of SOLVER by MODEL, an edit of it (hn_model_change), which SOLVER then owns.
 * Settings, contact history, counts of work and the forces of remaining joints are kept; other history is
 * discarded. Earlier checkpoints become invalid. On error SOLVER is unchanged, and MODEL remains the
 * caller's. */
int hn_solver_change(hn_solver *solver, hn_model *model, hn_error *error);
int hn_solver_order(const hn_solver *solver);
/* Returns the capabilities of SOLVER with its parameters. */
unsigned hn_solver_capabilities(const hn_solver *solver);
/* Returns the capabilities of TYPE, with implied ones: a solver that reports joint forces supports
 * breakage. */
unsigned hn_solver_type_capabilities(const hn_solver_type *type);
/* Takes one step of size h > 0. A failed step leaves STATE and the memory of SOLVER unchanged, to the bit. */
hn_reason hn_solver_step(hn_solver *solver, hn_state *state, double h);
/* Returns the contact problem of the step of H from STATE, valid until the next step. STATE and the memory
 * of SOLVER are unchanged. Returns NULL with the reason on failure: HN_UNSUPPORTED if the solver has no
 * such problem. */
const struct hn_problem *hn_solver_pose(hn_solver *solver, hn_state *state, double h, hn_reason *reason);
/* Checkpoints: save the memory of SOLVER in MEMORY, of hn_solver_memory bytes, and restore it; the state
 * is saved separately. A solver type without `memory` is reset both by saving and by restoring. So a run
 * that continues after saving and one that is restored agree to the bit. hn_solver_restore returns -1, and
 * restores nothing, if the SIZE bytes belong to another model. */
size_t hn_solver_memory(hn_solver *solver);
void hn_solver_save(hn_solver *solver, void *memory);
int hn_solver_restore(hn_solver *solver, const void *memory, size_t size, hn_error *error);
/* Returns the events of the last step in the order of their times; valid until the next step. LOST, which may
 * be NULL, is the number of events for which there was no room. */
const hn_event *hn_events_of(const hn_solver *solver, int *count, uint64_t *lost);
/* Keeps the impulses of contacts from the next step on. -1 if out of memory. Results are the same with and
 * without. */
int hn_solver_keep_impulses(hn_solver *solver, hn_error *error);
/* Returns the impulses of the contacts in the last step, by ascending key; valid until the next step. NULL:
 * they are not kept. */
const hn_contact_impulse *hn_solver_impulses(const hn_solver *solver, int *count);
/* Declares, in setup, that the solver reports its events. For all others the framework derives closings and
 * openings from the impulses of a step. A pair closes by an impulse above what the tolerance of the contact
 * solver allows. */
void hn_events_by_solver(hn_solver *solver);
/* Reports impacts at TIME, where the system is listed, with impulses P[nrow] of limits and contacts. */
void hn_events_impact(hn_solver *solver, double time, const double *p);
/* Returns an array [max_blocks] for hn_events_report_modes, all HN_MODE_OPEN. */
hn_contact_mode *hn_events_modes(hn_solver *solver);
/* Reports the modes of the blocks from TIME on; changes since the last report are events. */
void hn_events_report_modes(hn_solver *solver, double time, const hn_contact_mode *mode);
/* Reports that the contact of block K, which has been sticking, began to slide at TIME. */
void hn_events_slip(hn_solver *solver, int k, double time);
/* Reports that joint number JOINT broke at TIME by FORCE, N or N m (hn_joint_load_ratio). The run removes it
 * from the model after the step. */
void hn_events_broken(hn_solver *solver, int joint, double time, double force);
/* The number of events of the step; and back to COUNT, when a part of a step is given up. */
int hn_events_count(const hn_solver *solver);
void hn_events_take_back(hn_solver *solver, int count);
/* For solvers: reports that the step failed in STAGE at JOINT (-1: none) with RESIDUAL. Returns REASON, or
 * HN_NOT_FINITE if RESIDUAL is not finite. */
hn_reason hn_step_failed(hn_solver *solver, hn_reason reason, const char *stage, int joint, double residual);
/* Reports that STAGE stalled after ITERATIONS. Returns HN_STALLED or HN_NOT_FINITE. */
hn_reason hn_step_stalled(hn_solver *solver, const char *stage, int joint, double residual, int iterations);
/* Adds to the report of a failure the SETTING, a tolerance that the residual exceeds, and its value in force.
 * Returns REASON, the result of the report. */
hn_reason hn_step_missed(hn_solver *solver, const char *setting, double tolerance, hn_reason reason);
/* Notes that CONTACT, a contact solver, ended with REASON, by its own words or by STAGE. Returns REASON;
 * HN_STALLED for used-up iterations. */
hn_reason hn_step_contact_failed(hn_solver *solver, const struct hn_contact_solver *contact, hn_reason reason,
                                 const char *stage);
/* Adds to the report of a failure that CONTACT has missed its tolerance, contact_tolerance, and would have
 * met the value SUFFICIENT. The blocks of its problem are those of the system. */
hn_reason hn_step_contact_missed(hn_solver *solver, const struct hn_contact_solver *contact,
                                 double sufficient, hn_reason reason);
/* Returns the contact solver used by SOLVER, or NULL. */
struct hn_contact_solver *hn_solver_contact(const hn_solver *solver);
/* Writes the law of contact that SOLVER solves into TEXT and *LAW. Returns true if it is Coulomb's. */
bool hn_solver_contact_law(const hn_solver *solver, struct hn_contact_law *law, char *text, size_t size);
/* Writes a description of the last failure into TEXT: reason, stage, joint, residual. */
void hn_solver_explain(const hn_solver *solver, hn_reason reason, double h, char *text, size_t size);

/* ---- Plugins: solvers in shared objects outside the tree (doc/plugin.md) ------------------------------- */

/* A plugin is linked with this library. It defines this symbol, its solver types ended by NULL, or that of
 * contact.h, or both. Load plugins before creating solvers; they stay loaded. */
extern const hn_solver_type *const hn_plugin_solvers[];

/* Registers all types that the shared object PATH exports, or none on error: PATH is not a plugin, a table
 * is for another HN_ABI, or a name is in use. Loading a plugin again has no effect. */
int hn_plugin_load(const char *path, hn_error *error);
/* Registers TYPES, ended by NULL, of the program itself, with the same checks; they must stay valid. */
int hn_solvers_register(const hn_solver_type *const *types, hn_error *error);
/* Loads every *.so of DIRECTORIES, which are separated by colons, in the order of the file names. */
int hn_plugin_load_path(const char *directories, hn_error *error);
/* Loads the modules of all installed engines, for listings; one that is named is loaded by itself. */
int hn_engines_load(hn_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
