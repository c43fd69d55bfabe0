/* newton_step.c - a step of Newton's method of contact_newton.c.
 *
 *   J d = -F,   J = A + B (K + shift)     of the blocks that are not fixed;
 *   d = -F / k                            of the others, as k d is in F
 *
 * K is that of contact/matrix/contact_matrix.h, of which one triangle is kept: every block of it makes two of
 * J. */
#include "contact/newton/newton_step.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/* Numbers the columns of J: how many. */
static int number_columns(hn_newton *s, const hn_problem *problem)
{
  int n = 0;
  for (int k = 0; k < problem->nblock; k++) {
    s->at[k] = s->fixed[k] ? -1 : n;
    if (!s->fixed[k]) n += problem->block[k].n;
  }
  return n;
}

/* Room for J of all blocks, whoever is fixed now: each number of K, which has one triangle,
 * stands in it at most twice. */
static bool reserve(hn_newton *s)
{
  const size_t numbers = 2 * (size_t)s->K.K.at[s->K.K.start[s->K.K.n]];
  if (numbers <= s->room) return true;
  int *row = realloc(s->J.row, sizeof *row * numbers);
  if (row) s->J.row = row;
  double *value = realloc(s->J.value, sizeof *value * numbers);
  if (value) s->J.value = value;
  if (row && value) s->room = s->scratch.most = numbers;
  return row && value;
}

/* Entry (r, c) of the block of K at K.value[at], of places row and column, of which that of the upper
 * triangle is good; ACROSS: of the transposed block. */
static inline double entry_of(const hn_sparse *K, int at, int rows, bool diagonal, bool across, int r, int c)
{
  if (across || (diagonal && r > c)) {
    int kept = r;
    r = c, c = kept;
  }
  return K->value[at + c * rows + r];
}

/* J of blocks i and j, B_i K_ij and what belongs to the diagonal; what of d_j is known
 * goes to the right-hand side. */
static void add_block(hn_newton *s, const hn_problem *problem, int i, int j, int at, int rows, bool across,
                      int *fill)
{
  const hn_problem_block *I = &problem->block[i], *J = &problem->block[j];
  const double *B = s->B + 6 * (size_t)I->row, *A = s->A + 6 * (size_t)I->row;
  if (s->at[i] < 0) return;
  for (int c = 0; c < J->n; c++) {
    double column[HN_MAX_ROWS] = { 0 };
    for (int r = 0; r < I->n; r++) {
      column[r] = entry_of(&s->K, at, rows, i == j, across, r, c);
      if (i == j && r == c) column[r] += s->regularisation * s->scale[i];
    }
    for (int r = 0; r < I->n; r++) {
      double sum = i == j ? A[r * I->n + c] : 0.0;
      for (int k = 0; k < I->n; k++) sum += B[r * I->n + k] * column[k];
      if (s->at[j] < 0) s->x[s->at[i] + r] -= sum * s->d[J->row + c];
      else {
        int *next = &fill[s->at[j] + c];
        s->J.row[*next] = s->at[i] + r, s->J.value[(*next)++] = sum;
      }
    }
  }
}

/* Starts of the columns of J. */
static int count_columns(hn_newton *s, const hn_problem *problem, int n)
{
  const hn_block_matrix *K = &s->K.K;
  double numbers = 0.0;
  memset(s->J.start, 0, sizeof(int) * ((size_t)n + 1));
  for (int row = 0; row < K->n; row++)
    for (int k = K->start[row]; k < K->start[row + 1]; k++) {
      const int i = s->K.order[row], j = s->K.order[K->column[k]];
      if (s->at[i] < 0 || s->at[j] < 0) continue;
      for (int c = 0; c < problem->block[j].n; c++) s->J.start[s->at[j] + c + 1] += problem->block[i].n;
      for (int c = 0; c < problem->block[i].n && i != j; c++)
        s->J.start[s->at[i] + c + 1] += problem->block[j].n;
      numbers += 2.0 * problem->block[i].n * problem->block[j].n;
    }
  if (numbers > 0x7fffffff) return -1;
  for (int c = 0; c < n; c++) s->J.start[c + 1] += s->J.start[c];
  return 0;
}

static void fill_matrix(hn_newton *s, const hn_problem *problem, int n)
{
  const hn_block_matrix *K = &s->K.K;
  int *fill = s->J.start; /* next free places, which end as starts shifted by one */
  for (int row = 0; row < K->n; row++)
    for (int k = K->start[row]; k < K->start[row + 1]; k++) {
      const int i = s->K.order[row], j = s->K.order[K->column[k]], rows = problem->block[i].n;
      add_block(s, problem, i, j, K->at[k], rows, false, fill);
      if (i != j) add_block(s, problem, j, i, K->at[k], rows, true, fill);
    }
  memmove(fill + 1, fill, sizeof *fill * (size_t)n);
  fill[0] = 0;
}

hn_reason hn_newton_step(hn_contact_solver *solver, const hn_problem *problem)
{
  hn_newton *s = solver->data;
  const int n = number_columns(s, problem);
  for (int k = 0; k < problem->nblock; k++)
    for (int i = problem->block[k].row; i < problem->block[k].row + problem->block[k].n; i++)
      if (s->at[k] < 0) s->d[i] = -s->F[i] / s->scale[k];
      else s->x[s->at[k] + i - problem->block[k].row] = -s->F[i];
  s->J.n = n;
  if (n == 0) return HN_CONVERGED;
  if (count_columns(s, problem, n) || !reserve(s)) return HN_FULL;
  fill_matrix(s, problem, n);
  solver->factorisations++, solver->solves++;
  for (int k = 0; k < problem->nblock; k++) solver->eliminated += s->at[k] >= 0;
  hn_reason reason = s->lu(&s->J, &s->scratch, s->x);
  for (int k = 0; k < problem->nblock && reason == HN_CONVERGED; k++)
    for (int r = 0; r < problem->block[k].n && s->at[k] >= 0; r++)
      s->d[problem->block[k].row + r] = s->x[s->at[k] + r];
  return reason == HN_CONVERGED && !all_finite(s->d, problem->nrow) ? HN_SINGULAR : reason;
}
