/* siconos_problem.c - translates a contact problem into Siconos' layout, in which all contacts have as many
 * rows.
 *
 *   block of Holonom            rows of Siconos
 *   cone, as many rows          the same rows: normal, tangents, moments
 *   cone of fewer rows          its rows, then idle ones
 *   unilateral row              a normal row and idle ones, mu = 0
 *
 * An idle row is coupled with nothing and has q = 0. Its velocity is k times its impulse, so that both vanish
 * in every solution: the translation is exact. So is that of masses, whose unit is a power of 2. */
#include "engines/siconos_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <siconos/numerics/NumericsSparseMatrix.h>
#include <siconos/numerics/SparseBlockMatrix.h>

void siconos_spread(const siconos_problem *s, const hn_problem *problem, double factor, const double *from,
                    double *to)
{
  memset(to, 0, sizeof *to * (size_t)s->rows);
  for (int k = 0; k < s->count; k++)
    for (int r = 0; r < problem->block[k].n; r++)
      to[s->dimension * k + r] = factor * from[problem->block[k].row + r];
}

void siconos_gather(const siconos_problem *s, const hn_problem *problem, double factor, const double *from,
                    double *to)
{
  for (int k = 0; k < s->count; k++)
    for (int r = 0; r < problem->block[k].n; r++)
      to[problem->block[k].row + r] = factor * from[s->dimension * k + r];
}

/* ---- The matrix ---------------------------------------------------------------------------------------- */

/* A matrix to which entries are added, times a factor. */
typedef struct target {
  NumericsMatrix *K;
  double factor;
} target;

static void count_entry(void *to, int row, int column, double value)
{
  (void)row, (void)column, (void)value;
  ++*(size_t *)to;
}

static void store_sparse(void *to, int row, int column, double value)
{
  const target *t = to;
  NM_entry(t->K, row, column, t->factor * value);
}

static void store_dense(void *to, int row, int column, double value)
{
  const target *t = to;
  t->K->matrix0[(size_t)row + (size_t)column * (size_t)t->K->size0] = t->factor * value;
}

static NumericsMatrix *dense_matrix(const siconos_problem *s, const hn_problem *problem)
{
  target t = { NM_create(NM_DENSE, s->rows, s->rows), s->unit };
  memset(t.K->matrix0, 0, sizeof(double) * (size_t)s->rows * (size_t)s->rows);
  return siconos_matrix_entries(problem, s->dimension, store_dense, &t) ? NM_free(t.K) : t.K;
}

/* Siconos makes columns of triplets. */
static NumericsMatrix *column_matrix(const siconos_problem *s, const hn_problem *problem)
{
  size_t entries = 0;
  if (siconos_matrix_entries(problem, s->dimension, count_entry, &entries)) return NULL;
  target t = { NM_create(NM_SPARSE, s->rows, s->rows), s->unit };
  NM_triplet_alloc(t.K, (CS_INT)entries);
  t.K->matrix2->origin = NSM_TRIPLET;
  if (siconos_matrix_entries(problem, s->dimension, store_sparse, &t)) return NM_free(t.K);
  NM_csc(t.K);
  return t.K;
}

static NumericsMatrix *block_matrix(const siconos_problem *s, const hn_problem *problem)
{
  NumericsMatrix *columns = column_matrix(s, problem);
  if (!columns) return NULL;
  SparseBlockStructuredMatrix *blocks = SBM_new();
  SBM_from_csparse(s->dimension, NM_csc(columns), blocks);
  NM_free(columns);
  return NM_new_SBM(s->rows, s->rows, blocks);
}

static NumericsMatrix *matrix(const siconos_problem *s, const hn_problem *problem, siconos_storage storage)
{
  return storage == SICONOS_DENSE     ? dense_matrix(s, problem)
         : storage == SICONOS_COLUMNS ? column_matrix(s, problem)
                                      : block_matrix(s, problem);
}

/* Returns the power of 2 for which the diagonals of K, in 1/unit, are nearest to 1 in the mean of their
 * exponents. */
static double unit_of(const hn_problem *problem)
{
  long sum = 0;
  for (int k = 0; k < problem->nblock; k++) sum += ilogb(hn_problem_scale(problem, k));
  return problem->nblock > 0 ? ldexp(1.0, (int)(-sum / problem->nblock)) : 1.0;
}

int siconos_problem_create(siconos_problem *s, const hn_problem *problem, const siconos_method *method,
                           double unit)
{
  const int count = problem->nblock, rows = method->dimension * count;
  const size_t size = (size_t)rows + 1;
  *s = (siconos_problem){ .dimension = method->dimension, .count = count, .rows = rows };
  s->unit = unit > 0.0 ? unit : unit_of(problem);
  s->q = malloc(size * sizeof *s->q), s->p = malloc(size * sizeof *s->p), s->v = malloc(size * sizeof *s->v);
  s->mu = malloc(size * sizeof *s->mu), s->mu_rolling = malloc(size * sizeof *s->mu_rolling);
  if (!s->q || !s->p || !s->v || !s->mu || !s->mu_rolling) return -1;
  siconos_spread(s, problem, 1.0, problem->b, s->q);
  for (int k = 0; k < count; k++) {
    const hn_set *set = &problem->block[k].set;
    s->mu[k] = set->kind == HN_CONE ? set->mu : 0.0;
    s->mu_rolling[k] = set->kind == HN_CONE ? set->mu_rolling : 0.0;
  }
  s->K = matrix(s, problem, method->storage);
  return s->K ? 0 : -1;
}

void siconos_problem_free(siconos_problem *s)
{
  free(s->q), free(s->p), free(s->v), free(s->mu), free(s->mu_rolling);
  if (s->K) NM_free(s->K);
}
