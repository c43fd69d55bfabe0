/* measure.c - measures from model and state alone: energy, momenta, joint errors */
#include "force/force.h"
#include "base/rates.h"
#include "base/vec.h"

#include <math.h>

static void add_body(const hn_body *body, const hn_pose *pose, const hn_twist *twist, hn_measure *m)
{
  double w_b[3], L_b[3], L[3], p[3], orbital[3];
  vec_scale(p, body->mass, twist->v);
  quat_unrotate(w_b, pose->q, twist->w);
  for (int i = 0; i < 3; i++) L_b[i] = body->J[i] * w_b[i];
  quat_rotate(L, pose->q, L_b);
  vec_cross(orbital, pose->x, p);
  m->kinetic += 0.5 * (vec_dot(p, twist->v) + vec_dot(L_b, w_b));
  m->potential -= body->mass * vec_dot(body->gravity, pose->x);
  vec_add(m->momentum, m->momentum, p);
  vec_add(m->angular_momentum, m->angular_momentum, L);
  vec_add(m->angular_momentum, m->angular_momentum, orbital);
}

/* True if the joint may deviate from its rate: a motor or friction with a maximum force. Only the force could
 * tell whether it is at its bound. */
static bool may_slip(const hn_joint *joint)
{
  double lower, upper;
  hn_set_bounds(joint->set, 1.0, &lower, &upper);
  return joint->type->velocity && (isfinite(lower) || isfinite(upper));
}

/* Computes the norms of the residual and of its time derivative, G u + bias, of one joint; 0 for the rate of
 * a joint that may slip. */
static void joint_errors(const hn_model *model, int j, const hn_state *state, double *position,
                         double *velocity)
{
  const hn_joint *joint = &model->joint[j];
  const hn_twist *ua = &state->twist[joint->a], *ub = &state->twist[joint->b];
  double g[HN_MAX_ROWS], rate[HN_MAX_ROWS], Ga[6 * HN_MAX_ROWS], Gb[6 * HN_MAX_ROWS];
  hn_rows rows = { .g = g, .G_a = Ga, .G_b = Gb, .bias = rate };
  int n = joint->type->rows;
  joint->type->eval(joint, state->time, &state->pose[joint->a], ua, &state->pose[joint->b], ub, &rows);
  hn_add_rates(n, Ga, ua, Gb, ub, rate);
  if (joint->input >= 0) rate[0] -= state->input[joint->input];
  if (joint->set->kind == HN_PUSH) { /* only its violation counts, and its rate if it is active */
    rate[0] = g[0] <= 0 ? fmin(rate[0], 0.0) : 0.0;
    g[0] = fmin(g[0], 0.0);
  }
  *position = joint->type->velocity ? 0.0 : norm_of(g, n);
  *velocity = may_slip(joint) ? 0.0 : norm_of(rate, n);
}

void hn_measure_state(const hn_model *model, const hn_state *state, hn_measure *measure)
{
  *measure = (hn_measure){ .worst_joint = -1, .worst_rate = -1 };
  for (int i = 1; i < model->nbody; i++)
    add_body(&model->body[i], &state->pose[i], &state->twist[i], measure);
  measure->potential += hn_forces_energy(model, state);
  for (int j = 0; j < model->njoint; j++) {
    double position, velocity;
    joint_errors(model, j, state, &position, &velocity);
    if (exceeds(position, measure->position_error))
      measure->position_error = position, measure->worst_joint = j;
    if (exceeds(velocity, measure->velocity_error))
      measure->velocity_error = velocity, measure->worst_rate = j;
  }
}
