/* mode.c - the smooth motion between events: a model of what is an equation, and of the forces that are known.
 *
 * Bodies, forces and joints are those of the scene; its limits and bounded forces are joints of it, forces, or not
 * there, and so are its contacts. Any method that can do joints moves it, and knows nothing of contact. Models that
 * have been put together are kept, for bodies come back to what they did. */
#include "events/events.h"
#include "events/known.h"
#include "base/rates.h"
#include "part/multipliers.h"
#include "system/contact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 12 };

struct hn_mode {
  hn_model model;
  hn_block_role *role;       /* [nblock] what it was made for, */
  uint64_t *key;             /* [nblock] of which blocks */
  int nblock;
  hn_given *given;           /* [ngiven] forces that are known, of most_blocks */
  int ngiven;
  hn_known *known;           /* they, as the model has them */
  hn_more_forces more;
  hn_contact *contact;       /* [most_contacts] those that are in it */
  hn_joint *stick;           /* [most_contacts] slips of what slides */
  hn_solver *solver;
  hn_system *system;         /* for its accelerations */
  hn_state *state, *motion;
  double *right;             /* [nrow] */
  uint64_t used;
};

struct hn_modes {
  hn_solver *solver;         /* of the scene */
  char *spec;
  hn_mode *kept[KEPT];
  uint64_t used;
};

static const hn_set equation = { .kind = HN_ANY };

hn_modes *hn_modes_create(hn_solver *solver, const char *spec, hn_error *error)
{
  hn_modes *m = calloc(1, sizeof *m);
  if (m) m->solver = solver, m->spec = strdup(spec);
  if (m && m->spec) return m;
  hn_modes_free(m);
  hn_fail(error, "out of memory");
  return NULL;
}

static void drop(hn_mode *mode)
{
  if (!mode) return;
  hn_solver_free(mode->solver), hn_system_free(mode->system);
  hn_state_free(mode->state), hn_state_free(mode->motion);
  hn_known_free(mode->known);
  free(mode->model.joint), free(mode->given);
  free(mode->role), free(mode->key), free(mode->contact), free(mode->stick), free(mode->right);
  free(mode);
}

void hn_modes_forget(hn_modes *m)
{
  for (int i = 0; i < KEPT; i++) drop(m->kept[i]), m->kept[i] = NULL;
}

void hn_modes_free(hn_modes *m)
{
  if (!m) return;
  hn_modes_forget(m);
  free(m->spec);
  free(m);
}

/* ---- Putting it together ----------------------------------------------------------------------------------------- */

static void add_joint(hn_mode *mode, const hn_joint *joint)
{
  hn_joint *added = &mode->model.joint[mode->model.njoint++];
  *added = *joint;
  added->set = &equation;
  added->row = mode->model.nrow;
  mode->model.nrow += joint->type->rows;
  if (joint->type->velocity) mode->model.needs |= HN_CAN_VELOCITY;
}

static void add_known(hn_mode *mode, const hn_given *known)
{
  mode->model.needs |= HN_CAN_MORE, mode->model.more = &mode->more;
  mode->given[mode->ngiven++] = *known;
}

static void add_contact(hn_mode *mode, int i, const hn_joint *joint, const hn_block_role *role)
{
  const hn_contact *contact = &mode->contact[i];
  const bool planar = mode->model.planar;
  int normal = -1;
  if (role->gap) {
    const hn_joint gap = hn_touching_gap(contact);
    normal = mode->model.njoint;
    add_joint(mode, &gap);
  }
  if (role->stick) {
    const hn_joint stick = hn_touching_stick(contact, planar, role->stick);
    add_joint(mode, &stick);
  }
  if (role->role != HN_ROLE_SLIDES || !role->gap) return;
  mode->stick[i] = hn_touching_stick(contact, planar, 3);
  hn_given known = { .joint = &mode->stick[i], .normal = normal, .mu = joint->set->mu };
  memcpy(known.along, role->along, sizeof known.along);
  add_known(mode, &known);
}

/* Joints, forces and contacts of the system by their roles. */
static void put_together(hn_mode *mode, const hn_system *s, const hn_block_role *role)
{
  mode->model.njoint = mode->model.nrow = mode->ngiven = 0;
  mode->model.needs = 0, mode->model.more = NULL;
  for (int k = 0; k < s->nblock; k++) {
    const hn_joint *joint = s->block[k].joint;
    const hn_role r = role[k].role;
    if (k >= s->model->njoint) {
      mode->contact[k - s->model->njoint] = *(const hn_contact *)joint->data;
      if (r == HN_ROLE_HELD || r == HN_ROLE_SLIDES) add_contact(mode, k - s->model->njoint, joint, &role[k]);
    } else if (joint->set->kind == HN_ANY || (r == HN_ROLE_HELD && (joint->set->kind == HN_WITHIN || role[k].gap))) {
      add_joint(mode, joint);
    } else if (r == HN_ROLE_LOWER || r == HN_ROLE_UPPER) {
      add_known(mode, &(hn_given){ .joint = joint, .normal = -1,
                                   .along = { r == HN_ROLE_LOWER ? 1.0 : -1.0 },
                                   .force = { r == HN_ROLE_LOWER ? joint->set->lower : joint->set->upper } });
    }
    mode->role[k] = role[k], mode->key[k] = s->block[k].key;
  }
  mode->nblock = s->nblock;
}

static int make_solver(hn_modes *m, hn_mode *mode, hn_error *error)
{
  const hn_linear_options linear = { .backend = "ldl", .petsc = "", .redundancy = HN_REMOVE };
  if (mode->ngiven > 0) {
    mode->known = hn_known_create(&mode->model, mode->given, mode->ngiven, error);
    if (!mode->known) return -1;
    mode->more = (hn_more_forces){ hn_known_add, mode->known };
  }
  mode->solver = hn_solver_create(m->spec, &mode->model, error);
  mode->system = mode->solver ? hn_system_create(&mode->model, error) : NULL;
  if (!mode->system || hn_system_use_linear(mode->system, &linear, error)) return -1;
  mode->state = hn_state_create(&mode->model), mode->motion = hn_state_create(&mode->model);
  mode->right = calloc((size_t)mode->model.nrow + 1, sizeof *mode->right);
  return mode->state && mode->motion && mode->right ? 0 : hn_fail(error, "out of memory");
}

static hn_mode *make(hn_modes *m, const hn_block_role *role, hn_error *error)
{
  const hn_system *s = m->solver->system;
  const size_t blocks = (size_t)s->most_blocks + 1, contacts = (size_t)s->model->most_contacts + 1;
  hn_mode *mode = calloc(1, sizeof *mode);
  if (mode) {
    mode->model = *s->model;
    mode->model.most_contacts = mode->model.ncollider = 0, mode->model.margin = 0.0;
    mode->model.joint = calloc((size_t)s->model->njoint + 2 * contacts, sizeof *mode->model.joint);
    mode->given = calloc(blocks, sizeof *mode->given);
    mode->role = calloc(blocks, sizeof *mode->role), mode->key = calloc(blocks, sizeof *mode->key);
    mode->contact = calloc(contacts, sizeof *mode->contact), mode->stick = calloc(contacts, sizeof *mode->stick);
  }
  if (!mode || !mode->model.joint || !mode->given || !mode->role || !mode->key || !mode->contact || !mode->stick)
    hn_fail(error, "out of memory");
  else if (put_together(mode, s, role), make_solver(m, mode, error) == 0) return mode;
  drop(mode);
  return NULL;
}

static bool same(const hn_mode *mode, const hn_system *s, const hn_block_role *role)
{
  if (mode->nblock != s->nblock) return false;
  for (int k = 0; k < s->nblock; k++) {
    const hn_block_role *one = &mode->role[k];
    if (mode->key[k] != s->block[k].key || one->role != role[k].role || one->gap != role[k].gap ||
        one->stick != role[k].stick)
      return false;
  }
  return true;
}

hn_mode *hn_modes_take(hn_modes *m, const hn_block_role *role, hn_error *error)
{
  int place = 0;
  for (int i = 0; i < KEPT; i++) {
    hn_mode *mode = m->kept[i];
    if (mode && same(mode, m->solver->system, role)) {
      put_together(mode, m->solver->system, role);
      mode->used = ++m->used;
      return mode;
    }
    if (!mode || (m->kept[place] && mode->used < m->kept[place]->used)) place = i;
  }
  drop(m->kept[place]);
  m->kept[place] = make(m, role, error);
  if (m->kept[place]) m->kept[place]->used = ++m->used;
  return m->kept[place];
}

/* ---- Moving it --------------------------------------------------------------------------------------------------- */

static void take_motion(const hn_state *from, hn_state *to)
{
  hn_state_copy_motion(to, from);
  memcpy(to->input, from->input, sizeof *to->input * (size_t)from->ninput);
}

hn_reason hn_mode_move(hn_mode *mode, const hn_state *from, double s, hn_state *to, hn_work *work)
{
  hn_solver *solver = mode->solver;
  take_motion(from, mode->state);
  hn_solver_reset(solver);
  hn_reason reason = hn_system_begin(solver->system, mode->state);
  if (reason == HN_CONVERGED) reason = solver->type->step(solver, mode->state, s);
  if (reason == HN_CONVERGED && !hn_state_finite(mode->state)) reason = HN_NOT_FINITE;
  const hn_work forces = mode->known ? hn_known_work(mode->known) : (hn_work){ 0 };
  hn_work_add(work, &solver->system->work), hn_work_add(work, &forces);
  hn_state_copy_motion(to, mode->state);
  memcpy(to->input, from->input, sizeof *to->input * (size_t)from->ninput);
  to->time = from->time + s;
  return reason;
}

hn_reason hn_mode_accelerate(hn_mode *mode, const hn_state *state, hn_twist *acceleration)
{
  hn_system *s = mode->system;
  take_motion(state, mode->motion);
  hn_system_jacobian(s, mode->motion);
  hn_reason reason = hn_system_factor(s);
  return reason == HN_CONVERGED ? hn_accelerations(s, mode->motion, mode->right, acceleration) : reason;
}

hn_reason hn_mode_rest(hn_mode *mode, hn_state *state)
{
  hn_system *s = mode->system;
  take_motion(state, mode->motion);
  hn_system_jacobian(s, mode->motion);
  hn_system_bias(s, mode->motion);
  hn_reason reason = hn_system_factor(s);
  if (reason != HN_CONVERGED) return reason;
  hn_system_velocity_residual(s, mode->motion, mode->right, NULL);
  reason = hn_system_solve(s, mode->right, mode->right);
  if (reason == HN_CONVERGED) hn_system_apply(s, mode->right, -1.0, state);
  return reason;
}

/* The rates of the rows of KNOWN along its direction. */
static double rate_along(const hn_given *known, const hn_state *state)
{
  const hn_joint *joint = known->joint;
  const hn_twist *ua = &state->twist[joint->a], *ub = &state->twist[joint->b];
  double G_a[6 * HN_MAX_ROWS], G_b[6 * HN_MAX_ROWS], rate[HN_MAX_ROWS], sum = 0.0;
  joint->type->eval(joint, state->time, &state->pose[joint->a], ua, &state->pose[joint->b], ub,
                    &(hn_rows){ .G_a = G_a, .G_b = G_b, .bias = rate });
  hn_add_rates(joint->type->rows, G_a, ua, G_b, ub, rate);
  if (joint->input >= 0) rate[0] -= state->input[joint->input];
  for (int r = 0; r < joint->type->rows; r++) sum += known->along[r] * rate[r];
  return sum;
}

double hn_mode_slip(const hn_mode *mode, const hn_state *from, const hn_state *state, double s, double at_rest)
{
  double least = HUGE_VAL;
  for (const hn_given *k = mode->given; k < mode->given + mode->ngiven; k++) {
    double now = rate_along(k, state);
    if (fabs(rate_along(k, from)) <= at_rest) now = s > 0.0 ? now / s : 1.0;
    least = fmin(least, now);
  }
  return least;
}

hn_solver *hn_mode_solver(const hn_mode *mode)
{
  return mode->solver;
}
