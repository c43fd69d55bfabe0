/* model.h - what a model is made of: errors, parameters, bodies, joints, forces */
#ifndef HOLONOM_MODEL_H
#define HOLONOM_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

#define HN_ABI 8 /* of all that a method can reach; a plugin built against another one is refused */

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
  HN_FULL,          /* no room for more contacts */
  HN_DIVERGED,      /* joints are further apart than the mechanism is large, or energy is off by more than there is */
  HN_INTERRUPTED    /* the user stopped the run */
} hn_reason;

/* The word used for a reason in every output: "converged", "stalled", ... */
const char *hn_reason_name(hn_reason reason);

/* The word among COUNT candidates nearest to WORD (edit distance), or NULL when none is near enough to be meant. */
const char *hn_nearest(const char *word, const char *const *candidates, size_t count);

/* ---- Parameters: one table per type drives Lua keys, options, listings and the manual -------------------------- */

/* A number in the fewest digits, from 15 on, that read back to the same bits, in any locale: "1e-06", "0.1", "nan". */
typedef struct hn_digits { char text[32]; } hn_digits;
hn_digits hn_exact(double number);

typedef enum hn_param_kind { HN_REAL, HN_INTEGER, HN_FLAG, HN_CHOICE, HN_TEXT, HN_PAIR } hn_param_kind;

typedef struct hn_param {
  const char *key;
  hn_param_kind kind;        /* stored as double, int, int (0 or 1), int (index of the choice), const char *, int[2] */
  size_t offset;             /* in the owner's data */
  const char *initial;       /* default, as a user would write it (a pair "2:3"); "": none, NaN or zeros until given */
  double min, max;           /* HN_REAL, HN_INTEGER, HN_PAIR: inclusive range */
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

typedef enum hn_shape_kind { HN_NO_SHAPE = 0, HN_BOX, HN_SPHERE, HN_CYLINDER, HN_CAPSULE, HN_PLANE, HN_CONVEX,
                             HN_CIRCLE, HN_POLYGON, HN_SHAPE_KINDS } hn_shape_kind;

typedef struct hn_shape {
  hn_shape_kind kind;
  double size[3]; /* m; box: edges; sphere, circle: radius; cylinder, capsule (axis y): radius, height of the straight
                   * part; plane: its normal, of unit length, out of the half space that it fills */
  const struct hn_hull *hull; /* of HN_CONVEX and HN_POLYGON, its corners; owned by whoever made it */
} hn_shape;

typedef enum hn_body_kind { HN_FIXED = 0, HN_PARTICLE, HN_RIGID } hn_body_kind;

typedef struct hn_body {
  char *name;
  hn_body_kind kind;
  int collider, ncollider; /* first of its shapes among the model's, and how many */
  double gravity[3];  /* m/s^2 */
  double mass;        /* kg; 0 when fixed */
  double J[3];        /* principal moments of inertia about the centre of mass, body axes, kg m^2; 0 unless rigid */
  double inv_mass;    /* 1/kg; 0 when fixed */
  double inv_J[3];    /* 1/(kg m^2); 0 unless rigid, and 0 where J is: planar bodies turn about z alone */
  hn_pose pose0;      /* at t = 0 */
  hn_twist twist0;    /* at t = 0 */
  hn_pose *frame;     /* where the axes in which the scene speaks of it are in its own (centre of mass, principal axes);
                       * NULL: they are the same */
} hn_body;

/* A shape on a body. */
typedef struct hn_collider {
  int body;
  int material;        /* among those of the model, -1: none */
  int surface;         /* among those of the model: hn_model_surface */
  hn_shape shape;
  hn_pose place;       /* of the shape's axes in the body's own: centre of mass, principal axes */
  double reach;        /* m: radius of the sphere about place.x that holds it; of a plane infinite */
  uint32_t group, mask; /* two collide when each one's group is in the other's mask; group 0: it is there to be looked
                         * at, and for its mass */
} hn_collider;

enum { HN_MAX_ROWS = 6 }; /* rows of one joint */
enum { HN_MOST_CONTACTS = 1 << 20 }; /* of one model */

/* Where the impulse p of a joint may lie, and its multiplier p / h: see base/set.c. */
typedef enum hn_set_kind {
  HN_ANY = 0,  /* an equation */
  HN_PUSH,     /* p >= 0: limits, contacts without friction */
  HN_WITHIN,   /* lower <= p / h <= upper: motors with a largest force, dry friction in joints */
  HN_CONE      /* p_0 >= 0, |(p_1, p_2)| <= mu p_0; in the plane |p_1| <= mu p_0 */
} hn_set_kind;

typedef struct hn_set {
  hn_set_kind kind;
  double mu;           /* 1; coefficient of friction */
  double mu_static;    /* 1; up to it a contact sticks, and slides with mu: for solvers with HN_SOLVES_STICKING alone;
                        * 0: mu */
  double lower, upper; /* N or N m */
  double restitution;  /* of row 0: 0 plastic to 1 elastic */
} hn_set;

/* Between what each component of an impulse of SET, which is no cone, lies in a step of h. */
void hn_set_bounds(const hn_set *set, double h, double *lower, double *upper);
/* p[n] := the impulse of SET nearest to it, for a step of h. */
void hn_set_project(const hn_set *set, int n, double h, double *p);
/* v[n] := the velocities with which Coulomb's law is the law of a convex set: those of a cone with mu |v_t| more along
 * the normal. */
void hn_set_shift(const hn_set *set, int n, double *v);
/* How far p[n] and the velocities v[n] of its rows (less their targets, in the unit of p: v / k for some k > 0) are
 * from a solution: |p - P(p - v)|, zero at a solution alone. */
double hn_set_error(const hn_set *set, int n, double h, const double *p, const double *v);

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
  int input;          /* its first one in hn_state.input; -1: it has none */
  double point_a[3];  /* joint point in body axes of a, from its centre of mass, m */
  double point_b[3];  /* joint point in body axes of b, m */
  struct hn_axes *axes; /* NULL when it has none, as a ball joint */
  void *data;         /* parameters; NULL when its type has none */
  const hn_set *set;  /* where its impulse may lie; setup may point it into the data */
  struct hn_residual *own; /* what has its type, where the scene has given its rows */
} hn_joint;

/* Axes 0, 1, 2 of a joint, one after the other: orthonormal and right-handed; and what belongs to them. */
typedef struct hn_axes {
  double a[9];        /* in body axes of a */
  double b[9];        /* in body axes of b; the same directions at t = 0 when the joint has one axis */
  double angle;       /* constant angle, or angle at the start, rad */
  hn_motion motion;   /* prescribed, m or rad; of a motor the rate, m/s or rad/s */
} hn_axes;

/* What eval is asked for; a NULL pointer is not computed. Jacobian blocks are stored by column: G[6 * rows],
 * entry (row r, column c) at [c * rows + r]; columns 0-2 multiply v, 3-5 multiply w of the body. */
typedef struct hn_rows {
  double *g;      /* [rows] residual, in the unit of the type (m or rad); 0 for a type of velocities */
  double *G_a;    /* [6 * rows] Jacobian with respect to the twist of a */
  double *G_b;    /* [6 * rows] Jacobian with respect to the twist of b */
  double *bias;   /* [rows] dg/dt at rest (prescribed motion), so that dg/dt = G u + bias */
  double *gamma;  /* [rows] acceleration term, so that d2g/dt2, or d(G u + bias)/dt, = G du/dt + gamma */
} hn_rows;

/* Coefficient k of the motion of a body as a power series in time. */
typedef struct hn_body_power {
  double x[3]; /* position */
  double q[4]; /* orientation */
  double R[9]; /* rotation matrix of q, row by row */
  double L[3]; /* coefficient k - 1 of the angular momentum, world axes: beside the positions it leads to */
  double W[3]; /* and of the angular velocity, body axes */
} hn_body_power;

/* All of them: who needs the lower ones finds them in one piece. */
typedef struct hn_body_jet {
  size_t count;         /* highest order + 1 */
  hn_body_power *power; /* [count] */
} hn_body_jet;

/* What a scene must say of a joint of some type, and what its bodies must be. */
enum {
  HN_KEY_AT = 1,          /* its points */
  HN_KEY_OWN_POINTS = 2,  /* a point that is not said is a particle's own, or the origin of the ground */
  HN_KEY_AXIS = 4,        /* one axis */
  HN_KEY_AXES = 8,        /* an axis on each body */
  HN_KEY_MOTION = 16,
  HN_TURNS_A = 32,        /* the orientation of a matters: it cannot be a particle */
  HN_TURNS_B = 64,
  HN_AXIS_NORMAL = 128,   /* planar systems: its axis is along z */
  HN_AXIS_IN_PLANE = 256, /* planar systems: its axes lie in the plane */
  HN_KEY_BODY_AXES = 512  /* its axes are those in which the scene speaks of b */
};

/* What a scene can add beside a joint by keys of its own: a joint of TYPE between the same bodies, at that place. */
typedef struct hn_beside {
  const hn_joint_type *type; /* NULL ends a list */
  const char *suffix;        /* its name is that of the joint, a dot and this */
  const char *key;           /* by which the first parameter of TYPE goes there; NULL: all go by their own names */
} hn_beside;

/* A joint type: two writings of the same constraint, which must agree (the contract suite checks it). */
struct hn_joint_type {
  const char *name;
  const char *summary;
  const char *unit;       /* of its residual: "m" or "rad"; of velocities that times s */
  int rows;
  hn_set_kind set;        /* HN_PUSH: g >= 0, one row; numbers of a set come from setup */
  bool velocity;          /* constrains velocities alone, G u + bias = 0: there is no residual, eval gives 0 for g */
  unsigned keys;          /* HN_KEY_... and HN_TURNS_... */
  int inputs;             /* 1: it has a number in hn_state.input, 0 at the start, that adds to the rate of a motor */
  size_t data_size;
  const hn_param *params; /* none of them a text; ends with a key of NULL; NULL: none */
  const hn_beside *beside; /* NULL: nothing */
  int jet_series;         /* series that jet keeps in its work memory */
  const void *detail;     /* of types that share their functions */
  const hn_joint_type *planar; /* what it is in a planar system; NULL: nothing */
  const hn_joint_type *const *coordinates; /* what it leaves free: types of one row, ended by NULL; NULL: none */
  /* Takes from SPEC, whose points and axes are complete, what is its own; the bodies' poses at t = 0 are A and B, and
   * points, axes and parameters of JOINT are in place. -1 when the joint is not defined there. May be NULL. */
  int (*setup)(hn_joint *joint, const hn_joint_spec *spec, const hn_pose *a, const hn_pose *b, hn_error *error);
  /* Closed form at time t: fills what OUT asks for. The Jacobian is a function of the poses alone: a prescribed motion
   * is in the residual, the bias and gamma. */
  void (*eval)(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
               const hn_twist *ub, const hn_rows *out);
  /* Power series about time t: coefficient k of every residual into g[rows], and of the Jacobian blocks into G_a and
   * G_b (laid out as in hn_rows; NULL: not wanted), given coefficients 0..k of the bodies and the lower ones of its own
   * series in work[jet_series * count], zero at first; called with k = 0, 1, 2, ... in turn, and again, with g NULL,
   * when coefficient k of the bodies has changed: what is linear in it need not be formed anew. For a type of
   * velocities g takes coefficient k of the bias, which knows nothing of the bodies: G u + bias is formed from it, the
   * Jacobian's series and that of the twists.
   * NULL: there is none, and methods of power series cannot do the joint. */
  void (*jet)(const hn_joint *joint, double t, const hn_body_jet *a, const hn_body_jet *b, size_t k, double *work,
              double *g, double *G_a, double *G_b);
};

/* The joint types known, in the order of lib/joints.def; COUNT may be NULL. */
const hn_joint_type *const *hn_joint_types(size_t *count);
const hn_joint_type *hn_joint_type_find(const char *name, hn_error *error);
/* Its parameters: a table that may be empty, but is never NULL. */
const hn_param *hn_joint_params(const hn_joint_type *type);
/* The number that parameter KEY of JOINT has; NaN when it has no real parameter of that name. */
double hn_joint_real(const hn_joint *joint, const char *key);

/* What methods can do, and what a model needs of them. */
enum {
  HN_CAN_BILATERAL = 1,   /* equality constraints */
  HN_CAN_REDUNDANT = 2,   /* runs on redundant constraints */
  HN_HAS_MULTIPLIERS = 4, /* reports joint forces */
  HN_KEEPS_MOMENTUM = 8,  /* keeps angular momentum, but for round-off and the gaps that a tolerance leaves in joints:
                           * these times the impulses */
  HN_OWN_MATRIX = 16,     /* solves with a matrix of its own as well, which parameter redundancy does not reach */
  HN_CAN_PUSH = 32,       /* sets: limits */
  HN_CAN_WITHIN = 64,     /* bounded forces: motors with a largest force, dry friction in joints */
  HN_CAN_CONE = 128,      /* contacts with friction */
  HN_CAN_CHANGE = 256,    /* blocks that come and go between its steps */
  HN_CAN_BOUNCE = 512,    /* targets other than 0: impacts with restitution */
  HN_CAN_VELOCITY = 1024  /* rows that constrain velocities alone */
};

/* ---- Model: constant once finished. Body 0 is the ground --------------------------------------------------------- */

/* How far what a joint says in closed form, in power series and by its values near by is from being one thing, each the
 * largest part by which two are apart, over bodies drawn near the start. */
#define HN_CONTRACT_EXACT 1e-11     /* what is apart by rounding alone */
#define HN_CONTRACT_DIFFERENCE 1e-7 /* and by difference quotients */
typedef struct hn_contract {
  double value, rate, acceleration; /* coefficients 0, 1, 2 of the series: g, G u + bias, half of G a + gamma */
  double jacobian;   /* coefficient 0 of the Jacobian's series: G */
  double difference; /* differences of g along the motion: G u + bias; of rates of velocity types: gamma */
  double slope;      /* coefficient 1 of the Jacobian's series: differences of G */
  bool has_jet;      /* else only `difference` is measured */
  bool kept;         /* all are within their bounds */
} hn_contract;

/* What hn_model_project has done to the start. */
typedef struct hn_projection {
  bool done;
  double position, velocity; /* largest joint errors it found, m and m/s (rad and rad/s) */
  double moved;              /* the farthest that a centre of mass was moved, m */
  int steps;                 /* of Newton's method */
} hn_projection;

/* The deepest overlap of two shapes at the start. */
typedef struct hn_overlap {
  double depth; /* m; 0: none */
  int a, b;     /* bodies */
} hn_overlap;

typedef struct hn_model {
  int nbody;           /* bodies, the ground included */
  int njoint;
  int nrow;            /* rows of all joints */
  int most_contacts;   /* room for contacts in every state and system; 0: nothing touches */
  double threshold;    /* m/s, rad/s: an impact that is slower is plastic, whatever its restitution */
  unsigned needs;      /* HN_CAN_...: what a method must be able to do */
  double gravity[3];   /* m/s^2 */
  bool loose;          /* joints may be violated at the start */
  bool planar;         /* bodies stay in the plane z = 0 */
  bool consistent;     /* the start is to be projected: until hn_model_project, joints may be violated */
  hn_projection projection; /* what that has changed */
  hn_body *body;       /* [nbody] */
  hn_joint *joint;     /* [njoint], in the order of the scene */
  int ncollider;
  hn_collider *collider; /* [ncollider], those of a body together, bodies in the order of the scene */
  struct hn_surfaces *surfaces; /* groups, materials, and what pairs of them are to each other */
  double margin;       /* m: shapes nearer than this are contacts; 0: nothing collides */
  hn_overlap overlap;  /* after hn_model_find_overlap */
  int most_points;     /* of a pair of shapes that become contacts; 0: all */
  bool jointed_collide; /* also bodies that a joint connects */
  int nforce;
  struct hn_force *force; /* [nforce], in the order of the scene */
  int ninput;          /* inputs of all joints and forces: what control may set, and memory of controllers */
  const struct hn_solver_type *const *method; /* methods of whoever built it, ended by NULL and his; NULL: none */
  const struct hn_contact_type *const *contact_solver; /* likewise solvers of contact problems */
} hn_model;

/* A shape placed on a body, in the axes in which the scene speaks of it. */
typedef struct hn_part {
  hn_shape shape;
  double position[3];     /* m */
  double orientation[4];  /* need not be normalised; all zero: as the body's */
  double density;         /* kg/m^3, of planar shapes kg/m^2; 0: the body's */
  bool weightless, ghost; /* without mass; without collisions */
} hn_part;

/* What a scene says of a body. Give mass and inertia, or shapes and a density, or mass and shapes. */
typedef struct hn_body_spec {
  const char *name;
  hn_body_kind kind;
  bool has_mass;
  double mass;            /* kg */
  double inertia[3];      /* kg m^2, about the centre of mass; planar: { 0, 0, Jz } */
  double products[3];     /* entries Jxy, Jxz, Jyz of the inertia tensor, minus the integrals of x y, ... */
  double centre[3];       /* of mass, where it is given, in the axes of the body, m */
  hn_shape shape;         /* one, at the origin of the body, */
  const hn_part *part;    /* or [nparts] */
  int nparts;
  double density;         /* kg/m^3; 0 when mass is given */
  double friction;        /* of its surface, where it slides, */
  double static_friction; /* and where it sticks, at least as much; 0: the same */
  double restitution;
  const char *material, *group; /* names; NULL: none */
  const char *const *collides;  /* groups that it collides with, ended by NULL; NULL: all */
  bool has_gravity;       /* else the model's */
  double gravity[3];      /* m/s^2 */
  double position[3];     /* m */
  double orientation[4];  /* need not be normalised, must not be zero */
  double velocity[3];     /* m/s, of the origin of the body */
  double angular_velocity[3]; /* rad/s */
} hn_body_spec;

/* Rows of one's own, in place of a type: functions of time, poses and, of a rate, velocities. */
typedef struct hn_joint_own {
  struct hn_tape *residual, *rate; /* one of them, or both; the model frees them */
  const char *unit;       /* "m" or "rad", of the residual */
  unsigned keys;          /* HN_KEY_AT, HN_KEY_AXIS: what the scene has said of its place */
} hn_joint_own;

struct hn_joint_spec {
  const hn_joint_own *own; /* NULL: a type of the registry */
  const char *type;
  const char *name;       /* NULL: type and number */
  int a, b;
  bool has_points;        /* else the bodies' own positions */
  double at_a[3], at_b[3]; /* joint points in the world at t = 0, m */
  double axis_a[3], axis_b[3]; /* directions in the world at t = 0, of any length; axis_b: for types of two axes */
  hn_motion motion;
  const char *settings;   /* parameters, "key=value,..."; NULL: the defaults */
};

hn_model *hn_model_create(const double gravity[3]);
/* Bodies to come move in the plane z = 0; gravity must lie in it. Joints are taken as what they are there. */
int hn_model_set_planar(hn_model *model, hn_error *error);
void hn_model_free(hn_model *model);
int hn_model_add_body(hn_model *model, const hn_body_spec *spec, hn_error *error);   /* its index */
int hn_model_add_joint(hn_model *model, const hn_joint_spec *spec, hn_error *error); /* its index */
int hn_model_find_body(const hn_model *model, const char *name, hn_error *error);    /* its index */
/* For many look-ups: the bodies in the order of their names, to be freed, or NULL without memory; and the body called
 * NAME, or -1. */
int *hn_model_sort_bodies(const hn_model *model);
int hn_model_look_up(const hn_model *model, const int *sorted, const char *name);
int hn_model_find_joint(const hn_model *model, const char *name, hn_error *error);   /* its index */
/* Makes room for contacts in the states and systems to come: MOST of them, with FRICTION or without. */
int hn_model_expect_contacts(hn_model *model, int most, bool friction, hn_error *error);
/* Of one of the joints. -1 without memory. */
int hn_joint_contract(const hn_model *model, int joint, hn_contract *contract, hn_error *error);
/* 0 when the start agrees with all joints: one that is loose may not. The error names the first joint that does not. */
int hn_model_check_start(const hn_model *model, hn_error *error);
int hn_model_freedoms(const hn_model *model); /* of the moving bodies without joints */
/* Projects the start onto the joints, in the mass metric: positions, then velocities. The last step of building. */
int hn_model_project(hn_model *model, hn_error *error);
/* The same mechanism as point masses and rods without redundancy: rigid bodies on ball joints, hinges and distances.
 * Its first bodies are the centres of MODEL's, with their names. NULL on error. */
hn_model *hn_model_point_masses(const hn_model *model, hn_error *error);

/* ---- Mass and shapes --------------------------------------------------------------------------------------------- */

typedef struct hn_mass {
  double mass;       /* kg */
  double centre[3];  /* of mass, m */
  double J[6];       /* inertia tensor about it: Jxx, Jyy, Jzz, Jxy, Jxz, Jyz, kg m^2 */
} hn_mass;

/* The name of a kind of shape, "box". */
const char *hn_shape_name(hn_shape_kind kind);
/* Refuses sizes that are not positive, and normals without length. */
int hn_shape_check(const hn_shape *shape, hn_error *error);
/* Of a homogeneous shape, in its axes; planar shapes have kg/m^2 and J of the third axis alone. */
int hn_shape_mass(const hn_shape *shape, double density, hn_mass *out, hn_error *error);
/* Adds PART, whose axes stand at PLACE, to SUM. */
void hn_mass_add(hn_mass *sum, const hn_mass *part, const hn_pose *place);
/* Principal axes Q, as near to those of MASS as they can be, and the moments J about them. */
int hn_mass_principal(const hn_mass *mass, double q[4], double J[3], hn_error *error);
/* Where the axes are in which the scene speaks of BODY, with its own at POSE and TWIST; and the other way. */
void hn_body_to_scene(const hn_body *body, const hn_pose *pose, const hn_twist *twist, hn_pose *to, hn_twist *to_twist);
void hn_body_from_scene(const hn_body *body, const hn_pose *pose, const hn_twist *twist, hn_pose *to,
                        hn_twist *to_twist);

/* ---- Contact ----------------------------------------------------------------------------------------------------- */

/* From now on shapes collide: nearer than MARGIN they are contacts, of which there is room for MOST; 0: as the shapes
 * ask for, when they are all there. */
typedef struct hn_contact_spec {
  double margin;    /* m; 0: a twentieth of the smallest reach of a shape */
  int most;
  double threshold; /* m/s: impacts that are slower are plastic; 0: as it is */
  bool jointed;     /* bodies that a joint connects collide as well */
  int points;       /* of a pair of shapes at most, up to 4; 0: all */
} hn_contact_spec;
int hn_model_collide(hn_model *model, const hn_contact_spec *spec, hn_error *error);
typedef struct hn_surface {
  double friction, static_friction; /* 1: of what slides, and of what sticks, which is at least as much; 0: the same */
  double restitution;               /* 0 to 1 */
} hn_surface;
/* Looks for the deepest overlap at the start, into model->overlap. Where there are more contacts than room it finds
 * none: the first step will say so. */
int hn_model_find_overlap(hn_model *model, hn_error *error);
/* What two materials are to each other, instead of what their bodies say; NAN: as their bodies say. */
int hn_model_pair_materials(hn_model *model, const char *a, const char *b, const hn_surface *surface, hn_error *error);
/* What a pair of colliders is to each other: of frictions the geometric mean, of restitutions the larger one, unless
 * their materials say otherwise. */
hn_surface hn_model_surface(const hn_model *model, int a, int b);

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
  int inputs;                     /* numbers in hn_state.input; control sets the first one, 0 at the start */
  enum { HN_NO_LAW, HN_LAW, HN_RATE_LAW } own_law; /* can the scene give its law? HN_RATE_LAW: it has a rate alone */
  const char *const *modes;       /* words for its first input, which is -1, 0 or 1 then; NULL: any number */
  size_t data_size;
  const hn_param *params;         /* ends with a key of NULL */
  /* Checks the data, and completes it; g are the values at the start. May be NULL. */
  int (*setup)(hn_force *force, const double *g, hn_error *error);
  void (*law)(const hn_force *force, double t, const double *input, const double *g, const double *rate, double *Q);
  /* Coefficient k of the power series of Q about t, from coefficients 0..k of g and rate: row r, power i at
   * [r * stride + i]; Q has the lower coefficients already. WORK keeps jet_series series from call to call. NULL: not
   * for Taylor methods. */
  int jet_series;
  void (*jet)(const hn_force *force, double t, const double *input, const double *g, const double *rate, size_t stride,
              size_t k, double *work, double *Q);
  /* Energy stored, J. NULL: none. */
  double (*energy)(const hn_force *force, const double *g);
  /* The inputs after a step of h that ended with g and rate at time t: memory of controllers. NULL: they stay. */
  void (*update)(const hn_force *force, double t, double h, const double *g, const double *rate, double *input);
  /* Those at the start of the model, where g are the values; they are 0. NULL: they stay so. */
  void (*start)(const hn_force *force, const double *g, double *input);
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
  struct hn_law *own; /* what has its type, where the scene has given its law */
};

/* The force types known, in the order of lib/forces.def; COUNT may be NULL. */
const hn_force_type *const *hn_force_types(size_t *count);
const hn_force_type *hn_force_type_find(const char *name, hn_error *error);

typedef struct hn_force_spec {
  hn_joint_spec geometry; /* type and name are the force's; it has no settings */
  double vector[3];
  bool has_motion;        /* else the constant 1 for a vector, 0 for a target */
  const char *settings;   /* parameters, "key=value,..."; NULL: the defaults */
  struct hn_tape *law, *energy; /* of one's own, in place of the type's; the model frees them. NULL: none */
} hn_force_spec;

int hn_model_add_force(hn_model *model, const hn_force_spec *spec, hn_error *error); /* its index */
int hn_model_find_force(const hn_model *model, const char *name, hn_error *error);   /* its index */
/* Is the energy that hn_measure_state measures a constant of the motion? Not with dampers, motors, forces from outside,
 * prescribed motions, limits or contacts: its change is work then, not an error. */
bool hn_model_conserves_energy(const hn_model *model);

/* ---- Files ------------------------------------------------------------------------------------------------------- */

/* Directories of scenes, of Lua modules and of the page of reports, and of loadable modules: those of the build tree
 * when run from it, else those of the installation. */
const char *hn_data_dir(const char *what); /* "scenes", "studies", "lua" or "web" */
const char *hn_module_dir(void);
const char *hn_version(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
