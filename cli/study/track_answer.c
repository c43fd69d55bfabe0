/* track_answer.c - the motion of the scene's reference, for display. */
#include <math.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/study/scene_answer.h"
#include "cli/study/track_answer.h"

enum { MAX_TIMES = 2000 }; /* each of them is a call of Lua code */

/* Returns the known parts of the pose of every tracked body, in the letters of cli_reference.known. */
static char *known_parts(const cli_track *track, const cli_coverage *known)
{
  char *part = cli_alloc((size_t)track->nbody + 1, 1);
  for (int i = 0; i < track->nbody; i++) {
    const int body = track->body[i];
    const bool turns = track->model->body[body].kind == HN_RIGID;
    part[i] = known->lacks[CLI_POSITION][body]                 ? '-'
              : !known->lacks[CLI_ORIENTATION][body] || !turns ? 'q'
                                                               : 'x';
  }
  return part;
}

/* Evaluates the scene's reference at the only time of NOW. Returns 1, 0 if nothing is known, -1 on error. */
static int read_scene(hn_scene *scene, cli_motion *now, cli_coverage *known, hn_error *error)
{
  for (int q = 0; q < CLI_FORCE; q++) {
    memset(known->lacks[q], 0, (size_t)now->nbody * sizeof(bool));
    known->any[q] = false;
  }
  if (cli_scene_motion(scene, now, known, error) < 0) return -1;
  return known->any[CLI_POSITION] || known->any[CLI_ORIENTATION];
}

int cli_track_answer(cli_reference *reference, hn_scene *scene, double step, double duration, size_t track,
                     hn_error *error)
{
  const hn_model *model = scene->model;
  const long steps = hn_step_count(step, duration), stride = 1 + steps / MAX_TIMES;
  cli_motion *now = cli_motion_create(model, 1, 1);
  cli_coverage known = cli_coverage_create(model->nbody);
  for (int i = 0; i < model->nbody; i++) now->pose[i] = model->body[i].pose0;
  reference->track = cli_track_create(model, stride, track);
  int status = 1;
  for (long k = 0; k <= steps && status == 1; k = k < steps && k + stride > steps ? steps : k + stride) {
    now->time[0] = fmin((double)k * step, duration);
    status = read_scene(scene, now, &known, error);
    if (status != 1) break;
    if (!reference->known) reference->known = known_parts(reference->track, &known);
    cli_track_add_poses(reference->track, k, now->time[0], now->pose);
  }
  cli_track_end(reference->track);
  if (reference->track->count == 0) cli_track_free(reference->track), reference->track = NULL;
  cli_coverage_free(&known);
  cli_motion_free(now);
  return status < 0 ? -1 : 0;
}
