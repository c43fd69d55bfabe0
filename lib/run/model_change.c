/* model_change.c - what a change of the model means for a run: the state goes on in it, and what comes,
 * goes and breaks is told.
 *
 * A joint that is put between bodies in motion stops what it does not let, in the mass metric: K p = -(G
 * u + bias) in its rows and 0 in those of the others, u := u + W G' p. */
#include "run/model_change.h"
#include "run/joint_response.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int hn_state_follow(hn_state *state, const hn_model *model, hn_error *error)
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
    if (model->body[c->a].gone || model->body[c->b].gone || next->ncontact == next->most_contacts) continue;
    next->contact[next->ncontact++] = *c;
  }
  const hn_state old = *state;
  *state = *next, *next = old;
  hn_state_free(next);
  return 0;
}

/* ---- What comes and goes ------------------------------------------------------------------------------- */

/* A joint, or what a force measures, is known by its name, which is nobody else's. */
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

int hn_joints_kept(const hn_model *old, const hn_model *now)
{
  int count = 0;
  for (int j = 0; j < now->njoint; j++) count += has_joint(old, now->joint[j].name);
  return count;
}

static int tell(hn_happened *happened, double time, hn_event_kind kind, int a, int b, const char *joint)
{
  hn_event event = hn_event_of(kind, time, a, b);
  event.joint = joint;
  return hn_happened_add(happened, &event, 1);
}

/* Joints and forces of ONE that OTHER has not. */
static int tell_elements(hn_happened *happened, const hn_model *one, const hn_model *other, double time,
                         hn_event_kind kind)
{
  int status = 0;
  for (const hn_joint *joint = one->joint; joint < one->joint + one->njoint; joint++)
    if (!has_joint(other, joint->name)) status |= tell(happened, time, kind, joint->a, joint->b, joint->name);
  for (const hn_force *f = one->force; f < one->force + one->nforce; f++)
    if (!has_force(other, f->name)) status |= tell(happened, time, kind, f->rows.a, f->rows.b, f->name);
  return status;
}

int hn_change_tell(hn_happened *happened, const hn_model *old, const hn_model *now, double time,
                   hn_error *error)
{
  int status = tell_elements(happened, old, now, time, HN_EVENT_REMOVED);
  for (int i = 0; i < old->nbody; i++)
    if (now->body[i].gone && !old->body[i].gone) status |= tell(happened, time, HN_EVENT_REMOVED, 0, i, NULL);
  for (int i = old->nbody; i < now->nbody; i++) status |= tell(happened, time, HN_EVENT_ADDED, 0, i, NULL);
  status |= tell_elements(happened, now, old, time, HN_EVENT_ADDED);
  return status ? hn_fail(error, "out of memory") : 0;
}

/* ---- Joints -------------------------------------------------------------------------------------------- */

static hn_reason catch_with(hn_system *s, int first, hn_state *state, double *p)
{
  hn_system_jacobian(s, state);
  hn_system_bias(s, state);
  hn_system_velocity_residual(s, state, p, NULL);
  const int row = s->model->joint[first].row;
  for (int i = 0; i < s->nrow; i++) p[i] = i >= row && s->held[i] ? -p[i] : 0.0;
  return hn_answer(s, p, state);
}

int hn_joints_catch(const hn_model *model, int first, hn_state *state, hn_error *error)
{
  if (first == model->njoint) return 0;
  hn_system *s = hn_answer_create(model, error);
  double *p = s ? calloc((size_t)s->nrow + 1, sizeof *p) : NULL;
  int status = s ? 0 : -1;
  if (s && !p) status = hn_fail(error, "out of memory");
  const hn_reason reason = status == 0 ? catch_with(s, first, state, p) : HN_CONVERGED;
  if (reason != HN_CONVERGED)
    status = hn_fail(error, "joint \"%.100s\" cannot be added: %s", model->joint[first].name,
                     hn_reason_name(reason));
  free(p);
  hn_system_free(s);
  return status;
}

/* Those that the solver has found to break on the way are gone before the end. */
static int note_told(const hn_happened *happened, const hn_model *model, bool *broken)
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
  int count = note_told(happened, model, broken);
  for (int j = 0; j < model->njoint; j++) {
    const hn_joint *joint = &model->joint[j];
    double force, strain = hn_joint_strain(joint, state, solver->multipliers + joint->row, &force);
    if (broken[j] || !(strain > 1.0)) continue;
    hn_event event = hn_event_of(HN_EVENT_BROKEN, state->time, joint->a, joint->b);
    event.joint = joint->name, event.force = force;
    if (hn_happened_add(happened, &event, 1)) return hn_fail(error, "out of memory");
    broken[j] = true, count++;
  }
  return count;
}
