/* least_impulses.c - see least_impulses.h.
 *
 * Impulses of redundant contacts are not unique, though velocities are: p + n with G' n = 0 is a solution as
 * well, inside the cones. An expansion that returns a part of every normal impulse makes a difference between
 * them: four corners of a face that strikes flat would be thrown back by different amounts, chosen by the
 * contact solver and by rounding. So the expansion begins with the impulses of least norm, sum k |p|^2, with
 * the mean diagonals k of K. A symmetric impact then remains symmetric.
 *
 *   solve   v + e k p in the place of v, from e = 1 to 1e-4: contacts that yield, less and less
 *   solve   v itself from there, by steps of least norm:  -(K + e k)^-1 F in place of -K^-1 F
 *
 * With e = 1 the solution is unique; each e starts from the solution of the one before. Each iteration of
 * the second part reduces the error by a factor of about e; a smaller e would leave rounding errors of
 * 1e-16 / e in the shares. With friction, contacts that yield may lead to another solution than d->p. It is
 * taken unless d->p has less energy by more than `less_energy` of what the impact takes: solutions of
 * nearly the same energy branch off each other, and mirror images have the same. Cost: that of
 * impact_newton.c, for every island with two contacts or more. [Tikhonov's regularisation; Allgower and
 * Georg, Numerical Continuation Methods, 1990] */
#include "event/least_impulses.h"
#include "contact/block_rows.h"
#include "contact/problem_islands.h"

#include <math.h>
#include <string.h>

/* of e, with the ratio of its steps: at first, and where they end */
static const double first_share = 1.0, last_share = 1e-4, share_ratio = 0.1, longest_ratio = 0.9;
static const double less_energy = 0.1;

/* True if an impulse of the block is not 0. */
static bool is_struck(const hn_problem_block *block, const double *p)
{
  for (int r = 0; r < block->n; r++)
    if (p[block->row + r] != 0.0) return true;
  return false;
}

/* Sets the blocks of an island up for Newton's method. Returns the number of struck contacts and limits. */
static int set_up_island(hn_impact_newton *w, const hn_problem *problem, const double *p)
{
  int count = 0;
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    w->given[k] = 0.0, w->mu[k] = block->set.mu;
    count += w->takes_part[k] && block->set.kind != HN_ANY && is_struck(block, p);
  }
  memcpy(w->p, p, sizeof *p * (size_t)problem->nrow);
  return count;
}

/* Follows the solution from e = first_share to last_share. Where that fails, its steps become shorter;
 * false if they are too short. */
static bool follow(hn_impact_newton *w, hn_impact *d, double tolerance)
{
  const size_t size = sizeof *w->p * (size_t)d->problem->nrow;
  double e = first_share, before = first_share, ratio = share_ratio;
  memcpy(d->trial, w->p, size);
  for (;;) {
    w->share = w->least_regularisation = e;
    if (hn_impact_newton_iterate(w, d, tolerance)) {
      if (e == last_share) return true;
      memcpy(d->trial, w->p, size), before = e;
    } else {
      ratio = sqrt(ratio);
      if (ratio > longest_ratio) return false;
      memcpy(w->p, d->trial, size);
    }
    e = fmax(before * ratio, last_share);
  }
}

/* Finds the least impulses of the island from w->p on; false if there are none. */
static bool find_least(hn_impact_newton *w, hn_impact *d, double tolerance)
{
  if (!hn_impact_newton_begin(w, d) || !follow(w, d, tolerance)) return false;
  w->share = 0.0;
  if (!hn_impact_newton_iterate(w, d, tolerance)) {
    w->least_regularisation = 0.0; /* contacts that contradict each other */
    if (!hn_impact_newton_iterate(w, d, tolerance)) return false;
  }
  return hn_impact_newton_end(w, d, 2.0 * tolerance);
}

/* Returns the change of the kinetic energy of the island by the impulses P with the velocities V, J. */
static double energy_change(const hn_impact_newton *w, const hn_problem *problem, const double *p,
                            const double *v)
{
  double sum = 0.0;
  for (int k = 0; k < problem->nblock; k++)
    for (int r = 0, i = problem->block[k].row; w->takes_part[k] && r < problem->block[k].n; r++, i++)
      sum += 0.5 * p[i] * (v[i] + problem->b[i]);
  return sum;
}

void hn_least_impulses_find(hn_impact_newton *w, hn_impact *d, double tolerance)
{
  const hn_problem *problem = d->problem;
  for (int at = 0; (at = hn_problem_islands_mark(d->islands, at, problem->nblock, w->takes_part)) >= 0;) {
    if (set_up_island(w, problem, d->p) < 2 || !find_least(w, d, tolerance)) continue;
    hn_problem_velocities(problem, d->p, d->work, d->rate);
    const double change = energy_change(w, problem, d->p, d->rate);
    if (energy_change(w, problem, w->p, w->v) <= change + less_energy * fabs(change))
      memcpy(d->p, w->p, sizeof *d->p * (size_t)problem->nrow);
  }
}
