/* ipm_step.c - iterates and steps of the interior-point solver (ipm.c).
 *
 * Cones with friction have x = A p, w = A z with A = (1, 1/mu, 1/mu); x and z are in second-order cones
 * (lorentz.h). All other rows have bounds, possibly infinite ones, with a multiplier each:
 *
 *   cone   H = A W^-2 A + floor k A^2      g = A W^-1 (u \ (target - products))
 *   row    H = z/(p - l) + y/(u - p) + floor k   g = (target - products)/(p - l) - (...)/(u - p)
 *   step   (K + H) dp = g - (v + shift)
 *
 * A row whose bounds are equal does not move. [Nesterov and Todd 1998; Mehrotra, SIAM J. Optim. 2 (1992)
 * 575] */
#include "contact/ipm/ipm_step.h"
#include "base/vec.h"

#include <string.h>

/* Part of the distance of two bounds that an iterate keeps from each. */
static const double min_margin = 0.1;
/* Smallest relative distance from a boundary, against rounding. */
static const double rounding = 1e-14;
/* Longest part of a step, more than 1: a step of 1 may end at the boundary. */
static const double longest_part = 1.0 + 1e-9;

void hn_ipm_bounds(hn_ipm *s, const hn_problem *problem)
{
  for (const hn_problem_block *block = problem->block; block < problem->block + problem->nblock; block++) {
    double lower, upper;
    hn_set_bounds(&block->set, problem->h, &lower, &upper);
    for (int r = 0; r < block->n; r++) {
      const int i = block->row + r;
      s->lower[i] = lower, s->upper[i] = upper;
      if (block->set.kind == HN_CONE) s->lower[i] = 0.0, s->upper[i] = r == 0 ? HUGE_VAL : 0.0;
    }
  }
}

/* True if row I has no room to move. */
static bool is_fixed(const hn_ipm *s, int i)
{
  return !(s->upper[i] > s->lower[i]);
}

static void enter_cone(hn_ipm *s, const hn_problem_block *block, double scale, double distance)
{
  const double mu = block->set.mu;
  double *p = s->p + block->row, *z = s->z + block->row;
  const double *v = s->v + block->row;
  for (int i = 1; i < block->n; i++) z[i] = mu * v[i];
  p[0] = fmax(p[0], norm_of(p + 1, block->n - 1) / mu) + distance / scale;
  z[0] = fmax(v[0] + s->shift[block->row], norm_of(z + 1, block->n - 1)) + distance;
}

static void enter_row(hn_ipm *s, int i, double scale, double distance)
{
  const double lower = s->lower[i], upper = s->upper[i], v = s->v[i] + s->shift[i];
  const double margin = fmin(distance / scale, min_margin * (upper - lower));
  s->p[i] = fmin(fmax(s->p[i], lower + margin), upper - margin);
  s->z[i] = !is_fixed(s, i) && lower > -HUGE_VAL ? fmax(v, 0.0) + distance : 0.0;
  s->y[i] = !is_fixed(s, i) && upper < HUGE_VAL ? fmax(-v, 0.0) + distance : 0.0;
}

void hn_ipm_enter(hn_ipm *s, const hn_problem *problem, double distance)
{
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    if (hn_ipm_is_cone(block)) enter_cone(s, block, s->scale[k], distance);
    else
      for (int i = block->row; i < block->row + block->n; i++) enter_row(s, i, s->scale[k], distance);
  }
}

void hn_ipm_follow(hn_ipm *s, const hn_problem_block *block, double k, double change, double distance)
{
  const double mu = block->set.mu;
  double *p = s->p + block->row, *z = s->z + block->row;
  p[0] = fmax(p[0], norm_of(p + 1, block->n - 1) / mu + distance);
  z[0] = fmax(z[0] + change, norm_of(z + 1, block->n - 1) + k * distance);
}

/* ---- Rows with bounds -------------------------------------------------------------------------------- */

/* Distances of row I from its bounds, by which 0 divided is 0 where there is none. */
static double above(const hn_ipm *s, int i)
{
  return s->p[i] - s->lower[i];
}

static double below(const hn_ipm *s, int i)
{
  return s->upper[i] - s->p[i];
}

/* Returns the number of finite bounds of a row. */
static int bounds_of(const hn_ipm *s, int i)
{
  return is_fixed(s, i) ? 0 : (s->lower[i] > -HUGE_VAL) + (s->upper[i] < HUGE_VAL);
}

double hn_ipm_gap(const hn_ipm *s, const hn_problem *problem)
{
  double sum = 0.0;
  int count = 0;
  for (const hn_problem_block *block = problem->block; block < problem->block + problem->nblock; block++) {
    const double mu = block->set.mu;
    for (int i = block->row; i < block->row + block->n; i++)
      if (hn_ipm_is_cone(block)) sum += i == block->row ? s->p[i] * s->z[i] : s->p[i] * s->z[i] / mu;
      else if (bounds_of(s, i) > 0) {
        if (s->z[i] > 0.0) sum += above(s, i) * s->z[i];
        if (s->y[i] > 0.0) sum += below(s, i) * s->y[i];
        count += bounds_of(s, i);
      }
    count += hn_ipm_is_cone(block);
  }
  return count > 0 ? sum / count : 0.0;
}

/* ---- The matrix -------------------------------------------------------------------------------------- */

/* Loads x = A p of a cone. */
static void load_cone(const hn_problem_block *block, const double *p, double *x)
{
  x[0] = p[block->row];
  for (int i = 1; i < block->n; i++) x[i] = p[block->row + i] / block->set.mu;
}

/* Computes Q = A^-1 (W^-2 + floor k)^-1/2 of a cone. */
static void scale_cone(hn_ipm *s, const hn_problem_block *block, int k)
{
  const int n = block->n;
  double x[3], *Q = s->Q + 6 * (size_t)block->row;
  load_cone(block, s->p, x);
  hn_scaling_set(&s->scaling[k], n, x, s->z + block->row);
  for (int c = 0; c < n; c++) {
    double column[3] = { c == 0, c == 1, c == 2 };
    hn_scaling_apply_root(&s->scaling[k], s->floor * s->scale[k], column, column);
    for (int r = 0; r < n; r++) Q[r * n + c] = r == 0 ? column[r] : block->set.mu * column[r];
  }
}

static void scale_row(hn_ipm *s, const hn_problem_block *block, int k, int r)
{
  const int i = block->row + r;
  double H = s->floor * s->scale[k];
  if (s->z[i] > 0.0) H += s->z[i] / above(s, i);
  if (s->y[i] > 0.0) H += s->y[i] / below(s, i);
  s->Q[6 * (size_t)block->row + (size_t)(r * block->n + r)] = is_fixed(s, i) ? 0.0 : 1.0 / sqrt(H);
}

hn_reason hn_ipm_factor(hn_ipm *s, const hn_problem *problem)
{
  memset(s->Q, 0, sizeof *s->Q * 6 * (size_t)problem->nrow);
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    if (hn_ipm_is_cone(block)) scale_cone(s, block, k);
    else
      for (int r = 0; r < block->n; r++) scale_row(s, block, k, r);
  }
  return hn_scaled_matrix_factor(&s->K, problem, s->Q);
}

/* ---- The step ---------------------------------------------------------------------------------------- */

/* Computes G = W^-1 (u \ (target - products)) of a cone. */
static void aim_cone(const hn_ipm *s, const hn_problem_block *block, int k, double target, bool correct,
                     double *g)
{
  const int n = block->n;
  for (int i = 0; i < n; i++) g[i] = (i == 0 ? target : 0.0) - (correct ? s->cz[block->row + i] : 0.0);
  hn_jordan_quotient(n, s->scaling[k].u, g, g);
  hn_scaling_apply(&s->scaling[k], 1, g, g);
}

/* Computes what the multipliers of row I would be if p did not move. */
static void aim_row(const hn_ipm *s, int i, double target, bool correct, double *lower, double *upper)
{
  *lower = s->z[i] > 0.0 ? (target - (correct ? s->cz[i] : 0.0)) / above(s, i) : 0.0;
  *upper = s->y[i] > 0.0 ? (target - (correct ? s->cy[i] : 0.0)) / below(s, i) : 0.0;
}

/* Computes the change of the multipliers for that of p, in dp. */
static void find_multipliers(hn_ipm *s, const hn_problem *problem, double target, bool correct)
{
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    const int n = block->n, row = block->row;
    double g[3], dx[3], upper;
    for (int i = row; i < row + n && !hn_ipm_is_cone(block); i++) {
      aim_row(s, i, target, correct, &g[0], &upper);
      s->dz[i] = s->z[i] > 0.0 ? g[0] - s->z[i] - s->z[i] / above(s, i) * s->dp[i] : 0.0;
      s->dy[i] = s->y[i] > 0.0 ? upper - s->y[i] + s->y[i] / below(s, i) * s->dp[i] : 0.0;
    }
    if (!hn_ipm_is_cone(block)) continue;
    aim_cone(s, block, k, target, correct, g), load_cone(block, s->dp, dx);
    hn_scaling_apply(&s->scaling[k], 1, dx, dx), hn_scaling_apply(&s->scaling[k], 1, dx, dx);
    for (int i = 0; i < n; i++) s->dz[row + i] = g[i] - s->z[row + i] - dx[i];
  }
}

bool hn_ipm_direction(hn_ipm *s, const hn_problem *problem, double target, bool correct)
{
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    double g[3], upper;
    if (hn_ipm_is_cone(block)) aim_cone(s, block, k, target, correct, g);
    for (int i = block->row; i < block->row + block->n; i++) {
      s->dp[i] = -(s->v[i] + s->shift[i]);
      if (hn_ipm_is_cone(block)) s->dp[i] += i == block->row ? g[0] : g[i - block->row] / block->set.mu;
      else aim_row(s, i, target, correct, &g[0], &upper), s->dp[i] += g[0] - upper;
    }
  }
  hn_scaled_matrix_solve(&s->K, problem, s->Q, &s->refinement, s->dp);
  find_multipliers(s, problem, target, correct);
  return all_finite(s->dp, problem->nrow) && all_finite(s->dz, problem->nrow);
}

void hn_ipm_note_products(hn_ipm *s, const hn_problem *problem)
{
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    double dx[3], dz[3];
    for (int i = block->row; i < block->row + block->n; i++)
      s->cz[i] = s->dp[i] * s->dz[i], s->cy[i] = -s->dp[i] * s->dy[i];
    if (!hn_ipm_is_cone(block)) continue;
    load_cone(block, s->dp, dx);
    hn_scaling_apply(&s->scaling[k], 1, dx, dx);
    hn_scaling_apply(&s->scaling[k], 0, s->dz + block->row, dz);
    hn_jordan_product(block->n, dx, dz, s->cz + block->row);
  }
}

/* Returns the largest part t <= MOST with x + t d >= 0. */
static double longest_number(double x, double d, double most)
{
  return d < 0.0 ? fmin(most, -x / d) : most;
}

double hn_ipm_longest(const hn_ipm *s, const hn_problem *problem)
{
  double t = longest_part;
  for (const hn_problem_block *block = problem->block; block < problem->block + problem->nblock; block++) {
    const int row = block->row;
    double x[3], dx[3];
    for (int i = row; i < row + block->n && !hn_ipm_is_cone(block); i++) {
      if (is_fixed(s, i)) continue;
      if (s->z[i] > 0.0) t = longest_number(above(s, i), s->dp[i], longest_number(s->z[i], s->dz[i], t));
      if (s->y[i] > 0.0) t = longest_number(below(s, i), -s->dp[i], longest_number(s->y[i], s->dy[i], t));
    }
    if (!hn_ipm_is_cone(block)) continue;
    load_cone(block, s->p, x), load_cone(block, s->dp, dx);
    t = hn_lorentz_step(block->n, s->z + row, s->dz + row, hn_lorentz_step(block->n, x, dx, t));
  }
  return t;
}

/* Keeps the impulse and the multiplier of a cone off its boundary. */
static void keep_cone(hn_ipm *s, const hn_problem_block *block)
{
  double *p = s->p + block->row, *z = s->z + block->row;
  p[0] = fmax(p[0], (1.0 + rounding) * norm_of(p + 1, block->n - 1) / block->set.mu);
  z[0] = fmax(z[0], (1.0 + rounding) * norm_of(z + 1, block->n - 1));
}

/* Keeps the impulse of row I off its bounds. */
static void keep_row(hn_ipm *s, int i)
{
  if (s->z[i] > 0.0) s->p[i] = fmax(s->p[i], s->lower[i] + rounding * fabs(s->lower[i]));
  if (s->y[i] > 0.0) s->p[i] = fmin(s->p[i], s->upper[i] - rounding * fabs(s->upper[i]));
}

void hn_ipm_move(hn_ipm *s, const hn_problem *problem, double part)
{
  for (int i = 0; i < problem->nrow; i++)
    s->p[i] += part * s->dp[i], s->z[i] += part * s->dz[i], s->y[i] += part * s->dy[i];
  for (const hn_problem_block *block = problem->block; block < problem->block + problem->nblock; block++)
    if (hn_ipm_is_cone(block)) keep_cone(s, block);
    else
      for (int i = block->row; i < block->row + block->n; i++) keep_row(s, i);
}
