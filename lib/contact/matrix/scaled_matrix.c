/* scaled_matrix.c - (K + (Q Q')^-1)^-1 of a contact problem (see scaled_matrix.h).
 *
 * By rows each block of K becomes Q_i' K_ij Q_j. By bodies K = H H', and the rows of H become Q' H. */
#include "contact/matrix/scaled_matrix.h"
#include "contact/matrix/body_matrix.h"

#include <string.h>

/* Replaces ENTRY, I x J numbers column by column, by Q_i' ENTRY Q_j. */
static void scale_entry(int I, int J, const double *Q_i, const double *Q_j, double *entry)
{
  double right[HN_MAX_ROWS * HN_MAX_ROWS]; /* entry Q_j, by rows */
  for (int r = 0; r < I; r++)
    for (int c = 0; c < J; c++) {
      double sum = 0.0;
      for (int k = 0; k < J; k++) sum += entry[k * I + r] * Q_j[k * J + c];
      right[r * J + c] = sum;
    }
  for (int r = 0; r < I; r++)
    for (int c = 0; c < J; c++) {
      double sum = 0.0;
      for (int k = 0; k < I; k++) sum += Q_i[k * I + r] * right[k * J + c];
      entry[c * I + r] = sum;
    }
}

static void scale_rows(hn_contact_matrix *s, const double *Q)
{
  const hn_block_matrix *K = &s->K;
  for (int row = 0; row < K->n; row++)
    for (int k = K->start[row]; k < K->start[row + 1]; k++) {
      const hn_problem_block *I = &s->block[s->order[row]], *J = &s->block[s->order[K->column[k]]];
      double *entry = s->value + K->at[k];
      for (int c = 0; c < J->n && I == J; c++) /* only the upper triangle is stored */
        for (int r = c + 1; r < I->n; r++) entry[c * I->n + r] = entry[r * I->n + c];
      scale_entry(I->n, J->n, Q + 6 * (size_t)I->row, Q + 6 * (size_t)J->row, entry);
    }
}

static void scale_bodies(hn_contact_matrix *s, const double *Q)
{
  for (int k = 0; k < s->nblock; k++) {
    const int n = s->block[k].n;
    double *rows = s->H + 12 * (size_t)s->block[k].row, scaled[12 * HN_MAX_ROWS] = { 0 };
    const double *q = Q + 6 * (size_t)s->block[k].row;
    for (int r = 0; r < n; r++)
      for (int i = 0; i < n; i++)
        for (int c = 0; c < 12; c++) scaled[12 * r + c] += q[i * n + r] * rows[12 * i + c];
    memcpy(rows, scaled, sizeof *rows * 12 * (size_t)n);
  }
}

hn_reason hn_scaled_matrix_factor(hn_contact_matrix *s, const hn_problem *problem, const double *Q)
{
  hn_reason reason = hn_contact_matrix_load(s, problem, hn_bodies_are_smaller);
  if (reason != HN_CONVERGED) return reason;
  if (s->by_bodies) scale_bodies(s, Q);
  else scale_rows(s, Q);
  return hn_contact_matrix_factor(s, NULL);
}

/* Replaces X by Q x, or by Q' x if TRANSPOSED. */
static void multiply(const hn_problem *problem, const double *Q, bool transposed, double *x)
{
  for (int k = 0; k < problem->nblock; k++) {
    const int n = problem->block[k].n, row = problem->block[k].row;
    const double *q = Q + 6 * (size_t)row;
    double y[HN_MAX_ROWS] = { 0 };
    for (int r = 0; r < n; r++)
      for (int c = 0; c < n; c++) y[r] += (transposed ? q[c * n + r] : q[r * n + c]) * x[row + c];
    memcpy(x + row, y, sizeof *y * (size_t)n);
  }
}

void hn_scaled_matrix_solve(hn_contact_matrix *s, const hn_problem *problem, const double *Q,
                            hn_refinement *work, double *x)
{
  const size_t size = sizeof *x * (size_t)problem->nrow;
  multiply(problem, Q, true, x);
  memcpy(work->y, x, size);
  hn_contact_matrix_solve(s, work->y);
  memcpy(work->Qy, work->y, size);
  multiply(problem, Q, false, work->Qy);
  hn_problem_velocities(problem, work->Qy, work->u, work->r);
  for (int i = 0; i < problem->nrow; i++) work->r[i] -= problem->b[i];
  multiply(problem, Q, true, work->r);
  for (int i = 0; i < problem->nrow; i++) work->r[i] = x[i] - work->y[i] - work->r[i];
  hn_contact_matrix_solve(s, work->r);
  for (int i = 0; i < problem->nrow; i++) x[i] = work->y[i] + work->r[i];
  multiply(problem, Q, false, x);
}
