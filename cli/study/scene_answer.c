/* scene_answer.c - what a scene knows of its own motion. */
#include <string.h>
#include "cli/base/memory.h"
#include "cli/study/scene_answer.h"
#include "base/vec.h"

typedef struct answer {
  hn_scene_answer told;
  bool *has;
  double *value;
} answer;

static answer create_answer(const hn_model *model)
{
  size_t n = (size_t)model->nbody;
  answer a = { .has = cli_alloc(4 * n, sizeof(bool)), .value = cli_alloc(13 * n, sizeof(double)) };
  a.told = (hn_scene_answer){ .has_position = a.has,
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

/* Puts what it says of body I into its POSE and TWIST; KNOWS: of which quantities. */
static void take_answer(const hn_scene_answer *told, int i, const hn_body *body, hn_pose *pose,
                        hn_twist *twist, bool knows[CLI_FORCE])
{
  bool rigid = body->kind == HN_RIGID, moves = body->kind != HN_FIXED;
  knows[CLI_POSITION] = moves && told->has_position[i];
  knows[CLI_ORIENTATION] = rigid && told->has_orientation[i];
  knows[CLI_VELOCITY] = moves && told->has_velocity[i] && (!rigid || told->has_angular_velocity[i]);
  if (knows[CLI_POSITION]) vec_copy(pose->x, told->position + 3 * i);
  if (knows[CLI_ORIENTATION]) memcpy(pose->q, told->orientation + 4 * i, sizeof pose->q);
  if (knows[CLI_VELOCITY]) vec_copy(twist->v, told->velocity + 3 * i);
  if (knows[CLI_VELOCITY] && rigid) vec_copy(twist->w, told->angular_velocity + 3 * i);
}

static void note(cli_knowledge *known, int i, const bool knows[CLI_FORCE])
{
  for (int q = 0; q < CLI_FORCE && known; q++) {
    known->any[q] = known->any[q] || knows[q];
    known->lacks[q][i] = known->lacks[q][i] || !knows[q];
  }
}

int cli_answer(hn_scene *scene, cli_motion *m, cli_knowledge *known, hn_error *error)
{
  const hn_model *model = scene->model;
  answer a = create_answer(model);
  int status = 0;
  for (long k = 0; k < m->count && status >= 0; k++) {
    status = hn_scene_reference_states(scene, m->time[k], &a.told, error);
    for (int i = 1; i < model->nbody && status >= 0; i++) {
      const long at = k * model->nbody + i;
      bool knows[CLI_FORCE];
      take_answer(&a.told, i, &model->body[i], &m->pose[at], &m->twist[at], knows);
      note(known, i, knows);
    }
  }
  free_answer(&a);
  return status < 0 ? -1 : 0;
}
