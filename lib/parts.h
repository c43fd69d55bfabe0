/* parts.h - parts of steps that solvers share, for authors of solvers:
 *
 *   hn_active          active set: limits and bounded forces in steps with one linear system
 *   hn_impact          simultaneous impacts
 *   hn_sleeping        bodies at rest are left out
 *   hn_gap_projection  projection of positions onto joints, limits and contacts
 *
 * A solver has the struct of a part in its data and the parameters of the part in its table (HN_..._PARAMS).
 * It calls ..._setup in `setup` and ..._free in `free`, also after a set-up that failed. The struct is zero
 * before that; its arrays belong to it. holonom.h does not include this header. */
#ifndef HOLONOM_PARTS_H
#define HOLONOM_PARTS_H

#include "contact.h"
#include "solver.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

/* ---- Active set ------------------------------------------------------------------------------------- */

/* The rows treated as equations, for sets but Coulomb's. A step solves for the held rows; the others have the
 * impulses of their bounds. The set is updated until no row is wrong (active_set.c):
 *
 *   hn_active_begin                            at the start of a step
 *   hn_active_apply_bounds                     at the start of a phase
 *   repeat  solve, apply, hn_active_record     for the held rows
 *   until   hn_active_update == HN_ACTIVE_SAME */
typedef struct hn_active {
  /* [max_rows] 0: row held (active); -1, 1: impulse at the lower, upper bound. Kept from step to step; NULL
   * if the model has equations only */
  signed char *side;
  double *impulse;            /* [max_rows] impulses of the step on rows with a set */
  double *joint_correction;   /* [max_rows] the part of `impulse` due to the joint correction */
  int changes;                /* updates of the set in this step */
  int fewest_wrong, patience; /* smallest number of wrong rows so far; updates left to reduce it */
} hn_active;

/* The phase of a step in which the set is updated: the joint correction, judged by the residuals s->g at the
 * end of the step, or the velocity correction, judged by the rates of the rows. */
typedef enum hn_active_phase { HN_AT_POSITIONS, HN_AT_VELOCITIES } hn_active_phase;
typedef enum hn_active_change { HN_ACTIVE_SAME, HN_ACTIVE_CHANGED, HN_ACTIVE_CYCLE } hn_active_change;

/* Allocates if the model has limits, contacts without friction or bounded forces; otherwise `side` is NULL
 * and the calls below do nothing. -1 on error. */
int hn_active_setup(hn_solver *solver, hn_active *active, hn_error *error);
/* Restores the set of a new run. */
void hn_active_reset(hn_solver *solver, hn_active *active);
/* Starts a step: holds the rows that were held before, with zero impulses. */
void hn_active_begin(hn_solver *solver, hn_active *active, const hn_state *state);
/* Starts a phase of a step of H: applies the impulses of the rows that are at their bounds. The velocity
 * correction may be started again with other velocities, from the impulses that
 * hn_active_end_joint_correction has stored. */
void hn_active_apply_bounds(hn_solver *solver, hn_active *active, hn_active_phase phase, double h,
                            hn_state *state);
/* Stores the impulses of the joint correction, which has ended. */
void hn_active_end_joint_correction(hn_solver *solver, hn_active *active);
/* Adds SCALE p to the recorded impulses of the rows that are held. */
void hn_active_record(hn_solver *solver, hn_active *active, const double *p, double scale);
/* Updates the active set after a solve for the held rows. RATE[nrow] are rates less targets, or at positions
 * the residuals, which count as wrong beyond TOLERANCE. The resulting changes of impulses are applied to
 * STATE. */
hn_active_change hn_active_update(hn_solver *solver, hn_active *active, hn_active_phase phase, double h,
                                  double tolerance, const double *rate, hn_state *state);

/* ---- Impacts ---------------------------------------------------------------------------------------- */

/* Newton's or Poisson's law for joints and all closed limits and contacts, as one problem (impact.c). */
typedef enum hn_restitution { HN_POISSON, HN_NEWTON } hn_restitution;

/* The fields before `solver` are set by the solver or its parameters, `any`, `ambiguous`, `p` and `v` are
 * results, the others are private. */
typedef struct hn_impact {
  int restitution;            /* hn_restitution */
  hn_contact_options contact; /* of the solver */
  double touching;  /* m, rad: limits and contacts with gaps up to this are closed; set before use */
  const bool *gone; /* [njoint] joints that have broken; NULL: none */
  hn_contact_solver *solver;
  hn_problem *problem;
  struct hn_problem_islands *islands; /* solves the problem */
  bool any;      /* in the last impact a row with restitution closed faster than the threshold */
  int ambiguous; /* number of islands of the last compression with two solutions of different energy */
  double *p;     /* [max_rows] its impulses, N s */
  double *v;     /* [max_rows] velocities of the rows before it */
  double *first, *more, *base, *trial, *rate; /* [max_rows] p1, parts of p2, and scratch */
  double *work;                               /* [6 nbody] */
  struct hn_expansion *expansion;             /* friction in the expansion */
  struct hn_array_block *arrays;
} hn_impact;

/* Parameters of a solver whose data has FIELD of that type, with the defaults of its contact solver. */
#define HN_IMPACT_PARAMS(data, field, default_solver, default_tolerance)                                     \
  HN_CONTACT_PARAMS(data, field.contact, default_solver, default_tolerance, "10000"),                        \
  {                                                                                                          \
    "restitution", HN_CHOICE, offsetof(data, field) + offsetof(hn_impact, restitution), "poisson", 0, 0, "", \
      "poisson,newton", "an impact gives back this part of its impulse; or of the speed of closing"          \
  }

/* Allocates, and switches off the impact law of the system; -1 on error. hn_impact_free also follows a set-up
 * that failed. */
int hn_impact_setup(hn_solver *solver, hn_impact *impact, hn_error *error);
void hn_impact_free(hn_impact *impact);
/* Applies the impulses of the impact at STATE, where the system is linearised, to its velocities, and
 * leaves them in p. Joints and closed limits and contacts take part; bounded forces, which are finite, do
 * not. After it no row closes but by restitution of others. Failures are noted in the report of SOLVER. */
hn_reason hn_impact_solve(hn_solver *solver, hn_impact *impact, hn_state *state);
/* Returns the largest speed of closing of the closed limits and contacts at STATE, m/s or rad/s, at least
 * 0. */
double hn_impact_closing(hn_solver *solver, hn_impact *impact, const hn_state *state);

/* ---- Sleeping --------------------------------------------------------------------------------------- */

/* Bodies at rest for long enough are not moved until they are woken (sleeping.c). */
typedef struct hn_sleeping {
  double sleep, speed; /* s: time at rest before sleep; m/s: largest speed of a body at rest */
  /* [8 nbody] time at rest, sleep flag and acceleration at falling asleep of each body; NULL: off */
  double *memory;
  int nbody;
  int *island;       /* [nbody] parent in the union-find forest of islands; roots are their own parents */
  bool *left_out;    /* [max_blocks] blocks of sleeping bodies */
  bool any;          /* some body is asleep */
  hn_problem *awake; /* problem of the other blocks, with its own rows */
  double *G, *T, *p; /* [12, 12, 1 max_rows] of `awake` */
} hn_sleeping;

#define HN_SLEEPING_PARAMS(data, field)                                                                  \
  { "sleep",                                                                                             \
    HN_REAL,                                                                                             \
    offsetof(data, field) + offsetof(hn_sleeping, sleep),                                                \
    "0",                                                                                                 \
    0,                                                                                                   \
    1e9,                                                                                                 \
    "s",                                                                                                 \
    NULL,                                                                                                \
    "time at rest after which a body and all it touches sleep until something wakes them; 0: never" },   \
  {                                                                                                      \
    "sleep_speed", HN_REAL, offsetof(data, field) + offsetof(hn_sleeping, speed), "0.01", 0, 1e9, "m/s", \
      NULL, "root mean square speed up to which a body is at rest"                                       \
  }

/* Allocates if `sleep` is positive; otherwise no body sleeps and the calls below do nothing or solve for all
 * bodies. -1 on error. */
int hn_sleeping_setup(hn_solver *solver, hn_sleeping *rest, hn_error *error);
void hn_sleeping_free(hn_sleeping *rest);
void hn_sleeping_reset(hn_sleeping *rest);
/* Returns the memory for hn_solver_type.memory, and its size in bytes; owned by REST. */
void *hn_sleeping_memory(hn_sleeping *rest, size_t *size);
/* Starts a step, with biases up to date: wakes bodies from STATE and the unconstrained ACCELERATION[nbody],
 * and lists the blocks of sleeping bodies. Returns the number of sleeping bodies. */
int hn_sleeping_begin(hn_sleeping *rest, const hn_system *s, const hn_state *state,
                      const hn_twist *acceleration);
/* Sets the velocities of sleeping bodies to zero. */
void hn_sleeping_stop_bodies(const hn_sleeping *rest, hn_state *state);
/* Lists the blocks of sleeping bodies anew, as new contacts may wake some. Returns the number of sleeping
 * bodies. */
int hn_sleeping_list(hn_sleeping *rest, const hn_system *s);
/* Solves PROBLEM for the blocks of awake bodies with SOLVER; p of the others is unchanged. */
hn_reason hn_sleeping_solve(hn_sleeping *rest, hn_contact_solver *solver, const hn_problem *problem,
                            double *p);
/* Ends a step of H: bodies at rest for long enough fall asleep, with ACCELERATION. */
void hn_sleeping_end(hn_sleeping *rest, const hn_system *s, double h, const hn_twist *acceleration,
                     hn_state *state);

/* ---- Projection ------------------------------------------------------------------------------------- */

/* Positions onto joints, limits and gaps that are violated, by the shortest displacement in the mass metric:
 *
 *   repeat   find mu:  0 <= K mu + g, 0 <= mu  (joints: K mu + g = 0);   x moved by t W G' mu
 *
 * with t = 1, 1/2, ... until the largest violation decreases (gap_projection.c). */
typedef struct hn_gap_projection {
  double tolerance; /* m, rad */
  int iterations;
  hn_contact_solver *solver;
  hn_state
    *at; /* set before the setup, it and `from` belong to the caller, for other uses between projections */
  hn_state *from; /* poses before a displacement, and as twists the displacement */
} hn_gap_projection;

#define HN_GAP_PROJECTION_PARAMS(data, field)                                                             \
  { "tolerance", HN_REAL, offsetof(data, field) + offsetof(hn_gap_projection, tolerance),                 \
    "1e-9",      1e-15,   1,                                                                              \
    "m, rad",    NULL,    "projection: violation that is left" },                                         \
  {                                                                                                       \
    "iterations", HN_INTEGER, offsetof(data, field) + offsetof(hn_gap_projection, iterations), "1000", 1, \
      1e6, "", NULL, "projection: of it, at most"                                                         \
  }

/* Allocates, with the contact solver of CONTACT solving to a tenth of the tolerance; -1 on error. */
int hn_gap_projection_setup(hn_solver *solver, hn_gap_projection *gaps, const hn_contact_options *contact,
                            hn_error *error);
void hn_gap_projection_free(hn_gap_projection *gaps);
/* Moves STATE until the largest violation (hn_system_violation) is within the tolerance. Velocities, and the
 * contacts of STATE with their impulses, are unchanged; the contacts and Jacobian of the system are those of
 * a moved state. REST: sleeping bodies do not move; a zeroed one if none sleep. PROBLEM and p[max_rows] are
 * scratch. Returns HN_STALLED if the iterations do not suffice, or the reason of the contact solver; notes
 * iterations and failures in the report of SOLVER. */
hn_reason hn_gap_projection_apply(hn_solver *solver, hn_gap_projection *gaps, hn_sleeping *rest,
                                  hn_problem *problem, double *p, hn_state *state);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
