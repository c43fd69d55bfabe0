/* mode.c - the smooth motion between events: a reduced model with equations and known forces.
 *
 * Bodies, forces and joints are those of the scene. According to their roles, its limits, bounded forces and
 * contacts become joints, known forces, or nothing. Any solver for joints integrates the model and needs no
 * treatment of contact. Assembled models are cached, because modes recur. Cost of a lookup: the number of
 * blocks times the size of the cache. */
#include "events/mode.h"
#include "base/vec.h"
#include "multiplier/multipliers.h"
#include "system/contact_blocks.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT = 12 }; /* modes in the cache; one event tries 16 at most, in the rounds of stop() */

struct hn_modes {
  const hn_system *scene; /* the linearised system of the scene */
  char *spec;
  hn_mode *kept[KEPT];
  uint64_t used, assembled; /* number of lookups; of modes assembled */
};

static const hn_set equation = { .kind = HN_ANY };

hn_modes *hn_modes_create(const hn_system *scene, const char *spec, hn_error *error)
{
  hn_modes *m = calloc(1, sizeof *m);
  if (m) m->scene = scene, m->spec = strdup(spec);
  if (m && m->spec) return m;
  hn_modes_free(m);
  hn_fail(error, "out of memory");
  return NULL;
}

static void drop(hn_mode *mode)
{
  if (!mode) return;
  hn_solver_free(mode->solver), hn_system_free(mode->system);
  hn_state_free(mode->state), hn_state_free(mode->motion), hn_state_free(mode->start);
  hn_known_free(mode->known);
  hn_arrays_free(&mode->arrays);
  free(mode);
}

void hn_modes_clear(hn_modes *m)
{
  for (int i = 0; i < KEPT; i++) drop(m->kept[i]), m->kept[i] = NULL;
}

void hn_modes_free(hn_modes *m)
{
  if (!m) return;
  hn_modes_clear(m);
  free(m->spec);
  free(m);
}

/* ---- Assembly ------------------------------------------------------------------------------------------ */

static void add_joint(hn_mode *mode, const hn_joint *joint)
{
  hn_joint *added = &mode->model.joint[mode->model.njoint++];
  *added = *joint;
  added->set = &equation;
  added->row = mode->model.nrow;
  mode->model.nrow += joint->type->rows;
  if (joint->type->velocity) mode->model.needs |= HN_CAN_VELOCITY;
}

static void add_known(hn_mode *mode, const hn_row_force *known)
{
  mode->model.needs |= HN_CAN_EXTRA_FORCES, mode->model.more = &mode->more;
  mode->given[mode->nrow_force++] = *known;
}

/* Returns the joint that holds the gap of contact I; stick_of returns the one that holds its slips along
 * TANGENTS (bits). */
static hn_joint gap_of(const hn_mode *mode, int i, const hn_role *role)
{
  const hn_contact *contact = &mode->contact[i];
  return role->moves ? hn_moving_contact_gap_joint(&mode->moving[i], contact) : hn_contact_gap_joint(contact);
}

static hn_joint stick_of(const hn_mode *mode, int i, const hn_role *role, unsigned tangents)
{
  const hn_contact *contact = &mode->contact[i];
  const bool planar = mode->model.planar;
  return role->moves ? hn_moving_contact_stick_joint(&mode->moving[i], contact, planar, tangents)
                     : hn_contact_stick_joint(contact, planar, tangents);
}

static void add_contact(hn_mode *mode, int i, const hn_joint *joint, const hn_role *role)
{
  int normal = -1;
  if (role->gap) {
    const hn_joint gap = gap_of(mode, i, role);
    normal = mode->gap_at[i] = mode->model.njoint;
    add_joint(mode, &gap);
  }
  if (role->stick) {
    const hn_joint stick = stick_of(mode, i, role, role->stick);
    mode->stick_at[i] = mode->model.njoint;
    add_joint(mode, &stick);
  }
  if (role->kind != HN_ROW_SLIDING) return;
  mode->stick[i] = stick_of(mode, i, role, 3);
  if (!role->gap) return; /* other contacts carry its friction */
  hn_row_force known = { .joint = &mode->stick[i], .normal = normal, .mu = joint->set->mu };
  memcpy(known.along, role->along, sizeof known.along);
  add_known(mode, &known);
}

/* Adds the forces of the redundant slip rows of sticking contact I. */
static void add_share(hn_mode *mode, int i, const hn_role *role)
{
  mode->stick[i] = stick_of(mode, i, role, 3);
  add_known(mode, &(hn_row_force){
                    .joint = &mode->stick[i], .normal = -1, .force = { role->shared[0], role->shared[1] } });
}

/* Rotates the tangents of a creeping CONTACT so that the first one is its slip direction. The second is the
 * direction across, which is held. */
static void turn_to_way(hn_contact *contact, hn_role *role)
{
  double *t1 = contact->frame + 3, *t2 = contact->frame + 6;
  for (int c = 0; c < 3; c++) {
    const double first = t1[c], second = t2[c];
    t1[c] = role->along[0] * first + role->along[1] * second;
    t2[c] = role->along[0] * second - role->along[1] * first;
  }
  role->along[0] = 1.0, role->along[1] = 0.0;
}

/* Assembles joints, known forces and contacts of the mode from the blocks of the system and their roles. */
static void put_together(hn_mode *mode, const hn_system *s, const hn_role *role, const hn_state *state)
{
  mode->model.njoint = mode->model.nrow = mode->nrow_force = 0;
  mode->model.needs = s->model->needs & HN_CAN_COMPLIANT, mode->model.more = NULL;
  for (int k = 0; k < s->nblock; k++) {
    const hn_joint *joint = s->block[k].joint;
    const hn_role_kind r = role[k].kind;
    mode->role[k] = role[k], mode->key[k] = s->block[k].key;
    if (k < s->model->njoint) mode->row[k] = -1;
    if (k >= s->model->njoint) {
      const int i = k - s->model->njoint;
      mode->gap_at[i] = mode->stick_at[i] = -1;
      mode->contact[i] = hn_contact_of(&s->block[k]);
      if (role[k].creeps) turn_to_way(&mode->contact[i], &mode->role[k]);
      if (role[k].moves) hn_moving_contact_set(&mode->moving[i], s->model, &mode->contact[i], state);
      if (r == HN_ROW_HELD || r == HN_ROW_SLIDING) add_contact(mode, i, joint, &mode->role[k]);
    } else if (r == HN_ROW_BROKEN) {
      ; /* inactive */
    } else if (joint->set->kind == HN_ANY ||
               (r == HN_ROW_HELD && (joint->set->kind == HN_WITHIN || role[k].gap))) {
      mode->row[k] = mode->model.nrow;
      add_joint(mode, joint);
    } else if (r == HN_ROW_AT_LOWER || r == HN_ROW_AT_UPPER) {
      add_known(mode,
                &(hn_row_force){ .joint = joint,
                                 .normal = -1,
                                 .along = { r == HN_ROW_AT_LOWER ? 1.0 : -1.0 },
                                 .force = { r == HN_ROW_AT_LOWER ? joint->set->lower : joint->set->upper } });
    }
  }
  mode->nblock = s->nblock, mode->first = s->model->njoint;
  mode->nslip = mode->nrow_force;
  for (int k = mode->first; k < s->nblock; k++)
    if (mode->role[k].shares) add_share(mode, k - mode->first, &mode->role[k]);
}

/* Adds the known forces of the mode USER, and the external wrenches of hn_mode_accelerate. */
static void add_forces(void *user, const hn_state *state, double *wrench)
{
  const hn_mode *mode = user;
  for (int i = 0; mode->external && i < 6 * state->nbody; i++) wrench[i] += mode->external[i];
  hn_known_add(mode->known, state, wrench);
}

static int make_solver(hn_modes *m, hn_mode *mode, hn_error *error)
{
  const hn_linear_options linear = { .backend = "ldl", .petsc = "", .redundancy = HN_REMOVE };
  if (mode->nrow_force > 0) {
    mode->known = hn_known_create(&mode->model, mode->given, mode->nrow_force, error);
    if (!mode->known) return -1;
    mode->more = (hn_extra_forces){ add_forces, mode, mode->given, mode->nrow_force };
  }
  mode->solver = hn_solver_create(m->spec, &mode->model, error);
  mode->system = mode->solver ? hn_system_create(&mode->model, error) : NULL;
  if (!mode->system || hn_system_use_linear(mode->system, &linear, error)) return -1;
  mode->state = hn_state_create(&mode->model), mode->motion = hn_state_create(&mode->model);
  mode->start = hn_state_create(&mode->model);
  if (!mode->state || !mode->motion || !mode->start) return hn_fail(error, "out of memory");
  mode->start->time = NAN;
  return hn_arrays_allocate(&mode->arrays, error, HN_ARRAY(mode->right, mode->model.nrow + 1));
}

static hn_mode *make(hn_modes *m, const hn_role *role, const hn_state *state, hn_error *error)
{
  const hn_system *s = m->scene;
  const size_t blocks = (size_t)s->max_blocks + 1, contacts = (size_t)s->model->max_contacts + 1;
  const size_t joints = (size_t)s->model->njoint;
  hn_mode *mode = calloc(1, sizeof *mode);
  if (!mode) return hn_fail(error, "out of memory"), NULL;
  mode->model = *s->model, mode->only = !hn_model_has_events(s->model);
  mode->model.max_contacts = 0, mode->model.margin = 0.0, mode->model.whole = s->model;
  if (!mode->model.compliant) mode->model.ncollider = 0;
  int status = hn_arrays_allocate(
    &mode->arrays, error, HN_ARRAY(mode->model.joint, joints + 2 * contacts), HN_ARRAY(mode->row, joints + 1),
    HN_ARRAY(mode->given, blocks), HN_ARRAY(mode->role, blocks), HN_ARRAY(mode->key, blocks),
    HN_ARRAY(mode->contact, contacts), HN_ARRAY(mode->stick, contacts), HN_ARRAY(mode->moving, contacts),
    HN_ARRAY(mode->gap_at, contacts), HN_ARRAY(mode->stick_at, contacts));
  if (status == 0) put_together(mode, s, role, state), status = make_solver(m, mode, error);
  if (status == 0) return mode;
  drop(mode);
  return NULL;
}

static bool same(const hn_mode *mode, const hn_system *s, const hn_role *role)
{
  if (mode->nblock != s->nblock) return false;
  for (int k = 0; k < s->nblock; k++) {
    const hn_role *one = &mode->role[k];
    if (mode->key[k] != s->block[k].key || one->kind != role[k].kind || one->gap != role[k].gap ||
        one->stick != role[k].stick || one->moves != role[k].moves || one->creeps != role[k].creeps ||
        one->shares != role[k].shares)
      return false;
  }
  return true;
}

hn_mode *hn_modes_find(hn_modes *m, const hn_role *role, const hn_state *state, hn_error *error)
{
  int place = 0;
  for (int i = 0; i < KEPT; i++) {
    hn_mode *mode = m->kept[i];
    if (mode && same(mode, m->scene, role)) {
      put_together(mode, m->scene, role, state);
      mode->start->time = NAN;
      mode->used = ++m->used;
      return mode;
    }
    if (!mode || (m->kept[place] && mode->used < m->kept[place]->used)) place = i;
  }
  drop(m->kept[place]);
  m->kept[place] = make(m, role, state, error);
  if (m->kept[place]) m->kept[place]->used = ++m->used, m->kept[place]->number = ++m->assembled;
  return m->kept[place];
}

/* ---- Integration and accelerations --------------------------------------------------------------------- */

static void take_motion(const hn_state *from, hn_state *to)
{
  hn_state_copy_motion(to, from);
  memcpy(to->input, from->input, sizeof *to->input * (size_t)from->ninput);
}

/* True if STATE and OTHER have the same time, motion and input. */
static bool is_same_state(const hn_state *state, const hn_state *other)
{
  const size_t bodies = (size_t)state->nbody;
  return state->time == other->time && memcmp(state->pose, other->pose, sizeof *state->pose * bodies) == 0 &&
         memcmp(state->twist, other->twist, sizeof *state->twist * bodies) == 0 &&
         memcmp(state->input, other->input, sizeof *state->input * (size_t)state->ninput) == 0;
}

/* True if the inner solver keeps its history: always in the only mode of a scene without events, whose run is
 * that of the inner solver; else if FROM is the state to which MODE has moved last by a multistep method, or
 * the state from which it has moved by one that repeats steps. Other solvers are reset, so that
 * a motion does not depend on anything before it. A multistep history survives an event that leaves the
 * motion unchanged to the last bit, such as the end of a step; the directions of known forces then go on
 * smoothly. */
static bool continues(const hn_mode *mode, const hn_state *from)
{
  const unsigned can = mode->solver->type->capabilities;
  if (!mode->moved || mode->only) return mode->moved;
  return ((can & HN_IS_MULTISTEP) && is_same_state(from, mode->state)) ||
         ((can & HN_CAN_REPEAT) && is_same_state(from, mode->start));
}

hn_reason hn_mode_move(hn_mode *mode, const hn_state *from, double s, hn_state *to, hn_system *scene)
{
  hn_solver *solver = mode->solver;
  const bool is_new = !continues(mode, from);
  take_motion(from, mode->state);
  if (is_new) hn_solver_reset(solver);
  /* multistep methods divide by the length of a motion; others project positions even where it is 0 */
  if (s == 0.0 && (solver->type->capabilities & HN_IS_MULTISTEP)) {
    take_motion(from, to);
    return HN_CONVERGED;
  }
  take_motion(from, mode->start);
  solver->system->stop = scene->stop;
  hn_reason reason = hn_system_begin(solver->system, mode->state);
  if (reason == HN_CONVERGED) reason = solver->type->step(solver, mode->state, s);
  if (solver->system->stop.heard) reason = HN_INTERRUPTED, scene->stop.heard = true;
  if (reason == HN_CONVERGED && !hn_state_finite(mode->state)) reason = HN_NOT_FINITE;
  const hn_work forces = mode->known ? hn_known_work(mode->known) : (hn_work){ 0 };
  hn_work_add(&scene->work, &solver->system->work), hn_work_add(&scene->work, &forces);
  solver->system->work = (hn_work){ 0 };
  hn_state_copy_motion(to, mode->state);
  memcpy(to->input, from->input, sizeof *to->input * (size_t)from->ninput);
  to->time = mode->state->time = from->time + s;
  mode->moved = reason == HN_CONVERGED && to->time > from->time;
  return reason;
}

hn_reason hn_mode_respond(hn_mode *mode, const double *external, hn_twist *acceleration)
{
  hn_system *s = mode->system;
  hn_state motion = { .nbody = s->model->nbody, .twist = acceleration };
  mode->external = external;
  hn_system_free_acceleration(s, mode->motion, acceleration);
  mode->external = NULL;
  if (external && mode->nrow_force == 0) hn_system_push(s, mode->motion, external, 1.0, acceleration);
  hn_reason reason = hn_solve_multipliers(s, acceleration, s->gamma, mode->right);
  if (reason == HN_CONVERGED) hn_system_apply(s, mode->right, 1.0, &motion);
  return reason;
}

hn_reason hn_mode_accelerate(hn_mode *mode, const hn_state *state, const double *external,
                             hn_twist *acceleration)
{
  hn_system *s = mode->system;
  take_motion(state, mode->motion);
  hn_system_jacobian(s, mode->motion);
  hn_reason reason = hn_system_factor(s);
  if (reason != HN_CONVERGED) return reason;
  hn_system_gamma(s, mode->motion);
  return hn_mode_respond(mode, external, acceleration);
}

/* Returns the columns of the Jacobian of BLOCK for the velocity of body b, or of a if b is fixed: [3][n], the
 * directions of its rows. */
static const double *directions_of(const hn_system *s, const hn_block *block)
{
  const int side = s->model->body[block->b].kind != HN_FIXED;
  return s->G + 12 * block->row + 6 * side * block->n;
}

void hn_contact_force(const hn_system *s, const hn_block *block, const double *p, double force[3])
{
  const double *G = directions_of(s, block);
  for (int c = 0; c < 3; c++)
    for (int r = 0; r < block->n; r++) force[c] += G[c * block->n + r] * p[r];
}

void hn_contact_add_force(const hn_system *s, const hn_block *block, const double force[3], double *p)
{
  const double *G = directions_of(s, block);
  for (int r = 0; r < block->n; r++)
    for (int c = 0; c < 3; c++) p[r] += G[c * block->n + r] * force[c];
}

void hn_mode_add_forces(const hn_mode *mode, int k, const hn_system *system, const hn_block *block, double *p)
{
  const hn_system *s = mode->system;
  if (k < mode->first) {
    for (int r = 0; mode->row[k] >= 0 && r < block->n; r++) p[r] += mode->right[mode->row[k] + r];
    return;
  }
  const int joint[] = { mode->gap_at[k - mode->first], mode->stick_at[k - mode->first] };
  double force[3] = { 0 };
  for (int i = 0; i < 2; i++)
    if (joint[i] >= 0) hn_contact_force(s, &s->block[joint[i]], mode->right + s->block[joint[i]].row, force);
  hn_contact_add_force(system, block, force, p);
  for (int r = 1; mode->role[k].shares && r < block->n; r++) p[r] += mode->role[k].shared[r - 1];
}

void hn_mode_forces(const hn_mode *mode, const hn_model *scene, int j, double *force)
{
  const hn_joint *joint = &scene->joint[j];
  const size_t size = sizeof *force * (size_t)joint->type->rows;
  if (mode->row[j] >= 0) memcpy(force, mode->right + mode->row[j], size);
  else memset(force, 0, size);
  for (int i = 0; i < mode->nrow_force && mode->row[j] < 0; i++)
    if (mode->given[i].normal < 0 && mode->given[i].joint == joint) force[0] = mode->given[i].force[0];
}

hn_reason hn_mode_project_velocities(hn_mode *mode, hn_state *state)
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

uint64_t hn_mode_number(const hn_mode *mode)
{
  return mode->number;
}

hn_solver *hn_mode_solver(const hn_mode *mode)
{
  return mode->solver;
}
