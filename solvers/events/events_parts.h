/* events_parts.h - the parts of the solver `events`, each in its own file: law of accelerations,
 * independent rows, smooth motion in a mode, creep, breakage, longest motion. Internal. They do not know
 * the solver's state, which is in events.h. The head of events.c lists the files in the order in which to
 * read them.
 *
 * Between events every block has a role: held (an equation), sliding or at a bound (a known force), open or
 * broken (inactive). Thresholds depend on each other, from rounding upwards:
 *
 *   1e-15  rounding error of gaps and slips, m and m/s (trial.c)
 *   1e-12  transverse slip in m/s below which friction has a fixed direction (known.h)
 *   1e-13  default tolerance of the contact solver, relative to the accelerations
 *   1e-9   residual of trial forces, forces that count as zero (acceleration_law.c), accelerations that count
 *          as rest (acceleration_solution.c): far above the contact solver's tolerance, since redundant
 *          contacts lose several digits
 *   1e-6   accelerations of motion and law that count as equal (events.h), and those that the equations of a
 *          motion imply (acceleration_law.c). A contact at rest by the line above must be at rest here too,
 *          or an event would change no role
 *   1e-6   rate in m/s that counts as rest, parameter `rest`
 *
 * These values were chosen for their order, each about two digits from the next. Only the bounds of the
 * scenes in tests/event measure them. */
#ifndef HN_EVENTS_PARTS_H
#define HN_EVENTS_PARTS_H

#include "collide/filter.h"
#include "contact.h"
#include "event/event_function.h"
#include "solver.h"

/* Roles of blocks with a set. Joints without a set are equations, unless they have broken. */
typedef enum hn_role_kind {
  HN_ROW_OPEN = 0, /* inactive */
  /* an equation: closed limits, sticking or frictionless contacts, bounded forces within their bounds */
  HN_ROW_HELD,
  HN_ROW_SLIDING,  /* a contact whose gap is an equation, with friction against its slip */
  HN_ROW_AT_LOWER, /* a bounded force at its lower bound */
  HN_ROW_AT_UPPER, /* a bounded force at its upper bound */
  /* inactive to the end of the step: a joint that has broken, or a joint beside it */
  HN_ROW_BROKEN
} hn_role_kind;

/* Limit on the transverse friction of a creeping contact, as a fraction of mu N: its friction then exceeds
 * mu N by no more than 3 %. */
#define HN_MAX_TRANSVERSE 0.25
/* rad: limit on the rotation of slips, and of contact points that move over both bodies, within one motion */
#define HN_MAX_TURN 0.25

/* The role of a block, with the rows that are equations and its slip direction. */
typedef struct hn_role {
  hn_role_kind kind;
  bool gap; /* true: its gap is an equation; false: the gap is redundant */
  /* bits 0 and 1: the slip along tangent 1 or 2 is an equation; redundant slips have no bit. Creeping
   * contacts: bit 1 is the slip across the slip direction */
  unsigned stick;
  double along[2]; /* HN_ROW_SLIDING: slip direction, unit vector along the tangents */
  /* HN_ROW_SLIDING: creep, the slip across the direction that friction imposes is an equation (creep.c) */
  bool creeps;
  double across; /* creeps: force across the slip direction, divided by mu N */
  /* HN_ROW_SLIDING: the slip would turn far and soon end; it is brought to rest instead */
  bool must_stop;
  /* its redundant gap has begun to close: it must become an equation, and replaces another one as the
   * entering variable of the simplex method does (basis.c) */
  bool enters;
  /* HN_ROW_SLIDING: its gap is left out wherever others imply it, as its force would pull (basis.c) */
  bool yields;
  /* sticking contact: its redundant slip rows act with `shared`, N, as friction of sliding contacts
   * depends on them */
  bool shares;
  double shared[2];
  bool planned; /* HN_ROW_SLIDING: its direction in the present motion is planned (slip_plan.c) */
  bool moves;   /* the contact point moves over both bodies (system/moving_contact.h) */
} hn_role;

/* ---- The law of accelerations (acceleration_law.c): the roles that follow from a state ----------------- */

typedef struct hn_events_law {
  hn_contact_solver *solver;
  double tolerance; /* residual of accelerations, relative to `size` */
  double ahead;     /* s: upper bound of the duration of the motion */
  bool leads;       /* true: slow slips may creep (creep.c) */
  hn_problem *problem;
  struct hn_problem_islands *islands; /* solves the problem */
  hn_twist *acceleration;             /* [nbody] accelerations by the law */
  double *p;                          /* [max_rows] forces, N */
  uint64_t *key;                      /* [count] keys of the blocks that p belongs to */
  int count;
  /* [max_rows] velocities of rows; their accelerations; the part of the accelerations due to p */
  double *rate, *v, *push;
  double size;      /* m/s^2, rad/s^2: largest acceleration of a row without contact forces, at least 1 */
  double *guess;    /* [max_rows] trial forces, set by the caller */
  double *scratch;  /* [6 nbody] */
  hn_state *motion; /* accelerations as velocities */
  hn_arrays arrays;
} hn_events_law;

/* Thresholds below which a gap is closed, and a rate is zero. */
typedef struct hn_events_limits {
  double gap;  /* m, rad */
  double rate; /* m/s, rad/s */
} hn_events_limits;

int hn_events_law_setup(hn_system *system, hn_events_law *law, const hn_contact_options *options,
                        hn_error *error);
void hn_events_law_free(hn_events_law *law);
/* True if a block of SYSTEM is closed by TOUCHES[nblock] or has a bounded force; broken joints do not count.
 * Otherwise all forces are those of equations, and there is no law of accelerations to be solved. */
bool hn_events_law_is_needed(const hn_system *system, const hn_role *role, const bool *touches);
/* Poses the law at STATE, where the system is linearised. MOTION[nbody]: accelerations of the motion with
 * ROLE[nblock], whose roles stay. NULL: the roles follow from the rates. TOUCHES[nblock]: the closed contacts
 * and limits, which take part. */
void hn_events_law_pose(hn_solver *solver, hn_events_law *law, const hn_events_limits *limits,
                        const bool *touches, const hn_twist *motion, hn_role *role, const hn_state *state);
/* Solves the posed law for forces p and accelerations. GIVEN: ROLE[nblock] is kept. Otherwise ROLE becomes
 * the roles from this state on. */
hn_reason hn_events_law_solve(hn_solver *solver, hn_events_law *law, const bool *touches, bool given,
                              hn_role *role, const hn_state *state);
/* Solves the posed law for the forces of sticking contacts, from those in law->guess. Sliding contacts have
 * the forces of law->guess. The result is forces p and their accelerations. The posed problem is changed by
 * this: pose it anew before it is solved in another way. */
hn_reason hn_events_law_solve_sticking(hn_solver *solver, hn_events_law *law, const hn_role *role);
/* True if law->guess satisfies the posed law. Completes the guess first: friction of sliding contacts and
 * bounded forces. An accepted guess becomes p, with its accelerations. */
bool hn_events_law_accepts(hn_system *system, hn_events_law *law, const hn_role *role);
/* Updates ROLE[nblock], with which the law was posed, from its forces and accelerations. */
void hn_events_law_read_roles(const hn_system *system, const hn_events_law *law, const bool *touches,
                              hn_role *role);
/* Projects the forces in law->guess of sticking contacts into their cones, and sets all others to 0. */
void hn_events_law_confine(const hn_system *system, hn_events_law *law, const hn_role *role);

/* ---- Solution of the posed law (acceleration_solution.c) ----------------------------------------------- */

/* Solves the posed law for its forces p. Contradictions of redundant contacts within tolerance are accepted,
 * and counted in the report unless the solution only JUDGES a motion. */
hn_reason hn_events_law_compute(hn_solver *solver, hn_events_law *law, bool judges);
/* Returns the acceleration, m/s^2 or rad/s^2, up to which the rows of block K from R on stay at rest:
 * rounding, but at least LEFT, the residual of the law. */
double hn_events_rest_threshold(const hn_system *s, const hn_events_law *law, int k, int r, double left);

/* ---- Independent rows (basis.c) ------------------------------------------------------------------------ */

typedef struct hn_basis_stick {
  int block;
  bool gap;      /* its gap is an equation */
  double margin; /* N: mu lambda_n less the friction */
} hn_basis_stick;

typedef struct hn_basis_block {
  int block, island; /* island: smallest index of its bodies */
  bool yields;       /* after the other blocks of its island */
} hn_basis_block;

typedef struct hn_events_basis {
  int *root;  /* [nbody] a body of the same island with a smaller index; its own index if there is none */
  int *place; /* [nbody] index of its first component in a vector of the island */
  hn_basis_block *block; /* [nblock] active blocks, ordered by island */
  int nblock;
  double *q;             /* [count][n] orthonormal basis of the rows of the island so far */
  int *support;          /* [count][n / 6] places of the bodies in which a basis vector is not zero, */
  int *length;           /* [count] and their number */
  double *c;             /* [count] components of a row in this basis */
  double *row;           /* [ngap][1 to ngap] triangular: components of gaps along the vectors of gaps */
  int *gap, *gap_at;     /* [ngap] blocks whose gaps are equations; their places in `block` */
  hn_basis_stick *stick; /* [nstick] sticking contacts, in descending order of margins */
  int n, count, joints, ngap, nstick; /* joints: number of vectors that belong to joints */
  size_t q_room, row_room;
  hn_arrays arrays; /* all but q, support and row, which grow */
} hn_events_basis;

int hn_events_basis_setup(const hn_system *system, hn_events_basis *basis, hn_error *error);
void hn_events_basis_free(hn_events_basis *basis);
/* Sets `gap` and `stick` of ROLE[nblock] so that the equations are independent of each other and of those of
 * the joints. The forces of gaps P[nrow] stay nonnegative and are transferred to the gaps that remain.
 * Returns -1 if out of memory. */
int hn_events_basis_choose(const hn_system *system, hn_events_basis *basis, hn_role *role, double *p,
                           const hn_state *state);

/* ---- The smooth motion (mode.c): a model with the equations and known forces of one choice of roles ---- */

typedef struct hn_mode hn_mode;
typedef struct hn_modes hn_modes;

/* Creates a cache of modes: models derived from that of SCENE, a system that must outlive it,
 * integrated by the solver with SPEC. NULL on error. */
hn_modes *hn_modes_create(const hn_system *scene, const char *spec, hn_error *error);
void hn_modes_free(hn_modes *modes);
void hn_modes_clear(hn_modes *modes); /* empties the cache */
/* Returns the mode of ROLE[nblock] from STATE on, from the cache or assembled anew. The cache owns it. NULL
 * on error. */
hn_mode *hn_modes_find(hn_modes *modes, const hn_role *role, const hn_state *state, hn_error *error);
/* Returns the number of MODE, from 1 on; a mode that is assembled later has a larger one. */
uint64_t hn_mode_number(const hn_mode *mode);
/* Integrates MODE for S seconds from FROM to TO. A stop of SCENE ends it; its work is added to SCENE's. */
hn_reason hn_mode_move(hn_mode *mode, const hn_state *from, double s, hn_state *to, hn_system *scene);
/* Computes the accelerations[nbody] of MODE at STATE. EXTERNAL[6 nbody], N and N m: wrenches in addition to
 * the forces of the scene; NULL: none. */
hn_reason hn_mode_accelerate(hn_mode *mode, const hn_state *state, const double *external,
                             hn_twist *acceleration);
/* Repeats hn_mode_accelerate at the same state with other EXTERNAL wrenches, without another
 * factorisation. */
hn_reason hn_mode_respond(hn_mode *mode, const double *external, hn_twist *acceleration);
/* Adds to FORCE[3], world axes, the force P[n] along the rows of BLOCK, a contact of SYSTEM, that acts on
 * body b, or on a if b is fixed. The second function adds to P[n] the components of FORCE along these
 * rows. */
void hn_contact_force(const hn_system *system, const hn_block *block, const double *p, double force[3]);
void hn_contact_add_force(const hn_system *system, const hn_block *block, const double force[3], double *p);
/* Adds to P[n] the multipliers of block K of the mode from the last hn_mode_accelerate, as forces along the
 * rows of BLOCK, the same block in the linearised SYSTEM. Friction of sliding contacts is not included. */
void hn_mode_add_forces(const hn_mode *mode, int k, const hn_system *system, const hn_block *block,
                        double *p);
/* Stores in FORCE[rows] the multipliers of joint J of SCENE at the state of the last hn_mode_accelerate; 0 if
 * the joint is not in the mode. */
void hn_mode_forces(const hn_mode *mode, const hn_model *scene, int j, double *force);
/* Projects the velocities of STATE onto the equations of MODE, which they violate by no more than the
 * threshold of rest. */
hn_reason hn_mode_project_velocities(hn_mode *mode, hn_state *state);
/* Returns the transverse friction of creeping block K, as a fraction of mu N, from the last
 * hn_mode_accelerate. */
double hn_mode_transverse_friction(const hn_mode *mode, int k);
/* Returns the solver that integrates the mode. */
hn_solver *hn_mode_solver(const hn_mode *mode);

/* ---- Slips of a mode (slip.c) -------------------------------------------------------------------------- */

/* Returns the smallest slip at STATE above 1e-8 m/s of sliding contacts whose direction of friction is that
 * of the slip. HUGE_VAL if there is none. */
double hn_mode_slowest_slip(const hn_mode *mode, const hn_state *state);
/* Appends the event functions of all rows with known forces to LIST. They are negative after a row has come
 * to rest: the slip along its direction, or the signed rate of a force at its bound, m/s or rad/s. For a
 * row with a rate of at most AT_REST at FROM, S earlier, the function is its change of rate divided by S.
 * */
void hn_mode_list_slips(const hn_mode *mode, const hn_state *from, const hn_state *state, double s,
                        double at_rest, hn_event_list *list);
/* Return for contact points that move over both bodies the largest rotation since the mode was taken, rad;
 * its rate, rad/s; and the largest rotation of slips above AT_REST, rad. 0 if there are no such contacts. */
double hn_mode_turn(const hn_mode *mode, const hn_state *state);
double hn_mode_turn_rate(const hn_mode *mode, const hn_state *state);
double hn_mode_slip_turn(const hn_mode *mode, const hn_state *state, double at_rest);
/* Computes the slip direction that the mode has for CONTACT at STATE, along the tangents of CONTACT. CONTACT
 * is the detected contact with the key of one in the mode. */
void hn_mode_slip_direction(const hn_mode *mode, const hn_contact *contact, const hn_state *state,
                            double along[2]);

/* ---- Creep (creep.c): slips that friction turns faster than a step can follow -------------------------- */

/* Let k be the inverse mass of a contact. Within a time of |u| / (mu lambda_n k), friction turns a slip u
 * into the direction in which it no longer accelerates transversely. If that time is short compared with the
 * time ahead, the contact creeps: it slips in that direction at once. An equation holds the slip across it,
 * and the force of that equation is a part of friction. */

/* m/s: upper bound of slips that may creep, and of slips whose directions rounding makes uncertain */
static const double hn_slow_slip = 0.1;

/* True if block K creeps under the forces of LAW when its slip changes at RATE, m/s^2, during the time
 * ahead. */
bool hn_creeps(const hn_events_law *law, int k, double rate);
/* Marks in ROLE[nblock] the contacts that creep, and sets their slip directions: those at the end of the time
 * ahead with friction opposite to them (implicit Euler). LAW is posed, with accelerations of SIZE; its forces
 * are overwritten. */
hn_reason hn_creep_find_direction(hn_solver *solver, hn_events_law *law, const bool *touches, double size,
                                  hn_role *role);
/* Marks contacts that decelerate under the forces of LAW, which is solved. A contact creeps if friction would
 * turn it far before it comes to rest. A contact that turns far in a small part of the time ahead stops. */
void hn_creep_judge(hn_system *s, hn_events_law *law, const bool *touches, hn_role *role);

/* ---- Joints that break in the motion between events (breakage.c) --------------------------------------- */

/* Joints that can break. The margin of a joint is 1 less its load divided by its breakage load. */
typedef struct hn_breakage {
  int count;
  int *joint; /* [count] joints that can break */
  bool *gone; /* [njoint] broken in this step, or beside such a joint */
  /* [count] the margin is negative at the end of the search: its root is located without the rounding
   * tolerance */
  bool *yields;
  double *margin, *force; /* [count] margins at the last evaluation, and the force or torque, N, N m */
  double *rate;           /* [count] 1/s */
  hn_state *ahead;
  hn_twist *acceleration; /* [nbody] */
  hn_arrays arrays;
} hn_breakage;

int hn_breakage_setup(const hn_model *model, hn_breakage *breakage, hn_error *error);
void hn_breakage_free(hn_breakage *breakage);
/* Appends the margins at STATE as event functions. MODE has led from FROM to STATE in H seconds. RATES: with
 * their rates, unless a margin is negative. */
hn_reason hn_breakage_list(hn_breakage *breakage, const hn_system *system, hn_mode *mode,
                           const hn_state *from, const hn_state *state, double h, bool rates,
                           hn_event_list *list);
/* Breaks the joints whose margins at STATE, in MODE, are negative, or zero if STATE is AT_ROOT. BROKE: a
 * joint has broken. */
hn_reason hn_breakage_apply(hn_solver *solver, hn_breakage *breakage, hn_mode *mode, const hn_state *state,
                            bool at_root, bool *broke);

/* ---- The longest motion before contacts are searched for again (travel.c) ------------------------------ */

typedef struct hn_travel {
  hn_arrays arrays;
  hn_filter filter;
  /* [ncollider] m: distance from the centre of a shape to its nearest surface; infinite for planes */
  double *depth;
  double *centre; /* [3 ncollider] m: world position of the centre of each shape */
  double *speed;  /* [3 ncollider] m/s: its velocity */
  double least;   /* m: smallest depth of all shapes */
} hn_travel;

int hn_travel_setup(hn_travel *travel, const hn_model *model, hn_error *error);
void hn_travel_free(hn_travel *travel);
/* Returns the duration, s, after which the motion from STATE must be searched for contacts again; at most H.
 * No pair of shapes that may meet within H approaches by more than half the sum of its depths. The result is
 * at least SHORTEST, or H if that is less. */
double hn_travel_limit(const hn_travel *travel, const hn_model *model, const hn_state *state, double h,
                       double shortest);

#endif
