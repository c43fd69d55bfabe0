/* changed_model.c - edits a model during a run: elements are left out or added
 *
 * The edited model owns its arrays only. Names, axes and parameters of the elements stay in the model of the
 * scene and in the model that provides new elements, so that nothing is copied or released twice. Bodies are
 * never left out. A removed body becomes fixed without mass and shapes, so that numbers of bodies and keys of
 * contacts are unchanged. */
#include "state.h"

#include <stdlib.h>
#include <string.h>

static bool is_removed(const bool *list, int i)
{
  return list && list[i];
}

bool hn_joint_is_companion(const hn_joint *a, const hn_joint *b)
{
  const size_t length = strlen(a->name);
  return a->a == b->a && a->b == b->b && strncmp(a->name, b->name, length) == 0 && b->name[length] == '.';
}

static bool joint_is_removed(const hn_model *now, const hn_model_edit *edit, int j)
{
  const hn_joint *joint = &now->joint[j];
  if (is_removed(edit->joint, j) || is_removed(edit->body, joint->a) || is_removed(edit->body, joint->b))
    return true;
  for (int k = j - 1; k >= 0 && edit->joint; k--)
    if (edit->joint[k] && hn_joint_is_companion(&now->joint[k], joint)) return true;
  return false;
}

static bool force_is_removed(const hn_model *now, const hn_model_edit *edit, int f)
{
  const hn_joint *rows = &now->force[f].rows;
  return is_removed(edit->force, f) || is_removed(edit->body, rows->a) || is_removed(edit->body, rows->b);
}

/* Makes body I fixed, without mass, velocity and collisions. */
static void remove_body(hn_model *model, int i)
{
  hn_body *body = &model->body[i];
  body->gone = true, body->kind = HN_FIXED;
  body->mass = body->inv_mass = 0.0;
  memset(body->J, 0, sizeof body->J), memset(body->inv_J, 0, sizeof body->inv_J);
  memset(body->gravity, 0, sizeof body->gravity);
  memset(&body->twist0, 0, sizeof body->twist0);
  for (hn_collider *c = model->collider; c < model->collider + model->ncollider; c++)
    if (c->body == i) c->group = 0;
}

static void put_bodies(hn_model *model, const hn_model *now, const hn_state *state, const hn_model_edit *edit)
{
  for (int i = 0; i < now->nbody; i++) {
    model->body[i] = now->body[i];
    model->body[i].pose0 = state->pose[i], model->body[i].twist0 = state->twist[i];
  }
  for (int i = now->nbody; i < model->nbody; i++) model->body[i] = edit->from->body[i];
  for (int i = 0; i < now->ncollider; i++) model->collider[i] = now->collider[i];
  for (int i = now->ncollider; i < model->ncollider; i++) model->collider[i] = edit->from->collider[i];
  for (int i = 0; i < now->nbody; i++)
    if (is_removed(edit->body, i)) remove_body(model, i);
}

static void put_joint(hn_model *model, const hn_joint *joint)
{
  model->joint[model->njoint] = *joint;
  model->joint[model->njoint++].row = model->nrow;
  model->nrow += joint->type->rows;
}

static void put_elements(hn_model *model, const hn_model *now, const hn_model_edit *edit)
{
  model->njoint = model->nrow = model->nforce = 0;
  for (int j = 0; j < now->njoint; j++)
    if (!joint_is_removed(now, edit, j)) put_joint(model, &now->joint[j]);
  for (int f = 0; f < now->nforce; f++)
    if (!force_is_removed(now, edit, f)) model->force[model->nforce++] = now->force[f];
  if (!edit->from) return;
  for (int j = edit->first_joint; j < edit->from->njoint; j++) put_joint(model, &edit->from->joint[j]);
  for (int f = edit->first_force; f < edit->from->nforce; f++)
    model->force[model->nforce++] = edit->from->force[f];
}

hn_model *hn_model_change(const hn_model *now, const hn_state *state, const hn_model_edit *edit,
                          hn_error *error)
{
  const hn_model *all = edit->from ? edit->from : now;
  const int joints = now->njoint + (edit->from ? all->njoint : 0),
            forces = now->nforce + (edit->from ? all->nforce : 0);
  if (all->field_bits != now->field_bits)
    return hn_fail(error, "a height field cannot be added during a run"), NULL;
  hn_model *model = calloc(1, sizeof *model);
  if (model) {
    *model = *all;
    model->view = true, model->own_solvers = now->own_solvers, model->contact_solver = now->contact_solver;
    model->body = calloc((size_t)all->nbody, sizeof *model->body);
    model->collider = calloc((size_t)all->ncollider + 1, sizeof *model->collider);
    model->joint = calloc((size_t)joints + 1, sizeof *model->joint);
    model->force = calloc((size_t)forces + 1, sizeof *model->force);
  }
  if (model && model->body && model->collider && model->joint && model->force) {
    put_bodies(model, now, state, edit), put_elements(model, now, edit);
    return model;
  }
  if (model) hn_model_free(model);
  hn_fail(error, "out of memory");
  return NULL;
}
