/* view_frame.c - the binary message with the data that a client draws of one run: a head of 128 bytes, then
 * poses (8-byte numbers), joint forces, contacts and boxes (4-byte numbers), little endian like all supported
 * machines. The manual lists the fields under `view`. */
#include <math.h>
#include <string.h>
#include "base/vec.h"
#include "cli/study/track.h"
#include "cli/view/view_struct.h"

enum { HEAD = 128, CONTACT = 12, BOX = 6, HAS_FORCES = 1, HAS_BOXES = 2, IS_MEASURED = 4 };
static const uint32_t none = UINT32_MAX;

typedef struct head {
  char mark[4];
  uint32_t run, generation, flags, bodies, joints, contacts, boxes;
  double time, steps, energy, drift, velocity_drift, penetration, impulses, operations, seconds, factor, lag;
  uint32_t worst, zero;
} head;
_Static_assert(sizeof(head) == HEAD, "the head of a picture");

static int limit_count(int count)
{
  return count < CLI_TRACK_BODIES ? count : CLI_TRACK_BODIES;
}

static void put_poses(double *to, int count, const hn_model *model, const hn_state *state)
{
  for (int i = 1; count > 0; i++) {
    if (model->body[i].kind == HN_FIXED) continue;
    memcpy(to, state->pose[i].x, 3 * sizeof *to);
    memcpy(to + 3, state->pose[i].q, 4 * sizeof *to);
    to += CLI_POSE, count--;
  }
}

static void put_forces(float *to, int count, const hn_model *model, const hn_state *state,
                       const double *multipliers)
{
  for (int j = 0; j < count; j++) {
    double force[3], torque[3];
    hn_joint_reaction(&model->joint[j], state, multipliers + model->joint[j].row, force, torque);
    for (int k = 0; k < 3; k++) *to++ = (float)force[k];
  }
}

/* Stores a contact at the present poses of its bodies: point, normal, impulse, friction, gap. */
static void put_contact(float to[CONTACT], const hn_contact *c, const hn_state *state)
{
  const hn_pose *a = &state->pose[c->a], *b = &state->pose[c->b];
  double x[3], y[3], apart[3], axis[9], impulse[3] = { 0.0 };
  for (int k = 0; k < 3; k++) quat_rotate(axis + 3 * k, a->q, c->frame + 3 * k);
  for (int k = 0; k < 3; k++) vec_add_scaled(impulse, c->impulse[k], axis + 3 * k);
  quat_rotate(x, a->q, c->point_a), vec_add(x, x, a->x);
  quat_rotate(y, b->q, c->point_b), vec_add(y, y, b->x);
  vec_sub(apart, y, x);
  const double gap = vec_dot(axis, apart) - c->skin_a - c->skin_b;
  vec_add_scaled(y, -c->skin_b, axis);
  for (int k = 0; k < 3; k++) to[k] = (float)y[k], to[3 + k] = (float)axis[k], to[6 + k] = (float)impulse[k];
  to[9] = (float)c->friction, to[10] = (float)gap, to[11] = 0.0F;
}

static void put_boxes(float *to, int count, const hn_model *model, const hn_state *state)
{
  for (int i = 0; i < count; i++) {
    double low[3], high[3];
    const hn_collider *c = &model->collider[i];
    hn_collider_bounds(c, &state->pose[c->body], low, high);
    for (int k = 0; k < 3; k++) to[k] = (float)low[k], to[3 + k] = (float)high[k];
    to += BOX;
  }
}

/* Measures a state for which the last step provided no measures. */
static void measure(cli_run_statistics *statistics, const hn_model *model, const hn_state *state)
{
  hn_measure now;
  hn_measure_state(model, state, &now);
  cli_run_statistics_measure(statistics, &now);
}

static head head_of(cli_live_run *run, const cli_pace *pace)
{
  cli_run_statistics *c = &run->statistics;
  const hn_state *state = cli_session_world(run->session)->state;
  if (!c->measured) measure(c, cli_session_model(run->session), state);
  const head h = { .mark = { 'H', 'N', 'F', '1' },
                   .run = (uint32_t)run->number + 1,
                   .generation = (uint32_t)run->generation,
                   .flags = IS_MEASURED,
                   .time = state->time,
                   .steps = (double)cli_session_steps(run->session),
                   .energy = c->energy,
                   .drift = c->drift,
                   .velocity_drift = c->velocity_drift,
                   .penetration = c->penetration,
                   .impulses = c->impulses,
                   .operations = c->operations,
                   .seconds = c->steps > 0 ? c->seconds / (double)c->steps : NAN,
                   .factor = pace->factor,
                   .lag = pace->lag,
                   .worst = c->worst < 0 ? none : (uint32_t)c->worst };
  c->seconds = 0.0, c->steps = 0;
  return h;
}

cli_blob *cli_view_frame(cli_live_run *run, const cli_pace *pace, const cli_frame_content *content)
{
  const hn_model *model = cli_session_model(run->session);
  const hn_state *state = cli_session_world(run->session)->state;
  const hn_solver *solver = cli_session_world(run->session)->solver;
  const int bodies = limit_count(cli_count_moving_bodies(model)),
            contacts = content->contacts ? state->ncontact : 0;
  const bool has_forces = solver->type->capabilities & HN_HAS_MULTIPLIERS;
  const int joints = content->forces && has_forces ? limit_count(model->njoint) : 0;
  const int boxes = content->boxes ? limit_count(model->ncollider) : 0;
  const size_t poses = sizeof(double) * CLI_POSE * (size_t)bodies;
  const size_t floats = 3 * (size_t)joints + CONTACT * (size_t)contacts + BOX * (size_t)boxes;
  cli_blob *frame = cli_blob_create(HEAD + poses + sizeof(float) * floats, false);
  unsigned char *at = frame->byte + CLI_BLOB_HEADROOM;
  head h = head_of(run, pace);
  h.bodies = (uint32_t)bodies, h.joints = (uint32_t)joints, h.contacts = (uint32_t)contacts,
  h.boxes = (uint32_t)boxes;
  h.flags |= (joints > 0 ? HAS_FORCES : 0U) | (boxes > 0 ? HAS_BOXES : 0U);
  memcpy(at, &h, HEAD);
  put_poses((double *)(void *)(at + HEAD), bodies, model, state);
  float *rest = (float *)(void *)(at + HEAD + poses);
  put_forces(rest, joints, model, state, solver->multipliers);
  rest += 3 * joints;
  for (int i = 0; i < contacts; i++) put_contact(rest + CONTACT * i, &state->contact[i], state);
  put_boxes(rest + CONTACT * contacts, boxes, model, state);
  return frame;
}
