/* session_state.c - what is seen of a session from outside, between two steps. */
#include "cli/session/course.h"

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

uint64_t cli_session_models(const cli_session *s)
{
  return s->models + hn_runner_summary(s->runner)->changes;
}

bool cli_session_hand(const cli_session *s, int index, cli_hand *hand)
{
  const cli_world *world = &s->world;
  if (index >= world->make.ngrip) return false;
  const cli_grip *grip = &world->make.grip[index];
  *hand = (cli_hand){
    .id = grip->id, .body = grip->body, .point = grip->point, .target = cli_world_target(world, index)
  };
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
  return s->world.make.step;
}
