/* pose_cache.c - the poses at which Jacobians and factors were computed last (pose_cache.h). */
#include "impulse/pose_cache.h"
#include "registry/solver_arrays.h"

#include <string.h>

bool hn_same_poses(const hn_state *state, const hn_pose *poses)
{
  return memcmp(state->pose, poses, sizeof *poses * (size_t)state->nbody) == 0;
}

int hn_pose_cache_setup(hn_solver *solver, hn_pose_cache *cache, hn_error *error)
{
  const hn_model *model = solver->system->model;
  cache->system = solver->system;
  for (const hn_joint *joint = model->joint; joint < model->joint + model->njoint; joint++)
    cache->driven |= joint->type->keys & HN_KEY_MOTION || joint->input >= 0;
  return hn_solver_allocate(solver, error, HN_ARRAY(cache->pose, model->nbody),
                            HN_ARRAY(cache->input, model->ninput));
}

/* Stores the time and the inputs that the biases depend on. */
static void store_drive(hn_pose_cache *cache, const hn_state *state)
{
  memcpy(cache->input, state->input, sizeof *cache->input * (size_t)state->ninput);
  cache->time = state->time;
}

static bool same_drive(const hn_pose_cache *cache, const hn_state *state)
{
  return state->time == cache->time &&
         memcmp(cache->input, state->input, sizeof *cache->input * (size_t)state->ninput) == 0;
}

void hn_pose_cache_store(hn_pose_cache *cache, const hn_state *state)
{
  memcpy(cache->pose, state->pose, sizeof *cache->pose * (size_t)state->nbody);
  store_drive(cache, state);
  cache->listing = hn_system_contact_version(cache->system);
  cache->valid = true;
}

bool hn_pose_cache_is_valid_at(hn_pose_cache *cache, const hn_state *state)
{
  if (!cache->valid || cache->listing != hn_system_contact_version(cache->system) ||
      !hn_same_poses(state, cache->pose))
    return false;
  if (cache->driven && !same_drive(cache, state)) {
    hn_system_bias(cache->system, state);
    store_drive(cache, state);
  }
  return true;
}
