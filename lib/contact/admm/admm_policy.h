/* admm_policy.h - decisions of the ADMM solver (admm.c): phases, stopping tests and the penalty rho.
 * Internal.
 *
 * Residuals, the largest of all blocks in m/s, and the penalty that balances them:
 *
 *   primal = k |p - z|,  dual = R |z - z_before|,  sizes k |p| and |b|
 *   q = sqrt((primal / max(k |p|, |b|)) / (dual / |b|))
 *   rho := rho min(max(q, 1/c), c)   if q^2 is not in [1/2, 2]
 *
 * The limit c begins with 10. It becomes sqrt(c) where q - 1 has another sign than at the last change, else
 * c^2, at most 10. rho is reviewed after 10, 30, 70, 110, 150, ... iterations. The scale of impulses is at
 * least |b| because a contact about to open has hardly any impulse: relative to that no error would be small,
 * though the law is almost satisfied. */
#ifndef HN_ADMM_POLICY_H
#define HN_ADMM_POLICY_H

#include <stdbool.h>

/* ---- Phases and stopping tests ------------------------------------------------------------------------- */

typedef enum hn_admm_phase {
  HN_ADMM_PLAIN,
  HN_ADMM_OBSERVED,
  HN_ADMM_ACCELERATED,
  HN_ADMM_UNACCELERATED
} hn_admm_phase;

/* Actions of an iteration in a phase. */
typedef struct hn_admm_action {
  bool observe_direction, accelerate, adapt_rho;
} hn_admm_action;

extern const hn_admm_action hn_admm_actions[]; /* by phase */

/* Last iteration of the plain phase: the direction needs some iterations to be known when acceleration may
 * start. */
enum { HN_ADMM_PLAIN_END = 90 };

/* Returns the phase of ITERATION (from 1) after STAGNATION iterations without halving the error. */
hn_admm_phase hn_admm_phase_at(int iteration, int stagnation);
/* True if ERROR, m/s, halves the BEST one. */
bool hn_admm_is_progress(double error, double best);
/* True if the error has stagnated for so long that the solver looks for another way. */
bool hn_admm_stagnates(int stagnation);
/* True if the error has stagnated for so long that the solution is given up. */
bool hn_admm_is_hopeless(int stagnation);
/* True if ERROR is so far below TOLERANCE that its projection meets it, or has been WITHIN it for so many
 * iterations that it will not get smaller. */
bool hn_admm_is_accurate(double error, double tolerance, int within);

/* ---- Penalty ------------------------------------------------------------------------------------------- */

/* Residuals of an iteration and their scales: m/s, the largest of all blocks. */
typedef struct hn_admm_residuals {
  double primal, impulse; /* k |p - z|, k |p| */
  double dual, velocity;  /* R |z - z_before|, |b| */
} hn_admm_residuals;

typedef struct hn_admm_penalty {
  double rho;
  double max_change;         /* c above */
  double last_ratio;         /* q of the last change; 0 before the first */
  int next_review, interval; /* iterations */
} hn_admm_penalty;

hn_admm_penalty hn_admm_penalty_start(double rho);
/* Updates rho after ITERATION with residuals NOW, if a review is due. True if rho has changed. */
bool hn_admm_penalty_review(hn_admm_penalty *penalty, int iteration, hn_admm_residuals now);

#endif
