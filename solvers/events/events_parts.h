/* events_parts.h - the parts of the solver `events`: which laws act, the smooth motion under them, and what
 * ends it. Internal.
 *
 * Between events every block has a role: what is held is an equation, what slides a force, all else is not
 * there. */
#ifndef HN_EVENTS_PARTS_H
#define HN_EVENTS_PARTS_H

#include "contact.h"
#include "event/event_function.h"
#include "solver.h"

/* Of a row with a set. Joints without one are equations, unless they are gone. */
typedef enum hn_role {
  HN_ROLE_OPEN = 0, /* nothing */
  HN_ROLE_HELD,     /* an equation: limits, contacts that stick or have no friction, bounded forces within
                     * bounds */
  HN_ROLE_SLIDES,   /* a contact whose gap is held, with friction against its slip */
  HN_ROLE_LOWER,
  HN_ROLE_UPPER, /* a bounded force at its bound */
  HN_ROLE_GONE   /* a joint that has broken, and what stands beside it: nothing, until the end of the
                     * step */
} hn_role;

/* What holds a slip across its way is no more of its friction; and as an angle, rad, no slip turns by more at
 * once. */
#define HN_MOST_ACROSS 0.25

/* The role of a block, and what it is made of. */
typedef struct hn_block_role {
  hn_role role;
  bool gap;        /* is its gap an equation, */
  unsigned stick;  /* and its slip, along tangents 1, 2 of a sum? Not where others say the same. Where it
                      * creeps, 2 is across its way */
  double along[2]; /* SLIDES: its direction, unit length */
  bool creeps;     /* SLIDES, so slowly that friction leads its direction at once: what is across is held */
  double across;   /* creeps: what holds it, of the friction */
  bool stops;      /* SLIDES, so slowly that it will be at rest at once, but turns by much before */
  bool enters;     /* its gap is to be an equation, in place of another one, where gaps repeat each other */
  bool moves;      /* where it touches moves over both bodies (system/moving_contact.h) */
} hn_block_role;

/* What ROLE[nblock] says of blocks, from TIME on, to the framework (roles.c). */
void hn_roles_tell(hn_solver *solver, const hn_block_role *role, double time);

/* ---- The law of accelerations (acceleration_law.c): which roles follow from a state
 * --------------------------------- */

typedef struct hn_events_law {
  hn_contact_solver *solver;
  double tolerance; /* of its accelerations */
  double ahead;     /* s: how far the motion will go at the most */
  bool leads;       /* slips that friction turns at once, as the solver cannot follow them */
  hn_problem *problem;
  hn_twist *acceleration; /* [nbody] that the law leads to */
  double *p;              /* [most_rows] forces, N */
  uint64_t *key;          /* [count] the blocks that they are of */
  int count;
  double *rate, *v, *push; /* [most_rows] rates of rows; their accelerations; and the part of them due to p */
  double size;             /* m/s^2, rad/s^2: of the accelerations at hand, at least 1 */
  double *guess;           /* [most_rows] forces that may satisfy the law: set by the caller */
  double *scratch;         /* [6 nbody] */
  hn_state *motion;        /* accelerations as velocities */
} hn_events_law;

/* What counts as touching, and as not moving. */
typedef struct hn_events_limits {
  double gap;  /* m, rad */
  double rate; /* m/s, rad/s */
} hn_events_limits;

int hn_events_law_setup(hn_solver *solver, hn_events_law *law, const hn_contact_options *options,
                        hn_error *error);
void hn_events_law_free(hn_events_law *law);
/* Poses the law at STATE, where the system is linearised. With MOTION[nbody], accelerations of the motion by
 * ROLE[nblock], the roles stay; without it they follow from the rates. TOUCHES[nblock]: the contacts and
 * limits that take part. */
void hn_events_law_pose(hn_solver *solver, hn_events_law *law, const hn_events_limits *limits,
                        const bool *touches, const hn_twist *motion, hn_block_role *role,
                        const hn_state *state);
/* Solves the law as it is posed: forces p and accelerations. GIVEN: for the ROLE[nblock] that it is posed
 * with; else ROLE becomes the roles from here on. */
hn_reason hn_events_law_solve(hn_solver *solver, hn_events_law *law, const bool *touches, bool given,
                              hn_block_role *role, const hn_state *state);
/* True if law->guess, whose friction of sliding contacts and bounded forces this completes, satisfies the
 * law as it is posed. It becomes p, with its accelerations. */
bool hn_events_law_accepts(hn_system *system, hn_events_law *law, const hn_block_role *role);
/* Sets ROLE[nblock], with which the law was posed, to the roles from here on by its forces and
 * accelerations. */
void hn_events_law_read_roles(const hn_system *system, const hn_events_law *law, const bool *touches,
                              hn_block_role *role);
/* Moves the forces in law->guess of contacts that stick into their cones, and sets those of all others to 0.
 * */
void hn_events_law_confine(const hn_system *system, hn_events_law *law, const hn_block_role *role);

/* ---- As it is posed (acceleration_solution.c)
 * --------------------------------------------------------------------------- */

/* Its forces. What it says of an instant it counts, where it is no better known; of a motion that it JUDGES
 * it does not. */
hn_reason hn_events_law_meet(hn_solver *solver, hn_events_law *law, bool judges);
/* m/s^2, rad/s^2: rows of block K from R on that accelerate by no more, and by no more than the law has LEFT,
 * do not begin to move. */
double hn_events_law_still(const hn_system *s, const hn_events_law *law, int k, int r, double left);

/* ---- Which rows say something (basis.c) ---------------------------------------------------------------- */

typedef struct hn_basis_stick {
  int block;
  bool gap;      /* is its gap an equation? */
  double margin; /* N: friction to spare */
} hn_basis_stick;

typedef struct hn_basis_block {
  int block, island; /* island: the first of its bodies */
} hn_basis_block;

typedef struct hn_events_basis {
  int *root;             /* [nbody] a body of the same island, itself where there is no smaller one */
  int *place;            /* [nbody] first of its numbers in a vector of the island */
  hn_basis_block *block; /* [nblock] that act, by islands */
  int nblock;
  double *q;             /* [count][n] orthonormal, of the rows of the island so far */
  double *c;             /* [count] components of a row along them */
  double *row;           /* [ngap][1 to ngap] of gaps: components along the vectors of gaps */
  int *gap, *gap_at;     /* [ngap] gaps that are equations, and where they are in `block` */
  hn_basis_stick *stick; /* [nstick] contacts that stick, those with the most friction to spare first */
  int n, count, joints, ngap, nstick; /* joints: vectors that are of no gap */
  size_t q_room, row_room;
} hn_events_basis;

int hn_events_basis_setup(hn_solver *solver, hn_events_basis *basis, hn_error *error);
void hn_events_basis_free(hn_events_basis *basis);
/* Sets `gap` and `stick` of ROLE[nblock] so that the rows are independent of each other, and of those of the
 * joints, and the forces of gaps, P[nrow], stay positive: they become those of the gaps that are left. -1
 * without memory. */
int hn_events_basis_choose(hn_solver *solver, hn_events_basis *basis, hn_block_role *role, double *p,
                           const hn_state *state);

/* ---- The smooth motion (mode.c): a model of the equations and forces of one choice of roles ------------ */

typedef struct hn_mode hn_mode;
typedef struct hn_modes hn_modes;

/* For models put together from that of SOLVER, moved by a solver by SPEC. NULL on error. */
hn_modes *hn_modes_create(hn_solver *solver, const char *spec, hn_error *error);
void hn_modes_free(hn_modes *modes);
void hn_modes_forget(hn_modes *modes); /* those that were put together: they will be put together again */
/* The one of ROLE[nblock], from STATE on; NULL on error. */
hn_mode *hn_modes_take(hn_modes *modes, const hn_block_role *role, const hn_state *state, hn_error *error);
/* TO: the motion of MODE for S from FROM; its work is added to WORK. */
hn_reason hn_mode_move(hn_mode *mode, const hn_state *from, double s, hn_state *to, hn_work *work);
/* Computes its acceleration[nbody] at STATE. EXTERNAL[6 nbody], N and N m, acts beside the forces of the
 * scene; NULL: none. */
hn_reason hn_mode_accelerate(hn_mode *mode, const hn_state *state, const double *external,
                             hn_twist *acceleration);
/* Repeats it at the same state with other EXTERNAL forces, without another factorisation. */
hn_reason hn_mode_respond(hn_mode *mode, const double *external, hn_twist *acceleration);
/* Adds to FORCE[3], world axes, the force of P[n], along the rows of BLOCK, a contact of SYSTEM, on the
 * first of its bodies that moves; and to P[n] the components of FORCE along them. */
void hn_contact_force(const hn_system *system, const hn_block *block, const double *p, double force[3]);
void hn_contact_add_force(const hn_system *system, const hn_block *block, const double force[3], double *p);
/* Adds to P[n] the multipliers of block K of the mode, by the last hn_mode_accelerate, as forces along the
 * rows of BLOCK of SYSTEM, which is the same block where the system is linearised. Friction of a sliding
 * contact is left out. */
void hn_mode_add_forces(const hn_mode *mode, int k, const hn_system *system, const hn_block *block,
                        double *p);
/* Into FORCE[rows] the multipliers of joint number J of SCENE at the state of the last hn_mode_accelerate; 0
 * where it is not in the mode. */
void hn_mode_forces(const hn_mode *mode, const hn_model *scene, int j, double *force);
/* Takes from the velocities of STATE what the equations of MODE have of it: it is within what counts as
 * rest. */
hn_reason hn_mode_rest(hn_mode *mode, hn_state *state);
/* Of what creeps as block K: the part of its friction that holds what is across its way, by the last
 * accelerations. */
double hn_mode_across(const hn_mode *mode, int k);
/* The solver that moves it. */
hn_solver *hn_mode_solver(const hn_mode *mode);

/* ---- What slides in it (slip.c) ------------------------------------------------------------------------ */

/* What slides and comes to rest where this becomes negative: the least of the slips along their directions
 * and of the rates of forces at their bounds, each its sign, m/s, rad/s. Those that are no more than AT_REST
 * at FROM, S ago, are taken over S. Infinite where nothing slides. */
double hn_mode_slip(const hn_mode *mode, const hn_state *from, const hn_state *state, double s,
                    double at_rest);
/* Appends them as event functions. */
void hn_mode_list_slips(const hn_mode *mode, const hn_state *from, const hn_state *state, double s,
                        double at_rest, hn_event_list *list);
/* By how much the places that move over both bodies have turned since the mode was taken, rad; how fast they
 * do, rad/s; and by how much the slips there have that are more than AT_REST. 0: there are none. */
double hn_mode_turn(const hn_mode *mode, const hn_state *state);
double hn_mode_turn_rate(const hn_mode *mode, const hn_state *state);
double hn_mode_slip_turn(const hn_mode *mode, const hn_state *state, double at_rest);
/* The direction in which what slides in the mode does so, along the tangents of CONTACT: the same contact, at
 * STATE. */
void hn_mode_along(const hn_mode *mode, const hn_contact *contact, const hn_state *state, double along[2]);

#endif
