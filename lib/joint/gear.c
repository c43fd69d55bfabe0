/* gear.c - two wheels in mesh with n_a and n_b teeth; their centres are the joint points, their axes are
 * parallel
 *
 *   theta_a: direction of the line of centres in the axes of a, theta_b: in those of b
 *   g = (n_a theta_a + n_b theta_b - its value at the start) / n_a,  modulo 2 pi / n_a    1 row, rad of a
 *
 * Angles are measured from the line of centres, which may rotate: a planetary gear needs no reference to its
 * carrier (Willis' equation). Numbers of teeth are integers, so that g is unique after any number of
 * rotations. A negative n_b is a wheel with inner teeth, which rotates in the same direction. */
#include "joint/joint_rows.h"
#include "base/vec.h"

typedef struct gear {
  int teeth[2]; /* of a and b */
} gear;

static const hn_param params[] = {
  { "teeth", HN_PAIR, offsetof(gear, teeth), "", -1e6, 1e6, "", NULL,
    "numbers of teeth of a and b; negative for b: inner teeth" },
  { .key = NULL },
};

static const double slant = 1e-9; /* largest sine between line of centres and plane of the wheels: rounding */

static double teeth_of(const hn_joint *joint, int side)
{
  return (double)((const gear *)joint->data)->teeth[side];
}

/* Returns the joint with its bodies exchanged: rows on axes of b become rows on axes of a. FRAME is storage
 * for its axes. */
static hn_joint mirrored(const hn_joint *joint, hn_axes *frame)
{
  hn_joint mirror = *joint;
  for (int i = 0; i < 3; i++) mirror.point_a[i] = joint->point_b[i], mirror.point_b[i] = joint->point_a[i];
  for (int i = 0; i < 9; i++) frame->a[i] = joint->axes->b[i], frame->b[i] = joint->axes->a[i];
  mirror.axes = frame;
  return mirror;
}

static const hn_row_part along_1 = { HN_ROW_ALONG, 1, 0 }, along_2 = { HN_ROW_ALONG, 2, 0 };

/* Computes the row of the angle of the line of centres in the axes of body a of JOINT. */
static void wheel_angle(const hn_joint *joint, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                        const hn_twist *ub, hn_row *angle)
{
  hn_place place;
  hn_row s, c;
  hn_place_at(&place, joint, a, ua, b, ub, true);
  hn_place_row(&place, &along_2, &s);
  hn_place_row(&place, &along_1, &c);
  hn_place_angle(&place, &s, &c, angle);
}

/* row = theta_a + (n_b / n_a) theta_b; the row of theta_b has its bodies exchanged. */
static void combine(const hn_joint *joint, const hn_row *of_a, const hn_row *of_b, hn_row *row)
{
  double ratio = teeth_of(joint, 1) / teeth_of(joint, 0);
  row->g = of_a->g + ratio * of_b->g;
  row->gamma = of_a->gamma + ratio * of_b->gamma;
  for (int c = 0; c < 6; c++) {
    row->G_a[c] = of_a->G_a[c] + ratio * of_b->G_b[c];
    row->G_b[c] = of_a->G_b[c] + ratio * of_b->G_a[c];
  }
}

/* Reduces the residual to half a tooth either way. */
static double within_a_tooth(const hn_joint *joint, double g)
{
  return remainder(g - joint->axes->angle, 2.0 * M_PI / teeth_of(joint, 0));
}

/* Computes the row before its residual is reduced to a tooth. */
static void whole_row(const hn_joint *joint, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                      const hn_twist *ub, hn_row *row)
{
  hn_axes frame;
  const hn_joint mirror = mirrored(joint, &frame);
  hn_row of_a, of_b;
  wheel_angle(joint, a, ua, b, ub, &of_a);
  wheel_angle(&mirror, b, ub, a, ua, &of_b);
  combine(joint, &of_a, &of_b, row);
}

static int setup(hn_joint *joint, const hn_joint_spec *spec, const hn_pose *a, const hn_pose *b,
                 hn_error *error)
{
  const hn_twist rest = { { 0 }, { 0 } };
  double span[3];
  hn_row row;
  vec_sub(span, spec->at_b, spec->at_a);
  if (!(vec_norm(span) > 0) || fabs(vec_dot(span, spec->axis_a)) > slant * vec_norm(span))
    return hn_fail(
      error,
      "joint \"%s\": at_a and at_b must be the centres of the wheels, apart, and in a plane normal "
      "to the axis",
      joint->name);
  if (teeth_of(joint, 0) <= 0 || teeth_of(joint, 1) == 0)
    return hn_fail(
      error,
      "joint \"%s\": teeth must be two whole numbers other than 0, the first positive, the second "
      "negative for inner teeth",
      joint->name);
  whole_row(joint, a, &rest, b, &rest, &row);
  joint->axes->angle = row.g;
  return 0;
}

static void eval(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                 const hn_twist *ub, const hn_rows *out)
{
  hn_row row;
  (void)t;
  whole_row(joint, a, ua, b, ub, &row);
  row.g = within_a_tooth(joint, row.g);
  hn_row_store(&row, 0, 1, out);
}

enum { WHEEL_SERIES = HN_PLACE_SERIES + HN_TURN_SERIES };

static void wheel_angle_jet(const hn_joint *joint, const hn_body_jet *a, const hn_body_jet *b, size_t k,
                            double *work, hn_row *angle)
{
  const size_t n = a->count;
  hn_row s, c;
  hn_place_jet(joint, a, b, k, work);
  hn_place_row_jet(joint, &along_2, k, n, work, &s);
  hn_place_row_jet(joint, &along_1, k, n, work, &c);
  hn_angle_jet(k, n, &s, &c, work + HN_PLACE_SERIES * n, angle);
}

static void jet(const hn_joint *joint, double t, const hn_body_jet *a, const hn_body_jet *b, size_t k,
                double *work, double *g, double *G_a, double *G_b)
{
  hn_axes frame;
  const hn_joint mirror = mirrored(joint, &frame);
  hn_row of_a = { 0 }, of_b = { 0 }, row;
  (void)t;
  wheel_angle_jet(joint, a, b, k, work, &of_a);
  wheel_angle_jet(&mirror, b, a, k, work + WHEEL_SERIES * a->count, &of_b);
  combine(joint, &of_a, &of_b, &row);
  if (k == 0) row.g = within_a_tooth(joint, row.g);
  hn_row_store(&row, 0, 1, &(hn_rows){ .g = g, .G_a = G_a, .G_b = G_b });
}

const hn_joint_type hn_joint_gear = {
  .name = "gear",
  .summary = "two wheels in mesh, on parallel axes, carrier at rest or turning",
  .unit = "rad",
  .rows = 1,
  .keys = HN_KEY_AT | HN_KEY_AXIS | HN_ROTATION_A | HN_ROTATION_B | HN_AXIS_NORMAL,
  .data_size = sizeof(gear),
  .params = params,
  .jet_series = 2 * WHEEL_SERIES,
  .planar = &hn_joint_gear,
  .setup = setup,
  .eval = eval,
  .jet = jet,
};
