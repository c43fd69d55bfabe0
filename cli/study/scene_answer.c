/* scene_answer.c - the reference motion of a scene, given by its author. */
#include <math.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/study/scene_answer.h"
#include "base/vec.h"

typedef struct answer {
  hn_scene_answer reference;
  bool *has;
  double *value;
} answer;

static answer create_answer(const hn_model *model)
{
  size_t n = (size_t)model->nbody;
  answer a = { .has = cli_alloc(4 * n, sizeof(bool)), .value = cli_alloc(13 * n, sizeof(double)) };
  a.reference = (hn_scene_answer){ .has_position = a.has,
                                   .has_orientation = a.has + n,
                                   .has_velocity = a.has + 2 * n,
                                   .has_angular_velocity = a.has + 3 * n,
                                   .position = a.value,
                                   .orientation = a.value + 3 * n,
                                   .velocity = a.value + 7 * n,
                                   .angular_velocity = a.value + 10 * n };
  return a;
}

static void free_answer(answer *a)
{
  free(a->has);
  free(a->value);
}

/* Copies the known quantities of body I into POSE and TWIST, and marks them in KNOWS. */
static void copy_answer(const hn_scene_answer *reference, int i, const hn_body *body, hn_pose *pose,
                        hn_twist *twist, bool knows[CLI_FORCE])
{
  bool rigid = body->kind == HN_RIGID, moves = body->kind != HN_FIXED;
  knows[CLI_POSITION] = moves && reference->has_position[i];
  knows[CLI_ORIENTATION] = rigid && reference->has_orientation[i];
  knows[CLI_VELOCITY] = moves && reference->has_velocity[i] && (!rigid || reference->has_angular_velocity[i]);
  if (knows[CLI_POSITION]) vec_copy(pose->x, reference->position + 3 * i);
  if (knows[CLI_ORIENTATION]) memcpy(pose->q, reference->orientation + 4 * i, sizeof pose->q);
  if (knows[CLI_VELOCITY]) vec_copy(twist->v, reference->velocity + 3 * i);
  if (knows[CLI_VELOCITY] && rigid) vec_copy(twist->w, reference->angular_velocity + 3 * i);
}

int cli_scene_motion(hn_scene *scene, cli_motion *m, bool any[CLI_FORCE], hn_error *error)
{
  const hn_model *model = scene->model;
  answer a = create_answer(model);
  bool found[CLI_FORCE] = { false };
  int status = 0;
  for (long k = 0; k < m->count && status >= 0; k++) {
    status = hn_scene_reference_states(scene, m->time[k], &a.reference, error);
    for (int i = 1; i < model->nbody && status >= 0; i++) {
      const long at = k * model->nbody + i;
      bool knows[CLI_FORCE];
      copy_answer(&a.reference, i, &model->body[i], &m->pose[at], &m->twist[at], knows);
      for (int q = 0; q < CLI_FORCE; q++) {
        m->has[q][i] = knows[q] && (k == 0 || m->has[q][i]);
        found[q] = found[q] || knows[q];
      }
    }
  }
  free_answer(&a);
  if (any) memcpy(any, found, sizeof found);
  return status < 0 ? -1 : found[CLI_POSITION] || found[CLI_ORIENTATION] || found[CLI_VELOCITY];
}

/* ---- For display --------------------------------------------------------------------------------------- */

enum { MAX_TIMES = 2000 }; /* each of them is a call of Lua code */

/* Returns the known parts of the pose of every tracked body in MOTION, in the letters of
 * cli_reference.known. */
static char *known_parts(const cli_track *track, const cli_motion *motion)
{
  char *part = cli_alloc((size_t)track->nbody + 1, 1);
  for (int i = 0; i < track->nbody; i++) {
    const int body = track->body[i];
    const bool turns = track->model->body[body].kind == HN_RIGID;
    part[i] = !motion->has[CLI_POSITION][body]               ? '-'
              : motion->has[CLI_ORIENTATION][body] || !turns ? 'q'
                                                             : 'x';
  }
  return part;
}

int cli_track_answer(cli_reference *reference, hn_scene *scene, double step, double duration, size_t track,
                     hn_error *error)
{
  const hn_model *model = scene->model;
  const long steps = hn_step_count(step, duration), stride = 1 + steps / MAX_TIMES;
  cli_motion *now = cli_motion_create(model, 1, 1);
  for (int i = 0; i < model->nbody; i++) now->pose[i] = model->body[i].pose0;
  reference->track = cli_track_create(model, stride, track);
  int status = 1;
  for (long k = 0; k <= steps && status == 1; k = k < steps && k + stride > steps ? steps : k + stride) {
    bool any[CLI_FORCE];
    now->time[0] = fmin((double)k * step, duration);
    status = cli_scene_motion(scene, now, any, error);
    if (status != 1 || !(any[CLI_POSITION] || any[CLI_ORIENTATION])) break;
    if (!reference->known) reference->known = known_parts(reference->track, now);
    cli_track_add_poses(reference->track, k, now->time[0], now->pose);
  }
  cli_track_end(reference->track);
  if (reference->track->count == 0) cli_track_free(reference->track), reference->track = NULL;
  cli_motion_free(now);
  return status < 0 ? -1 : 0;
}
