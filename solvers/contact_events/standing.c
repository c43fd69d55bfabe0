/* standing.c - the impulse step of what stands, slides or rolls on something, and is joined.
 *
 *   half a kick of forces
 *   find p1:  the law of contact (contact.h), with r / h for velocities, of all rows that are held:   at t
 *             r of a joint    g(flight_h(q, u + W G' p1)) - (1 - h / H) g(q), as in impulse/rattle.c
 *             r of a gap      its end, less min(g(q), 0): it may close, and open
 *             r of friction   the slip on the way
 *   repeat    predict;  K p1' + r / h - K p1 takes the place of K p + b
 *   move, and half a kick of forces
 *   find p2:  the law of contact with the velocities at t + h, for what is still closed
 *
 * Each half of the step has a cone of its own, and is the mirror image of the other: order 2. What slides on the way
 * slides at the end in the same direction, that of the mean slip: there v_t + slip / h - v_t' is in the place of v_t,
 * v_t' what it would be with p2 = p1, and as large. So even and curved slides have the friction of their middle, and
 * what slides evenly is exact; when it stops is an event for whoever makes the steps. Gaps on the way are those of the
 * shapes, found anew, not of the frames of the beginning: what goes over a round body keeps to it.
 * H is the length of the steps of which this one may be a part: over H what tolerances have left of joints is taken
 * back. [after bender2005, section 4.4, whose contacts are swept; schmitt2005, section 4, for joints] */
#include "contact_events/standing.h"
#include "impulse/correction.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const hn_set nothing = { .kind = HN_WITHIN }; /* of impulses: 0 alone */
static const double inexact =
  0.03; /* of an error of positions, the error of the problem that is to remove it */
static const double brevity =
  1e-4; /* of a step: in less of it rates say more than differences of positions */

int hn_standing_setup(hn_solver *solver, hn_standing *d, const hn_contact_options *contact, hn_error *error)
{
  const hn_system *s = solver->system;
  const size_t rows = (size_t)s->most_rows + 1, blocks = (size_t)s->most_blocks + 1;
  d->law = hn_contact_solver_for(solver->system, contact, error);
  if (!d->law || !(d->problem = hn_problem_create(s, error)) || hn_kick_setup(solver, &d->kick, error))
    return -1;
  d->tight = d->law->options.tolerance;
  d->start = hn_state_create(s->model), d->trial = hn_state_create(s->model);
  double **const array[] = { &d->p, &d->before, &d->g, &d->v, &d->v0 };
  for (size_t i = 0; i < sizeof array / sizeof *array; i++)
    if (!(*array[i] = calloc(rows, sizeof(double)))) return hn_fail(error, "out of memory");
  d->slip = calloc(3 * blocks, sizeof *d->slip), d->first = calloc(3 * blocks, sizeof *d->first);
  d->slides = calloc(blocks, sizeof *d->slides), d->takes = calloc(blocks, sizeof *d->takes);
  d->work = calloc(6 * (size_t)s->model->nbody, sizeof *d->work);
  const bool made = d->start && d->trial && d->slip && d->first && d->slides && d->takes && d->work;
  return made ? 0 : hn_fail(error, "out of memory");
}

void hn_standing_free(hn_standing *d)
{
  hn_contact_solver_free(d->law);
  hn_problem_free(d->problem);
  hn_kick_free(&d->kick);
  hn_state_free(d->start), hn_state_free(d->trial);
  free(d->p), free(d->before), free(d->g), free(d->v), free(d->v0);
  free(d->slip), free(d->first), free(d->slides), free(d->takes), free(d->work);
}

/* The problem of half a step, with the velocities of STATE in b; what is left out gets no impulse. */
static void pose(hn_standing *d, hn_system *s, const hn_state *state, const bool *takes)
{
  hn_problem_pose(d->problem, s, state, 0.5 * d->h);
  for (int k = 0; k < s->nblock; k++)
    if (!takes[k]) d->problem->block[k].set = nothing;
}

/* The problem as it stands, to TOLERANCE whoever solves it: who goes on with one of its own would take
 * what the one before has left. */
static hn_reason solve(hn_solver *solver, hn_standing *d, double tolerance, double *p)
{
  hn_contact_solver_aim(d->law, tolerance);
  hn_reason reason = hn_contact_solve(d->law, d->problem, p);
  if (reason == HN_CONVERGED || (reason == HN_BUDGET && d->law->options.tolerance == 0.0))
    return HN_CONVERGED;
  const char *what = d->law->message ? d->law->message : "problem of contact";
  return reason == HN_BUDGET ? hn_step_stalled(solver, what, -1, d->law->error, d->law->iterations)
                             : hn_step_failed(solver, reason, what, -1, d->law->error);
}

/* ---- To the end of the step: positions --------------------------------------------------------------------------- */

/* The gap of a contact at the end, of the shapes; FROZEN, of the frame of the beginning, where it is no more near. */
static double gap_there(const hn_standing *d, uint64_t key, double frozen)
{
  const int k = hn_nearby_block(d->nearby->look, key);
  return k < 0 ? frozen : d->nearby->look->g[d->nearby->look->block[k].row];
}

/* What of the residual g of a row at the start is to be left after H. */
static double kept(const hn_standing *d, const hn_block *block, int i)
{
  const double g = d->g[block->row + i];
  if (hn_is_one_sided(block))
    return i == 0 ? fmin(g, 0.0) : 0.0; /* a push out of it would not be taken back */
  return (1.0 - d->h / d->whole) * g;
}

/* r / h of block K into v, from the velocities after p1 in FROM to their flight. */
static void rates_on_the_way(hn_standing *d, hn_system *s, int k, const hn_state *from)
{
  const hn_block *block = &s->block[k];
  double *r = d->v + block->row;
  hn_system_block_step_residual(s, k, from, d->trial, d->h, r);
  if (k >= s->model->njoint) r[0] = gap_there(d, block->key, r[0]);
  for (int i = 0; i < block->n; i++)
    r[i] = (block->joint->type->velocity ? r[i] : r[i] - kept(d, block, i)) / d->h;
}

/* The same in a part so short that differences of positions over it are rounding: the mean of the rates at its ends. */
static void mean_rates(hn_standing *d, hn_system *s, int k, const hn_state *from)
{
  const hn_block *block = &s->block[k];
  const int there = hn_nearby_block(d->nearby->look, block->key);
  double *r = d->v + block->row, end[HN_MAX_ROWS];
  hn_system_block_velocity(s, k, from, r);
  memcpy(end, r, sizeof end[0] * (size_t)block->n);
  if (there >= 0) hn_system_block_velocity(d->nearby->look, there, d->trial, end);
  for (int i = 0; i < block->n; i++) {
    const bool position = !block->joint->type->velocity && (i == 0 || !hn_is_one_sided(block));
    r[i] = 0.5 * (r[i] + end[i]) + (position ? (d->g[block->row + i] - kept(d, block, i)) / d->h : 0.0);
  }
}

/* Velocities after p1 into STATE, their flight into trial, and r / h of what is held into v. */
static hn_reason predict(hn_standing *d, hn_system *s, hn_state *state)
{
  memcpy(state->twist, d->start->twist, sizeof *state->twist * (size_t)state->nbody);
  hn_system_apply(s, d->p, 1.0, state);
  hn_system_flight(s, state, d->h, d->trial);
  if (!hn_state_finite(d->trial)) return HN_NOT_FINITE;
  hn_reason reason = hn_system_begin(d->nearby->look, d->trial);
  if (reason != HN_CONVERGED) return reason;
  const bool brief = d->h < brevity * d->whole;
  if (brief) hn_system_linearise(d->nearby->look, d->trial);
  else hn_system_residual(d->nearby->look, d->trial, NULL);
  for (int k = 0; k < s->nblock; k++)
    if (!d->nearby->held[k]) memset(d->v + s->block[k].row, 0, sizeof *d->v * (size_t)s->block[k].n);
    else (brief ? mean_rates : rates_on_the_way)(d, s, k, state);
  return HN_CONVERGED;
}

/* b := r / h - K p1. */
static void linearise(hn_standing *d)
{
  hn_problem *problem = d->problem;
  memset(problem->b, 0, sizeof *problem->b * (size_t)problem->nrow);
  hn_problem_velocities(problem, d->p, d->work, d->v0);
  for (int i = 0; i < problem->nrow; i++) problem->b[i] = d->v[i] - d->v0[i];
}

/* Is the law met, to what its solver leaves? Where it gets no nearer, which is by rounding, to the tolerance. */
static bool is_met(const hn_standing *d, double error, double last)
{
  if (error <= 10.0 * d->tight) return true;
  return error * d->h <= d->tolerance && error > 0.5 * last;
}

static hn_reason find_first(hn_solver *solver, hn_standing *d, hn_state *state)
{
  hn_system *s = solver->system;
  double last = HUGE_VAL;
  pose(d, s, state, d->nearby->held);
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
    const int doublings = d->tight > 0.0 && inexact * error > d->tight ? ilogb(inexact * error / d->tight)
                                                                       : 0;
    reason = solve(solver, d, ldexp(d->tight, doublings), d->p);
    if (reason != HN_CONVERGED && reason != HN_STALLED)
      return reason; /* on the way rows may contradict each other */
    solver->report.position_iterations++;
  }
}

/* What of contacts goes on to the end: slip, and impulse, in the axes of a. */
static void note_contacts(hn_standing *d, const hn_system *s)
{
  const hn_nearby *nearby = d->nearby;
  for (int i = 0; i < nearby->count; i++) {
    const int k = hn_nearby_block(s, nearby->near[i].key);
    double *slip = d->slip + 3 * i, *first = d->first + 3 * i;
    vec_set(slip, 0, 0, 0), vec_set(first, 0, 0, 0);
    d->slides[i] = false;
    if (k < s->model->njoint || !d->nearby->held[k]) continue;
    const hn_block *block = &s->block[k];
    const double *frame = ((const hn_contact *)block->joint->data)->frame;
    for (int r = 0; r < block->n; r++) vec_add_scaled(first, d->p[block->row + r], frame + 3 * r);
    for (int r = 1; r < block->n; r++) vec_add_scaled(slip, d->v[block->row + r], frame + 3 * r);
    d->slides[i] = vec_norm(slip) > nearby->moving && d->p[block->row] > 0.0;
  }
}

/* ---- At the end: velocities -------------------------------------------------------------------------------------- */

/* Impulses of the joints stay in `before`; those of contacts go to what is listed now. And what takes part. */
static void follow_contacts(hn_standing *d, const hn_system *s)
{
  const hn_nearby *nearby = d->nearby;
  memcpy(d->before, d->p, sizeof *d->p * (size_t)s->model->nrow);
  memset(d->before + s->model->nrow, 0, sizeof *d->p * (size_t)(s->nrow - s->model->nrow));
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    d->takes[k] = true;
    if (!hn_is_one_sided(block)) continue;
    const hn_near *near = hn_nearby_find(nearby, block->key);
    const bool was_held = near ? near->kind == HN_NEAR_HELD : hn_nearby_pair_held(nearby, block->key);
    d->takes[k] = was_held && s->g[block->row] <= nearby->touching;
    if (k < s->model->njoint || !near || near->a != block->a) continue;
    const double *frame = ((const hn_contact *)block->joint->data)->frame;
    const double *first = d->first + 3 * (near - nearby->near);
    for (int r = 0; r < block->n; r++) d->before[block->row + r] = vec_dot(first, frame + 3 * r);
  }
}

/* What slides on the way has the direction of its middle. */
static void turn_friction(hn_standing *d, const hn_system *s)
{
  const hn_nearby *nearby = d->nearby;
  hn_problem_velocities(d->problem, d->before, d->work, d->v0);
  for (int k = s->model->njoint; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    const hn_near *near = d->takes[k] && block->n > 1 ? hn_nearby_find(nearby, block->key) : NULL;
    const long i = near ? near - nearby->near : -1;
    if (!near || near->a != block->a || !d->slides[i]) continue;
    for (int r = 1; r < block->n; r++) {
      const double *t = ((const hn_contact *)block->joint->data)->frame + 3 * r;
      d->problem->b[block->row + r] += vec_dot(d->slip + 3 * i, t) - d->v0[block->row + r];
    }
  }
}

static hn_reason find_second(hn_solver *solver, void *user, hn_state *state)
{
  hn_standing *d = user;
  hn_system *s = solver->system;
  pose(d, s, state, d->takes);
  turn_friction(d, s);
  memcpy(d->p, d->before, sizeof *d->p * (size_t)s->nrow);
  for (int k = 0; k < s->nblock; k++)
    if (!d->takes[k]) memset(d->p + s->block[k].row, 0, sizeof *d->p * (size_t)s->block[k].n);
  hn_reason reason = solve(solver, d, d->tight, d->p);
  solver->report.velocity_iterations++;
  if (reason == HN_CONVERGED) hn_system_apply(s, d->p, 1.0, state);
  return reason;
}

/* Lists what is there at the end of the flight. */
static hn_reason arrive(hn_solver *solver, hn_standing *d, hn_state *state)
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

hn_reason hn_standing_step(hn_solver *solver, hn_standing *d, hn_state *state, double h, double whole)
{
  hn_system *s = solver->system;
  d->h = h, d->whole = whole;
  memcpy(d->g, s->g, sizeof *d->g * (size_t)s->nrow);
  memset(d->p, 0, sizeof *d->p * (size_t)s->nrow);
  if (d->fresh) hn_system_warm(s, state, 0.5, d->p);
  for (int k = 0; k < s->nblock; k++)
    if (!d->nearby->held[k]) memset(d->p + s->block[k].row, 0, sizeof *d->p * (size_t)s->block[k].n);
  hn_kick_open(solver, state, 0.5 * h);
  hn_state_copy_motion(d->start, state);
  hn_reason reason = find_first(solver, d, state);
  if (reason != HN_CONVERGED) return reason;
  note_contacts(d, s);
  reason = arrive(solver, d, state);
  const double left = 10.0 * d->tight;
  if (reason == HN_CONVERGED) reason = hn_kick_close(solver, &d->kick, state, 0.5 * h, left, find_second, d);
  if (reason != HN_CONVERGED) return reason;
  memset(d->v, 0, sizeof *d->v * (size_t)s->nrow);
  if (!d->fresh) hn_system_warm(s, state, 1.0, d->v);
  for (int i = 0; i < s->nrow; i++) d->p[i] += d->before[i] + d->v[i];
  hn_system_keep(s, d->p, 1.0, state);
  return HN_CONVERGED;
}
