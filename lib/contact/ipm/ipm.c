/* ipm.c - contact solver: a primal-dual interior-point method, with De Saxce's shift in an outer fixed point.
 *
 *   minimise  1/2 p' K p + (b + s)' p  over C        s: De Saxce's shift mu |v_t| e_n, fixed
 *   s := mu |v_t| e_n for v = K p + b                the outer iteration
 *
 * The solution of the convex problem for s satisfies Coulomb's law if s is the shift of its own velocities.
 * The problem need not be solved exactly for each s: s is replaced in the iteration in which the error of the
 * law for s is no larger than the error of s. An iteration (ipm_step.c):
 *
 *   factor K + H, H by Nesterov and Todd's scaling         1 factorisation
 *   predictor: the step to products 0; t its length        1 solution
 *   corrector: the step to (1 - t)^3 of the mean product,
 *     less the products of the predictor                   1 solution
 *     (to the mean product, where the error for s is less than a tenth of that of s)
 *   0.99 of the step to the boundary of the sets
 *
 * H is positive definite, so that redundant rows do no harm; equations have H = 1e-12 k, or more where the
 * matrix is singular. Impulses stay in the interior of their sets. The number of iterations hardly depends on
 * the size of the problem. Contraction of the outer iteration is proven for small mu only.
 *
 * A new shift moves the multiplier of its cone along, and keeps both a tenth of the change away from the
 * boundary. The start is moved into the interior by its error, so that good impulses are a good start. Where
 * the error has not halved in 30 iterations, the best iterate is moved again, up to four times; then the
 * solution is stalled. With tolerance 0 all iterations are made. The best iterate is returned.
 *
 * [Acary, Armand, Nguyen and Shpakovych, Optim. Methods Softw. (2023); the fixed point: Acary, Cadoux,
 * Lemarechal and Malick, ZAMM 91 (2011) 155; the iteration: Mehrotra 1992; Andersen, Roos and Terlaky, Math.
 * Program. 95 (2003) 249] */
#include "contact/ipm/ipm_step.h"

#include <math.h>
#include <string.h>

/* Part of the way to the boundary; smallest floor of the scaling, and its increase where the matrix is
 * singular; its largest value. */
static const double part_of_way = 0.99, min_floor = 1e-12, increase_of_floor = 100.0, max_floor = 1e-5;
/* Error of the law for a shift, relative to the error of the shift, below which products are small enough. */
static const double small_error = 0.1;
/* Distance from the boundary that a cone gets where its shift changes, relative to the change. */
static const double kept_distance = 0.1;
enum { PATIENCE = 30, MOST_RESTARTS = 4 };

/* State of one solution. */
typedef struct progress {
  double least;   /* m/s, error of s->best */
  double halved;  /* m/s, when it last halved */
  int stagnation; /* iterations since then */
  int restarts;
  bool holds; /* the next step keeps the mean product */
} progress;

static int setup(hn_contact_solver *solver, hn_error *error)
{
  hn_ipm *s = solver->data;
  const size_t rows = (size_t)solver->most.rows;
  HN_ARRAYS(&s->arrays, sizeof *s->scaling * (size_t)solver->most.blocks, &s->scaling);
  HN_ARRAYS(&s->arrays, sizeof(double) * (size_t)solver->most.blocks, &s->scale);
  HN_ARRAYS(&s->arrays, sizeof(double[6]) * (size_t)solver->most.bodies, &s->u);
  HN_ARRAYS(&s->arrays, sizeof(double[6]) * rows, &s->Q);
  HN_ARRAYS(&s->arrays, sizeof(double) * rows, &s->lower, &s->upper, &s->p, &s->best, &s->z, &s->y, &s->shift,
            &s->v, &s->dp, &s->dz, &s->dy, &s->cz, &s->cy, &s->refinement.y, &s->refinement.Qy,
            &s->refinement.r);
  s->refinement.u = s->u;
  return s->arrays.failed ? hn_fail(error, "no memory for contact problems of %d rows", solver->most.rows)
                          : 0;
}

static void destroy(hn_contact_solver *solver)
{
  hn_ipm *s = solver->data;
  hn_contact_matrix_free(&s->K);
  hn_arrays_free(&s->arrays);
}

/* ---- The shift --------------------------------------------------------------------------------------- */

/* Returns the shift of BLOCK at the velocities v. */
static double shift_of(const hn_ipm *s, const hn_problem_block *block)
{
  double w[HN_MAX_ROWS];
  memcpy(w, s->v + block->row, sizeof *w * (size_t)block->n);
  hn_set_shift(&block->set, block->n, w);
  return w[0] - s->v[block->row];
}

/* Returns the largest error of the law with the present shift, m/s; in SHIFT_ERROR that of the shift. */
static double inner_error(const hn_ipm *s, const hn_problem *problem, double *shift_error)
{
  double largest = 0.0;
  *shift_error = 0.0;
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    double w[HN_MAX_ROWS];
    for (int i = 0; i < block->n; i++) w[i] = (s->v[block->row + i] + s->shift[block->row + i]) / s->scale[k];
    const double error = hn_set_error(&block->set, block->n, problem->h, s->p + block->row, w);
    largest = fmax(largest, s->scale[k] * error);
    *shift_error = fmax(*shift_error, fabs(shift_of(s, block) - s->shift[block->row]));
  }
  return largest;
}

/* Replaces the shift if the law with the present one is satisfied well enough; then the products must not
 * become smaller where they are small for the change. */
static void follow_shift(hn_ipm *s, const hn_problem *problem, progress *run)
{
  double shift_error;
  const double error = inner_error(s, problem, &shift_error);
  run->holds = error < small_error * shift_error;
  if (error > shift_error) return;
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    const double change = shift_of(s, block) - s->shift[block->row];
    s->shift[block->row] += change;
    if (hn_ipm_is_cone(block))
      hn_ipm_follow(s, block, s->scale[k], change, kept_distance * fabs(change) / s->scale[k]);
  }
}

/* ---- The solver -------------------------------------------------------------------------------------- */

/* Computes v at p; returns the error of Coulomb's law, and keeps p if it is the smallest so far. */
static double judge(hn_ipm *s, const hn_problem *problem, progress *run)
{
  hn_problem_velocities(problem, s->p, s->u, s->v);
  const double error = hn_rows_error(problem, s->scale, false, s->p, s->v);
  if (error < run->least) run->least = error, memcpy(s->best, s->p, sizeof *s->p * (size_t)problem->nrow);
  run->stagnation++;
  if (error <= 0.5 * run->halved) run->halved = error, run->stagnation = 0;
  return error;
}

/* Begins at the best impulses so far, moved into the interior by their error. */
static void begin(hn_ipm *s, const hn_problem *problem, progress *run)
{
  memcpy(s->p, s->best, sizeof *s->p * (size_t)problem->nrow);
  hn_problem_velocities(problem, s->p, s->u, s->v);
  for (const hn_problem_block *block = problem->block; block < problem->block + problem->nblock; block++) {
    for (int i = block->row; i < block->row + block->n; i++) s->shift[i] = 0.0;
    s->shift[block->row] = shift_of(s, block);
  }
  hn_ipm_enter(s, problem, run->least);
  hn_problem_velocities(problem, s->p, s->u, s->v);
  run->halved = run->least, run->stagnation = 0, run->holds = false;
}

/* Makes a step with the factor; false if it has no length. */
static bool make_step(hn_contact_solver *solver, hn_ipm *s, const hn_problem *problem, bool holds)
{
  const double gap = hn_ipm_gap(s, problem);
  solver->solves += 2;
  if (!hn_ipm_direction(s, problem, 0.0, false)) return false;
  hn_ipm_note_products(s, problem);
  const double left = fmax(1.0 - hn_ipm_longest(s, problem), 0.0),
               target = holds ? gap : gap * left * left * left;
  if (!hn_ipm_direction(s, problem, target, true)) return false;
  const double longest = hn_ipm_longest(s, problem);
  hn_ipm_move(s, problem, longest > 1.0 ? 1.0 : part_of_way * longest); /* 1: the boundary is at the end */
  return longest > 0.0;
}

/* Factors the matrix, with a larger floor where it is singular. */
static hn_reason factor(hn_contact_solver *solver, hn_ipm *s, const hn_problem *problem)
{
  hn_reason reason;
  do {
    solver->factorisations++;
    reason = hn_ipm_factor(s, problem);
  } while (reason == HN_SINGULAR && (s->floor *= increase_of_floor) <= max_floor);
  return reason;
}

/* One iteration: the reason if it ends the solution, else HN_BUDGET. */
static hn_reason iterate(hn_contact_solver *solver, const hn_problem *problem, progress *run)
{
  hn_ipm *s = solver->data;
  hn_reason reason = factor(solver, s, problem);
  if (reason == HN_NO_MEMORY) return reason;
  const bool moved = reason == HN_CONVERGED && make_step(solver, s, problem, run->holds);
  const double error = moved ? judge(s, problem, run) : HUGE_VAL;
  hn_contact_note(solver, moved ? error : run->least);
  if (error <= solver->options.tolerance) return HN_CONVERGED;
  if (moved && isfinite(error) && run->stagnation < PATIENCE) follow_shift(s, problem, run);
  else {
    if (run->restarts++ == MOST_RESTARTS && solver->options.tolerance > 0.0) return HN_STALLED;
    s->floor = min_floor, begin(s, problem, run);
  }
  return HN_BUDGET;
}

static hn_reason solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  hn_ipm *s = solver->data;
  const size_t size = sizeof *p * (size_t)problem->nrow;
  progress run = { .least = HUGE_VAL, .halved = HUGE_VAL };
  if (!hn_rows_scales(problem, s->scale)) return HN_NOT_FINITE;
  memset(s->y, 0, size), memset(s->dy, 0, size);
  memcpy(s->p, p, size), memcpy(s->best, p, size);
  const double first = judge(s, problem, &run);
  if (!isfinite(first)) return HN_NOT_FINITE;
  hn_reason reason = first <= solver->options.tolerance ? HN_CONVERGED : HN_BUDGET;
  hn_ipm_bounds(s, problem);
  s->floor = min_floor, begin(s, problem, &run);
  for (int k = 0; k < solver->options.iterations && reason == HN_BUDGET; k++) {
    if (hn_stopped(solver->stop)) return HN_INTERRUPTED;
    reason = iterate(solver, problem, &run);
  }
  solver->error = run.least;
  memcpy(p, s->best, size);
  return reason;
}

static const hn_param params[] = { { .key = NULL } };

const hn_contact_type hn_contact_ipm = {
  .abi = HN_ABI,
  .name = "ipm",
  .summary = "interior points with the shift in an outer iteration; few iterations whatever the size",
  .citation = "Acary, Armand, Nguyen and Shpakovych 2023",
  .capabilities = HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE | HN_SOLVES_MATRIX,
  .data_size = sizeof(hn_ipm),
  .params = params,
  .setup = setup,
  .solve = solve,
  .free = destroy,
};
