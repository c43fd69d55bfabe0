/* contact_step.c - the impulse step of bodies with closed contacts.
 *
 *   half the impulse of forces
 *   find p1:  the law of contact (contact.h) of all held rows, with r / h in place of velocities:     at t
 *             joint      r = g(flight_h(q, u + W G' p1)) - (1 - h / H) g(q), as in impulse/rattle.c
 *             gap        r = gap at the end - min(g(q), 0): it may close, and open
 *             friction   r = slip in the step
 *   repeat    predict;  K p1' + r / h - K p1 in place of K p + b
 *   move, and half the impulse of forces
 *   find p2:  the law of contact with the velocities at t + h, of the contacts that are still closed
 *
 * Each half has a friction cone of its own and is the mirror image of the other: order 2. A contact that
 * slides in the first half slides in the second in the direction of the mean slip: there v_t + slip / h -
 * v_t' replaces v_t, with v_t' the velocity for p2 = p1. Uniform sliding is exact. The end of sliding is
 * an event of the caller. Gaps at the end are those of the shapes, detected anew, not of the frames at the
 * start: a body follows the surface of a round one. H is the length of the whole step: over H, joint
 * errors within the tolerance are removed. [after bender2005, section 4.4, whose contacts are swept;
 * schmitt2005, section 4, for joints] */
#include "system/contact_blocks.h"
#include "impulse_contact/contact_step.h"
#include "collide/contact_key.h"
#include "event/contact_impulses.h"
#include "impulse/correction.h"
#include "base/vec.h"
#include "registry/solver_arrays.h"

#include <math.h>
#include <string.h>

static const hn_set no_impulse = { .kind = HN_WITHIN };
/* Tolerance of a problem of an iteration, relative to the error that the iteration is to remove. */
static const double inexact = 0.03;
/* The law is met at this multiple of its solver's tolerance: the last problem leaves up to the tolerance,
 * and the rates of the flight differ from its linearisation. */
static const double met_per_tolerance = 10.0;
/* Difference of the slips in both halves relative to the first: 1 where a slide begins or ends, 2 where its
 * velocity is reversed. */
static const double most_change = 2.0;
/* Parts of the whole step shorter than this use rates: differences of positions would be rounding. */
static const double brief_part = 1e-4;

int hn_contact_step_setup(hn_solver *solver, hn_contact_step *d, const hn_contact_options *options,
                          hn_error *error)
{
  const hn_system *s = solver->system;
  const size_t rows = (size_t)s->max_rows, blocks = (size_t)s->max_blocks;
  d->solver = hn_contact_solver_for(solver->system, options, error);
  if (!d->solver || !(d->problem = hn_problem_create(s, error)) || hn_kick_setup(solver, &d->kick, error))
    return -1;
  d->solver_tolerance = d->solver->options.tolerance;
  return hn_solver_allocate(
    solver, error, HN_STATE(d->start), HN_STATE(d->trial), HN_ARRAY(d->p, rows), HN_ARRAY(d->before, rows),
    HN_ARRAY(d->g, rows), HN_ARRAY(d->v, rows), HN_ARRAY(d->v0, rows), HN_ARRAY(d->slip, 3 * blocks),
    HN_ARRAY(d->first, 3 * blocks), HN_ARRAY(d->slides, blocks), HN_ARRAY(d->onset, blocks),
    HN_ARRAY(d->active, blocks), HN_ARRAY(d->work, 6 * s->model->nbody));
}

void hn_contact_step_free(hn_contact_step *d)
{
  hn_contact_solver_free(d->solver);
  hn_problem_free(d->problem);
}

/* Poses the problem of half a step at the velocities of STATE; blocks that are not ACTIVE get no impulse. */
static void pose(hn_contact_step *d, hn_system *s, const hn_state *state, const bool *active)
{
  hn_problem_assemble(d->problem, s, state, 0.5 * d->h);
  for (int k = 0; k < s->nblock; k++)
    if (!active[k]) d->problem->block[k].set = no_impulse;
}

/* Solves the problem to TOLERANCE, which fallback solvers share: one of their own would accept what the
 * solver before them has left. */
static hn_reason solve(hn_solver *solver, hn_contact_step *d, double tolerance, double *p)
{
  hn_contact_solver_set_tolerance(d->solver, tolerance);
  hn_reason reason = hn_contact_solve(d->solver, d->problem, p);
  if (reason == HN_CONVERGED || (reason == HN_BUDGET && d->solver->options.tolerance == 0.0))
    return HN_CONVERGED;
  return hn_step_contact_failed(solver, d->solver, reason, "problem of contact");
}

/* ---- To the end of the step: positions ----------------------------------------------------------------- */

/* Returns the gap of a contact at the end, of the shapes; FROZEN, that of the frame at the start, if it is
 * not near. */
static double gap_at_end(const hn_contact_step *d, uint64_t key, double frozen)
{
  const int k = hn_monitor_block(d->look, key);
  return k < 0 ? frozen : d->look->g[d->look->block[k].row];
}

/* Returns the part of the residual of a row at the start that shall remain after h. */
static double residual_left(const hn_contact_step *d, const hn_block *block, int i)
{
  const double g = d->g[block->row + i];
  if (hn_is_one_sided(block))
    return i == 0 ? fmin(g, 0.0) : 0.0; /* the velocity of a push out of an overlap would remain */
  return (1.0 - d->h / d->whole) * g;
}

/* Computes r / h of block K into v, for the flight with the velocities of FROM. */
static void mean_rates(hn_contact_step *d, hn_system *s, int k, const hn_state *from)
{
  const hn_block *block = &s->block[k];
  double *r = d->v + block->row;
  hn_system_block_step_residual(s, k, from, d->trial, d->h, r);
  if (k >= s->model->njoint) r[0] = gap_at_end(d, block->key, r[0]);
  for (int i = 0; i < block->n; i++)
    r[i] = (block->joint->type->velocity ? r[i] : r[i] - residual_left(d, block, i)) / d->h;
}

/* Computes them as the mean of the rates at both ends, for a brief part. */
static void mean_rates_brief(hn_contact_step *d, hn_system *s, int k, const hn_state *from)
{
  const hn_block *block = &s->block[k];
  const int at_end = hn_monitor_block(d->look, block->key);
  double *r = d->v + block->row, end[HN_MAX_ROWS];
  hn_system_block_velocity(s, k, from, r);
  memcpy(end, r, sizeof end[0] * (size_t)block->n);
  if (at_end >= 0) hn_system_block_velocity(d->look, at_end, d->trial, end);
  for (int i = 0; i < block->n; i++) {
    const bool position = !block->joint->type->velocity && (i == 0 || !hn_is_one_sided(block));
    r[i] = 0.5 * (r[i] + end[i]) +
           (position ? (d->g[block->row + i] - residual_left(d, block, i)) / d->h : 0.0);
  }
}

/* Computes the velocities after p1 into STATE, their flight into trial, and r / h of held rows into v. */
static hn_reason predict(hn_contact_step *d, hn_system *s, hn_state *state)
{
  memcpy(state->twist, d->start->twist, sizeof *state->twist * (size_t)state->nbody);
  hn_system_apply(s, d->p, 1.0, state);
  hn_system_flight(s, state, d->h, d->trial);
  if (!hn_state_finite(d->trial)) return HN_NOT_FINITE;
  hn_reason reason = hn_system_begin(d->look, d->trial);
  if (reason != HN_CONVERGED) return reason;
  const bool brief = d->h < brief_part * d->whole;
  if (brief) hn_system_linearise(d->look, d->trial);
  else hn_system_residual(d->look, d->trial, NULL);
  for (int k = 0; k < s->nblock; k++)
    if (!d->held[k]) memset(d->v + s->block[k].row, 0, sizeof *d->v * (size_t)s->block[k].n);
    else (brief ? mean_rates_brief : mean_rates)(d, s, k, state);
  return HN_CONVERGED;
}

/* Sets b to r / h - K p1. */
static void linearise(hn_contact_step *d)
{
  hn_problem *problem = d->problem;
  memset(problem->b, 0, sizeof *problem->b * (size_t)problem->nrow);
  hn_problem_velocities(problem, d->p, d->work, d->v0);
  for (int i = 0; i < problem->nrow; i++) problem->b[i] = d->v[i] - d->v0[i];
}

/* True if the law holds to the tolerance of its solver; or to that of positions, where rounding stops
 * progress. */
static bool is_met(const hn_contact_step *d, double error, double last)
{
  if (error <= met_per_tolerance * d->solver_tolerance) return true;
  return error * d->h <= d->tolerance && error > 0.5 * last;
}

/* Finds p1: velocities that lead to the end of the step. */
static hn_reason find_first(hn_solver *solver, hn_contact_step *d, hn_state *state)
{
  hn_system *s = solver->system;
  double last = HUGE_VAL;
  pose(d, s, state, d->held);
  for (int iteration = 0;; iteration++) {
    int worst;
    hn_reason reason = predict(d, s, state);
    if (reason != HN_CONVERGED) return hn_step_failed(solver, reason, "flight on contacts", -1, 0.0);
    const double error = hn_problem_error(d->problem, false, d->p, d->v, &worst);
    solver->report.residual = error * d->h;
    if (is_met(d, error, last)) return HN_CONVERGED;
    if (iteration >= d->iterations || !(error * d->h < HUGE_RESIDUAL))
      return hn_step_stalled(solver, "joint and contact correction", worst < s->model->njoint ? worst : -1,
                             error * d->h, iteration);
    last = error;
    linearise(d);
    const int doublings = d->solver_tolerance > 0.0 && inexact * error > d->solver_tolerance
                            ? ilogb(inexact * error / d->solver_tolerance)
                            : 0;
    reason = solve(solver, d, ldexp(d->solver_tolerance, doublings), d->p);
    if (reason != HN_CONVERGED && reason != HN_STALLED)
      return reason; /* rows of a prediction may contradict each other */
    solver->report.position_iterations++;
  }
}

/* Notes slips and impulses of the first half for the second, in the axes of body a. */
static void note_contacts(hn_contact_step *d, const hn_system *s)
{
  for (int k = s->model->njoint; k < s->nblock; k++) {
    double *slip = d->slip + 3 * k, *first = d->first + 3 * k;
    vec_set(slip, 0, 0, 0), vec_set(first, 0, 0, 0);
    d->slides[k] = false;
    if (!d->held[k]) continue;
    const hn_block *block = &s->block[k];
    const double *frame = hn_contact_frame(block);
    for (int r = 0; r < block->n; r++) vec_add_scaled(first, d->p[block->row + r], frame + 3 * r);
    for (int r = 1; r < block->n; r++) vec_add_scaled(slip, d->v[block->row + r], frame + 3 * r);
    d->slides[k] = vec_norm(slip) > d->monitor->moving && d->p[block->row] > 0.0;
  }
}

/* ---- At the end: velocities ---------------------------------------------------------------------------- */

/* Copies the impulses of the first half into `before`, contacts to their rows of now, and marks the active
 * blocks. */
static void follow_contacts(hn_contact_step *d, const hn_system *s)
{
  const hn_contact_monitor *m = d->monitor;
  memcpy(d->before, d->p, sizeof *d->p * (size_t)s->model->nrow);
  memset(d->before + s->model->nrow, 0, sizeof *d->p * (size_t)(s->nrow - s->model->nrow));
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    d->active[k] = true;
    if (!hn_is_one_sided(block)) continue;
    const int i = hn_monitor_find(m, block->key);
    const bool was_closed = i >= 0 ? m->start[i].mode != HN_MODE_OPEN
                                   : hn_monitor_continues(m, s, block->key);
    d->active[k] = was_closed && s->g[block->row] <= m->touching;
    if (k < s->model->njoint || i < 0 || m->start[i].a != block->a) continue;
    const double *frame = hn_contact_frame(block);
    const double *first = d->first + 3 * i;
    for (int r = 0; r < block->n; r++) d->before[block->row + r] = vec_dot(first, frame + 3 * r);
  }
}

/* Gives contacts that slide the direction of their mean slip, at which the impulses of the first half are
 * those of the second. A contact that jams has an impulse that would reverse its slip: it is not repeated. */
static void turn_friction(hn_contact_step *d, const hn_system *s)
{
  hn_problem_velocities(d->problem, d->before, d->work, d->v0);
  for (int k = s->model->njoint; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    const int i = d->active[k] && block->n > 1 ? hn_monitor_find(d->monitor, block->key) : -1;
    double change[HN_MAX_ROWS];
    if (i < 0 || d->monitor->start[i].a != block->a || !d->slides[i]) continue;
    for (int r = 1; r < block->n; r++) {
      const double *t = hn_contact_frame(block) + 3 * r;
      change[r] = vec_dot(d->slip + 3 * i, t) - d->v0[block->row + r];
    }
    if (norm_of(change + 1, block->n - 1) > most_change * vec_norm(d->slip + 3 * i)) continue;
    for (int r = 1; r < block->n; r++) d->problem->b[block->row + r] += change[r];
  }
}

/* Finds p2: velocities at the end. */
static hn_reason find_second(hn_solver *solver, void *user, hn_state *state)
{
  hn_contact_step *d = user;
  hn_system *s = solver->system;
  pose(d, s, state, d->active);
  turn_friction(d, s);
  memcpy(d->p, d->before, sizeof *d->p * (size_t)s->nrow);
  for (int k = 0; k < s->nblock; k++)
    if (!d->active[k]) memset(d->p + s->block[k].row, 0, sizeof *d->p * (size_t)s->block[k].n);
  hn_reason reason = solve(solver, d, d->solver_tolerance, d->p);
  solver->report.velocity_iterations++;
  if (reason == HN_CONVERGED) hn_system_apply(s, d->p, 1.0, state);
  return reason;
}

/* True if contact K of the end, number START at the start, has begun to slide by velocities d->v. */
static bool begins_to_slide(const hn_contact_step *d, const hn_system *s, int k, int start)
{
  const hn_block *block = &s->block[k];
  if (!d->active[k] || start < 0 || block->n < 2 || !(d->p[block->row] > 0.0)) return false;
  return d->monitor->start[start].mode == HN_MODE_STICKING && d->monitor->start[start].a == block->a &&
         norm_of(d->v + block->row + 1, block->n - 1) > d->monitor->moving;
}

/* Sets d->g to friction against the slips that begin, in proportion to normal impulses, and marks their
 * contacts by an onset of 0. True if there are any. */
static bool oppose_slips(hn_contact_step *d, const hn_system *s)
{
  bool any = false;
  memset(d->g, 0, sizeof *d->g * (size_t)s->nrow);
  for (int k = s->model->njoint; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    const double *v = d->v + block->row + 1, speed = norm_of(v, block->n - 1);
    const bool begins = begins_to_slide(d, s, k, hn_monitor_find(d->monitor, block->key));
    d->onset[k] = begins ? 0.0 : NAN, any |= begins;
    for (int r = 1; r < block->n && begins; r++) d->g[block->row + r] = -d->p[block->row] * v[r - 1] / speed;
  }
  return any;
}

/* Adds contact K to the sums of its pair: the first half's normal impulse and its friction, and the impulse
 * that would stop the slip. */
static void add_to_pair(const hn_contact_step *d, const hn_system *s, int k, double *push, double across[3],
                        double *excess)
{
  const hn_block *block = &s->block[k];
  const double *frame = hn_contact_frame(block), *v = d->v + block->row + 1;
  const double *first = d->first + 3 * hn_monitor_find(d->monitor, block->key);
  const double normal = vec_dot(first, frame), speed = norm_of(v, block->n - 1);
  double effect = 0.0;
  for (int r = 1; r < block->n; r++) effect -= d->v0[block->row + r] * v[r - 1] / speed;
  *push += normal;
  vec_add(across, across, first);
  vec_add_scaled(across, -normal, frame);
  *excess += effect > 0.0 ? d->p[block->row] * speed / effect : 0.0;
}

/* Finds when slips begin, at STATE after the second half: a pair of shapes holds until its friction is the
 * largest. The margin is M at the start, and -e at the end, where e is the impulse that would stop the slip;
 * its root is at h M / (M + e). e follows from the effect of friction of all such contacts. */
static void find_onsets(hn_contact_step *d, hn_system *s, const hn_state *state)
{
  const int wider = s->model->field_bits;
  hn_system_velocity_residual(s, state, d->v, NULL);
  if (!oppose_slips(d, s)) return;
  memset(d->problem->b, 0, sizeof *d->problem->b * (size_t)s->nrow);
  hn_problem_velocities(d->problem, d->g, d->work, d->v0);
  for (int k = s->model->njoint; k < s->nblock; k++) {
    double push = 0.0, across[3] = { 0.0 }, excess = 0.0;
    if (isnan(d->onset[k])) continue;
    const uint64_t pair = hn_contact_key_pair(wider, s->block[k].key);
    for (int j = k; j < s->nblock && hn_contact_key_pair(wider, s->block[j].key) == pair; j++) {
      if (isnan(d->onset[j])) continue;
      add_to_pair(d, s, j, &push, across, &excess);
      if (j > k) d->onset[j] = NAN; /* one event for each pair */
    }
    const double margin = fmax(s->block[k].joint->set->mu * push - vec_norm(across), 0.0);
    d->onset[k] = margin + excess > 0.0 ? d->h * margin / (margin + excess) : d->h;
  }
}

/* Lists the contacts at the end of the flight. */
static hn_reason arrive(hn_solver *solver, hn_contact_step *d, hn_state *state)
{
  hn_system *s = solver->system;
  hn_state_copy_motion(state, d->trial);
  hn_reason reason = hn_system_begin(s, state);
  if (reason != HN_CONVERGED)
    return hn_step_failed(solver, reason, "contacts at the end of the step", -1, 0.0);
  hn_system_linearise(s, state);
  follow_contacts(d, s);
  return HN_CONVERGED;
}

hn_reason hn_contact_step_advance(hn_solver *solver, hn_contact_step *d, hn_state *state, double h,
                                  double whole)
{
  hn_system *s = solver->system;
  d->h = h, d->whole = whole;
  memcpy(d->g, s->g, sizeof *d->g * (size_t)s->nrow);
  memset(d->p, 0, sizeof *d->p * (size_t)s->nrow);
  if (d->first_part) hn_system_load_impulses(s, state, 0.5, d->p);
  for (int k = 0; k < s->nblock; k++)
    if (!d->held[k]) memset(d->p + s->block[k].row, 0, sizeof *d->p * (size_t)s->block[k].n);
  hn_kick_open(solver, state, 0.5 * h);
  hn_state_copy_motion(d->start, state);
  hn_reason reason = find_first(solver, d, state);
  if (reason != HN_CONVERGED) return reason;
  note_contacts(d, s);
  hn_impulses_note(solver, state, d->p);
  reason = arrive(solver, d, state);
  const double left = met_per_tolerance * d->solver_tolerance;
  if (reason == HN_CONVERGED) reason = hn_kick_close(solver, &d->kick, state, 0.5 * h, left, find_second, d);
  if (reason != HN_CONVERGED) return reason;
  hn_impulses_note(solver, state, d->p);
  find_onsets(d, s, state);
  memset(d->v, 0, sizeof *d->v * (size_t)s->nrow);
  if (!d->first_part) hn_system_load_impulses(s, state, 1.0, d->v);
  for (int i = 0; i < s->nrow; i++) d->p[i] += d->before[i] + d->v[i];
  hn_system_store_impulses(s, d->p, 1.0, state);
  return HN_CONVERGED;
}
