/* steady_direction.c - change of an iteration's direction, and its steps to a change of contact mode.
 *
 * x + t f reaches a bound of an interval at the root of a linear equation. It reaches the cone, |x_t| = mu
 * x_n, or its polar cone, mu |x_t| = -x_n, at a root of |x_t + t f_t|^2 = m (x_n + t f_n)^2 with m = mu^2 or
 * 1 / mu^2. Each disc of a cone counts as if it were the only one. */
#include "contact/admm/steady_direction.h"
#include "base/vec.h"

#include <string.h>

/* Part of the largest f of a block below which that of another one is noise: a block at rest would otherwise
 * seem to reach a bound that it lies on. */
static const double noise_ratio = 1e-3;
/* Smallest t of a mode change: T itself makes steps up to 1. */
static const double min_steps = 1.0;

void hn_direction_restart(hn_direction *direction)
{
  for (int i = 0; i < HN_DIRECTION_STEPS; i++) direction->change[i] = HUGE_VAL;
}

void hn_direction_observe(hn_direction *direction, int n, const double *weight, const double *tx,
                          const double *x)
{
  double change = 0.0, size = 0.0;
  for (int i = 0; i < n; i++) {
    const double f = weight[i] * (tx[i] - x[i]), before = weight[i] * direction->f[i];
    change += (f - before) * (f - before), size += f * f;
    direction->f[i] = tx[i] - x[i];
  }
  memmove(direction->change + 1, direction->change, sizeof *direction->change * (HN_DIRECTION_STEPS - 1));
  direction->change[0] = sqrt(change / size);
}

/* Returns t with x + t f = VALUE, or HUGE_VAL if that is not ahead. */
static double steps_to_value(double x, double f, double value)
{
  const double t = (value - x) / f;
  return t > min_steps ? t : HUGE_VAL;
}

/* Returns the smallest t > min_steps with |x_d| = slope side x_n, SIDE 1 or -1; HUGE_VAL if there is none. */
static double steps_to_cone(const double *x, const double *f, const hn_disc *disc, double slope, double side)
{
  const double m = slope * slope;
  double a = -m * f[0] * f[0], b = -m * x[0] * f[0], c = -m * x[0] * x[0], first = HUGE_VAL;
  for (int i = disc->row; i < disc->row + disc->n; i++) a += f[i] * f[i], b += x[i] * f[i], c += x[i] * x[i];
  if (!(b * b >= a * c)) return HUGE_VAL;
  const double q = -b - copysign(sqrt(b * b - a * c), b), root[2] = { q / a, c / q };
  for (int i = 0; i < 2; i++)
    if (root[i] > min_steps && side * (x[0] + root[i] * f[0]) >= 0.0) first = fmin(first, root[i]);
  return first;
}

/* Returns the smallest t at which a disc reaches its bound or that of the polar cone; without friction, the
 * normal 0. */
static double disc_steps(const hn_disc *disc, const double *x, const double *f)
{
  const double mu = disc->mu;
  if (!(mu > 0.0)) return steps_to_value(x[0], f[0], 0.0);
  return fmin(steps_to_cone(x, f, disc, mu, 1.0), steps_to_cone(x, f, disc, 1.0 / mu, -1.0));
}

/* Returns the smallest t at which the mode of BLOCK changes, or HUGE_VAL. */
static double block_steps(const hn_problem *problem, const hn_problem_block *block, const double *x,
                          const double *f)
{
  double lower, upper, t = HUGE_VAL;
  if (block->set.kind == HN_ANY) return t;
  if (block->set.kind == HN_CONE) {
    hn_disc disc[HN_MAX_DISCS];
    const int count = hn_set_discs(&block->set, block->n, disc);
    for (int d = 0; d < count; d++) t = fmin(t, disc_steps(&disc[d], x, f));
    return count > 0 ? t : steps_to_value(x[0], f[0], 0.0);
  }
  hn_set_bounds(&block->set, problem->h, &lower, &upper);
  for (int i = 0; i < block->n; i++)
    t = fmin(t, fmin(steps_to_value(x[i], f[i], lower), steps_to_value(x[i], f[i], upper)));
  return t;
}

double hn_direction_steps_to_mode_change(const hn_direction *direction, const hn_problem *problem,
                                         const double *weight, const double *x)
{
  double largest = 0.0, first = HUGE_VAL;
  for (int k = 0; k < problem->nblock; k++) {
    const int row = problem->block[k].row;
    largest = fmax(largest, weight[row] * norm_of(direction->f + row, problem->block[k].n));
  }
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    const int row = block->row;
    if (!(weight[row] * norm_of(direction->f + row, block->n) < noise_ratio * largest))
      first = fmin(first, block_steps(problem, block, x + row, direction->f + row));
  }
  return first;
}

double hn_direction_change(const hn_direction *direction)
{
  double largest = 0.0;
  for (int i = 0; i < HN_DIRECTION_STEPS; i++)
    if (!(direction->change[i] <= largest)) largest = direction->change[i];
  return largest;
}

bool hn_direction_is_steady(const hn_direction *direction, const hn_problem *problem, const double *weight,
                            const double *x, int steps)
{
  return steps * hn_direction_change(direction) <= 1.0 &&
         hn_direction_steps_to_mode_change(direction, problem, weight, x) > steps;
}
