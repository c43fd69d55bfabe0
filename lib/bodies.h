/* bodies.h - bodies, the shapes on them, and what these weigh */
#ifndef HOLONOM_BODIES_H
#define HOLONOM_BODIES_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

typedef struct hn_pose {
  double x[3]; /* centre of mass, m */
  double q[4]; /* orientation, unit quaternion (w, x, y, z) from body to world */
} hn_pose;

typedef struct hn_twist {
  double v[3]; /* velocity of the centre of mass, m/s */
  double w[3]; /* angular velocity, rad/s */
} hn_twist;

typedef enum hn_shape_kind {
  HN_NO_SHAPE = 0,
  HN_BOX,
  HN_SPHERE,
  HN_CYLINDER,
  HN_CAPSULE,
  HN_PLANE,
  HN_CONVEX,
  HN_CIRCLE,
  HN_POLYGON,
  HN_SHAPE_KINDS
} hn_shape_kind;

typedef struct hn_shape {
  hn_shape_kind kind;
  double size
    [3]; /* m; box: edges; sphere, circle: radius; cylinder, capsule (axis y): radius, height of the straight
                   * part; plane: its normal, of unit length, out of the half space that it fills */
  const struct hn_hull *hull; /* of HN_CONVEX and HN_POLYGON, its corners: hn_shape_hull */
} hn_shape;

typedef enum hn_body_kind { HN_FIXED = 0, HN_PARTICLE, HN_RIGID } hn_body_kind;

typedef struct hn_body {
  char *name;
  hn_body_kind kind;
  bool gone; /* taken out in a run: its number stays, fixed where it was, and nothing touches it */
  int collider, ncollider; /* first of its shapes among the model's, and how many */
  double gravity[3];       /* m/s^2 */
  double mass;             /* kg; 0 when fixed */
  double J[3]; /* principal moments of inertia about the centre of mass, body axes, kg m^2; 0 unless rigid */
  double inv_mass; /* 1/kg; 0 when fixed */
  double inv_J[3]; /* 1/(kg m^2); 0 unless rigid, and 0 where J is: planar bodies turn about z alone */
  hn_pose pose0;   /* at t = 0 */
  hn_twist twist0; /* at t = 0 */
  hn_pose
    *frame; /* where the axes in which the scene speaks of it are in its own (centre of mass, principal axes);
                       * NULL: they are the same */
} hn_body;

/* A shape on a body. */
typedef struct hn_collider {
  int body;
  int material; /* among those of the model, -1: none */
  int surface;  /* among those of the model: hn_model_surface */
  hn_shape shape;
  hn_pose place; /* of the shape's axes in the body's own: centre of mass, principal axes */
  double reach;  /* m: radius of the sphere about place.x that holds it; of a plane infinite */
  uint32_t group,
    mask; /* two collide when each one's group is in the other's mask; group 0: it is there to be looked
                         * at, and for its mass */
} hn_collider;

/* ---- What a scene says of a body --------------------------------------------------------------------------------- */

/* A shape placed on a body, in the axes in which the scene speaks of it. */
typedef struct hn_part {
  hn_shape shape;
  double position[3];     /* m */
  double orientation[4];  /* need not be normalised; all zero: the identity */
  double density;         /* kg/m^3, of planar shapes kg/m^2; 0: the body's */
  bool weightless, ghost; /* without mass; without collisions */
} hn_part;

/* Give mass and inertia, or shapes and a density, or mass and shapes. */
typedef struct hn_body_spec {
  const char *name;
  hn_body_kind kind;
  bool has_mass;
  double mass;         /* kg */
  double inertia[3];   /* kg m^2, about the centre of mass; planar: { 0, 0, Jz } */
  double products[3];  /* entries Jxy, Jxz, Jyz of the inertia tensor, minus the integrals of x y, ... */
  double centre[3];    /* of mass, where it is given, in the axes of the body, m */
  hn_shape shape;      /* one, at the origin of the body, */
  const hn_part *part; /* or [nparts] */
  int nparts;
  double density;         /* kg/m^3; 0 when mass is given */
  double friction;        /* of its surface, where it slides, */
  double static_friction; /* and where it sticks, at least as much; 0: the same */
  double restitution;
  const char *material, *group; /* names; NULL: none */
  const char *const *collides;  /* groups that it collides with, ended by NULL; NULL: all */
  bool has_gravity;             /* else the model's */
  double gravity[3];            /* m/s^2 */
  double position[3];           /* m */
  double orientation[4];        /* need not be normalised; all zero: the identity */
  double velocity[3];           /* m/s, of the origin of the body */
  double angular_velocity[3];   /* rad/s */
} hn_body_spec;

/* The box along the world's axes that holds COLLIDER on a body at POSE; of a plane it has infinite sides. */
void hn_collider_bounds(const hn_collider *collider, const hn_pose *pose, double low[3], double high[3]);

/* ---- Mass and shapes --------------------------------------------------------------------------------------------- */

typedef struct hn_mass {
  double mass;      /* kg */
  double centre[3]; /* of mass, m */
  double J[6];      /* inertia tensor about it: Jxx, Jyy, Jzz, Jxy, Jxz, Jyz, kg m^2 */
} hn_mass;

/* The name of a kind of shape, "box". */
const char *hn_shape_name(hn_shape_kind kind);
/* Refuses sizes that are not positive, and normals without length. */
int hn_shape_check(const hn_shape *shape, hn_error *error);
/* SHAPE becomes the hull of COUNT points, POINT[3 COUNT], m: HN_CONVEX, or HN_POLYGON in the plane z = 0.
 * Bodies take copies of its corners, which hn_shape_free frees. -1 on error: points that make no such
 * hull. */
int hn_shape_hull(hn_shape *shape, hn_shape_kind kind, const double *point, int count, hn_error *error);
void hn_shape_free(hn_shape *shape);
/* Of a homogeneous shape, in its axes; planar shapes have kg/m^2 and J of the third axis alone. */
int hn_shape_mass(const hn_shape *shape, double density, hn_mass *out, hn_error *error);
/* Adds PART, whose axes stand at PLACE, to SUM. */
void hn_mass_add(hn_mass *sum, const hn_mass *part, const hn_pose *place);
/* Principal axes Q, as near to those of MASS as they can be, and the moments J about them. */
int hn_mass_principal(const hn_mass *mass, double q[4], double J[3], hn_error *error);
/* Where the axes are in which the scene speaks of BODY, with its own at POSE and TWIST; and the other way. */
void hn_body_to_scene(const hn_body *body, const hn_pose *pose, const hn_twist *twist, hn_pose *to,
                      hn_twist *to_twist);
void hn_body_from_scene(const hn_body *body, const hn_pose *pose, const hn_twist *twist, hn_pose *to,
                        hn_twist *to_twist);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
