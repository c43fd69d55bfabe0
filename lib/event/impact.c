/* impact.c - simultaneous impacts (parts.h).
 *
 *   v = G u + bias of all rows; contact problems (contact.h) with K = G W G' of joints, and of limits and
 *       contacts that are closed
 *   Newton:   target -e v_n of rows that close faster than the threshold; one problem
 *   Poisson:  p1 with target 0 (compression);  then p2 (expansion) by
 *               0 <= v_n, p2_n >= e p1_n, one of them an equality;  |p2_t| <= mu p2_n against the slip
 *             e is 0 where k_nn p1_n, the speed of closing of a single contact, is below the threshold
 *
 * Without friction the second problem is a contact problem for q = p2 - e p1, at the velocities after e
 * p1. Friction is bounded by all of p2, so that its cone does not begin at q = 0. There z = p2_t is the
 * limit of an iteration,
 *
 *   T(z) = P(z - v_t / k),  P onto |z| <= mu (e p1_n + q_n),  q, v_t of the problem without friction after z
 *
 * whose fixed point is Coulomb's law, with Anderson acceleration. k is the diagonal of K at the contact
 * times the number of contacts that share a body with it. The iteration begins with z = e p1_t, exact
 * where sliding continues. Poisson's law transmits impulses through rows of resting bodies, by p1;
 * Newton's can add energy to an oblique impact with friction (Kane and Levinson 1985). Neither makes a row
 * of n balls collide one after the other. [bender2005, section 4.4, there without friction; Pfeiffer and
 * Glocker 1996, chapter 8; Anitescu and Potra 1997]
 *
 * Of two solutions of a compression the one of least kinetic energy is taken, island by island
 * (contact/problem_islands.c). Every compression starts from p = 0 and from sticking contacts, never from
 * earlier steps, so rounding does not decide between the two. */
#include "parts.h"
#include "contact/anderson.h"
#include "contact/block_rows.h"
#include "contact/problem_islands.h"
#include "event/contact_impulses.h"
#include "base/array.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROUNDS = 500 }; /* of the iteration for friction in the expansion */

/* m/s: bound on the residual that is accepted where redundant contacts contradict each other. */
static const double max_contradiction = 1e-9;
static const hn_set no_impulse = { .kind = HN_WITHIN };

int hn_impact_setup(hn_solver *solver, hn_impact *d, hn_error *error)
{
  const hn_system *s = solver->system;
  const size_t rows = (size_t)s->max_rows + 1;
  hn_system_set_impact_law(solver->system, NULL); /* impacts are treated here */
  d->solver = hn_contact_solver_for(solver->system, &d->contact, error);
  if (!d->solver || !(d->problem = hn_problem_create(s, error))) return -1;
  if (!(d->islands = hn_problem_islands_create(&d->solver->most, error))) return -1;
  hn_arrays arrays = { .first = NULL };
  const int status = hn_arrays_allocate(
    &arrays, error, HN_ARRAY(d->p, rows), HN_ARRAY(d->v, rows), HN_ARRAY(d->first, rows),
    HN_ARRAY(d->more, rows), HN_ARRAY(d->base, rows), HN_ARRAY(d->trial, rows), HN_ARRAY(d->rate, rows),
    HN_ARRAY(d->weight, rows), HN_ARRAY(d->friction, 1), HN_ARRAY(d->work, 6 * s->model->nbody));
  d->arrays = arrays.first;
  if (status) return -1;
  for (size_t i = 0; i < rows; i++) d->weight[i] = 1.0;
  return hn_anderson_create(d->friction, rows) ? 0 : hn_fail(error, "out of memory");
}

void hn_impact_free(hn_impact *d)
{
  hn_contact_solver_free(d->solver);
  hn_problem_free(d->problem), hn_problem_islands_free(d->islands);
  if (d->friction) hn_anderson_free(d->friction);
  hn_arrays_free(&(hn_arrays){ .first = d->arrays });
}

static bool is_gone(const hn_impact *d, const hn_system *s, int k)
{
  return d->gone && k < s->model->njoint && d->gone[k];
}

static bool touches(const hn_impact *d, const hn_system *s, int k)
{
  return !is_gone(d, s, k) && hn_is_one_sided(&s->block[k]) && s->g[s->block[k].row] <= d->touching;
}

static double restitution_of(const hn_system *s, int k)
{
  return s->block[k].joint->set->restitution;
}

/* Poses the problem of the impact, with the velocities before it in b and in v. */
static void pose(hn_impact *d, hn_system *s, const hn_state *state)
{
  hn_problem_assemble(d->problem, s, state, 0.0);
  memcpy(d->v, d->problem->b, sizeof *d->v * (size_t)s->nrow);
  for (int k = 0; k < s->nblock; k++)
    if (is_gone(d, s, k)) d->problem->block[k].set = no_impulse;
    else if (s->block[k].joint->set->kind == HN_WITHIN && isinf(s->block[k].joint->set->upper))
      d->problem->block[k].set.kind = HN_ANY; /* a motor without a limit */
    else if (s->block[k].joint->set->kind != HN_ANY && !touches(d, s, k))
      d->problem->block[k].set = no_impulse;
}

double hn_impact_closing(hn_solver *solver, hn_impact *d, const hn_state *state)
{
  hn_system *s = solver->system;
  double fastest = 0.0;
  hn_system_velocity_residual(s, state, d->v, NULL);
  for (int k = 0; k < s->nblock; k++)
    if (touches(d, s, k)) fastest = fmax(fastest, -d->v[s->block[k].row]);
  return fastest;
}

/* Returns the residual, m/s, that is accepted if redundant contacts contradict each other. */
static double contradiction_of(const hn_impact *d)
{
  return fmin(hn_contradiction * d->solver->options.tolerance, max_contradiction);
}

/* Solves the problem from d->p, which becomes its solution. AMBIGUOUS: see hn_problem_islands_solve. If
 * redundant contacts contradict each other by less than the tolerance of gaps, the best impulses found are
 * accepted. */
static hn_reason solve(hn_solver *solver, hn_impact *d, int *ambiguous)
{
  hn_reason reason = hn_problem_islands_solve(d->islands, d->solver, d->problem, d->p, ambiguous);
  solver->report.velocity_iterations += d->solver->iterations;
  if (reason == HN_CONVERGED || (reason == HN_BUDGET && d->solver->options.tolerance == 0.0))
    return HN_CONVERGED;
  const bool is_near = hn_is_met_within(d->problem, d->p, contradiction_of(d), d->work, d->rate);
  if (is_near && (reason == HN_STALLED || reason == HN_BUDGET)) {
    solver->report.contradictions++;
    return HN_CONVERGED;
  }
  return hn_step_contact_failed(solver, d->solver, reason, "impact");
}

static hn_reason by_newton(hn_solver *solver, hn_impact *d)
{
  const hn_system *s = solver->system;
  for (int k = 0; k < s->nblock; k++) {
    const int row = s->block[k].row;
    const double target = touches(d, s, k)
                            ? hn_newton_impact(s->block[k].joint->set, s->model->threshold, d->v[row])
                            : 0.0;
    d->any |= target > 0.0;
    d->problem->b[row] -= target;
  }
  return solve(solver, d, &d->ambiguous);
}

/* Computes the normal impulses of restitution e p1_n into `more`; 0 in all other rows. */
static void restitute(hn_impact *d, const hn_system *s)
{
  double K[HN_MAX_ROWS * HN_MAX_ROWS];
  memset(d->more, 0, sizeof *d->more * (size_t)s->nrow);
  for (int k = 0; k < s->nblock; k++) {
    const int row = s->block[k].row;
    if (!touches(d, s, k) || !(restitution_of(s, k) > 0.0) || !(d->first[row] > 0.0)) continue;
    hn_problem_diagonal(d->problem, k, K);
    if (!(K[0] * d->first[row] > s->model->threshold)) continue;
    d->more[row] = restitution_of(s, k) * d->first[row];
    d->any = true;
  }
}

/* True if the expansion of block K has friction. */
static bool has_friction(const hn_impact *d, const hn_system *s, int k)
{
  const hn_set *set = s->block[k].joint->set;
  return d->more[s->block[k].row] > 0.0 && set->kind == HN_CONE && set->mu > 0.0;
}

/* Takes friction of the expansion out of the problem, or into it again: q has none of its own. */
static void switch_friction(hn_impact *d, const hn_system *s, bool on)
{
  for (int k = 0; k < s->nblock; k++)
    if (has_friction(d, s, k)) d->problem->block[k].set.mu = on ? s->block[k].joint->set->mu : 0.0;
}

/* Solves for q, into p, at the velocities after p1 and the impulses in `base`; `rate` becomes the
 * velocities after q. */
static hn_reason expand(hn_solver *solver, hn_impact *d)
{
  hn_problem *problem = d->problem;
  for (int i = 0; i < problem->nrow; i++) d->trial[i] = d->first[i] + d->base[i];
  memcpy(problem->b, d->v, sizeof *d->v * (size_t)problem->nrow);
  hn_problem_velocities(problem, d->trial, d->work, d->rate);
  memcpy(problem->b, d->rate, sizeof *d->rate * (size_t)problem->nrow);
  hn_reason reason = solve(solver, d, NULL);
  hn_problem_velocities(problem, d->p, d->work, d->rate);
  return reason;
}

/* True if BODY moves and is one of BLOCK. */
static bool moves_with(const hn_system *s, int body, const hn_block *block)
{
  return s->model->body[body].kind != HN_FIXED && (body == block->a || body == block->b);
}

/* Returns the number of contacts with friction that share a moving body with block K, itself included. */
static int neighbours(const hn_impact *d, const hn_system *s, int k)
{
  const hn_block *one = &s->block[k];
  int count = 0;
  for (int i = s->model->njoint; i < s->nblock; i++)
    count += has_friction(d, s, i) &&
             (moves_with(s, one->a, &s->block[i]) || moves_with(s, one->b, &s->block[i]));
  return count > 0 ? count : 1;
}

/* Computes T(z) of all friction into `trial`, z in `base`; returns the largest residual, m/s, and its block
 * in *WORST. */
static double iterate_friction(hn_impact *d, const hn_system *s, int *worst)
{
  double largest = 0.0;
  memcpy(d->trial, d->base, sizeof *d->trial * (size_t)s->nrow);
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    if (!has_friction(d, s, k)) continue;
    const double step = 1.0 / (neighbours(d, s, k) * hn_problem_scale(d->problem, k));
    double *z = d->trial + block->row + 1, change = 0.0;
    for (int r = 0; r < block->n - 1; r++) z[r] -= step * d->rate[block->row + 1 + r];
    const double most = block->joint->set->mu * (d->more[block->row] + d->p[block->row]);
    const double size = norm_of(z, block->n - 1);
    for (int r = 0; r < block->n - 1; r++) {
      if (size > most) z[r] *= most / size;
      change = fmax(change, fabs(z[r] - d->base[block->row + 1 + r]) / step);
    }
    if (exceeds(change, largest)) largest = change, *worst = k;
  }
  return largest;
}

/* Expansion with friction: from p1 in `first` and e p1_n in `more` to q in p and the rest of p2 in `base`.
 * Slips of redundant contacts that contradict each other leave a residual, which no round reduces. */
static hn_reason expand_with_friction(hn_solver *solver, hn_impact *d)
{
  const hn_system *s = solver->system;
  const double tolerance = 10.0 * hn_contact_tolerance(fmax(d->contact.tolerance, 1e-13), d->v, s->nrow);
  hn_reason reason = HN_CONVERGED;
  int worst = -1;
  for (int k = 0; k < s->nblock; k++)
    for (int r = s->block[k].row + 1; r < s->block[k].row + s->block[k].n && has_friction(d, s, k); r++)
      d->base[r] = d->first[r] * (d->more[s->block[k].row] / d->first[s->block[k].row]);
  hn_anderson_reset(d->friction);
  switch_friction(d, s, false);
  for (int round = 0; reason == HN_CONVERGED; round++) {
    reason = expand(solver, d);
    if (reason != HN_CONVERGED) break;
    const double off = iterate_friction(d, s, &worst);
    if (off <= tolerance) break;
    if (round == MAX_ROUNDS && off <= contradiction_of(d)) {
      solver->report.contradictions++;
      break;
    }
    if (round == MAX_ROUNDS || isnan(off))
      reason = hn_step_missed(
        solver, "contact_tolerance", tolerance,
        hn_step_stalled(solver, "friction in the expansion of an impact", worst, off, round)),
      solver->report.sufficient = 0.1 * off; /* the tolerance here is 10 times the setting */
    hn_anderson_step(d->friction, s->nrow, d->weight, d->trial, d->base);
  }
  switch_friction(d, s, true);
  return reason;
}

static hn_reason by_poisson(hn_solver *solver, hn_impact *d)
{
  const hn_system *s = solver->system;
  const size_t size = sizeof *d->p * (size_t)s->nrow;
  bool friction = false;
  hn_reason reason = solve(solver, d, &d->ambiguous);
  if (reason != HN_CONVERGED) return reason;
  memcpy(d->first, d->p, size);
  restitute(d, s);
  if (!d->any) return HN_CONVERGED;
  for (int k = 0; k < s->nblock; k++) friction |= has_friction(d, s, k);
  memcpy(d->base, d->more, size);
  memset(d->p, 0, size);
  reason = friction ? expand_with_friction(solver, d) : expand(solver, d);
  for (int i = 0; i < s->nrow; i++) d->p[i] += d->first[i] + d->base[i];
  return reason;
}

hn_reason hn_impact_solve(hn_solver *solver, hn_impact *d, hn_state *state)
{
  hn_system *s = solver->system;
  d->any = false;
  memset(d->p, 0, sizeof *d->p * (size_t)s->nrow);
  pose(d, s, state);
  hn_reason reason = d->restitution == HN_NEWTON ? by_newton(solver, d) : by_poisson(solver, d);
  if (reason != HN_CONVERGED) return reason;
  hn_system_apply(s, d->p, 1.0, state);
  hn_impulses_note(solver, state, d->p);
  return HN_CONVERGED;
}
