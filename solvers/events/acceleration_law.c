/* acceleration_law.c - the law of accelerations: accelerations and forces of closed contacts that do not
 * separate.
 *
 *   0 <= a_n, 0 <= lambda_n, a_n lambda_n = 0;  friction opposes the slip, or, without slip, its acceleration
 *
 * This is a contact problem with accelerations in place of velocities and forces in place of impulses. For a
 * sliding contact, a large acceleration s d is added along its slip direction d, so that the contact solver
 * puts its force on the rim of the cone, opposite to d:
 *
 *   v_t = s d + (K p)_t - push,     push = (K p)_t of the previous round
 *
 * Its own transverse acceleration would turn the force away from -d. Subtracting push leaves only the
 * change between rounds, and each round reduces the error of the direction by a factor of about s. Four
 * rounds reduce it to rounding. The tolerance of the contact solver is relative to s, 1e-13 s by default,
 * hence 1e-9 of the accelerations, also for sticking contacts beside sliding ones. That is far below what
 * is told apart (events_parts.h). Cost: ROUNDS contact problems with sliding contacts, else one. */
#include "system/contact_blocks.h"
#include "events/events_parts.h"
#include "events/known.h"
#include "base/vec.h"
#include "contact/problem_islands.h"
#include "system/moving_contact.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 4 };
static const double added_slip = 1e4;   /* s, relative to law->size */
static const double least_force = 1e-9; /* forces below this fraction of the largest are zero */
/* rows that a motion holds accelerate by less than this, relative to law->size */
static const double implied = 1e-6;
static const double uncertain = 1e-5;  /* tolerance of equal slip directions */
static const double inner_cone = 0.99; /* projected friction is at most this fraction of mu N */
/* residual at which trial forces satisfy the law, relative to law->size */
static const double guess_error = 1e-9;
static const hn_set no_force = { .kind = HN_WITHIN };

int hn_events_law_setup(hn_system *s, hn_events_law *law, const hn_contact_options *options, hn_error *error)
{
  const size_t rows = (size_t)s->max_rows, bodies = (size_t)s->model->nbody;
  law->solver = hn_contact_solver_for(s, options, error);
  law->problem = law->solver ? hn_problem_create(s, error) : NULL;
  law->islands = law->problem ? hn_problem_islands_create(&law->solver->most, hn_contact_solve, error) : NULL;
  if (!law->islands) return -1;
  law->tolerance = options->tolerance;
  if (!(law->motion = hn_state_create(s->model))) return hn_fail(error, "out of memory");
  return hn_arrays_allocate(&law->arrays, error, HN_ARRAY(law->acceleration, bodies),
                            HN_ARRAY(law->key, s->max_blocks), HN_ARRAY(law->p, rows),
                            HN_ARRAY(law->rate, rows), HN_ARRAY(law->v, rows), HN_ARRAY(law->push, rows),
                            HN_ARRAY(law->guess, rows), HN_ARRAY(law->scratch, 6 * bodies));
}

void hn_events_law_free(hn_events_law *law)
{
  hn_contact_solver_free(law->solver), hn_problem_free(law->problem);
  hn_problem_islands_free(law->islands), hn_state_free(law->motion);
  hn_arrays_free(&law->arrays);
}

/* True if contact K slips; then the slip direction is set in ROLE. GIVEN: it slips if ROLE says so, and a
 * creeping contact keeps its direction. */
static bool slips(const hn_system *s, const hn_events_law *law, const hn_events_limits *limits, int k,
                  bool given, hn_role *role)
{
  const hn_block *block = &s->block[k];
  const double *rate = law->rate + block->row + 1, size = norm_of(rate, block->n - 1);
  if (given && role->kind != HN_ROW_SLIDING) return false;
  if (!given && !(size > limits->rate)) return false;
  if (given && (role->creeps || role->planned)) return true;
  role->creeps = false;
  if (given) {
    const hn_row_force known = { .joint = block->joint, .along = { role->along[0], role->along[1] } };
    hn_known_direction(&known, block->n - 1, rate, role->along);
  } else {
    for (int r = 0; r < block->n - 1; r++) role->along[r] = rate[r] / size;
  }
  return true;
}

/* Sets the set of block K of the problem, whose bounds are forces. Its role follows from its rates, unless it
 * is GIVEN. */
static void pose_block(const hn_system *s, hn_events_law *law, const hn_events_limits *limits, bool touches,
                       int k, bool given, hn_role *role)
{
  hn_set *set = &law->problem->block[k].set;
  const double rate = law->rate[s->block[k].row];
  if ((set->kind == HN_PUSH || set->kind == HN_CONE) && !touches) {
    *set = no_force;
  } else if (set->kind == HN_CONE) {
    role->kind = slips(s, law, limits, k, given, role) ? HN_ROW_SLIDING : HN_ROW_HELD;
    if (role->creeps) set->mu *= sqrt(1.0 + role->across * role->across);
  } else if (set->kind == HN_WITHIN && isinf(set->upper)) {
    set->kind = HN_ANY, role->kind = HN_ROW_HELD; /* a motor without a force limit */
  } else if (set->kind == HN_WITHIN) {
    if (!given && fabs(rate) > limits->rate) role->kind = rate > 0.0 ? HN_ROW_AT_LOWER : HN_ROW_AT_UPPER;
    else if (!given) role->kind = HN_ROW_HELD;
    if (role->kind == HN_ROW_AT_LOWER) set->upper = set->lower;
    if (role->kind == HN_ROW_AT_UPPER) set->lower = set->upper;
  }
}

/* Computes the acceleration terms of contact points that move over both bodies. The blocks of the system
 * treat contact points as fixed to a body. */
static void move_places(hn_system *s, const bool *touches, const hn_state *state)
{
  for (int k = s->model->njoint; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    hn_moving_contact moving;
    const hn_contact contact = hn_contact_of(block);
    if (!touches[k] || hn_contact_is_fixed(s->model, &contact)) continue;
    if (hn_moving_contact_set(&moving, s->model, &contact, state))
      hn_moving_contact_gamma(&moving, &contact, state, block->n, s->gamma + block->row);
  }
}

/* Poses the problem: b becomes the accelerations of all rows without contact forces. */
static void pose(hn_solver *solver, hn_events_law *law, const hn_events_limits *limits, const bool *touches,
                 bool given, hn_role *role, const hn_state *state)
{
  hn_system *s = solver->system;
  hn_system_gamma(s, state);
  move_places(s, touches, state);
  hn_system_bias(s, state);
  hn_system_velocity_residual(s, state, law->rate, NULL);
  hn_system_free_acceleration(s, state, law->acceleration);
  memcpy(law->motion->twist, law->acceleration, sizeof *law->acceleration * (size_t)state->nbody);
  hn_problem_assemble(law->problem, s, law->motion, 1.0);
  for (int i = 0; i < s->nrow; i++) law->problem->b[i] += s->gamma[i] - s->bias[i];
  for (int k = 0; k < s->nblock; k++)
    if (role[k].kind == HN_ROW_BROKEN) law->problem->block[k].set = no_force;
    else if (s->block[k].joint->set->kind != HN_ANY)
      pose_block(s, law, limits, touches[k], k, given, &role[k]);
}

/* Sets b of the tangential rows of sliding contacts: SIZE along the slip direction, less the accelerations
 * law->push that the forces cause. */
static void set_slips(const hn_system *s, hn_events_law *law, const hn_role *role, double size)
{
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    if (block->joint->set->kind != HN_CONE || role[k].kind != HN_ROW_SLIDING) continue;
    for (int r = 1; r < block->n; r++)
      law->problem->b[block->row + r] = size * role[k].along[r - 1] - law->push[block->row + r];
  }
}

/* A contact without a force is open. A sticking contact that accelerates along its surface begins to slide;
 * the threshold of rest is below the distance at which a motion that sticks is told from the law. */
void hn_events_law_read_roles(const hn_system *s, const hn_events_law *law, const bool *touches,
                              hn_role *role)
{
  const double left = 2.0 * hn_problem_error(law->problem, false, law->p, law->v, NULL);
  double most = 0.0;
  for (int i = 0; i < s->nrow; i++) most = fmax(most, fabs(law->p[i]));
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    const hn_set *set = block->joint->set;
    const double *p = law->p + block->row, *v = law->v + block->row, tangent = norm_of(v + 1, block->n - 1);
    if (role[k].kind == HN_ROW_BROKEN) continue;
    const double still = hn_events_rest_threshold(s, law, k, set->kind == HN_CONE, left);
    if (set->kind == HN_PUSH || set->kind == HN_CONE) {
      if (!touches[k] || !(p[0] > least_force * most)) role[k].kind = HN_ROW_OPEN;
      else if (set->kind == HN_PUSH) role[k].kind = HN_ROW_HELD;
      else if (role[k].kind == HN_ROW_HELD && tangent > still) {
        role[k].kind = HN_ROW_SLIDING;
        role[k].creeps = hn_creeps(law, k, tangent);
        for (int r = 0; r < block->n - 1; r++) role[k].along[r] = v[1 + r] / tangent;
      }
    } else if (set->kind == HN_WITHIN && !isinf(set->upper) && role[k].kind == HN_ROW_HELD &&
               fabs(v[0]) > still) {
      role[k].kind = v[0] > 0.0 ? HN_ROW_AT_LOWER : HN_ROW_AT_UPPER;
    }
  }
}

/* Sets the directions of slow slips to those of their accelerations if both agree but for rounding: a body
 * that accelerates from rest along a straight line slides in the direction of its acceleration. Rounding
 * makes the direction of a slow slip uncertain. Friction mu g against it exceeds the acceleration by far, so
 * that explicit integrators would amplify the error. */
static hn_reason straighten(hn_solver *solver, hn_events_law *law, const bool *touches, hn_role *role)
{
  const hn_system *s = solver->system;
  hn_reason reason = hn_events_law_compute(solver, law, false);
  if (reason != HN_CONVERGED) return reason;
  hn_problem_velocities(law->problem, law->p, law->scratch, law->v);
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    const double *v = law->v + block->row + 1, size = norm_of(v, block->n - 1);
    double off = 0.0;
    if (block->joint->set->kind != HN_CONE || !touches[k] || role[k].kind != HN_ROW_SLIDING) continue;
    if (!(size > 0.0)) continue;
    if (norm_of(law->rate + block->row + 1, block->n - 1) > hn_slow_slip || role[k].creeps) continue;
    for (int r = 0; r < block->n - 1; r++) off = fmax(off, fabs(v[r] / size - role[k].along[r]));
    for (int r = 0; r < block->n - 1 && off < uncertain; r++) role[k].along[r] = v[r] / size;
  }
  memset(law->p, 0, sizeof *law->p * (size_t)s->nrow);
  return HN_CONVERGED;
}

/* Subtracts from b the accelerations, up to MOST, of rows that MOTION holds: equations, and rows that they
 * imply. They are errors of positions and velocities, by which redundant rows would contradict each other. */
static void agree(hn_system *s, hn_events_law *law, const hn_twist *motion, const hn_role *role, double most)
{
  hn_problem *problem = law->problem;
  /* law->v: accelerations of the rows in the motion */
  memcpy(law->motion->twist, motion, sizeof *motion * (size_t)s->model->nbody);
  hn_system_velocity_residual(s, law->motion, law->v, NULL);
  memcpy(law->motion->twist, law->acceleration, sizeof *motion * (size_t)s->model->nbody);
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    const hn_set_kind kind = block->joint->set->kind;
    const bool slides = role[k].kind == HN_ROW_SLIDING, held = role[k].kind == HN_ROW_HELD || slides;
    const bool any = kind == HN_ANY && role[k].kind != HN_ROW_BROKEN;
    const int rows = any || held ? (slides ? 1 : block->n) : 0;
    for (int r = block->row; r < block->row + rows; r++) {
      const double off = law->v[r] - s->bias[r] + s->gamma[r];
      if (fabs(off) <= most) problem->b[r] -= off;
    }
  }
}

/* True if the blocks are those of the law's last solution. Stores the keys of the present blocks. */
static bool recognise(const hn_system *s, hn_events_law *law)
{
  bool same = law->count == s->nblock;
  for (int k = 0; k < s->nblock; k++) {
    same &= law->key[k] == s->block[k].key;
    law->key[k] = s->block[k].key;
  }
  law->count = s->nblock;
  return same;
}

bool hn_events_law_accepts(hn_system *s, hn_events_law *law, const hn_role *role)
{
  hn_problem *problem = law->problem;
  double *p = law->guess;
  for (int k = 0; k < s->nblock; k++) {
    const hn_set *set = &problem->block[k].set;
    const int row = s->block[k].row;
    for (int r = 0; set->kind == HN_WITHIN && set->lower == set->upper && r < s->block[k].n; r++)
      p[row + r] = set->lower;
    if (set->kind == HN_CONE && role[k].kind == HN_ROW_SLIDING)
      for (int r = 1; r < s->block[k].n; r++) p[row + r] = -set->mu * p[row] * role[k].along[r - 1];
  }
  /* residual of the law */
  hn_problem_velocities(problem, p, law->scratch, law->v);
  for (int i = 0; i < s->nrow; i++) law->push[i] = law->v[i] - problem->b[i];
  set_slips(s, law, role, added_slip * law->size);
  for (int i = 0; i < s->nrow; i++) law->v[i] = problem->b[i] + law->push[i];
  if (!(hn_problem_error(problem, false, p, law->v, NULL) <= guess_error * law->size)) return false;
  /* the guess becomes the solution */
  memcpy(law->p, p, sizeof *p * (size_t)s->nrow);
  recognise(s, law);
  hn_system_apply(s, p, 1.0, law->motion);
  memcpy(law->acceleration, law->motion->twist, sizeof *law->acceleration * (size_t)s->model->nbody);
  return true;
}

void hn_events_law_confine(const hn_system *s, hn_events_law *law, const hn_role *role)
{
  for (int k = 0; k < s->nblock; k++) {
    const hn_set *set = &law->problem->block[k].set;
    double *p = law->guess + s->block[k].row;
    const int n = s->block[k].n;
    const bool sticks = k >= s->model->njoint && role[k].kind == HN_ROW_HELD && set->kind != HN_WITHIN;
    if (!sticks) memset(p, 0, sizeof *p * (size_t)n);
    p[0] = fmax(p[0], 0.0);
    const double size = norm_of(p + 1, n - 1), most = inner_cone * set->mu * p[0];
    for (int r = 1; r < n && size > most; r++) p[r] *= most / size;
  }
}

hn_reason hn_events_law_solve_sticking(hn_solver *solver, hn_events_law *law, const hn_role *role)
{
  hn_system *s = solver->system;
  hn_problem *problem = law->problem;
  const size_t rows = (size_t)s->nrow;
  /* forces of sliding contacts (law->push) become accelerations of the problem */
  memset(law->push, 0, sizeof *law->push * rows);
  memcpy(law->p, law->guess, sizeof *law->p * rows);
  for (int k = s->model->njoint; k < s->nblock; k++) {
    const int row = s->block[k].row;
    const size_t size = sizeof *law->p * (size_t)s->block[k].n;
    if (role[k].kind != HN_ROW_SLIDING) continue;
    memcpy(law->push + row, law->guess + row, size);
    memset(law->p + row, 0, size);
    problem->block[k].set = no_force;
  }
  hn_problem_velocities(problem, law->push, law->scratch, law->v);
  memcpy(problem->b, law->v, sizeof *law->v * rows);
  hn_contact_solver_set_tolerance(law->solver, law->tolerance * law->size);
  hn_reason reason = hn_events_law_compute(solver, law, true);
  for (size_t i = 0; i < rows; i++) law->p[i] += law->push[i];
  hn_system_apply(s, law->p, 1.0, law->motion);
  memcpy(law->acceleration, law->motion->twist, sizeof *law->acceleration * (size_t)s->model->nbody);
  return reason;
}

void hn_events_law_pose(hn_solver *solver, hn_events_law *law, const hn_events_limits *limits,
                        const bool *touches, const hn_twist *motion, hn_role *role, const hn_state *state)
{
  hn_system *s = solver->system;
  pose(solver, law, limits, touches, motion != NULL, role, state);
  law->size = 1.0;
  for (int i = 0; i < s->nrow; i++) law->size = fmax(law->size, fabs(law->problem->b[i]));
  if (motion) agree(s, law, motion, role, implied * law->size);
}

/* Within a motion, the search starts from the forces of the last solution, which are near. At an event it
 * starts from zero, so that a step does not depend on anything before it. */
hn_reason hn_events_law_solve(hn_solver *solver, hn_events_law *law, const bool *touches, bool given,
                              hn_role *role, const hn_state *state)
{
  hn_system *s = solver->system;
  const double size = law->size;
  bool sliding = false;
  if (!given && law->leads) {
    hn_reason reason = hn_creep_find_direction(solver, law, touches, size, role);
    if (reason != HN_CONVERGED) return reason;
  }
  /* tolerance and start of the contact solver */
  for (int k = 0; k < s->nblock; k++)
    sliding |= s->block[k].joint->set->kind == HN_CONE && touches[k] && role[k].kind == HN_ROW_SLIDING;
  hn_contact_solver_set_tolerance(law->solver, law->tolerance * size * (sliding ? added_slip : 1.0));
  if (!recognise(s, law) || !given) memset(law->p, 0, sizeof *law->p * (size_t)s->nrow);
  memset(law->push, 0, sizeof *law->push * (size_t)s->nrow);
  /* slip directions */
  if (sliding && !given) {
    hn_reason reason = straighten(solver, law, touches, role);
    if (reason != HN_CONVERGED) return reason;
  }
  /* forces, in rounds that make friction oppose the slips */
  for (int round = 0; round < (sliding ? ROUNDS : 1); round++) {
    set_slips(s, law, role, added_slip * size);
    hn_reason reason = hn_events_law_compute(solver, law, given);
    if (reason != HN_CONVERGED) return reason;
    hn_problem_velocities(law->problem, law->p, law->scratch, law->v);
    for (int i = 0; i < s->nrow; i++) law->push[i] = law->v[i] - law->problem->b[i];
  }
  /* accelerations and roles */
  hn_system_apply(s, law->p, 1.0, law->motion);
  if (!given && sliding && law->leads) hn_creep_judge(s, law, touches, role);
  memcpy(law->acceleration, law->motion->twist, sizeof *law->acceleration * (size_t)state->nbody);
  if (!given) hn_events_law_read_roles(s, law, touches, role);
  return HN_CONVERGED;
}
