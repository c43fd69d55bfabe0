/* world.c - a scene with hands on its bodies, a method and a state, made anew for every change of any of them.
 *
 * A model is constant, so that a change is another model: the scene is loaded again, with other settings or hands, and
 * takes over the motion of the bodies, the inputs, and the contacts with their impulses. What the method remembers is
 * not taken over: it may be another one. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/vec.h"
#include "cli/base/memory.h"
#include "cli/session/world.h"

/* ---- What to make ------------------------------------------------------------------------------------------------ */

void cli_make_copy(cli_make *to, const cli_make *from)
{
  *to = *from;
  to->spec = cli_text("%s", from->spec);
  to->setting = NULL, to->nsetting = 0;
  for (size_t i = 0; i < from->nsetting; i++) cli_make_set(to, from->setting[i].name, from->setting[i].value);
}

void cli_make_free(cli_make *make)
{
  for (size_t i = 0; i < make->nsetting; i++)
    free((char *)(uintptr_t)make->setting[i].name), free((char *)(uintptr_t)make->setting[i].value);
  free(make->setting);
  free(make->spec);
  memset(make, 0, sizeof *make);
}

void cli_make_set(cli_make *make, const char *name, const char *value)
{
  size_t i = 0;
  while (i < make->nsetting && strcmp(make->setting[i].name, name) != 0) i++;
  if (i == make->nsetting) {
    make->setting = cli_grow(make->setting, ++make->nsetting, sizeof *make->setting);
    make->setting[i] = (hn_setting){ .name = cli_text("%s", name), .value = NULL };
  }
  free((char *)(uintptr_t)make->setting[i].value);
  make->setting[i].value = cli_text("%s", value);
}

/* ---- Making it --------------------------------------------------------------------------------------------------- */

/* The hand pulls at a point of the body, which the model wants where it is at its start. */
static int add_grip(hn_model *model, const cli_grip *grip, hn_error *error)
{
  char name[48], settings[80];
  const hn_pose *pose = &model->body[grip->body].pose0;
  snprintf(name, sizeof name, "grip %s", grip->id);
  snprintf(settings, sizeof settings, "stiffness=%.17g,damping=%.17g", grip->stiffness, grip->damping);
  hn_force_spec spec = { .geometry = { .type = "grip", .name = name, .b = grip->body, .has_points = true },
                         .settings = settings };
  quat_rotate(spec.geometry.at_b, pose->q, grip->point);
  vec_add(spec.geometry.at_b, spec.geometry.at_b, pose->x);
  return hn_model_add_force(model, &spec, error) < 0 ? -1 : 0;
}

double *cli_world_target(const cli_world *w, int index)
{
  const hn_model *model = w->scene->model;
  return w->state->input + model->force[model->nforce - w->make.ngrip + index].input;
}

/* Without hands, are they of one mechanism? */
static int check_same(const cli_world *a, const cli_world *b, hn_error *error)
{
  const hn_model *m = a->scene->model, *n = b->scene->model;
  bool same = m->nbody == n->nbody && m->njoint == n->njoint && m->nrow == n->nrow &&
              m->nforce - a->make.ngrip == n->nforce - b->make.ngrip && a->state->nbody == b->state->nbody;
  for (int i = 0; same && i < m->nbody; i++)
    same = m->body[i].kind == n->body[i].kind && strcmp(m->body[i].name, n->body[i].name) == 0;
  for (int j = 0; same && j < m->njoint; j++) same = m->joint[j].type == n->joint[j].type;
  return same ? 0 : hn_fail(error, "the scene has other bodies, joints or forces then: that is another session");
}

/* Inputs of the scene come first, then those of hands. */
static void take_state(cli_world *w, const cli_world *from)
{
  const hn_state *old = from->state;
  const int inputs = w->state->ninput - 3 * w->make.ngrip;
  hn_state_copy_motion(w->state, old);
  memcpy(w->state->input, old->input, sizeof *old->input * (size_t)inputs);
  if (old->ncontact <= w->state->most_contacts) {
    memcpy(w->state->contact, old->contact, sizeof *old->contact * (size_t)old->ncontact);
    w->state->ncontact = old->ncontact;
  }
}

static bool same_settings(const cli_make *a, const cli_make *b)
{
  bool same = a->nsetting == b->nsetting;
  for (size_t i = 0; same && i < a->nsetting; i++)
    same = strcmp(a->setting[i].name, b->setting[i].name) == 0 && strcmp(a->setting[i].value, b->setting[i].value) == 0;
  return same;
}

static int fill(cli_world *w, const char *scene, const cli_options *options, const cli_world *from, hn_error *error)
{
  cli_options how = *options;
  how.setting = w->make.setting, how.nsetting = w->make.nsetting;
  if (!(w->scene = cli_scene_load(scene, &how, error))) return -1;
  const bool anew = !from || !from->scene || !same_settings(&w->make, &from->make);
  if (anew && w->scene->has_control && !(w->control = hn_control_create(w->scene, error))) return -1;
  for (int i = 0; i < w->make.ngrip; i++)
    if (add_grip(w->scene->model, &w->make.grip[i], error) < 0) return -1;
  if (!(w->state = hn_state_create(w->scene->model))) return hn_fail(error, "out of memory");
  if (from && from->scene && check_same(from, w, error) < 0) return -1;
  if (!(w->solver = hn_solver_create(w->make.spec, w->scene->model, error))) return -1;
  if (from) take_state(w, from);
  for (int i = 0; i < w->make.ngrip; i++) memcpy(cli_world_target(w, i), w->make.grip[i].target, 3 * sizeof(double));
  return 0;
}

int cli_world_make(cli_world *world, const char *scene, const cli_options *options, cli_make *make,
                   const cli_world *from, hn_error *error)
{
  *world = (cli_world){ .make = *make };
  if (fill(world, scene, options, from, error) == 0) return 0;
  world->make = (cli_make){ .spec = NULL };
  cli_world_free(world);
  return -1;
}

void cli_world_free(cli_world *w)
{
  hn_control_free(w->control);
  hn_solver_free(w->solver);
  hn_state_free(w->state);
  hn_scene_free(w->scene);
  cli_make_free(&w->make);
  memset(w, 0, sizeof *w);
}
