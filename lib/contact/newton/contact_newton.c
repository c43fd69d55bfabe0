/* contact_newton.c - contact solver: Newton's method on Alart and Curnier's function F (alart_curnier.h).
 *
 *   J d = -F,  J = A + B (K + e k),  dF = A dp + B dv of each block;   p := p + t d,  v := v + t K d
 *
 * F is piecewise smooth: J is the derivative of the piece at p, v. Blocks whose F depends on p alone have d
 * at once, and J is of the others. k is the mean of the diagonal of K on a block. Redundant contacts make J
 * singular: e k on the diagonal of K, in J alone, makes it regular; the error left by it shrinks by e an
 * iteration, and the impulses are one solution of many. newton_step.c factors J with the library behind
 * unsymmetric.h.
 *
 * Line search (newton_policy.c): t = 1, 1/2, 1/4, ... down to 2e-4, until m = |F|^2 / 2 satisfies m(t) <= (1
 * - 2e-4 t) max of the last three m. The maximum lets m rise where a contact sticks and slides in turn.
 *
 * States (newton_policy.c). An iteration fails if J is singular, if no t is found, or if m has not halved in
 * 20 iterations:
 *
 *   state     action                                                   next state, if an iteration fails
 *   strong    iterations with e = 1e-9                                 weak
 *   weak      iterations with e = 1e-12 and steps to mode changes      sweep, restart or stalled
 *   sweep     n sweeps of Gauss-Seidel (pgs); n := 2 n up to 10 000    strong, always
 *   restart   p := 0; first sweeps; n as at the start                  strong, always
 *   stalled   the end
 *
 * After the weak state: sweep, if n < 10 000 or if the longest sweeps have halved the error; else restart,
 * once, if p was not 0 at the start; else stalled. n begins with the parameter "help".
 *
 * The weak state is for contacts that are redundant but for rounding and contradict each other by another
 * rounding: one of them slides by as little, with all its friction. Steps of the line search are too short to
 * get there. In the weak state the step to the first mode change, where a sticking contact reaches its cone
 * or a sliding one opens, is tried first, and accepted if m has not grown. A restart discards a start that
 * another solver has moved far along contradictory contacts.
 *
 * The first iteration follows a few sweeps (parameter "sweeps"). The solution has converged if the error of p
 * and that of P_C(p) are within the tolerance. Cost: a factorisation an iteration.
 *
 * [Alart and Curnier, Comput. Methods Appl. Mech. Eng. 92 (1991) 353; Acary, Bremond and Huber, in Advanced
 * Topics in Nonsmooth Dynamics (2018); line search: Grippo, Lampariello and Lucidi, SIAM J. Numer. Anal. 23
 * (1986) 707] */
#include "base/module.h"
#include "base/params.h"
#include "base/vec.h"
#include "contact/newton/alart_curnier.h"
#include "contact/newton/newton_policy.h"
#include "contact/newton/newton_step.h"

#include <string.h>

extern const hn_contact_type hn_contact_pgs;

/* ---- Life cycle ---------------------------------------------------------------------------------------- */

/* Creates the Gauss-Seidel solver of the fallback, with room for the same problems. */
static int set_up_sweeps(hn_newton *s, const hn_contact_solver *solver, hn_error *error)
{
  s->pgs = (hn_contact_solver){ .type = &hn_contact_pgs, .most = solver->most };
  s->pgs.data = calloc(1, hn_contact_pgs.data_size);
  if (!s->pgs.data) return hn_fail(error, "out of memory");
  if (hn_params_read(hn_contact_pgs.params, "pgs", NULL, s->pgs.data, &s->pgs.texts, error)) return -1;
  return hn_contact_pgs.setup(&s->pgs, error);
}

static int setup(hn_contact_solver *solver, hn_error *error)
{
  hn_newton *s = solver->data;
  const size_t rows = (size_t)solver->most.rows, blocks = (size_t)solver->most.blocks;
  const void *symbol = hn_module_symbol(HN_LU_MODULE, HN_LU_SOLVE, error);
  if (!symbol || set_up_sweeps(s, solver, error)) return -1;
  memcpy(&s->lu, &symbol, sizeof s->lu); /* ISO C has no cast from an object to a function */
  HN_ARRAYS(&s->arrays, sizeof(double) * blocks, &s->scale);
  HN_ARRAYS(&s->arrays, sizeof(bool) * blocks, &s->fixed);
  HN_ARRAYS(&s->arrays, sizeof(int) * blocks, &s->column);
  HN_ARRAYS(&s->arrays, sizeof(int) * (rows + 1), &s->J.start);
  HN_ARRAYS(&s->arrays, sizeof(double) * rows, &s->F, &s->v, &s->d, &s->v_d, &s->x, &s->trial, &s->v_trial);
  HN_ARRAYS(&s->arrays, sizeof(double[6]) * rows, &s->A, &s->B);
  HN_ARRAYS(&s->arrays, sizeof(double[6]) * (size_t)solver->most.bodies, &s->u);
  return s->arrays.failed ? hn_fail(error, "no memory for contact problems of %d rows", solver->most.rows)
                          : 0;
}

static void destroy(hn_contact_solver *solver)
{
  hn_newton *s = solver->data;
  if (s->pgs.data) hn_contact_pgs.free(&s->pgs);
  hn_texts_free(s->pgs.texts);
  free(s->pgs.data);
  hn_contact_matrix_free(&s->K);
  free(s->J.row), free(s->J.value), free(s->scratch.memory);
  hn_arrays_free(&s->arrays);
}

/* ---- F ------------------------------------------------------------------------------------------------- */

/* Returns the merit |F|^2 / 2 at P with velocities V. DERIVE: stores F, A, B and `fixed` as well. */
static double merit_of(hn_newton *s, const hn_problem *problem, const double *p, const double *v, bool derive)
{
  double sum = 0.0;
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    const int row = block->row;
    double *A = derive ? s->A + 6 * (size_t)row : NULL, *B = s->B + 6 * (size_t)row, F[HN_MAX_ROWS];
    bool fixed = hn_alart_function(problem, block, s->scale[k], p + row, v + row, F, A, B);
    for (int i = 0; i < block->n; i++) sum += 0.5 * F[i] * F[i];
    if (!derive) continue;
    s->fixed[k] = fixed;
    memcpy(s->F + row, F, sizeof *F * (size_t)block->n);
  }
  return sum;
}

/* ---- Line search --------------------------------------------------------------------------------------- */

/* Returns the smallest t at which a sticking contact reaches its cone along d, or a sliding one opens. */
static double first_mode_change(const hn_newton *s, const hn_problem *problem, const double *p)
{
  double t = HUGE_VAL;
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    const int row = block->row;
    if (block->set.kind == HN_CONE && !s->fixed[k])
      t = fmin(t, hn_alart_mode_change(block, s->scale[k], p + row, s->v + row, s->d + row, s->v_d + row));
  }
  return t;
}

/* Replaces P by P + T d if the merit there is at most LIMIT; else returns false. */
static bool try_step(hn_newton *s, const hn_problem *problem, double t, double limit, double *p)
{
  for (int i = 0; i < problem->nrow; i++)
    s->trial[i] = p[i] + t * s->d[i], s->v_trial[i] = s->v[i] + t * s->v_d[i];
  if (!(merit_of(s, problem, s->trial, s->v_trial, false) <= limit)) return false;
  memcpy(p, s->trial, sizeof *p * (size_t)problem->nrow);
  return true;
}

/* Moves P along d to where the merit is below that of LARGEST, the maximum of the last iterations; false if
 * it is nowhere. TO_MODE_CHANGE: tries the step to the first change of a contact mode first. */
static bool search_line(hn_newton *s, const hn_problem *problem, bool to_mode_change, double largest,
                        double *p)
{
  hn_problem_velocities(problem, s->d, s->u, s->v_d);
  for (int i = 0; i < problem->nrow; i++) s->v_d[i] -= problem->b[i];
  const double change = to_mode_change ? first_mode_change(s, problem, p) : HUGE_VAL;
  if (change <= 1.0 && try_step(s, problem, change, largest, p)) return true;
  for (double t = 1.0; t > 0.0; t = hn_newton_shorter_step(t))
    if (try_step(s, problem, t, hn_newton_merit_limit(t, largest), p)) return true;
  return false;
}

/* One iteration of Newton's method. HN_STALLED, HN_SINGULAR: it fails; HN_NO_MEMORY without memory. */
static hn_reason iterate(hn_contact_solver *solver, const hn_problem *problem, hn_newton_progress *run,
                         double *p)
{
  hn_newton *s = solver->data;
  const double largest = hn_newton_remember_merit(run, merit_of(s, problem, p, s->v, true));
  if (hn_newton_stagnates(run)) return HN_STALLED;
  s->regularisation = hn_newton_regularisation(run->state);
  hn_reason reason = hn_newton_step(solver, problem);
  if (reason != HN_CONVERGED) return reason;
  const bool moved = search_line(s, problem, run->state == HN_NEWTON_WEAK, largest, p);
  return moved ? HN_CONVERGED : HN_STALLED;
}

/* ---- Fallbacks ----------------------------------------------------------------------------------------- */

/* Makes SWEEPS sweeps of Gauss-Seidel from P; HN_CONVERGED or a failure. */
static hn_reason sweep(hn_contact_solver *solver, const hn_problem *problem, int sweeps, double *p)
{
  hn_newton *s = solver->data;
  s->pgs.options = (hn_contact_options){ .tolerance = 0.0, .iterations = sweeps };
  s->pgs.iterations = 0, s->pgs.stop = solver->stop;
  hn_reason reason = sweeps > 0 ? hn_contact_pgs.solve(&s->pgs, problem, p) : HN_BUDGET;
  solver->sweeps += s->pgs.iterations;
  return reason == HN_BUDGET || reason == HN_CONVERGED ? HN_CONVERGED : reason;
}

/* Begins anew from P = 0. */
static hn_reason restart(hn_contact_solver *solver, const hn_problem *problem, hn_newton_progress *run,
                         double *p)
{
  hn_newton *s = solver->data;
  *run = hn_newton_progress_start(s->help, true);
  memset(p, 0, sizeof *p * (size_t)problem->nrow);
  return sweep(solver, problem, s->first_sweeps, p);
}

/* Makes the transition after a failed iteration. HN_CONVERGED: iterations go on; HN_STALLED: they do not. */
static hn_reason fall_back(hn_contact_solver *solver, const hn_problem *problem, hn_newton_progress *run,
                           double *p)
{
  hn_newton_fail(run, solver->error);
  switch (run->state) {
  case HN_NEWTON_STRONG:
  case HN_NEWTON_WEAK: return HN_CONVERGED;
  case HN_NEWTON_SWEEP:
    solver->fallbacks++;
    run->state = HN_NEWTON_STRONG;
    return sweep(solver, problem, hn_newton_next_sweeps(run, solver->error), p);
  case HN_NEWTON_RESTART: return restart(solver, problem, run, p);
  case HN_NEWTON_STALLED: break;
  }
  return HN_STALLED;
}

/* ---- The solver ---------------------------------------------------------------------------------------- */

/* Computes the velocities and the error of P. True if the error and that of P_C(P) are within the tolerance;
 * P is then P_C(P). */
static bool is_solved(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  hn_newton *s = solver->data;
  const double tolerance = solver->options.tolerance;
  hn_problem_velocities(problem, p, s->u, s->v);
  double error = hn_rows_error(problem, s->scale, false, p, s->v);
  hn_contact_note(solver, error);
  if (!(error <= tolerance)) return false;
  memcpy(s->trial, p, sizeof *p * (size_t)problem->nrow);
  if (!(hn_rows_project(problem, s->scale, s->u, s->v_trial, s->trial) <= tolerance)) return false;
  memcpy(p, s->trial, sizeof *p * (size_t)problem->nrow);
  return true;
}

/* Loads K and makes the first sweeps from P. */
static hn_reason start(hn_contact_solver *solver, const hn_problem *problem, hn_newton_progress *run,
                       double *p)
{
  hn_newton *s = solver->data;
  bool from_zero = true;
  for (int i = 0; i < problem->nrow; i++) from_zero &= p[i] == 0.0;
  *run = hn_newton_progress_start(s->help, from_zero);
  if (!hn_rows_scales(problem, s->scale)) return HN_NOT_FINITE;
  hn_reason reason = hn_contact_matrix_load(&s->K, problem, false);
  return reason == HN_CONVERGED ? sweep(solver, problem, s->first_sweeps, p) : reason;
}

static hn_reason solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  hn_newton *s = solver->data;
  hn_newton_progress run;
  hn_reason reason = start(solver, problem, &run, p);
  while (reason == HN_CONVERGED && !is_solved(solver, problem, p)) {
    if (!isfinite(solver->error)) return HN_NOT_FINITE;
    if (hn_stopped(solver->stop)) return HN_INTERRUPTED;
    if (solver->iterations >= solver->options.iterations) reason = HN_BUDGET;
    else reason = iterate(solver, problem, &run, p);
    if (reason == HN_STALLED || reason == HN_SINGULAR) reason = fall_back(solver, problem, &run, p);
  }
  if (reason == HN_BUDGET || reason == HN_STALLED) hn_rows_project(problem, s->scale, s->u, s->v_trial, p);
  return reason;
}

static const hn_param params[] = {
  { "sweeps", HN_INTEGER, offsetof(hn_newton, first_sweeps), "5", 0, 1e6, "", NULL,
    "Gauss-Seidel sweeps before the first iteration" },
  { "help", HN_INTEGER, offsetof(hn_newton, help), "20", 1, 1e6, "", NULL,
    "Gauss-Seidel sweeps where Newton's method fails; then twice as many" },
  { .key = NULL },
};

const hn_contact_type hn_contact_newton = {
  .abi = HN_ABI,
  .name = "newton",
  .summary = "Newton's method on Alart and Curnier's function; few iterations to round-off",
  .citation = "Alart and Curnier 1991",
  .capabilities = HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE | HN_SOLVES_MATRIX | HN_SOLVES_UNSYMMETRIC,
  .data_size = sizeof(hn_newton),
  .params = params,
  .setup = setup,
  .solve = solve,
  .free = destroy,
};
