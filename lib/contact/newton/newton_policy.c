/* newton_policy.c - states, line search and progress of the contact solver newton (see contact_newton.c). */
#include "contact/newton/newton_policy.h"

#include <math.h>

/* Regularisation e. The strong one costs a factor of 1e-9 of the error an iteration. The weak one, above the
 * rounding of K, allows longer steps along contacts that are redundant but for rounding. */
static const double strong_regularisation = 1e-9, weak_regularisation = 1e-12;
/* Part of the decrease of the merit that its slope promises [Armijo's constant; Nocedal and Wright 2006,
 * section 3.1]. */
static const double min_decrease = 1e-4;
/* Bound of the steps of the line search: shorter ones make no headway where sweeps may. */
static const double min_step = 2e-4;
/* Iterations in which the merit must halve; near a solution it does so in each. */
enum { PATIENCE = 20 };
/* Sweeps from which n no longer doubles, so that fallbacks end. */
enum { MAX_SWEEPS = 10000 };
/* Reduction of the merit, and of the error by the longest sweeps, that counts as progress. */
static const double progress_factor = 0.5;

static void forget_merits(hn_newton_progress *progress)
{
  progress->iterations = 0, progress->stagnation = -1;
}

hn_newton_progress hn_newton_progress_start(int sweeps, bool from_zero)
{
  hn_newton_progress progress = { .state = HN_NEWTON_STRONG, .sweeps = sweeps, .from_zero = from_zero };
  progress.longest_error = HUGE_VAL;
  forget_merits(&progress);
  return progress;
}

double hn_newton_remember_merit(hn_newton_progress *progress, double merit)
{
  double largest = merit;
  progress->merit[progress->iterations++ % HN_NEWTON_MERITS] = merit;
  for (int i = 0; i < HN_NEWTON_MERITS && i < progress->iterations; i++)
    largest = fmax(largest, progress->merit[i]);
  const bool halved = progress->stagnation < 0 || merit <= progress_factor * progress->best;
  progress->stagnation = halved ? 0 : progress->stagnation + 1;
  if (halved) progress->best = merit;
  return largest;
}

bool hn_newton_stagnates(const hn_newton_progress *progress)
{
  return progress->stagnation >= PATIENCE;
}

void hn_newton_fail(hn_newton_progress *progress, double error)
{
  const bool sweeps_help = progress->sweeps < MAX_SWEEPS || error < progress_factor * progress->longest_error;
  if (progress->state == HN_NEWTON_STRONG) progress->state = HN_NEWTON_WEAK;
  else if (progress->sweeps == 0) progress->state = HN_NEWTON_STALLED;
  else if (sweeps_help) progress->state = HN_NEWTON_SWEEP;
  else progress->state = progress->from_zero ? HN_NEWTON_STALLED : HN_NEWTON_RESTART;
  forget_merits(progress);
}

int hn_newton_next_sweeps(hn_newton_progress *progress, double error)
{
  const int sweeps = progress->sweeps;
  if (sweeps >= MAX_SWEEPS) progress->longest_error = error;
  else progress->sweeps *= 2;
  return sweeps;
}

double hn_newton_regularisation(hn_newton_state state)
{
  return state == HN_NEWTON_WEAK ? weak_regularisation : strong_regularisation;
}

double hn_newton_merit_limit(double t, double merit)
{
  return (1.0 - 2.0 * min_decrease * t) * merit;
}

double hn_newton_shorter_step(double t)
{
  return 0.5 * t > min_step ? 0.5 * t : 0.0;
}
