/* model.h - models: bodies, joints, forces and shapes; how a model is built, checked and edited */
#ifndef HOLONOM_MODEL_H
#define HOLONOM_MODEL_H

#include "forces.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

/* ---- Capabilities of solvers, needs of models ---------------------------------------------------------- */

enum {
  HN_CAN_BILATERAL = 1,   /* equality constraints */
  HN_CAN_REDUNDANT = 2,   /* redundant constraints */
  HN_HAS_MULTIPLIERS = 4, /* reports joint forces */
  /* conserves angular momentum up to round-off and impulses times the gaps left in joints by a tolerance */
  HN_KEEPS_MOMENTUM = 8,
  HN_OWN_MATRIX = 16,     /* also uses a matrix of its own, to which parameter `redundancy` does not apply */
  HN_CAN_PUSH = 32,       /* unilateral rows: limits */
  HN_CAN_WITHIN = 64,     /* bounded rows: motors with a maximum force, dry friction in joints */
  HN_CAN_CONE = 128,      /* contacts with friction */
  HN_CAN_CHANGE = 256,    /* blocks that appear and disappear between steps */
  HN_CAN_BOUNCE = 512,    /* nonzero targets: impacts with restitution */
  HN_CAN_VELOCITY = 1024, /* rows that constrain velocities only */
  HN_CAN_EXTRA_FORCES = 2048, /* forces in hn_model.more: solvers that obtain all forces from the system */
  HN_CAN_BREAK = 4096,        /* reports broken joints; implied by HN_HAS_MULTIPLIERS */
  /* resolves any rotation rate of slip directions, by substeps where slip is slow */
  HN_RESOLVES_SLIPS = 8192,
  HN_IS_MULTISTEP = 16384, /* a reset costs it order or many small steps: results depend on earlier steps */
  /* a step from the start of the last one, without a reset, uses the history of that step where it reaches */
  HN_CAN_REPEAT = 32768,
  HN_CONTROLS_ERROR = 65536, /* divides steps until its estimate of their error is within a tolerance */
  HN_CAN_COMPLIANT = 131072, /* compliant contacts: evaluates forces at states, without their power series */
  HN_CAN_ROLL = 262144,      /* contacts with rolling and torsional friction */
  HN_CAN_ANISOTROPIC = 524288, /* contacts whose friction depends on the direction of slip */
  HN_HIDES_IMPULSES = 1048576  /* does not tell the impulses of contacts: their law cannot be measured */
};

/* Maximum number of contacts of a model: the 36 numbers of the Jacobians of each are counted by an int. */
enum { HN_MAX_CONTACTS = 1 << 25 };

/* ---- Model: constant once built; body 0 is the ground -------------------------------------------------- */

/* Disagreement between closed form, power series and finite differences of a joint type: the largest relative
 * difference over random states near the start. */
#define HN_CONTRACT_EXACT 1e-11     /* bound for quantities that differ by rounding only */
#define HN_CONTRACT_DIFFERENCE 1e-7 /* bound for comparisons with difference quotients */
typedef struct hn_contract {
  double value, rate, acceleration; /* coefficients 0, 1, 2 against g, G u + bias, (G du/dt + gamma) / 2 */
  double jacobian;                  /* coefficient 0 of the Jacobian's series against G */
  double difference; /* differences of g against G u + bias; of rates of velocity types against gamma */
  double slope;      /* coefficient 1 of the Jacobian's series against differences of G */
  bool has_jet;      /* false: only `difference` is measured */
  bool kept;         /* all differences are within their bounds */
} hn_contract;

/* Result of hn_model_project. */
typedef struct hn_projection {
  bool done;
  double position, velocity; /* largest joint errors before the projection, m and m/s (rad and rad/s) */
  double moved;              /* largest displacement of a centre of mass, m */
  int steps;                 /* iterations of Newton's method */
} hn_projection;

/* The deepest overlap of two shapes at the start. */
typedef struct hn_overlap {
  double depth; /* m; 0: none */
  int a, b;     /* bodies */
} hn_overlap;

struct hn_state;

/* Largest number of coefficients of a planned direction of friction. */
#define HN_MAX_PLAN 5

/* Rows whose multipliers Q are known in place of an equation: a constant force, or sliding friction of mu
 * times the multiplier of another joint, opposite to the rates. */
typedef struct hn_row_force {
  const hn_joint *joint;
  int normal;      /* index of the one-row joint whose multiplier is the normal force; -1: none */
  double mu;       /* coefficient of friction, 1 */
  double along[2]; /* unit vector: slip direction at the start of slip, or after the rates have been zero */
  double force[HN_MAX_ROWS]; /* N or N m; used if there is no normal */
  /* terms > 0: friction has a planned direction in place of that of the rates. It is along + q across,
   * normalised; `across` is `along` turned by a right angle, q is the polynomial with the coefficients
   * plan[terms] in (time - begin) / span */
  int terms;
  double begin, span; /* s */
  double plan[HN_MAX_PLAN];
} hn_row_force;

/* Forces that are not part of a scene. Solvers that integrate the smooth motion of a reduced model add them;
 * they may depend on the whole state. */
typedef struct hn_extra_forces {
  /* Adds these forces at STATE to wrench[6 nbody]. */
  void (*add)(void *user, const struct hn_state *state, double *wrench);
  void *user;
  /* [nrow_force] the same forces as known rows, for solvers that need their derivatives; NULL: not
   * available */
  const hn_row_force *given;
  int nrow_force;
} hn_extra_forces;

typedef struct hn_model {
  int nbody; /* number of bodies, including the ground */
  int njoint;
  int nrow;          /* number of rows of all joints */
  int max_contacts;  /* capacity for contacts of every state and system; 0: no contacts */
  double threshold;  /* m/s, rad/s: slower impacts are plastic whatever the restitution */
  unsigned needs;    /* HN_CAN_...: capabilities that a solver must have */
  double gravity[3]; /* m/s^2 */
  bool loose;        /* joints may be violated at the start */
  bool planar;       /* bodies move in the plane z = 0 */
  /* joints are added to moving bodies: velocities may violate them until the end of the next step */
  bool moving;
  bool view;                /* made by hn_model_change: owns its arrays only */
  bool consistent;          /* hn_model_project will project the start; joints may be violated until then */
  hn_projection projection; /* result of that projection */
  hn_body *body;            /* [nbody] */
  hn_joint *joint;          /* [njoint], in scene order */
  int ncollider;
  hn_collider *collider; /* [ncollider], grouped by body, bodies in scene order */
  int naxis;
  double (*axis)[3];            /* [naxis] friction axes of colliders */
  struct hn_surfaces *surfaces; /* collision groups, materials and surface properties of their pairs */
  double margin;                /* m: shapes at a smaller distance are contacts; 0: no collisions */
  hn_overlap overlap;           /* set by hn_model_find_overlap */
  int most_points;              /* maximum number of contact points of a pair of shapes; 0: unlimited */
  bool jointed_collide;         /* bodies connected by a joint collide as well */
  int field_bits; /* even number of bits that contact keys need for the features of height fields; else 0 */
  const struct hn_model *whole; /* NULL, or the model of which this one has a part of the joints */
  bool compliant;               /* some pairs of shapes have compliant contacts, which are forces */
  int nforce;
  struct hn_force *force;      /* [nforce], in scene order */
  const hn_extra_forces *more; /* NULL: none */
  int ninput; /* number of inputs of all joints and forces: control values, and memory of controllers */
  /* [...], ended by NULL: solvers and contact solvers of the scene; NULL: none */
  const struct hn_solver_type *const *own_solvers;
  const struct hn_contact_type *const *contact_solver;
} hn_model;

/* ---- Building a model ---------------------------------------------------------------------------------- */

hn_model *hn_model_create(const double gravity[3]);
/* Makes an empty model planar: bodies move in the plane z = 0, which must contain gravity, and joints are
 * replaced by their planar types. */
int hn_model_set_planar(hn_model *model, hn_error *error);
void hn_model_free(hn_model *model);
int hn_model_add_body(hn_model *model, const hn_body_spec *spec, hn_error *error);   /* returns its index */
int hn_model_add_joint(hn_model *model, const hn_joint_spec *spec, hn_error *error); /* returns its index */
int hn_model_add_force(hn_model *model, const hn_force_spec *spec, hn_error *error); /* returns its index */
/* True if the model can have events by itself: contacts, limits, bounded forces, breakable joints. */
bool hn_model_has_events(const hn_model *model);
int hn_model_find_body(const hn_model *model, const char *name, hn_error *error); /* returns its index */
/* Sort the bodies by name and search that order, for many look-ups. The sorted list is to be freed, NULL if
 * out of memory; the search returns the index of body `name`, or -1. */
int *hn_model_sort_bodies(const hn_model *model);
int hn_model_look_up(const hn_model *model, const int *sorted, const char *name);
int hn_model_find_joint(const hn_model *model, const char *name, hn_error *error); /* returns its index */
int hn_model_find_force(const hn_model *model, const char *name, hn_error *error); /* returns its index */
/* Reserves capacity for MOST contacts, with or without friction, in states and systems created later. */
int hn_model_reserve_contacts(hn_model *model, int most, bool friction, hn_error *error);
/* Measures the contract of joint number JOINT. Returns -1 if out of memory. */
int hn_joint_contract(const hn_model *model, int joint, hn_contract *contract, hn_error *error);
/* Returns 0 if the start satisfies all joints; otherwise the error names the first violated joint. */
int hn_model_check_start(const hn_model *model, hn_error *error);
bool hn_model_has_forces(const hn_model *model); /* true if it has forces besides gravity */
int hn_model_freedoms(const hn_model *model);    /* degrees of freedom of the bodies without joints */
/* True if the energy of hn_measure_state is a constant of the motion. Dampers, motors, external forces,
 * prescribed motions, limits and contacts do work, so that its change is not an error. */
bool hn_model_conserves_energy(const hn_model *model);
/* True if nothing in the model can add energy: its joints do not move by themselves, and its forces are
 * conservative. Contacts, limits and friction may take energy. */
bool hn_model_is_passive(const hn_model *model);
/* Projects the start onto the joints in the mass metric: positions, then velocities. This is the last step of
 * building. */
int hn_model_project(hn_model *model, hn_error *error);
/* An edit of model `now`: removes some of its bodies, joints and forces, and adds the extra ones of another
 * model. */
typedef struct hn_model_edit {
  /* [nbody], [njoint], [nforce]: elements to remove; NULL: none of that kind */
  const bool *body, *joint, *force;
  const hn_model *from; /* has now's bodies in the same order, then bodies to add; NULL: adds nothing */
  int first_joint, first_force; /* joints and forces of `from` with at least these numbers are added */
} hn_model_edit;
/* Creates the edited model; its start is STATE, a state of NOW. Removing a body removes its joints and
 * forces; removing a joint removes its companions, such as its limit. Bodies keep their numbers
 * (hn_body.gone). Elements still belong to NOW and to edit->from, which must outlive the result. Returns
 * NULL on error. */
hn_model *hn_model_change(const hn_model *now, const struct hn_state *state, const hn_model_edit *edit,
                          hn_error *error);
/* True if joint b is a companion of joint a: between the same bodies and named "A.limit" or similar. */
bool hn_joint_is_companion(const hn_joint *a, const hn_joint *b);
/* Creates the same mechanism as point masses and rods without redundancy, from rigid bodies on ball joints,
 * hinges and distances. Its first bodies are the centres of the model's bodies, with their names. Returns
 * NULL on error. */
hn_model *hn_model_point_masses(const hn_model *model, hn_error *error);

/* ---- Contact ------------------------------------------------------------------------------------------- */

/* Enables collisions: shapes nearer than `margin` are contacts, at most `most` of them; 0: a capacity chosen
 * from the number of shapes. Call it when all shapes exist. */
typedef struct hn_contact_spec {
  double margin; /* m; 0: a twentieth of the smallest bounding radius of a shape */
  int most;
  double threshold; /* m/s: slower impacts are plastic; 0: unchanged */
  bool jointed;     /* bodies connected by a joint collide as well */
  int points;       /* maximum number of points of a pair of shapes, up to 4; 0: unlimited */
  /* law of compliant contact of all pairs, "name:key=value,..."; NULL: as before, at first none. Without
   * rigid pairs, all members but this one and `jointed` must be 0 */
  const char *law;
} hn_contact_spec;
/* Pairs with a law of compliant contact are no contacts of states and systems: their overlap causes forces.
 * If all pairs have one, nothing is reserved and the only need is HN_CAN_COMPLIANT. */
int hn_model_collide(hn_model *model, const hn_contact_spec *spec, hn_error *error);
typedef struct hn_surface {
  /* kinetic and static coefficients of friction, 1; static is at least kinetic, 0: equal to it */
  double friction, static_friction;
  double restitution;                          /* 0 to 1 */
  double rolling_friction, torsional_friction; /* coefficients, m */
  /* coefficient of kinetic friction across the friction axes of the bodies, 1; `friction` is that along them.
   * 0: equal to `friction` */
  double friction_across;
} hn_surface;
/* Stores the deepest overlap at the start in model->overlap. If there are more contacts than capacity it
 * stores none; the first step reports the error. */
int hn_model_find_overlap(hn_model *model, hn_error *error);
/* Sets the surface properties of a pair of materials, which override those of the bodies; NAN: not
 * overridden. */
int hn_model_pair_materials(hn_model *model, const char *a, const char *b, const hn_surface *surface,
                            hn_error *error);
/* Sets the law of compliant contact of a pair of materials, "name:key=value,..."; NULL: rigid contact,
 * whatever the law of all pairs. Without materials, A and B NULL, it is the law of all pairs. Call it before
 * hn_model_collide. */
int hn_model_pair_law(hn_model *model, const char *a, const char *b, const char *law, hn_error *error);
/* The same for a law given as functions: the force, N, of the compression, m, and its rate; the stored
 * energy, J; or both, NULL for none. SETTINGS are the parameters of friction, or NULL. The model takes
 * ownership of the tapes. */
int hn_model_own_law(hn_model *model, const char *a, const char *b, const char *settings,
                     struct hn_tape *force, struct hn_tape *energy, hn_error *error);
/* Returns the law of compliant contact of a pair of colliders, or NULL: their contact is rigid. */
const hn_contact_law *hn_model_contact_law(const hn_model *model, int a, int b);
/* Returns the surface properties of a pair of colliders: the geometric means of the frictions, also of
 * rolling and torsional ones, and the larger restitution, unless their materials override them. Frictions
 * are those along the friction axes; friction_across is 0, as the ellipse depends on the poses: see
 * hn_contact. */
hn_surface hn_model_surface(const hn_model *model, int a, int b);
/* Returns the friction axis of COLLIDER, a unit vector in its body's own axes; 0: none, friction is equal in
 * all directions. */
const double *hn_collider_axis(const hn_model *model, const hn_collider *collider);
/* Computes the ratios of friction across the axes of two colliders to that along them: of their materials,
 * and then true, or of their bodies; 1 without an axis. */
bool hn_model_friction_ratios(const hn_model *model, int a, int b, double ratio[2]);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
