/* nncg.c - contact solver: nonsmooth nonlinear conjugate gradients, which accelerate Gauss-Seidel sweeps.
 *
 *   q := one sweep of pgs from p,   g := q - p             minus the gradient, as Fletcher and Reeves see it
 *   beta = |g|^2 / |g_before|^2;    beta > 1: d := 0, p := q           restart: the residual has grown
 *                                   else:     d := beta d + g, p := p + d = q + beta d_before
 *
 * |g|^2 is the sum of k |g|^2 over the blocks, an energy, with k the mean of the diagonal of K on each. p may
 * leave its sets; q never does, and is the result. Sweeps solve Coulomb's law at each contact exactly
 * (pgs/block_sweep.h), and their fixed points are solutions of it. If a given K is not symmetric, they are
 * those of K as given.
 *
 * The end: q meets the tolerance. If iterations run out, q of the smallest |g| is returned. With forecast=N
 * the solution ends as stalled, too, once the changes of its sweeps foretell more than N iterations a row
 * (forecast.h). A chain then turns to a solver with factorisations, which goes on from q; so it does where
 * the iterations run out. On a column of n bodies pgs needs sweeps in proportion to n^2; nncg to about n^1.5,
 * by a fit. Convergence is not proven. Cost: a sweep an iteration, and a product with W G' where p is
 * extrapolated. [Silcowitz, Niebe and Erleben, Visual Computer 26 (2010) 893, algorithm 2] */
#include "contact/block_rows.h"
#include "contact/forecast.h"
#include "contact/pgs/block_sweep.h"

#include <math.h>
#include <string.h>

/* Iterations between two evaluations of the law, once impulses change by less than the tolerance: one costs
 * a sweep. */
enum { CHECK_INTERVAL = 4 };

typedef struct nncg {
  double forecast; /* most iterations a row that may be foretold; 0: any number */
  hn_block_sweep sweep;
  double *scale;                /* [most.blocks] k */
  double *work;                 /* [6 most.bodies] scratch */
  double *p, *q, *d, *best, *v; /* [most.rows] */
  hn_arrays arrays;
} nncg;

/* State of one solution. */
typedef struct progress {
  double size;          /* |g|^2 of the last sweep; HUGE_VAL at the start */
  double least;         /* |g|^2 of s->best */
  hn_forecast forecast; /* of the largest change of a sweep */
  int next_check;       /* iteration */
} progress;

static int setup(hn_contact_solver *solver, hn_error *error)
{
  nncg *s = solver->data;
  hn_block_sweep_setup(&s->sweep, &solver->most, &s->arrays);
  HN_ARRAYS(&s->arrays, sizeof(double) * (size_t)solver->most.blocks, &s->scale);
  HN_ARRAYS(&s->arrays, sizeof(double[6]) * (size_t)solver->most.bodies, &s->work);
  HN_ARRAYS(&s->arrays, sizeof(double) * (size_t)solver->most.rows, &s->p, &s->q, &s->d, &s->best, &s->v);
  return s->arrays.failed ? hn_fail(error, "no memory for contact problems of %d rows", solver->most.rows)
                          : 0;
}

static void destroy(hn_contact_solver *solver)
{
  hn_arrays_free(&((nncg *)solver->data)->arrays);
}

/* Returns |q - p|^2. */
static double size_of_change(const nncg *s, const hn_problem *problem)
{
  double sum = 0.0;
  for (int k = 0; k < problem->nblock; k++)
    for (int i = problem->block[k].row; i < problem->block[k].row + problem->block[k].n; i++)
      sum += s->scale[k] * (s->q[i] - s->p[i]) * (s->q[i] - s->p[i]);
  return sum;
}

/* Sets p after a sweep that changed it by SIZE, and loads it into the next sweep. */
static void extrapolate(nncg *s, const hn_problem *problem, progress *run, double size)
{
  const double beta = run->size > 0.0 ? size / run->size : 0.0;
  const bool restarts = beta > 1.0, begins = run->size == HUGE_VAL;
  run->size = size;
  for (int i = 0; i < problem->nrow; i++) {
    const double step = s->q[i] - s->p[i] + (restarts || begins ? 0.0 : beta * s->d[i]);
    s->p[i] += step;
    s->d[i] = restarts ? 0.0 : step;
  }
  if (restarts || begins) memcpy(s->p, s->q, sizeof *s->p * (size_t)problem->nrow);
  else hn_block_sweep_set(&s->sweep, problem, s->p);
}

/* Returns the error of Coulomb's law at q, m/s. */
static double law_error(nncg *s, const hn_problem *problem)
{
  hn_problem_velocities(problem, s->q, s->work, s->v);
  return hn_rows_error(problem, s->scale, false, s->q, s->v);
}

/* One iteration, number K: the reason if it ends the solution, else HN_BUDGET. */
static hn_reason iterate(hn_contact_solver *solver, const hn_problem *problem, progress *run, int k)
{
  nncg *s = solver->data;
  const double tolerance = solver->options.tolerance, change = hn_block_sweep_next(&s->sweep, false);
  if (!isfinite(change)) return HN_NOT_FINITE;
  hn_block_sweep_impulses(&s->sweep, problem, s->q);
  const double size = size_of_change(s, problem);
  if (size <= run->least) run->least = size, memcpy(s->best, s->q, sizeof *s->q * (size_t)problem->nrow);

  const bool due = change <= tolerance && k >= run->next_check;
  if (due) run->next_check = k + CHECK_INTERVAL;
  const double error = due || solver->room > 0 ? law_error(s, problem) : change;
  hn_contact_note(solver, error);
  if (due && error <= tolerance) {
    memcpy(s->best, s->q, sizeof *s->q * (size_t)problem->nrow);
    return HN_CONVERGED;
  }
  if (hn_forecast_exceeds(&run->forecast, k, change, s->forecast * problem->nrow, tolerance))
    return HN_STALLED;
  extrapolate(s, problem, run, size);
  return HN_BUDGET;
}

static hn_reason solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  nncg *s = solver->data;
  progress run = { .size = HUGE_VAL, .least = HUGE_VAL };
  hn_reason reason = HN_BUDGET;
  if (!hn_rows_scales(problem, s->scale) || !hn_block_sweep_load(&s->sweep, problem, HN_LOCAL_CONE, 1.0, p))
    return HN_NOT_FINITE;
  memcpy(s->p, p, sizeof *p * (size_t)problem->nrow), memcpy(s->best, p, sizeof *p * (size_t)problem->nrow);
  for (int k = 0; k < solver->options.iterations && reason == HN_BUDGET; k++) {
    if (hn_stopped(solver->stop)) return HN_INTERRUPTED;
    reason = iterate(solver, problem, &run, k);
  }
  if (reason == HN_BUDGET && s->forecast > 0.0 && solver->options.tolerance > 0.0) reason = HN_STALLED;
  memcpy(p, s->best, sizeof *p * (size_t)problem->nrow);
  if (reason == HN_STALLED) {
    memcpy(s->q, p, sizeof *p * (size_t)problem->nrow);
    solver->error = law_error(s, problem);
  }
  return reason;
}

static const hn_param params[] = {
  { "forecast", HN_REAL, offsetof(nncg, forecast), "0", 0, 1e7, "", NULL,
    "ends where more iterations a row are foretold; 0: never" },
  { .key = NULL },
};

const hn_contact_type hn_contact_nncg = {
  .abi = HN_ABI,
  .name = "nncg",
  .summary = "Gauss-Seidel sweeps accelerated by nonlinear conjugate gradients; high stacks",
  .citation = "Silcowitz, Niebe and Erleben 2010",
  .capabilities = HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE | HN_SOLVES_MATRIX | HN_SOLVES_UNSYMMETRIC |
                  HN_SOLVES_STICKING | HN_SOLVES_ROLLING,
  .data_size = sizeof(nncg),
  .params = params,
  .setup = setup,
  .solve = solve,
  .free = destroy,
};
