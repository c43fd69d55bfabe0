/* rolling.c - rolling without slip on a plane of a: a ball, an upright wheel, or a thin disc that may lean
 *
 * The joint point is the centre, n the normal of the plane (fixed to a, towards the centre), e the axis of
 * the disc (fixed to b). The contact point relative to the centre is
 *
 *   ball   s = -R n                                     s' = -R w_a x n
 *   disc   s = -R m / |m|,  m = n - (n . e) e           s' = -R (m' - m (m . m') / |m|^2) / |m|
 *
 * For a disc this is the lowest point of the rim. The contact point moves over both bodies. Without slip, the
 * material points of both bodies have the same velocity in the plane, t_1 . V = t_2 . V = 0: point_velocity.h
 * with r = R_b point_b + s and directions t of the plane, t' = w_a x t. The constraint is not holonomic
 * (except for a wheel in a planar system) and does no work.
 *
 * A type constrains either positions or velocities, so another joint keeps the body on the plane. For a ball,
 * whose centre has constant height, it is point_on_plane of the centre. For a disc, whose centre descends as
 * it leans, it is
 *
 *   disc_on_plane   g = n . d - R |m| + R |m| at the start,   d: from the joint point of a to that of b
 *
 * Its rate is n . V. A flat disc, |m| = 0, has no lowest point. */
#include "joint/point_velocity.h"
#include "base/product.h"
#include "base/vec.h"

typedef struct wheel {
  double radius;
  double height; /* of the centre above the plane at the start, m */
} wheel;

/* Kind of a type: disc or ball, and the first of the axes of a that are rows. */
typedef struct roller {
  bool disc;
  int first;
} roller;

static const hn_param params[] = {
  { "radius", HN_REAL, offsetof(wheel, radius), "", 0, HUGE_VAL, "m", NULL,
    "radius of the ball, wheel or disc" },
  { .key = NULL },
};

static int setup(hn_joint *joint, const hn_joint_spec *spec, const hn_pose *a, const hn_pose *b,
                 hn_error *error)
{
  wheel *d = joint->data;
  double across[3];
  (void)a, (void)b;
  vec_cross(across, spec->axis_a, spec->axis_b);
  d->height = d->radius * vec_norm(across);
  if (d->radius > 0) return 0;
  return hn_fail(error, "joint \"%s\": it needs its radius, above zero", joint->name);
}

/* Computes the contact point of a disc relative to its centre, and its rate. */
static void lowest_point(double radius, const double n[3], const double wa[3], const double e[3],
                         const double wb[3], double s[3], double s_rate[3])
{
  double n_rate[3], e_rate[3], m[3], m_rate[3], tilt = vec_dot(n, e);
  vec_cross(n_rate, wa, n);
  vec_cross(e_rate, wb, e);
  double tilt_rate = vec_dot(n_rate, e) + vec_dot(n, e_rate);
  for (int i = 0; i < 3; i++) {
    m[i] = n[i] - tilt * e[i];
    m_rate[i] = n_rate[i] - tilt_rate * e[i] - tilt * e_rate[i];
  }
  double length = vec_norm(m), growth = vec_dot(m, m_rate) / (length * length);
  for (int i = 0; i < 3; i++) {
    s[i] = -radius * m[i] / length;
    s_rate[i] = -radius * (m_rate[i] - growth * m[i]) / length;
  }
}

/* Computes the contact point of JOINT; returns its height above the plane. */
static double touch_at(const hn_joint *joint, const hn_place *place, const hn_pose *a, const hn_pose *b,
                       hn_touch *touch)
{
  const wheel *d = joint->data;
  const double *n = place->A;
  double s[3], s_rate[3], arm[3], arm_rate[3];
  if (((const roller *)joint->type->detail)->disc) {
    lowest_point(d->radius, n, place->ua->w, place->B, place->ub->w, s, s_rate);
  } else {
    vec_scale(s, -d->radius, n);
    vec_cross(s_rate, place->ua->w, s);
  }
  vec_cross(arm_rate, place->ub->w, place->arm_b);
  vec_add(arm_rate, arm_rate, s_rate);
  vec_add(arm, place->arm_b, s);
  hn_point_velocity_at(touch, a, place->ua, b, place->ub, arm, arm_rate);
  return vec_dot(n, place->span) + vec_dot(n, s) + d->height;
}

static void eval(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                 const hn_twist *ub, const hn_rows *out)
{
  const hn_joint_type *type = joint->type;
  const int first = ((const roller *)type->detail)->first;
  hn_place place;
  hn_touch touch;
  hn_row row;
  (void)t;
  hn_place_at(&place, joint, a, ua, b, ub, false);
  double height = touch_at(joint, &place, a, b, &touch);
  for (int r = 0; r < type->rows; r++) {
    const double *e = place.A + 3 * (first + r);
    double e_rate[3];
    vec_cross(e_rate, ua->w, e);
    hn_point_velocity_row(&touch, e, e_rate, &row);
    if (!type->velocity) row.g = height;
    hn_row_store(&row, r, type->rows, out);
  }
}

/* ---- Power series -------------------------------------------------------------------------------------- */

/* Series behind those of the place: arm and reach of the contact, s; for a disc also n . e, m and |m|. */
enum {
  ARM = HN_PLACE_SERIES,
  REACH = ARM + 3,
  CONTACT = REACH + 3,
  TILT = CONTACT + 3,
  ACROSS = TILT + 1,
  LENGTH = ACROSS + 3,
  SERIES = LENGTH + 1
};

static double dot_coefficient(const double *p, const double *q, size_t n, size_t k)
{
  return convolution(p, q, k + 1) + convolution(p + n, q + n, k + 1) +
         convolution(p + 2 * n, q + 2 * n, k + 1);
}

/* Solves s |m| = -R m and |m|^2 = 1 - (n . e)^2 for coefficient k. */
static void lowest_point_jet(double radius, size_t k, size_t n, double *work)
{
  const double *axis = work + HN_AXES_B * n;
  double *tilt = work + TILT * n, *length = work + LENGTH * n;
  tilt[k] = dot_coefficient(work + HN_AXES_A * n, axis, n, k);
  for (size_t c = 0; c < 3; c++)
    work[(ACROSS + c) * n + k] = work[(HN_AXES_A + c) * n + k] - convolution(tilt, axis + c * n, k + 1);
  double square = dot_coefficient(work + ACROSS * n, work + ACROSS * n, n, k);
  if (k > 1) square -= square_coefficient(length + 1, k - 2);
  length[k] = k == 0 ? sqrt(square) : square / (2.0 * length[0]);
  for (size_t c = 0; c < 3; c++) {
    double *s = work + (CONTACT + c) * n;
    s[k] = (-radius * work[(ACROSS + c) * n + k] - convolution(length + 1, s, k)) / length[0];
  }
}

/* Computes coefficient k of all series; returns that of the height above the plane. */
static double touch_jet(const hn_joint *joint, const hn_body_jet *a, const hn_body_jet *b, size_t k,
                        double *work)
{
  const size_t n = a->count;
  const wheel *d = joint->data;
  const double *normal = work + HN_AXES_A * n;
  hn_place_jet(joint, a, b, k, work);
  if (((const roller *)joint->type->detail)->disc) lowest_point_jet(d->radius, k, n, work);
  for (size_t i = k; i < 3 * n; i += n) {
    double *s = work + CONTACT * n + i;
    if (!((const roller *)joint->type->detail)->disc) *s = -d->radius * normal[i];
    work[ARM * n + i] = work[HN_ARM_B * n + i] + *s;
    work[REACH * n + i] = work[HN_REACH * n + i] + *s;
  }
  return dot_coefficient(normal, work + HN_SPAN * n, n, k) +
         dot_coefficient(normal, work + CONTACT * n, n, k) + (k == 0 ? d->height : 0.0);
}

static void jet(const hn_joint *joint, double t, const hn_body_jet *a, const hn_body_jet *b, size_t k,
                double *work, double *g, double *G_a, double *G_b)
{
  const hn_joint_type *type = joint->type;
  const size_t n = a->count, first = (size_t)((const roller *)type->detail)->first;
  const double height = touch_jet(joint, a, b, k, work);
  hn_row row;
  (void)t;
  for (int r = 0; r < type->rows; r++) {
    hn_point_velocity_jet(work + (HN_AXES_A + 3 * (first + (size_t)r)) * n, work + ARM * n, work + REACH * n,
                          k, n, &row);
    if (!type->velocity) row.g = height;
    hn_row_store(&row, r, type->rows, &(hn_rows){ .g = g, .G_a = G_a, .G_b = G_b });
  }
}

static const roller ball = { false, 1 }, disc = { true, 1 }, disc_height = { true, 0 };

#define ROLLING(text, number, moves, what, with, twin)                                                      \
  .summary = text, .unit = "m", .rows = number, .velocity = moves,                                          \
  .keys = HN_KEY_AT | HN_ROTATION_A | HN_ROTATION_B | (with), .data_size = sizeof(wheel), .params = params, \
  .detail = &(what), .planar = twin, .jet_series = SERIES, .setup = setup, .eval = eval, .jet = jet

static const hn_joint_type planar_rolling = {
  .name = "rolling",
  ROLLING("a wheel of b rolls on a line of a, whose normal is the axis", 1, true, ball,
          HN_KEY_AXIS | HN_AXIS_IN_PLANE, &planar_rolling),
};
const hn_joint_type hn_joint_rolling = {
  .name = "rolling",
  ROLLING("a ball or upright wheel of b rolls on a plane of a, whose normal is the axis", 2, true, ball,
          HN_KEY_AXIS, &planar_rolling),
};
const hn_joint_type hn_joint_rolling_disc = {
  .name = "rolling_disc",
  ROLLING("a thin disc of b rolls on a plane of a: normal axis_a, its own axis axis_b", 2, true, disc,
          HN_KEY_AXES, NULL),
};
const hn_joint_type hn_joint_disc_on_plane = {
  .name = "disc_on_plane",
  ROLLING("the rim of a thin disc of b stays on a plane of a: normal axis_a, its axis axis_b", 1, false,
          disc_height, HN_KEY_AXES, NULL),
};
