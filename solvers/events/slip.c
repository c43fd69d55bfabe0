/* slip.c - slips in a mode of motion: their event functions, directions and rotations (events_parts.h). */
#include "events/mode.h"
#include "base/vec.h"

#include <math.h>

static const double least_slip = 1e-8; /* m/s: slower slips say nothing about the accuracy of directions */

/* Returns the rate of KNOWN along its direction. */
static double rate_along(const hn_row_force *known, const hn_state *state)
{
  double G_a[6 * HN_MAX_ROWS], G_b[6 * HN_MAX_ROWS], rate[HN_MAX_ROWS], sum = 0.0;
  hn_known_rates(known, state, G_a, G_b, rate);
  for (int r = 0; r < known->joint->type->rows; r++) sum += known->along[r] * rate[r];
  return sum;
}

/* Returns the event function of KNOWN at STATE, S after a state at which its rate is BEFORE. */
static double slip_of(const hn_row_force *known, double before, const hn_state *state, double s,
                      double at_rest)
{
  const double now = rate_along(known, state);
  if (fabs(before) > at_rest) return now;
  return s > 0.0 ? (now - fmin(before, 0.0)) / s : 1.0;
}

double hn_mode_slowest_slip(const hn_mode *mode, const hn_state *state)
{
  double least = HUGE_VAL;
  for (const hn_row_force *k = mode->given; k < mode->given + mode->nslip; k++) {
    const double slip = k->normal >= 0 && k->terms == 0 ? rate_along(k, state) : 0.0;
    if (slip > least_slip) least = fmin(least, slip);
  }
  return least;
}

/* True if a block with ROLE has a known force. mode->given is in the order of these blocks. */
static bool has_known_force(const hn_role *role)
{
  return role->kind == HN_ROW_AT_LOWER || role->kind == HN_ROW_AT_UPPER ||
         (role->kind == HN_ROW_SLIDING && role->gap);
}

void hn_mode_list_slips(const hn_mode *mode, const hn_state *from, const hn_state *state, double s,
                        double at_rest, hn_event_list *list)
{
  int block = -1;
  for (const hn_row_force *k = mode->given; k < mode->given + mode->nslip; k++) {
    do block++;
    while (!has_known_force(&mode->role[block]));
    const double before = rate_along(k, from);
    const hn_event_function_kind kind = k->normal >= 0 ? HN_FUNCTION_SLIP : HN_FUNCTION_BOUND;
    hn_event_function *f = hn_event_list_add(list, kind, mode->key[block],
                                             slip_of(k, before, state, s, at_rest));
    if (before > at_rest) f->first = before;
  }
}

/* Returns the rotation of the slip of contact I since the mode was taken, if the slip exceeds AT_REST; else
 * 0. */
static double slip_turn(const hn_mode *mode, int i, const hn_state *state, double at_rest)
{
  double G_a[6 * HN_MAX_ROWS], G_b[6 * HN_MAX_ROWS], rate[HN_MAX_ROWS];
  for (const hn_row_force *k = mode->given; k < mode->given + mode->nslip; k++) {
    const int n = k->joint->type->rows;
    if (k->joint != &mode->stick[i] || k->terms > 0) continue;
    hn_known_rates(k, state, G_a, G_b, rate);
    const double size = norm_of(rate, n);
    if (size <= at_rest) return 0.0;
    for (int r = 0; r < n; r++) rate[r] = rate[r] / size - k->along[r];
    return norm_of(rate, n);
  }
  return 0.0;
}

/* Returns a measure of contact I, whose contact point moves over both bodies. */
typedef double measure_of(const hn_mode *mode, int i, const hn_state *state, double at_rest);

static double place_turn(const hn_mode *mode, int i, const hn_state *state, double at_rest)
{
  (void)at_rest;
  return hn_moving_contact_rotation(&mode->moving[i], &mode->contact[i], state);
}

static double place_turn_rate(const hn_mode *mode, int i, const hn_state *state, double at_rest)
{
  (void)at_rest;
  return hn_moving_contact_rotation_rate(&mode->moving[i], &mode->contact[i], state);
}

static double most_of(const hn_mode *mode, measure_of *measure, const hn_state *state, double at_rest)
{
  double most = 0.0;
  for (int k = mode->first; k < mode->nblock; k++) {
    const double one = mode->role[k].moves ? measure(mode, k - mode->first, state, at_rest) : 0.0;
    if (exceeds(one, most)) most = one;
  }
  return most;
}

double hn_mode_turn(const hn_mode *mode, const hn_state *state)
{
  return most_of(mode, place_turn, state, 0.0);
}

double hn_mode_turn_rate(const hn_mode *mode, const hn_state *state)
{
  return most_of(mode, place_turn_rate, state, 0.0);
}

double hn_mode_slip_turn(const hn_mode *mode, const hn_state *state, double at_rest)
{
  return most_of(mode, slip_turn, state, at_rest);
}

double hn_mode_transverse_friction(const hn_mode *mode, int k)
{
  const hn_row_force *known = mode->given;
  if (!mode->role[k].creeps || !mode->role[k].gap || mode->role[k].stick == 0) return 0.0;
  while (known->joint != &mode->stick[k - mode->first]) known++;
  /* the joint of the slip across it follows the gap */
  const hn_joint *gap = &mode->model.joint[known->normal];
  return mode->right[gap[1].row] / (known->mu * mode->right[gap[0].row]);
}

void hn_mode_slip_direction(const hn_mode *mode, const hn_contact *contact, const hn_state *state,
                            double along[2])
{
  int k = mode->first;
  while (mode->key[k] != contact->key) k++;
  const hn_joint *joint = &mode->stick[k - mode->first];
  const int a = joint->a, b = joint->b, n = joint->type->rows;
  const double sign = contact->a == a ? 1.0 : -1.0; /* a slip is the velocity of b relative to a */
  double old[2] = { mode->role[k].along[0], mode->role[k].along[1] };
  double G_b[6 * HN_MAX_ROWS], way[3] = { 0 }, seen[3];
  for (int i = 0; i < mode->nslip; i++)
    if (mode->given[i].joint == joint && mode->given[i].terms > 0)
      hn_known_plan_direction(&mode->given[i], state->time, old);
  joint->type->eval(joint, state->time, &state->pose[a], &state->twist[a], &state->pose[b], &state->twist[b],
                    &(hn_rows){ .G_b = G_b });
  for (int c = 0; c < 3; c++)
    for (int r = 0; r < n; r++) way[c] += old[r] * G_b[c * n + r];
  quat_unrotate(seen, state->pose[contact->a].q, way);
  for (int r = 0; r < n; r++) along[r] = sign * vec_dot(seen, contact->frame + 3 * (1 + r));
  const double size = norm_of(along, n);
  for (int r = 0; r < n; r++) along[r] /= size;
}
