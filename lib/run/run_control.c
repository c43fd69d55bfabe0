/* run_control.c - control: between two steps it sets inputs and changes velocities of bodies.
 *
 * A change of velocities du is an impulse. It is projected onto the joints, so that it does not change
 * their rates:
 *
 *   K p = -G du,  u := u + W G' p
 *
 * Contacts react in the next step. Their stored impulses are cleared, so that approaching bodies collide
 * there. */
#include "run/run_control.h"
#include "run/joint_response.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int hn_run_control_create(hn_run_control *control, const hn_model *model, const hn_run_options *options,
                          hn_error *error)
{
  *control = (hn_run_control){ .options = *options };
  if (!options->control) return 0;
  control->before = hn_state_create(model);
  return control->before ? 0 : hn_fail(error, "out of memory");
}

void hn_run_control_free(hn_run_control *control)
{
  hn_state_free(control->before);
  hn_happened_free(&control->last);
}

void hn_run_control_undo(const hn_run_control *control, hn_state *state)
{
  if (control->before) hn_state_copy(state, control->before);
}

/* ---- Inputs -------------------------------------------------------------------------------------------- */

/* Returns -1 if an input is not finite. */
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

void hn_state_apply_impulse(hn_state *state, const hn_model *model, int body, const double *at,
                            const double impulse[3], const double angular[3])
{
  const hn_body *b = &model->body[body];
  const hn_pose *pose = &state->pose[body];
  double moment[3], arm[3] = { 0 }, w_b[3], spin[3];
  if (at) vec_sub(arm, at, pose->x);
  vec_cross(moment, arm, impulse);
  vec_add(moment, moment, angular);
  quat_unrotate(w_b, pose->q, moment);
  for (int c = 0; c < 3; c++) w_b[c] *= b->inv_J[c];
  quat_rotate(spin, pose->q, w_b);
  vec_add_scaled(state->twist[body].v, b->inv_mass, impulse);
  vec_add(state->twist[body].w, state->twist[body].w, spin);
}

/* Returns the change of angular momentum about the centre of mass, N m s, for a change SPIN of the angular
 * velocity. */
static double angular_impulse(const hn_body *body, const hn_pose *pose, const double spin[3])
{
  double own[3];
  quat_unrotate(own, pose->q, spin);
  for (int c = 0; c < 3; c++) own[c] *= body->J[c];
  return vec_norm(own);
}

/* Adds an event for each body whose velocity control has changed. Returns -1 if it may not, or is not
 * finite. */
static int add_impulse_events(const hn_run_control *control, const hn_model *model, const hn_state *state,
                              hn_happened *happened, hn_error *error)
{
  for (int i = 0; i < state->nbody; i++) {
    const hn_twist *from = &control->before->twist[i], *to = &state->twist[i];
    double change[3], spin[3];
    if (memcmp(from, to, sizeof *from) == 0) continue;
    vec_sub(change, to->v, from->v);
    if (!all_finite(to->v, 3) || !all_finite(to->w, 3))
      return hn_fail(error, "control gives body \"%s\" a velocity that is not finite", model->body[i].name);
    if (model->body[i].kind == HN_FIXED)
      return hn_fail(error, "control moves body \"%s\", which is fixed", model->body[i].name);
    hn_event event = hn_event_of(HN_EVENT_IMPULSE, state->time, 0, i);
    event.impulse = model->body[i].mass * vec_norm(change);
    vec_sub(spin, to->w, from->w);
    event.angular = angular_impulse(&model->body[i], &state->pose[i], spin);
    if (hn_happened_add(happened, &event, 1)) return hn_fail(error, "out of memory");
  }
  return 0;
}

/* Projects the change of velocities onto the joints. */
static int project_change(const hn_run_control *control, hn_system *s, hn_state *state, hn_error *error)
{
  double *p = calloc((size_t)s->nrow + 1, sizeof *p), *v = calloc((size_t)s->nrow + 1, sizeof *v);
  int status = p && v ? 0 : hn_fail(error, "out of memory");
  hn_reason reason = HN_CONVERGED;
  if (status == 0) {
    hn_system_jacobian(s, state);
    hn_system_velocity_residual(s, control->before, v, NULL);
    hn_system_velocity_residual(s, state, p, NULL);
    for (int i = 0; i < s->nrow; i++) p[i] = hn_system_is_held(s, i) ? v[i] - p[i] : 0.0;
    reason = hn_joint_response(s, p, state);
  }
  free(p), free(v);
  if (reason != HN_CONVERGED)
    status = hn_fail(error, "joints cannot answer an impulse of control: %s", hn_reason_name(reason));
  return status;
}

/* Applies the consequences of a change of velocities: events, cleared contact impulses, response of the
 * joints. */
static int respond(hn_run_control *control, hn_solver *solver, hn_state *state, hn_happened *happened,
                   hn_error *error)
{
  const hn_model *model = solver->system->model;
  if (memcmp(control->before->twist, state->twist, sizeof *state->twist * (size_t)state->nbody) == 0)
    return 0;
  control->gave_impulse = true;
  if (solver->type->reset) solver->type->reset(solver);
  if (add_impulse_events(control, model, state, happened, error)) return -1;
  for (int i = 0; i < state->ncontact; i++)
    memset(state->contact[i].impulse, 0, sizeof state->contact[i].impulse);
  if (model->njoint == 0) return 0;
  hn_system *system = hn_joint_response_create(model, error);
  int status = system ? project_change(control, system, state, error) : -1;
  hn_system_free(system);
  return status;
}

/* ---- Control ------------------------------------------------------------------------------------------- */

int hn_run_control_call(hn_run_control *control, hn_solver *solver, hn_state *state, hn_happened *happened,
                        hn_model **changed, hn_error *error)
{
  const hn_model *model = solver->system->model;
  const hn_happened last = control->last;
  *changed = NULL;
  control->last = *happened, *happened = last;
  hn_happened_forget(happened);
  if (!control->options.control) return 0;
  hn_state_copy(control->before, state);
  hn_control_context moment = { state, model, control->last.event, control->last.count, NULL };
  int status = control->options.control(control->options.controller, &moment, error);
  if (status == 0) status = check_inputs(model, state, error);
  if (status == 0) status = respond(control, solver, state, happened, error);
  if (status == 0) *changed = moment.changed;
  else hn_model_free(moment.changed);
  return status;
}
