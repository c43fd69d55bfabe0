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
 * and that of P_C(p) are within the tolerance; without sweeps one iteration is made anyway, unless the error
 * is that of rounding. Cost: a factorisation an iteration.
 *
 * [Alart and Curnier, Comput. Methods Appl. Mech. Eng. 92 (1991) 353; Acary, Bremond and Huber, in Advanced
 * Topics in Nonsmooth Dynamics (2018); line search: Grippo, Lampariello and Lucidi, SIAM J. Numer. Anal. 23
 * (1986) 707] */
#include "base/vec.h"
#include "contact/matrix/body_matrix.h"
#include "contact/newton/newton_policy.h"
#include "contact/newton/newton_search.h"

#include <float.h>
#include <string.h>

/* One iteration of Newton's method. HN_STALLED, HN_SINGULAR: it fails; HN_NO_MEMORY without memory. */
static hn_reason iterate(hn_contact_solver *solver, const hn_problem *problem, hn_newton_progress *run,
                         double *p)
{
  hn_newton *s = solver->data;
  const double largest = hn_newton_remember_merit(run, hn_newton_merit(s, problem, p, s->v, true));
  if (hn_newton_stagnates(run)) return HN_STALLED;
  s->regularisation = hn_newton_regularisation(run->state);
  hn_reason reason = hn_newton_step(solver, s, problem);
  if (reason != HN_CONVERGED) return reason;
  const bool moved = hn_newton_search(s, problem, run->state == HN_NEWTON_WEAK, largest, p);
  return moved ? HN_CONVERGED : HN_STALLED;
}

/* ---- Fallbacks ----------------------------------------------------------------------------------------- */

/* Begins anew from P = 0. */
static hn_reason restart(hn_contact_solver *solver, const hn_problem *problem, hn_newton_progress *run,
                         double *p)
{
  hn_newton *s = solver->data;
  *run = hn_newton_progress_start(s->help, true);
  memset(p, 0, sizeof *p * (size_t)problem->nrow);
  return hn_newton_sweep(solver, s, problem, s->first_sweeps, p);
}

/* Makes the transition after a failed iteration. HN_CONVERGED: iterations go on; HN_STALLED: they do not. */
static hn_reason fall_back(hn_contact_solver *solver, const hn_problem *problem, hn_newton_progress *run,
                           double *p)
{
  hn_newton *s = solver->data;
  hn_newton_fail(run, solver->error);
  switch (run->state) {
  case HN_NEWTON_STRONG:
  case HN_NEWTON_WEAK: return HN_CONVERGED;
  case HN_NEWTON_SWEEP:
    solver->fallbacks++;
    run->state = HN_NEWTON_STRONG;
    return hn_newton_sweep(solver, s, problem, hn_newton_next_sweeps(run, solver->error), p);
  case HN_NEWTON_RESTART: return restart(solver, problem, run, p);
  case HN_NEWTON_STALLED: break;
  }
  return HN_STALLED;
}

/* Rows from which on the system of the bodies is used. */
enum { MIN_ROWS = 300 };

/* ---- The solver ---------------------------------------------------------------------------------------- */

/* True for problems that are solved by bodies. Smaller ones are solved by rows, which loses no digits where
 * the regularisation is small (body_lu.h). */
static bool is_by_bodies(const hn_problem *problem)
{
  return problem->nrow >= MIN_ROWS && hn_bodies_are_fewer(problem);
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
  hn_reason reason = hn_contact_matrix_load(&s->K, problem, is_by_bodies);
  return reason == HN_CONVERGED ? hn_newton_sweep(solver, s, problem, s->first_sweeps, p) : reason;
}

static int setup(hn_contact_solver *solver, hn_error *error)
{
  return hn_newton_create(solver->data, solver, error);
}

static void destroy(hn_contact_solver *solver)
{
  hn_newton_destroy(solver->data);
}

/* True if P solves the problem. The start of a solution without sweeps, which is as accurate as the last one,
 * gets an iteration to have its last digits, unless it has them. */
static bool is_solved(hn_contact_solver *solver, const hn_problem *problem, hn_newton_progress *run,
                      double *p)
{
  hn_newton *s = solver->data;
  const bool first = solver->iterations == 0 && s->first_sweeps == 0;
  if (!hn_newton_is_solved(solver, s, problem, p)) return false;
  const bool has_all_digits = solver->error <= hn_contact_tolerance(DBL_MIN, problem->b, problem->nrow);
  return !first || has_all_digits || iterate(solver, problem, run, p) != HN_CONVERGED ||
         hn_newton_is_solved(solver, s, problem, p);
}

static hn_reason solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  hn_newton *s = solver->data;
  hn_newton_progress run;
  hn_reason reason = start(solver, problem, &run, p);
  while (reason == HN_CONVERGED && !is_solved(solver, problem, &run, p)) {
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
  { "help", HN_INTEGER, offsetof(hn_newton, help), "20", 0, 1e6, "", NULL,
    "Gauss-Seidel sweeps where Newton's method fails; then twice as many; 0: none" },
  { .key = NULL },
};

const hn_contact_type hn_contact_newton = {
  .abi = HN_ABI,
  .name = "newton",
  .summary = "Newton's method on Alart and Curnier's function; few iterations to round-off",
  .citation = "Alart and Curnier 1991",
  .capabilities = HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE | HN_SOLVES_MATRIX | HN_SOLVES_UNSYMMETRIC |
                  HN_SOLVES_ROLLING,
  .data_size = sizeof(hn_newton),
  .params = params,
  .setup = setup,
  .solve = solve,
  .free = destroy,
};
