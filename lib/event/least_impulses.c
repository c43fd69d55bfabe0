/* least_impulses.c - see least_impulses.h.
 *
 * Impulses of redundant contacts are not unique, though velocities are: p + n with G' n = 0 is a solution as
 * well, inside the cones. An expansion that returns a part of every normal impulse makes a difference between
 * them: four corners of a face that strikes flat would be thrown back by different amounts, chosen by the
 * contact solver and by rounding. So the expansion begins with the impulses of least norm, sum k |p|^2, with
 * the mean diagonals k of K. A symmetric impact then remains symmetric.
 *
 *   solve   v + e k p in the place of v, e = 1e-5:  shared impulses, near those of least norm
 *   solve   v itself from there, by steps of least norm:  -(K + e k)^-1 F in place of -K^-1 F
 *
 * Each iteration of the second part reduces the error by a factor of about e; a smaller e would leave rounding
 * errors of 1e-16 / e in the shares. Accepted if the velocities are those before: with friction the first part
 * may lead to another solution of the impact. Bodies that no impulse has struck are left out. [Tikhonov's
 * regularisation; Ben-Israel and Greville, Generalized Inverses, 2003] */
#include "event/least_impulses.h"
#include "contact/block_rows.h"

#include <math.h>
#include <string.h>

static const double share = 1e-5; /* e */
/* m/s: velocities that differ by no more are equal; redundant contacts contradict each other by less */
static const double same_velocity = 1e-9;

static bool is_struck(const hn_problem_block *block, const double *p)
{
  for (int r = 0; r < block->n; r++)
    if (p[block->row + r] != 0.0) return true;
  return false;
}

/* Marks the blocks of bodies that are struck. Returns the number of struck contacts and limits. */
static int mark_struck(hn_impact_newton *w, const hn_problem *problem, const double *p)
{
  int count = 0;
  memset(w->struck, 0, sizeof *w->struck * (size_t)problem->nbody);
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    if (!is_struck(block, p)) continue;
    count += block->set.kind != HN_ANY;
    for (int side = 0; side < 2; side++)
      if (hn_rows_moves(problem, block, side)) w->struck[side ? block->b : block->a] = true;
  }
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    w->takes_part[k] = block->set.kind != HN_WITHIN && (w->struck[block->a] || w->struck[block->b]);
    w->given[k] = 0.0, w->mu[k] = block->set.mu;
  }
  return count;
}

/* Returns the largest difference of the velocities w->v to V. */
static double velocity_change(const hn_impact_newton *w, const double *v, int n)
{
  double most = 0.0;
  for (int i = 0; i < n; i++)
    if (!(fabs(w->v[i] - v[i]) <= most)) most = fabs(w->v[i] - v[i]);
  return most;
}

void hn_least_impulses_find(hn_impact_newton *w, hn_impact *d, double tolerance)
{
  const hn_problem *problem = d->problem;
  const size_t size = sizeof *d->p * (size_t)problem->nrow;
  if (mark_struck(w, problem, d->p) < 2) return;
  memcpy(w->p, d->p, size);
  hn_problem_velocities(problem, d->p, d->work, d->rate);
  if (!hn_impact_newton_begin(w, d)) return;
  w->share = w->least_regularisation = share;
  if (!hn_impact_newton_iterate(w, d, tolerance)) return;
  w->share = 0.0;
  if (!hn_impact_newton_iterate(w, d, tolerance)) {
    w->least_regularisation = 0.0; /* contacts that contradict each other */
    if (!hn_impact_newton_iterate(w, d, tolerance)) return;
  }
  if (!hn_impact_newton_end(w, d, 2.0 * tolerance)) return;
  if (velocity_change(w, d->rate, problem->nrow) <= same_velocity) memcpy(d->p, w->p, size);
}
