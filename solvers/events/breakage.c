/* breakage.c - joints that break at their breakage loads.
 *
 *   margin = 1 - max(|force| / breaks_at, |torque| / breaks_torque)
 *
 * is an event function. It is smooth because the multipliers of the equations are, and a joint breaks at its
 * root. To the end of the step the joint and the elements beside it are inactive; the run then removes them
 * from the model. An impact has an impulse but no finite force: joints break by the forces after it, not by
 * the impact. */
#include "events/breakage.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double rounding = 1e-13; /* margins above minus this are not negative */
static const double root = 1e-10;     /* margins up to this are zero where a root was found */
static const double ahead = 1e-5; /* difference quotients of rates: their time, as a fraction of the motion */

int hn_breakage_setup(const hn_model *model, hn_breakage *b, hn_error *error)
{
  const size_t joints = (size_t)model->njoint;
  if (!(b->ahead = hn_state_create(model))) return hn_fail(error, "out of memory");
  if (hn_arrays_allocate(&b->arrays, error, HN_ARRAY(b->joint, joints), HN_ARRAY(b->gone, joints),
                         HN_ARRAY(b->yields, joints), HN_ARRAY(b->margin, joints), HN_ARRAY(b->force, joints),
                         HN_ARRAY(b->rate, joints), HN_ARRAY(b->acceleration, model->nbody)))
    return -1;
  for (int j = 0; j < model->njoint; j++) {
    const hn_joint_extras *more = model->joint[j].more;
    if (more && (more->breaks_at > 0.0 || more->breaks_torque > 0.0)) b->joint[b->count++] = j;
  }
  return 0;
}

void hn_breakage_free(hn_breakage *b)
{
  hn_state_free(b->ahead);
  hn_arrays_free(&b->arrays);
}

/* Computes the margins and loads at STATE, in MODE. */
static hn_reason measure(hn_breakage *b, const hn_model *model, hn_mode *mode, const hn_state *state)
{
  hn_reason reason = hn_mode_accelerate(mode, state, NULL, b->acceleration);
  for (int i = 0; i < b->count && reason == HN_CONVERGED; i++) {
    const hn_joint *joint = &model->joint[b->joint[i]];
    double multipliers[HN_MAX_ROWS];
    hn_mode_forces(mode, model, b->joint[i], multipliers);
    b->margin[i] = b->gone[b->joint[i]] ? 1.0
                                        : 1.0 - hn_joint_load_ratio(joint, state, multipliers, &b->force[i]);
  }
  return reason;
}

/* Computes RATE[count], the rates of the margins at STATE, as difference quotients over DT. The margins were
 * evaluated last at STATE. */
static hn_reason find_rates(hn_breakage *b, const hn_system *s, hn_mode *mode, const hn_state *state,
                            double dt, double *rate)
{
  hn_state_copy_motion(b->ahead, state);
  memcpy(b->ahead->input, state->input, sizeof *state->input * (size_t)state->ninput);
  memcpy(rate, b->margin, sizeof *rate * (size_t)b->count);
  for (int i = 1; i < state->nbody; i++) {
    vec_add_scaled(b->ahead->twist[i].v, dt, b->acceleration[i].v);
    vec_add_scaled(b->ahead->twist[i].w, dt, b->acceleration[i].w);
  }
  hn_system_move(s, state->twist, dt, b->ahead);
  b->ahead->time += dt;
  hn_reason reason = measure(b, s->model, mode, b->ahead);
  for (int i = 0; i < b->count; i++) rate[i] = (b->margin[i] - rate[i]) / dt;
  return reason;
}

/* Computes the rates of the margins at STATE and at FROM, H earlier, for the event functions F[count]. */
static hn_reason list_rates(hn_breakage *b, const hn_system *s, hn_mode *mode, const hn_state *from,
                            const hn_state *state, double h, hn_event_function *f)
{
  hn_reason reason = find_rates(b, s, mode, state, ahead * h, b->rate);
  for (int i = 0; i < b->count; i++) f[i].rate = b->rate[i];
  if (reason == HN_CONVERGED) reason = measure(b, s->model, mode, from);
  for (int i = 0; i < b->count; i++) f[i].first = b->margin[i] + rounding;
  if (reason == HN_CONVERGED) reason = find_rates(b, s, mode, from, ahead * h, b->rate);
  for (int i = 0; i < b->count; i++) f[i].first_rate = b->rate[i];
  return reason;
}

hn_reason hn_breakage_list(hn_breakage *b, const hn_system *s, hn_mode *mode, const hn_state *from,
                           const hn_state *state, double h, bool rates, hn_event_list *list)
{
  if (b->count == 0) return HN_CONVERGED;
  hn_reason reason = measure(b, s->model, mode, state);
  if (reason != HN_CONVERGED) return reason;
  hn_event_function *f = list->function + list->count;
  for (int i = 0; i < b->count; i++) {
    if (rates) b->yields[i] = b->margin[i] < -rounding;
    const double value = b->yields[i] ? b->margin[i] : b->margin[i] + rounding;
    hn_event_list_add(list, HN_FUNCTION_BREAKAGE, (uint64_t)b->joint[i], value);
  }
  for (int i = 0; i < b->count; i++) rates &= !b->yields[i];
  return rates ? list_rates(b, s, mode, from, state, h, f) : reason;
}

/* Breaks entry I of the list of joints that can break, at STATE. */
static void break_joint(hn_solver *solver, hn_breakage *b, int i, const hn_state *state)
{
  const hn_model *model = solver->system->model;
  const int j = b->joint[i];
  hn_events_broken(solver, j, state->time, b->force[i]);
  b->gone[j] = true;
  for (int k = j + 1; k < model->njoint; k++)
    b->gone[k] |= hn_joint_is_companion(&model->joint[j], &model->joint[k]);
}

hn_reason hn_breakage_apply(hn_solver *solver, hn_breakage *b, hn_mode *mode, const hn_state *state,
                            bool at_root, bool *broke)
{
  *broke = false;
  if (b->count == 0) return HN_CONVERGED;
  hn_reason reason = measure(b, solver->system->model, mode, state);
  if (reason != HN_CONVERGED)
    return hn_step_failed(solver, reason, "forces of joints that can break", -1, 0.0);
  for (int i = 0; i < b->count; i++) {
    const bool breaks = b->margin[i] < -rounding || (at_root && b->margin[i] <= root);
    if (breaks) break_joint(solver, b, i, state);
    *broke |= breaks;
  }
  return HN_CONVERGED;
}
