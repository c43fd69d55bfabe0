/* contact.h - the contact problem of one instant, and contact solvers.
 *
 * All constraints at one instant form a list of blocks of rows, each with a set C for its impulse p. With K =
 * G W G', b the velocities of the rows without impulses minus their targets, and v = K p + b the velocities
 * after the impulses:
 *
 *   any      v = 0                                              joints
 *   push     0 <= v, 0 <= p, v p = 0                            limits, contacts without friction
 *   within   v = 0 inside, >= 0 at lower bound, <= 0 at upper   motors with a force limit, dry joint friction
 *   cone     C* contains w, w . p = 0, p in C                   contacts with Coulomb friction
 *
 * where w = v + mu |v_t| e_n. A cone with mu_static > mu may also stick: v_t = 0, |p_t| <= mu_static p_n.
 * With rolling and torsional friction a cone has rows of moments, |m| <= mu_rolling p_n and |s| <= mu_torsion
 * p_n, and w = v + (mu |v_t| + mu_rolling |v_m| + mu_torsion |v_s|) e_n. [Acary and Bourrier 2021]
 *
 * The shift mu |v_t| e_n makes the last line Coulomb's law. Without it the line is the convex relaxation, in
 * which sliding bodies lift off with v_n = mu |v_t|. [De Saxce and Feng, Math. Comput. Modelling 28 (1998)
 * 225; Anitescu, Math. Program. 105 (2006) 113] */
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
  /* first row, and number of rows up to HN_MAX_ROWS; a cone has 3, or 2 in the plane, the normal first, and
   * 4 to 6 with moments (hn_set_discs) */
  int row, n;
  hn_set set;
} hn_problem_block;

/* K as a matrix, for problems without bodies: compressed rows, columns ascending, with both triangles. The
 * pattern is symmetric. The values may differ across the diagonal, as in files of other programs. */
typedef struct hn_problem_matrix {
  int *start;    /* [nrow + 1] */
  int *column;   /* [start[nrow]] */
  double *value; /* [start[nrow]] */
} hn_problem_matrix;

/* The data of a contact problem. The arrays belong to the creator. */
typedef struct hn_problem {
  double h; /* s, step length: bounds of HN_WITHIN are forces */
  int nblock, nrow, nbody;
  hn_problem_block *block; /* [nblock] */
  double *b;               /* [nrow] m/s (rad/s) */
  double *G, *T; /* [12 nrow] Jacobians and W G', layout as in hn_system; NULL: K is given; T also for
                  * solvers with HN_COMPUTES_RESPONSES */
  /* [9 nbody] inverse inertias in world axes and [nbody] inverse masses, from which T was made; NULL:
   * unknown. If known, cones of 3 rows without anisotropy belong to touching bodies: with orthonormal axes e,
   * G_a = -(e, arm_a x e), G_b = (e, arm_b x e). */
  double *W, *inv_mass;
  hn_problem_matrix *K; /* NULL: K = G T, by bodies */
} hn_problem;

/* Checks a problem from outside. Returns -1 with a message if rows overlap or are missing, bodies or columns
 * do not exist, K is not sorted or not a matrix of masses, its asymmetry exceeds 0.01, or bounds or a
 * friction are invalid. */
int hn_problem_check(const hn_problem *problem, hn_error *error);
/* Returns the asymmetry of K, the largest |K_ij - K_ji| divided by the largest |K_ij|; 0 by bodies. */
double hn_problem_asymmetry(const hn_problem *problem);
/* True if the asymmetry is at most 1e-12: rounding. */
bool hn_problem_is_symmetric(const hn_problem *problem);
/* Returns (K + K') / 2 of a problem with K given, to be freed with hn_problem_matrix_free; NULL without
 * memory. */
hn_problem_matrix *hn_problem_symmetric_part(const hn_problem *problem);
void hn_problem_matrix_free(hn_problem_matrix *K);

/* Computes v[nrow] = K p + b. WORK[6 nbody] is scratch; it may be NULL if K is given. */
void hn_problem_velocities(const hn_problem *problem, const double *p, double *work, double *v);

/* Returns the error of block K in m/s: |p - P_C(p - w / k)| k, where k is the mean diagonal of the block of
 * K. It is zero if and only if the law holds. Rows of moments count in rad/s. RELAXED: the law without the
 * shift. V are the velocities of P. */
double hn_problem_block_error(const hn_problem *problem, int k, bool relaxed, const double *p,
                              const double *v);
/* Returns the largest error of all blocks, and in WORST (may be NULL) that block, -1 without blocks. */
double hn_problem_error(const hn_problem *problem, bool relaxed, const double *p, const double *v,
                        int *worst);
/* Computes the symmetric part of the diagonal block k of K, n x n. */
void hn_problem_diagonal(const hn_problem *problem, int k, double *D);
/* Returns the mean diagonal of that block, 1/kg or 1/(kg m^2); 1 if it is zero. */
double hn_problem_scale(const hn_problem *problem, int k);

/* hn_problem_create allocates room for the problems of SYSTEM; it returns NULL on error. hn_problem_assemble
 * sets up the problem of all blocks at the velocities of STATE; the Jacobian must be current. G, T and W
 * remain the system's. */
hn_problem *hn_problem_create(const hn_system *system, hn_error *error);
void hn_problem_assemble(hn_problem *problem, hn_system *system, const hn_state *state, double h);
/* Reads a problem, also a global one or one with rolling friction, from an HDF5 file in FCLIB's layout: K
 * given, contacts first. If P is not NULL, *P becomes the solution in the file, to be freed by the caller, or
 * NULL. The file is read in a child process, which the call waits for. Returns NULL on error. */
hn_problem *hn_problem_read(const char *path, double **p, hn_error *error);
/* Writes PROBLEM to such a file, with the solution P unless NULL. Only joints and contacts with friction can
 * be written. Returns -1 on error and leaves an existing file unchanged. */
int hn_problem_write(const char *path, const hn_problem *problem, const double *p, hn_error *error);
/* Frees a problem from hn_problem_create or hn_problem_read. */
void hn_problem_free(hn_problem *problem);

/* ---- Its solvers ------------------------------------------------------------------------------------- */

typedef struct hn_contact_solver hn_contact_solver;

/* A law of contact in the place of Coulomb's; zeros: Coulomb's. In space friction may be bounded by a regular
 * polygon instead of a disk: CORNERS at the distance REACH times mu p_n, the first one at ANGLE, rad, from
 * the first tangent. */
typedef struct hn_contact_law {
  bool relaxed; /* without the shift */
  bool either;  /* Coulomb's law is met instead, if its residual is smaller: of a chain of solvers */
  int corners;  /* 0: a disk */
  double reach, angle;
  /* Regularisation: v + R p is in the place of v, R = k times these numbers, k the mean diagonal of K on the
   * block. For normals; tangents; joints and rows with two bounds. */
  double normal, tangent, joint;
} hn_contact_law;

/* Capabilities of a contact solver, besides HN_CAN_PUSH, HN_CAN_WITHIN and HN_CAN_CONE. */
enum {
  HN_SOLVES_RELAXED = 1 << 16,         /* cones without the shift; judged by the relaxed law */
  HN_SOLVES_MATRIX = 1 << 17,          /* problems with K given */
  HN_SOLVES_STICKING = 1 << 18,        /* cones with mu_static */
  HN_SOLVES_UNSYMMETRIC = 1 << 19,     /* a given K that is not symmetric; others get its symmetric part */
  HN_ENDS_AT_CONTRADICTIONS = 1 << 20, /* stalls where constraints contradict each other by the error */
  HN_SOLVES_REGULARISED = 1 << 21,     /* with HN_SOLVES_RELAXED: regularised as well; judged by that law */
  HN_SOLVES_ROLLING = 1 << 22,         /* cones with rows of moments: rolling and torsional friction */
  HN_COMPUTES_RESPONSES = 1 << 23      /* problems by bodies without T, which is W G' */
};

/* A contact solver: one constant table. The framework allocates data_size zeroed bytes, sets the parameters
 * and calls setup once. */
typedef struct hn_contact_type {
  int abi; /* HN_ABI */
  const char *name;
  const char *summary; /* one line */
  const char *citation;
  unsigned capabilities;
  size_t data_size;
  const hn_param *params; /* its own, besides the common ones; ended by key = NULL */
  /* Allocates memory for problems up to solver->most. Returns -1 on error. May be NULL. */
  int (*setup)(hn_contact_solver *solver, hn_error *error);
  /* Solves PROBLEM, starting from p[nrow]. Returns HN_CONVERGED if the error is within
   * solver->options.tolerance, HN_BUDGET if the iterations are used up (p is the best iterate), else
   * HN_STALLED, HN_SINGULAR or HN_NOT_FINITE. Calls hn_contact_note for every iteration. */
  hn_reason (*solve)(hn_contact_solver *solver, const hn_problem *problem, double *p);
  void (*free)(hn_contact_solver *solver); /* may be NULL */
  const char *const *variants; /* settings shown in studies, ended by NULL; NULL: only the defaults */
  void *user;
  /* Writes the law that is solved with the present settings into TEXT if it is another one than Coulomb's, in
   * PLANAR systems or in space, such as "friction in a box". NULL: Coulomb's, or the relaxed one by its
   * capabilities. */
  void (*law)(const hn_contact_solver *solver, bool planar, char *text, size_t size);
  /* Sets the polygon or the regularisation of that law. NULL: the law has a disk, and none. */
  void (*polygon)(const hn_contact_solver *solver, hn_contact_law *law);
} hn_contact_type;

/* Common parameters; in a solver's data, set from its parameters by HN_CONTACT_PARAMS. */
typedef struct hn_contact_options {
  const char *solver; /* "name", "name:key=value:key=value", "name:key=value:then=name:key=value" */
  double tolerance;   /* m/s, on hn_problem_error */
  int iterations;     /* largest number of iterations or sweeps */
} hn_contact_options;
/* clang-format off */
#define HN_CONTACT_PARAMS(data, field, default_solver, default_tolerance, default_iterations) \
  { "contact", HN_TEXT, offsetof(data, field) + offsetof(hn_contact_options, solver), \
    default_solver, 0, 0, "", NULL, \
    "contact solver (holonom list contact), settings after colons: pgs:local=box; then= is the fallback; " \
    "auto: a chain, by size" }, \
  { "contact_tolerance", HN_REAL, offsetof(data, field) + offsetof(hn_contact_options, tolerance), \
    default_tolerance, 0, 1, "m/s", NULL, "largest residual of the contact law" }, \
  { "sweeps", HN_INTEGER, offsetof(data, field) + offsetof(hn_contact_options, iterations), \
    default_iterations, 1, 1e7, "", NULL, "largest number of sweeps or iterations of the contact solver" }
/* clang-format on */

typedef struct hn_problem_size {
  int blocks, rows, bodies;
} hn_problem_size;

struct hn_contact_solver {
  const hn_contact_type *type;
  void *data;
  hn_contact_options options; /* in force, after the settings in spec; its text is `spec` */
  hn_problem_size most;       /* sizes of the largest problem */
  /* Counts and results of the last solution, up to `message`. */
  int iterations;
  double error; /* m/s, as estimated by the solver: for histories, not for judging */
  int factorisations;
  int solves;          /* with a factor */
  int sweeps;          /* that are not iterations */
  uint64_t eliminated; /* blocks, in factorisations and pivots */
  int fallbacks;       /* number of times that another solver or a fallback step was used */
  double *history;     /* [kept] error after each iteration, if requested; else NULL */
  int kept, room;
  const char *message;                  /* reason of a failure in words; NULL: the hn_reason suffices */
  hn_work *work;                        /* counters of the caller, or NULL */
  hn_stop *stop;                        /* of the caller, or NULL */
  char *spec;                           /* settings with all parameters */
  hn_contact_solver *next;              /* fallback solver (then=), or NULL */
  double *before, *start;               /* [most.rows] impulses before the fallback, and at the start */
  struct hn_condensation *condensation; /* of problems with few contacts (condense=), or NULL */
  double accepted;                      /* m/s: error of a contradiction that needs no fallback; see below */
  int min_rows, max_rows;               /* other problems go to the fallback (from=, rows=); 0: none */
  bool matrix, cold;                    /* takes problems with K given alone; begins without impulses */
  struct hn_problem_islands *islands;   /* of problems by bodies, each solved alone (islands=), or NULL */
  struct hn_text *texts;
  double in_force;  /* m/s: tolerance of the last solution, by hn_contact_tolerance */
  bool symmetrised; /* the last solution is that of the symmetric part of K, which is not symmetric */
  /* The last solution, if its solver ended without reaching the tolerance: residual of the law that it solves
   * and rounding level, m/s, and the block of the residual, -1 if unknown; else 0, 0 and -1. */
  double residual, rounding;
  int worst;
  bool at_rounding;         /* the residual is above the tolerance, and at the level of rounding */
  int *roundings;           /* counts such solutions for the caller, or NULL */
  double *end_v, *end_work; /* [most.rows], [6 most.bodies] scratch */
  void **shared; /* of the system: working memory of its solvers of a type that shares it, or NULL */
};

/* Records one iteration that left ERROR (m/s). */
void hn_contact_note(hn_contact_solver *solver, double error);

/* Returns the contact solvers of the process, ended by NULL: built-in ones in the order of
 * lib/contact/contact.def, then those of plugins. COUNT may be NULL. */
const hn_contact_type *const *hn_contact_types(size_t *count);
/* Creates a solver of the process by OPTIONS for problems up to MOST. Returns NULL on error. */
hn_contact_solver *hn_contact_solver_create(const hn_contact_options *options, const hn_problem_size *most,
                                            hn_error *error);
/* Creates a solver for the problems of SYSTEM, also one that its model defines (hn_model.contact_solver). It
 * counts in the system's work: for each iteration or sweep one impulse and one projection a block;
 * factorisations and their eliminated blocks; solutions with a factor. */
hn_contact_solver *hn_contact_solver_for(hn_system *system, const hn_contact_options *options,
                                         hn_error *error);
void hn_contact_solver_free(hn_contact_solver *solver);
/* Writes the law that SOLVER, or one of its fallbacks, solves into TEXT: "Coulomb", or another one, which it
 * meets where it converges, and which a residual of Coulomb's law does not measure. Returns true if it is
 * Coulomb's. */
bool hn_contact_solver_law(const hn_contact_solver *solver, bool planar, char *text, size_t size);
/* Returns that law. */
hn_contact_law hn_contact_solver_law_of(const hn_contact_solver *solver, bool planar);
/* Equivalents of hn_problem_block_error and hn_problem_error for LAW. */
double hn_contact_law_block_error(const hn_contact_law *law, const hn_problem *problem, int k,
                                  const double *p, const double *v);
double hn_contact_law_error(const hn_contact_law *law, const hn_problem *problem, const double *p,
                            const double *v, int *worst);
/* Sets the tolerance (m/s) of this solver and of its fallbacks. */
void hn_contact_solver_set_tolerance(hn_contact_solver *solver, double tolerance);
/* A solver with HN_ENDS_AT_CONTRADICTIONS that stalls with an error of at most ACCEPTED, m/s, is not followed
 * by the last fallback, nor by the same method again, and it stalls after fewer attempts to reduce the error:
 * the data of the problem are known no better. Initially 0. */
void hn_contact_solver_accept(hn_contact_solver *solver, double accepted);
/* Keeps the errors of the first ROOM iterations of each later solution. Returns -1 if memory runs out. */
int hn_contact_solver_keep_history(hn_contact_solver *solver, int room, hn_error *error);
/* Returns the tolerance in force for a problem with velocities V[count] before its impulses: TOLERANCE, or
 * the rounding error of velocities if that is larger, 64 units of rounding of the largest. 0 stays 0. */
double hn_contact_tolerance(double tolerance, const double *v, int count);
/* Returns the rounding level of PROBLEM at P, m/s: one unit of rounding of the largest velocity of a row,
 * with the velocities that impulses cause, without cancellation. WORK as in hn_problem_velocities. */
double hn_problem_rounding(const hn_problem *problem, const double *p, double *work);
/* Solves PROBLEM from p (zeros: cold start) to the tolerance in force, or to 100 rounding levels where the
 * solver does not get below them (at_rounding). Returns HN_UNSUPPORTED if the solver lacks a capability. A
 * solver without HN_SOLVES_UNSYMMETRIC solves the problem with the symmetric part of K, and `symmetrised` is
 * set. */
hn_reason hn_contact_solve(hn_contact_solver *solver, const hn_problem *problem, double *p);

/* A plugin (solver.h) with contact solvers defines this symbol: its solvers, ended by NULL. */
extern const hn_contact_type *const hn_plugin_contact_solvers[];

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
