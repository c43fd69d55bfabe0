/* screw.c - a screw: b slides along an axis of a by one pitch per revolution
 *
 *   cylindrical joint, and  g = s - pitch theta / (2 pi),  s along the axis, theta about it
 *
 * g is reduced modulo the pitch, so that any number of revolutions is possible. */
#include "joint/joint_rows.h"
#include "base/vec.h"

static const hn_row_part rows[] = {
  { HN_ROW_ALONG, 1, 0 }, { HN_ROW_ALONG, 2, 0 }, { HN_ROW_DOT, 1, 0 }, { HN_ROW_DOT, 2, 0 }
};
static const hn_row_part along = { HN_ROW_ALONG, 0, 0 }, turn = { HN_ROW_TURN, 0, 0 };
enum { OTHERS = sizeof rows / sizeof rows[0], ROWS = OTHERS + 1 };

/* row -= pitch / (2 pi) times the row of the angle. */
static void couple(hn_row *row, const hn_row *angle, double pitch)
{
  double lead = pitch / (2.0 * M_PI);
  row->g -= lead * angle->g;
  row->gamma -= lead * angle->gamma;
  for (int c = 0; c < 6; c++) row->G_a[c] -= lead * angle->G_a[c], row->G_b[c] -= lead * angle->G_b[c];
}

typedef struct screw {
  double pitch;
} screw;

static const hn_param params[] = {
  { "pitch", HN_REAL, offsetof(screw, pitch), "", -HUGE_VAL, HUGE_VAL, "m", NULL,
    "advance per revolution, right-handed" },
  { .key = NULL },
};

static double pitch_of(const hn_joint *joint)
{
  return ((const screw *)joint->data)->pitch;
}

static double lead_of(const hn_joint *joint)
{
  return pitch_of(joint) / (2.0 * M_PI);
}

static int setup(hn_joint *joint, const hn_joint_spec *spec, const hn_pose *a, const hn_pose *b,
                 hn_error *error)
{
  (void)spec, (void)a, (void)b;
  if (isfinite(pitch_of(joint)) && pitch_of(joint) != 0) return 0;
  return hn_fail(error, "joint \"%s\": pitch must be a length other than zero (a cylindrical joint has none)",
                 joint->name);
}

static void eval(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                 const hn_twist *ub, const hn_rows *out)
{
  hn_place place;
  hn_row row, angle;
  (void)t;
  hn_place_at(&place, joint, a, ua, b, ub, out->gamma != NULL);
  for (int r = 0; r < OTHERS; r++) {
    hn_place_row(&place, &rows[r], &row);
    hn_row_store(&row, r, ROWS, out);
  }
  hn_place_row(&place, &along, &row);
  hn_place_row(&place, &turn, &angle);
  couple(&row, &angle, pitch_of(joint));
  row.g = remainder(row.g, pitch_of(joint));
  hn_row_store(&row, OTHERS, ROWS, out);
}

static void jet(const hn_joint *joint, double t, const hn_body_jet *a, const hn_body_jet *b, size_t k,
                double *work, double *g, double *G_a, double *G_b)
{
  const size_t n = a->count;
  const hn_rows out = { .g = g, .G_a = G_a, .G_b = G_b };
  hn_row row, angle;
  (void)t;
  hn_place_jet(joint, a, b, k, work);
  for (int r = 0; r < OTHERS; r++) {
    hn_place_row_jet(joint, &rows[r], k, n, work, &row);
    hn_row_store(&row, r, ROWS, &out);
  }
  hn_place_row_jet(joint, &along, k, n, work, &row);
  hn_place_row_jet(joint, &turn, k, n, work, &angle);
  row.gamma = angle.gamma = 0.0;
  couple(&row, &angle, pitch_of(joint));
  if (k == 0) row.g = remainder(row.g, pitch_of(joint));
  hn_row_store(&row, OTHERS, ROWS, &out);
}

const hn_joint_type hn_joint_screw = {
  .name = "screw",
  .summary = "b slides along an axis of a by one pitch a turn",
  .unit = "m, rad",
  .rows = ROWS,
  .keys = HN_KEY_AT | HN_KEY_AXIS | HN_ROTATION_A | HN_ROTATION_B,
  .data_size = sizeof(screw),
  .params = params,
  .jet_series = HN_PLACE_SERIES + HN_TURN_SERIES,
  .coordinates = HN_COORDINATES(&hn_coordinate_position, &hn_coordinate_angle),
  .freedoms = HN_FREEDOMS(.turning = HN_TURNS_AXIS, .lead = lead_of),
  .setup = setup,
  .eval = eval,
  .jet = jet,
};
