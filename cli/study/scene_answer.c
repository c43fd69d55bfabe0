/* scene_answer.c - the reference motion of a scene, given by its author. */
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

cli_coverage cli_coverage_create(int bodies)
{
  cli_coverage c = { .any = { false } };
  for (int q = 0; q < CLI_FORCE; q++) c.lacks[q] = cli_alloc((size_t)bodies, sizeof(bool));
  return c;
}

void cli_coverage_free(cli_coverage *c)
{
  for (int q = 0; q < CLI_FORCE; q++) free(c->lacks[q]);
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

static void note(cli_coverage *known, int i, const bool knows[CLI_FORCE])
{
  for (int q = 0; q < CLI_FORCE && known; q++) {
    known->any[q] = known->any[q] || knows[q];
    known->lacks[q][i] = known->lacks[q][i] || !knows[q];
  }
}

int cli_scene_motion(hn_scene *scene, cli_motion *m, cli_coverage *known, hn_error *error)
{
  const hn_model *model = scene->model;
  answer a = create_answer(model);
  int status = 0;
  for (long k = 0; k < m->count && status >= 0; k++) {
    status = hn_scene_reference_states(scene, m->time[k], &a.reference, error);
    for (int i = 1; i < model->nbody && status >= 0; i++) {
      const long at = k * model->nbody + i;
      bool knows[CLI_FORCE];
      copy_answer(&a.reference, i, &model->body[i], &m->pose[at], &m->twist[at], knows);
      note(known, i, knows);
    }
  }
  free_answer(&a);
  return status < 0 ? -1 : 0;
}
