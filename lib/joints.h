/* joints.h - joint types, the admissible sets of their impulses, and prescribed motions */
#ifndef HOLONOM_JOINTS_H
#define HOLONOM_JOINTS_H

#include "bodies.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

/* ---- Admissible sets of impulses ----------------------------------------------------------------------- */

/* Admissible set of the impulse p of a joint, and of its multiplier p / h: see base/set.c. */
typedef enum hn_set_kind {
  HN_ANY = 0, /* all p: an equation */
  HN_PUSH,    /* p >= 0: limits, contacts without friction */
  HN_WITHIN,  /* lower <= p / h <= upper: motors with a maximum force, dry friction in joints */
  HN_CONE     /* p_0 >= 0, and each disc of friction within its radius times p_0; see hn_set_discs */
} hn_set_kind;

typedef struct hn_set {
  hn_set_kind kind;
  double mu;                     /* coefficient of friction, 1 */
  double mu_rolling, mu_torsion; /* of rolling and of torsional friction, m; for cones with such rows */
  /* static coefficient of friction, 1; 0: equal to mu. Only solvers with HN_SOLVES_STICKING use it */
  double mu_static;
  double lower, upper; /* N or N m */
  double restitution;  /* of row 0: 0 plastic, 1 elastic */
  /* of a cone, 1 - mu_2 / mu_1: its row t2 is scaled by mu_2 / mu_1, which makes the cone of mu_1 and mu_2 a
   * circular one of mu = mu_1. Information: no function of sets uses it */
  double anisotropy;
} hn_set;

/* A disc of friction of a cone: rows ROW to ROW + N - 1 have |p| <= mu p_0. */
typedef struct hn_disc {
  int row, n;
  double mu; /* 1 for tangents, m for moments */
} hn_disc;
enum { HN_MAX_DISCS = 3 };

/* Stores the discs of SET, a cone of N rows, and returns their number. Row 0 is the normal; the others are
 *
 *   n = 2   t              in the plane
 *   n = 3   t1 t2
 *   n = 4   t1 t2 s        with torsional friction: a moment about the normal
 *   n = 5   t1 t2 m1 m2    with rolling friction: moments about the tangents
 *   n = 6   t1 t2 m1 m2 s  with both
 *
 * Moments are in N m s, their velocities in rad/s. */
int hn_set_discs(const hn_set *set, int n, hn_disc disc[HN_MAX_DISCS]);
/* Computes the bounds of each component of an impulse of SET in a step of h; SET is not a cone. */
void hn_set_bounds(const hn_set *set, double h, double *lower, double *upper);
/* Projects p[n] onto SET for a step of h. */
void hn_set_project(const hn_set *set, int n, double h, double *p);
/* Adds De Saxce's shift, the sum of mu |v| over the discs, to the normal velocity v[0] of a cone; other sets
 * are unchanged. With shifted velocities, Coulomb's law is a complementarity condition on a convex cone. */
void hn_set_shift(const hn_set *set, int n, double *v);
/* Returns that shift. */
double hn_set_shift_of(const hn_set *set, int n, const double *v);
/* Returns the residual |p - P(p - v)| of the complementarity condition, which is zero exactly at a solution.
 * v[n] are velocities of the rows less their targets, divided by some k > 0 so that they have the unit of
 * p. */
double hn_set_error(const hn_set *set, int n, double h, const double *p, const double *v);

/* A law of impact: returns the velocity (m/s, rad/s), at least 0, of row 0 of `set` after an impact with
 * `rate` < 0. Impacts slower than `threshold` are plastic. */
typedef double hn_impact_law(const hn_set *set, double threshold, double rate);
/* Newton's law: returns the restitution times the approach velocity. */
double hn_newton_impact(const hn_set *set, double threshold, double rate);

/* ---- Prescribed motions -------------------------------------------------------------------------------- */

/* A function of time: f(t) = sum of polynomial[i] t^i + amplitude sin(frequency t + phase). */
enum { HN_MOTION_TERMS = 8 };
typedef struct hn_motion {
  double polynomial[HN_MOTION_TERMS];
  double amplitude;
  double frequency; /* rad/s */
  double phase;     /* rad */
} hn_motion;

/* Returns coefficient k of the power series of MOTION about t: its k-th derivative divided by k!. */
double hn_motion_coefficient(const hn_motion *motion, double t, size_t k);

/* ---- Joints and their types ---------------------------------------------------------------------------- */

enum { HN_MAX_ROWS = 6 }; /* maximum number of rows of a joint */
typedef struct hn_joint_type hn_joint_type;
typedef struct hn_joint_spec hn_joint_spec;

typedef struct hn_joint {
  char *name;
  const hn_joint_type *type;
  int a, b;                     /* bodies; the impulse acts as G' p on both; rows are written b minus a */
  int row;                      /* first row in packed arrays of rows */
  int input;                    /* index of its input in hn_state.input; -1: none */
  double point_a[3];            /* joint point in body axes of a, from its centre of mass, m */
  double point_b[3];            /* joint point in body axes of b, m */
  struct hn_axes *axes;         /* NULL if it has none, such as a ball joint */
  void *data;                   /* parameters; NULL if its type has none */
  const hn_set *set;            /* admissible set of its impulse; setup may point it into `data` */
  struct hn_joint_extras *more; /* rarely used attributes; NULL: none */
} hn_joint;

typedef struct hn_joint_extras {
  struct hn_residual *own; /* owns the type if the scene has given the rows; else NULL */
  /* breakage loads, N and N m: the joint breaks if it exceeds one after a step; 0: unbreakable */
  double breaks_at, breaks_torque;
} hn_joint_extras;

/* Axes 0, 1, 2 of a joint, orthonormal and right-handed, one after the other; and data that belong to
 * them. */
typedef struct hn_axes {
  double a[9];      /* in body axes of a */
  double b[9];      /* in body axes of b; same directions at t = 0 if the joint has one axis */
  double angle;     /* constant angle, or angle at t = 0, rad */
  hn_motion motion; /* prescribed motion, m or rad; of a motor: rate, m/s or rad/s */
} hn_axes;

/* Output of eval; NULL members are not computed. Jacobian blocks are stored by column: G[6 * rows] has entry
 * (row r, column c) at [c * rows + r]. Columns 0-2 multiply v, columns 3-5 multiply w of the body. */
typedef struct hn_rows {
  double *g;     /* [rows] residual, in the unit of the type (m or rad); 0 for a velocity type */
  double *G_a;   /* [6 * rows] Jacobian with respect to the twist of a */
  double *G_b;   /* [6 * rows] Jacobian with respect to the twist of b */
  double *bias;  /* [rows] dg/dt at rest (prescribed motion): dg/dt = G u + bias */
  double *gamma; /* [rows] acceleration term: d(G u + bias)/dt = G du/dt + gamma */
} hn_rows;

/* Coefficient k of the power series of a body's motion in time. */
typedef struct hn_body_power {
  double x[3]; /* position */
  double q[4]; /* orientation */
  double R[9]; /* rotation matrix of q, row-major */
  double L[3]; /* coefficient k - 1 of the angular momentum, world axes: it determines coefficient k of q */
  double W[3]; /* coefficient k - 1 of the angular velocity, body axes */
} hn_body_power;

/* The power series of a body's motion up to some order. */
typedef struct hn_body_jet {
  size_t count;         /* highest order + 1 */
  hn_body_power *power; /* [count] */
} hn_body_jet;

/* Geometry that a scene must give for a joint type, and requirements on its bodies. */
enum {
  HN_KEY_AT = 1,             /* joint points */
  HN_KEY_DEFAULT_POINTS = 2, /* a missing point is the centre of a particle or the origin of the ground */
  HN_KEY_AXIS = 4,           /* one axis */
  HN_KEY_AXES = 8,           /* an axis on each body */
  HN_KEY_MOTION = 16,
  HN_ROTATION_A = 32, /* uses the orientation of a: a cannot be a particle */
  HN_ROTATION_B = 64,
  HN_AXIS_NORMAL = 128,   /* planar systems: the axis is along z */
  HN_AXIS_IN_PLANE = 256, /* planar systems: the axes lie in the plane */
  HN_KEY_BODY_AXES = 512  /* its axes are the scene axes of b */
};

/* A companion joint that keys of a joint in a scene create: a joint of `type` between the same bodies at the
 * same place. */
typedef struct hn_companion {
  const hn_joint_type *type; /* NULL ends a list */
  const char *suffix;        /* name of the companion: the joint's name, a dot, this suffix */
  const char *key; /* scene key of the first parameter of `type`; NULL: all parameters keep their own names */
} hn_companion;

/* A joint type: a constraint in closed form (eval) and as a power series (jet). The contract suite checks
 * that they agree. */
struct hn_joint_type {
  const char *name;
  const char *summary;
  const char *unit; /* unit of the residual, "m" or "rad"; of a velocity type: that unit times s */
  int rows;
  /* kind of the admissible set; HN_PUSH: one row g >= 0. setup provides the numbers of a set */
  hn_set_kind set;
  bool velocity; /* constrains velocities only, G u + bias = 0, without a residual: eval returns g = 0 */
  unsigned keys; /* HN_KEY_... and HN_TURNS_... */
  int inputs;    /* 1: one number in hn_state.input, 0 at the start, is added to the rate of a motor */
  size_t data_size;
  const hn_param *params;      /* no text parameters; ended by a NULL key; NULL: none */
  const hn_companion *beside;  /* companion joints, ended by a NULL type; NULL: none */
  int jet_series;              /* number of series in the work memory of jet */
  const void *detail;          /* data of types that share their functions */
  const hn_joint_type *planar; /* the type in planar systems; NULL: not available there */
  /* coordinates of the relative motion: types of one row, ended by NULL; NULL: none */
  const hn_joint_type *const *coordinates;
  /* explicit parametrisation of the relative motion (joint/freedoms.h); NULL: none, so that the joint cannot
   * be an edge of a tree of reduced coordinates */
  const struct hn_freedoms *freedoms;
  /* Completes JOINT from SPEC. Points and axes of both, and the parameters of JOINT, are set; a and b
   * are the poses at t = 0. Returns -1 if the joint is undefined there. May be NULL. */
  int (*setup)(hn_joint *joint, const hn_joint_spec *spec, const hn_pose *a, const hn_pose *b,
               hn_error *error);
  /* Evaluates the requested members of OUT at time t. The Jacobian depends on the poses alone; a prescribed
   * motion enters the residual, the bias and gamma. */
  void (*eval)(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
               const hn_twist *ub, const hn_rows *out);
  /* Computes coefficient k of the power series about t: residuals g[rows] and Jacobian blocks G_a, G_b
   * (layout of hn_rows; NULL: not needed). Coefficients 0..k of the bodies are given. work[jet_series *
   * count], zero at first, keeps the type's own series. Called with k = 0, 1, 2, ... in turn. A repeated call
   * with g = NULL means that coefficient k of the bodies has changed: quantities linear in it can be updated.
   * For a velocity type, g is coefficient k of the bias, which is a function of time; the caller adds the
   * series of G u. NULL: solvers that use power series cannot handle the joint. */
  void (*jet)(const hn_joint *joint, double t, const hn_body_jet *a, const hn_body_jet *b, size_t k,
              double *work, double *g, double *G_a, double *G_b);
};

/* Returns the registered joint types in the order of lib/joint/joints.def; COUNT may be NULL. */
const hn_joint_type *const *hn_joint_types(size_t *count);
const hn_joint_type *hn_joint_type_find(const char *name, hn_error *error);
/* Returns the parameter table of TYPE, possibly empty, never NULL. */
const hn_param *hn_joint_params(const hn_joint_type *type);
/* Returns the real parameter KEY of JOINT; NaN if there is none of that name. */
double hn_joint_real(const hn_joint *joint, const char *key);

/* ---- Specification of a joint -------------------------------------------------------------------------- */

/* Custom rows in place of a type: functions of time, poses and, for a rate, velocities. */
typedef struct hn_custom_rows {
  struct hn_tape *residual, *rate; /* at least one; the model takes ownership */
  const char *unit;                /* of the residual: "m" or "rad" */
  unsigned keys;                   /* HN_KEY_AT, HN_KEY_AXIS: geometry that the scene has given */
} hn_custom_rows;

struct hn_joint_spec {
  const hn_custom_rows *own; /* custom rows; NULL: a registered type */
  const char *type;
  const char *name; /* NULL: type followed by a number */
  int a, b;
  bool has_points;         /* false: the positions of the bodies */
  double at_a[3], at_b[3]; /* joint points in the world at t = 0, m */
  double axis_a[3],
    axis_b[3]; /* directions in the world at t = 0, of any length; axis_b: for types with two axes */
  hn_motion motion;
  double breaks_at, breaks_torque; /* breakage loads, N and N m; 0: unbreakable */
  const char *settings;            /* parameters "key=value,..."; NULL: defaults */
};

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
