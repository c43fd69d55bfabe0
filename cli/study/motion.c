/* motion.c - the motion that a scene says its bodies have: its reference, asked at many times. */
#include <math.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/study/motion.h"

enum { MOST_ASKED = 2000 }; /* times, as each is a call of Lua code */

/* What is known of every body that is kept, from what is known at the start. */
static char *what_is_known(const cli_track *track, const hn_scene_answer *answer)
{
  char *known = cli_alloc((size_t)track->nbody + 1, 1);
  for (int i = 0; i < track->nbody; i++) {
    const int body = track->body[i];
    const bool turns = track->model->body[body].kind == HN_RIGID;
    known[i] = !answer->has_position[body] ? '-' : answer->has_orientation[body] || !turns ? 'q' : 'x';
  }
  return known;
}

static void take(hn_pose *pose, const hn_scene_answer *answer, int nbody)
{
  for (int i = 0; i < nbody; i++) {
    if (answer->has_position[i]) memcpy(pose[i].x, answer->position + 3 * i, sizeof pose[i].x);
    if (answer->has_orientation[i]) memcpy(pose[i].q, answer->orientation + 4 * i, sizeof pose[i].q);
  }
}

int cli_reference_motion(cli_reference *reference, hn_scene *scene, double step, double duration, size_t track,
                         hn_error *error)
{
  const hn_model *model = scene->model;
  const size_t n = (size_t)model->nbody;
  const long steps = hn_step_count(step, duration), stride = 1 + steps / MOST_ASKED;
  hn_scene_answer answer = { .has_position = cli_alloc(n, sizeof(bool)), .has_orientation = cli_alloc(n, sizeof(bool)),
                             .position = cli_alloc(3 * n, sizeof(double)),
                             .orientation = cli_alloc(4 * n, sizeof(double)) };
  hn_pose *pose = cli_alloc(n, sizeof *pose);
  for (size_t i = 0; i < n; i++) pose[i] = model->body[i].pose0;
  reference->track = cli_track_create(model, stride, track);
  int status = 1;
  for (long k = 0; k <= steps && status == 1; k = k < steps && k + stride > steps ? steps : k + stride) {
    const double time = fmin((double)k * step, duration);
    status = hn_scene_reference_states(scene, time, &answer, error);
    if (status != 1) break;
    if (!reference->known) reference->known = what_is_known(reference->track, &answer);
    take(pose, &answer, model->nbody);
    cli_track_add_poses(reference->track, k, time, pose);
  }
  cli_track_end(reference->track);
  if (reference->track->count == 0) cli_track_free(reference->track), reference->track = NULL;
  free(answer.has_position), free(answer.has_orientation), free(answer.position), free(answer.orientation);
  free(pose);
  return status < 0 ? -1 : 1;
}
