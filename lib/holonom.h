/* holonom.h - the public interface of Holonom, in the order in which data flows:
 *
 *   errors and reasons -> bodies, joints, model -> state -> measures
 *   -> system (the door between methods and physics) -> solver -> run
 *
 * SI units and radians; right-handed world axes. Vectors are in world axes unless their name ends in _b (body axes).
 * A quaternion is (w, x, y, z) and turns body axes into world axes. Functions that can fail because of the world
 * return 0 or a valid index on success and -1 otherwise, with one line of text in their hn_error.
 *
 * Copyright (C) 2026 the Holonom authors. Licence: GPL-3.0-or-later. */
#ifndef HOLONOM_H
#define HOLONOM_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HN_ABI 3 /* of all that a method can reach; a plugin built against another one is refused */

/* ---- Errors (the world is wrong) and reasons (how a computation ended) ------------------------------------------- */

typedef struct hn_error {
  char text[512]; /* one line: what was wrong, and what would be right */
} hn_error;

/* Formats the text of ERROR (which may be NULL) and returns -1, so that a caller can `return hn_fail(error, ...)`. */
int hn_fail(hn_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef enum hn_reason {
  HN_CONVERGED = 0, /* every step met its tolerances */
  HN_BUDGET,        /* the work allowed is spent */
  HN_STALLED,       /* a correction did not reach its tolerance within its iterations */
  HN_SINGULAR,      /* the constraint matrix is singular: redundant constraints or a singular position */
  HN_NOT_FINITE,    /* NaN or infinity appeared */
  HN_UNSUPPORTED,   /* the method cannot do this scene */
  HN_INTERRUPTED    /* the user stopped the run */
} hn_reason;

/* The word used for a reason in every output: "converged", "stalled", ... */
const char *hn_reason_name(hn_reason reason);

/* The word among COUNT candidates nearest to WORD (edit distance), or NULL when none is near enough to be meant. */
const char *hn_nearest(const char *word, const char *const *candidates, size_t count);

/* ---- Parameters: one table per type drives Lua keys, options, listings and the manual -------------------------- */

typedef enum hn_param_kind { HN_REAL, HN_INTEGER, HN_FLAG, HN_CHOICE, HN_TEXT } hn_param_kind;

typedef struct hn_param {
  const char *key;
  hn_param_kind kind;        /* stored as double, int, int (0 or 1), int (index of the choice), const char * */
  size_t offset;             /* in the owner's data */
  const char *initial;       /* default, as a user would write it */
  double min, max;           /* HN_REAL, HN_INTEGER: inclusive range */
  const char *unit;          /* "" when none */
  const char *choices;       /* HN_CHOICE: words separated by commas */
  const char *help;
} hn_param;

/* ---- Bodies and joints ------------------------------------------------------------------------------------------- */

typedef struct hn_pose {
  double x[3]; /* centre of mass, m */
  double q[4]; /* orientation, unit quaternion (w, x, y, z) from body to world */
} hn_pose;

typedef struct hn_twist {
  double v[3]; /* velocity of the centre of mass, m/s */
  double w[3]; /* angular velocity, rad/s */
} hn_twist;

typedef enum hn_shape_kind { HN_NO_SHAPE = 0, HN_BOX, HN_SPHERE, HN_CYLINDER, HN_CAPSULE } hn_shape_kind;

typedef struct hn_shape {
  hn_shape_kind kind;
  double size[3]; /* m; box: edges; sphere: radius; cylinder, capsule (axis y): radius, height of the straight part */
} hn_shape;

typedef enum hn_body_kind { HN_FIXED = 0, HN_PARTICLE, HN_RIGID } hn_body_kind;

typedef struct hn_body {
  char *name;
  hn_body_kind kind;
  hn_shape shape;
  double gravity[3];  /* m/s^2 */
  double mass;        /* kg; 0 when fixed */
  double J[3];        /* principal moments of inertia about the centre of mass, body axes, kg m^2; 0 unless rigid */
  double inv_mass;    /* 1/kg; 0 when fixed */
  double inv_J[3];    /* 1/(kg m^2); 0 unless rigid, and 0 where J is: planar bodies turn about z alone */
  hn_pose pose0;      /* at t = 0 */
  hn_twist twist0;    /* at t = 0 */
} hn_body;

enum { HN_MAX_ROWS = 6 }; /* rows of one joint */

/* A function of time: f(t) = sum of polynomial[i] t^i + amplitude sin(frequency t + phase). */
enum { HN_MOTION_TERMS = 8 };
typedef struct hn_motion {
  double polynomial[HN_MOTION_TERMS];
  double amplitude;
  double frequency;  /* rad/s */
  double phase;      /* rad */
} hn_motion;

/* Coefficient k of the power series of MOTION about t: its k-th derivative over k!. */
double hn_motion_coefficient(const hn_motion *motion, double t, size_t k);

typedef struct hn_joint_type hn_joint_type;
typedef struct hn_joint_spec hn_joint_spec;

typedef struct hn_joint {
  char *name;
  const hn_joint_type *type;
  int a, b;           /* bodies; the joint's impulse acts with +G' p on both, its rows are written b minus a */
  int row;            /* first row in packed arrays of rows */
  double point_a[3];  /* joint point in body axes of a, from its centre of mass, m */
  double point_b[3];  /* joint point in body axes of b, m */
  struct hn_axes *axes; /* NULL when it has none, as a ball joint */
  double length;      /* distance: m */
} hn_joint;

/* Axes 0, 1, 2 of a joint, one after the other: orthonormal and right-handed; and what belongs to them. */
typedef struct hn_axes {
  double a[9];        /* in body axes of a */
  double b[9];        /* in body axes of b; the same directions at t = 0 when the joint has one axis */
  double angle;       /* constant angle, or angle at the start, rad */
  double pitch;       /* screw: m a turn */
  int teeth[2];       /* gear: of a and b */
  double lower, upper; /* limits, m or rad */
  hn_motion motion;   /* prescribed, m or rad */
} hn_axes;

/* What eval is asked for; a NULL pointer is not computed. Jacobian blocks are stored by column: G[6 * rows],
 * entry (row r, column c) at [c * rows + r]; columns 0-2 multiply v, 3-5 multiply w of the body. */
typedef struct hn_rows {
  double *g;      /* [rows] residual, in the unit of the type (m or rad) */
  double *G_a;    /* [6 * rows] Jacobian with respect to the twist of a */
  double *G_b;    /* [6 * rows] Jacobian with respect to the twist of b */
  double *bias;   /* [rows] dg/dt at rest (prescribed motion), so that dg/dt = G u + bias */
  double *gamma;  /* [rows] acceleration term, so that d2g/dt2 = G du/dt + gamma */
} hn_rows;

/* Motion of a body as truncated power series in time: component c, power k at [c * stride + k]. */
typedef struct hn_body_jet {
  size_t stride;  /* highest order + 1 */
  double *x;      /* [3] position */
  double *q;      /* [4] orientation */
  double *R;      /* [9] rotation matrix of q, row by row */
} hn_body_jet;

/* What a scene must say of a joint of some type, and what its bodies must be. */
enum {
  HN_KEY_AT = 1,          /* its points */
  HN_KEY_OWN_POINTS = 2,  /* a point that is not said is a particle's own, or the origin of the ground */
  HN_KEY_AXIS = 4,        /* one axis */
  HN_KEY_AXES = 8,        /* an axis on each body */
  HN_KEY_LENGTH = 16,     /* optional */
  HN_KEY_PITCH = 32,
  HN_KEY_TEETH = 64,
  HN_KEY_MOTION = 128,
  HN_TURNS_A = 256,       /* the orientation of a matters: it cannot be a particle */
  HN_TURNS_B = 512,
  HN_AXIS_NORMAL = 1024,  /* planar systems: its axis is along z */
  HN_AXIS_IN_PLANE = 2048, /* planar systems: its axes lie in the plane */
  HN_KEY_BOUNDS = 4096    /* lower, upper or both */
};

/* A joint type: two writings of the same constraint, which must agree (the contract suite checks it). */
struct hn_joint_type {
  const char *name;
  const char *summary;
  const char *unit;       /* of its residual: "m" or "rad" */
  int rows;
  bool one_sided;         /* g >= 0 with a multiplier >= 0, instead of g = 0; one row */
  unsigned keys;          /* HN_KEY_... and HN_TURNS_... */
  int jet_series;         /* series that jet keeps in its work memory */
  const void *detail;     /* of types that share their functions */
  const hn_joint_type *planar; /* what it is in a planar system; NULL: nothing */
  const hn_joint_type *const *coordinates; /* what it leaves free: types of one row, ended by NULL; NULL: none */
  /* Takes from SPEC, whose points and axes are complete, what is its own; the bodies' poses at t = 0 are A and B, and
   * points and axes of JOINT are in place. -1 when the joint is not defined there. May be NULL. */
  int (*setup)(hn_joint *joint, const hn_joint_spec *spec, const hn_pose *a, const hn_pose *b, hn_error *error);
  /* Closed form at time t: fills what OUT asks for. */
  void (*eval)(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
               const hn_twist *ub, const hn_rows *out);
  /* Power series about time t: coefficient k of every residual into g[rows], and of the Jacobian blocks into G_a and
   * G_b (laid out as in hn_rows; NULL: not wanted), given coefficients 0..k of the bodies and the lower ones of its own
   * series in work[jet_series * stride], zero at first; called with k = 0, 1, 2, ... in turn, and again, with g NULL,
   * when coefficient k of the bodies has changed: what is linear in it need not be formed anew.
   * NULL: there is none, and methods of power series cannot do the joint. */
  void (*jet)(const hn_joint *joint, double t, const hn_body_jet *a, const hn_body_jet *b, size_t k, double *work,
              double *g, double *G_a, double *G_b);
};

/* The joint types known, in the order of lib/joints.def; COUNT may be NULL. */
const hn_joint_type *const *hn_joint_types(size_t *count);
const hn_joint_type *hn_joint_type_find(const char *name, hn_error *error);

/* ---- Model: constant once finished. Body 0 is the ground --------------------------------------------------------- */

/* What hn_model_project has done to the start. */
typedef struct hn_projection {
  bool done;
  double position, velocity; /* largest joint errors it found, m and m/s (rad and rad/s) */
  double moved;              /* the farthest that a centre of mass was moved, m */
  int steps;                 /* of Newton's method */
} hn_projection;

typedef struct hn_model {
  int nbody;           /* bodies, the ground included */
  int njoint;
  int nrow;            /* rows of all joints */
  int nlimit;          /* joints that are one-sided */
  double gravity[3];   /* m/s^2 */
  bool loose;          /* joints may be violated at the start */
  bool planar;         /* bodies stay in the plane z = 0 */
  bool consistent;     /* the start is to be projected: until hn_model_project, joints may be violated */
  hn_projection projection; /* what that has changed */
  hn_body *body;       /* [nbody] */
  hn_joint *joint;     /* [njoint], in the order of the scene */
  int nforce;
  struct hn_force *force; /* [nforce], in the order of the scene */
  int ninput;          /* inputs of all forces: what control may set, and memory of controllers */
  const struct hn_solver_type *const *method; /* methods of whoever built it, ended by NULL and his; NULL: none */
} hn_model;

/* What a scene says of a body. Give mass and inertia, or a shape and a density. */
typedef struct hn_body_spec {
  const char *name;
  hn_body_kind kind;
  bool has_mass;
  double mass;            /* kg */
  double inertia[3];      /* kg m^2, principal, body axes; planar: { 0, 0, Jz } */
  hn_shape shape;
  double density;         /* kg/m^3; 0 when mass is given */
  bool has_gravity;       /* else the model's */
  double gravity[3];      /* m/s^2 */
  double position[3];     /* m */
  double orientation[4];  /* need not be normalised, must not be zero */
  double velocity[3];     /* m/s */
  double angular_velocity[3]; /* rad/s */
} hn_body_spec;

struct hn_joint_spec {
  const char *type;
  const char *name;       /* NULL: type and number */
  int a, b;
  bool has_points;        /* else the bodies' own positions */
  double at_a[3], at_b[3]; /* joint points in the world at t = 0, m */
  double axis_a[3], axis_b[3]; /* directions in the world at t = 0, of any length; axis_b: for types of two axes */
  bool has_length;        /* distance: else the distance at t = 0 */
  double length;          /* m */
  double pitch;           /* m */
  double teeth[2];
  bool has_lower, has_upper;
  double lower, upper;    /* m or rad */
  hn_motion motion;
};

hn_model *hn_model_create(const double gravity[3]);
/* Bodies to come move in the plane z = 0; gravity must lie in it. Joints are taken as what they are there. */
int hn_model_set_planar(hn_model *model, hn_error *error);
void hn_model_free(hn_model *model);
int hn_model_add_body(hn_model *model, const hn_body_spec *spec, hn_error *error);   /* its index */
int hn_model_add_joint(hn_model *model, const hn_joint_spec *spec, hn_error *error); /* its index */
int hn_model_find_body(const hn_model *model, const char *name, hn_error *error);    /* its index */
int hn_model_find_joint(const hn_model *model, const char *name, hn_error *error);   /* its index */
int hn_model_freedoms(const hn_model *model); /* of the moving bodies without joints */
/* Projects the start onto the joints, in the mass metric: positions, then velocities. The last step of building. */
int hn_model_project(hn_model *model, hn_error *error);
/* The same mechanism as point masses and rods without redundancy: rigid bodies on ball joints, hinges and distances.
 * Its first bodies are the centres of MODEL's, with their names. NULL on error. */
hn_model *hn_model_point_masses(const hn_model *model, hn_error *error);

/* Mass and principal inertia of a homogeneous shape. */
int hn_shape_mass(const hn_shape *shape, double density, double *mass, double inertia[3], hn_error *error);

/* ---- Forces: laws along coordinates ------------------------------------------------------------------------------ */

typedef struct hn_force hn_force;

/* A force type: n rows of a joint type measure the bodies, its law says the forces Q along them, G' Q is what acts on
 * the bodies (Q acts on b, -Q on a). */
typedef struct hn_force_type {
  const char *name, *summary;
  const char *citation;
  const hn_joint_type *rows;      /* what it measures: values g, rates G u */
  unsigned keys;                  /* HN_KEY_... of the geometry */
  const char *vector;             /* key of a vector that the scene gives, "force"; NULL: none */
  bool uses_rates;                /* the law depends on velocities */
  int inputs;                     /* numbers in hn_state.input, 0 at the start; control sets the first one */
  const char *const *modes;       /* words for its first input, which is -1, 0 or 1 then; NULL: any number */
  size_t data_size;
  const hn_param *params;         /* ends with a key of NULL */
  /* Checks the data, and completes it; g are the values at the start. May be NULL. */
  int (*setup)(hn_force *force, const double *g, hn_error *error);
  void (*law)(const hn_force *force, double t, const double *input, const double *g, const double *rate, double *Q);
  /* Coefficient k of the power series of Q about t, from coefficients 0..k of g and rate: row r, power i at
   * [r * stride + i]; Q has the lower coefficients already. NULL: not for Taylor methods. */
  void (*jet)(const hn_force *force, double t, const double *input, const double *g, const double *rate, size_t stride,
              size_t k, double *Q);
  /* Energy stored, J. NULL: none. */
  double (*energy)(const hn_force *force, const double *g);
  /* The inputs after a step of h that ended with g and rate at time t: memory of controllers. NULL: they stay. */
  void (*update)(const hn_force *force, double t, double h, const double *g, const double *rate, double *input);
} hn_force_type;

struct hn_force {
  char *name;
  const hn_force_type *type;
  hn_joint rows;      /* bodies, points and axes; its type is type->rows */
  double vector[3];   /* N or N m */
  hn_motion motion;   /* of time: factor of a vector, or target */
  int input;          /* its first one in hn_state.input */
  bool conservative;  /* what it stores is all it takes; set by the type's setup */
  void *data;         /* parameters */
  struct hn_text *texts;
};

/* The force types known, in the order of lib/forces.def; COUNT may be NULL. */
const hn_force_type *const *hn_force_types(size_t *count);
const hn_force_type *hn_force_type_find(const char *name, hn_error *error);

typedef struct hn_force_spec {
  hn_joint_spec geometry; /* type and name are the force's */
  double vector[3];
  bool has_motion;        /* else the constant 1 for a vector, 0 for a target */
  const char *settings;   /* parameters, "key=value,..."; NULL: the defaults */
} hn_force_spec;

int hn_model_add_force(hn_model *model, const hn_force_spec *spec, hn_error *error); /* its index */
int hn_model_find_force(const hn_model *model, const char *name, hn_error *error);   /* its index */
/* Is the energy that hn_measure_state measures a constant of the motion? Not with dampers, motors, forces from outside,
 * prescribed motions or limits: its change is work then, not an error. */
bool hn_model_conserves_energy(const hn_model *model);

/* ---- State: everything a run changes ----------------------------------------------------------------------------- */

typedef struct hn_state {
  double time;      /* s */
  int nbody;
  hn_pose *pose;    /* [nbody] */
  hn_twist *twist;  /* [nbody] */
  int ninput;
  double *input;    /* [ninput] of forces; constant during a step */
} hn_state;

hn_state *hn_state_create(const hn_model *model); /* at t = 0 */
void hn_state_free(hn_state *state);
void hn_state_copy(hn_state *to, const hn_state *from);
bool hn_state_finite(const hn_state *state);
/* Chains the bits of all poses and twists, in scene order, to a hash (start with HN_HASH_START). */
#define HN_HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t hn_state_hash(const hn_state *state, uint64_t hash);

/* ---- Measures: from model and state alone, never from a method's own report -------------------------------------- */

typedef struct hn_measure {
  double kinetic, potential;    /* J; potential is zero at the origin */
  double momentum[3];           /* kg m/s */
  double angular_momentum[3];   /* about the origin, kg m^2/s */
  double position_error;        /* largest joint residual (Euclidean norm over its rows), m or rad */
  double velocity_error;        /* largest joint velocity residual, m/s or rad/s */
  int worst_joint;              /* the joint of position_error, -1 when there is none */
} hn_measure;

void hn_measure_state(const hn_model *model, const hn_state *state, hn_measure *measure);

/* ---- Joints, measured: coordinates and reactions ----------------------------------------------------------------- */

/* How many coordinates JOINT has: type->coordinates[0 ...]. */
int hn_joint_coordinates(const hn_joint *joint);
/* Which of them NAME is, or the only one there is when NAME is NULL. */
int hn_joint_find_coordinate(const hn_joint *joint, const char *name, hn_error *error);
/* Value (m or rad) and rate of coordinate INDEX of JOINT at STATE; angles are in (-pi, pi]. */
void hn_joint_coordinate(const hn_joint *joint, int index, const hn_state *state, double *value, double *rate);
/* What JOINT does to its body b at STATE, world axes: force, N, and torque about its point on b, N m; MULTIPLIERS are
 * those of the joint's rows. What it does to a is the opposite, at that same place. */
void hn_joint_reaction(const hn_joint *joint, const hn_state *state, const double *multipliers, double force[3],
                       double torque[3]);

/* ---- System: the one door between methods and physics; it counts ------------------------------------------------- */

typedef struct hn_work {
  uint64_t residuals;       /* joint residuals evaluated, one per joint */
  uint64_t jacobians;       /* joint Jacobians evaluated, one per joint */
  uint64_t jets;            /* joint jet coefficients evaluated, one per joint and power */
  uint64_t velocity_residuals; /* G u + bias, one per joint */
  uint64_t accelerations;   /* accelerations without joints, one per body */
  uint64_t flights;         /* free flights, or other moves of a pose by the method, one per body */
  uint64_t sweeps;          /* Gauss-Seidel sweeps over all joints */
  uint64_t impulses;        /* joint impulses applied, one per joint */
  uint64_t forces;          /* forces evaluated, one per force */
  uint64_t factorisations;  /* of the constraint matrix */
  uint64_t solves;          /* with the constraint matrix */
  uint64_t detections;      /* rank analyses, where K became singular or regular again */
} hn_work;

/* The unit in which methods are compared and budgets are given, for NJOINT joints: residuals + jacobians + jets +
 * impulses + forces + njoint * factorisations, the joint operations. */
uint64_t hn_work_operations(const hn_work *work, int njoint);

/* Free flight and linear back end: choices. A method holds them in its data, filled from its parameters. */
typedef struct hn_flight_options {
  int kind;              /* index into "rk4,taylor,exact" */
  int order;             /* taylor: 1 to 30 */
  int adaptive;          /* taylor: subdivide to the tolerance below */
  double tolerance;      /* taylor, adaptive: of the error of q per step */
} hn_flight_options;

typedef struct hn_linear_options {
  const char *backend;   /* name in the list of back ends */
  const char *petsc;     /* PETSc options, for the back ends that take them */
  int redundancy;        /* hn_redundancy: what a singular K is answered with */
} hn_linear_options;

typedef struct hn_system {
  const hn_model *model;
  struct hn_flight *flight;       /* after hn_system_use_flight */
  struct hn_linear *linear;       /* after hn_system_use_linear */
  hn_work work;
  double *g;        /* [nrow] residual of the last hn_system_residual */
  double *G;        /* [12 * nrow] Jacobian blocks of the last hn_system_jacobian: joint j at 12 * row, G_a then G_b */
  double *T;        /* [12 * nrow] W G' of the same: joint j at 12 * row, side a then side b, each row by row:
                     * row r of a side is the change of its body's twist (6 numbers) by a unit impulse in row r */
  double *inv_inertia; /* [9 * nbody] R J^-1 R' in world axes, where T was made */
  double *wrench;   /* [6 * nbody] forces and torques of the last hn_system_kick; empty when the model has no forces */
  bool *off;        /* [njoint] one-sided joints that do not act, see hn_system_switch; NULL without any */
  double *bias;     /* [nrow] */
  double *gamma;    /* [nrow] after hn_system_gamma */
  int *rotating;    /* [nrotating] the bodies whose orientation changes: the rigid ones */
  int nrotating;
  bool is_singular; /* K was, in the last hn_system_factor, or its right-hand side in conflict in hn_system_solve */
} hn_system;

hn_system *hn_system_create(const hn_model *model, hn_error *error);
void hn_system_free(hn_system *system);
int hn_system_use_flight(hn_system *system, const hn_flight_options *options, hn_error *error);
int hn_system_use_linear(hn_system *system, const hn_linear_options *options, hn_error *error);

/* Poses and twists after a free flight of duration h under gravity, for all bodies (then time and inputs go with
 * them), or for COUNT listed ones. Output may not overlap input. */
void hn_system_flight(hn_system *system, const hn_state *from, double h, hn_state *to);
void hn_system_flight_of(hn_system *system, const int *bodies, int count, const hn_state *from, double h, hn_state *to);

/* Lets a one-sided joint act, as an equation, or not: then its row of G is zero and of K that of the identity, and its
 * residual is its violation alone, min(g, 0), which no norm counts. All are off at first. Takes effect with the next
 * Jacobian. */
void hn_system_switch(hn_system *system, int joint, bool on);
/* Residuals of all joints into system->g; returns the largest norm of one joint and, when WORST is given, which. */
double hn_system_residual(hn_system *system, const hn_state *state, int *worst);
/* Residual of one joint into g[rows]; returns its norm. */
double hn_system_joint_residual(hn_system *system, int joint, const hn_state *state, double *g);
/* Jacobians, W and W G' of all joints at STATE. */
void hn_system_jacobian(hn_system *system, const hn_state *state);
/* The same for one joint and its bodies; those of the others stay as they are. */
void hn_system_joint_jacobian(hn_system *system, int joint, const hn_state *state);
/* Jacobian blocks alone of all joints at STATE, those that are off included, into G[12 * nrow], laid out as system->G,
 * which stays as it is. */
void hn_system_jacobian_into(hn_system *system, const hn_state *state, double *G);
/* Acceleration terms of all joints at STATE into system->gamma. */
void hn_system_gamma(hn_system *system, const hn_state *state);
/* Velocity residuals G u + bias into v[nrow], with the Jacobian of the last hn_system_jacobian; the largest norm. */
double hn_system_velocity_residual(hn_system *system, const hn_state *state, double *v, int *worst);
/* The same for one joint into v[rows]; its norm. */
double hn_system_joint_velocity(hn_system *system, int joint, const hn_state *state, double *v);
/* u += scale W G' p, for all joints. */
void hn_system_apply(hn_system *system, const double *p, double scale, hn_state *state);
/* u += W G' p for one joint: p[rows]. */
void hn_system_apply_joint(hn_system *system, int joint, const double *p, hn_state *state);
/* Moves the poses by the displacement scale W G' p: positions by its first part, orientations by the small world
 * rotation of its second. WORK is scratch, of which the twists are used. */
void hn_system_displace(hn_system *system, const double *p, double scale, hn_state *work, hn_state *state);
/* Diagonal block of K = G W G' of a joint, rows x rows, symmetric. */
void hn_system_diagonal_block(const hn_system *system, int joint, double *K);
/* Unconstrained acceleration of every body: gravity, the gyroscopic term -J^-1 (w x J w), and the forces. */
void hn_system_free_acceleration(hn_system *system, const hn_state *state, hn_twist *acceleration);
/* Forces and torques about the centres of mass of all the model's forces at STATE into wrench[6 nbody], world axes. */
void hn_system_forces(hn_system *system, const hn_state *state, double *wrench);
/* TWIST += h W system->wrench, W at STATE. */
void hn_system_push(const hn_system *system, const hn_state *state, double h, hn_twist *twist);
/* Both: TWIST += h W times the forces at STATE; TWIST may be STATE's own. Nothing when the model has none. */
void hn_system_kick(hn_system *system, const hn_state *state, double h, hn_twist *twist);
/* Assembles K from the last Jacobian and factors it: HN_CONVERGED, HN_SINGULAR or HN_NOT_FINITE. */
hn_reason hn_system_factor(hn_system *system);
/* Solves K p = b; b and p may be the same array. */
hn_reason hn_system_solve(hn_system *system, const double *b, double *p);
/* Bytes held by the system, its back end excluded where a library does not tell. */
size_t hn_system_memory(const hn_system *system);

/* ---- Rank of the constraints ------------------------------------------------------------------------------------- */

/* What a singular K is answered with: parameter `redundancy` of the methods that solve with K. */
typedef enum hn_redundancy { HN_REFUSE = 0, HN_REMOVE, HN_MIN_NORM, HN_LOOP_SPLIT } hn_redundancy;

enum { HN_RANK_AUTO = 0, HN_RANK_DENSE, HN_RANK_SPARSE }; /* how the rank is found */
#define HN_RANK_MAX_DENSE 2000 /* rows of the largest dense matrix */

/* Singular values are those of A = D^-1/2 G W^1/2, D = diag K: rows of unit length, without units (rank.c). */
typedef struct hn_rank {
  int rows, rank;        /* rows: without those of limits that do not hold now */
  int freedoms, dof;     /* of the moving bodies without joints, and with them */
  double tolerance;      /* singular values up to this count as zero */
  double kept, dropped;  /* the last singular value kept, the first dropped; NAN where there is none */
  double gap;            /* their ratio; dropped counts as the rounding unit at least; NAN unless there are both */
  int nsingular;
  double *singular;      /* [nsingular] descending: all, or those next to the gap */
  bool complete;         /* all */
  int *redundant;        /* [rows - rank] rows that can be removed together, late ones first in the choice, ascending */
  double *undetermined;  /* [nrow] part of the row in the left null space: 0 its multiplier is unique, 1 it is free */
  bool measured;         /* else undetermined is 0 or 1 only */
} hn_rank;

/* Rank of the last hn_system_jacobian. NULL on error. */
hn_rank *hn_rank_create(const hn_system *system, int how, hn_error *error);
void hn_rank_free(hn_rank *rank);
/* The rows that can be removed as names, "joint", or "joint[2]" for its second row alone: entry INDEX, counted over
 * joints that are redundant as a whole and over single rows; false when there are no more. */
bool hn_rank_name(const hn_rank *rank, const hn_model *model, int index, char *text, size_t size);
/* Tells of a row whether its multiplier is unique. */
bool hn_rank_unique(const hn_rank *rank, int row);

/* Linear back ends, for listings. */
typedef struct hn_linear_info {
  const char *name, *summary;
  bool takes_options; /* PETSc options, parameter `petsc` */
  bool allocates;     /* its library asks for memory inside every factorisation or solution: so does a step with it */
} hn_linear_info;
const hn_linear_info *hn_linear_backends(size_t *count);

/* ---- Parameters of flights and linear back ends ------------------------------------------------------------------ */

/* The parameters of a free flight and of a linear back end, for a method whose data has FIELD of that type. */
#define HN_FLIGHT_PARAMS(data, field, default_kind)                                                                    \
  { "flight", HN_CHOICE, offsetof(data, field) + offsetof(hn_flight_options, kind), default_kind, 0, 0, "",            \
    "rk4,taylor,exact", "integrator of the free flight" },                                                             \
  { "flight_order", HN_INTEGER, offsetof(data, field) + offsetof(hn_flight_options, order), "10", 1, 30, "", NULL,     \
    "order of the taylor flight" },                                                                                    \
  { "flight_adaptive", HN_FLAG, offsetof(data, field) + offsetof(hn_flight_options, adaptive), "false", 0, 0, "",      \
    NULL, "subdivide the taylor flight to flight_tolerance" },                                                         \
  { "flight_tolerance", HN_REAL, offsetof(data, field) + offsetof(hn_flight_options, tolerance), "1e-14", 1e-16, 1,    \
    "", NULL, "error of the orientation allowed to an adaptive taylor flight" }
#define HN_LINEAR_PARAMS(data, field)                                                                                  \
  { "linear", HN_TEXT, offsetof(data, field) + offsetof(hn_linear_options, backend), "petsc", 0, 0, "", NULL,          \
    "linear back end (holonom list linear)" },                                                                         \
  { "petsc", HN_TEXT, offsetof(data, field) + offsetof(hn_linear_options, petsc), "", 0, 0, "", NULL,                  \
    "PETSc options for the linear back end, such as -ksp_type minres for ksp" },                                       \
  { "redundancy", HN_CHOICE, offsetof(data, field) + offsetof(hn_linear_options, redundancy), "error", 0, 0, "",       \
    "error,remove,min-norm,loop-split", "what to do with joints that repeat each other, where K is singular" }

/* ---- Solvers ----------------------------------------------------------------------------------------------------- */

enum {
  HN_CAN_BILATERAL = 1,  /* equality constraints */
  HN_CAN_REDUNDANT = 2,  /* runs on redundant constraints */
  HN_HAS_MULTIPLIERS = 4, /* reports joint forces */
  HN_CAN_BOUNDS = 32,     /* one-sided joints */
  HN_KEEPS_MOMENTUM = 8,  /* keeps angular momentum to round-off, step by step */
  HN_OWN_MATRIX = 16      /* solves with a matrix of its own as well, which parameter redundancy does not reach */
};

typedef struct hn_solver hn_solver;

/* A method: one constant table. The framework allocates data_size bytes, fills them from the parameters, and calls
 * setup once; step advances STATE by h and may leave it in any condition when it fails (hn_solver_step restores it). */
typedef struct hn_solver_type {
  int abi;               /* HN_ABI */
  const char *name;
  const char *summary;   /* one line */
  const char *citation;
  unsigned capabilities;
  int order;             /* nominal global order; 0 when a parameter decides */
  size_t data_size;
  const hn_param *params; /* ends with a key of NULL */
  int (*setup)(hn_solver *solver, hn_error *error);
  hn_reason (*step)(hn_solver *solver, hn_state *state, double h);
  void (*reset)(hn_solver *solver); /* forgets all history; may be NULL */
  void (*free)(hn_solver *solver);  /* may be NULL */
  int (*order_of)(const hn_solver *solver); /* order with these parameters; NULL: `order` */
  /* Joint forces at time t within the last step (dense output) into lambda[nrow]; NULL: only at its end. */
  void (*multipliers_at)(const hn_solver *solver, double t, double *lambda);
  /* What studies of all methods show of this one: settings "key=value,...", "" for the defaults, ended by NULL.
   * NULL: the defaults alone. */
  const char *const *variants;
  void *user; /* of whoever makes the table while the program runs; NULL in a constant one */
} hn_solver_type;

/* What a method says of its last step: for records, never for judging it. */
typedef struct hn_report {
  int position_iterations;
  int velocity_iterations;
  int halvings;          /* times a part of the step was halved */
  double residual;       /* position residual left, m or rad */
  int joint;             /* joint of a failure, or -1 */
  const char *stage;     /* what failed: "joint correction", ... */
} hn_report;

struct hn_solver {
  const hn_solver_type *type;
  void *data;
  hn_system *system;
  hn_report report;
  double *multipliers;   /* [nrow] joint forces at the end of the last step (N, N m), where the method reports them */
  hn_state *backup;      /* the state before the step */
  char *spec;            /* "name:key=value,..." with every parameter, as reported */
  struct hn_text *texts; /* strings owned by the parameters */
};

/* Whether methods of TYPE run on redundant constraints: never, with parameter redundancy set, or as they are. */
typedef enum hn_redundant_kind { HN_NEVER, HN_BY_POLICY, HN_ALWAYS } hn_redundant_kind;
hn_redundant_kind hn_solver_redundant(const hn_solver_type *type);

/* The variants of TYPE, never NULL. */
const char *const *hn_solver_variants(const hn_solver_type *type);

/* The methods of the process: built-in ones, then those of plugins; ended by NULL. COUNT may be NULL. */
const hn_solver_type *const *hn_solver_types(size_t *count);
/* The method NAME: a built-in one, one of OWN (as in hn_model.method), or one of a plugin, in this order. NULL on
 * error. */
const hn_solver_type *hn_solver_type_find(const char *name, const hn_solver_type *const *own, hn_error *error);

/* A method by SPEC, "name" or "name:key=value,key=value", ready to step MODEL: of the process, or of the model itself.
 * Solvers may run side by side in threads, each with a state of its own, and may share a model; not those that need
 * PETSc (most linear back ends, but not `dense`) or SUNDIALS, nor those of the model itself, whose owner says what they
 * may. NULL on error. */
hn_solver *hn_solver_create(const char *spec, const hn_model *model, hn_error *error);
void hn_solver_free(hn_solver *solver);
void hn_solver_reset(hn_solver *solver);
int hn_solver_order(const hn_solver *solver);
/* One step of size h > 0. When it fails, STATE is as it was given, to the bit. */
hn_reason hn_solver_step(hn_solver *solver, hn_state *state, double h);
/* The failure of the last step in words: stage, joint, residual. */
void hn_solver_explain(const hn_solver *solver, hn_reason reason, double h, char *text, size_t size);

/* ---- Plugins: methods in shared objects outside the tree (doc/plugin.md) ----------------------------------------- */

/* A plugin is linked with this library and defines this one symbol: its methods, ended by NULL. A process that loads
 * plugins does so before it makes solvers; they stay loaded. */
extern const hn_solver_type *const hn_plugin_solvers[];

/* Loads the methods of the shared object PATH into the registry. All or none: a file that is no plugin, a table for
 * another HN_ABI, or the name of another method is an error. A plugin that is loaded already stays as it is. */
int hn_plugin_load(const char *path, hn_error *error);
/* Loads every *.so of DIRECTORIES, separated by colons, in the order of their names. */
int hn_plugin_load_path(const char *directories, hn_error *error);

/* ---- Run: the step loop and its record --------------------------------------------------------------------------- */

typedef struct hn_frame {
  long index;                /* 0 is the initial state */
  const hn_state *state;
  const hn_measure *measure;
  const hn_report *report;
  uint64_t hash;
  const double *multipliers; /* [nrow] joint forces at the end of the step; NULL where the method tells none */
} hn_frame;

typedef struct hn_run_options {
  double step, duration;     /* s */
  uint64_t budget;           /* joint operations: the run ends after the first step that reaches it; 0: no limit */
  /* Called for the initial state and after every step; false stops the run. May be NULL. */
  bool (*observe)(void *user, const hn_frame *frame);
  void *user;
  const volatile sig_atomic_t *stop; /* checked between steps; may be NULL */
  /* Called before every step; may change the inputs of STATE, to finite numbers, and nothing else in it. -1 with a text
   * ends the run before that step. A step that fails takes back what control has set for it. May be NULL. */
  int (*control)(void *controller, hn_state *state, hn_error *error);
  void *controller;
} hn_run_options;

typedef struct hn_range { uint64_t min, max, total; } hn_range;

typedef struct hn_summary {
  hn_reason reason;
  char explanation[sizeof(hn_error)]; /* of a reason that is not success */
  bool control_failed;       /* control ended the run (reason HN_INTERRUPTED): an error, with the explanation as text */
  long steps;                /* taken */
  double time;               /* reached, s */
  double last_step;          /* size of the last step taken, s; below step when that does not divide the duration */
  double position_max, velocity_max; /* largest joint errors seen, m and m/s (rad and rad/s) */
  double energy_initial, energy_final, energy_error_max; /* J */
  bool energy_conserved;     /* hn_model_conserves_energy: else energy_error_max is work, not an error */
  double position_iterations_mean, velocity_iterations_mean;
  int position_iterations_max;
  uint64_t halvings;         /* steps and parts of steps that were halved */
  hn_range impulses;         /* per step */
  hn_work work;
  uint64_t hash;
  double wall_s;             /* time spent in steps alone */
} hn_summary;

hn_reason hn_run(hn_solver *solver, hn_state *state, const hn_run_options *options, hn_summary *summary);

/* Trajectory as CSV: one line a frame, full precision. Written to PATH.part and renamed by close; what was written
 * before an interruption stays readable. */
typedef struct hn_record hn_record;
hn_record *hn_record_create(const char *path, const hn_model *model, hn_error *error);
/* Adds the rank, the last singular value kept and the first dropped to every line; before the first frame. */
int hn_record_add_rank(hn_record *record, const hn_model *model, hn_error *error);
/* Adds the coordinates of all joints and their rates, and, where REACTIONS says that the method reports multipliers,
 * the forces and torques on their bodies b; before the first frame. */
int hn_record_add_joints(hn_record *record, bool reactions, hn_error *error);
bool hn_record_frame(void *record, const hn_frame *frame); /* an observer for hn_run; false when writing fails */
int hn_record_close(hn_record *record, hn_error *error);

/* Steps that cover DURATION: all of size STEP, the last one shorter when STEP does not divide it. HN_MAX_STEPS when
 * there would be more: their times could not be told apart. */
#define HN_MAX_STEPS (1L << 53)
long hn_step_count(double step, double duration);

/* ---- Studies ----------------------------------------------------------------------------------------------------- */

/* Slope of log(error) against log(step) by least squares over the finite, positive entries; NAN with fewer than two. */
double hn_fit_order(const double *step, const double *error, size_t count);

/* Where an order can be read off, found from the errors alone. */
typedef struct hn_window {
  size_t first, count;       /* entries; count is 0 when there is no such place */
  double order;              /* p, fitted over them; NAN without */
} hn_window;

enum { HN_WINDOW_LEAST = 6, HN_WINDOW_MOST = 16 }; /* entries of a window */

/* The HN_WINDOW_LEAST to HN_WINDOW_MOST consecutive entries with floor < error < ceiling that lie nearest to the end of
 * the list, as many as can be, that follow C h^p (1 + D h) within SLACK of themselves (0.02 is strict), the second term
 * being smaller than the first. STEP descends: the end is where h goes to 0. */
hn_window hn_fit_window(const double *step, const double *error, size_t count, double floor, double ceiling,
                        double slack);

/* ---- Files ------------------------------------------------------------------------------------------------------- */

/* Directories of scenes and Lua modules, and of loadable modules: those of the build tree when run from it, else those
 * of the installation. */
const char *hn_data_dir(const char *what); /* "scenes" or "lua" */
const char *hn_module_dir(void);
const char *hn_version(void);

#endif
