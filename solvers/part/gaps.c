/* gaps.c - projection of positions onto joints and gaps that are violated. */
#include "part/gaps.h"
#include "part/correction.h"

#include <string.h>

int hn_gaps_setup(hn_solver *solver, hn_gaps *gaps, const hn_contact_options *contact, hn_error *error)
{
  hn_contact_options options = *contact;
  options.tolerance = 0.1 * gaps->tolerance;
  gaps->solver = hn_contact_solver_for(solver->system, &options, error);
  if (!gaps->solver) return -1;
  gaps->at = hn_state_create(solver->system->model), gaps->work = hn_state_create(solver->system->model);
  return gaps->at && gaps->work ? 0 : hn_fail(error, "out of memory");
}

void hn_gaps_free(hn_gaps *gaps)
{
  hn_contact_solver_free(gaps->solver);
  hn_state_free(gaps->at), hn_state_free(gaps->work);
}

/* The problem of the shortest displacement: joints and gaps alone, without friction. */
static void pose_gaps(hn_problem *problem, const hn_system *s)
{
  static const hn_set nothing = { .kind = HN_WITHIN };
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    hn_set *set = &problem->block[k].set;
    set->mu = 0.0;
    if (block->joint->type->velocity || set->kind == HN_WITHIN) *set = nothing;
  }
  memcpy(problem->b, s->g, sizeof *s->g * (size_t)s->nrow);
}

hn_reason hn_gaps_project(hn_solver *solver, hn_gaps *gaps, hn_rest *rest, hn_problem *problem, double *p,
                          hn_state *state)
{
  hn_system *s = solver->system;
  hn_state *at = gaps->at;
  hn_state_copy(at, state);
  for (int iteration = 0;; iteration++) {
    int worst = -1;
    hn_reason reason = hn_system_begin(s, at);
    if (reason != HN_CONVERGED) return reason;
    hn_system_hold_all(s);
    hn_rest_list(rest, s);
    hn_system_residual(s, at, NULL);
    const double violation = hn_system_violation(s, at, &worst);
    solver->report.residual = violation;
    if (violation <= gaps->tolerance) break;
    if (iteration == gaps->iterations) return hn_step_stalled(solver, "projection", worst, violation, iteration);
    hn_system_jacobian(s, at);
    hn_problem_pose(problem, s, at, 1.0);
    pose_gaps(problem, s);
    memset(p, 0, sizeof *p * (size_t)s->nrow);
    reason = hn_rest_solve(rest, gaps->solver, problem, p);
    if (reason != HN_CONVERGED && reason != HN_BUDGET)
      return hn_step_failed(solver, reason, gaps->solver->message ? gaps->solver->message : "projection", worst, violation);
    hn_system_displace(s, p, 1.0, gaps->work, at);
    solver->report.position_iterations++;
  }
  hn_state_copy_motion(state, at);
  return HN_CONVERGED;
}
