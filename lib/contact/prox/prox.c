/* prox.c - contact solver: proximal points, each by Newton's method.
 *
 * p solves the problem (contact.h) if p = P(p - v / r), for any r > 0 of each block. P is the projection onto
 * the set; of a cone, the normal impulse is projected onto p_n >= 0 and the tangents onto the radius mu P_n,
 * as in Alart and Curnier's function. A proximal step from c solves the problem of K + alpha k instead of K,
 * k the mean of the diagonal of K on the block, with velocities that are those of the problem where p = c:
 *
 *   p = P(c - (K p + b) / (alpha k)),   c := p
 *
 * The problem of a step is regular where contacts are redundant, and the less alpha, the nearer p to a
 * solution, and the harder is the step (prox_step.c). So alpha follows the error:
 *
 *   after                                        alpha
 *   the first sweeps of Gauss-Seidel             the smaller of the parameter and 10 e
 *   a step of at most 5 iterations               the smaller of 0.3 alpha and 10 e, or 0.5 alpha once three
 *                                                steps have failed; not below the floor
 *   a step of more than 15 iterations            3 alpha
 *   a step that fails, or is singular            10 alpha; the floor becomes 3 alpha; p := c, and sweeps
 *
 * After a failure there are 200 sweeps, then twice as many each time, up to 1600.
 *
 * e is the error of the law relative to the largest velocity without impulses. The floor falls to 0.3 of
 * itself with each step that succeeds. 1e-11 <= alpha <= 10.
 *
 * Where redundant contacts contradict each other by little, p moves at a constant error, by e / (alpha k) a
 * step, until one of them slides or opens. A step succeeds if it passes few such changes: an alpha of 10 e
 * passes too many, and each failure costs more than the steps that it would save.
 *
 * The end: converged, once P(q) of any iteration meets the tolerance; stalled, if the error has not halved in
 * 50 steps, or a step for each 30 rows where that is more, in 5 at the smallest alpha, or in 2 where the
 * caller accepts the error (hn_contact_solver_accept). Where constraints contradict each other without end
 * the error then is the contradiction, and p grows along it. With tolerance 0 all iterations are made.
 *
 * Contradictions. Contacts that contradict each other by 1e-9 m/s have a solution, if friction lets some of
 * them slide by as little. Which ones is decided by inner forces, and does not depend on the size of the
 * contradiction. So where the error is small and no longer halves, the velocities that are left are magnified
 * to 1e-3 of the largest; that problem is solved, then those with a tenth of the factor each, down to 1.
 * With contact modes as they are p is linear in the factor, so that each begins where the last two point to.
 *
 * Cost: a factorisation an iteration, by bodies or by rows (newton_step.c). [Acary, Bremond and Huber, in
 * Advanced Topics in Nonsmooth Dynamics (2018); Rockafellar, SIAM J. Control Optim. 14 (1976)
 * 877] */
#include "contact/matrix/body_matrix.h"
#include "contact/prox/prox_step.h"

#include <math.h>
#include <string.h>

static const double min_alpha = 1e-11, max_alpha = 10.0;
/* Factors of e, of alpha, and of its floor, by the rules above. */
static const double follow = 10.0, decrease = 0.3, slow_decrease = 0.5, increase = 3.0, after_failure = 10.0,
                    floor_of_failure = 3.0;
/* Error relative to the largest velocity from which on steps are followed by polishing. */
static const double polished = 1e-6;
/* Contradictions of less than `small` are magnified to `magnified` times the largest velocity; what
 * velocities are part of them, in errors; the next factor; the tolerance of their problems, and the error
 * with which one that stalls is left behind, in magnified errors. */
static const double small = 1e-5, magnified = 1e-3, part_of_contradiction = 100.0, decrease_of_factor = 0.1,
                    scaled_tolerance = 1e-4, near_enough = 0.1;
enum {
  FEW_ITERATIONS = 5,
  FEW_FAILURES = 2,
  MANY_ITERATIONS = 15,
  FIRST_HELP = 200,
  LAST_HELP = 1600,
  PATIENCE = 50,
  ROWS_OF_PATIENCE = 30, /* for which there is one more step, in larger problems */
  MAGNIFIED_ROWS = 300,  /* most rows of a problem whose contradictions are magnified */
  LAST_PATIENCE = 5,
  ACCEPTED_PATIENCE = 2
};

/* State of one solution. */
typedef struct progress {
  double error;   /* m/s, of p */
  double least;   /* m/s, of s->best */
  double halved;  /* m/s, when it last halved */
  int stagnation; /* steps since then */
  double floor;   /* of alpha */
  int sweeps;     /* after the next failure */
  int failures;   /* steps that failed */
  double size;    /* m/s, largest velocity without impulses */
  bool magnified; /* contradictions have been magnified */
  bool scaled;    /* the problem is one with magnified contradictions */
} progress;

static int setup(hn_contact_solver *solver, hn_error *error)
{
  hn_prox *s = solver->data;
  HN_ARRAYS(&s->arrays, sizeof(double) * (size_t)solver->most.rows, &s->center, &s->P, &s->R, &s->v_R,
            &s->best, &s->kept, &s->b, &s->part, &s->last, &s->before);
  if (s->arrays.failed) return hn_fail(error, "no memory for contact problems of %d rows", solver->most.rows);
  return hn_newton_create(&s->newton, solver, error);
}

static void destroy(hn_contact_solver *solver)
{
  hn_prox *s = solver->data;
  hn_newton_destroy(&s->newton);
  hn_arrays_free(&s->arrays);
}

static double within(double alpha)
{
  return fmin(fmax(alpha, min_alpha), max_alpha);
}

/* Loads K, makes the first sweeps from P, and sets the first alpha. */
static hn_reason start(hn_contact_solver *solver, const hn_problem *problem, progress *run, double *p)
{
  hn_prox *s = solver->data;
  hn_newton *newton = &s->newton;
  if (!hn_rows_scales(problem, newton->scale)) return HN_NOT_FINITE;
  hn_reason reason = hn_contact_matrix_load(&newton->K, problem, hn_bodies_are_fewer);
  if (reason == HN_CONVERGED) reason = hn_newton_sweep(solver, newton, problem, newton->first_sweeps, p);
  for (int i = 0; i < problem->nrow; i++) run->size = fmax(run->size, fabs(problem->b[i]));
  return reason;
}

/* Sets alpha after a step of ITERATIONS that left ERROR. */
static void succeed(hn_prox *s, progress *run, double error, int iterations)
{
  run->error = error, run->floor *= decrease;
  const double least = run->failures > FEW_FAILURES ? slow_decrease * s->alpha
                                                    : fmin(decrease * s->alpha, follow * error / run->size);
  if (iterations <= FEW_ITERATIONS) s->alpha = within(fmax(run->floor, least));
  else if (iterations > MANY_ITERATIONS) s->alpha = within(increase * s->alpha);
}

/* Returns to the start of a failed step, and sweeps. */
static hn_reason fail(hn_contact_solver *solver, const hn_problem *problem, progress *run, double *p)
{
  hn_prox *s = solver->data;
  solver->fallbacks++, run->failures++;
  memcpy(p, s->center, sizeof *p * (size_t)problem->nrow);
  run->floor = fmax(run->floor, floor_of_failure * s->alpha);
  s->alpha = within(after_failure * s->alpha);
  const int sweeps = run->sweeps;
  run->sweeps = sweeps < LAST_HELP ? 2 * sweeps : sweeps;
  return hn_newton_sweep(solver, &s->newton, problem, sweeps, p);
}

/* True if the error has not halved for so many steps that there is no hope, or no need: an error of ACCEPTED
 * does. */
static bool is_hopeless(progress *run, double alpha, double accepted, int nrow)
{
  const int patience = nrow / ROWS_OF_PATIENCE > PATIENCE ? nrow / ROWS_OF_PATIENCE : PATIENCE;
  if (run->error <= 0.5 * run->halved) run->halved = run->error, run->stagnation = 0;
  else run->stagnation++;
  if (run->least <= accepted && !run->scaled) return run->stagnation >= ACCEPTED_PATIENCE;
  return run->stagnation >= (alpha > min_alpha && !run->scaled ? patience : LAST_PATIENCE);
}

/* One step, and what follows from it. */
static hn_reason advance(hn_contact_solver *solver, const hn_problem *problem, progress *run, double *p)
{
  hn_prox *s = solver->data;
  const int before = solver->iterations;
  hn_reason reason = hn_prox_step(solver, problem, run->error, p);
  if (reason == HN_CONVERGED) {
    succeed(s, run, solver->error, solver->iterations - before - 1);
    return run->error <= polished * run->size ? hn_prox_polish(solver, problem, run->error, p) : reason;
  }
  if (reason != HN_STALLED && reason != HN_SINGULAR) return reason;
  return fail(solver, problem, run, p);
}

/* Computes the error of P, and keeps P if it is the smallest so far. True if P is a solution. */
static bool is_solved(hn_contact_solver *solver, const hn_problem *problem, progress *run, double *p)
{
  hn_prox *s = solver->data;
  const bool solved = hn_newton_is_solved(solver, &s->newton, problem, p);
  run->error = solver->error;
  if (run->error < run->least) {
    run->least = run->error;
    memcpy(s->best, p, sizeof *p * (size_t)problem->nrow);
  }
  return solved;
}

/* ---- Contradictions that are magnified ---------------------------------------------------------------- */

static hn_reason iterate(hn_contact_solver *solver, const hn_problem *problem, progress *run, double *p);

/* True if contacts seem to contradict each other by little: the error no longer falls, and is small. */
static bool may_magnify(const hn_problem *problem, const progress *run)
{
  return !run->magnified && problem->nrow <= MAGNIFIED_ROWS && run->error <= small * run->size &&
         (run->stagnation > 0 || run->floor > 0.0);
}

/* Begins at the best P so far, and finds the velocities that are part of its contradiction. */
static void start_magnifying(hn_prox *s, const hn_problem *problem, progress *run, double *p)
{
  const size_t size = sizeof *p * (size_t)problem->nrow;
  run->magnified = true, run->error = run->least;
  memcpy(p, s->best, size), memcpy(s->kept, s->best, size);
  hn_problem_velocities(problem, p, s->newton.u, s->newton.v);
  for (int i = 0; i < problem->nrow; i++)
    s->part[i] = fabs(s->newton.v[i]) <= part_of_contradiction * run->error ? s->newton.v[i] : 0.0;
}

/* Solves SCALED, with contradictions FACTOR times as large, from P. */
static hn_reason solve_scaled(hn_contact_solver *solver, const hn_problem *scaled, const progress *whole,
                              double factor, double *p)
{
  hn_prox *s = solver->data;
  progress run = { .least = HUGE_VAL, .halved = HUGE_VAL, .size = whole->size, .magnified = true };
  run.scaled = factor > 1.0;
  s->alpha = within(factor * whole->error / whole->size);
  if (is_solved(solver, scaled, &run, p)) return HN_CONVERGED;
  hn_reason reason = hn_prox_polish(solver, scaled, run.error, p);
  if (reason != HN_CONVERGED || is_solved(solver, scaled, &run, p)) return reason;
  return iterate(solver, scaled, &run, p);
}

/* Replaces P, for FACTOR, by the line through the solutions for the last two factors: LAST and BEFORE. */
static void extrapolate(const hn_prox *s, int nrow, double before, double last, double factor, double *p)
{
  const double step = (factor - last) / (last - before);
  for (int i = 0; i < nrow; i++) p[i] = s->last[i] + step * (s->last[i] - s->before[i]);
}

/* Solves PROBLEM by way of problems with larger contradictions. If that fails, P is the best so far. */
static hn_reason magnify(hn_contact_solver *solver, const hn_problem *problem, progress *run, double *p)
{
  hn_prox *s = solver->data;
  hn_problem scaled = *problem;
  const size_t size = sizeof *p * (size_t)problem->nrow;
  const double tolerance = solver->options.tolerance, error = run->least;
  double factor = magnified * run->size / error, last = 0.0, before = 0.0;
  hn_reason reason = HN_CONVERGED;
  start_magnifying(s, problem, run, p), scaled.b = s->b;
  for (int level = 0; reason == HN_CONVERGED; level++, factor = fmax(decrease_of_factor * factor, 1.0)) {
    for (int i = 0; i < problem->nrow; i++) s->b[i] = problem->b[i] + (factor - 1.0) * s->part[i];
    if (level > 1) extrapolate(s, problem->nrow, before, last, factor, p);
    solver->options.tolerance = fmax(tolerance, factor > 1.0 ? scaled_tolerance * factor * error : 0.0);
    reason = solve_scaled(solver, &scaled, run, factor, p);
    if (factor == 1.0) break;
    if (reason == HN_STALLED && solver->error <= near_enough * factor * error) reason = HN_CONVERGED;
    memcpy(s->before, s->last, size), memcpy(s->last, p, size);
    before = last, last = factor;
  }
  solver->options.tolerance = tolerance;
  if (reason == HN_CONVERGED) return reason;
  memcpy(p, s->kept, size), memcpy(s->best, s->kept, size);
  is_solved(solver, problem, run, p);
  return reason == HN_SINGULAR ? HN_STALLED : reason;
}

/* Makes steps from P, until the end. */
static hn_reason iterate(hn_contact_solver *solver, const hn_problem *problem, progress *run, double *p)
{
  hn_prox *s = solver->data;
  hn_reason reason = HN_CONVERGED;
  s->alpha = within(fmin(s->first_alpha, run->size > 0.0 ? follow * run->error / run->size : 1.0));
  do {
    if (is_hopeless(run, s->alpha, solver->accepted, problem->nrow) && solver->options.tolerance > 0.0)
      return HN_STALLED;
    if (may_magnify(problem, run) && solver->options.tolerance > 0.0) {
      reason = magnify(solver, problem, run, p);
      if (reason != HN_STALLED) return reason;
    }
    reason = advance(solver, problem, run, p);
  } while (reason == HN_CONVERGED && !is_solved(solver, problem, run, p) && isfinite(run->error));
  return isfinite(run->error) ? reason : HN_NOT_FINITE;
}

static hn_reason solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  hn_prox *s = solver->data;
  progress run = { .least = HUGE_VAL, .halved = HUGE_VAL };
  run.sweeps = s->newton.first_sweeps > 0 ? FIRST_HELP : 0;
  hn_reason reason = start(solver, problem, &run, p);
  if (reason != HN_CONVERGED || is_solved(solver, problem, &run, p)) return reason;
  reason = iterate(solver, problem, &run, p);
  if (reason != HN_CONVERGED && run.least < HUGE_VAL) {
    memcpy(p, s->best, sizeof *p * (size_t)problem->nrow);
    solver->error = hn_rows_project(problem, s->newton.scale, s->newton.u, s->newton.v_trial, p);
  }
  return reason;
}

static const hn_param params[] = {
  { "sweeps", HN_INTEGER, offsetof(hn_prox, newton.first_sweeps), "50", 0, 1e6, "", NULL,
    "Gauss-Seidel sweeps before the first step; 0: none, also where a step fails" },
  { "alpha", HN_REAL, offsetof(hn_prox, first_alpha), "0.1", 1e-11, 10, "", NULL,
    "largest regularisation of the first step, relative to the mean of the diagonal of K" },
  { .key = NULL },
};

const hn_contact_type hn_contact_prox = {
  .abi = HN_ABI,
  .name = "prox",
  .summary = "proximal points, each by Newton's method; redundant and contradictory contacts",
  .citation = "Acary, Bremond and Huber 2018",
  .capabilities = HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE | HN_SOLVES_MATRIX | HN_SOLVES_UNSYMMETRIC |
                  HN_SOLVES_ROLLING | HN_ENDS_AT_CONTRADICTIONS,
  .data_size = sizeof(hn_prox),
  .params = params,
  .setup = setup,
  .solve = solve,
  .free = destroy,
};
