/* bodies.h - rigid bodies, their shapes, mass and inertia */
#ifndef HOLONOM_BODIES_H
#define HOLONOM_BODIES_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

/* ---- Bodies -------------------------------------------------------------------------------------------- */

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
  HN_ELLIPSOID,
  HN_CIRCLE,
  HN_POLYGON,
  HN_HEIGHT_FIELD,
  HN_SHAPE_KINDS
} hn_shape_kind;

typedef struct hn_shape {
  hn_shape_kind kind;
  /* m. Box: edges; sphere, circle: radius; cylinder, capsule (axis y): radius, height of the straight part;
   * plane: unit normal that points out of its half space; ellipsoid: half axes */
  double size[3];
  union {                                /* NULL for all other kinds */
    const struct hn_hull *hull;          /* HN_CONVEX, HN_POLYGON: the corners, made by hn_shape_hull */
    const struct hn_height_field *field; /* HN_HEIGHT_FIELD: the heights, made by hn_shape_height_field */
  };
} hn_shape;

typedef enum hn_body_kind { HN_FIXED = 0, HN_PARTICLE, HN_RIGID } hn_body_kind;

typedef struct hn_body {
  char *name;
  hn_body_kind kind;
  bool gone;               /* removed during a run: keeps its index as a fixed body without collisions */
  int collider, ncollider; /* index of its first collider in the model; number of its colliders */
  double gravity[3];       /* m/s^2 */
  double mass;             /* kg; 0 when fixed */
  double J[3]; /* principal moments of inertia about the centre of mass, body axes, kg m^2; 0 unless rigid */
  double inv_mass; /* 1/kg; 0 when fixed */
  double inv_J[3]; /* 1/(kg m^2); 0 unless rigid, and 0 where J is 0: planar bodies rotate about z alone */
  hn_pose pose0;   /* at t = 0 */
  hn_twist twist0; /* at t = 0 */
  hn_pose *frame;  /* scene axes in the body's own axes (centre of mass, principal axes); NULL: the same */
} hn_body;

/* A shape attached to a body. */
typedef struct hn_collider {
  int body;
  int material; /* index of the model's material; -1: none */
  int surface;  /* index of the model's surface: see hn_model_surface */
  int axis;     /* of friction: see hn_collider_axis */
  hn_shape shape;
  hn_pose place; /* pose of the shape's axes in the body's own axes (centre of mass, principal axes) */
  double reach;  /* m: radius of the bounding sphere about place.x; infinite for a plane or a height field */
  uint32_t group, mask; /* two shapes collide if each group is in the other's mask; group 0: never */
} hn_collider;

/* ---- Specification of a body --------------------------------------------------------------------------- */

/* A shape placed on a body, in scene axes. */
typedef struct hn_part {
  hn_shape shape;
  double position[3];     /* m */
  double orientation[4];  /* need not be normalised; all zero: the identity */
  double density;         /* kg/m^3, planar shapes kg/m^2; 0: the density of the body */
  bool weightless, ghost; /* weightless: adds no mass; ghost: does not collide */
} hn_part;

/* Specification of a body: mass and inertia, or shapes and a density, or mass and shapes. */
typedef struct hn_body_spec {
  const char *name;
  hn_body_kind kind;
  bool has_mass;
  double mass;         /* kg */
  double inertia[3];   /* kg m^2, about the centre of mass; planar: { 0, 0, Jz } */
  double products[3];  /* entries Jxy, Jxz, Jyz of the inertia tensor: minus the integrals of x y, x z, y z */
  double centre[3];    /* centre of mass in scene axes, for a given mass and inertia, m */
  hn_shape shape;      /* single shape at the origin of the body, */
  const hn_part *part; /* or parts [nparts] */
  int nparts;
  double density;         /* kg/m^3; 0 when mass is given */
  double friction;        /* coefficient of kinetic friction, 1 */
  double static_friction; /* coefficient of static friction, at least `friction`; 0: equal to it */
  double rolling_friction,
    torsional_friction; /* coefficients, m: bounds of moments are these times the force */
  /* axis of friction in scene axes of the body, of any length, 0: none; and the coefficient of kinetic
   * friction across it, 1, 0: equal to `friction`, which is that along it */
  double friction_axis[3], friction_across;
  double restitution;
  const char *material, *group; /* names of its material and its collision group; NULL: none */
  const char *const *collides;  /* names of the groups it collides with, ended by NULL; NULL: all */
  bool has_gravity;             /* false: the gravity of the model */
  double gravity[3];            /* m/s^2 */
  double position[3];           /* m */
  double orientation[4];        /* need not be normalised; all zero: the identity */
  double velocity[3];           /* m/s, of the origin of the body */
  double angular_velocity[3];   /* rad/s */
} hn_body_spec;

/* Computes the axis-aligned bounding box, in world axes, of COLLIDER on a body at POSE; infinite for a
 * plane, and below a height field. */
void hn_collider_bounds(const hn_collider *collider, const hn_pose *pose, double low[3], double high[3]);

/* ---- Mass and shapes ----------------------------------------------------------------------------------- */

typedef struct hn_mass {
  double mass;      /* kg */
  double centre[3]; /* centre of mass, m */
  double J[6];      /* inertia tensor about the centre of mass: Jxx, Jyy, Jzz, Jxy, Jxz, Jyz, kg m^2 */
} hn_mass;

/* Returns the name of a shape kind, such as "box". */
const char *hn_shape_name(hn_shape_kind kind);
/* Returns -1 and an error if a size is not positive or the normal of a plane does not have unit length. */
int hn_shape_check(const hn_shape *shape, hn_error *error);
/* Sets SHAPE to the convex hull of COUNT points, point[3 count], m. KIND is HN_CONVEX, or HN_POLYGON
 * for points in the plane z = 0. Bodies copy the corners; the caller frees its own with hn_shape_free.
 * Returns -1 and an error if the points have no hull with a volume (an area). */
int hn_shape_hull(hn_shape *shape, hn_shape_kind kind, const double *point, int count, hn_error *error);
/* Sets SHAPE to a height field: a surface over NX times NZ points of a regular grid, whose rectangle SIZE,
 * m, is centred at the origin of the shape. HEIGHT[nx nz], m along y, has rows along x, from the lowest z
 * on. The solid below has no bottom; it belongs on fixed bodies. Bodies copy the heights; the caller frees
 * its own with hn_shape_free. Returns -1 and an error for too few points or a number that is not finite. */
int hn_shape_height_field(hn_shape *shape, const double size[2], int nx, int nz, const double *height,
                          hn_error *error);
/* Computes the corners (m, axes of the shape) of triangle K of a height field, counterclockwise seen from
 * above. Returns false if there is no such triangle. */
bool hn_shape_triangle(const hn_shape *shape, int k, double corner[3][3]);
/* Returns the corners of a convex hull or a polygon, 3 numbers each, m, axes of the shape, and stores their
 * COUNT; NULL for other shapes. They belong to the shape. */
const double *hn_shape_corners(const hn_shape *shape, int *count);
void hn_shape_free(hn_shape *shape);
/* Computes the mass properties of a homogeneous shape in its own axes. Planar shapes take kg/m^2 and have
 * only Jzz. */
int hn_shape_mass(const hn_shape *shape, double density, hn_mass *out, hn_error *error);
/* Adds PART, whose axes are at PLACE, to SUM. */
void hn_mass_add(hn_mass *sum, const hn_mass *part, const hn_pose *place);
/* Computes the principal axes Q, chosen nearest to the axes of MASS, and the moments J about them. */
int hn_mass_principal(const hn_mass *mass, double q[4], double J[3], hn_error *error);
/* Convert between the pose and twist of a body's own axes and those of its scene axes, both in world
 * coordinates. */
void hn_body_to_scene(const hn_body *body, const hn_pose *pose, const hn_twist *twist, hn_pose *to,
                      hn_twist *to_twist);
void hn_body_from_scene(const hn_body *body, const hn_pose *pose, const hn_twist *twist, hn_pose *to,
                        hn_twist *to_twist);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
