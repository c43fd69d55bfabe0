/* siconos_joints.c - eliminates the joints from a contact problem, since Siconos has none.
 *
 *   j: rows of joints, c: all others      K_c = K_cc - K_cj X,  b_c := b_c - K_cj y
 *   K_jj X = K_jc,  K_jj y = b_j          p_j = -y - X p_c
 *
 * Redundant joints make K_jj singular: it is factored with 1e-9 k on its diagonal, k the mean diagonal of a
 * block, and each solution is refined until the joints hold or the residual falls no longer. Dense Cholesky
 * factorisation: n_j^3 / 3 operations, and about 8 n_j^2 for each row of the contacts. */
#include "engines/siconos_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double regularisation = 1e-9; /* of K_jj, in k */
static const double accuracy = 1e-14;      /* of a solution, relative to its right-hand side */
enum { REFINEMENTS = 6, MAX_DENSE_ROWS = 3000 };

struct siconos_joints {
  hn_problem posed; /* without joints */
  int joint_rows;
  int *number;       /* [nrow] of a row among those of the joints, or of the posed problem */
  double *K, *L;     /* [joint_rows][joint_rows] K_jj, and its factor */
  double *C, *X;     /* [posed.nrow][joint_rows] columns of K_jc and X, by rows */
  double *b, *y, *r; /* [joint_rows] b_j, y, and scratch */
  double *p;         /* [posed.nrow] */
  const hn_problem *problem;
};

static bool is_joint(const hn_problem *problem, int block)
{
  return problem->block[block].set.kind == HN_ANY;
}

bool siconos_has_joints(const hn_problem *problem)
{
  for (int k = 0; k < problem->nblock; k++)
    if (is_joint(problem, k)) return true;
  return false;
}

const char *siconos_joints_refusal(const hn_problem *problem)
{
  if (problem->nrow > MAX_DENSE_ROWS)
    return "Siconos' contact solvers have no joints, and joints are eliminated from at most 3000 rows alone";
  if (!hn_problem_is_symmetric(problem))
    return "Siconos' contact solvers have no joints, and joints are eliminated from symmetric matrices alone";
  return NULL;
}

/* ---- Parts of the matrix ------------------------------------------------------------------------------- */

/* Parts the blocks: numbers rows, and copies those of the posed problem. */
static void number_rows(siconos_joints *d)
{
  const hn_problem *problem = d->problem;
  hn_problem *posed = &d->posed;
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    int *next = is_joint(problem, k) ? &d->joint_rows : &posed->nrow;
    if (!is_joint(problem, k)) {
      hn_problem_block *copy = &posed->block[posed->nblock++];
      *copy = *block, copy->row = posed->nrow, copy->a = copy->b = 0;
    }
    for (int r = 0; r < block->n; r++) d->number[block->row + r] = (*next)++;
  }
}

/* Stores an entry of K, whose rows are numbered HN_MAX_ROWS a block, in its part. */
static void store(void *to, int row, int column, double value)
{
  siconos_joints *d = to;
  const int i = row / HN_MAX_ROWS, j = column / HN_MAX_ROWS, r = row % HN_MAX_ROWS, c = column % HN_MAX_ROWS;
  const hn_problem_block *block = d->problem->block;
  if (r >= block[i].n || c >= block[j].n) return; /* idle */
  const size_t at = (size_t)d->number[block[i].row + r], of = (size_t)d->number[block[j].row + c];
  const size_t joints = (size_t)d->joint_rows, rows = (size_t)d->posed.nrow;
  if (!is_joint(d->problem, i) && !is_joint(d->problem, j)) d->posed.K->value[at * rows + of] = value;
  else if (is_joint(d->problem, i) && is_joint(d->problem, j)) d->K[at * joints + of] = value;
  else if (is_joint(d->problem, i)) d->C[of * joints + at] = value;
}

/* ---- Linear algebra ------------------------------------------------------------------------------------ */

/* Factors K_jj with its regularisation; false if it is not definite. */
static bool factor(siconos_joints *d)
{
  const int n = d->joint_rows;
  memcpy(d->L, d->K, sizeof *d->L * (size_t)n * (size_t)n);
  for (int k = 0; k < d->problem->nblock; k++) {
    const hn_problem_block *block = &d->problem->block[k];
    for (int r = 0; r < block->n && is_joint(d->problem, k); r++)
      d->L[d->number[block->row + r] * (n + 1)] += regularisation * hn_problem_scale(d->problem, k);
  }
  for (int i = 0; i < n; i++) {
    double *row = d->L + (size_t)i * (size_t)n;
    for (int j = 0; j <= i; j++) {
      const double *other = d->L + (size_t)j * (size_t)n;
      double sum = row[j];
      for (int k = 0; k < j; k++) sum -= row[k] * other[k];
      if (j < i) row[j] = sum / other[j];
      else if (!(sum > 0.0)) return false;
      else row[i] = sqrt(sum);
    }
  }
  return true;
}

/* Solves L L' x = x. */
static void substitute(const siconos_joints *d, double *x)
{
  const int n = d->joint_rows;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) x[i] -= d->L[i * n + k] * x[k];
    x[i] /= d->L[i * (n + 1)];
  }
  for (int i = n - 1; i >= 0; i--) {
    x[i] /= d->L[i * (n + 1)];
    for (int k = 0; k < i; k++) x[k] -= d->L[i * n + k] * x[i];
  }
}

/* Stores C - K_jj x in d->r and returns its largest component. */
static double residual(siconos_joints *d, const double *c, const double *x)
{
  const int n = d->joint_rows;
  double largest = 0.0;
  for (int i = 0; i < n; i++) {
    double sum = c[i];
    for (int k = 0; k < n; k++) sum -= d->K[i * n + k] * x[k];
    d->r[i] = sum, largest = fmax(largest, fabs(sum));
  }
  return largest;
}

/* Solves K_jj x = c, with refinement. */
static void refine(siconos_joints *d, const double *c, double *x)
{
  const int n = d->joint_rows;
  memset(x, 0, sizeof *x * (size_t)n);
  const double start = residual(d, c, x);
  double now = start, before = INFINITY;
  for (int i = 0; i < REFINEMENTS && now > accuracy * start && now < 0.5 * before; i++) {
    before = now;
    substitute(d, d->r);
    for (int k = 0; k < n; k++) x[k] += d->r[k];
    now = residual(d, c, x);
  }
}

static double dot(const double *x, const double *y, int n)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* Copies FROM, by rows of the problem, to TO, by rows of joints (JOINTS) or of the posed problem. */
static void part_rows(const siconos_joints *d, bool joints, const double *from, double *to)
{
  for (int k = 0; k < d->problem->nblock; k++) {
    const hn_problem_block *block = &d->problem->block[k];
    for (int row = block->row; row < block->row + block->n && is_joint(d->problem, k) == joints; row++)
      to[d->number[row]] = from[row];
  }
}

/* Returns column I of C or X. */
static double *column(const siconos_joints *d, double *of, int i)
{
  return of + (size_t)i * (size_t)d->joint_rows;
}

/* Computes the posed problem. K_c is made symmetric to the bit. */
static void pose(siconos_joints *d)
{
  const int n = d->posed.nrow;
  hn_problem_matrix *K = d->posed.K;
  part_rows(d, true, d->problem->b, d->b), part_rows(d, false, d->problem->b, d->posed.b);
  refine(d, d->b, d->y);
  for (int i = 0; i < n; i++) refine(d, column(d, d->C, i), column(d, d->X, i));
  for (int i = 0; i < n; i++) {
    d->posed.b[i] -= dot(column(d, d->C, i), d->y, d->joint_rows);
    K->start[i + 1] = (i + 1) * n;
    for (int j = 0; j < n; j++) K->column[i * n + j] = j;
    for (int j = 0; j <= i; j++)
      K->value[i * n + j] = K->value[j * n + i] -= dot(column(d, d->C, i), column(d, d->X, j), d->joint_rows);
  }
}

/* ---- Life cycle ---------------------------------------------------------------------------------------- */

/* Allocates the arrays whose sizes are known after number_rows; false without memory. */
static bool allocate(siconos_joints *d)
{
  const size_t joints = (size_t)d->joint_rows + 1, rows = (size_t)d->posed.nrow + 1;
  hn_problem_matrix *K = d->posed.K;
  d->K = calloc(joints * joints, sizeof *d->K), d->L = calloc(joints * joints, sizeof *d->L);
  d->C = calloc(joints * rows, sizeof *d->C), d->X = calloc(joints * rows, sizeof *d->X);
  d->b = calloc(joints, sizeof *d->b), d->y = calloc(joints, sizeof *d->y);
  d->r = calloc(joints, sizeof *d->r), d->p = calloc(rows, sizeof *d->p);
  d->posed.b = calloc(rows, sizeof *d->posed.b);
  K->start = calloc(rows + 1, sizeof *K->start), K->column = calloc(rows * rows, sizeof *K->column);
  K->value = calloc(rows * rows, sizeof *K->value);
  return d->K && d->L && d->C && d->X && d->b && d->y && d->r && d->p && d->posed.b && K->start &&
         K->column && K->value;
}

void siconos_joints_free(siconos_joints *d)
{
  hn_problem_matrix *K = d->posed.K;
  free(d->number), free(d->K), free(d->L), free(d->C), free(d->X), free(d->b), free(d->y), free(d->r);
  free(d->p), free(d->posed.b), free(d->posed.block);
  if (K) free(K->start), free(K->column), free(K->value), free(K);
  free(d);
}

/* Eliminates the joints. */
static hn_reason eliminate(siconos_joints *d)
{
  const hn_problem *problem = d->problem;
  d->posed.h = problem->h;
  d->posed.block = calloc((size_t)problem->nblock + 1, sizeof *d->posed.block);
  d->posed.K = calloc(1, sizeof *d->posed.K);
  d->number = calloc((size_t)problem->nrow + 1, sizeof *d->number);
  if (!d->posed.block || !d->posed.K || !d->number) return HN_NO_MEMORY;
  number_rows(d);
  if (!allocate(d) || siconos_matrix_entries(problem, HN_MAX_ROWS, store, d)) return HN_NO_MEMORY;
  if (!factor(d)) return HN_SINGULAR;
  pose(d);
  return HN_CONVERGED;
}

siconos_joints *siconos_joints_create(const hn_problem *problem, hn_reason *reason)
{
  siconos_joints *d = calloc(1, sizeof *d);
  if (d) d->problem = problem;
  *reason = d ? eliminate(d) : HN_NO_MEMORY;
  if (*reason == HN_CONVERGED) return d;
  if (d) siconos_joints_free(d);
  return NULL;
}

const hn_problem *siconos_joints_posed(const siconos_joints *d, const double *p, double **p_c)
{
  part_rows(d, false, p, d->p);
  *p_c = d->p;
  return &d->posed;
}

void siconos_joints_expand(const siconos_joints *d, double *p)
{
  for (int row = 0; row < d->joint_rows; row++) d->r[row] = -d->y[row];
  for (int i = 0; i < d->posed.nrow; i++)
    for (int row = 0; row < d->joint_rows; row++) d->r[row] -= column(d, d->X, i)[row] * d->p[i];
  for (int k = 0; k < d->problem->nblock; k++) {
    const hn_problem_block *block = &d->problem->block[k];
    const double *from = is_joint(d->problem, k) ? d->r : d->p;
    for (int row = block->row; row < block->row + block->n; row++) p[row] = from[d->number[row]];
  }
}
