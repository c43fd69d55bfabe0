/* run_control.c - control: between two steps it sets inputs, and gives bodies impulses.
 *
 * An impulse is a change of velocities by control. Of it joints take at once what they hold, whatever their
 * rates were before:  K p = -G du,  u := u + W G' p. What bodies touch is for the step that follows: contacts
 * forget the impulses that they had, so that what closes now strikes. */
#include "run/run_control.h"
#include "run/joint_response.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int hn_steer_create(hn_steer *steer, const hn_model *model, const hn_run_options *options, hn_error *error)
{
  *steer = (hn_steer){ .options = *options };
  if (!options->control) return 0;
  steer->before = hn_state_create(model);
  return steer->before ? 0 : hn_fail(error, "out of memory");
}

void hn_steer_free(hn_steer *steer)
{
  hn_state_free(steer->before);
  hn_happened_free(&steer->last);
}

void hn_steer_back(const hn_steer *steer, hn_state *state)
{
  if (steer->before) hn_state_copy(state, steer->before);
}

/* ---- Inputs -------------------------------------------------------------------------------------------- */

static int check_inputs(const hn_model *model, const hn_state *state, hn_error *error)
{
  for (const hn_joint *joint = model->joint; joint < model->joint + model->njoint; joint++)
    if (joint->input >= 0 && !isfinite(state->input[joint->input]))
      return hn_fail(error, "control sets the input of joint \"%s\" to a value that is not finite",
                     joint->name);
  for (const hn_force *force = model->force; force < model->force + model->nforce; force++)
    for (int i = 0; i < force->type->inputs; i++)
      if (!isfinite(state->input[force->input + i]))
        return hn_fail(error, "control sets an input of force \"%s\" to a value that is not finite",
                       force->name);
  return 0;
}

/* ---- Impulses ------------------------------------------------------------------------------------------ */

void hn_state_strike(hn_state *state, const hn_model *model, int body, const double *at,
                     const double impulse[3], const double angular[3])
{
  const hn_body *of = &model->body[body];
  const hn_pose *pose = &state->pose[body];
  double turn[3], arm[3] = { 0 }, own[3], spin[3];
  if (at) vec_sub(arm, at, pose->x);
  vec_cross(turn, arm, impulse);
  vec_add(turn, turn, angular);
  quat_unrotate(own, pose->q, turn);
  for (int c = 0; c < 3; c++) own[c] *= of->inv_J[c];
  quat_rotate(spin, pose->q, own);
  vec_add_scaled(state->twist[body].v, of->inv_mass, impulse);
  vec_add(state->twist[body].w, state->twist[body].w, spin);
}

/* The change of angular momentum about its middle, N m s, of a body that turns by SPIN more. */
static double angular_of(const hn_body *body, const hn_pose *pose, const double spin[3])
{
  double own[3];
  quat_unrotate(own, pose->q, spin);
  for (int c = 0; c < 3; c++) own[c] *= body->J[c];
  return vec_norm(own);
}

static bool moved(const hn_twist *before, const hn_twist *after)
{
  return memcmp(before, after, sizeof *before) != 0;
}

/* What control has given each body is an event. */
static int tell_impulses(const hn_steer *steer, const hn_model *model, const hn_state *state,
                         hn_happened *happened, hn_error *error)
{
  for (int i = 0; i < state->nbody; i++) {
    const hn_twist *from = &steer->before->twist[i], *to = &state->twist[i];
    double change[3], spin[3];
    if (!moved(from, to)) continue;
    vec_sub(change, to->v, from->v);
    if (!all_finite(to->v, 3) || !all_finite(to->w, 3))
      return hn_fail(error, "control gives body \"%s\" a velocity that is not finite", model->body[i].name);
    if (model->body[i].kind == HN_FIXED)
      return hn_fail(error, "control moves body \"%s\", which is fixed", model->body[i].name);
    hn_event event = hn_event_of(HN_EVENT_IMPULSE, state->time, 0, i);
    event.impulse = model->body[i].mass * vec_norm(change);
    vec_sub(spin, to->w, from->w);
    event.angular = angular_of(&model->body[i], &state->pose[i], spin);
    if (hn_happened_add(happened, &event, 1)) return hn_fail(error, "out of memory");
  }
  return 0;
}

/* Joints hold back what they can of the change of velocities. */
static int hold_back(const hn_steer *steer, hn_system *s, hn_state *state, hn_error *error)
{
  double *p = calloc((size_t)s->nrow + 1, sizeof *p), *v = calloc((size_t)s->nrow + 1, sizeof *v);
  int status = p && v ? 0 : hn_fail(error, "out of memory");
  hn_reason reason = HN_CONVERGED;
  if (status == 0) {
    hn_system_jacobian(s, state);
    hn_system_velocity_residual(s, steer->before, v, NULL);
    hn_system_velocity_residual(s, state, p, NULL);
    for (int i = 0; i < s->nrow; i++) p[i] = s->held[i] ? v[i] - p[i] : 0.0;
    reason = hn_answer(s, p, state);
  }
  free(p), free(v);
  if (reason != HN_CONVERGED)
    status = hn_fail(error, "joints cannot answer an impulse of control: %s", hn_reason_name(reason));
  return status;
}

static int answer(hn_steer *steer, hn_solver *solver, hn_state *state, hn_happened *happened, hn_error *error)
{
  const hn_model *model = solver->system->model;
  if (memcmp(steer->before->twist, state->twist, sizeof *state->twist * (size_t)state->nbody) == 0) return 0;
  steer->pushed = true;
  if (solver->type->reset) solver->type->reset(solver);
  if (tell_impulses(steer, model, state, happened, error)) return -1;
  for (int i = 0; i < state->ncontact; i++)
    memset(state->contact[i].impulse, 0, sizeof state->contact[i].impulse);
  if (model->njoint == 0) return 0;
  hn_system *system = hn_answer_create(model, error);
  int status = system ? hold_back(steer, system, state, error) : -1;
  hn_system_free(system);
  return status;
}

/* ---- Control ------------------------------------------------------------------------------------------- */

int hn_steer_ask(hn_steer *steer, hn_solver *solver, hn_state *state, hn_happened *happened,
                 hn_model **changed, hn_error *error)
{
  const hn_model *model = solver->system->model;
  const hn_happened last = steer->last;
  *changed = NULL;
  steer->last = *happened, *happened = last;
  hn_happened_forget(happened);
  if (!steer->options.control) return 0;
  hn_state_copy(steer->before, state);
  hn_moment moment = { state, model, steer->last.event, steer->last.count, NULL };
  int status = steer->options.control(steer->options.controller, &moment, error);
  if (status == 0) status = check_inputs(model, state, error);
  if (status == 0) status = answer(steer, solver, state, happened, error);
  if (status == 0) *changed = moment.changed;
  else hn_model_free(moment.changed);
  return status;
}
