/* acceleration_solution.c - need and solution of the law of accelerations, and its threshold of rest
 * (events_parts.h). */
#include "events/events_parts.h"
#include "contact/block_rows.h"
#include "contact/problem_islands.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

static const double unmoved = 1e-9; /* threshold of rest, relative to the accelerations of the row */

bool hn_events_law_is_needed(const hn_system *s, const hn_role *role, const bool *touches)
{
  for (int k = 0; k < s->nblock; k++) {
    const hn_set *set = s->block[k].joint->set;
    if (role[k].kind == HN_ROW_BROKEN || set->kind == HN_ANY) continue;
    if (touches[k] || !hn_is_one_sided(&s->block[k])) return true;
  }
  return false;
}

hn_reason hn_events_law_compute(hn_solver *solver, hn_events_law *law, bool judges)
{
  hn_reason reason = hn_problem_islands_solve(law->islands, law->solver, law->problem, law->p, NULL);
  if (reason == HN_CONVERGED) return reason;
  const double most = hn_contradiction * law->solver->options.tolerance;
  const bool is_near = hn_is_met_within(law->problem, law->p, most, law->scratch, law->v);
  if (is_near && (reason == HN_STALLED || reason == HN_BUDGET)) {
    if (!judges) solver->report.contradictions++;
    return HN_CONVERGED;
  }
  static const char stage[] =
    "law of accelerations, which its contact solver has not solved: contact= chooses "
    "another one, or there is no solution (Painleve)";
  const double residual = law->solver->residual > 0.0 ? law->solver->residual : law->solver->error;
  reason = hn_step_stalled(solver, stage, -1, residual, law->solver->iterations);
  /* the setting is relative to the accelerations */
  const double sufficient = residual * (law->tolerance / law->solver->options.tolerance);
  return hn_step_contact_missed(solver, law->solver, sufficient, reason);
}

/* Returns the largest acceleration of the rows of BLOCK from R on if no contributions of its bodies
 * cancelled, at least 1 m/s^2 or rad/s^2. Each row has its own unit: a body of some centimetres turns with a
 * hundred times as many rad/s^2 as its points have m/s^2. */
static double largest_of(const hn_system *s, const hn_block *block, int r, const hn_twist *acceleration)
{
  const double *G = s->G + 12 * block->row;
  double most = 1.0;
  for (; r < block->n; r++) {
    double size = 0.0;
    for (int side = 0; side < 2; side++) {
      const hn_twist *a = &acceleration[side ? block->b : block->a];
      double e[3], moment[3];
      for (int c = 0; c < 3; c++)
        e[c] = G[(6 * side + c) * block->n + r], moment[c] = G[(6 * side + 3 + c) * block->n + r];
      size += vec_norm(e) * vec_norm(a->v) + vec_norm(moment) * vec_norm(a->w);
    }
    most = fmax(most, size);
  }
  return most;
}

double hn_events_rest_threshold(const hn_system *s, const hn_events_law *law, int k, int r, double left)
{
  return fmax(unmoved * largest_of(s, &s->block[k], r, law->acceleration), left);
}
