/* contact_end.c - the end of a contact problem whose solver has not reached its tolerance: its residual, its
 * worst block, and whether rounding alone is left.
 *
 *   rounding level = epsilon max_i (|b| + |G| |W G'| |p|)_i    m/s, one unit of rounding of the largest
 *                                                              velocity of a row without cancellation
 *
 * Velocities G u of fast bodies are in |b|; the velocities that impulses cause, which cancel where light
 * bodies carry heavy ones or redundant contacts press against each other, are in |K| |p|. The computed v = K
 * p + b has an error of about one level for each term of its sum, so a residual of up to 100 levels tells
 * nothing about the law. Impulses of a solver that diverges would raise the level without limit: it counts
 * no more than 1e6 times the velocities without impulses, the largest ratio of masses that is expected.
 * [Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1] */
#include "base/vec.h"
#include "contact/block_rows.h"
#include "contact/contact_registry.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Rounding error of the velocities of a problem, relative to the largest one without impulses: 64 units of
 * rounding, for the sums over the rows of an island. */
static const double rounding_of_velocities = 64.0 * DBL_EPSILON;
static const double accepted_levels = 100.0; /* residual at rounding, in rounding levels */
static const double max_growth = 1e6;        /* velocities that impulses cause, over those without them */

/* Adds |T| |p| to u of one side of a block. */
static void add_moved(const hn_problem_block *block, const double *T, const double *p, double *u)
{
  for (int r = 0; r < block->n; r++)
    for (int c = 0; c < 6; c++) u[c] += fabs(T[6 * r + c] * p[block->row + r]);
}

/* Returns the sum of |G| u of row R of a block, both sides. */
static double sum_row(const hn_problem *problem, const hn_problem_block *block, int r, const double *u)
{
  const double *G = problem->G + 12 * (size_t)block->row;
  double sum = 0.0;
  for (int side = 0; side < 2; side++) {
    const double *u_side = u + 6 * (size_t)(side ? block->b : block->a);
    for (int c = 0; c < 6; c++) sum += fabs(G[(6 * side + c) * block->n + r]) * u_side[c];
  }
  return sum;
}

/* Returns the largest row of |K| |p|. */
static double largest_caused(const hn_problem *problem, const double *p, double *work)
{
  double largest = 0.0;
  if (problem->K) {
    const hn_problem_matrix *K = problem->K;
    for (int i = 0; i < problem->nrow; i++) {
      double sum = 0.0;
      for (int k = K->start[i]; k < K->start[i + 1]; k++) sum += fabs(K->value[k] * p[K->column[k]]);
      largest = fmax(largest, sum);
    }
    return largest;
  }
  memset(work, 0, sizeof *work * 6 * (size_t)problem->nbody);
  for (const hn_problem_block *block = problem->block; block < problem->block + problem->nblock; block++) {
    double room[12 * HN_MAX_ROWS];
    const double *T = hn_rows_responses(problem, block, room);
    add_moved(block, T, p, work + 6 * (size_t)block->a);
    add_moved(block, T + 6 * block->n, p, work + 6 * (size_t)block->b);
  }
  for (const hn_problem_block *block = problem->block; block < problem->block + problem->nblock; block++)
    for (int r = 0; r < block->n; r++) largest = fmax(largest, sum_row(problem, block, r, work));
  return largest;
}

double hn_contact_tolerance(double tolerance, const double *v, int count)
{
  double largest = 0.0;
  for (int i = 0; i < count; i++) largest = fmax(largest, fabs(v[i]));
  return tolerance > 0.0 ? fmax(tolerance, rounding_of_velocities * largest) : 0.0;
}

double hn_problem_rounding(const hn_problem *problem, const double *p, double *work)
{
  double largest = 0.0;
  for (int i = 0; i < problem->nrow; i++) largest = fmax(largest, fabs(problem->b[i]));
  return DBL_EPSILON * (largest + fmin(largest_caused(problem, p, work), max_growth * largest));
}

/* True if no contact has two directions of friction. */
static bool is_planar(const hn_problem *problem)
{
  for (int k = 0; k < problem->nblock; k++)
    if (problem->block[k].set.kind == HN_CONE && problem->block[k].n > 2) return false;
  return true;
}

/* Returns the residual of the law that SOLVER solves, and its block in WORST. */
static double residual_of(hn_contact_solver *solver, const hn_problem *problem, const double *p, int *worst)
{
  const hn_contact_law law = hn_contact_solver_law_of(solver, is_planar(problem));
  hn_problem_velocities(problem, p, solver->end_work, solver->end_v);
  return hn_contact_law_error(&law, problem, p, solver->end_v, worst);
}

bool hn_contact_is_met(hn_contact_solver *solver, const hn_problem *problem, const double *p)
{
  return residual_of(solver, problem, p, NULL) <= solver->in_force;
}

hn_reason hn_contact_end(hn_contact_solver *solver, const hn_problem *problem, hn_reason reason,
                         const double *p)
{
  const bool unfinished = reason == HN_STALLED || reason == HN_SINGULAR || reason == HN_BUDGET;
  if (!unfinished || solver->options.tolerance == 0.0 || !all_finite(p, problem->nrow)) return reason;
  solver->residual = residual_of(solver, problem, p, &solver->worst);
  solver->rounding = hn_problem_rounding(problem, p, solver->end_work);
  if (solver->residual <= solver->in_force) return HN_CONVERGED;
  if (!(solver->residual <= accepted_levels * solver->rounding)) return reason;
  solver->at_rounding = true;
  if (solver->roundings) ++*solver->roundings;
  return HN_CONVERGED;
}
