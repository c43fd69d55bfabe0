/* session_state.c - read access to a session between two steps. */
#include <string.h>
#include "cli/session/session_struct.h"

const hn_scene *cli_session_scene(const cli_session *s)
{
  return s->world.scene;
}

const hn_model *cli_session_model(const cli_session *s)
{
  return cli_world_model(&s->world);
}

bool cli_session_slot(const cli_session *s, int slot)
{
  return s->slot[slot - 1].state;
}

uint64_t cli_session_model_version(const cli_session *s)
{
  return s->model_version + hn_runner_summary(s->runner)->changes;
}

int cli_session_find_mouse_spring(const cli_session *s, const char *id)
{
  const cli_world_setup *setup = &s->world.setup;
  for (int i = 0; i < setup->nspring; i++)
    if (strcmp(setup->spring[i].id, id) == 0) return i;
  return -1;
}

bool cli_session_mouse_spring(const cli_session *s, int index, cli_mouse_spring_view *view)
{
  const cli_world *world = &s->world;
  if (index >= world->setup.nspring) return false;
  const cli_mouse_spring *spring = &world->setup.spring[index];
  *view = (cli_mouse_spring_view){ .id = spring->id,
                                   .body = spring->body,
                                   .point = spring->point,
                                   .target = cli_world_spring_target(world, index) };
  return true;
}

const hn_state *cli_session_state(const cli_session *s)
{
  return s->world.state;
}

const hn_solver *cli_session_solver(const cli_session *s)
{
  return s->world.solver;
}

double cli_session_step_size(const cli_session *s)
{
  return s->world.setup.step;
}
