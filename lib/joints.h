/* joints.h - joints: the sets that their impulses lie in, motions that drive them, and the table of a type */
#ifndef HOLONOM_JOINTS_H
#define HOLONOM_JOINTS_H

#include "bodies.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

/* ---- Sets: where the impulse of a joint may lie ------------------------------------------------------------------ */

/* Where the impulse p of a joint may lie, and its multiplier p / h: see base/set.c. */
typedef enum hn_set_kind {
  HN_ANY = 0, /* an equation */
  HN_PUSH,    /* p >= 0: limits, contacts without friction */
  HN_WITHIN,  /* lower <= p / h <= upper: motors with a largest force, dry friction in joints */
  HN_CONE     /* p_0 >= 0, |(p_1, p_2)| <= mu p_0; in the plane |p_1| <= mu p_0 */
} hn_set_kind;

typedef struct hn_set {
  hn_set_kind kind;
  double mu; /* 1; coefficient of friction */
  double
    mu_static; /* 1; up to it a contact sticks, and slides with mu: for solvers with HN_SOLVES_STICKING alone;
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

/* A law of impact: the velocity (m/s, rad/s), at least 0, that row 0 of SET shall have after it closed at RATE < 0.
 * Closing slower than THRESHOLD does not bounce. */
typedef double hn_impact_law(const hn_set *set, double threshold, double rate);
/* Newton's law: the restitution times the speed of closing. */
double hn_newton_impact(const hn_set *set, double threshold, double rate);

/* ---- Prescribed motions ------------------------------------------------------------------------------------------ */

/* A function of time: f(t) = sum of polynomial[i] t^i + amplitude sin(frequency t + phase). */
enum { HN_MOTION_TERMS = 8 };
typedef struct hn_motion {
  double polynomial[HN_MOTION_TERMS];
  double amplitude;
  double frequency; /* rad/s */
  double phase;     /* rad */
} hn_motion;

/* Coefficient k of the power series of MOTION about t: its k-th derivative over k!. */
double hn_motion_coefficient(const hn_motion *motion, double t, size_t k);

/* ---- Joints and their types -------------------------------------------------------------------------------------- */

enum { HN_MAX_ROWS = 6 }; /* rows of one joint */
typedef struct hn_joint_type hn_joint_type;
typedef struct hn_joint_spec hn_joint_spec;

typedef struct hn_joint {
  char *name;
  const hn_joint_type *type;
  int a, b;          /* bodies; the joint's impulse acts with +G' p on both, its rows are written b minus a */
  int row;           /* first row in packed arrays of rows */
  int input;         /* its first one in hn_state.input; -1: it has none */
  double point_a[3]; /* joint point in body axes of a, from its centre of mass, m */
  double point_b[3]; /* joint point in body axes of b, m */
  struct hn_axes *axes;       /* NULL when it has none, as a ball joint */
  void *data;                 /* parameters; NULL when its type has none */
  const hn_set *set;          /* where its impulse may lie; setup may point it into the data */
  struct hn_joint_more *more; /* what few joints have; NULL: nothing of it */
} hn_joint;

typedef struct hn_joint_more {
  struct hn_residual *own;         /* what has its type, where the scene has given its rows */
  double breaks_at, breaks_torque; /* N, N m: with more in it after a step it is gone; 0: it never breaks */
} hn_joint_more;

/* Axes 0, 1, 2 of a joint, one after the other: orthonormal and right-handed; and what belongs to them. */
typedef struct hn_axes {
  double a[9];      /* in body axes of a */
  double b[9];      /* in body axes of b; the same directions at t = 0 when the joint has one axis */
  double angle;     /* constant angle, or angle at the start, rad */
  hn_motion motion; /* prescribed, m or rad; of a motor the rate, m/s or rad/s */
} hn_axes;

/* What eval is asked for; a NULL pointer is not computed. Jacobian blocks are stored by column: G[6 * rows],
 * entry (row r, column c) at [c * rows + r]; columns 0-2 multiply v, 3-5 multiply w of the body. */
typedef struct hn_rows {
  double *g;     /* [rows] residual, in the unit of the type (m or rad); 0 for a type of velocities */
  double *G_a;   /* [6 * rows] Jacobian with respect to the twist of a */
  double *G_b;   /* [6 * rows] Jacobian with respect to the twist of b */
  double *bias;  /* [rows] dg/dt at rest (prescribed motion), so that dg/dt = G u + bias */
  double *gamma; /* [rows] acceleration term, so that d2g/dt2, or d(G u + bias)/dt, = G du/dt + gamma */
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
  HN_KEY_AT = 1,         /* its points */
  HN_KEY_OWN_POINTS = 2, /* a point that is not said is a particle's own, or the origin of the ground */
  HN_KEY_AXIS = 4,       /* one axis */
  HN_KEY_AXES = 8,       /* an axis on each body */
  HN_KEY_MOTION = 16,
  HN_TURNS_A = 32, /* the orientation of a matters: it cannot be a particle */
  HN_TURNS_B = 64,
  HN_AXIS_NORMAL = 128,   /* planar systems: its axis is along z */
  HN_AXIS_IN_PLANE = 256, /* planar systems: its axes lie in the plane */
  HN_KEY_BODY_AXES = 512  /* its axes are those in which the scene speaks of b */
};

/* What a scene can add beside a joint by keys of its own: a joint of TYPE between the same bodies, at that place. */
typedef struct hn_beside {
  const hn_joint_type *type; /* NULL ends a list */
  const char *suffix;        /* its name is that of the joint, a dot and this */
  const char *key; /* by which the first parameter of TYPE goes there; NULL: all go by their own names */
} hn_beside;

/* A joint type: two writings of the same constraint, which must agree (the contract suite checks it). */
struct hn_joint_type {
  const char *name;
  const char *summary;
  const char *unit; /* of its residual: "m" or "rad"; of velocities that times s */
  int rows;
  hn_set_kind set; /* HN_PUSH: g >= 0, one row; numbers of a set come from setup */
  bool velocity;   /* constrains velocities alone, G u + bias = 0: there is no residual, eval gives 0 for g */
  unsigned keys;   /* HN_KEY_... and HN_TURNS_... */
  int inputs; /* 1: it has a number in hn_state.input, 0 at the start, that adds to the rate of a motor */
  size_t data_size;
  const hn_param *params;      /* none of them a text; ends with a key of NULL; NULL: none */
  const hn_beside *beside;     /* NULL: nothing */
  int jet_series;              /* series that jet keeps in its work memory */
  const void *detail;          /* of types that share their functions */
  const hn_joint_type *planar; /* what it is in a planar system; NULL: nothing */
  const hn_joint_type *const
    *coordinates; /* what it leaves free: types of one row, ended by NULL; NULL: none */
  /* Takes from SPEC, whose points and axes are complete, what is its own; the bodies' poses at t = 0 are A and B, and
   * points, axes and parameters of JOINT are in place. -1 when the joint is not defined there. May be NULL. */
  int (*setup)(hn_joint *joint, const hn_joint_spec *spec, const hn_pose *a, const hn_pose *b,
               hn_error *error);
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
   * NULL: there is none, and solvers of power series cannot do the joint. */
  void (*jet)(const hn_joint *joint, double t, const hn_body_jet *a, const hn_body_jet *b, size_t k,
              double *work, double *g, double *G_a, double *G_b);
};

/* The joint types known, in the order of lib/joint/joints.def; COUNT may be NULL. */
const hn_joint_type *const *hn_joint_types(size_t *count);
const hn_joint_type *hn_joint_type_find(const char *name, hn_error *error);
/* Its parameters: a table that may be empty, but is never NULL. */
const hn_param *hn_joint_params(const hn_joint_type *type);
/* The number that parameter KEY of JOINT has; NaN when it has no real parameter of that name. */
double hn_joint_real(const hn_joint *joint, const char *key);

/* ---- What a scene says of a joint -------------------------------------------------------------------------------- */

/* Rows of one's own, in place of a type: functions of time, poses and, of a rate, velocities. */
typedef struct hn_joint_own {
  struct hn_tape *residual, *rate; /* one of them, or both; the model frees them */
  const char *unit;                /* "m" or "rad", of the residual */
  unsigned keys;                   /* HN_KEY_AT, HN_KEY_AXIS: what the scene has said of its place */
} hn_joint_own;

struct hn_joint_spec {
  const hn_joint_own *own; /* NULL: a type of the registry */
  const char *type;
  const char *name; /* NULL: type and number */
  int a, b;
  bool has_points;         /* else the bodies' own positions */
  double at_a[3], at_b[3]; /* joint points in the world at t = 0, m */
  double axis_a[3],
    axis_b[3]; /* directions in the world at t = 0, of any length; axis_b: for types of two axes */
  hn_motion motion;
  double breaks_at, breaks_torque; /* N, N m; 0: it does not break */
  const char *settings;            /* parameters, "key=value,..."; NULL: the defaults */
};

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
