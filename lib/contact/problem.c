/* problem.c - the contact problem of one instant: velocities, the error of a solution, and consistency
 * checks.
 *
 *   v = K p + b             by bodies in two steps: u = W G' p, v = G u + b
 *   r = p - P_C(p - w / k)  of a block; w = v, for a cone with De Saxce's shift; k = tr K_block / rows
 *
 * r is an impulse, r k a velocity; both are zero exactly if the law holds. The factor k relates the error to
 * the mass moved by the block, so that one tolerance suits problems of grains and of trucks. */
#include "base/vec.h"
#include "contact/block_rows.h"
#include "linear/system_parts.h"

#include <stdlib.h>
#include <string.h>

hn_problem *hn_problem_create(const hn_system *system, hn_error *error)
{
  hn_problem *problem = calloc(1, sizeof *problem);
  if (problem) {
    problem->block = malloc(sizeof *problem->block * ((size_t)system->max_blocks + 1));
    problem->b = malloc(sizeof *problem->b * ((size_t)system->max_rows + 1));
    problem->inv_mass = malloc(sizeof *problem->inv_mass * (size_t)system->model->nbody);
  }
  for (int i = 0; problem && problem->inv_mass && i < system->model->nbody; i++)
    problem->inv_mass[i] = system->model->body[i].inv_mass;
  if (problem && problem->block && problem->b && problem->inv_mass) return problem;
  hn_problem_free(problem);
  hn_fail(error, "out of memory");
  return NULL;
}

void hn_problem_assemble(hn_problem *problem, hn_system *system, const hn_state *state, double h)
{
  problem->h = h;
  problem->nbody = system->model->nbody, problem->nblock = system->nblock, problem->nrow = system->nrow;
  problem->G = system->G, problem->T = system->T, problem->W = system->parts->inv_inertia, problem->K = NULL;
  for (int k = 0; k < system->nblock; k++) {
    const hn_block *block = &system->block[k];
    problem->block[k] = (hn_problem_block){
      .a = block->a, .b = block->b, .row = block->row, .n = block->n, .set = *block->joint->set
    };
  }
  hn_system_velocity_residual(system, state, problem->b, NULL);
}

void hn_problem_free(hn_problem *problem)
{
  if (!problem) return;
  if (problem->K) free(problem->K->start), free(problem->K->column), free(problem->K->value);
  free(problem->K), free(problem->block), free(problem->b), free(problem->inv_mass);
  free(problem);
}

void hn_problem_velocities(const hn_problem *problem, const double *p, double *work, double *v)
{
  memcpy(v, problem->b, sizeof *v * (size_t)problem->nrow);
  if (problem->K) {
    for (int i = 0; i < problem->nrow; i++) v[i] += hn_rows_product(problem->K, i, p);
    return;
  }
  memset(work, 0, sizeof *work * 6 * (size_t)problem->nbody);
  for (const hn_problem_block *block = problem->block; block < problem->block + problem->nblock; block++)
    hn_rows_apply(problem, block, p + block->row, work);
  for (const hn_problem_block *block = problem->block; block < problem->block + problem->nblock; block++)
    hn_rows_add_velocities(problem, block, work, v + block->row);
}

/* ---- The diagonal ------------------------------------------------------------------------------------ */

static double matrix_entry(const hn_problem_matrix *K, int row, int column)
{
  for (int k = K->start[row]; k < K->start[row + 1]; k++)
    if (K->column[k] == column) return K->value[k];
  return 0.0;
}

/* Returns entry (r, c) of G T' of a block. */
static double coupling(const hn_problem *problem, const hn_problem_block *block, int r, int c)
{
  const int n = block->n;
  const double *G = problem->G + 12 * (size_t)block->row, *T = problem->T + 12 * (size_t)block->row;
  double sum = 0.0;
  for (int side = 0; side < 2; side++, G += 6 * n, T += 6 * n)
    for (int i = 0; i < 6; i++) sum += G[i * n + r] * T[6 * c + i];
  if (block->a != block->b) return sum;
  G -= 12 * n, T -= 12 * n; /* both sides are one body: they couple */
  for (int i = 0; i < 6; i++)
    sum += G[i * n + r] * T[6 * n + 6 * c + i] + G[6 * n + i * n + r] * T[6 * c + i];
  return sum;
}

void hn_problem_diagonal(const hn_problem *problem, int k, double *D)
{
  const hn_problem_block *block = &problem->block[k];
  const int n = block->n;
  for (int r = 0; r < n; r++)
    for (int c = 0; c <= r; c++)
      D[r * n + c] = D[c * n + r] = problem->K ? matrix_entry(problem->K, block->row + r, block->row + c)
                                               : coupling(problem, block, r, c);
}

double hn_problem_scale(const hn_problem *problem, int k)
{
  const hn_problem_block *block = &problem->block[k];
  double trace = 0.0;
  for (int r = 0; r < block->n; r++)
    trace += problem->K ? matrix_entry(problem->K, block->row + r, block->row + r)
                        : coupling(problem, block, r, r);
  return trace == 0.0 ? 1.0 : trace / block->n;
}

/* ---- The measure ------------------------------------------------------------------------------------- */

static double set_error(const hn_problem *problem, const hn_problem_block *block, const hn_set *set,
                        double scale, bool relaxed, const double *p, const double *v)
{
  double w[HN_MAX_ROWS];
  memcpy(w, v + block->row, sizeof *w * (size_t)block->n);
  if (!relaxed) hn_set_shift(set, block->n, w);
  for (int i = 0; i < block->n; i++) w[i] /= scale;
  return scale * hn_set_error(set, block->n, problem->h, p + block->row, w);
}

/* With two frictions: a contact either slides with mu, or sticks without slip within mu_static. */
static double block_error(const hn_problem *problem, int k, double scale, bool relaxed, const double *p,
                          const double *v)
{
  const hn_problem_block *block = &problem->block[k];
  const double error = set_error(problem, block, &block->set, scale, relaxed, p, v);
  if (!(block->set.mu_static > block->set.mu)) return error;
  const hn_set static_cone = { .kind = HN_CONE, .mu = block->set.mu_static };
  const double slip = norm_of(v + block->row + 1, block->n - 1);
  return fmin(error, fmax(set_error(problem, block, &static_cone, scale, relaxed, p, v), slip));
}

double hn_problem_block_error(const hn_problem *problem, int k, bool relaxed, const double *p,
                              const double *v)
{
  return block_error(problem, k, hn_problem_scale(problem, k), relaxed, p, v);
}

double hn_problem_error(const hn_problem *problem, bool relaxed, const double *p, const double *v, int *worst)
{
  double largest = 0.0;
  if (worst) *worst = -1;
  for (int k = 0; k < problem->nblock; k++) {
    double error = hn_problem_block_error(problem, k, relaxed, p, v);
    if (!exceeds(error, largest)) continue;
    largest = error;
    if (worst) *worst = k;
  }
  return largest;
}

bool hn_rows_scales(const hn_problem *problem, double *scale)
{
  bool finite = true;
  for (int k = 0; k < problem->nblock; k++) {
    scale[k] = hn_problem_scale(problem, k);
    finite = finite && isfinite(scale[k]);
  }
  return finite;
}

double hn_rows_error(const hn_problem *problem, const double *scale, bool relaxed, const double *p,
                     const double *v)
{
  double largest = 0.0;
  for (int k = 0; k < problem->nblock; k++) {
    double error = block_error(problem, k, scale[k], relaxed, p, v);
    if (exceeds(error, largest)) largest = error;
  }
  return largest;
}

bool hn_is_met_within(const hn_problem *problem, const double *p, double most, double *scratch, double *v)
{
  hn_problem_velocities(problem, p, scratch, v);
  return hn_problem_error(problem, false, p, v, NULL) <= most;
}

double hn_rows_project(const hn_problem *problem, const double *scale, double *work, double *v, double *p)
{
  for (const hn_problem_block *block = problem->block; block < problem->block + problem->nblock; block++)
    hn_set_project(&block->set, block->n, problem->h, p + block->row);
  hn_problem_velocities(problem, p, work, v);
  return hn_rows_error(problem, scale, false, p, v);
}

/* ---- Problems from elsewhere ------------------------------------------------------------------------- */

/* Relative tolerance on the symmetry and definiteness of a given K: files carry about 10 digits. */
static const double matrix_tolerance = 1e-9;

static int check_set(const hn_problem_block *block, int k, hn_error *error)
{
  const hn_set *set = &block->set;
  if (set->kind == HN_CONE && !(isfinite(set->mu) && set->mu >= 0.0))
    return hn_fail(error, "block %d: the friction coefficient is %g, but must be at least 0", k, set->mu);
  if (set->kind == HN_CONE && block->n != 2 && block->n != 3)
    return hn_fail(error, "block %d: a cone of %d rows; it has 3, or 2 in the plane", k, block->n);
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

/* Checks that row ROW may belong to a matrix of masses: symmetric to rounding, a diagonal that is not
 * negative, and |K_ij|^2 <= K_ii K_jj. */
static int check_masses(const hn_problem_matrix *K, int row, hn_error *error)
{
  const double diagonal = matrix_entry(K, row, row);
  if (diagonal < 0.0)
    return hn_fail(error, "the matrix has %g on its diagonal, in row %d: it must not be negative", diagonal,
                   row);
  for (int k = K->start[row]; k < K->start[row + 1]; k++) {
    const int column = K->column[k];
    const double value = K->value[k], transposed = matrix_entry(K, column, row),
                 other_diagonal = matrix_entry(K, column, column);
    if (!(fabs(value - transposed) <= matrix_tolerance * (fabs(diagonal) + fabs(other_diagonal))))
      return hn_fail(error, "the matrix is not symmetric: %g in row %d, column %d, and %g across", value, row,
                     column, transposed);
    if (value * value > diagonal * other_diagonal * (1.0 + matrix_tolerance))
      return hn_fail(error,
                     "no masses have this matrix: %g in row %d, column %d, with %g and %g on its diagonal",
                     value, row, column, diagonal, other_diagonal);
  }
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
  if (problem->K && problem->K->start[0] != 0) return hn_fail(error, "the matrix does not begin at 0");
  for (int i = 0; problem->K && i < row; i++)
    if (check_row(problem->K, row, i, error)) return -1;
  for (int i = 0; problem->K && i < row; i++)
    if (check_masses(problem->K, i, error)) return -1;
  if (!problem->K && !(all_finite(problem->G, 12 * row) && all_finite(problem->T, 12 * row)))
    return hn_fail(error, "a Jacobian of the problem is not a number");
  return 0;
}
