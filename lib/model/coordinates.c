/* coordinates.c - coordinates and reactions of a joint, for records and control
 *
 *   coordinate   c = the residual of its type of one row (coordinate.c),  dc/dt = C u
 *   reaction     force F and moment M of G_b' lambda about the centre of mass of b;
 *                torque M - r_b x F about the joint point on b, r_b from the centre of mass */
#include "state.h"
#include "base/vec.h"

#include <string.h>

int hn_joint_coordinates(const hn_joint *joint)
{
  int count = 0;
  while (joint->type->coordinates && joint->type->coordinates[count]) count++;
  return count;
}

/* Writes "first, second, ..." to TEXT. */
static void list_coordinates(const hn_joint *joint, char text[128])
{
  text[0] = '\0';
  for (int i = 0; i < hn_joint_coordinates(joint); i++) {
    if (i > 0) strncat(text, ", ", 127 - strlen(text));
    strncat(text, joint->type->coordinates[i]->name, 127 - strlen(text));
  }
}

int hn_joint_find_coordinate(const hn_joint *joint, const char *name, hn_error *error)
{
  char all[128];
  int count = hn_joint_coordinates(joint);
  if (count == 0)
    return hn_fail(error, "joint \"%s\": a %s has no coordinates", joint->name, joint->type->name);
  if (!name && count == 1) return 0;
  for (int i = 0; name && i < count; i++)
    if (strcmp(joint->type->coordinates[i]->name, name) == 0) return i;
  list_coordinates(joint, all);
  if (!name)
    return hn_fail(error, "joint \"%s\": which of its coordinates? A %s has %s", joint->name,
                   joint->type->name, all);
  return hn_fail(error, "joint \"%s\": no coordinate \"%s\"; a %s has %s", joint->name, name,
                 joint->type->name, all);
}

void hn_joint_coordinate(const hn_joint *joint, int index, const hn_state *state, double *value, double *rate)
{
  double G_a[6], G_b[6];
  hn_joint coordinate = *joint;
  coordinate.type = joint->type->coordinates[index];
  const hn_twist *ua = &state->twist[joint->a], *ub = &state->twist[joint->b];
  coordinate.type->eval(&coordinate, state->time, &state->pose[joint->a], ua, &state->pose[joint->b], ub,
                        &(hn_rows){ .g = value, .G_a = G_a, .G_b = G_b });
  *rate = vec_dot(G_a, ua->v) + vec_dot(G_a + 3, ua->w) + vec_dot(G_b, ub->v) + vec_dot(G_b + 3, ub->w);
}

void hn_joint_reaction(const hn_joint *joint, const hn_state *state, const double *multipliers,
                       double force[3], double torque[3])
{
  const int n = joint->type->rows;
  double G_b[6 * HN_MAX_ROWS], wrench[6] = { 0 }, arm[3], moment[3];
  joint->type->eval(joint, state->time, &state->pose[joint->a], &state->twist[joint->a],
                    &state->pose[joint->b], &state->twist[joint->b], &(hn_rows){ .G_b = G_b });
  for (int c = 0; c < 6; c++)
    for (int r = 0; r < n; r++) wrench[c] += G_b[c * n + r] * multipliers[r];
  quat_rotate(arm, state->pose[joint->b].q, joint->point_b);
  vec_cross(moment, arm, wrench);
  vec_copy(force, wrench);
  vec_sub(torque, wrench + 3, moment);
}

double hn_joint_load_ratio(const hn_joint *joint, const hn_state *state, const double *multipliers,
                           double *force)
{
  const hn_joint_extras *limits = joint->more;
  double pull[3], turn[3];
  *force = 0.0;
  if (!limits || !(limits->breaks_at > 0.0 || limits->breaks_torque > 0.0)) return 0.0;
  hn_joint_reaction(joint, state, multipliers, pull, turn);
  const double size[] = { vec_norm(pull), vec_norm(turn) };
  const double by_force = limits->breaks_at > 0.0 ? size[0] / limits->breaks_at : 0.0;
  const double by_torque = limits->breaks_torque > 0.0 ? size[1] / limits->breaks_torque : 0.0;
  *force = by_torque > by_force ? size[1] : size[0];
  return by_torque > by_force ? by_torque : by_force;
}
