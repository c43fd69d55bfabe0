/* movers.h - bodies of all shapes that slide or roll over a floor, in a scene that may be turned. */
#ifndef TESTS_MOVERS_H
#define TESTS_MOVERS_H

#include "models.h"
#include "base/vec.h"

#define STEP 0.004 /* s */
static const double mu = 0.1, gravity = 9.81, duration = 0.6;
static const double speed = 3.0, oblique = 0.4; /* m/s along x, and along z of what slides */
static const double side = 0.2;                 /* m, of the bodies */

typedef enum mover_kind { BOX, DISC, HEXAGON, SLED, BALL, CAPSULE, ROLLER, SPHEROID, MOVERS } mover_kind;
static const char *const mover_names[] = { "box",  "disc",    "hexagon", "sled",
                                           "ball", "capsule", "roller",  "spheroid" };

/* Axes in which a floor is horizontal: none is special. */
static const double turned[4] = { 0.78, 0.31, -0.42, 0.35 };

typedef struct setting {
  double q[4]; /* unit quaternion of the scene */
  hn_model *model;
  int shapes, mover; /* 0: the last body */
} setting;

static inline void start_setting(setting *s, bool turn)
{
  const double none[4] = { 1, 0, 0, 0 }, down[3] = { 0, -gravity, 0 }, *q = turn ? turned : none;
  double g[3];
  const double length = norm_of(q, 4);
  for (int i = 0; i < 4; i++) s->q[i] = q[i] / length;
  quat_rotate(g, s->q, down);
  s->model = hn_model_create(g);
  s->shapes = s->mover = 0;
  assert_non_null(s->model);
}

/* Adds a body whose place and motion are given in the axes of the floor. */
static inline int add(setting *s, hn_body_spec spec)
{
  double q[4], at[3], v[3], w[3];
  if (norm_of(spec.orientation, 4) == 0) spec.orientation[0] = 1;
  quat_mul(q, s->q, spec.orientation);
  quat_rotate(at, s->q, spec.position), quat_rotate(v, s->q, spec.velocity);
  quat_rotate(w, s->q, spec.angular_velocity);
  memcpy(spec.orientation, q, sizeof q);
  vec_copy(spec.position, at), vec_copy(spec.velocity, v), vec_copy(spec.angular_velocity, w);
  return must_add(s->model, &spec);
}

/* Adds a body that slides or rolls along x from the origin; returns its index. */
static inline int add_mover(setting *s, mover_kind kind)
{
  const double half = 0.5 * side;
  hn_part soles[2] = { { .shape = { .kind = HN_BOX, .size = { side, side, side } }, .position = { -half } },
                       { .shape = { .kind = HN_BOX, .size = { side, side, side } }, .position = { half } } };
  hn_body_spec spec = {
    .name = "mover", .kind = HN_RIGID, .density = 500, .friction = mu, .position = { 0, half, 0.05 }
  };
  double point[36];
  const bool rolls = kind >= BALL;
  vec_set(spec.velocity, speed, 0, rolls ? 0 : oblique);
  if (rolls) spec.angular_velocity[2] = -speed / half;
  spec.orientation[0] = cos(0.2), spec.orientation[2] = rolls ? 0 : sin(0.2);
  switch (kind) {
  case BOX: spec.shape = (hn_shape){ .kind = HN_BOX, .size = { side, side, side } }; break;
  case DISC: spec.shape = (hn_shape){ .kind = HN_CYLINDER, .size = { half, side } }; break;
  case SLED: spec.part = soles, spec.nparts = 2; break;
  case BALL: spec.shape = (hn_shape){ .kind = HN_SPHERE, .size = { half } }; break;
  case CAPSULE: spec.shape = (hn_shape){ .kind = HN_CAPSULE, .size = { half, side } }; break;
  case SPHEROID: spec.shape = (hn_shape){ .kind = HN_ELLIPSOID, .size = { half, half, side } }; break;
  case ROLLER: spec.shape = (hn_shape){ .kind = HN_CYLINDER, .size = { half, side } }; break;
  default: {
    hn_error error;
    for (int k = 0; k < 12; k++)
      vec_set(point + 3 * k, half * cos(M_PI * (k / 2) / 3), k % 2 ? -half : half,
              half * sin(M_PI * (k / 2) / 3));
    if (hn_shape_hull(&spec.shape, HN_CONVEX, point, 12, &error)) fail_msg("%s", error.text);
  }
  }
  if (kind == CAPSULE || kind == ROLLER)
    vec_set(spec.orientation + 1, sqrt(0.5), 0, 0), spec.orientation[0] = sqrt(0.5);
  s->mover = add(s, spec);
  if (kind == HEXAGON) hn_shape_free(&spec.shape);
  return s->mover;
}

#endif
