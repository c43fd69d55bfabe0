/* mujoco_coordinates.c - coordinates of MuJoCo's joints at a state (mujoco_model.h).
 *
 * A coordinate is 0 at the start. Slides are measured along axes of body a; angles about axes of the joint; a
 * ball joint has the orientation of the outer body against that at the start, and the angular velocity along
 * its axes. Coordinates of a joint grow where b moves or turns against a, also where a is the outer body. */
#include "engines/mujoco_model.h"

#include <math.h>
#include <string.h>

/* The two bodies of a joint at a state. */
typedef struct couple {
  const engine_joint *joint;
  const hn_pose *start_a, *start_b, *a, *b;
  const hn_twist *ua, *ub;
  double turning[3]; /* angular velocity of b against a */
} couple;

static couple couple_of(const hn_model *model, const engine_joint *joint, const hn_state *state)
{
  couple c = { .joint = joint,
               .start_a = &model->body[joint->a].pose0,
               .start_b = &model->body[joint->b].pose0,
               .a = &state->pose[joint->a],
               .b = &state->pose[joint->b],
               .ua = &state->twist[joint->a],
               .ub = &state->twist[joint->b] };
  mju_sub3(c.turning, c.ub->w, c.ua->w);
  return c;
}

/* Turns V, world axes at the start, with the body that was at START and is at NOW. */
static void carry(const hn_pose *start, const hn_pose *now, const double v[3], double to[3])
{
  engine_turn_back(start->q, v, to), engine_turn(now->q, to, to);
}

/* Stores coordinate and rate of a slide along AXIS of body a, world axes at the start. */
static void slide(const couple *c, const double axis[3], mjtNum *position, mjtNum *rate)
{
  double along[3], pa[3], pb[3], apart[3], first[3], va[3], vb[3], turned[3];
  carry(c->start_a, c->a, axis, along);
  engine_turn(c->a->q, c->joint->joint->point_a, pa), engine_turn(c->b->q, c->joint->joint->point_b, pb);
  for (int i = 0; i < 3; i++) apart[i] = c->b->x[i] + pb[i] - c->a->x[i] - pa[i];
  mju_sub3(first, c->joint->at_b, c->joint->at_a);
  mju_cross(va, c->ua->w, pa), mju_addTo3(va, c->ua->v);
  mju_cross(vb, c->ub->w, pb), mju_addTo3(vb, c->ub->v);
  mju_cross(turned, c->ua->w, along);
  *position = mju_dot3(along, apart) - mju_dot3(axis, first);
  *rate = mju_dot3(along, vb) - mju_dot3(along, va) + mju_dot3(turned, apart);
}

/* Returns the angle from FROM to TO about AXIS, unit vectors of which FROM is at right angles to AXIS. */
static double angle_about(const double axis[3], const double from[3], const double to[3])
{
  double across[3];
  mju_cross(across, axis, from);
  return atan2(mju_dot3(to, across), mju_dot3(to, from));
}

/* The angle of b against a about an axis of both. */
static void turn_about(const couple *c, const double axis[3], mjtNum *angle, mjtNum *rate)
{
  double now[3], one[3], on_a[3], on_b[3], unit[3] = { 0.0, 0.0, 0.0 };
  unit[fabs(axis[0]) < 0.6 ? 0 : 1] = 1.0;
  mju_cross(one, axis, unit), mju_normalize3(one);
  carry(c->start_a, c->a, axis, now), carry(c->start_a, c->a, one, on_a), carry(c->start_b, c->b, one, on_b);
  *angle = angle_about(now, on_a, on_b);
  *rate = mju_dot3(now, c->turning);
}

/* The angles of a cross: about the axis of a, and about that of b. */
static void turn_cross(const couple *c, mjtNum angle[2], mjtNum rate[2])
{
  double n[3], m[3], m_on_a[3], n_on_b[3];
  carry(c->start_a, c->a, c->joint->axis, n), carry(c->start_b, c->b, c->joint->other, m);
  carry(c->start_a, c->a, c->joint->other, m_on_a), carry(c->start_b, c->b, c->joint->axis, n_on_b);
  angle[0] = angle_about(n, m_on_a, m), angle[1] = -angle_about(m, n_on_b, n);
  rate[0] = mju_dot3(n, c->turning), rate[1] = mju_dot3(m, c->turning);
}

/* The orientation of the outer body against that at the start, as the inner one carries it. */
static void turn_ball(const couple *c, bool flipped, mjtNum orientation[4], mjtNum rate[3])
{
  const hn_pose *start = flipped ? c->start_b : c->start_a, *inner = flipped ? c->b : c->a;
  const hn_pose *first = flipped ? c->start_a : c->start_b, *outer = flipped ? c->a : c->b;
  double back[4], between[4], reference[4];
  mju_negQuat(back, start->q), engine_product(back, first->q, between);
  engine_product(inner->q, between, reference);
  mju_negQuat(back, reference), engine_product(back, outer->q, orientation);
  engine_turn_back(outer->q, c->turning, rate);
  for (int i = 0; flipped && i < 3; i++) rate[i] = -rate[i];
}

/* Stores the coordinates of the joint of body I, at the places of its elementary joints. */
static void joint_coordinates(const mujoco_trees *t, int i, const hn_state *state, mjtNum *qpos, mjtNum *qvel)
{
  const hn_model *model = t->scene->model;
  const mujoco_node *node = &t->node[i];
  const couple c = couple_of(model, node->joint, state);
  double axis[2][3], angle[2], rate[2];
  const int slides = mujoco_slides_of(model, node->joint, axis);
  const mujoco_turning turning = mujoco_turning_of(model, node, i);
  const int turnings = turning == MUJOCO_CROSS ? 2 : turning == MUJOCO_AXIS ? 1 : 0;
  const bool ball = turning == MUJOCO_SPHERE;
  const int first = node->flipped ? (ball ? 4 : turnings) : 0, first_rate = node->flipped && ball ? 3 : first;
  for (int k = 0; k < slides; k++) slide(&c, axis[k], &qpos[first + k], &qvel[first_rate + k]);
  qpos += node->flipped ? 0 : slides, qvel += node->flipped ? 0 : slides;
  if (ball) turn_ball(&c, node->flipped, qpos, qvel);
  if (turning == MUJOCO_AXIS) turn_about(&c, mujoco_axis_of(model, node->joint), qpos, qvel);
  if (turning != MUJOCO_CROSS) return;
  turn_cross(&c, angle, rate);
  for (int k = 0; k < 2; k++)
    qpos[k] = angle[node->flipped ? 1 - k : k], qvel[k] = rate[node->flipped ? 1 - k : k];
}

/* Stores the coordinates of body I, which floats. */
static void free_coordinates(const hn_model *model, int i, const hn_state *state, mjtNum *qpos, mjtNum *qvel)
{
  const hn_body *body = &model->body[i];
  const hn_pose *pose = &state->pose[i];
  const hn_twist *twist = &state->twist[i];
  const int slides = model->planar ? 2 : 3;
  if (!model->planar && body->kind == HN_RIGID) {
    memcpy(qpos, pose->x, sizeof pose->x), memcpy(qpos + 3, pose->q, sizeof pose->q);
    memcpy(qvel, twist->v, sizeof twist->v), engine_turn_back(pose->q, twist->w, qvel + 3);
    return;
  }
  for (int k = 0; k < slides; k++) qpos[k] = pose->x[k] - body->pose0.x[k], qvel[k] = twist->v[k];
  if (!model->planar || body->kind != HN_RIGID) return;
  double back[4], turned[4];
  mju_negQuat(back, body->pose0.q), engine_product(pose->q, back, turned);
  qpos[2] = 2.0 * atan2(turned[3], turned[0]), qvel[2] = twist->w[2];
}

void mujoco_coordinates(const mujoco_trees *t, const mjModel *model, const hn_state *state, mjtNum *qpos,
                        mjtNum *qvel)
{
  for (int i = 0; i < state->nbody; i++) {
    const int id = t->node[i].id;
    if (model->body_jntnum[id] == 0) continue;
    mjtNum *q = qpos + model->jnt_qposadr[model->body_jntadr[id]], *v = qvel + model->body_dofadr[id];
    if (t->node[i].joint) joint_coordinates(t, i, state, q, v);
    else free_coordinates(t->scene->model, i, state, q, v);
  }
}
