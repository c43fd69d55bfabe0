/* limit.c - limits of a joint's coordinate: unilateral constraints
 *
 *   lower <= x <= upper:   g = min(x - lower, upper - x),   g >= 0, lambda >= 0, g lambda = 0
 *
 * One row serves both bounds, of which at most one is active. After an impact the rate is -restitution times
 * the rate before. The power series is that of the bound that is nearer at the start of the series. */
#include "joint/joint_rows.h"

#include <math.h>

typedef struct limit {
  double lower, upper;
  hn_set set;
} limit;

#define LIMIT_PARAMS(of, unit)                                                       \
  static const hn_param of[] = {                                                     \
    { "lower", HN_REAL, offsetof(limit, lower), "", -HUGE_VAL, HUGE_VAL, unit, NULL, \
      "lower bound; default: none" },                                                \
    { "upper", HN_REAL, offsetof(limit, upper), "", -HUGE_VAL, HUGE_VAL, unit, NULL, \
      "upper bound; default: none" },                                                \
    { "restitution", HN_REAL, offsetof(limit, set.restitution), "0", 0, 1, "", NULL, \
      "rate after an impact per rate before: 0 plastic, 1 elastic" },                \
    { .key = NULL },                                                                 \
  }
LIMIT_PARAMS(angle_params, "rad");
LIMIT_PARAMS(position_params, "m");

/* Returns an error for a bound outside (-pi, pi], the range of angles: it would never be reached. */
static int check_angle(const hn_joint *joint, const char *which, double bound, hn_error *error)
{
  const hn_row_part *part = joint->type->detail;
  if (part->kind != HN_ROW_TURN || isnan(bound) || fabs(bound) < M_PI) return 0;
  return hn_fail(
    error, "joint \"%s\": its %s limit of %g rad would never act: the angle is measured between -pi and pi",
    joint->name, which, bound);
}

static int setup(hn_joint *joint, const hn_joint_spec *spec, const hn_pose *a, const hn_pose *b,
                 hn_error *error)
{
  limit *d = joint->data;
  (void)spec, (void)a, (void)b;
  d->set.kind = HN_PUSH;
  joint->set = &d->set;
  if (isnan(d->lower) && isnan(d->upper))
    return hn_fail(error, "joint \"%s\": a limit needs its lower or its upper bound", joint->name);
  if (check_angle(joint, "lower", d->lower, error) || check_angle(joint, "upper", d->upper, error)) return -1;
  if (isnan(d->lower)) d->lower = -HUGE_VAL;
  if (isnan(d->upper)) d->upper = HUGE_VAL;
  if (d->lower < d->upper) return 0;
  return hn_fail(error, "joint \"%s\": its limits cross: lower %g is not below upper %g", joint->name,
                 d->lower, d->upper);
}

static void eval(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                 const hn_twist *ub, const hn_rows *out)
{
  const limit *d = joint->data;
  const double lower = d->lower, upper = d->upper;
  hn_place place;
  hn_row row;
  (void)t;
  hn_place_at(&place, joint, a, ua, b, ub, out->gamma != NULL);
  hn_place_row(&place, joint->type->detail, &row);
  if (row.g - lower <= upper - row.g) hn_row_rescale(&row, 1.0, -lower);
  else hn_row_rescale(&row, -1.0, upper);
  hn_row_store(&row, 0, 1, out);
}

/* The last work series selects the bound by its first number. */
static void jet(const hn_joint *joint, double t, const hn_body_jet *a, const hn_body_jet *b, size_t k,
                double *work, double *g, double *G_a, double *G_b)
{
  const limit *d = joint->data;
  double *side = work + (size_t)(joint->type->jet_series - 1) * a->count;
  hn_row row;
  (void)t;
  hn_place_jet(joint, a, b, k, work);
  hn_place_row_jet(joint, joint->type->detail, k, a->count, work, &row);
  if (k == 0) *side = row.g - d->lower <= d->upper - row.g ? 1.0 : -1.0;
  hn_row_rescale(&row, *side, k > 0 ? 0.0 : *side > 0.0 ? -d->lower : d->upper);
  hn_row_store(&row, 0, 1, &(hn_rows){ .g = g, .G_a = G_a, .G_b = G_b });
}

#define LIMIT(joint, text, unit, kind, with, series, table)                       \
  HN_COORDINATE_TYPE(joint, text, unit, kind, with, (series) + 1, .set = HN_PUSH, \
                     .data_size = sizeof(limit), .params = table)

LIMIT(limit_angle, "the angle of b about an axis of a stays between two bounds", "rad", HN_ROW_TURN,
      HN_ABOUT_AXIS, HN_TURN_SERIES, angle_params);
LIMIT(limit_position, "the position of b along an axis of a stays between two bounds", "m", HN_ROW_ALONG,
      HN_ALONG_AXIS, 0, position_params);
