/* bears.c - joints that break: when one has more force than it bears.
 *
 *   spare = 1 - max(|force| / breaks_at, |torque| / breaks_torque)
 *
 * is a smooth function of the motion, by the multipliers of its equations, and a joint breaks at its root.
 * From there on to the end of the step the joint and what stands beside it are not there; then whoever
 * steps takes them out of the model. An impact has an impulse and no force: no joint breaks by it, but one
 * may by the forces after it. */
#include "events/bears.h"
#include "events/gap_monitor.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double rounding = 1e-13; /* of what it bears: as much more is not more */
static const double root = 1e-10;     /* likewise: where the root was found it has no more to spare */
static const double ahead = 1e-5;     /* of a step: over so much of it rates are taken */

int hn_bears_setup(hn_solver *solver, hn_bears *b, hn_error *error)
{
  const hn_model *model = solver->system->model;
  const size_t joints = (size_t)model->njoint + 1;
  b->joint = calloc(joints, sizeof *b->joint), b->gone = calloc(joints, sizeof *b->gone);
  b->yields = calloc(joints, sizeof *b->yields);
  double **const array[] = { &b->spare, &b->force, &b->first, &b->first_rate, &b->last, &b->last_rate };
  bool made = true;
  for (size_t i = 0; i < sizeof array / sizeof *array; i++)
    made &= (*array[i] = calloc(joints, sizeof(double))) != NULL;
  b->ahead = hn_state_create(model);
  b->acceleration = calloc((size_t)model->nbody, sizeof *b->acceleration);
  for (int j = 0; b->joint && j < model->njoint; j++) {
    const hn_joint_more *more = model->joint[j].more;
    if (more && (more->breaks_at > 0.0 || more->breaks_torque > 0.0)) b->joint[b->count++] = j;
  }
  made &= b->joint && b->gone && b->yields && b->ahead && b->acceleration;
  return made ? 0 : hn_fail(error, "out of memory");
}

void hn_bears_free(hn_bears *b)
{
  free(b->joint), free(b->gone), free(b->yields);
  free(b->spare), free(b->force), free(b->first), free(b->first_rate), free(b->last), free(b->last_rate);
  hn_state_free(b->ahead);
  free(b->acceleration);
}

/* What is left to each at STATE, in MODE. */
static hn_reason measure(hn_bears *b, const hn_model *model, hn_mode *mode, const hn_state *state)
{
  hn_reason reason = hn_mode_accelerate(mode, state, NULL, b->acceleration);
  for (int i = 0; i < b->count && reason == HN_CONVERGED; i++) {
    const hn_joint *joint = &model->joint[b->joint[i]];
    double multipliers[HN_MAX_ROWS];
    hn_mode_forces(mode, model, b->joint[i], multipliers);
    b->spare[i] = b->gone[b->joint[i]] ? 1.0 : 1.0 - hn_joint_strain(joint, state, multipliers, &b->force[i]);
  }
  return reason;
}

/* Into RATE[count] how fast that changes from STATE on, where it was measured last: by what it is DT
 * later. */
static hn_reason find_rates(hn_bears *b, const hn_system *s, hn_mode *mode, const hn_state *state, double dt,
                            double *rate)
{
  hn_state_copy_motion(b->ahead, state);
  memcpy(b->ahead->input, state->input, sizeof *state->input * (size_t)state->ninput);
  memcpy(rate, b->spare, sizeof *rate * (size_t)b->count);
  for (int i = 1; i < state->nbody; i++) {
    vec_add_scaled(b->ahead->twist[i].v, dt, b->acceleration[i].v);
    vec_add_scaled(b->ahead->twist[i].w, dt, b->acceleration[i].w);
  }
  hn_system_move(s, state->twist, dt, b->ahead);
  b->ahead->time += dt;
  hn_reason reason = measure(b, s->model, mode, b->ahead);
  for (int i = 0; i < b->count; i++) rate[i] = (b->spare[i] - rate[i]) / dt;
  return reason;
}

/* Where between two states, H apart, a joint that has some to spare at both may have had none: by cubics. */
static hn_reason look_between(hn_bears *b, const hn_system *s, hn_mode *mode, const hn_state *from,
                              const hn_state *state, double h, double *earlier)
{
  const size_t size = sizeof *b->spare * (size_t)b->count;
  memcpy(b->last, b->spare, size);
  hn_reason reason = find_rates(b, s, mode, state, ahead * h, b->last_rate);
  if (reason == HN_CONVERGED) reason = measure(b, s->model, mode, from);
  memcpy(b->first, b->spare, size);
  if (reason == HN_CONVERGED) reason = find_rates(b, s, mode, from, ahead * h, b->first_rate);
  for (int i = 0; i < b->count && *earlier == 0.0 && reason == HN_CONVERGED; i++)
    *earlier = hn_watch_dip(b->first[i], b->first_rate[i], b->last[i], b->last_rate[i], h);
  memcpy(b->spare, b->last, size);
  return reason;
}

hn_reason hn_bears_look(hn_bears *b, const hn_system *s, hn_mode *mode, const hn_state *from,
                        const hn_state *state, double h, double *least, double *earlier)
{
  *least = HUGE_VAL;
  if (b->count == 0) return HN_CONVERGED;
  hn_reason reason = measure(b, s->model, mode, state);
  if (reason != HN_CONVERGED) return reason;
  for (int i = 0; i < b->count; i++)
    *least = fmin(*least, b->yields[i] ? b->spare[i] : b->spare[i] + rounding);
  const bool between = earlier && *earlier == 0.0 && *least >= 0.0;
  return between ? look_between(b, s, mode, from, state, h, earlier) : reason;
}

void hn_bears_note(hn_bears *b)
{
  for (int i = 0; i < b->count; i++) b->yields[i] = b->spare[i] < -rounding;
}

/* Joint number I of those that can breaks at STATE. */
static void let_break(hn_solver *solver, hn_bears *b, int i, const hn_state *state)
{
  const hn_model *model = solver->system->model;
  const int j = b->joint[i];
  hn_events_broken(solver, j, state->time, b->force[i]);
  b->gone[j] = true;
  for (int k = j + 1; k < model->njoint; k++)
    b->gone[k] |= hn_joint_is_beside(&model->joint[j], &model->joint[k]);
}

hn_reason hn_bears_settle(hn_solver *solver, hn_bears *b, hn_mode *mode, const hn_state *state, bool *broke)
{
  *broke = false;
  if (b->count == 0) return HN_CONVERGED;
  hn_reason reason = measure(b, solver->system->model, mode, state);
  if (reason != HN_CONVERGED)
    return hn_step_failed(solver, reason, "forces of joints that can break", -1, 0.0);
  for (int i = 0; i < b->count; i++) {
    const bool breaks = b->spare[i] < -rounding || (b->yields[i] && b->spare[i] <= root);
    b->yields[i] = false;
    if (breaks) let_break(solver, b, i, state);
    *broke |= breaks;
  }
  return HN_CONVERGED;
}
