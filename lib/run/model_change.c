/* model_change.c - consequences of a change of the model for a run: state, events, new and broken joints.
 *
 * A joint added between moving bodies acts as an impact without restitution:
 *
 *   K p = -(G u + bias) in its rows, K p = 0 in the others,  u := u + W G' p */
#include "run/model_change.h"
#include "run/joint_response.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int hn_state_change_model(hn_state *state, const hn_model *model, hn_error *error)
{
  hn_state *next = hn_state_create(model);
  if (!next) return hn_fail(error, "out of memory");
  next->time = state->time;
  memcpy(next->pose, state->pose, sizeof *state->pose * (size_t)state->nbody);
  memcpy(next->twist, state->twist, sizeof *state->twist * (size_t)state->nbody);
  memcpy(next->input, state->input, sizeof *state->input * (size_t)state->ninput);
  for (int i = 0; i < state->nbody; i++)
    if (model->body[i].gone) next->twist[i] = (hn_twist){ .v = { 0 } };
  for (int i = 0; i < state->ncontact; i++) {
    const hn_contact *c = &state->contact[i];
    if (model->body[c->a].gone || model->body[c->b].gone || next->ncontact == next->max_contacts) continue;
    next->contact[next->ncontact++] = *c;
  }
  const hn_state old = *state;
  *state = *next, *next = old;
  hn_state_free(next);
  return 0;
}

/* ---- Events -------------------------------------------------------------------------------------------- */

/* Edits of a model share the name strings of their elements, so that addresses identify joints and forces. */
static bool has_joint(const hn_model *model, const char *name)
{
  for (int j = 0; j < model->njoint; j++)
    if (model->joint[j].name == name) return true;
  return false;
}

static bool has_force(const hn_model *model, const char *name)
{
  for (int f = 0; f < model->nforce; f++)
    if (model->force[f].name == name) return true;
  return false;
}

int hn_count_kept_joints(const hn_model *old, const hn_model *now)
{
  int count = 0;
  for (int j = 0; j < now->njoint; j++) count += has_joint(old, now->joint[j].name);
  return count;
}

static int add_event(hn_happened *happened, double time, hn_event_kind kind, int a, int b, const char *joint)
{
  hn_event event = hn_event_of(kind, time, a, b);
  event.joint = joint;
  return hn_happened_add(happened, &event, 1);
}

/* Adds an event for each joint and force of ONE that is not in OTHER. */
static int add_element_events(hn_happened *happened, const hn_model *one, const hn_model *other, double time,
                              hn_event_kind kind)
{
  int status = 0;
  for (const hn_joint *joint = one->joint; joint < one->joint + one->njoint; joint++)
    if (!has_joint(other, joint->name))
      status |= add_event(happened, time, kind, joint->a, joint->b, joint->name);
  for (const hn_force *f = one->force; f < one->force + one->nforce; f++)
    if (!has_force(other, f->name)) status |= add_event(happened, time, kind, f->rows.a, f->rows.b, f->name);
  return status;
}

int hn_model_change_events(hn_happened *happened, const hn_model *old, const hn_model *now, double time,
                           hn_error *error)
{
  int status = add_element_events(happened, old, now, time, HN_EVENT_REMOVED);
  for (int i = 0; i < old->nbody; i++)
    if (now->body[i].gone && !old->body[i].gone)
      status |= add_event(happened, time, HN_EVENT_REMOVED, 0, i, NULL);
  for (int i = old->nbody; i < now->nbody; i++)
    status |= add_event(happened, time, HN_EVENT_ADDED, 0, i, NULL);
  status |= add_element_events(happened, now, old, time, HN_EVENT_ADDED);
  return status ? hn_fail(error, "out of memory") : 0;
}

/* ---- Joints -------------------------------------------------------------------------------------------- */

/* Stops the rates of the joints from number FIRST on. P[nrow] is scratch. */
static hn_reason stop_rates(hn_system *s, int first, hn_state *state, double *p)
{
  hn_system_jacobian(s, state);
  hn_system_bias(s, state);
  hn_system_velocity_residual(s, state, p, NULL);
  const int row = s->model->joint[first].row;
  for (int i = 0; i < s->nrow; i++) p[i] = i >= row && hn_system_is_held(s, i) ? -p[i] : 0.0;
  return hn_joint_response(s, p, state);
}

int hn_joints_stop(const hn_model *model, int first, hn_state *state, hn_error *error)
{
  if (first == model->njoint) return 0;
  hn_system *s = hn_joint_response_create(model, error);
  double *p = s ? calloc((size_t)s->nrow + 1, sizeof *p) : NULL;
  int status = s ? 0 : -1;
  if (s && !p) status = hn_fail(error, "out of memory");
  const hn_reason reason = status == 0 ? stop_rates(s, first, state, p) : HN_CONVERGED;
  if (reason != HN_CONVERGED)
    status = hn_fail(error, "joint \"%.100s\" cannot be added: %s", model->joint[first].name,
                     hn_reason_name(reason));
  free(p);
  hn_system_free(s);
  return status;
}

/* Marks the joints for which the solver reported breakage within the step. Returns their number. */
static int mark_reported(const hn_happened *happened, const hn_model *model, bool *broken)
{
  int count = 0;
  for (int j = 0; j < model->njoint; j++) {
    broken[j] = false;
    for (int i = 0; i < happened->count && !broken[j]; i++)
      broken[j] = happened->event[i].kind == HN_EVENT_BROKEN &&
                  happened->event[i].joint == model->joint[j].name;
    count += broken[j];
  }
  return count;
}

int hn_joints_break(hn_happened *happened, const hn_solver *solver, const hn_state *state, bool *broken,
                    hn_error *error)
{
  const hn_model *model = solver->system->model;
  if (!(model->needs & HN_CAN_BREAK)) return 0;
  int count = mark_reported(happened, model, broken);
  for (int j = 0; j < model->njoint; j++) {
    const hn_joint *joint = &model->joint[j];
    double force, strain = hn_joint_load_ratio(joint, state, solver->multipliers + joint->row, &force);
    if (broken[j] || !(strain > 1.0)) continue;
    hn_event event = hn_event_of(HN_EVENT_BROKEN, state->time, joint->a, joint->b);
    event.joint = joint->name, event.force = force;
    if (hn_happened_add(happened, &event, 1)) return hn_fail(error, "out of memory");
    broken[j] = true, count++;
  }
  return count;
}
