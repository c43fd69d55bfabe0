/* contact_rows.c - rows of a record for the contacts of a step.
 *
 * A contact applies P = p_0 n + friction to b, and -P to a, n from a to b, in the whole step. Its moments
 * about the centres of mass are recorded as well, at the times at which the impulses act. Over all contacts,
 *
 *   m (v+ - v-) = sum of P + h m g + ...,   L+ - L- = sum of moments + ...
 *
 * The point of action is given for the poses before the step, so that (x - centre of mass) x P is the moment,
 * but for moments of rolling and torsional friction, which are part of the recorded ones.
 * The recorded velocity is that of b relative to a there after the step, as in the contact law. */
#include "record/record_rows.h"
#include "base/vec.h"

static const char *const point[] = { "x", "y", "z" };
static const char *const normal[] = { "normal_x", "normal_y", "normal_z" };
static const char *const friction_parts[] = { "friction_x", "friction_y", "friction_z" };
static const char *const slip_parts[] = { "slip_x", "slip_y", "slip_z" };
static const char *const moment_a[] = { "moment_a_x", "moment_a_y", "moment_a_z" };
static const char *const moment_b[] = { "moment_b_x", "moment_b_y", "moment_b_z" };

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
  { "moment_a", "N m s", HN_CELL_REAL, 3, moment_a },
  { "moment_b", "N m s", HN_CELL_REAL, 3, moment_b },
};
const int hn_contact_nfields = sizeof hn_contact_fields / sizeof *hn_contact_fields;

/* Adds SIGN times the velocity, with TWIST, of the point ARM from the centre of mass. */
static void add_velocity(double v[3], double sign, const hn_twist *twist, const double arm[3])
{
  double turning[3];
  vec_cross(turning, twist->w, arm);
  vec_add_scaled(v, sign, twist->v);
  vec_add_scaled(v, sign, turning);
}

static hn_cell *put(hn_cell *cell, const double *value, int count)
{
  for (int i = 0; i < count; i++) cell[i].real = value[i];
  return cell + count;
}

static hn_cell *write_row(hn_cell *cell, const hn_frame *frame, const hn_contact_impulse *one)
{
  const hn_state *after = frame->state;
  double slip[3] = { 0.0 };
  add_velocity(slip, 1.0, &after->twist[one->b], one->arm_b);
  add_velocity(slip, -1.0, &after->twist[one->a], one->arm_a);
  const double rate = vec_dot(slip, one->normal);
  vec_add_scaled(slip, -rate, one->normal);
  (cell++)->whole = frame->index;
  (cell++)->real = after->time;
  (cell++)->whole = one->a, (cell++)->whole = one->b;
  (cell++)->bits = one->key;
  cell = put(put(cell, one->point, 3), one->normal, 3);
  cell = put(put(put(cell, &one->gap, 1), &one->push, 1), one->friction, 3);
  cell = put(put(cell, &rate, 1), slip, 3);
  return put(put(cell, one->moment_a, 3), one->moment_b, 3);
}

int hn_contact_rows(hn_cell *cell, const hn_frame *frame)
{
  for (int i = 0; i < frame->nimpulse; i++) cell = write_row(cell, frame, &frame->impulse[i]);
  return frame->nimpulse;
}
