/* engine.h - other engines as solvers: what the module of an engine implements, and what all modules share.
 *
 * A module translates a model once (create), copies states to the engine and back, and takes its steps. The
 * shared parts are the solver itself (engine.c), which runs the engine in a process of its own
 * (engine_process.c), and the joints of a model as engines know them (engine_scene.c). Modules use the public
 * headers alone. */
#ifndef ENGINES_ENGINE_H
#define ENGINES_ENGINE_H

#include "holonom.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ENGINE_WHY = 400 }; /* characters of the reason of a failure */

/* ---- Joints -------------------------------------------------------------------------------------------- */

typedef enum engine_joint_kind {
  ENGINE_BALL = 0,
  ENGINE_HINGE,
  ENGINE_UNIVERSAL,
  ENGINE_FIXED,
  ENGINE_SLIDER,
  ENGINE_CYLINDRICAL,
  ENGINE_PLANE, /* a plane of a: joint type planar */
  ENGINE_POINT_ON_LINE,
  ENGINE_POINT_ON_PLANE,
  ENGINE_DISTANCE,
  ENGINE_JOINTS
} engine_joint_kind;

/* Parts that act on the coordinate of a joint: on the angle of a hinge, or the position of a slider. */
typedef enum engine_part { ENGINE_LIMIT = ENGINE_JOINTS, ENGINE_MOTOR, ENGINE_DRY_FRICTION } engine_part;
#define ENGINE_HAS(what) (1u << (what)) /* a set of joints and of these parts */

typedef struct engine_joint {
  const hn_joint *joint; /* the model's, which has names and points in body axes */
  engine_joint_kind kind;
  int a, b;                /* bodies */
  double at_a[3], at_b[3]; /* its points at the start, world axes, m */
  double axis[3];          /* unit vector: its axis on a at the start, world axes */
  double other[3];         /* ENGINE_UNIVERSAL: its axis on b, at right angles */
  double length;           /* ENGINE_DISTANCE, m */
  /* The coordinate is 0 at the start and grows where b turns (moves) against a about (along) the axis. */
  bool has_limit;
  double lower, upper, restitution; /* bounds of the coordinate; infinite: none */
  const hn_joint *motor;            /* NULL: none */
  double motor_sign;                /* 1 or -1: the coordinate's rate over that of the motor */
  double motor_limit;               /* N or N m, or infinite */
  double friction;                  /* N or N m: largest force of dry friction; 0: none */
} engine_joint;

/* Returns the rate that the motor of JOINT asks for at TIME with the INPUT of a state, m/s or rad/s. */
double engine_motor_rate(const engine_joint *joint, double time, const double *input);

/* ---- The model to translate ---------------------------------------------------------------------------- */

typedef struct engine_pair {
  int a, b; /* bodies, a < b */
} engine_pair;

typedef struct engine_scene {
  const hn_model *model;
  const void *options; /* the data of the solver, with the parameters of the engine */
  hn_system *system;   /* for engine_forces */
  int njoint;
  engine_joint *joint; /* [njoint] */
  int njointed;
  engine_pair *jointed; /* [njointed] in order: bodies that a joint keeps from colliding */
} engine_scene;

/* True if the shapes number C and D of the model may collide in the engine; a compliant contact is a
 * force. */
bool engine_collides(const engine_scene *scene, int c, int d);
/* True if there are forces besides gravity: of the scene, or of compliant contacts. */
bool engine_has_forces(const engine_scene *scene);
/* Computes all forces but gravity at STATE into wrench[6 nbody]: force and torque about the centre of mass,
 * world axes. */
void engine_forces(const engine_scene *scene, const hn_state *state, double *wrench);
/* Turns V, along body axes, to world axes by the unit quaternion Q, and back. */
void engine_turn(const double q[4], const double v[3], double to[3]);
void engine_turn_back(const double q[4], const double v[3], double to[3]);
/* Computes the product of the unit quaternions P and Q. */
void engine_product(const double p[4], const double q[4], double to[4]);

/* ---- The table of a module -------------------------------------------------------------------------- */

typedef struct engine_kind {
  unsigned has;         /* ENGINE_HAS of the joints and parts that it translates */
  unsigned shapes;      /* 1 << HN_BOX, ...: shapes that it translates */
  bool planar, spatial; /* models that it takes */
  bool bounces;         /* restitution of contacts */
  /* Creates the world of SCENE at the start of the model. Returns NULL after writing why[ENGINE_WHY]. */
  void *(*create)(const engine_scene *scene, char *why);
  /* Sets the state of the world, and discards nothing that it would keep from step to step. */
  void (*set)(void *world, const hn_state *state);
  /* Takes a step of H from the present state of the world, which STATE has on entry, with its time and
   * inputs, and stores the end in STATE: poses and twists of moving bodies. Stores the number of iterations,
   * if it is known. Returns -1 after writing WHY. */
  int (*step)(void *world, double h, hn_state *state, int *iterations, char *why);
  void (*free)(void *world);
} engine_kind;

/* ---- The solver: its data begin with engine_data, its table with ENGINE_SOLVER ------------------------- */

typedef struct engine_data {
  int worker;        /* flag */
  double time_limit; /* s */
  struct engine_run *run;
} engine_data;

#define ENGINE_PARAMS                                                                             \
  { "worker", HN_FLAG, offsetof(engine_data, worker),                                             \
    "true",   0,       0,                                                                         \
    "",       NULL,    "run the engine in a process of its own, whose crash ends only its run" }, \
  {                                                                                               \
    "time_limit", HN_REAL, offsetof(engine_data, time_limit), "60", 1e-3, 1e9, "s", NULL,         \
      "time for a step in a process of its own"                                                   \
  }

int engine_setup(hn_solver *solver, hn_error *error);
hn_reason engine_step(hn_solver *solver, hn_state *state, double h);
void engine_reset(hn_solver *solver);
void engine_free(hn_solver *solver);

/* Capabilities of all engines; what they do not translate is refused by the name of a joint or a body. */
#define ENGINE_CAPABILITIES                                                                              \
  (HN_CAN_BILATERAL | HN_CAN_REDUNDANT | HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_VELOCITY | HN_CAN_CHANGE | \
   HN_CAN_CONE | HN_CAN_COMPLIANT | HN_HIDES_IMPULSES)

/* Writes WHY, as fprintf, and returns -1. */
int engine_fail(char *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif

#endif
