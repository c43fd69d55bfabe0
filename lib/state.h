/* state.h - the state of a model, what is measured of it, and what has been computed for it */
#ifndef HOLONOM_STATE_H
#define HOLONOM_STATE_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

/* ---- State: everything a run changes ----------------------------------------------------------------------------- */

/* Two features that touch, or nearly: plain numbers, copied, hashed and recorded with the state. It says all that a
 * solver needs, so that it can come from collision, from a file or from a test. */
typedef struct hn_contact {
  uint64_t key; /* of the two features: the same as long as they are the same */
  int a, b;     /* bodies */
  double point_a[3],
    point_b[3];    /* body axes, m: gap = frame_0 . (point b - point a) - skin_a - skin_b at any poses */
  double frame[9]; /* normal from a to b and two tangents, body axes of a */
  double skin_a, skin_b;        /* m: radii of round features, whose centres the points are */
  double friction, restitution; /* 1: that act now */
  double impulse[3];            /* of the last step, N s: where solvers start from */
  double sticking,
    sliding; /* 1: `friction` while it sticks, and once it slides; both 0: there is but one. They are the
                          * model's, and no part of hashes */
} hn_contact;

typedef struct hn_state {
  double time; /* s */
  int nbody;
  hn_pose *pose;   /* [nbody] */
  hn_twist *twist; /* [nbody] */
  int ninput;
  double *input; /* [ninput] of forces and motors; constant during a step */
  int ncontact, most_contacts;
  hn_contact *contact; /* [ncontact] by ascending key; room for most_contacts */
} hn_state;

hn_state *hn_state_create(const hn_model *model); /* the start of the model, at t = 0 */
void hn_state_free(hn_state *state);
hn_state *hn_state_duplicate(const hn_state *state); /* another one like it; NULL without memory */
void hn_state_copy(hn_state *to, const hn_state *from);
/* Time, poses and twists alone: contacts and inputs stay. */
void hn_state_copy_motion(hn_state *to, const hn_state *from);
/* Puts CONTACT in its place by key, instead of one of the same key, whose impulse goes on. HN_FULL: there is no
 * room. */
hn_reason hn_state_add_contact(hn_state *state, const hn_contact *contact);
void hn_state_remove_contact(hn_state *state, uint64_t key);
bool hn_state_finite(const hn_state *state);
/* Chains the bits of all poses and twists, in scene order, to a hash (start with HN_HASH_START), and those of
 * contacts where there are any. */
#define HN_HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t hn_state_hash(const hn_state *state, uint64_t hash);

/* ---- Measures: from model and state alone, never from a solver's own report -------------------------------------- */

typedef struct hn_measure {
  double kinetic, potential;  /* J; potential is zero at the origin */
  double momentum[3];         /* kg m/s */
  double angular_momentum[3]; /* about the origin, kg m^2/s */
  double position_error;      /* largest joint residual (Euclidean norm over its rows), m or rad */
  double velocity_error;      /* largest joint velocity residual, m/s or rad/s */
  int worst_joint;            /* the joint of position_error, -1 when there is none */
  int worst_rate;             /* that of velocity_error */
} hn_measure;

/* Size of the mechanism at STATE, m: the diagonal of the box around the centres of mass of moving bodies and the points
 * of joints, and the largest radius of gyration. */
double hn_model_size(const hn_model *model, const hn_state *state);
void hn_measure_state(const hn_model *model, const hn_state *state, hn_measure *measure);

/* ---- Joints, measured: coordinates and reactions ----------------------------------------------------------------- */

/* How many coordinates JOINT has: type->coordinates[0 ...]. */
int hn_joint_coordinates(const hn_joint *joint);
/* Which of them NAME is, or the only one there is when NAME is NULL. */
int hn_joint_find_coordinate(const hn_joint *joint, const char *name, hn_error *error);
/* Value (m or rad) and rate of coordinate INDEX of JOINT at STATE; angles are in (-pi, pi]. */
void hn_joint_coordinate(const hn_joint *joint, int index, const hn_state *state, double *value,
                         double *rate);
/* What JOINT does to its body b at STATE, world axes: force, N, and torque about its point on b, N m; MULTIPLIERS are
 * those of the joint's rows. What it does to a is the opposite, at that same place. */
void hn_joint_reaction(const hn_joint *joint, const hn_state *state, const double *multipliers,
                       double force[3], double torque[3]);
/* How much of what JOINT bears it has, by MULTIPLIERS of its rows at STATE: the larger of force over
 * breaks_at and torque over breaks_torque, and into *FORCE, N or N m, that one. Above 1 it breaks; 0 where
 * it never does. */
double hn_joint_strain(const hn_joint *joint, const hn_state *state, const double *multipliers,
                       double *force);
/* What FORCE measures at STATE, values and their rates, and what it pulls with along them, on body b; each has
 * type->rows->rows numbers, at most 3. */
void hn_force_pull(const hn_force *force, const hn_state *state, double *value, double *rate, double *pull);

/* ---- Work: what has been computed -------------------------------------------------------------------------------- */

typedef struct hn_work {
  uint64_t residuals;          /* residuals evaluated, one per block */
  uint64_t jacobians;          /* Jacobians evaluated, one per block */
  uint64_t jets;               /* jet coefficients evaluated, one per block and power */
  uint64_t velocity_residuals; /* G u + bias, one per block */
  uint64_t accelerations;      /* accelerations without joints, one per body */
  uint64_t flights;            /* free flights, or other moves of a pose by the solver, one per body */
  uint64_t sweeps;             /* Gauss-Seidel sweeps over all blocks */
  uint64_t impulses;           /* impulses applied, one per block */
  uint64_t projections;        /* onto sets, one per block */
  uint64_t forces;             /* forces evaluated, one per force */
  uint64_t factorisations;     /* of the constraint matrix */
  uint64_t eliminated;         /* blocks, summed over the factorisations */
  uint64_t analyses;           /* of its pattern, anew since the system was made */
  uint64_t solves;             /* with the constraint matrix */
  uint64_t pairs;              /* of shapes, that the broad phase leaves */
  uint64_t manifolds;          /* points of contact found */
  uint64_t contact_iterations; /* and sweeps, of contact solvers: an impulse a block each */
  uint64_t detections;         /* rank analyses, where K became singular or regular again */
} hn_work;

/* The unit in which solvers are compared and budgets are given, the joint operations: residuals + jacobians + jets +
 * impulses + forces + eliminated. */
uint64_t hn_work_operations(const hn_work *work);
/* SUM takes in all that WORK has. */
void hn_work_add(hn_work *sum, const hn_work *work);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
