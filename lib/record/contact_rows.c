/* contact_rows.c - rows of a record for the contacts of a step.
 *
 * Contacts are detected at the beginning of a step. The gap, the contact point x and the axes are those of
 * the poses at that time, with n from body a to body b. A contact applies P = p_0 n + p_1 t1 + p_2 t2 to b
 * at x, and -P to a, so that
 *
 *   m (v+ - v-) = sum of P + h m g + ...,   J (w+ - w-) = sum of (x - centre of mass) x P + ...
 *
 * The recorded velocity is that of b relative to a at x after the step, as in the contact law. */
#include "record/record_rows.h"
#include "base/vec.h"

static const char *const point[] = { "x", "y", "z" };
static const char *const normal[] = { "normal_x", "normal_y", "normal_z" };
static const char *const friction_parts[] = { "friction_x", "friction_y", "friction_z" };
static const char *const slip_parts[] = { "slip_x", "slip_y", "slip_z" };

const hn_record_field hn_contact_fields[] = {
  { "step", "1", HN_CELL_WHOLE, 1, NULL },
  { "time", "s", HN_CELL_REAL, 1, NULL },
  { "body_a", "1", HN_CELL_BODY, 1, NULL },
  { "body_b", "1", HN_CELL_BODY, 1, NULL },
  { "key", "1", HN_CELL_BITS, 1, NULL },
  { "point", "m", HN_CELL_REAL, 3, point },
  { "normal", "1", HN_CELL_REAL, 3, normal },
  { "gap", "m", HN_CELL_REAL, 1, NULL },
  { "normal_impulse", "N s", HN_CELL_REAL, 1, NULL },
  { "friction", "N s", HN_CELL_REAL, 3, friction_parts },
  { "normal_velocity", "m/s", HN_CELL_REAL, 1, NULL },
  { "slip", "m/s", HN_CELL_REAL, 3, slip_parts },
};
const int hn_contact_nfields = sizeof hn_contact_fields / sizeof *hn_contact_fields;

/* Computes the position X, in world axes, of the point ARM of a body at POSE. */
static void place(double x[3], const hn_pose *pose, const double arm[3])
{
  quat_rotate(x, pose->q, arm);
  vec_add(x, x, pose->x);
}

/* Computes the contact point X of C in STATE, on the surface of b. */
static void find_point(double x[3], const hn_contact *c, const hn_state *state, const double n[3])
{
  place(x, &state->pose[c->b], c->point_b);
  vec_add_scaled(x, -c->skin_b, n);
}

static double gap_of(const hn_contact *c, const hn_state *state)
{
  double x_a[3], x_b[3], n[3], span[3];
  quat_rotate(n, state->pose[c->a].q, c->frame);
  place(x_a, &state->pose[c->a], c->point_a);
  place(x_b, &state->pose[c->b], c->point_b);
  vec_sub(span, x_b, x_a);
  return vec_dot(n, span) - c->skin_a - c->skin_b;
}

/* Adds SIGN times the velocity at X of a body at POSE with TWIST. */
static void add_velocity(double v[3], double sign, const hn_pose *pose, const hn_twist *twist,
                         const double x[3])
{
  double arm[3], turning[3];
  vec_sub(arm, x, pose->x);
  vec_cross(turning, twist->w, arm);
  vec_add_scaled(v, sign, twist->v);
  vec_add_scaled(v, sign, turning);
}

static hn_cell *put(hn_cell *cell, const double *value, int count)
{
  for (int i = 0; i < count; i++) cell[i].real = value[i];
  return cell + count;
}

static hn_cell *write_row(hn_cell *cell, const hn_frame *frame, const hn_contact *c)
{
  const hn_state *before = frame->before, *after = frame->state;
  double axis[9], x[3], friction[3] = { 0.0 }, slip[3] = { 0.0 };
  for (int k = 0; k < 3; k++) quat_rotate(axis + 3 * k, before->pose[c->a].q, c->frame + 3 * k);
  find_point(x, c, before, axis);
  for (int k = 1; k < 3; k++) vec_add_scaled(friction, c->impulse[k], axis + 3 * k);
  add_velocity(slip, 1.0, &before->pose[c->b], &after->twist[c->b], x);
  add_velocity(slip, -1.0, &before->pose[c->a], &after->twist[c->a], x);
  const double rate = vec_dot(slip, axis), gap = gap_of(c, before);
  vec_add_scaled(slip, -rate, axis);
  (cell++)->whole = frame->index;
  (cell++)->real = after->time;
  (cell++)->whole = c->a, (cell++)->whole = c->b;
  (cell++)->bits = c->key;
  cell = put(put(cell, x, 3), axis, 3);
  cell = put(put(put(cell, &gap, 1), c->impulse, 1), friction, 3);
  return put(put(cell, &rate, 1), slip, 3);
}

int hn_contact_rows(hn_cell *cell, const hn_frame *frame)
{
  if (!frame->before) return 0;
  for (int i = 0; i < frame->state->ncontact; i++) cell = write_row(cell, frame, &frame->state->contact[i]);
  return frame->state->ncontact;
}
