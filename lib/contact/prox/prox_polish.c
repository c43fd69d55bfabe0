/* prox_polish.c - Newton's method from the result of a proximal step, with the contact modes of that step.
 *
 * The modes of Alart and Curnier's function (newton/alart_curnier.h) are those of z = k p - v. A contact that
 * slides by 1e-9 m/s has z so near its cone that p must be known to that accuracy first; with alpha k in the
 * place of k the modes are those of the step. Where they are right, two or three iterations give all digits,
 * with velocities that no division by alpha has amplified. */
#include "base/vec.h"
#include "contact/newton/alart_curnier.h"
#include "contact/prox/prox_step.h"

#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 6 };
static const double regularisation = 1e-12; /* of K, in k */
static const double decrease = 0.25;        /* of the error, by an iteration that is accepted */

/* Computes Alart and Curnier's function and its derivative, with alpha k. */
static void compute_function(hn_prox *s, const hn_problem *problem, const double *p)
{
  hn_newton *newton = &s->newton;
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    const int row = block->row, n = block->n;
    double *A = newton->A + 6 * (size_t)row, *F = newton->F + row;
    newton->fixed[k] = hn_alart_function(problem, block, s->alpha * newton->scale[k], p + row,
                                         newton->v + row, F, A, newton->B + 6 * (size_t)row);
    if (!newton->fixed[k]) continue; /* else F = alpha k (p - bound) */
    for (int i = 0; i < n; i++) F[i] /= s->alpha;
    for (int i = 0; i < n * n; i++) A[i] /= s->alpha;
  }
}

hn_reason hn_prox_polish(hn_contact_solver *solver, const hn_problem *problem, double error, double *p)
{
  hn_prox *s = solver->data;
  hn_newton *newton = &s->newton;
  const size_t size = sizeof *p * (size_t)problem->nrow;
  double before = HUGE_VAL;
  memcpy(newton->trial, p, size);
  newton->regularisation = regularisation;
  for (int i = 0; i < MOST_ITERATIONS && error > solver->options.tolerance; i++) {
    if (solver->iterations >= solver->options.iterations) return HN_BUDGET;
    hn_problem_velocities(problem, newton->trial, newton->u, newton->v);
    compute_function(s, problem, newton->trial);
    hn_reason reason = hn_newton_step(solver, newton, problem);
    if (reason == HN_SINGULAR) return HN_CONVERGED;
    if (reason != HN_CONVERGED) return reason;
    for (int row = 0; row < problem->nrow; row++) newton->trial[row] += newton->d[row];
    memcpy(s->P, newton->trial, size);
    const double next = hn_rows_project(problem, newton->scale, newton->u, newton->v_trial, s->P);
    hn_contact_note(solver, next);
    if (next < error) memcpy(p, s->P, size), error = next;
    if (!(next <= decrease * before)) return HN_CONVERGED;
    before = next;
  }
  return HN_CONVERGED;
}
