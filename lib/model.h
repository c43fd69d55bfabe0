/* model.h - a model: its bodies, joints, forces and shapes in one piece, and how it is built */
#ifndef HOLONOM_MODEL_H
#define HOLONOM_MODEL_H

#include "forces.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

/* ---- What solvers can do, and what a model needs of them --------------------------------------------------------- */

enum {
  HN_CAN_BILATERAL = 1,   /* equality constraints */
  HN_CAN_REDUNDANT = 2,   /* runs on redundant constraints */
  HN_HAS_MULTIPLIERS = 4, /* reports joint forces */
  HN_KEEPS_MOMENTUM =
    8, /* keeps angular momentum, but for round-off and the gaps that a tolerance leaves in joints:
                           * these times the impulses */
  HN_OWN_MATRIX = 16, /* solves with a matrix of its own as well, which parameter redundancy does not reach */
  HN_CAN_PUSH = 32,   /* sets: limits */
  HN_CAN_WITHIN = 64, /* bounded forces: motors with a largest force, dry friction in joints */
  HN_CAN_CONE = 128,  /* contacts with friction */
  HN_CAN_CHANGE = 256,    /* blocks that come and go between its steps */
  HN_CAN_BOUNCE = 512,    /* targets other than 0: impacts with restitution */
  HN_CAN_VELOCITY = 1024, /* rows that constrain velocities alone */
  HN_CAN_MORE = 2048,     /* forces of hn_model.more: all who ask the system for forces, or for their parts */
  HN_CAN_BREAK = 4096,    /* says when joints break: all who report joint forces can, and need not say so */
  HN_FOLLOWS_SLIPS = 8192 /* however fast friction turns them: divides its steps where they are slow */
};

enum { HN_MOST_CONTACTS = 1 << 20 }; /* of one model */

/* ---- Model: constant once finished. Body 0 is the ground --------------------------------------------------------- */

/* How far what a joint says in closed form, in power series and by its values near by is from being one thing, each the
 * largest part by which two are apart, over bodies drawn near the start. */
#define HN_CONTRACT_EXACT 1e-11     /* what is apart by rounding alone */
#define HN_CONTRACT_DIFFERENCE 1e-7 /* and by difference quotients */
typedef struct hn_contract {
  double value, rate,
    acceleration;    /* coefficients 0, 1, 2 of the series: g, G u + bias, half of G a + gamma */
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

struct hn_state;

/* Rows that are no equations, whose multipliers Q are known: Q = force, or friction of what slides, against
 * their rates and mu times the multiplier of another joint. */
typedef struct hn_given {
  const hn_joint *joint;
  int normal;                /* the joint of one row that it depends on; -1: none */
  double mu;                 /* 1 */
  double along[2];           /* unit length: where its rates begin, or go on after they have been zero */
  double force[HN_MAX_ROWS]; /* N or N m; without a normal */
} hn_given;

/* Forces that are no part of a scene: of a solver that puts a model together from the part of another one that moves
 * smoothly. They may depend on everything in the state. */
typedef struct hn_more_forces {
  /* WRENCH[6 nbody], of all other forces at STATE, takes these in. */
  void (*add)(void *user, const struct hn_state *state, double *wrench);
  void *user;
  const hn_given *given; /* [ngiven] they are these, if solvers want more than their values; NULL: unknown */
  int ngiven;
} hn_more_forces;

typedef struct hn_model {
  int nbody; /* bodies, the ground included */
  int njoint;
  int nrow;          /* rows of all joints */
  int most_contacts; /* room for contacts in every state and system; 0: nothing touches */
  double threshold;  /* m/s, rad/s: an impact that is slower is plastic, whatever its restitution */
  unsigned needs;    /* HN_CAN_...: what a solver must be able to do */
  double gravity[3]; /* m/s^2 */
  bool loose;        /* joints may be violated at the start */
  bool planar;       /* bodies stay in the plane z = 0 */
  bool moving;       /* what is added joins bodies in motion: velocities may violate it until a step ends */
  bool view;         /* made by hn_model_change: only its arrays are its own */
  bool consistent;   /* the start is to be projected: until hn_model_project, joints may be violated */
  hn_projection projection; /* what that has changed */
  hn_body *body;            /* [nbody] */
  hn_joint *joint;          /* [njoint], in the order of the scene */
  int ncollider;
  hn_collider *collider;        /* [ncollider], those of a body together, bodies in the order of the scene */
  struct hn_surfaces *surfaces; /* groups, materials, and what pairs of them are to each other */
  double margin;                /* m: shapes nearer than this are contacts; 0: nothing collides */
  hn_overlap overlap;           /* after hn_model_find_overlap */
  int most_points;              /* of a pair of shapes that become contacts; 0: all */
  bool jointed_collide;         /* also bodies that a joint connects */
  int nforce;
  struct hn_force *force;     /* [nforce], in the order of the scene */
  const hn_more_forces *more; /* NULL: none */
  int ninput; /* inputs of all joints and forces: what control may set, and memory of controllers */
  const struct hn_solver_type *const
    *own_solvers; /* solvers defined by the scene, ended by NULL; NULL: none */
  const struct hn_contact_type *const *contact_solver; /* likewise contact solvers */
} hn_model;

/* ---- Building a model -------------------------------------------------------------------------------------------- */

hn_model *hn_model_create(const double gravity[3]);
/* Bodies to come move in the plane z = 0; gravity must lie in it. Joints are taken as what they are there. */
int hn_model_set_planar(hn_model *model, hn_error *error);
void hn_model_free(hn_model *model);
int hn_model_add_body(hn_model *model, const hn_body_spec *spec, hn_error *error);   /* its index */
int hn_model_add_joint(hn_model *model, const hn_joint_spec *spec, hn_error *error); /* its index */
int hn_model_add_force(hn_model *model, const hn_force_spec *spec, hn_error *error); /* its index */
/* Is there anything in it that can have events by itself: contacts, limits, bounded forces, joints that break? */
bool hn_model_is_eventful(const hn_model *model);
int hn_model_find_body(const hn_model *model, const char *name, hn_error *error); /* its index */
/* For many look-ups: the bodies in the order of their names, to be freed, or NULL without memory; and the body called
 * NAME, or -1. */
int *hn_model_sort_bodies(const hn_model *model);
int hn_model_look_up(const hn_model *model, const int *sorted, const char *name);
int hn_model_find_joint(const hn_model *model, const char *name, hn_error *error); /* its index */
int hn_model_find_force(const hn_model *model, const char *name, hn_error *error); /* its index */
/* Makes room for contacts in the states and systems to come: MOST of them, with FRICTION or without. */
int hn_model_expect_contacts(hn_model *model, int most, bool friction, hn_error *error);
/* Of one of the joints. -1 without memory. */
int hn_joint_contract(const hn_model *model, int joint, hn_contract *contract, hn_error *error);
/* 0 when the start agrees with all joints: one that is loose may not. The error names the first joint that does not. */
int hn_model_check_start(const hn_model *model, hn_error *error);
bool hn_model_pushes(const hn_model *model);  /* has it forces beside gravity? */
int hn_model_freedoms(const hn_model *model); /* of the moving bodies without joints */
/* Is the energy that hn_measure_state measures a constant of the motion? Not with dampers, motors, forces from outside,
 * prescribed motions, limits or contacts: its change is work then, not an error. */
bool hn_model_conserves_energy(const hn_model *model);
/* Projects the start onto the joints, in the mass metric: positions, then velocities. The last step of building. */
int hn_model_project(hn_model *model, hn_error *error);
/* A model NOW without some of its bodies, joints and forces, and with those that another model has more. */
typedef struct hn_model_edit {
  const bool *body, *joint, *force; /* [nbody], [njoint], [nforce]: what goes; NULL: nothing of that kind */
  const hn_model *from;         /* NULL; else NOW's bodies, in the same order, and more: added, and so are */
  int first_joint, first_force; /* joints and forces from these numbers on */
} hn_model_edit;
/* As the edit says. With a body go its joints and forces; with a joint those beside it, its limit. Bodies
 * keep their numbers (hn_body.gone). Its start is STATE, one of NOW. What is in it belongs to NOW and to
 * EDIT->from, which stay as long. NULL on error. */
hn_model *hn_model_change(const hn_model *now, const struct hn_state *state, const hn_model_edit *edit,
                          hn_error *error);
/* Does B stand beside A, with which it goes: between the same bodies, and called "A.limit" or so? */
bool hn_joint_is_beside(const hn_joint *a, const hn_joint *b);
/* The same mechanism as point masses and rods without redundancy: rigid bodies on ball joints, hinges and distances.
 * Its first bodies are the centres of MODEL's, with their names. NULL on error. */
hn_model *hn_model_point_masses(const hn_model *model, hn_error *error);

/* ---- Contact ----------------------------------------------------------------------------------------------------- */

/* From now on shapes collide: nearer than MARGIN they are contacts, of which there is room for MOST; 0: as the shapes
 * ask for, when they are all there. */
typedef struct hn_contact_spec {
  double margin; /* m; 0: a twentieth of the smallest reach of a shape */
  int most;
  double threshold; /* m/s: impacts that are slower are plastic; 0: as it is */
  bool jointed;     /* bodies that a joint connects collide as well */
  int points;       /* of a pair of shapes at most, up to 4; 0: all */
} hn_contact_spec;
int hn_model_collide(hn_model *model, const hn_contact_spec *spec, hn_error *error);
typedef struct hn_surface {
  double friction,
    static_friction;  /* 1: of what slides, and of what sticks, which is at least as much; 0: the same */
  double restitution; /* 0 to 1 */
} hn_surface;
/* Looks for the deepest overlap at the start, into model->overlap. Where there are more contacts than room it finds
 * none: the first step will say so. */
int hn_model_find_overlap(hn_model *model, hn_error *error);
/* What two materials are to each other, instead of what their bodies say; NAN: as their bodies say. */
int hn_model_pair_materials(hn_model *model, const char *a, const char *b, const hn_surface *surface,
                            hn_error *error);
/* What a pair of colliders is to each other: of frictions the geometric mean, of restitutions the larger one, unless
 * their materials say otherwise. */
hn_surface hn_model_surface(const hn_model *model, int a, int b);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
