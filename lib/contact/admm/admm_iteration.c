/* admm_iteration.c - one iteration of the ADMM solver (see admm.c for the formulas). */
#include "contact/admm/admm_iteration.h"
#include "base/vec.h"
#include "contact/matrix/body_matrix.h"

#include <string.h>

/* rho of equations: the error of joints alone shrinks by this factor an iteration, and K + R is regular where
 * they are redundant. */
static const double equation_rho = 1e-7;

hn_reason hn_admm_factor(hn_admm *s, hn_contact_solver *solver, const hn_problem *problem, double rho)
{
  for (int k = 0; k < problem->nblock; k++)
    s->R[k] = s->scale[k] * (problem->block[k].set.kind == HN_ANY ? equation_rho : rho);
  solver->factorisations++;
  return hn_contact_matrix_factor(&s->K, s->R);
}

hn_reason hn_admm_start(hn_admm *s, hn_contact_solver *solver, const hn_problem *problem, const double *p)
{
  if (!hn_rows_scales(problem, s->scale)) return HN_NOT_FINITE;
  hn_reason reason = hn_contact_matrix_load(&s->K, problem, hn_bodies_are_smaller);
  if (reason == HN_CONVERGED) reason = hn_admm_factor(s, solver, problem, s->initial_rho);
  memcpy(s->z, p, sizeof *p * (size_t)problem->nrow);
  hn_problem_velocities(problem, p, s->u, s->w);
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    double *w = s->w + block->row, *z = s->z + block->row, q[HN_MAX_ROWS];
    hn_set_project(&block->set, block->n, problem->h, z);
    /* w := k (P_C(q) - q) for q = z - w / k: the part of the shifted velocities in the dual cone */
    hn_set_shift(&block->set, block->n, w);
    for (int i = 0; i < block->n; i++) q[i] = w[i] = z[i] - w[i] / s->scale[k];
    hn_set_project(&block->set, block->n, problem->h, q);
    for (int i = 0; i < block->n; i++) w[i] = s->scale[k] * (q[i] - w[i]);
  }
  return reason;
}

void hn_admm_solve_p(hn_admm *s, const hn_problem *problem)
{
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    const int first = block->row;
    const double shift = hn_set_shift_of(&block->set, block->n, s->w + first);
    for (int i = first; i < first + block->n; i++) s->v[i] = s->w[i] + s->R[k] * s->z[i];
    s->v[first] -= shift;
    for (int i = first; i < first + block->n; i++) s->p[i] = s->v[i] - problem->b[i];
  }
  hn_contact_matrix_solve(&s->K, s->p);
  for (int k = 0; k < problem->nblock; k++)
    for (int i = problem->block[k].row; i < problem->block[k].row + problem->block[k].n; i++)
      s->v[i] -= s->R[k] * s->p[i];
}

hn_admm_residuals hn_admm_project(hn_admm *s, const hn_problem *problem)
{
  hn_admm_residuals most = { 0 };
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    const int n = block->n;
    const double *p = s->p + block->row;
    double *z = s->z + block->row, *w = s->w + block->row, gap[HN_MAX_ROWS], step[HN_MAX_ROWS];
    for (int i = 0; i < n; i++) step[i] = -z[i], z[i] = p[i] - w[i] / s->R[k];
    hn_set_project(&block->set, n, problem->h, z);
    for (int i = 0; i < n; i++) {
      step[i] += z[i], gap[i] = p[i] - z[i];
      w[i] -= s->R[k] * gap[i];
    }
    most.primal = fmax(most.primal, s->scale[k] * norm_of(gap, n));
    most.impulse = fmax(most.impulse, s->scale[k] * norm_of(p, n));
    most.dual = fmax(most.dual, s->R[k] * norm_of(step, n));
    most.velocity = fmax(most.velocity, norm_of(problem->b + block->row, n));
  }
  return most;
}

void hn_admm_get_x(const hn_admm *s, const hn_problem *problem, double *x)
{
  for (int k = 0; k < problem->nblock; k++)
    for (int i = problem->block[k].row; i < problem->block[k].row + problem->block[k].n; i++)
      x[i] = s->z[i] - s->w[i] / s->R[k];
}

void hn_admm_set_x(hn_admm *s, const hn_problem *problem, const double *x)
{
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    double *z = s->z + block->row, *w = s->w + block->row;
    memcpy(z, x + block->row, sizeof *z * (size_t)block->n);
    hn_set_project(&block->set, block->n, problem->h, z);
    for (int i = 0; i < block->n; i++) w[i] = s->R[k] * (z[i] - x[block->row + i]);
  }
}
