/* gap_projection.c - projection of positions onto joints and gaps that are violated (parts.h).
 *
 *   repeat   find mu:  0 <= K mu + g, 0 <= mu  (joints: K mu + g = 0);   x moved by t W G' mu
 *
 * with t = 1, 1/2, ... until the largest violation decreases. Where joints hold a heavy body by light ones
 * that are nearly in line, straightening these is the shortest displacement to first order. They must move
 * across the line by the square root of the gain along it, and overshoot, so that whole displacements may
 * not converge. With an approximate mu, of a contact solver without tolerance, t = 1: the violation need
 * not decrease along it. */
#include "parts.h"
#include "registry/solver_arrays.h"
#include "system/contact_blocks.h"

#include <string.h>

/* Part of the predicted decrease of the violation that a displacement must reach (Armijo). */
static const double sufficient_decrease = 1e-4;
static const double shortest = 0.01; /* part of a displacement that is tried */

int hn_gap_projection_setup(hn_solver *solver, hn_gap_projection *gaps, const hn_contact_options *contact,
                            hn_error *error)
{
  hn_contact_options options = *contact;
  options.tolerance = 0.1 * gaps->tolerance;
  gaps->solver = hn_contact_solver_for(solver->system, &options, error);
  if (!gaps->solver) return -1;
  if (gaps->at && gaps->from) return 0;
  return hn_solver_allocate(solver, error, HN_STATE(gaps->at), HN_STATE(gaps->from));
}

void hn_gap_projection_free(hn_gap_projection *gaps)
{
  hn_contact_solver_free(gaps->solver);
}

/* Makes PROBLEM that of the shortest displacement: joints and gaps alone, without friction. */
static void pose_gaps(hn_problem *problem, const hn_system *s)
{
  static const hn_set no_impulse = { .kind = HN_WITHIN };
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    hn_set *set = &problem->block[k].set;
    set->mu = set->mu_rolling = set->mu_torsion = 0.0;
    if (block->joint->type->velocity || set->kind == HN_WITHIN) *set = no_impulse;
  }
  memcpy(problem->b, s->g, sizeof *s->g * (size_t)s->nrow);
}

/* Computes the largest violation at gaps->at, and its block. STATE has the contacts of a model without
 * collision detection. */
static hn_reason look(hn_solver *solver, const hn_gap_projection *gaps, hn_sleeping *rest,
                      const hn_state *state, double *violation, int *worst)
{
  hn_system *s = solver->system;
  hn_reason reason = hn_system_begin_gaps(s, state, gaps->at);
  if (reason != HN_CONVERGED) return reason;
  hn_system_hold_all(s);
  hn_sleeping_list(rest, s);
  hn_system_residual(s, gaps->at, NULL);
  *violation = solver->report.residual = hn_system_violation(s, gaps->at, worst);
  return HN_CONVERGED;
}

/* Moves gaps->at by the displacement that removes the VIOLATION to first order, approximately if HN_BUDGET is
 * returned. The poses before it and the displacement stay in gaps->from. */
static hn_reason displace(hn_solver *solver, hn_gap_projection *gaps, hn_sleeping *rest, hn_problem *problem,
                          double *p, double violation, int worst)
{
  hn_system *s = solver->system;
  hn_system_jacobian(s, gaps->at);
  hn_problem_assemble(problem, s, gaps->at, 1.0);
  pose_gaps(problem, s);
  memset(p, 0, sizeof *p * (size_t)s->nrow);
  hn_reason reason = hn_sleeping_solve(rest, gaps->solver, problem, p);
  if (reason != HN_CONVERGED && reason != HN_BUDGET)
    return hn_step_failed(solver, reason, gaps->solver->message ? gaps->solver->message : "projection", worst,
                          violation);
  hn_state_copy_motion(gaps->from, gaps->at);
  hn_system_displace(s, p, 1.0, gaps->from, gaps->at);
  solver->report.position_iterations++;
  return reason;
}

static void copy_poses(hn_state *to, const hn_state *from)
{
  memcpy(to->pose, from->pose, sizeof *to->pose * (size_t)to->nbody);
}

hn_reason hn_gap_projection_apply(hn_solver *solver, hn_gap_projection *gaps, hn_sleeping *rest,
                                  hn_problem *problem, double *p, hn_state *state)
{
  double violation, before = 0.0, part = 1.0;
  bool falls = false; /* the violation decreases along the displacement, to first order */
  int worst;
  hn_state_copy_motion(gaps->at, state);
  memcpy(gaps->at->input, state->input, sizeof *state->input * (size_t)state->ninput);
  for (int iteration = 0;;) {
    hn_reason reason = look(solver, gaps, rest, state, &violation, &worst);
    if (reason != HN_CONVERGED) return reason;
    if (violation <= gaps->tolerance) break;
    if (falls && !(violation <= (1.0 - sufficient_decrease * part) * before) && part > shortest) {
      part *= 0.5;
      copy_poses(gaps->at, gaps->from); /* velocities of `from` are the displacement */
      hn_system_move(solver->system, gaps->from->twist, part, gaps->at);
      continue;
    }
    if (iteration++ == gaps->iterations)
      return hn_step_missed(solver, "tolerance", gaps->tolerance,
                            hn_step_stalled(solver, "projection", worst, violation, iteration - 1));
    before = violation, part = 1.0;
    reason = displace(solver, gaps, rest, problem, p, violation, worst);
    if (reason != HN_CONVERGED && reason != HN_BUDGET) return reason;
    falls = reason == HN_CONVERGED;
  }
  hn_state_copy_motion(state, gaps->at);
  return HN_CONVERGED;
}
