/* system.h - interface between solvers and physics: constraint blocks, free flights, forces and the matrix
 * K */
#ifndef HOLONOM_SYSTEM_H
#define HOLONOM_SYSTEM_H

#include "state.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

/* ---- Constraint blocks -------------------------------------------------------------------------------- */

typedef struct hn_block {
  int a, b;              /* bodies; an impulse p acts as +G_a' p on a and +G_b' p on b */
  int row, n;            /* first row in packed arrays of rows, and number of rows */
  uint64_t key;          /* identity of the joint or contact; constant while it exists */
  const hn_joint *joint; /* geometry and set: type->eval, type->jet, unit; set */
} hn_block;

/* True if the impulse of BLOCK can only push: a limit or a contact. */
static inline bool hn_is_one_sided(const hn_block *block)
{
  return block->joint->set->kind == HN_PUSH || block->joint->set->kind == HN_CONE;
}

/* ---- System: all access of solvers to physics; counts the work ---------------------------------------- */

/* Options of the free flight and of the linear back end. A solver holds them in its data, filled from its
 * parameters. */
typedef enum hn_flight_kind {
  HN_RK4,
  HN_TAYLOR,
  HN_EXACT,
  HN_MOSER_VESELOV, /* variational, of order 2: */
  HN_EXPONENTIAL    /* not choices of the parameter `flight` */
} hn_flight_kind;
typedef struct hn_flight_options {
  int kind;         /* hn_flight_kind; the first three are the choices "rk4,taylor,exact" */
  int order;        /* taylor: 1 to 30 */
  int adaptive;     /* taylor: subdivide to `tolerance` */
  double tolerance; /* taylor, adaptive: error of q per step, 1 */
} hn_flight_options;

typedef struct hn_linear_options {
  const char *backend; /* name of a linear back end, see hn_linear_backends */
  const char *petsc;   /* PETSc options, for back ends that accept them */
  int redundancy;      /* hn_redundancy: policy for a singular K */
} hn_linear_options;

typedef struct hn_system {
  const hn_model *model;
  hn_work work;
  hn_block *block;          /* [nblock] joints in scene order, then contacts by ascending key */
  int nblock, nrow;         /* current counts; nrow is the length of arrays of rows */
  int max_blocks, max_rows; /* capacity: array sizes for setup */
  /* version of the block list: changes when blocks appear or disappear, not when rows are held or released */
  uint64_t pattern;
  int *rotating; /* [nrotating] rigid bodies: those with an orientation */
  int nrotating;
  double *g; /* [max_rows] residual of the last hn_system_residual */
  /* [12 * max_rows] Jacobians of the last hn_system_jacobian: a block's at 12 * row, G_a then G_b */
  double *G;
  /* [12 * max_rows] W G', computed with G: a block's at 12 * row, side a then side b, each row by row. Row r
   * of a side is the change of its body's twist (6 numbers) due to a unit impulse in row r. */
  double *T;
  double *bias;                  /* [max_rows] velocity bias of the last Jacobian or hn_system_bias */
  double *gamma;                 /* [max_rows] acceleration term of the last hn_system_gamma */
  hn_stop stop;                  /* the solver's, during a step */
  struct hn_system_parts *parts; /* private: flight, linear back end, active set, targets, contacts */
} hn_system;

hn_system *hn_system_create(const hn_model *model, hn_error *error);
void hn_system_free(hn_system *system);
int hn_system_use_flight(hn_system *system, const hn_flight_options *options, hn_error *error);
int hn_system_use_linear(hn_system *system, const hn_linear_options *options, hn_error *error);

/* Compute poses and twists after a free flight of duration h under gravity. hn_system_flight moves all bodies
 * and copies time and inputs; hn_system_flight_of moves COUNT listed bodies. Output may not overlap input. */
void hn_system_flight(hn_system *system, const hn_state *from, double h, hn_state *to);
void hn_system_flight_of(hn_system *system, const int *bodies, int count, const hn_state *from, double h,
                         hn_state *to);
/* Returns the largest orientation error of a Taylor flight of order n from STATE, estimated by the first
 * power left out, |q[n+1] h^(n+1)|. */
double hn_system_flight_error(const hn_system *system, const hn_state *state, double h);

/* Detects contacts at STATE (without collision detection its contacts are used as given), lists them as
 * blocks, and sets the targets of impacts: -restitution times the approach velocity. Returns HN_FULL if there
 * are more contacts than capacity. The run loop calls this before every step; a solver that divides its step
 * calls it at the start of each part. */
hn_reason hn_system_begin(hn_system *system, hn_state *state);
/* Store the contact impulses SCALE p[nrow] in the state, for warm starting the next step; load SCALE times
 * the stored impulses into p. Rows of joints are not touched. */
void hn_system_store_impulses(const hn_system *system, const double *p, double scale, hn_state *state);
void hn_system_load_impulses(const hn_system *system, const hn_state *state, double scale, double *p);
/* Adds a row to the active set or removes it. A row that is not held is decoupled in K, gets impulse 0 and is
 * not counted in norms. Initially the rows of equations are held, rows of other sets are not. */
void hn_system_hold(hn_system *system, int row, bool held);
/* Holds all rows, for solvers that project impulses onto the sets. */
void hn_system_hold_all(hn_system *system);
/* True if the row is in the active set. */
bool hn_system_is_held(const hn_system *system, int row);
/* Evaluates the residuals of all blocks into system->g. Returns the largest norm of a block (held rows only)
 * and stores the index of that block in *WORST, if not NULL. */
double hn_system_residual(hn_system *system, const hn_state *state, int *worst);
/* Evaluates the residual of a step of length h whose free flight leads from FROM to TO, like
 * hn_system_residual, but:
 *
 *   rows of velocities      mean of the rates at both ends times h, m or rad
 *   contacts with friction  gap at TO, and slip during the step along the tangents fixed in body a
 *
 * The Jacobian must be that of FROM. */
double hn_system_step_residual(hn_system *system, const hn_state *from, const hn_state *to, double h,
                               int *worst);
/* Evaluates the step residual of one block into g[n]; returns its norm. */
double hn_system_block_step_residual(hn_system *system, int block, const hn_state *from, const hn_state *to,
                                     double h, double *g);
/* Returns the largest violation: the norm of an equation's residual, the depth of a negative HN_PUSH or
 * HN_CONE gap. */
double hn_system_violation(hn_system *system, const hn_state *state, int *worst);
/* Evaluates the residual of one block into g[n]; returns its norm. */
double hn_system_block_residual(hn_system *system, int block, const hn_state *state, double *g);
/* Computes G, T = W G' and the biases of all blocks at STATE. */
void hn_system_jacobian(hn_system *system, const hn_state *state);
/* Computes what hn_system_jacobian and hn_system_residual do in one pass. */
void hn_system_linearise(hn_system *system, const hn_state *state);
/* Computes the Jacobian and W G' of one block, and W of its bodies; other blocks are not touched. */
void hn_system_block_jacobian(hn_system *system, int block, const hn_state *state);
/* Computes the Jacobians of all blocks at STATE into G[12 * nrow], laid out as system->G, which is not
 * touched. */
void hn_system_jacobian_into(hn_system *system, const hn_state *state, double *G);
/* Updates the biases of prescribed motions and motors for the time and inputs of STATE. The poses must be
 * those of the last Jacobian. */
void hn_system_bias(hn_system *system, const hn_state *state);
/* Computes the acceleration terms of all blocks at STATE into system->gamma. */
void hn_system_gamma(hn_system *system, const hn_state *state);
/* Computes those of one block. */
void hn_system_block_gamma(hn_system *system, int block, const hn_state *state);
/* Computes velocity residuals G u + bias - target into v[nrow], with the last Jacobian; returns the largest
 * norm of a block, and its index in *WORST. */
double hn_system_velocity_residual(hn_system *system, const hn_state *state, double *v, int *worst);
/* Computes the velocity residual of one block into v[n]; returns its norm. */
double hn_system_block_velocity(hn_system *system, int block, const hn_state *state, double *v);
/* Velocities G u + bias of one block into v[n], targets not subtracted. */
void hn_system_block_rates(hn_system *system, int block, const hn_state *state, double *v);

/* Targets: required values of G u + bias in the first row of a block, the rebound velocity of an impact (m/s
 * or rad/s); 0 in all other rows. hn_system_begin computes them by the impact law, initially Newton's;
 * without a law (NULL) there are none, for solvers that treat impacts themselves. */
void hn_system_set_impact_law(hn_system *system, hn_impact_law *law);
/* Returns the target of BLOCK. */
double hn_system_target(const hn_system *system, int block);
/* True if some block has a target other than 0. */
bool hn_system_has_targets(const hn_system *system);
/* Set the target of one block, or all targets, to 0: for solvers that have treated these impacts. */
void hn_system_clear_target(hn_system *system, int block);
void hn_system_clear_targets(hn_system *system);
/* Declares that the solver chooses the contact mode, sticking or sliding, itself: then it sets `friction` of
 * contacts, which is the static coefficient at first. Otherwise hn_system_begin sets the sliding
 * coefficient. */
void hn_system_choose_modes(hn_system *system);
/* Returns the version of the contact list. It changes when a contact appears, disappears or changes its
 * geometry, so that rows may differ at equal poses; a cache of Jacobians compares it. */
uint64_t hn_system_contact_version(const hn_system *system);

/* u += scale W G' p, for all blocks. */
void hn_system_apply(hn_system *system, const double *p, double scale, hn_state *state);
/* u += W G' p for one block, p[n]. */
void hn_system_block_apply(hn_system *system, int block, const double *p, hn_state *state);
/* Moves the poses by SCALE times a displacement: positions by v (m), orientations by the small world rotation
 * w (rad). */
void hn_system_move(const hn_system *system, const hn_twist *displacement, double scale, hn_state *state);
/* Moves the poses by the displacement scale W G' p, which is stored in the twists of WORK. */
void hn_system_displace(hn_system *system, const double *p, double scale, hn_state *work, hn_state *state);
/* Computes the diagonal block of K = G W G' of a block: n x n, symmetric. */
void hn_system_block_diagonal(const hn_system *system, int block, double *K);
/* Computes the unconstrained acceleration of every body: gravity, gyroscopic term -J^-1 (w x J w), and
 * forces. */
void hn_system_free_acceleration(hn_system *system, const hn_state *state, hn_twist *acceleration);
/* Lists the asymmetric bodies (all rigid bodies of a planar model), once; -1 if out of memory. */
int hn_system_list_asymmetric(hn_system *system, hn_error *error);
/* Returns the listed asymmetric bodies and stores their number in *COUNT. The system owns the list. */
const int *hn_system_asymmetric(const hn_system *system, int *count);
/* Torque-free flight of the asymmetric bodies over H from STATE: sets their orientations and angular
 * velocities in FLOWN (nothing else changes), and replaces the gyroscopic part of ACCELERATION, which holds
 * the values at STATE, by its mean over H. Requires hn_system_list_asymmetric. */
void hn_system_rotate_asymmetric(hn_system *system, const hn_state *state, double h, hn_state *flown,
                                 hn_twist *acceleration);
/* Computes the sum of all forces at STATE into wrench[6 nbody]: force and torque about the centre of mass,
 * world axes. */
void hn_system_forces(hn_system *system, const hn_state *state, double *wrench);
/* TWIST += h W WRENCH[6 nbody], with W at STATE. */
void hn_system_push(const hn_system *system, const hn_state *state, const double *wrench, double h,
                    hn_twist *twist);
/* TWIST += h W times the forces at STATE; TWIST may be STATE's own. Does nothing if the model has no
 * forces. */
void hn_system_kick(hn_system *system, const hn_state *state, double h, hn_twist *twist);
/* Assembles K from the last Jacobian and factors it: HN_CONVERGED, HN_SINGULAR or HN_NOT_FINITE. */
hn_reason hn_system_factor(hn_system *system);
/* True if K is factored for the last Jacobian and the present active set. */
bool hn_system_is_factored(const hn_system *system);
/* Set and return the proximal term of the following factorisations, 1, initially 0: the diagonal of held rows
 * of unilateral and bounded sets is multiplied by 1 + SHIFT, so that dependent rows can be held. */
void hn_system_set_shift(hn_system *system, double shift);
double hn_system_shift(const hn_system *system);
/* Sets a compliance, SIGMA[nrow] >= 0 in the units of K: the following factorisations and solutions are those
 * of K + diag(SIGMA), until NULL is set. SIGMA belongs to the caller and is read by hn_system_factor. With a
 * positive compliance in all rows that depend on others, K + diag(SIGMA) is positive definite. The policy
 * for a singular K is therefore not applied: no row is left out. */
void hn_system_set_compliance(hn_system *system, const double *sigma);
/* Solves K p = b; b and p may be the same array. */
hn_reason hn_system_solve(hn_system *system, const double *b, double *p);
/* Returns the bytes held by the system, without those of libraries that do not report them. */
size_t hn_system_memory(const hn_system *system);

/* ---- Rank of the constraints -------------------------------------------------------------------------- */

/* Policy for a singular K: parameter `redundancy` of the solvers that factor K. */
typedef enum hn_redundancy { HN_REFUSE = 0, HN_REMOVE, HN_MIN_NORM, HN_LOOP_SPLIT } hn_redundancy;

enum { HN_RANK_AUTO = 0, HN_RANK_DENSE, HN_RANK_SPARSE }; /* algorithm for the rank */
#define HN_RANK_MAX_DENSE 2000                            /* rows of the largest matrix for HN_RANK_DENSE */

/* Rank of A = D^-1/2 G W^1/2, D = diag K: rows of unit length, without units (rank.c). */
typedef struct hn_rank {
  int rows, rank;       /* number of rows, open limits and contacts excluded; rank */
  int freedoms, dof;    /* degrees of freedom of the moving bodies without and with constraints */
  double tolerance;     /* singular values up to this are taken as zero */
  double kept, dropped; /* last singular value kept, first one dropped; NAN if there is none */
  double gap;           /* kept / dropped, with dropped at least the rounding unit; NAN unless both exist */
  int nsingular;
  double *singular; /* [nsingular] descending: all, or those next to the gap */
  bool complete;    /* `singular` has all singular values */
  int *redundant;   /* [rows - rank] ascending: rows that can be removed together; later rows are preferred */
  /* [nrow] norm of the row in the left null space: 0 its multiplier is unique, 1 it is arbitrary */
  double *undetermined;
  bool measured; /* false: `undetermined` is only 0 or 1 */
} hn_rank;

/* Computes the rank of the last Jacobian by algorithm HOW; NULL on error. */
hn_rank *hn_rank_create(const hn_system *system, int how, hn_error *error);
void hn_rank_free(hn_rank *rank);
/* Writes the next removable row or joint as a name: "joint" if all its rows are redundant, "joint[2]" for its
 * second row, "contact[3]" for row 3 of the contacts. *AT starts at 0 and is advanced. Returns false at the
 * end. */
bool hn_rank_name(const hn_rank *rank, const hn_model *model, int *at, char *text, size_t size);
/* True if the multiplier of the row is unique. */
bool hn_rank_unique(const hn_rank *rank, int row);

/* Linear back ends, for listings. */
typedef struct hn_linear_info {
  const char *name, *summary;
  bool takes_options; /* accepts PETSc options, parameter `petsc` */
  bool allocates;     /* its library allocates in every factorisation or solution, so that a step allocates */
} hn_linear_info;
const hn_linear_info *hn_linear_backends(size_t *count);
/* Returns the library without which the back end NAME was left out; NULL if it was not. */
const char *hn_linear_missing_library(const char *name);
/* Returns the table of accepted PETSc options: names without the dash, kind and range of the value, ended by
 * a NULL key. All other options are refused. */
const hn_param *hn_petsc_options(void);

/* ---- Parameters of flights and linear back ends ------------------------------------------------------- */

/* Parameters of a free flight and of a linear back end, for a solver whose data has the options as FIELD.
 * HN_BACKEND_PARAMS leaves out the policy for redundant joints. */
/* clang-format off */
#define HN_FLIGHT_PARAMS(data, field, default_kind) \
  { "flight", HN_CHOICE, offsetof(data, field) + offsetof(hn_flight_options, kind), default_kind, 0, 0, "", \
    "rk4,taylor,exact", "integrator of the free flight" }, \
  { "flight_order", HN_INTEGER, offsetof(data, field) + offsetof(hn_flight_options, order), "10", 1, 30, "", \
    NULL, "order of the taylor flight" }, \
  { "flight_adaptive", HN_FLAG, offsetof(data, field) + offsetof(hn_flight_options, adaptive), "false", 0, \
    0, "", NULL, "subdivide the taylor flight to flight_tolerance" }, \
  { "flight_tolerance", HN_REAL, offsetof(data, field) + offsetof(hn_flight_options, tolerance), "1e-14", \
    1e-16, 1, "", NULL, "error of the orientation allowed to an adaptive taylor flight" }
#define HN_BACKEND_PARAMS(data, field) \
  { "linear", HN_TEXT, offsetof(data, field) + offsetof(hn_linear_options, backend), "ldl", 0, 0, "", NULL, \
    "linear back end (holonom list linear)" }, \
  { "petsc", HN_TEXT, offsetof(data, field) + offsetof(hn_linear_options, petsc), "", 0, 0, "", NULL, \
    "PETSc options for the linear back end, such as -ksp_type minres for ksp" }
#define HN_LINEAR_PARAMS(data, field) \
  HN_BACKEND_PARAMS(data, field), \
  { "redundancy", HN_CHOICE, offsetof(data, field) + offsetof(hn_linear_options, redundancy), "error", 0, 0, \
    "", "error,remove,min-norm,loop-split", "policy for redundant joints, where K is singular" }
/* clang-format on */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
