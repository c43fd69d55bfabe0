/* admm_policy.c - decisions of the ADMM solver: phases, stopping tests and the penalty (see
 * admm_policy.h). */
#include "contact/admm/admm_policy.h"

#include <math.h>

/* Iterations after which acceleration pays. */
enum { ACCELERATE_AFTER = 100 };
/* Iterations of stagnation after which an unaccelerated phase of as many begins. It must be long enough for a
 * direction to become steady after acceleration, and short compared with HOPELESS. */
enum { PAUSE = 200 };
/* Iterations of stagnation after which the solution is given up. Irregular problems were seen to converge
 * after a stagnation of 1700. */
enum { HOPELESS = 3000 };
/* Consecutive iterations within the tolerance after which half the tolerance is no longer awaited: where
 * contacts contradict each other by rounding, the error gets no smaller. */
enum { PATIENCE = 20 };
/* Reduction of the error that counts as progress. */
static const double progress_factor = 0.5;
/* Part of the tolerance that an error is to meet, so that the projection onto the sets still meets the
 * whole. */
static const double safety_factor = 0.5;

/* Iterations before the first review of rho, and between reviews, which double from one to the other. A
 * review may cost a factorisation. */
enum { FIRST_REVIEW = 10, MAX_REVIEW_INTERVAL = 40 };
/* Bounds of rho, within which K + R keeps digits of both K and R. */
static const double min_rho = 1e-8, max_rho = 1e6;
/* Quotient of the relative residuals up to which they are balanced [Boyd and others 2011, section 3.4.1:
 * 10]. */
static const double balanced_ratio = 2.0;
/* Largest factor of rho in one change; it is less where rho goes up and down in turn. */
static const double max_rho_change = 10.0;

/* ---- Phases and stopping tests ------------------------------------------------------------------------- */

const hn_admm_action hn_admm_actions[] = {
  [HN_ADMM_PLAIN] = { .observe_direction = false, .accelerate = false, .adapt_rho = true },
  [HN_ADMM_OBSERVED] = { .observe_direction = true, .accelerate = false, .adapt_rho = true },
  [HN_ADMM_ACCELERATED] = { .observe_direction = true, .accelerate = true, .adapt_rho = true },
  [HN_ADMM_UNACCELERATED] = { .observe_direction = true, .accelerate = false, .adapt_rho = false },
};

hn_admm_phase hn_admm_phase_at(int iteration, int stagnation)
{
  if (iteration <= HN_ADMM_PLAIN_END) return HN_ADMM_PLAIN;
  if (iteration <= ACCELERATE_AFTER) return HN_ADMM_OBSERVED;
  return stagnation / PAUSE % 2 == 0 ? HN_ADMM_ACCELERATED : HN_ADMM_UNACCELERATED;
}

bool hn_admm_is_progress(double error, double best)
{
  return error <= progress_factor * best;
}

bool hn_admm_stagnates(int stagnation)
{
  return stagnation >= PAUSE;
}

bool hn_admm_is_hopeless(int stagnation)
{
  return stagnation >= HOPELESS;
}

bool hn_admm_is_accurate(double error, double tolerance, int within)
{
  return error <= safety_factor * tolerance || within > PATIENCE;
}

/* ---- Penalty ------------------------------------------------------------------------------------------- */

hn_admm_penalty hn_admm_penalty_start(double rho)
{
  return (hn_admm_penalty){
    .rho = rho, .max_change = max_rho_change, .next_review = FIRST_REVIEW, .interval = FIRST_REVIEW
  };
}

bool hn_admm_penalty_review(hn_admm_penalty *penalty, int iteration, hn_admm_residuals now)
{
  const double old = penalty->rho, impulse = fmax(now.impulse, now.velocity);
  const double ratio = sqrt(now.primal / impulse * (now.velocity / now.dual));
  if (iteration < penalty->next_review) return false;
  if (penalty->interval < MAX_REVIEW_INTERVAL) penalty->interval *= 2;
  penalty->next_review = iteration + penalty->interval;
  /* A ratio that is no number counts as balanced: nothing moves. */
  if (!(ratio > sqrt(balanced_ratio) || ratio < 1 / sqrt(balanced_ratio))) return false;
  const bool reversed = (ratio > 1.0) != (penalty->last_ratio > 1.0);
  double *limit = &penalty->max_change;
  if (penalty->last_ratio > 0.0) *limit = reversed ? sqrt(*limit) : fmin(*limit * *limit, max_rho_change);
  penalty->last_ratio = ratio;
  penalty->rho = fmin(fmax(old * fmin(fmax(ratio, 1.0 / *limit), *limit), min_rho), max_rho);
  return penalty->rho != old;
}
