/* track.c - the motion of a run, in a limited number of numbers.
 *
 * When the track is full, every other frame is dropped and the stride doubles: frames stay evenly spaced over
 * a run of any length, however many contacts they have. The newest frame is always kept behind the others, so
 * that the end is included. */
#include <string.h>
#include "cli/base/memory.h"
#include "cli/study/track.h"

enum { MIN_FRAMES = 4 }; /* kept whatever their contacts need */

int cli_count_moving_bodies(const hn_model *model)
{
  int count = 0;
  for (int i = 1; i < model->nbody; i++) count += model->body[i].kind != HN_FIXED;
  return count;
}

cli_track *cli_track_create(const hn_model *model, long stride, size_t max_numbers)
{
  cli_track *t = cli_alloc(1, sizeof *t);
  *t = (cli_track){ .model = model, .stride = stride, .max_numbers = max_numbers };
  t->body = cli_alloc((size_t)model->nbody, sizeof *t->body);
  for (int i = 1; i < model->nbody && t->nbody < CLI_TRACK_BODIES; i++)
    if (model->body[i].kind != HN_FIXED) t->body[t->nbody++] = i;
  t->njoint = model->njoint < CLI_TRACK_BODIES ? model->njoint : CLI_TRACK_BODIES;
  return t;
}

void cli_track_free(cli_track *t)
{
  if (!t) return;
  free(t->body), free(t->time), free(t->pose), free(t->force), free(t->touch_end), free(t->touch);
  free(t);
}

static void reserve(cli_track *t, size_t frames)
{
  if (frames <= t->capacity) return;
  t->capacity = 2 * frames;
  t->time = cli_grow(t->time, t->capacity, sizeof *t->time);
  t->pose = cli_grow(t->pose, t->capacity * (size_t)t->nbody * CLI_POSE, sizeof *t->pose);
  t->force = cli_grow(t->force, t->capacity * (size_t)t->njoint * 3, sizeof *t->force);
  t->touch_end = cli_grow(t->touch_end, t->capacity, sizeof *t->touch_end);
}

static size_t touches_before(const cli_track *t, size_t frame)
{
  return frame > 0 ? t->touch_end[frame - 1] : 0;
}

static size_t numbers(const cli_track *t, size_t frames)
{
  size_t each = (size_t)t->nbody * CLI_POSE + (t->forces ? (size_t)t->njoint * 3 : 0);
  return frames * each + CLI_TOUCH * touches_before(t, frames);
}

/* Copies frame FROM to the earlier frame TO. */
static void move(cli_track *t, size_t to, size_t from)
{
  size_t poses = (size_t)t->nbody * CLI_POSE, forces = (size_t)t->njoint * 3;
  size_t first = touches_before(t, from), count = t->touch_end[from] - first, at = touches_before(t, to);
  t->time[to] = t->time[from];
  memmove(t->pose + to * poses, t->pose + from * poses, poses * sizeof *t->pose);
  memmove(t->force + to * forces, t->force + from * forces, forces * sizeof *t->force);
  memmove(t->touch + at * CLI_TOUCH, t->touch + first * CLI_TOUCH, count * CLI_TOUCH * sizeof *t->touch);
  t->touch_end[to] = at + count;
}

/* Drops every other frame. The newest one is kept behind the others if it is dropped. */
static void drop_every_other(cli_track *t)
{
  size_t newest = t->count - !t->has_extra, kept = (t->count + 1) / 2;
  for (size_t k = 1; k < kept; k++) move(t, k, 2 * k);
  t->has_extra = newest != 2 * (kept - 1);
  if (t->has_extra) move(t, kept, newest);
  t->count = kept;
  t->stride *= 2;
}

/* Reserves the place of the newest frame, at TIME, behind the kept ones. Returns its index. */
static size_t place(cli_track *t, double time)
{
  reserve(t, t->count + 1);
  t->time[t->count] = time;
  t->touch_end[t->count] = touches_before(t, t->count);
  return t->count;
}

/* Completes the newest frame, of step INDEX: kept for good if on the stride, else as the last one so far. */
static void settle(cli_track *t, long index)
{
  t->has_extra = index % t->stride != 0;
  if (!t->has_extra) t->count++;
  while (t->count > MIN_FRAMES && numbers(t, t->count) > t->max_numbers) drop_every_other(t);
}

static void put_poses(cli_track *t, size_t frame, const hn_pose *pose)
{
  double *at = t->pose + frame * (size_t)t->nbody * CLI_POSE;
  for (int i = 0; i < t->nbody; i++, at += CLI_POSE) {
    memcpy(at, pose[t->body[i]].x, 3 * sizeof *at);
    memcpy(at + 3, pose[t->body[i]].q, 4 * sizeof *at);
  }
}

static void put_forces(cli_track *t, size_t frame, const hn_frame *from)
{
  float *at = t->force + frame * (size_t)t->njoint * 3;
  memset(at, 0, (size_t)t->njoint * 3 * sizeof *at);
  if (!from->multipliers) return;
  t->forces = true;
  for (int j = 0, i = 0; j < t->njoint; j++, at += 3) {
    const hn_model *now = from->model;
    double force[3], torque[3];
    const bool gone = i == now->njoint || strcmp(now->joint[i].name, t->model->joint[j].name) != 0;
    if (gone) continue;
    const hn_joint *joint = &now->joint[i++];
    hn_joint_reaction(joint, from->state, from->multipliers + joint->row, force, torque);
    for (int k = 0; k < 3; k++) at[k] = (float)force[k];
  }
}

/* Stores point and impulse of a contact, at the poses before its step. */
static void put_touch(float at[CLI_TOUCH], const hn_contact_impulse *one)
{
  for (int k = 0; k < 3; k++) {
    at[k] = (float)one->point[k];
    at[3 + k] = (float)(one->push * one->normal[k] + one->friction[k]);
  }
}

static void put_touches(cli_track *t, size_t frame, const hn_frame *from)
{
  size_t end = t->touch_end[frame], more = (size_t)from->nimpulse;
  if (end + more > t->touch_room) {
    t->touch_room = 2 * (end + more);
    t->touch = cli_grow(t->touch, t->touch_room * CLI_TOUCH, sizeof *t->touch);
  }
  for (size_t i = 0; i < more; i++) put_touch(t->touch + (end + i) * CLI_TOUCH, &from->impulse[i]);
  t->touch_end[frame] = end + more;
}

void cli_track_add(cli_track *t, const hn_frame *frame)
{
  size_t at = place(t, frame->state->time);
  put_poses(t, at, frame->state->pose);
  put_forces(t, at, frame);
  put_touches(t, at, frame);
  settle(t, frame->index);
}

void cli_track_add_poses(cli_track *t, long index, double time, const hn_pose *pose)
{
  size_t at = place(t, time);
  put_poses(t, at, pose);
  settle(t, index);
}

void cli_track_end(cli_track *t)
{
  if (t->has_extra) t->count++;
  t->has_extra = false;
}
