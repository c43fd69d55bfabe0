/* state.h - the state of a model, its measures, and counters of work */
#ifndef HOLONOM_STATE_H
#define HOLONOM_STATE_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

/* ---- State: all data that a run changes ---------------------------------------------------------------- */

/* A contact: two features that touch or nearly touch. Plain numbers that are copied, hashed and recorded with
 * the state. They are complete for a solver, so that contacts can come from collision, a file or a test. */
typedef struct hn_contact {
  uint64_t key; /* identifies the pair of features from step to step */
  int a, b;     /* bodies */
  double point_a[3],
    point_b[3];    /* body axes, m; at any poses gap = frame_0 . (point b - point a) - skin_a - skin_b */
  double frame[9]; /* normal from a to b and two tangents, body axes of a */
  double skin_a, skin_b;        /* m: radii of round features, whose centres are the points */
  double friction, restitution; /* coefficients in force, 1 */
  double impulse[3];            /* impulse of the last step, N s: the warm start of solvers */
  /* static and kinetic friction, 1: `friction` is one of them; both 0: no distinction. They come from the
   * model and are not hashed */
  double sticking, sliding;
  /* coefficients of rolling and of torsional friction, m, which come from the model as well; and the moment
   * of the last step, N m s, about the axes of `frame`, which is hashed if one of them is not 0 */
  double rolling, torsion;
  double moment[3];
  /* 1 - mu_2 / mu_1, 0 to below 1: anisotropic friction has the coefficient mu_1 = `friction` along the first
   * tangent, the larger one, and mu_2 along the second. 0: isotropic. It is not hashed */
  double anisotropy;
} hn_contact;

typedef struct hn_state {
  double time; /* s */
  int nbody;
  hn_pose *pose;   /* [nbody] */
  hn_twist *twist; /* [nbody] */
  int ninput;
  double *input; /* [ninput] inputs of forces and motors, constant during a step */
  int ncontact, max_contacts;
  hn_contact *contact; /* [ncontact] by ascending key; capacity max_contacts */
} hn_state;

hn_state *hn_state_create(const hn_model *model); /* returns the start, t = 0 */
/* Returns a state of zeros, to be written to before it is read. Parts that are not written to take no memory
 * where the system allocates pages at their first use. */
hn_state *hn_state_create_empty(const hn_model *model);
void hn_state_free(hn_state *state);
hn_state *hn_state_duplicate(const hn_state *state); /* returns a copy; NULL if out of memory */
void hn_state_copy(hn_state *to, const hn_state *from);
/* Copies time, poses and twists; contacts and inputs are unchanged. */
void hn_state_copy_motion(hn_state *to, const hn_state *from);
/* Inserts CONTACT by key. A contact of the same key is replaced, except for its impulse. Returns HN_FULL if
 * there is no capacity left. */
hn_reason hn_state_add_contact(hn_state *state, const hn_contact *contact);
void hn_state_remove_contact(hn_state *state, uint64_t key);
bool hn_state_finite(const hn_state *state);
/* Chains the bits of all poses and twists, in scene order, and of all contacts to a hash; start with
 * HN_HASH_START. */
#define HN_HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t hn_state_hash(const hn_state *state, uint64_t hash);

/* ---- Measures: computed from model and state, never from a solver's report ----------------------------- */

typedef struct hn_measure {
  double kinetic, potential;  /* J; potential is zero at the origin */
  double momentum[3];         /* kg m/s */
  double angular_momentum[3]; /* about the origin, kg m^2/s */
  double position_error;      /* largest joint residual (Euclidean norm over its rows), m or rad */
  double velocity_error;      /* largest joint velocity residual, m/s or rad/s */
  int worst_joint;            /* joint of position_error, -1 if there is none */
  int worst_rate;             /* joint of velocity_error */
} hn_measure;

/* Returns the size of the mechanism at STATE, m: the diagonal of the box around centres of mass of moving
 * bodies and joint points, plus the largest radius of gyration. */
double hn_model_size(const hn_model *model, const hn_state *state);
void hn_measure_state(const hn_model *model, const hn_state *state, hn_measure *measure);

/* ---- Coordinates and reactions of joints --------------------------------------------------------------- */

/* Returns the number of coordinates of JOINT: type->coordinates[0 ...]. */
int hn_joint_coordinates(const hn_joint *joint);
/* Returns the index of coordinate NAME, or of the only one if NAME is NULL; -1 on error. */
int hn_joint_find_coordinate(const hn_joint *joint, const char *name, hn_error *error);
/* Computes value (m or rad) and rate of coordinate INDEX of JOINT; angles are in (-pi, pi]. */
void hn_joint_coordinate(const hn_joint *joint, int index, const hn_state *state, double *value,
                         double *rate);
/* Computes the reaction of JOINT on its body b, world axes: force, N, and torque about the joint point on
 * b, N m, from the multipliers of its rows. The reaction on a is opposite, at the same point. */
void hn_joint_reaction(const hn_joint *joint, const hn_state *state, const double *multipliers,
                       double force[3], double torque[3]);
/* Returns the load of JOINT over its breakage load, from the multipliers of its rows: the larger ratio of
 * force and of torque. Above 1 the joint breaks; 0: unbreakable. Stores in FORCE the load (N or N m) with
 * the larger ratio. */
double hn_joint_load_ratio(const hn_joint *joint, const hn_state *state, const double *multipliers,
                           double *force);
/* Evaluates FORCE at STATE: coordinates, their rates, and generalised forces on body b. Each has
 * type->rows->rows numbers, at most 3. */
void hn_force_evaluate(const hn_force *force, const hn_state *state, double *value, double *rate,
                       double *pull);

/* ---- Counters of work ---------------------------------------------------------------------------------- */

typedef struct hn_work {
  uint64_t residuals;          /* residuals evaluated, per block */
  uint64_t jacobians;          /* Jacobians evaluated, per block */
  uint64_t jets;               /* jet coefficients evaluated, per block and power */
  uint64_t velocity_residuals; /* G u + bias evaluated, per block */
  uint64_t accelerations;      /* accelerations without joints, per body */
  uint64_t flights;            /* free flights, or other changes of a pose by the solver, per body */
  uint64_t sweeps;             /* Gauss-Seidel sweeps over all blocks */
  uint64_t impulses;           /* impulses applied, per block */
  uint64_t projections;        /* projections onto sets, per block */
  uint64_t forces;             /* forces evaluated, per force */
  uint64_t factorisations;     /* factorisations of the constraint matrix */
  uint64_t eliminated;         /* blocks eliminated, summed over the factorisations */
  uint64_t analyses;           /* repeated analyses of its pattern */
  uint64_t solves;             /* solutions with the constraint matrix */
  uint64_t pairs;              /* pairs of shapes found by the broad phase */
  uint64_t manifolds;          /* contact points found */
  uint64_t contact_iterations; /* iterations or sweeps of contact solvers, one impulse per block each */
  uint64_t detections;         /* rank analyses when K became singular or regular again */
} hn_work;

/* Returns the joint operations, the unit of budgets and comparisons of solvers: residuals + jacobians + jets
 * + impulses + forces + eliminated. */
uint64_t hn_work_operations(const hn_work *work);
/* Adds all counters of WORK to SUM. */
void hn_work_add(hn_work *sum, const hn_work *work);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
