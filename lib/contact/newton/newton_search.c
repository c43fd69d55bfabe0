/* newton_search.c - memory, function, line search and sweeps of the contact solvers newton (contact_newton.c)
 * and prox (contact/prox/prox.c). */
#include "contact/newton/newton_search.h"
#include "base/module.h"
#include "base/params.h"
#include "base/vec.h"
#include "contact/newton/alart_curnier.h"
#include "contact/newton/dense_lu.h"
#include "contact/newton/newton_policy.h"

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

int hn_newton_create(hn_newton *s, const hn_contact_solver *solver, hn_error *error)
{
  const size_t rows = (size_t)solver->most.rows, blocks = (size_t)solver->most.blocks;
  const void *symbol = hn_module_symbol(HN_LU_MODULE, HN_LU_SOLVE, error);
  if (!symbol || set_up_sweeps(s, solver, error)) return -1;
  memcpy(&s->lu, &symbol, sizeof s->lu); /* ISO C has no cast from an object to a function */
  HN_ARRAYS(&s->arrays, sizeof(double) * blocks, &s->scale);
  HN_ARRAYS(&s->arrays, sizeof(bool) * blocks, &s->fixed);
  HN_ARRAYS(&s->arrays, sizeof(double[HN_MAX_DENSE]) * HN_MAX_DENSE, &s->dense);
  HN_ARRAYS(&s->arrays, sizeof(int) * blocks, &s->column);
  HN_ARRAYS(&s->arrays, sizeof(int) * (rows + 1), &s->J.start);
  HN_ARRAYS(&s->arrays, sizeof(double) * rows, &s->F, &s->v, &s->d, &s->v_d, &s->x, &s->trial, &s->v_trial);
  HN_ARRAYS(&s->arrays, sizeof(double[6]) * rows, &s->A, &s->B, &s->D);
  HN_ARRAYS(&s->arrays, sizeof(double[6]) * (size_t)solver->most.bodies, &s->u);
  return s->arrays.failed ? hn_fail(error, "no memory for contact problems of %d rows", solver->most.rows)
                          : 0;
}

void hn_newton_destroy(hn_newton *s)
{
  if (s->pgs.data) hn_contact_pgs.free(&s->pgs);
  hn_texts_free(s->pgs.texts);
  free(s->pgs.data);
  hn_contact_matrix_free(&s->K), hn_body_lu_free(&s->bodies);
  free(s->J.row), free(s->J.value), free(s->scratch.memory);
  hn_arrays_free(&s->arrays);
}

/* ---- F ------------------------------------------------------------------------------------------------- */

/* Returns the merit |F|^2 / 2 at P with velocities V. DERIVE: stores F, A, B and `fixed` as well. */
double hn_newton_merit(hn_newton *s, const hn_problem *problem, const double *p, const double *v, bool derive)
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
  if (!(hn_newton_merit(s, problem, s->trial, s->v_trial, false) <= limit)) return false;
  memcpy(p, s->trial, sizeof *p * (size_t)problem->nrow);
  return true;
}

/* Moves P along d to where the merit is below that of LARGEST, the maximum of the last iterations; false if
 * it is nowhere. TO_MODE_CHANGE: tries the step to the first change of a contact mode first. */
bool hn_newton_search(hn_newton *s, const hn_problem *problem, bool to_mode_change, double largest, double *p)
{
  hn_problem_velocities(problem, s->d, s->u, s->v_d);
  for (int i = 0; i < problem->nrow; i++) s->v_d[i] -= problem->b[i];
  const double change = to_mode_change ? first_mode_change(s, problem, p) : HUGE_VAL;
  if (change <= 1.0 && try_step(s, problem, change, largest, p)) return true;
  for (double t = 1.0; t > 0.0; t = hn_newton_shorter_step(t))
    if (try_step(s, problem, t, hn_newton_merit_limit(t, largest), p)) return true;
  return false;
}

/* ---- Sweeps -------------------------------------------------------------------------------------------- */

/* Makes SWEEPS sweeps of Gauss-Seidel from P; HN_CONVERGED or a failure. */
hn_reason hn_newton_sweep(hn_contact_solver *solver, hn_newton *s, const hn_problem *problem, int sweeps,
                          double *p)
{
  s->pgs.options = (hn_contact_options){ .tolerance = 0.0, .iterations = sweeps };
  s->pgs.iterations = 0, s->pgs.stop = solver->stop;
  hn_reason reason = sweeps > 0 ? hn_contact_pgs.solve(&s->pgs, problem, p) : HN_BUDGET;
  solver->sweeps += s->pgs.iterations;
  return reason == HN_BUDGET || reason == HN_CONVERGED ? HN_CONVERGED : reason;
}

/* ---- The law --------------------------------------------------------------------------------------------
 * */

/* Computes the velocities and the error of P. True if the error and that of P_C(P) are within the tolerance;
 * P is then P_C(P). */
bool hn_newton_is_solved(hn_contact_solver *solver, hn_newton *s, const hn_problem *problem, double *p)
{
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
