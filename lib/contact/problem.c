/* problem.c - the contact problem of one instant: velocities, and the error of a solution.
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
  problem->G = system->G, problem->T = system->parts->omits_responses ? NULL : system->T;
  problem->W = system->parts->inv_inertia, problem->K = NULL;
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
  hn_problem_matrix_free(problem->K);
  free(problem->block), free(problem->b), free(problem->inv_mass);
  free(problem);
}

void hn_problem_velocities(const hn_problem *problem, const double *p, double *work, double *v)
{
  if (problem->K) {
    for (const hn_problem_block *block = problem->block; block < problem->block + problem->nblock; block++)
      hn_rows_products(problem->K, block->row, block->n, p, v + block->row);
    for (int i = 0; i < problem->nrow; i++) v[i] += problem->b[i];
    return;
  }
  memcpy(v, problem->b, sizeof *v * (size_t)problem->nrow);
  memset(work, 0, sizeof *work * 6 * (size_t)problem->nbody);
  for (const hn_problem_block *block = problem->block; block < problem->block + problem->nblock; block++)
    hn_rows_apply(problem, block, p + block->row, work);
  for (const hn_problem_block *block = problem->block; block < problem->block + problem->nblock; block++)
    hn_rows_add_velocities(problem, block, work, v + block->row);
}

/* ---- The diagonal ------------------------------------------------------------------------------------ */

static double matrix_entry(const hn_problem_matrix *K, int row, int column)
{
  const int k = hn_rows_find(K, row, column);
  return k < 0 ? 0.0 : K->value[k];
}

/* Computes the diagonal block of the symmetric part of a given K. Its columns usually follow each other. */
static void matrix_diagonal(const hn_problem_matrix *K, int row, int n, double *D)
{
  double entry[HN_MAX_ROWS][HN_MAX_ROWS];
  for (int r = 0; r < n; r++) {
    const int first = hn_rows_find(K, row + r, row), last = first + n - 1;
    const bool follow = first >= 0 && last < K->start[row + r + 1] && K->column[last] == row + n - 1;
    for (int c = 0; c < n; c++)
      entry[r][c] = follow ? K->value[first + c] : matrix_entry(K, row + r, row + c);
  }
  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++) D[r * n + c] = 0.5 * (entry[r][c] + entry[c][r]);
}

/* Returns entry (r, c) of G T' of a block with the responses T. */
static double coupling(const hn_problem *problem, const hn_problem_block *block, const double *T, int r,
                       int c)
{
  const int n = block->n;
  const double *G = problem->G + 12 * (size_t)block->row;
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
  double room[12 * HN_MAX_ROWS];
  if (problem->K) {
    matrix_diagonal(problem->K, block->row, n, D);
    return;
  }
  const double *T = hn_rows_responses(problem, block, room);
  for (int r = 0; r < n; r++)
    for (int c = 0; c <= r; c++) D[r * n + c] = D[c * n + r] = coupling(problem, block, T, r, c);
}

double hn_problem_scale(const hn_problem *problem, int k)
{
  const hn_problem_block *block = &problem->block[k];
  double room[12 * HN_MAX_ROWS], trace = 0.0;
  const double *T = problem->K ? NULL : hn_rows_responses(problem, block, room);
  for (int r = 0; r < block->n; r++)
    trace += problem->K ? matrix_entry(problem->K, block->row + r, block->row + r)
                        : coupling(problem, block, T, r, r);
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
