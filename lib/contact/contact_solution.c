/* contact_solution.c - the common entry point of contact solvers: what a solver can begin with, islands,
 * problems without joints, problems that are not symmetric, fallbacks, and the work that is counted. */
#include "base/vec.h"
#include "contact/contact_registry.h"
#include "contact/matrix/condensation.h"
#include "contact/problem_islands.h"

#include <math.h>
#include <string.h>

static const char no_moments[] =
  "the contact solver has no rolling or torsional friction: choose pgs or admm";

static const char no_bounds[] =
  "the contact solver has no bounded impulses, of motors with a force limit or dry friction in joints: "
  "choose pgs or admm";

/* Returns the capabilities that PROBLEM requires; all bits if a cone has one row, which no solver
 * supports. */
static unsigned required_capabilities(const hn_problem *problem)
{
  static const unsigned need[] = {
    [HN_ANY] = 0, [HN_PUSH] = HN_CAN_PUSH, [HN_WITHIN] = HN_CAN_WITHIN, [HN_CONE] = HN_CAN_CONE
  };
  unsigned needs = problem->K ? HN_SOLVES_MATRIX : 0;
  for (const hn_problem_block *block = problem->block; block < problem->block + problem->nblock; block++) {
    const bool cone = block->set.kind == HN_CONE;
    needs |= !cone || block->n > 1 ? need[block->set.kind] : ~0u;
    if (cone && block->n > 3) needs |= HN_SOLVES_ROLLING;
  }
  return needs;
}

/* True if the data are finite. Jacobians are not checked: solvers check the diagonal of K. */
static bool is_finite(const hn_problem *problem, const double *p)
{
  bool finite = isfinite(problem->h) && all_finite(problem->b, problem->nrow) && all_finite(p, problem->nrow);
  if (problem->K) finite = finite && all_finite(problem->K->value, problem->K->start[problem->nrow]);
  for (int k = 0; k < problem->nblock; k++) {
    const hn_set *set = &problem->block[k].set;
    finite = finite && !isnan(set->mu) && !isnan(set->lower) && !isnan(set->upper) &&
             !isnan(set->mu_rolling) && !isnan(set->mu_torsion);
  }
  return finite;
}

static hn_reason solve_alone(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  hn_reason reason = solver->type->solve(solver, problem, p); /* a plugin may return anything */
  if (solver->stop && solver->stop->heard) return HN_INTERRUPTED;
  if ((int)reason >= 0 && reason < HN_REASONS) return reason;
  solver->message = "the contact solver returned an invalid reason";
  return HN_UNSUPPORTED;
}

/* Counts the work. If a solver does not report eliminated blocks, every factorisation counts all blocks. */
static void count_work(const hn_contact_solver *solver, const hn_problem *problem)
{
  hn_work *work = solver->work;
  const uint64_t blocks = (uint64_t)problem->nblock,
                 steps = (uint64_t)solver->iterations + (uint64_t)solver->sweeps;
  if (!work) return;
  work->contact_iterations += steps;
  work->impulses += blocks * steps, work->projections += blocks * steps;
  work->factorisations += (uint64_t)solver->factorisations, work->solves += (uint64_t)solver->solves;
  work->eliminated += solver->eliminated > 0 ? solver->eliminated : blocks * (uint64_t)solver->factorisations;
}

/* True if the solver ended without a solution or an error. */
static bool is_unfinished(hn_reason reason)
{
  return reason == HN_STALLED || reason == HN_SINGULAR || reason == HN_BUDGET;
}

/* True if SOLVER has ended at a contradiction that its caller accepts, and nothing better follows: its
 * fallback is the last of the chain, or the same method again. */
static bool is_accepted(const hn_contact_solver *solver, hn_reason reason)
{
  return reason == HN_STALLED && solver->type->capabilities & HN_ENDS_AT_CONTRADICTIONS &&
         solver->error <= solver->accepted && (!solver->next->next || solver->next->type == solver->type);
}

/* True if the fallback is due. A spent budget without a tolerance is a normal end. */
static bool needs_fallback(const hn_contact_solver *solver, const hn_problem *problem, hn_reason reason,
                           const double *p)
{
  return solver->next && is_unfinished(reason) && !is_accepted(solver, reason) &&
         solver->options.tolerance > 0.0 && all_finite(p, problem->nrow);
}

static hn_reason solve_chain(hn_contact_solver *solver, const hn_problem *problem, double *p);

/* Solves PROBLEM by the fallback, whose work and history count as the solver's. */
static hn_reason solve_by_next(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  hn_contact_solver *next = solver->next;
  next->room = solver->room - solver->kept;
  next->history = next->room > 0 ? solver->history + solver->kept : NULL;
  hn_reason reason = solve_chain(next, problem, p);
  solver->iterations += next->iterations, solver->factorisations += next->factorisations;
  solver->fallbacks += next->fallbacks, solver->kept += next->kept;
  next->history = NULL, next->room = 0;
  return reason;
}

/* Takes the results of the fallback. */
static hn_reason take_results(hn_contact_solver *solver, hn_reason reason)
{
  const hn_contact_solver *next = solver->next;
  solver->error = next->error, solver->message = next->message, solver->symmetrised = next->symmetrised;
  return reason;
}

/* Continues with the fallback from P, or begins anew where REASON is a budget: impulses half way to a
 * solution are a worse start than those of the last step. Restores P if that does not reduce the error, or
 * the error is that of the symmetric part alone. A fallback that stalls, or hears a stop, is the reason then,
 * too: a budget no longer is. */
static hn_reason solve_by_fallback(hn_contact_solver *solver, const hn_problem *problem, hn_reason reason,
                                   double *p)
{
  hn_contact_solver *next = solver->next;
  memcpy(solver->before, p, sizeof *p * (size_t)problem->nrow);
  if (reason == HN_BUDGET) memcpy(p, solver->start, sizeof *p * (size_t)problem->nrow);
  hn_reason result = solve_by_next(solver, problem, p);
  solver->fallbacks++;
  const bool same_problem = !next->symmetrised || solver->symmetrised;
  const bool stopped = result == HN_INTERRUPTED;
  const bool improved = (is_unfinished(result) || stopped) && next->iterations > 0 &&
                        next->error <= solver->error && same_problem;
  if (result == HN_CONVERGED || improved) return take_results(solver, result);
  memcpy(p, solver->before, sizeof *p * (size_t)problem->nrow);
  return result == HN_STALLED || stopped ? result : reason;
}

/* Solves PROBLEM to the tolerance in force. */
static hn_reason solve_above_rounding(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  const double tolerance = solver->options.tolerance;
  solver->options.tolerance = solver->in_force;
  hn_reason reason = solve_alone(solver, problem, p);
  solver->options.tolerance = tolerance;
  return reason;
}

/* Solves PROBLEM with the symmetric part of K. */
static hn_reason solve_symmetric_part(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  hn_problem symmetric = *problem;
  symmetric.K = hn_problem_symmetric_part(problem);
  if (!symmetric.K) return HN_NO_MEMORY;
  solver->symmetrised = true;
  hn_reason reason = solve_above_rounding(solver, &symmetric, p);
  hn_problem_matrix_free(symmetric.K);
  return reason;
}

bool hn_contact_solver_can(const hn_contact_solver *solver, unsigned capabilities)
{
  for (; solver; solver = solver->next)
    if (!(capabilities & ~solver->type->capabilities)) return true;
  return false;
}

bool hn_contact_computes_responses(const hn_contact_solver *solver)
{
  for (; solver; solver = solver->next)
    if (!(solver->type->capabilities & HN_COMPUTES_RESPONSES) || solver->condensation || solver->islands)
      return false;
  return true;
}

/* HN_CONVERGED if SOLVER, or a fallback, can begin with PROBLEM. */
static hn_reason is_fit(hn_contact_solver *solver, const hn_problem *problem)
{
  const hn_problem_size *most = &solver->most;
  const unsigned needs = required_capabilities(problem);
  if (!hn_contact_solver_can(solver, needs)) {
    if (hn_contact_solver_can(solver, needs & ~(unsigned)HN_SOLVES_ROLLING)) solver->message = no_moments;
    if (hn_contact_solver_can(solver, needs & ~(unsigned)HN_CAN_WITHIN)) solver->message = no_bounds;
    return HN_UNSUPPORTED;
  }
  if (problem->nblock > most->blocks || problem->nrow > most->rows ||
      (!problem->K && problem->nbody > most->bodies))
    return HN_FULL;
  return HN_CONVERGED;
}

/* True if SOLVER leaves PROBLEM to its fallback: it lacks a capability, the problem has too many or too few
 * rows, no matrix, or is not symmetric, and a fallback can solve it as it is. */
static bool leaves(const hn_contact_solver *solver, const hn_problem *problem)
{
  if (solver->next && required_capabilities(problem) & ~solver->type->capabilities) return true;
  if (solver->next && solver->max_rows > 0 && problem->nrow > solver->max_rows) return true;
  if (solver->next && problem->nrow < solver->min_rows) return true;
  if (solver->next && solver->matrix && !problem->K) return true;
  if (solver->type->capabilities & HN_SOLVES_UNSYMMETRIC || hn_problem_is_symmetric(problem)) return false;
  for (const hn_contact_solver *next = solver->next; next; next = next->next)
    if (next->type->capabilities & HN_SOLVES_UNSYMMETRIC && !leaves(next, problem)) return true;
  return false;
}

/* Forgets the results of the last solution. */
static void begin(hn_contact_solver *solver)
{
  solver->iterations = solver->factorisations = solver->fallbacks = solver->kept = solver->solves =
    solver->sweeps = 0;
  solver->eliminated = 0;
  solver->error = solver->residual = solver->rounding = 0.0;
  solver->worst = -1, solver->at_rounding = false;
  solver->symmetrised = false;
  solver->message = NULL;
}

/* Solves PROBLEM island by island. An island is not divided again. */
static hn_reason solve_islands(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  hn_problem_islands *islands = solver->islands;
  solver->islands = NULL;
  const hn_reason reason = hn_problem_islands_solve(islands, solver, problem, p, NULL);
  solver->islands = islands;
  return reason;
}

/* Solves PROBLEM, whose data are finite, by SOLVER and, where it does not converge, by its fallbacks. */
static hn_reason solve_chain(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  begin(solver);
  hn_reason reason = is_fit(solver, problem);
  if (reason != HN_CONVERGED || problem->nrow == 0) return reason;
  if (hn_stopped(solver->stop)) return HN_INTERRUPTED;
  if (solver->islands && !problem->K) return solve_islands(solver, problem, p);
  solver->in_force = hn_contact_tolerance(solver->options.tolerance, problem->b, problem->nrow);
  if (solver->next) memcpy(solver->start, p, sizeof *p * (size_t)problem->nrow);
  if (leaves(solver, problem)) return take_results(solver, solve_by_next(solver, problem, p));
  if (solver->cold) memset(p, 0, sizeof *p * (size_t)problem->nrow);
  const bool as_given = solver->type->capabilities & HN_SOLVES_UNSYMMETRIC ||
                        hn_problem_is_symmetric(problem);
  reason = as_given ? solve_above_rounding(solver, problem, p) : solve_symmetric_part(solver, problem, p);
  count_work(solver, problem);
  return needs_fallback(solver, problem, reason, p) ? solve_by_fallback(solver, problem, reason, p) : reason;
}

/* Solves PROBLEM without its joints. True if REASON is the end: nothing is left to solve with them. */
static bool solve_condensed(hn_contact_solver *solver, const hn_problem *problem, double *p,
                            hn_reason *reason)
{
  hn_work work = { 0 };
  double *p_c = NULL;
  const hn_problem *posed = hn_condensation_pose(solver->condensation, &work, problem, p, &p_c);
  *reason = !posed ? HN_SINGULAR : is_finite(posed, p_c) ? solve_chain(solver, posed, p_c) : HN_NOT_FINITE;
  if (posed) hn_condensation_expand(solver->condensation, &work, problem, p);
  solver->factorisations += (int)work.factorisations, solver->solves += (int)work.solves;
  if (solver->work) {
    solver->work->factorisations += work.factorisations, solver->work->solves += work.solves;
    solver->work->eliminated += work.eliminated;
  }
  return posed && (*reason != HN_CONVERGED || hn_contact_is_met(solver, problem, p));
}

hn_reason hn_contact_solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  begin(solver);
  hn_reason reason = is_fit(solver, problem);
  if (reason != HN_CONVERGED) return reason;
  if (!is_finite(problem, p)) return HN_NOT_FINITE;
  const bool condenses = solver->condensation && !solver->islands &&
                         hn_condensation_applies(solver->condensation, problem);
  if (!condenses || !solve_condensed(solver, problem, p, &reason)) reason = solve_chain(solver, problem, p);
  return hn_contact_end(solver, problem, reason, p);
}
