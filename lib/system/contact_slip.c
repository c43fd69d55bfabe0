/* contact_slip.c - the slip of a contact over a step, from the poses at its ends. */
#include "system/contact_slip.h"
#include "system/contact_types.h"
#include "base/vec.h"

static const double pi = 3.14159265358979323846;

/* Computes the position of b's point in the axes of a, and the orientation of b relative to a. */
static void relative_pose(const hn_joint *joint, const hn_state *state, double place[3], double turn[4])
{
  const hn_pose *a = &state->pose[joint->a], *b = &state->pose[joint->b];
  const double back[4] = { a->q[0], -a->q[1], -a->q[2], -a->q[3] };
  double arm[3];
  quat_rotate(arm, b->q, joint->point_b);
  for (int i = 0; i < 3; i++) arm[i] += b->x[i] - a->x[i];
  quat_unrotate(place, a->q, arm);
  quat_mul(turn, back, b->q);
}

/* Returns angle / t for a rotation by `angle` with t = tan(angle / 2): 2 atan(t) / t. The angle is halved
 * until a short power series suffices. Library functions are avoided: their last bits differ between
 * platforms. */
static double angle_over_tangent(double t)
{
  enum { HALVINGS = 3, POWERS = 9 };
  const double whole = t;
  double sum = 0.0;
  for (int i = 0; i < HALVINGS; i++) t /= 1.0 + sqrt(1.0 + t * t);
  for (int k = POWERS; k >= 0; k--) sum = 1.0 / (2 * k + 1) - t * t * sum;
  return whole > 0.0 ? 2.0 * (1 << HALVINGS) * sum * (t / whole) : 2.0;
}

/* Distance of a round feature from the centre of mass, in radii, up to which its body is round. */
static const double round_body = 1e-9;

bool hn_contact_turns(const hn_system *s, const hn_block *block)
{
  const hn_joint *joint = block->joint;
  return s->model->body[block->a].kind != HN_FIXED ||
         !(vec_norm(joint->point_b) < round_body * hn_contact_skin_b(joint));
}

double hn_contact_slip_turn(const hn_block *block, const hn_state *state)
{
  const hn_joint *joint = block->joint;
  const double skin = hn_contact_skin_b(joint);
  double spin[3], arm[3], across[3];
  vec_sub(spin, state->twist[block->b].w, state->twist[block->a].w);
  if (!(vec_norm(joint->point_b) >= round_body * skin && skin > 0.0)) return vec_norm(spin);
  quat_rotate(arm, state->pose[block->b].q, joint->point_b);
  vec_cross(across, spin, arm);
  return vec_norm(across) / vec_norm(arm);
}

/* Computes the whole turns that the rotation TURN of b relative to a, in the axes of a and at most half a
 * turn, lacks to be the one nearest to H times their mean angular velocity. They are about the direction of
 * this velocity, as that of TURN is not known near a whole turn. */
static void find_whole_turns(const hn_block *block, const hn_state *from, const hn_state *to, double h,
                             const double turn[3], double whole[3])
{
  const double full = 2.0 * pi;
  double spin[3], way[3];
  vec_set(whole, 0, 0, 0);
  for (int i = 0; i < 3; i++)
    spin[i] = 0.5 * h *
              (from->twist[block->b].w[i] - from->twist[block->a].w[i] + to->twist[block->b].w[i] -
               to->twist[block->a].w[i]);
  const double size = vec_norm(spin);
  if (!(size > 0.5 * pi)) return;
  quat_unrotate(way, from->pose[block->a].q, spin);
  const double turns = rint((size - vec_dot(turn, way) / size) / full);
  vec_add_scaled(whole, turns * full / size, way);
}

void hn_contact_slip(const hn_block *block, const hn_state *from, const hn_state *to, double h, double *slip)
{
  const hn_joint *joint = block->joint;
  const double *n = joint->data, skin = hn_contact_skin_b(joint);
  double x[3], q[4], x_before[3], q_before[4], d[4], turn[3], whole[3];
  relative_pose(joint, from, x_before, q_before);
  relative_pose(joint, to, x, q);
  for (int i = 1; i < 4; i++) q_before[i] = -q_before[i];
  quat_mul(d, q, q_before);
  const double angle_factor = angle_over_tangent(vec_norm(d + 1) / fabs(d[0])) / d[0];
  for (int i = 0; i < 3; i++) turn[i] = angle_factor * d[i + 1];
  find_whole_turns(block, from, to, h, turn, whole);
  for (int r = 1; r < hn_contact_force_rows(block->n); r++) {
    const double *t = n + 3 * r;
    double across[3];
    vec_cross(across, n, t);
    slip[r - 1] = vec_dot(t, x) - vec_dot(t, x_before) - skin * angle_factor * vec_dot(d + 1, across) -
                  skin * vec_dot(whole, across);
    if (joint->set->anisotropy > 0.0) slip[r - 1] *= hn_contact_row_scale(joint->set->anisotropy, r);
  }
}
