/* correction.c - shared parts of the impulse methods: see correction.h. */
#include "impulse/correction.h"
#include "contact/local_coulomb.h"

#include <math.h>
#include <string.h>

unsigned hn_impulse_capabilities(unsigned capabilities, bool velocity_correction, bool to_tolerance,
                                 const hn_flight_options *flight)
{
  const unsigned at_ends = HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE | HN_CAN_CHANGE | HN_CAN_BOUNCE |
                           HN_CAN_VELOCITY;
  if (!velocity_correction) capabilities &= ~at_ends;
  if (!to_tolerance || flight->kind != HN_EXACT) capabilities &= ~(unsigned)HN_KEEPS_MOMENTUM;
  return capabilities;
}

hn_reason hn_skip_velocity_correction(hn_solver *solver, void *user, hn_state *state)
{
  (void)solver, (void)user, (void)state;
  return HN_CONVERGED;
}

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

int hn_halving_setup(hn_solver *solver, hn_halving *halving, hn_error *error)
{
  for (int level = 0; level < halving->limit; level++) {
    if (hn_solver_allocate(solver, error, HN_STATE(halving->start[level]))) return -1;
  }
  return 0;
}

/* Finds contacts and sets targets for a part of a step; the framework has done so for a whole step. */
static hn_reason begin_part(hn_solver *solver, int level, hn_state *state)
{
  return level > 0 ? hn_system_begin(solver->system, state) : HN_CONVERGED;
}

/* Takes STEP over h; if it stalls, restores STATE and takes two halves, down to the limit of levels. */
static hn_reason step_or_halve(hn_solver *solver, hn_halving *halving, int level, hn_state *state, double h,
                               hn_reason (*step)(hn_solver *, hn_state *, double))
{
  if (level == halving->limit) {
    hn_reason reason = begin_part(solver, level, state);
    return reason == HN_CONVERGED ? step(solver, state, h) : reason;
  }
  const int events = hn_events_count(solver);
  hn_state_copy(halving->start[level], state);
  hn_reason reason = begin_part(solver, level, state);
  if (reason == HN_CONVERGED) reason = step(solver, state, h);
  if (reason != HN_STALLED) return reason;
  hn_state_copy(state, halving->start[level]);
  hn_events_take_back(solver, events);
  solver->report.halvings++;
  reason = step_or_halve(solver, halving, level + 1, state, 0.5 * h, step);
  return reason == HN_CONVERGED ? step_or_halve(solver, halving, level + 1, state, 0.5 * h, step) : reason;
}

hn_reason hn_halving_step(hn_solver *solver, hn_halving *halving, hn_state *state, double h,
                          hn_reason (*step)(hn_solver *, hn_state *, double))
{
  return step_or_halve(solver, halving, 0, state, h, step);
}

static size_t block_size(const hn_block *block)
{
  return (size_t)block->n * (size_t)block->n;
}

int hn_blocks_create(hn_solver *solver, double ***block, hn_error *error)
{
  const hn_system *s = solver->system;
  const int njoint = s->model->njoint;
  double *next;
  size_t size = 9 * (size_t)(s->max_blocks - njoint); /* contacts have at most three rows */
  for (int k = 0; k < njoint; k++) size += block_size(&s->block[k]);
  if (hn_solver_allocate(solver, error, HN_ARRAY(*block, s->max_blocks), HN_ARRAY(next, size))) return -1;
  for (int k = 0; k < s->max_blocks; k++) {
    (*block)[k] = next;
    next += k < njoint ? block_size(&s->block[k]) : 9;
  }
  return 0;
}

void hn_block_add_projected(hn_system *s, const hn_block *block, double h, double *p, double *total)
{
  if (block->joint->set->kind == HN_ANY) {
    for (int r = 0; r < block->n; r++) total[r] += p[r];
    return;
  }
  double before[HN_MAX_ROWS];
  for (int r = 0; r < block->n; r++) before[r] = total[r], total[r] += p[r];
  hn_set_project(block->joint->set, block->n, h, total);
  for (int r = 0; r < block->n; r++) p[r] = total[r] - before[r];
  s->work.projections++;
}

/* Rotates the two tangential components of v[n] by the angle with the given cosine and sine. */
static void turn_tangents(int n, double cosine, double sine, double *v)
{
  if (n < 3) return;
  const double first = v[1], second = v[2];
  v[1] = cosine * first + sine * second, v[2] = cosine * second - sine * first;
}

void hn_block_solve_friction(hn_system *s, const hn_block *block, const double *K, const double *v, double *p,
                             double *total)
{
  const int n = block->n;
  double turn[2], velocity[3] = { 0 }, impulse[3] = { 0 };
  hn_local local;
  hn_local_prepare(&local, block->joint->set, n, K, turn);
  for (int r = 0; r < n; r++) velocity[r] = v[r], impulse[r] = total[r];
  turn_tangents(n, turn[0], turn[1], velocity), turn_tangents(n, turn[0], turn[1], impulse);
  hn_local_solve(&local, n, velocity, impulse);
  turn_tangents(n, turn[0], -turn[1], impulse);
  for (int r = 0; r < n; r++) p[r] = impulse[r] - total[r], total[r] = impulse[r];
  s->work.projections++;
}
