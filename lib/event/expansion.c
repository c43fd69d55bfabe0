/* expansion.c - the expansion of an impact by Poisson's law, with friction (expansion.h).
 *
 *   0 <= v_n, p2_n >= e p1_n, one of them an equality;  |p2_t| <= mu p2_n against the slip
 *
 * Without friction this is a contact problem for q = p2 - e p1, at the velocities after e p1. Friction is
 * bounded by all of p2, so that its cone does not begin at q = 0. There z = p2_t is the limit of an
 * iteration,
 *
 *   T(z) = P(z - v_t / k),  P onto |z| <= mu (e p1_n + q_n),  q, v_t of the problem without friction after z
 *
 * whose fixed point is Coulomb's law, with Anderson acceleration. k is the diagonal of K at the contact times
 * the number of contacts that share a body with it. The iteration begins with z = e p1_t, exact where sliding
 * continues.
 *
 * Where faces touch, q is not unique, and each solution moves it by its rounding error: the bounds of
 * friction move with it, and so do the slips, by 1e-8 m/s. An iteration that has not converged in
 * NEWTON_ROUND rounds is left to Newton's method for q and z together (impact_newton.c), and goes on if
 * that fails. */
#include "contact/anderson.h"
#include "event/expansion.h"
#include "event/impact_problem.h"
#include "event/least_impulses.h"
#include "base/array.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { NEWTON_ROUND = 50, MAX_ROUNDS = 500 };

struct hn_expansion {
  hn_anderson friction;
  double *weight; /* [max_rows] ones */
  hn_impact_newton newton;
  hn_arrays arrays;
};

hn_expansion *hn_expansion_create(const hn_system *s, hn_error *error)
{
  const size_t rows = (size_t)s->max_rows + 1;
  hn_expansion *e = calloc(1, sizeof *e);
  if (!e) return hn_fail(error, "out of memory"), NULL;
  if (hn_arrays_allocate(&e->arrays, error, HN_ARRAY(e->weight, rows)) == 0 &&
      hn_impact_newton_setup(&e->newton, s, error) == 0) {
    for (size_t i = 0; i < rows; i++) e->weight[i] = 1.0;
    if (hn_anderson_create(&e->friction, rows)) return e;
    hn_fail(error, "out of memory");
  }
  hn_expansion_free(e);
  return NULL;
}

void hn_expansion_free(hn_expansion *e)
{
  if (!e) return;
  hn_anderson_free(&e->friction), hn_impact_newton_free(&e->newton);
  hn_arrays_free(&e->arrays);
  free(e);
}

/* Returns the residual that is accepted, m/s. */
static double tolerance_of(const hn_impact *d, int rows)
{
  return 10.0 * hn_contact_tolerance(fmax(d->contact.tolerance, 1e-13), d->v, rows);
}

void hn_expansion_share(hn_impact *d, int rows)
{
  hn_least_impulses_find(&d->expansion->newton, d, tolerance_of(d, rows));
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
  hn_reason reason = hn_impact_solve_problem(solver, d, NULL);
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

/* Solves for q and z together by Newton's method, from q in p and z in `base`, to a residual of TOLERANCE,
 * m/s. False, with D unchanged, if the method fails or rows of moments have friction. */
static bool solve_by_newton(const hn_system *s, hn_impact *d, double tolerance)
{
  hn_impact_newton *w = &d->expansion->newton;
  hn_problem *problem = d->problem;
  const size_t size = sizeof *d->rate * (size_t)s->nrow;
  w->share = w->least_regularisation = 0.0;
  for (int k = 0; k < s->nblock; k++) {
    const bool friction = has_friction(d, s, k);
    if (friction && s->block[k].n > 3) return false;
    w->takes_part[k] = problem->block[k].set.kind != HN_WITHIN;
    w->given[k] = friction ? d->more[s->block[k].row] : 0.0, w->mu[k] = s->block[k].joint->set->mu;
  }
  /* velocities after p1 and e p1_n */
  for (int i = 0; i < s->nrow; i++) d->trial[i] = d->first[i] + d->more[i];
  memcpy(problem->b, d->v, size);
  hn_problem_velocities(problem, d->trial, d->work, d->rate);
  memcpy(problem->b, d->rate, size);
  for (int i = 0; i < s->nrow; i++) w->p[i] = d->p[i] + d->base[i] - d->more[i];
  if (!hn_impact_newton_begin(w, d) || !hn_impact_newton_iterate(w, d, tolerance) ||
      !hn_impact_newton_end(w, d, 2.0 * tolerance))
    return false;
  for (int k = 0; k < s->nblock; k++)
    for (int r = 0, i = s->block[k].row; r < s->block[k].n; r++, i++) {
      const bool friction = w->given[k] > 0.0 && r > 0;
      d->p[i] = friction ? 0.0 : w->p[i];
      if (friction) d->base[i] = w->p[i];
    }
  return true;
}

/* Expansion with friction: from p1 in `first` and e p1_n in `more` to q in p and the rest of p2 in `base`.
 * Slips of redundant contacts that contradict each other leave a residual, which no round reduces. */
static hn_reason expand_with_friction(hn_solver *solver, hn_impact *d)
{
  const hn_system *s = solver->system;
  const double tolerance = tolerance_of(d, s->nrow);
  hn_expansion *e = d->expansion;
  hn_reason reason = HN_CONVERGED;
  int worst = -1;
  for (int k = 0; k < s->nblock; k++)
    for (int r = s->block[k].row + 1; r < s->block[k].row + s->block[k].n && has_friction(d, s, k); r++)
      d->base[r] = d->first[r] * (d->more[s->block[k].row] / d->first[s->block[k].row]);
  hn_anderson_reset(&e->friction);
  switch_friction(d, s, false);
  for (int round = 0; reason == HN_CONVERGED; round++) {
    reason = expand(solver, d);
    if (reason != HN_CONVERGED) break;
    const double off = iterate_friction(d, s, &worst);
    if (off <= tolerance) break;
    if (round == NEWTON_ROUND && solve_by_newton(s, d, tolerance)) break;
    if (round == MAX_ROUNDS && off <= hn_impact_contradiction(d)) {
      solver->report.contradictions++;
      break;
    }
    if (round == MAX_ROUNDS || isnan(off))
      reason = hn_step_missed(
        solver, "contact_tolerance", tolerance,
        hn_step_stalled(solver, "friction in the expansion of an impact", worst, off, round)),
      solver->report.sufficient = 0.1 * off; /* the tolerance here is 10 times the setting */
    hn_anderson_step(&e->friction, s->nrow, e->weight, d->trial, d->base);
  }
  switch_friction(d, s, true);
  return reason;
}

hn_reason hn_expansion_solve(hn_solver *solver, hn_impact *d)
{
  bool friction = false;
  for (int k = 0; k < solver->system->nblock; k++) friction |= has_friction(d, solver->system, k);
  return friction ? expand_with_friction(solver, d) : expand(solver, d);
}
