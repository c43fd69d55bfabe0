/* world.c - creates a scene with mouse springs and added bodies, a solver and a state.
 *
 * A model is constant, so a change needs another model: the scene is loaded again with other settings,
 * springs or bodies, and takes over the motion of the bodies, the inputs, and the contacts with their
 * impulses. The solver's memory is not taken over, since it may be another solver. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/vec.h"
#include "cli/base/memory.h"
#include "cli/session/world.h"

/* ---- Description ------------------------------------------------------------------------------------- */

void cli_world_setup_copy(cli_world_setup *to, const cli_world_setup *from)
{
  *to = *from;
  to->spec = cli_text("%s", from->spec);
  to->setting = NULL, to->nsetting = 0;
  for (size_t i = 0; i < from->nsetting; i++)
    cli_world_setup_set(to, from->setting[i].name, from->setting[i].value);
}

void cli_world_setup_free(cli_world_setup *setup)
{
  for (size_t i = 0; i < setup->nsetting; i++)
    free((char *)(uintptr_t)setup->setting[i].name), free((char *)(uintptr_t)setup->setting[i].value);
  free(setup->setting);
  free(setup->spec);
  memset(setup, 0, sizeof *setup);
}

void cli_world_setup_set(cli_world_setup *setup, const char *name, const char *value)
{
  size_t i = 0;
  while (i < setup->nsetting && strcmp(setup->setting[i].name, name) != 0) i++;
  if (i == setup->nsetting) {
    setup->setting = cli_grow(setup->setting, ++setup->nsetting, sizeof *setup->setting);
    setup->setting[i] = (hn_setting){ .name = cli_text("%s", name), .value = NULL };
  }
  free((char *)(uintptr_t)setup->setting[i].value);
  setup->setting[i].value = cli_text("%s", value);
}

enum { CONTACTS_PER_ADDED_BODY = 64 }; /* room for contacts added with each body */

/* ---- Creation ---------------------------------------------------------------------------------------- */

/* Adds the force of a mouse spring. Its point is given in world axes at the initial pose of the body. */
static int add_spring(hn_model *model, const cli_mouse_spring *spring, hn_error *error)
{
  char name[48], settings[80];
  const hn_pose *pose = &model->body[spring->body].pose0;
  snprintf(name, sizeof name, "grip %s", spring->id);
  snprintf(settings, sizeof settings, "stiffness=%.17g,damping=%.17g", spring->stiffness, spring->damping);
  hn_force_spec spec = {
    .geometry = { .type = "mouse_spring", .name = name, .b = spring->body, .has_points = true },
    .settings = settings
  };
  quat_rotate(spec.geometry.at_b, pose->q, spring->point);
  vec_add(spec.geometry.at_b, spec.geometry.at_b, pose->x);
  return hn_model_add_force(model, &spec, error) < 0 ? -1 : 0;
}

static int make_rectangle(hn_shape *shape, hn_error *error)
{
  const double x = 0.5 * shape->size[0], y = 0.5 * shape->size[1];
  const double corner[12] = { -x, -y, 0.0, x, -y, 0.0, x, y, 0.0, -x, y, 0.0 };
  return hn_shape_hull(shape, HN_POLYGON, corner, 4, error);
}

/* Adds a body; if shapes collide in MODEL, also its shape and room for its contacts. */
static int add_body(hn_model *model, const cli_added_body *added, hn_error *error)
{
  hn_shape shape = added->shape;
  if (shape.kind == HN_POLYGON && make_rectangle(&shape, error) < 0) return -1;
  const hn_body_spec spec = { .name = added->name,
                              .kind = HN_RIGID,
                              .shape = shape,
                              .density = added->density,
                              .has_mass = added->mass > 0.0,
                              .mass = added->mass,
                              .friction = added->friction,
                              .restitution = added->restitution,
                              .orientation = { 1.0, 0.0, 0.0, 0.0 },
                              .position = { added->at[0], added->at[1], added->at[2] },
                              .velocity = { added->velocity[0], added->velocity[1], added->velocity[2] } };
  const bool rigid = model->margin > 0.0;
  const hn_contact_spec contact = { .margin = model->margin,
                                    .most = rigid ? model->max_contacts + CONTACTS_PER_ADDED_BODY : 0,
                                    .jointed = model->jointed_collide,
                                    .points = model->most_points };
  const int body = hn_model_add_body(model, &spec, error);
  hn_shape_free(&shape);
  if (body < 0) return -1;
  return rigid || model->compliant ? hn_model_collide(model, &contact, error) : 0;
}

const hn_model *cli_world_model(const cli_world *w)
{
  return w->solver->system->model;
}

int cli_world_find_spring(const cli_world *w, const char *id)
{
  for (int i = 0; i < w->setup.nspring; i++)
    if (strcmp(w->setup.spring[i].id, id) == 0) return i;
  return -1;
}

int cli_world_spring_force(const cli_world *w, int index)
{
  char name[48];
  snprintf(name, sizeof name, "grip %s", w->setup.spring[index].id);
  return hn_model_find_force(cli_world_model(w), name, NULL);
}

double *cli_world_spring_target(const cli_world *w, int index)
{
  return w->state->input + cli_world_model(w)->force[cli_world_spring_force(w, index)].input;
}

/* Returns -1 with a message unless both scenes have the same bodies, joints and forces. */
static int check_same(const cli_world *a, const cli_world *b, hn_error *error)
{
  const hn_model *m = a->scene->model, *n = b->scene->model;
  bool same = a->nbody == b->nbody && m->njoint == n->njoint && m->nrow == n->nrow && a->nforce == b->nforce;
  for (int i = 0; same && i < a->nbody; i++)
    same = m->body[i].kind == n->body[i].kind && strcmp(m->body[i].name, n->body[i].name) == 0;
  for (int j = 0; same && j < m->njoint; j++) same = m->joint[j].type == n->joint[j].type;
  return same
           ? 0
           : hn_fail(error,
                     "the setting changes the bodies, joints or forces of the scene: start another session");
}

/* Copies the state of FROM; bodies beyond those of FROM keep their initial state. */
static void copy_state(cli_world *w, const cli_world *from)
{
  const hn_state *old = from->state;
  w->state->time = old->time;
  memcpy(w->state->pose, old->pose, sizeof *old->pose * (size_t)old->nbody);
  memcpy(w->state->twist, old->twist, sizeof *old->twist * (size_t)old->nbody);
  memcpy(w->state->input, old->input, sizeof *old->input * (size_t)w->ninput);
  if (old->ncontact <= w->state->max_contacts) {
    if (old->ncontact > 0)
      memcpy(w->state->contact, old->contact, sizeof *old->contact * (size_t)old->ncontact);
    w->state->ncontact = old->ncontact;
  }
}

static bool same_settings(const cli_world_setup *a, const cli_world_setup *b)
{
  bool same = a->nsetting == b->nsetting;
  for (size_t i = 0; same && i < a->nsetting; i++)
    same = strcmp(a->setting[i].name, b->setting[i].name) == 0 &&
           strcmp(a->setting[i].value, b->setting[i].value) == 0;
  return same;
}

static int fill(cli_world *w, const char *scene, const cli_options *options, const cli_world *from,
                hn_error *error)
{
  cli_options scene_options = *options;
  scene_options.setting = w->setup.setting, scene_options.nsetting = w->setup.nsetting;
  if (!(w->scene = cli_scene_load(scene, &scene_options, error))) return -1;
  const bool needs_control = !from || !from->scene || !same_settings(&w->setup, &from->setup);
  if (needs_control && w->scene->has_control && !(w->control = hn_control_create(w->scene, error))) return -1;
  const hn_model *model = w->scene->model;
  w->nbody = model->nbody, w->nforce = model->nforce, w->ninput = model->ninput;
  if (from && from->scene && check_same(from, w, error) < 0) return -1; /* bodies keep their numbers */
  for (int i = 0; i < w->setup.nadded; i++)
    if (add_body(w->scene->model, &w->setup.added[i], error) < 0) return -1;
  for (int i = 0; i < w->setup.nspring; i++)
    if (add_spring(w->scene->model, &w->setup.spring[i], error) < 0) return -1;
  if (!(w->state = hn_state_create(w->scene->model))) return hn_fail(error, "out of memory");
  if (!(w->solver = hn_solver_create(w->setup.spec, w->scene->model, error))) return -1;
  if (from) copy_state(w, from);
  for (int i = 0; i < w->setup.nspring; i++)
    memcpy(cli_world_spring_target(w, i), w->setup.spring[i].target, 3 * sizeof(double));
  return 0;
}

int cli_world_create(cli_world *world, const char *scene, const cli_options *options, cli_world_setup *setup,
                     const cli_world *from, hn_error *error)
{
  *world = (cli_world){ .setup = *setup };
  if (fill(world, scene, options, from, error) == 0) return 0;
  world->setup = (cli_world_setup){ .spec = NULL };
  cli_world_free(world);
  return -1;
}

int cli_world_with_solver(cli_world *world, cli_world_setup *setup, const cli_world *from, hn_error *error)
{
  *world = *from;
  if (!(world->solver = hn_solver_create(setup->spec, cli_world_model(from), error))) return -1;
  world->setup = *setup;
  return 0;
}

/* A model owned by the old solver, changed by control, moves to the new one. */
void cli_world_unshare(cli_world *from, const cli_world *world)
{
  hn_solver *old = from->solver;
  if (old->model == world->solver->system->model) world->solver->model = old->model, old->model = NULL;
  from->scene = NULL, from->state = NULL, from->control = NULL;
}

int cli_world_save(cli_world *slot, const cli_world_setup *setup, const hn_state *state, hn_error *error)
{
  hn_state *copy = hn_state_duplicate(state);
  if (!copy) return hn_fail(error, "out of memory");
  cli_world_free(slot);
  cli_world_setup_copy(&slot->setup, setup);
  slot->state = copy;
  return 0;
}

/* Frees the solver first: it refers to the model of the scene. */
void cli_world_free(cli_world *w)
{
  hn_solver_free(w->solver);
  hn_state_free(w->state);
  hn_control_free(w->control);
  hn_scene_free(w->scene);
  cli_world_setup_free(&w->setup);
  memset(w, 0, sizeof *w);
}
