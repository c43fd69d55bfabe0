/* system.h - the door between solvers and physics: what constrains a model, block by block, flights and forces */
#ifndef HOLONOM_SYSTEM_H
#define HOLONOM_SYSTEM_H

#include "state.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

/* ---- Blocks: all that constrains, as solvers see it -------------------------------------------------------------- */

typedef struct hn_block {
  int a, b;              /* bodies; of G' p, +G_a' p acts on a, +G_b' p on b */
  int row, n;            /* first of its rows in packed arrays of rows, and how many */
  uint64_t key;          /* the same while it is the same thing */
  const hn_joint *joint; /* its geometry and its set: type->eval, type->jet, unit; set */
} hn_block;

/* True if the impulse of BLOCK can only push: a limit or a contact. */
static inline bool hn_is_one_sided(const hn_block *block)
{
  return block->joint->set->kind == HN_PUSH || block->joint->set->kind == HN_CONE;
}

/* ---- System: the one door between solvers and physics; it counts ------------------------------------------------- */

/* Free flight and linear back end: choices. A solver holds them in its data, filled from its parameters. */
typedef enum hn_flight_kind { HN_RK4, HN_TAYLOR, HN_EXACT } hn_flight_kind;
typedef struct hn_flight_options {
  int kind;         /* hn_flight_kind, index into "rk4,taylor,exact" */
  int order;        /* taylor: 1 to 30 */
  int adaptive;     /* taylor: subdivide to the tolerance below */
  double tolerance; /* taylor, adaptive: of the error of q per step */
} hn_flight_options;

typedef struct hn_linear_options {
  const char *backend; /* name in the list of back ends */
  const char *petsc;   /* PETSc options, for the back ends that take them */
  int redundancy;      /* hn_redundancy: what a singular K is answered with */
} hn_linear_options;

typedef struct hn_system {
  const hn_model *model;
  struct hn_flight *flight;       /* after hn_system_use_flight */
  struct hn_linear *linear;       /* after hn_system_use_linear */
  struct hn_redundant *redundant; /* the policy for a singular K; NULL: it is refused */
  hn_work work;
  hn_block *block;            /* [nblock] joints in the order of the scene, then contacts by ascending key */
  int nblock, nrow;           /* now; nrow is what arrays of rows have */
  int most_blocks, most_rows; /* room: what setup allocates by */
  uint64_t pattern; /* another number when blocks have come or gone, not when rows are held or let go */
  double *g;        /* [most_rows] residual of the last hn_system_residual */
  double
    *G; /* [12 * most_rows] Jacobians of the last hn_system_jacobian: a block's at 12 * row, G_a then G_b */
  double *T; /* [12 * most_rows] W G' of the same: a block's at 12 * row, side a then side b, each row by row:
                     * row r of a side is the change of its body's twist (6 numbers) by a unit impulse in row r */
  double *inv_inertia; /* [9 * nbody] R J^-1 R' in world axes, where T was made */
  double *
    wrench; /* [6 * nbody] forces and torques of the last hn_system_kick; empty when the model has no forces */
  double *bias;  /* [most_rows] */
  double *gamma; /* [most_rows] after hn_system_gamma */
  hn_impact_law *impact_law; /* by which hn_system_begin sets targets: Newton's; NULL: the solver treats impacts */
  double *target; /* [most_rows] velocities that G u + bias is to become; read while `ntarget` is not 0 */
  int ntarget;    /* rows with a target other than 0 */
  bool *held; /* [most_rows] rows that act as equations in K; the others stand alone there, with impulse 0 */
  int released; /* how many rows are not held */
  double
    shift; /* the next factor is of K with the diagonal of rows of sets that are held 1 + shift times as large:
                     * for proximal steps, where rows are held that depend on others */
  bool
    sticks; /* the solver tells contacts that stick from those that slide: `friction` of contacts is its own,
                     * and at first that of sticking; else it is that of sliding */
  bool factored;                  /* K is that of the last Jacobian and of the rows held */
  struct hn_collision *collision; /* NULL: nothing collides by itself */
  struct hn_touching *touching;   /* [model->most_contacts] geometry of the contacts; NULL without */
  int ncontact;
  uint64_t listing; /* another number when contacts are others: rows may be, at the same poses */
  int *rotating;    /* [nrotating] the bodies whose orientation changes: the rigid ones */
  int nrotating;
  int *
    top; /* [ntop] those whose moments of inertia differ, and all in a plane; NULL before hn_system_list_tops */
  int ntop;
  bool
    is_singular; /* K was, in the last hn_system_factor, or its right-hand side in conflict in hn_system_solve */
} hn_system;

hn_system *hn_system_create(const hn_model *model, hn_error *error);
void hn_system_free(hn_system *system);
int hn_system_use_flight(hn_system *system, const hn_flight_options *options, hn_error *error);
int hn_system_use_linear(hn_system *system, const hn_linear_options *options, hn_error *error);

/* Poses and twists after a free flight of duration h under gravity, for all bodies (then time and inputs go with
 * them), or for COUNT listed ones. Output may not overlap input. */
void hn_system_flight(hn_system *system, const hn_state *from, double h, hn_state *to);
void hn_system_flight_of(hn_system *system, const int *bodies, int count, const hn_state *from, double h,
                         hn_state *to);
/* The largest error of an orientation in a taylor flight of order n from STATE, estimated by the first power left out,
 * |q[n+1] h^(n+1)|. */
double hn_system_flight_error(const hn_system *system, const hn_state *state, double h);

/* At the start of a step, or of a part of one: finds the contacts of STATE where the model's shapes collide (others are
 * there as they were put), lists them as blocks, and sets the targets of impacts,
 * -restitution times the rate of closing. The framework calls it before every step; a solver that divides its step
 * calls it again. HN_FULL when there are more contacts than room. */
hn_reason hn_system_begin(hn_system *system, hn_state *state);
/* Impulses SCALE p[nrow] of contacts into the state, where the next step finds them; and back: rows of joints stay. */
void hn_system_keep(const hn_system *system, const double *p, double scale, hn_state *state);
void hn_system_warm(const hn_system *system, const hn_state *state, double scale, double *p);
/* Lets a row act as an equation, or not: then it stands alone in K and gets no impulse, and no norm counts it. At first
 * the rows of equations are held, those of other sets are not. */
void hn_system_hold(hn_system *system, int row, bool held);
/* All of them: for solvers that choose by projecting impulses, for which every row counts. */
void hn_system_hold_all(hn_system *system);
/* Residuals of all blocks into system->g; returns the largest norm of one block (of its rows that are held) and, when
 * WORST is given, which. */
double hn_system_residual(hn_system *system, const hn_state *state, int *worst);
/* What a step of h from FROM to TO, its flight, leaves open: the same, but for rows of velocities the mean of their
 * rates at both ends times h, m or rad, and of contacts with friction the gap and the slip on the way, along the
 * tangents as body a sees it. The Jacobian is that of FROM. */
double hn_system_step_residual(hn_system *system, const hn_state *from, const hn_state *to, double h,
                               int *worst);
/* The same for one block, into g[n]. */
double hn_system_block_step_residual(hn_system *system, int block, const hn_state *from, const hn_state *to,
                                     double h, double *g);
/* The largest violation: residuals of equations, what is negative of HN_PUSH. */
double hn_system_violation(hn_system *system, const hn_state *state, int *worst);
/* Residual of one block into g[n]; returns its norm. */
double hn_system_block_residual(hn_system *system, int block, const hn_state *state, double *g);
/* Jacobians, W and W G' of all blocks at STATE. */
void hn_system_jacobian(hn_system *system, const hn_state *state);
/* That and hn_system_residual, at once. */
void hn_system_linearise(hn_system *system, const hn_state *state);
/* Jacobian, W and W G' of one block and its bodies; those of the others stay as they are. */
void hn_system_block_jacobian(hn_system *system, int block, const hn_state *state);
/* Jacobians alone of all blocks at STATE into G[12 * nrow], laid out as system->G, which stays as it is. */
void hn_system_jacobian_into(hn_system *system, const hn_state *state, double *G);
/* Biases of prescribed motions and motors at the time and the inputs of STATE; its poses are those of the last
 * Jacobian, which does not depend on the others. */
void hn_system_bias(hn_system *system, const hn_state *state);
/* Acceleration terms of all blocks at STATE into system->gamma. */
void hn_system_gamma(hn_system *system, const hn_state *state);
/* Velocity residuals G u + bias - target into v[nrow], with the Jacobian of the last hn_system_jacobian; the largest
 * norm. */
double hn_system_velocity_residual(hn_system *system, const hn_state *state, double *v, int *worst);
/* The same for one block into v[n]; its norm. */
double hn_system_block_velocity(hn_system *system, int block, const hn_state *state, double *v);
/* Velocities G u + bias of one block into v[n], targets not subtracted. */
void hn_system_block_rates(hn_system *system, int block, const hn_state *state, double *v);
/* Sets all targets to 0: for solvers that have treated the impacts. */
void hn_system_clear_targets(hn_system *system);
/* Returns the target of the first row of BLOCK: the velocity after an impact, or 0. */
static inline double hn_system_target(const hn_system *system, int block)
{
  return system->ntarget > 0 ? system->target[system->block[block].row] : 0.0;
}
/* u += scale W G' p, for all blocks. */
void hn_system_apply(hn_system *system, const double *p, double scale, hn_state *state);
/* u += W G' p for one block: p[n]. */
void hn_system_block_apply(hn_system *system, int block, const double *p, hn_state *state);
/* Moves the poses by SCALE times a displacement: positions by its first part, orientations by the small
 * world rotation of its second. */
void hn_system_move(const hn_system *system, const hn_twist *displacement, double scale, hn_state *state);
/* The same by the displacement scale W G' p, which the twists of WORK get. */
void hn_system_displace(hn_system *system, const double *p, double scale, hn_state *work, hn_state *state);
/* Diagonal block of K = G W G' of a block, n x n, symmetric. */
void hn_system_block_diagonal(const hn_system *system, int block, double *K);
/* Unconstrained acceleration of every body: gravity, the gyroscopic term -J^-1 (w x J w), and the forces. */
void hn_system_free_acceleration(hn_system *system, const hn_state *state, hn_twist *acceleration);
/* Finds system->top, once; -1 without memory. */
int hn_system_list_tops(hn_system *system, hn_error *error);
/* After that: FLOWN, whose other numbers stay, gets the orientations and angular velocities of system->top after a
 * torque-free flight of H from STATE, and ACCELERATION, that of STATE, has the mean of it over H in place of its
 * gyroscopic part. */
void hn_system_fly_tops(hn_system *system, const hn_state *state, double h, hn_state *flown,
                        hn_twist *acceleration);
/* Forces and torques about the centres of mass of all the model's forces at STATE into wrench[6 nbody], world axes. */
void hn_system_forces(hn_system *system, const hn_state *state, double *wrench);
/* TWIST += h W WRENCH[6 nbody], W at STATE. */
void hn_system_push(const hn_system *system, const hn_state *state, const double *wrench, double h,
                    hn_twist *twist);
/* Both: TWIST += h W times the forces at STATE; TWIST may be STATE's own. Nothing when the model has none. */
void hn_system_kick(hn_system *system, const hn_state *state, double h, hn_twist *twist);
/* Assembles K from the last Jacobian and factors it: HN_CONVERGED, HN_SINGULAR or HN_NOT_FINITE. */
hn_reason hn_system_factor(hn_system *system);
/* Solves K p = b; b and p may be the same array. */
hn_reason hn_system_solve(hn_system *system, const double *b, double *p);
/* Bytes held by the system, its back end excluded where a library does not tell. */
size_t hn_system_memory(const hn_system *system);

/* ---- Rank of the constraints ------------------------------------------------------------------------------------- */

/* What a singular K is answered with: parameter `redundancy` of the solvers that solve with K. */
typedef enum hn_redundancy { HN_REFUSE = 0, HN_REMOVE, HN_MIN_NORM, HN_LOOP_SPLIT } hn_redundancy;

enum { HN_RANK_AUTO = 0, HN_RANK_DENSE, HN_RANK_SPARSE }; /* how the rank is found */
#define HN_RANK_MAX_DENSE 2000                            /* rows of the largest dense matrix */

/* Singular values are those of A = D^-1/2 G W^1/2, D = diag K: rows of unit length, without units (rank.c). */
typedef struct hn_rank {
  int rows, rank;       /* rows: without those of limits that do not hold now */
  int freedoms, dof;    /* of the moving bodies without joints, and with them */
  double tolerance;     /* singular values up to this count as zero */
  double kept, dropped; /* the last singular value kept, the first dropped; NAN where there is none */
  double gap; /* their ratio; dropped counts as the rounding unit at least; NAN unless there are both */
  int nsingular;
  double *singular; /* [nsingular] descending: all, or those next to the gap */
  bool complete;    /* all */
  int *
    redundant; /* [rows - rank] rows that can be removed together, late ones first in the choice, ascending */
  double *
    undetermined; /* [nrow] part of the row in the left null space: 0 its multiplier is unique, 1 it is free */
  bool measured;  /* else undetermined is 0 or 1 only */
} hn_rank;

/* Rank of the last hn_system_jacobian. NULL on error. */
hn_rank *hn_rank_create(const hn_system *system, int how, hn_error *error);
void hn_rank_free(hn_rank *rank);
/* The rows that can be removed as names, one a call: "joint" where all its rows are redundant, "joint[2]" for its
 * second row alone, "contact[3]" for row 3 of the contacts. *AT begins at 0 and is moved on. False when there are no
 * more. */
bool hn_rank_name(const hn_rank *rank, const hn_model *model, int *at, char *text, size_t size);
/* Tells of a row whether its multiplier is unique. */
bool hn_rank_unique(const hn_rank *rank, int row);

/* Linear back ends, for listings. */
typedef struct hn_linear_info {
  const char *name, *summary;
  bool takes_options; /* PETSc options, parameter `petsc` */
  bool
    allocates; /* its library asks for memory inside every factorisation or solution: so does a step with it */
} hn_linear_info;
const hn_linear_info *hn_linear_backends(size_t *count);
/* The PETSc options that can be given, ended by a key of NULL: names without the dash, kind and range of the value. All
 * others are refused, whoever gives them. */
const hn_param *hn_petsc_options(void);

/* ---- Parameters of flights and linear back ends ------------------------------------------------------------------ */

/* The parameters of a free flight and of a linear back end, for a solver whose data has FIELD of that type. */
#define HN_FLIGHT_PARAMS(data, field, default_kind)                                                       \
  { "flight",                                                                                             \
    HN_CHOICE,                                                                                            \
    offsetof(data, field) + offsetof(hn_flight_options, kind),                                            \
    default_kind,                                                                                         \
    0,                                                                                                    \
    0,                                                                                                    \
    "",                                                                                                   \
    "rk4,taylor,exact",                                                                                   \
    "integrator of the free flight" },                                                                    \
    { "flight_order",                                                                                     \
      HN_INTEGER,                                                                                         \
      offsetof(data, field) + offsetof(hn_flight_options, order),                                         \
      "10",                                                                                               \
      1,                                                                                                  \
      30,                                                                                                 \
      "",                                                                                                 \
      NULL,                                                                                               \
      "order of the taylor flight" },                                                                     \
    { "flight_adaptive",                                                                                  \
      HN_FLAG,                                                                                            \
      offsetof(data, field) + offsetof(hn_flight_options, adaptive),                                      \
      "false",                                                                                            \
      0,                                                                                                  \
      0,                                                                                                  \
      "",                                                                                                 \
      NULL,                                                                                               \
      "subdivide the taylor flight to flight_tolerance" },                                                \
  {                                                                                                       \
    "flight_tolerance", HN_REAL, offsetof(data, field) + offsetof(hn_flight_options, tolerance), "1e-14", \
      1e-16, 1, "", NULL, "error of the orientation allowed to an adaptive taylor flight"                 \
  }
#define HN_LINEAR_PARAMS(data, field)                                                                        \
  { "linear", HN_TEXT, offsetof(data, field) + offsetof(hn_linear_options, backend),                         \
    "ldl",    0,       0,                                                                                    \
    "",       NULL,    "linear back end (holonom list linear)" },                                            \
    { "petsc", HN_TEXT, offsetof(data, field) + offsetof(hn_linear_options, petsc),                          \
      "",      0,       0,                                                                                   \
      "",      NULL,    "PETSc options for the linear back end, such as -ksp_type minres for ksp" },         \
  {                                                                                                          \
    "redundancy", HN_CHOICE, offsetof(data, field) + offsetof(hn_linear_options, redundancy), "error", 0, 0, \
      "", "error,remove,min-norm,loop-split",                                                                \
      "what to do with joints that repeat each other, where K is singular"                                   \
  }

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
