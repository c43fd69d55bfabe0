/* view_frame.c - what a page draws of a lane at one time.
 *
 * One message: a head of 128 bytes, then poses (8-byte numbers), joint forces, contacts and boxes (4-byte
 * numbers); all little endian, as the machines are that this runs on. The manual lists it under `view`. */
#include <math.h>
#include <string.h>
#include "base/vec.h"
#include "cli/study/track.h"
#include "cli/view/view_frame.h"

enum { HEAD = 128, CONTACT = 12, BOX = 6, HAS_FORCES = 1, HAS_BOXES = 2, IS_MEASURED = 4 };
static const uint32_t none = UINT32_MAX;

typedef struct head {
  char mark[4];
  uint32_t lane, generation, flags, bodies, joints, contacts, boxes;
  double time, steps, energy, drift, velocity_drift, penetration, impulses, operations, seconds, factor, lag;
  uint32_t worst, zero;
} head;
_Static_assert(sizeof(head) == HEAD, "the head of a picture");

static int at_most(int count)
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

/* Where both bodies are now. */
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

/* Of a state that no step has measured. */
static void measure(cli_course *course, const hn_model *model, const hn_state *state)
{
  hn_measure now;
  hn_measure_state(model, state, &now);
  cli_course_measure(course, &now);
}

static head head_of(cli_lane *lane, const cli_pace *pace)
{
  cli_course *c = &lane->course;
  const hn_state *state = cli_session_state(lane->session);
  if (!c->measured) measure(c, cli_session_model(lane->session), state);
  const head h = { .mark = { 'H', 'N', 'F', '1' },
                   .lane = (uint32_t)lane->number + 1,
                   .generation = (uint32_t)lane->generation,
                   .flags = IS_MEASURED,
                   .time = state->time,
                   .steps = (double)cli_session_steps(lane->session),
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

static bool tells_forces(const hn_solver *solver)
{
  return solver->type->capabilities & HN_HAS_MULTIPLIERS;
}

cli_blob *cli_picture(cli_lane *lane, const cli_pace *pace, const cli_wants *wants)
{
  const hn_model *model = cli_session_model(lane->session);
  const hn_state *state = cli_session_state(lane->session);
  const hn_solver *solver = cli_session_solver(lane->session);
  const int bodies = at_most(cli_moving(model)), contacts = wants->contacts ? state->ncontact : 0;
  const int joints = wants->forces && tells_forces(solver) ? at_most(model->njoint) : 0;
  const int boxes = wants->boxes ? at_most(model->ncollider) : 0;
  const size_t poses = sizeof(double) * CLI_POSE * (size_t)bodies;
  const size_t floats = 3 * (size_t)joints + CONTACT * (size_t)contacts + BOX * (size_t)boxes;
  cli_blob *picture = cli_blob_create(HEAD + poses + sizeof(float) * floats, false);
  unsigned char *at = picture->byte + CLI_BLOB_BEFORE;
  head h = head_of(lane, pace);
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
  return picture;
}
