/* joint_trials.h - joints of any type between two bodies in general position and motion, for tests over the
 * registry. Numbers are pseudo-random and reproducible. */
#ifndef HN_JOINT_TRIALS_H
#define HN_JOINT_TRIALS_H

#include "check.h"
#include "solver_settings_table.h"
#include "base/params.h"
#include "base/random.h"
#include "base/vec.h"

#include <string.h>

static const double TIME = 0.3; /* s, for prescribed motions */

/* Returns the next pseudo-random number in [-1, 1]. */
static inline double next_number(void)
{
  static uint32_t seed = 12345;
  return random_signed(&seed);
}

static inline void fill_random(double *a, int n)
{
  for (int i = 0; i < n; i++) a[i] = next_number();
}

typedef struct motion {
  hn_pose pose;
  hn_twist twist, acceleration;
} motion;

static inline motion random_motion(void)
{
  motion m;
  fill_random(m.pose.x, 3), fill_random(m.pose.q, 4), fill_random(m.twist.v, 3), fill_random(m.twist.w, 3);
  fill_random(m.acceleration.v, 3), fill_random(m.acceleration.w, 3);
  quat_normalise(m.pose.q);
  return m;
}

/* Fills AXES with the rows of a random orientation: axes fixed to a body. */
static inline void random_axes(double axes[9])
{
  double q[4];
  fill_random(q, 4);
  quat_normalise(q);
  quat_matrix(axes, q);
}

static inline hn_joint make_joint(const hn_joint_type *type)
{
  static hn_axes axes; /* axes and parameters of the joint made last */
  static double data[32];
  hn_error error;
  const char *settings = settings_for(type, "length=0.7,pitch=0.6,teeth=3:5,lower=-0.1,upper=0.3,radius=0.4");
  hn_joint joint = { .type = type, .a = 0, .b = 1, .axes = &axes, .input = -1 };
  axes = (hn_axes){ .angle = 1.1, .motion = { { 0.2, -0.3, 0.4, 0.1 }, 0.3, 1.7, 0.4 } };
  assert_true(type->data_size <= sizeof data);
  memset(data, 0, sizeof data);
  if (type->data_size > 0) joint.data = data;
  if (hn_params_read(hn_joint_params(type), type->name, settings, data, NULL, &error))
    fail_msg("%s", error.text);
  fill_random(joint.point_a, 3), fill_random(joint.point_b, 3);
  random_axes(axes.a), random_axes(axes.b);
  return joint;
}

typedef struct rows {
  double g[6], Ga[36], Gb[36], bias[6], gamma[6];
} rows;

static inline rows eval_at(double t, const hn_joint *joint, const motion *a, const motion *b)
{
  rows r = { { 0 }, { 0 }, { 0 }, { 0 }, { 0 } };
  hn_rows out = { r.g, r.Ga, r.Gb, r.bias, r.gamma };
  joint->type->eval(joint, t, &a->pose, &a->twist, &b->pose, &b->twist, &out);
  return r;
}

static inline rows eval(const hn_joint *joint, const motion *a, const motion *b)
{
  return eval_at(TIME, joint, a, b);
}

/* Returns row r of G u. */
static inline double row_velocity(const hn_joint *joint, const rows *at, int r, const hn_twist *ua,
                                  const hn_twist *ub)
{
  double sum = 0.0;
  int n = joint->type->rows;
  for (int c = 0; c < 3; c++)
    sum += at->Ga[c * n + r] * ua->v[c] + at->Ga[(3 + c) * n + r] * ua->w[c] + at->Gb[c * n + r] * ub->v[c] +
           at->Gb[(3 + c) * n + r] * ub->w[c];
  return sum;
}

static bool planar; /* the tests use the planar forms of the types */

static inline int in_the_plane(void **state)
{
  (void)state;
  planar = true;
  return 0;
}

/* Returns the types of the registry with their coordinates, or the planar forms of the types. */
static const hn_joint_type *const *tested_types(size_t *count)
{
  static const hn_joint_type *all[64];
  size_t types;
  const hn_joint_type *const *type = hn_joint_types(&types);
  *count = 0;
  for (size_t i = 0; i < types && !planar; i++) all[(*count)++] = type[i];
  for (size_t i = 0; i < types; i++) {
    if (planar && type[i]->planar && type[i]->planar != type[i]) all[(*count)++] = type[i]->planar;
    const hn_joint_type *const *coordinate = planar ? NULL : type[i]->coordinates;
    for (; coordinate && *coordinate; coordinate++) {
      bool known = false;
      for (size_t k = 0; k < *count; k++) known |= all[k] == *coordinate;
      if (!known) all[(*count)++] = *coordinate;
    }
    assert_true(*count < 56);
  }
  return all;
}

/* Draws the joint and its bodies until no row is near a singularity or jump: points that coincide, axis 0 of
 * a along an axis of b or along the line of the points, the seam of a gear (one tooth) or screw (one
 * pitch). */
static inline void draw_regular(hn_joint *joint, motion *a, motion *b)
{
  double span, lean[2], steep[2], off;
  do {
    *joint = make_joint(joint->type), *a = random_motion(), *b = random_motion();
    double pa[3], pb[3], axis_a[3], axis_b[3];
    quat_rotate(pa, a->pose.q, joint->point_a), quat_rotate(pb, b->pose.q, joint->point_b);
    for (int i = 0; i < 3; i++) pb[i] += b->pose.x[i] - a->pose.x[i] - pa[i];
    span = vec_norm(pb);
    quat_rotate(axis_a, a->pose.q, joint->axes->a);
    for (int i = 0; i < 2; i++) {
      quat_rotate(axis_b, b->pose.q, joint->axes->b + 3 * i);
      lean[i] = fabs(vec_dot(axis_a, axis_b));
    }
    steep[0] = fabs(vec_dot(axis_a, pb)) / span;
    quat_rotate(axis_b, b->pose.q, joint->axes->b);
    steep[1] = fabs(vec_dot(axis_b, pb)) / span;
    double pitch = hn_joint_real(joint, "pitch");
    off = isnan(pitch) ? 0.0 : fabs(eval(joint, a, b).g[4]) / pitch;
  } while (span < 0.5 || lean[0] > 0.9 || lean[1] > 0.9 || steep[0] > 0.9 || steep[1] > 0.9 || off > 0.4);
  if (strcmp(joint->type->name, "gear") == 0) joint->axes->angle += eval(joint, a, b).g[0];
}

/* Returns the pose after time e at the constant twist u. */
static inline hn_pose displaced(const hn_pose *pose, const hn_twist *u, double e)
{
  hn_pose moved = *pose;
  double half = 0.5 * e * vec_norm(u->w), scale = 0.5 * e * sin(half) / half, turn[4] = { cos(half) };
  vec_add_scaled(moved.x, e, u->v);
  vec_scale(turn + 1, scale, u->w);
  quat_mul(moved.q, turn, pose->q);
  return moved;
}

/* Step of the difference quotients, whose error is E^4 / 30 times the fifth derivative. */
static const double E = 2e-4;

static inline double derivative(double plus, double minus, double plus2, double minus2)
{
  return (8 * (plus - minus) - (plus2 - minus2)) / (12 * E);
}

#endif
