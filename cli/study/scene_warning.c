/* scene_warning.c - the warning of scenes whose shapes cannot collide because sys:contact {} is missing. */
#include "cli/study/scene_warning.h"
#include "cli/base/memory.h"

/* True if a joint connects bodies A and B, which then do not collide. */
static bool are_joined(const hn_model *model, int a, int b)
{
  for (const hn_joint *joint = model->joint; joint < model->joint + model->njoint; joint++)
    if ((joint->a == a && joint->b == b) || (joint->a == b && joint->b == a)) return true;
  return false;
}

static bool has_friction(const hn_model *model, int c)
{
  return hn_model_surface(model, c, c).friction > 0.0;
}

/* True if collider P, a plane or another shape, and C, a shape of a body that moves, are meant to collide:
 * one has friction, their groups allow it, and no joint connects the bodies. */
static bool would_rub(const hn_model *model, int p, int c)
{
  const hn_collider *one = &model->collider[p], *other = &model->collider[c];
  return one->body != other->body && other->shape.kind != HN_PLANE &&
         model->body[other->body].kind != HN_FIXED && one->group & other->mask && other->group & one->mask &&
         (has_friction(model, p) || has_friction(model, c)) && !are_joined(model, one->body, other->body);
}

/* Finds such a pair, with a plane or without. */
static bool find_pair(const hn_model *model, bool plane, int *p, int *c)
{
  for (*p = 0; *p < model->ncollider; ++*p)
    for (*c = 0; *c < model->ncollider && (model->collider[*p].shape.kind == HN_PLANE) == plane; ++*c)
      if (would_rub(model, *p, *c)) return true;
  return false;
}

char *cli_warning_of_scene(const hn_model *model)
{
  int p, c;
  bool any = false;
  for (c = 0; c < model->ncollider && !any; c++) any = has_friction(model, c);
  if (!any || model->max_contacts > 0 || model->compliant ||
      !(find_pair(model, true, &p, &c) || find_pair(model, false, &p, &c)))
    return NULL;
  return cli_text("body \"%s\" passes through \"%s\": shapes collide once the scene calls sys:contact {}; "
                  "collides = false tells that they are not meant to",
                  model->body[model->collider[c].body].name, model->body[model->collider[p].body].name);
}
