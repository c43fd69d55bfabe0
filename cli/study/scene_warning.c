/* scene_warning.c - the warning of scenes whose shapes cannot collide because sys:contact {} is missing. */
#include "cli/study/scene_warning.h"
#include "cli/base/memory.h"

/* True if collider P is a plane, C a shape that moves, the two may collide, and one has friction. */
static bool would_rub(const hn_model *model, int p, int c)
{
  const hn_collider *plane = &model->collider[p], *shape = &model->collider[c];
  return plane->shape.kind == HN_PLANE && model->body[shape->body].kind != HN_FIXED &&
         plane->group & shape->mask && shape->group & plane->mask &&
         (hn_model_surface(model, p, p).friction > 0.0 || hn_model_surface(model, c, c).friction > 0.0);
}

char *cli_warning_of_scene(const hn_model *model)
{
  for (int p = 0; p < model->ncollider && model->max_contacts == 0 && !model->compliant; p++)
    for (int c = 0; c < model->ncollider; c++)
      if (would_rub(model, p, c))
        return cli_text(
          "body \"%s\" passes through \"%s\": shapes collide once the scene calls sys:contact {}; "
          "collides = false tells that they are not meant to",
          model->body[model->collider[c].body].name, model->body[model->collider[p].body].name);
  return NULL;
}
