/* problem_check.c - checks of contact problems from outside, and the asymmetry of a given K. */
#include "base/vec.h"
#include "contact/block_rows.h"

#include <stdlib.h>
#include <string.h>

/* Relative tolerance on the definiteness of a given K: files carry about 10 digits. */
static const double matrix_tolerance = 1e-9;
/* Largest asymmetry of a given K. Published matrices have up to 2.5e-3, since inertias turned between the
 * assemblies of the two factors of G W G'. */
static const double max_asymmetry = 1e-2;
/* Asymmetry that is rounding, of sums that were computed twice. */
static const double symmetric_to_rounding = 1e-12;

static double entry_of(const hn_problem_matrix *K, int row, int column)
{
  const int k = hn_rows_find(K, row, column);
  return k < 0 ? 0.0 : K->value[k];
}

/* Checks rolling and torsional friction of a cone. */
static int check_moments(const hn_problem_block *block, int k, hn_error *error)
{
  const hn_set *set = &block->set;
  const double mu[] = { set->mu_rolling, set->mu_torsion };
  const bool has[] = { block->n > 4, block->n == 4 || block->n == 6 };
  static const char *const name[] = { "rolling", "torsional" };
  for (int i = 0; i < 2; i++) {
    if (!(isfinite(mu[i]) && mu[i] >= 0.0))
      return hn_fail(error, "block %d: the coefficient of %s friction is %g m, but must be at least 0", k,
                     name[i], mu[i]);
    if (mu[i] > 0.0 && !has[i])
      return hn_fail(error, "block %d: its %d rows have no moment for %s friction", k, block->n, name[i]);
  }
  if (!(block->n > 3 && set->mu_static > set->mu)) return 0;
  return hn_fail(error, "block %d: static friction cannot be combined with rolling or torsional friction", k);
}

static int check_set(const hn_problem_block *block, int k, hn_error *error)
{
  const hn_set *set = &block->set;
  if (set->kind == HN_CONE && !(isfinite(set->mu) && set->mu >= 0.0))
    return hn_fail(error, "block %d: the friction coefficient is %g, but must be at least 0", k, set->mu);
  if (set->kind == HN_CONE && block->n == 1)
    return hn_fail(error, "block %d: a cone of 1 row; it has 3, or 2 in the plane, or up to 6 with moments",
                   k);
  if (set->kind == HN_CONE && check_moments(block, k, error)) return -1;
  if (set->kind == HN_WITHIN && !(set->lower <= set->upper))
    return hn_fail(error, "block %d: its lower bound %g is above its upper bound %g", k, set->lower,
                   set->upper);
  return set->kind >= HN_ANY && set->kind <= HN_CONE
           ? 0
           : hn_fail(error, "block %d: the set %d does not exist", k, set->kind);
}

static int check_block(const hn_problem *problem, int k, int row, hn_error *error)
{
  const hn_problem_block *block = &problem->block[k];
  if (block->n < 1 || block->n > HN_MAX_ROWS)
    return hn_fail(error, "block %d has %d rows; 1 to %d are possible", k, block->n, HN_MAX_ROWS);
  if (block->row != row) return hn_fail(error, "block %d begins at row %d instead of %d", k, block->row, row);
  if (!problem->K &&
      (block->a < 0 || block->b < 0 || block->a >= problem->nbody || block->b >= problem->nbody))
    return hn_fail(error, "block %d is between bodies %d and %d of %d", k, block->a, block->b,
                   problem->nbody);
  return check_set(block, k, error);
}

/* Checks row ROW of K: columns in order, finite values. */
static int check_row(const hn_problem_matrix *K, int n, int row, hn_error *error)
{
  if (K->start[row + 1] < K->start[row])
    return hn_fail(error, "row %d of the matrix ends before it begins", row);
  for (int k = K->start[row]; k < K->start[row + 1]; k++) {
    const int column = K->column[k];
    if (column < 0 || column >= n || (k > K->start[row] && column <= K->column[k - 1]))
      return hn_fail(error, "row %d of the matrix: column %d is not one of %d, or out of order", row, column,
                     n);
    if (!isfinite(K->value[k]))
      return hn_fail(error, "row %d of the matrix has %g in column %d", row, K->value[k], column);
  }
  return 0;
}

/* Checks that row ROW may belong to a matrix of masses: a diagonal that is not negative, and |K_ij|^2 <= K_ii
 * K_jj for the symmetric part but for an error of SLACK. */
static int check_masses(const hn_problem_matrix *K, int row, double slack, hn_error *error)
{
  const double diagonal = entry_of(K, row, row);
  if (diagonal < 0.0)
    return hn_fail(error, "the matrix has %g on its diagonal, in row %d: it must not be negative", diagonal,
                   row);
  for (int k = K->start[row]; k < K->start[row + 1]; k++) {
    const int column = K->column[k];
    const double across = entry_of(K, column, row), other_diagonal = entry_of(K, column, column);
    const double value = fmax(fabs(0.5 * (K->value[k] + across)) - slack, 0.0);
    if (value * value > diagonal * other_diagonal * (1.0 + matrix_tolerance))
      return hn_fail(error,
                     "no masses have this matrix: %g in row %d, column %d, with %g and %g on its diagonal",
                     K->value[k], row, column, diagonal, other_diagonal);
  }
  return 0;
}

/* ---- Asymmetry ----------------------------------------------------------------------------------------- */

/* A pair of entries across the diagonal. */
typedef struct pair {
  int row, column;
  double difference; /* |K_ij - K_ji| */
} pair;

/* Returns the pair with the largest difference. */
static pair find_asymmetry(const hn_problem_matrix *K, int n)
{
  pair worst = { 0, 0, 0.0 };
  for (int row = 0; row < n; row++)
    for (int k = K->start[row]; k < K->start[row + 1]; k++) {
      const double difference = fabs(K->value[k] - entry_of(K, K->column[k], row));
      if (difference > worst.difference) worst = (pair){ row, K->column[k], difference };
    }
  return worst;
}

static double largest_entry(const hn_problem_matrix *K, int n)
{
  double largest = 0.0;
  for (int k = 0; k < K->start[n]; k++) largest = fmax(largest, fabs(K->value[k]));
  return largest;
}

double hn_problem_asymmetry(const hn_problem *problem)
{
  const hn_problem_matrix *K = problem->K;
  const double largest = K ? largest_entry(K, problem->nrow) : 0.0;
  return largest > 0.0 ? find_asymmetry(K, problem->nrow).difference / largest : 0.0;
}

bool hn_problem_is_symmetric(const hn_problem *problem)
{
  return hn_problem_asymmetry(problem) <= symmetric_to_rounding;
}

/* Checks the symmetry of the pattern and, up to max_asymmetry, of the values. */
static int check_symmetry(const hn_problem_matrix *K, int n, pair *worst, hn_error *error)
{
  for (int row = 0; row < n; row++)
    for (int k = K->start[row]; k < K->start[row + 1]; k++)
      if (hn_rows_find(K, K->column[k], row) < 0)
        return hn_fail(error,
                       "the matrix has an entry in row %d, column %d, but none across; store a 0 there", row,
                       K->column[k]);
  *worst = find_asymmetry(K, n);
  if (!(worst->difference > max_asymmetry * largest_entry(K, n))) return 0;
  return hn_fail(error, "the matrix is not symmetric: %g in row %d, column %d, and %g across",
                 entry_of(K, worst->row, worst->column), worst->row, worst->column,
                 entry_of(K, worst->column, worst->row));
}

void hn_problem_matrix_free(hn_problem_matrix *K)
{
  if (K) free(K->start), free(K->column), free(K->value);
  free(K);
}

hn_problem_matrix *hn_problem_symmetric_part(const hn_problem *problem)
{
  const hn_problem_matrix *K = problem->K;
  const size_t n = (size_t)problem->nrow + 1, count = (size_t)K->start[problem->nrow];
  hn_problem_matrix *S = calloc(1, sizeof *S);
  if (S) {
    S->start = malloc(sizeof *S->start * n);
    S->column = malloc(sizeof *S->column * (count + 1)), S->value = malloc(sizeof *S->value * (count + 1));
  }
  if (!S || !S->start || !S->column || !S->value) return hn_problem_matrix_free(S), NULL;
  memcpy(S->start, K->start, sizeof *S->start * n), memcpy(S->column, K->column, sizeof *S->column * count);
  for (int row = 0; row < problem->nrow; row++)
    for (int k = K->start[row]; k < K->start[row + 1]; k++)
      S->value[k] = 0.5 * (K->value[k] + entry_of(K, K->column[k], row));
  return S;
}

/* ---- The check ----------------------------------------------------------------------------------------- */

/* Checks K of N rows. */
static int check_matrix(const hn_problem_matrix *K, int n, hn_error *error)
{
  pair worst = { 0, 0, 0.0 };
  if (K->start[0] != 0) return hn_fail(error, "the matrix does not begin at 0");
  for (int i = 0; i < n; i++)
    if (check_row(K, n, i, error)) return -1;
  if (check_symmetry(K, n, &worst, error)) return -1;
  for (int i = 0; i < n; i++)
    if (check_masses(K, i, worst.difference, error)) return -1;
  return 0;
}

int hn_problem_check(const hn_problem *problem, hn_error *error)
{
  int row = 0;
  if (!problem->K && !(problem->G && problem->T))
    return hn_fail(error, "the problem has neither a matrix nor bodies");
  for (int k = 0; k < problem->nblock; row += problem->block[k++].n)
    if (check_block(problem, k, row, error)) return -1;
  if (row != problem->nrow)
    return hn_fail(error, "the blocks have %d rows, the problem has %d", row, problem->nrow);
  if (!all_finite(problem->b, row)) return hn_fail(error, "a velocity of the problem is not a number");
  if (problem->K && check_matrix(problem->K, row, error)) return -1;
  if (!problem->K && !(all_finite(problem->G, 12 * row) && all_finite(problem->T, 12 * row)))
    return hn_fail(error, "a Jacobian of the problem is not a number");
  return 0;
}
