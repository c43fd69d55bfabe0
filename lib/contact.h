/* contact.h - the problem of one instant, which impulses, and its solvers.
 *
 * All that constrains at one instant is a list of blocks of rows, each with a set C for its impulse p. With K = G W G',
 * b the velocities of the rows without impulses, less their targets, and v = K p + b those after them:
 *
 *   any      v = 0                                   joints
 *   push     0 <= v, 0 <= p, v p = 0                 limits, contacts without friction
 *   within   v = 0 inside, >= 0 at the lower bound, <= 0 at the upper one     bounded motors, dry friction in joints
 *   cone     C* contains w, w . p = 0, p in C, where w = v + mu |v_t| e_n     contacts with Coulomb friction;
 *            with mu_static > mu it may also stick: v_t = 0, |p_t| <= mu_static p_n
 *
 * The shift mu |v_t| e_n is what makes the last line Coulomb's law; without it, it is the convex relaxation, where what
 * slides lifts off with v_n = mu |v_t|. [De Saxce and Feng, Math. Comput. Modelling 28 (1998) 225; Anitescu, Math.
 * Program. 105 (2006) 113] */
#ifndef HOLONOM_CONTACT_H
#define HOLONOM_CONTACT_H

#include "system.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

/* ---- The problem ------------------------------------------------------------------------------------- */

typedef struct hn_problem_block {
  int a, b; /* bodies, 0 to nbody - 1 */
  int row,
    n; /* first of its rows, and how many, up to HN_MAX_ROWS; a cone: 3, or 2 in the plane, the normal first */
  hn_set set;
} hn_problem_block;

/* K as a matrix, for problems that come without bodies: compressed rows of all columns, ascending; symmetric. */
typedef struct hn_problem_matrix {
  int *start;    /* [nrow + 1] */
  int *column;   /* [start[nrow]] */
  double *value; /* [start[nrow]] */
} hn_problem_matrix;

/* Plain numbers, owned by whoever made them. */
typedef struct hn_problem {
  double h; /* s, of the bounds of HN_WITHIN */
  int nblock, nrow, nbody;
  hn_problem_block *block; /* [nblock] */
  double *b;               /* [nrow] m/s (rad/s) */
  double *G, *T;           /* [12 nrow] Jacobians and W G', laid out as in hn_system; NULL: K is given */
  double *W,
    *inv_mass; /* [9 nbody], [nbody] inverse inertia in world axes and one over the mass, with which T is made
                         * of G; NULL: they are not told. Where they are, cones of 3 rows are of bodies that touch: with
                         * orthonormal axes e, G_a = -(e, arm_a x e), G_b = (e, arm_b x e) */
  hn_problem_matrix *K; /* NULL: it is G T, by bodies */
} hn_problem;

/* -1 with a line on what is wrong: rows that overlap or are left out, bodies and columns that do not exist, a K that is
 * not symmetric, not in order or of no masses, bounds or a friction that are none. For problems from elsewhere. */
int hn_problem_check(const hn_problem *problem, hn_error *error);

/* Velocities of the rows v[nrow] = K p + b. WORK[6 nbody] is scratch, and may be NULL when K is given. */
void hn_problem_velocities(const hn_problem *problem, const double *p, double *work, double *v);

/* How far P with its velocities V is from the law of block K: |p - P_C(p - w / k)| k, m/s, where k is the mean of the
 * diagonal of K's block; zero exactly when the law holds. RELAXED: of the law without the shift. */
double hn_problem_block_error(const hn_problem *problem, int k, bool relaxed, const double *p,
                              const double *v);
/* The largest of all blocks, and in WORST, which may be NULL, which (-1 without blocks). */
double hn_problem_error(const hn_problem *problem, bool relaxed, const double *p, const double *v,
                        int *worst);
/* The diagonal block of K, n x n, symmetric. */
void hn_problem_diagonal(const hn_problem *problem, int k, double *D);
/* The mean of its diagonal, 1 / (kg, kg m^2): k above; 1 where nothing can move. */
double hn_problem_scale(const hn_problem *problem, int k);

/* Room for the problems of SYSTEM; NULL on error. And the problem of all its blocks, where the Jacobian is, at the
 * velocities of STATE: G, T and W are the system's own. */
hn_problem *hn_problem_create(const hn_system *system, hn_error *error);
void hn_problem_pose(hn_problem *problem, hn_system *system, const hn_state *state, double h);
/* A problem from a file in FCLIB's layout (HDF5; its local problems), with K given, contacts first; and in *P, which
 * may be NULL, the solution in it, to be freed, or NULL. NULL on error. */
hn_problem *hn_problem_read(const char *path, double **p, hn_error *error);
/* PROBLEM into such a file, with the solution P, which may be NULL: contacts with friction and joints alone. -1 on
 * error, and then the file that was there before still is. */
int hn_problem_write(const char *path, const hn_problem *problem, const double *p, hn_error *error);
/* Frees what hn_problem_create or hn_problem_read has made. */
void hn_problem_free(hn_problem *problem);

/* ---- Its solvers ------------------------------------------------------------------------------------- */

typedef struct hn_contact_solver hn_contact_solver;

enum { /* what a solver can do, beside HN_CAN_PUSH, HN_CAN_WITHIN and HN_CAN_CONE */
       HN_SOLVES_RELAXED = 1 << 16, /* cones without the shift: another problem, judged as such by itself */
       HN_SOLVES_MATRIX = 1 << 17,  /* problems whose K is given */
       HN_SOLVES_STICKING = 1 << 18 /* cones with mu_static */
};

/* A contact solver: one constant table. The framework allocates data_size bytes, fills them from the
 * parameters and calls setup once. */
typedef struct hn_contact_type {
  int abi; /* HN_ABI */
  const char *name;
  const char *summary; /* one line */
  const char *citation;
  unsigned capabilities;
  size_t data_size;
  const hn_param *params; /* of its own, beside the common ones; ends with a key of NULL */
  /* Room for problems up to the sizes in solver->most; may be NULL. */
  int (*setup)(hn_contact_solver *solver, hn_error *error);
  /* From p[nrow], which is the start, to the solution: HN_CONVERGED within solver->options.tolerance, HN_BUDGET when
   * the iterations are used up, and p is the best there is; or HN_STALLED, HN_SINGULAR, HN_NOT_FINITE. Tells the
   * framework of every iteration by hn_contact_note. */
  hn_reason (*solve)(hn_contact_solver *solver, const hn_problem *problem, double *p);
  void (*free)(hn_contact_solver *solver); /* may be NULL */
  const char *const *variants; /* settings that studies show, ended by NULL; NULL: the defaults alone */
  void *user;
} hn_contact_type;

/* Parameters that all have; in a solver's data, filled from its parameters by HN_CONTACT_PARAMS. */
typedef struct hn_contact_options {
  const char *solver; /* "name", "name:key=value:key=value", "name:key=value:then=name:key=value" */
  double tolerance;   /* m/s, of hn_problem_error */
  int iterations;     /* or sweeps, at most */
} hn_contact_options;
#define HN_CONTACT_PARAMS(data, field, default_solver, default_tolerance, default_iterations)            \
  { "contact",                                                                                           \
    HN_TEXT,                                                                                             \
    offsetof(data, field) + offsetof(hn_contact_options, solver),                                        \
    default_solver,                                                                                      \
    0,                                                                                                   \
    0,                                                                                                   \
    "",                                                                                                  \
    NULL,                                                                                                \
    "contact solver (holonom list contact), its settings after colons: pgs:local=box; then=newton: who " \
    "goes "                                                                                              \
    "on" },                                                                                              \
    { "contact_tolerance",                                                                               \
      HN_REAL,                                                                                           \
      offsetof(data, field) + offsetof(hn_contact_options, tolerance),                                   \
      default_tolerance,                                                                                 \
      0,                                                                                                 \
      1,                                                                                                 \
      "m/s",                                                                                             \
      NULL,                                                                                              \
      "residual of the law of contact, at most" },                                                       \
  {                                                                                                      \
    "sweeps", HN_INTEGER, offsetof(data, field) + offsetof(hn_contact_options, iterations),              \
      default_iterations, 1, 1e7, "", NULL, "sweeps or iterations of the contact solver, at most"        \
  }

typedef struct hn_problem_size {
  int blocks, rows, bodies;
} hn_problem_size;

struct hn_contact_solver {
  const hn_contact_type *type;
  void *data;
  hn_contact_options options; /* in force: the solver's, or those of its spec; its solver is `spec` */
  hn_problem_size most;       /* the largest problem to come */
  int iterations;             /* of the last solution */
  double error;               /* m/s: what it says that it has left, for histories and not for judging */
  int factorisations;         /* of it */
  int solves;                 /* of it, with a factor */
  int sweeps;                 /* of it, that are no iterations */
  uint64_t eliminated;        /* of it: blocks, in factorisations and pivots */
  int fallbacks;              /* of it: times that another solver had to help or to go on */
  double *history;            /* [kept] errors after each iteration, where somebody asked for them; NULL */
  int kept, room;
  const char *message;     /* of it: why it failed, in words; NULL: the reason says all */
  hn_work *work;           /* where it counts; NULL: nowhere */
  char *spec;              /* with all parameters */
  hn_contact_solver *next; /* goes on where this one does not converge; NULL */
  double *before;          /* [most.rows] what it starts from */
  struct hn_text *texts;
};

/* One more iteration, which left ERROR. */
void hn_contact_note(hn_contact_solver *solver, double error);

/* The solvers of the process: built-in ones in the order of lib/contact/contact.def, then those of plugins; ended by
 * NULL. COUNT may be NULL. */
const hn_contact_type *const *hn_contact_types(size_t *count);
/* A solver of the process by OPTIONS, for problems up to MOST. NULL on error. */
hn_contact_solver *hn_contact_solver_create(const hn_contact_options *options, const hn_problem_size *most,
                                            hn_error *error);
/* The same for the problems of SYSTEM, in whose work it counts: an iteration and a sweep find an impulse for every
 * block, and put it on a set; factorisations, what they eliminate, and solutions with them. Also one that its model has
 * (hn_model.contact_solver). */
hn_contact_solver *hn_contact_solver_for(hn_system *system, const hn_contact_options *options,
                                         hn_error *error);
void hn_contact_solver_free(hn_contact_solver *solver);
/* What it solves from now on it solves to TOLERANCE, m/s, and so do those that go on
 * where it does not converge. */
void hn_contact_solver_aim(hn_contact_solver *solver, double tolerance);
/* Keeps the errors of up to ROOM iterations of each solution from now on. -1 without memory. */
int hn_contact_solver_remember(hn_contact_solver *solver, int room, hn_error *error);
/* Solves PROBLEM from p, which is all zeros for a cold start. HN_UNSUPPORTED where the type cannot do it. */
hn_reason hn_contact_solve(hn_contact_solver *solver, const hn_problem *problem, double *p);

/* A plugin (solver.h) that has contact solvers defines this symbol: they, ended by NULL. */
extern const hn_contact_type *const hn_plugin_contact_solvers[];

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
