/* correction.c - what the impulse methods share. */
#include "impulse/correction.h"
#include "contact/local_coulomb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

unsigned hn_capabilities_left(unsigned capabilities, bool velocity_correction, bool to_tolerance,
                              const hn_flight_options *flight)
{
  const unsigned at_ends = HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE | HN_CAN_CHANGE | HN_CAN_BOUNCE |
                           HN_CAN_VELOCITY;
  if (!velocity_correction) capabilities &= ~at_ends;
  if (!to_tolerance || flight->kind != HN_EXACT) capabilities &= ~(unsigned)HN_KEEPS_MOMENTUM;
  return capabilities;
}

bool hn_same_poses(const hn_state *state, const hn_pose *poses)
{
  return memcmp(state->pose, poses, sizeof *poses * (size_t)state->nbody) == 0;
}

int hn_prepared_setup(hn_prepared *kept, hn_system *system, hn_error *error)
{
  const hn_model *model = system->model;
  kept->system = system;
  kept->pose = calloc((size_t)model->nbody, sizeof *kept->pose);
  kept->input = calloc((size_t)model->ninput + 1, sizeof *kept->input);
  for (const hn_joint *joint = model->joint; joint < model->joint + model->njoint; joint++)
    kept->driven |= joint->type->keys & HN_KEY_MOTION || joint->input >= 0;
  return kept->pose && kept->input ? 0 : hn_fail(error, "out of memory");
}

void hn_prepared_free(hn_prepared *kept)
{
  free(kept->pose), free(kept->input);
}

/* What biases depend on. */
static void keep_drive(hn_prepared *kept, const hn_state *state)
{
  memcpy(kept->input, state->input, sizeof *kept->input * (size_t)state->ninput);
  kept->time = state->time;
}

static bool same_drive(const hn_prepared *kept, const hn_state *state)
{
  return state->time == kept->time &&
         memcmp(kept->input, state->input, sizeof *kept->input * (size_t)state->ninput) == 0;
}

void hn_prepared_keep(hn_prepared *kept, const hn_state *state)
{
  memcpy(kept->pose, state->pose, sizeof *kept->pose * (size_t)state->nbody);
  keep_drive(kept, state);
  kept->listing = kept->system->listing;
  kept->valid = true;
}

bool hn_prepared_at(hn_prepared *kept, const hn_state *state)
{
  if (!kept->valid || kept->listing != kept->system->listing || !hn_same_poses(state, kept->pose))
    return false;
  if (kept->driven && !same_drive(kept, state)) {
    hn_system_bias(kept->system, state);
    keep_drive(kept, state);
  }
  return true;
}

int hn_halving_setup(hn_solver *solver, hn_halving *halving, hn_error *error)
{
  for (int level = 0; level < halving->limit; level++) {
    halving->given[level] = hn_state_create(solver->system->model);
    if (!halving->given[level]) return hn_fail(error, "out of memory");
  }
  return 0;
}

void hn_halving_free(hn_halving *halving)
{
  for (int level = 0; level < HN_MAX_HALVINGS; level++) hn_state_free(halving->given[level]);
}

/* What the framework has done for the whole step. */
static hn_reason begin_part(hn_solver *solver, int level, hn_state *state)
{
  return level > 0 ? hn_system_begin(solver->system, state) : HN_CONVERGED;
}

static hn_reason divide(hn_solver *solver, hn_halving *halving, int level, hn_state *state, double h,
                        hn_reason (*whole)(hn_solver *, hn_state *, double))
{
  if (level == halving->limit) {
    hn_reason reason = begin_part(solver, level, state);
    return reason == HN_CONVERGED ? whole(solver, state, h) : reason;
  }
  const int events = hn_events_count(solver);
  hn_state_copy(halving->given[level], state);
  hn_reason reason = begin_part(solver, level, state);
  if (reason == HN_CONVERGED) reason = whole(solver, state, h);
  if (reason != HN_STALLED) return reason;
  hn_state_copy(state, halving->given[level]);
  hn_events_take_back(solver, events);
  solver->report.halvings++;
  reason = divide(solver, halving, level + 1, state, 0.5 * h, whole);
  return reason == HN_CONVERGED ? divide(solver, halving, level + 1, state, 0.5 * h, whole) : reason;
}

hn_reason hn_halving_step(hn_solver *solver, hn_halving *halving, hn_state *state, double h,
                          hn_reason (*whole)(hn_solver *, hn_state *, double))
{
  return divide(solver, halving, 0, state, h, whole);
}

static size_t block_size(const hn_block *block)
{
  return (size_t)block->n * (size_t)block->n;
}

double **hn_blocks_create(const hn_system *s)
{
  const int njoint = s->model->njoint;
  size_t size = 9 * (size_t)(s->most_blocks - njoint); /* contacts, of up to three rows */
  for (int k = 0; k < njoint; k++) size += block_size(&s->block[k]);
  double **block = calloc((size_t)s->most_blocks + 1, sizeof *block);
  double *next = calloc(size + 1, sizeof *next);
  if (!block || !next) {
    free(block);
    free(next);
    return NULL;
  }
  block[0] = next; /* also without joints: what is freed */
  for (int k = 0; k < s->most_blocks; k++) {
    block[k] = next;
    next += k < njoint ? block_size(&s->block[k]) : 9;
  }
  return block;
}

void hn_blocks_free(double **block)
{
  if (block) free(block[0]);
  free(block);
}

void hn_block_confine(hn_system *s, const hn_block *block, double h, double *p, double *total)
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

/* Tangents of v[n] into those of TURN, or back by its opposite. */
static void turn_tangents(int n, double c, double sine, double *v)
{
  if (n < 3) return;
  const double one = v[1], two = v[2];
  v[1] = c * one + sine * two, v[2] = c * two - sine * one;
}

void hn_block_touch(hn_system *s, const hn_block *block, const double *K, const double *v, double *p,
                    double *total)
{
  const int n = block->n;
  double turn[2], at[3] = { 0 }, now[3] = { 0 };
  hn_local local;
  hn_local_prepare(&local, block->joint->set, n, K, turn);
  for (int r = 0; r < n; r++) at[r] = v[r], now[r] = total[r];
  turn_tangents(n, turn[0], turn[1], at), turn_tangents(n, turn[0], turn[1], now);
  hn_local_solve(&local, n, at, now);
  turn_tangents(n, turn[0], -turn[1], now);
  for (int r = 0; r < n; r++) p[r] = now[r] - total[r], total[r] = now[r];
  s->work.projections++;
}
