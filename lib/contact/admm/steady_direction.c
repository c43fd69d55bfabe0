/* steady_direction.c - how far a steady iteration has to go.
 *
 * x + t f comes to a bound of an interval at a root of a line, and to the cone, |x_t| = mu x_n, or to its polar cone,
 * mu |x_t| = -x_n, at one of |x_t + t f_t|^2 = m (x_n + t f_n)^2, m = mu^2 or 1 / mu^2. */
#include "contact/admm/steady_direction.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

static const double noise = 1e-3;  /* of the largest change of a block */
static const double nearest = 1.0; /* t: where T itself leads */

bool hn_ray_create(hn_ray *ray, size_t n)
{
  ray->f = calloc(n, sizeof *ray->f);
  hn_ray_forget(ray);
  return ray->f != NULL;
}

void hn_ray_free(hn_ray *ray)
{
  free(ray->f);
}

void hn_ray_forget(hn_ray *ray)
{
  for (int i = 0; i < HN_RAY; i++) ray->change[i] = HUGE_VAL;
}

void hn_ray_note(hn_ray *ray, int n, const double *weight, const double *tx, const double *x)
{
  double change = 0.0, size = 0.0;
  for (int i = 0; i < n; i++) {
    const double f = weight[i] * (tx[i] - x[i]), before = weight[i] * ray->f[i];
    change += (f - before) * (f - before), size += f * f;
    ray->f[i] = tx[i] - x[i];
  }
  memmove(ray->change + 1, ray->change, sizeof *ray->change * (HN_RAY - 1));
  ray->change[0] = sqrt(change / size);
}

static double reach_value(double x, double f, double value)
{
  const double t = (value - x) / f;
  return t > nearest ? t : HUGE_VAL;
}

/* To |x_t| = slope SIDE x_n, SIDE 1 or -1. */
static double reach_cone(const double *x, const double *f, int n, double slope, double side)
{
  const double m = slope * slope;
  double a = -m * f[0] * f[0], b = -m * x[0] * f[0], c = -m * x[0] * x[0], first = HUGE_VAL;
  for (int i = 1; i < n; i++) a += f[i] * f[i], b += x[i] * f[i], c += x[i] * x[i];
  if (!(b * b >= a * c)) return HUGE_VAL;
  const double q = -b - copysign(sqrt(b * b - a * c), b), root[2] = { q / a, c / q };
  for (int i = 0; i < 2; i++)
    if (root[i] > nearest && side * (x[0] + root[i] * f[0]) >= 0.0) first = fmin(first, root[i]);
  return first;
}

static double reach_block(const hn_problem *problem, const hn_problem_block *block, const double *x,
                          const double *f)
{
  const double mu = block->set.mu;
  double lower, upper, t = HUGE_VAL;
  if (block->set.kind == HN_ANY) return t;
  if (block->set.kind == HN_CONE && mu > 0.0)
    return fmin(reach_cone(x, f, block->n, mu, 1.0), reach_cone(x, f, block->n, 1.0 / mu, -1.0));
  if (block->set.kind == HN_CONE) return reach_value(x[0], f[0], 0.0);
  hn_set_bounds(&block->set, problem->h, &lower, &upper);
  for (int i = 0; i < block->n; i++)
    t = fmin(t, fmin(reach_value(x[i], f[i], lower), reach_value(x[i], f[i], upper)));
  return t;
}

double hn_ray_reach(const hn_ray *ray, const hn_problem *problem, const double *weight, const double *x)
{
  double largest = 0.0, first = HUGE_VAL;
  for (int k = 0; k < problem->nblock; k++) {
    const int row = problem->block[k].row;
    largest = fmax(largest, weight[row] * norm_of(ray->f + row, problem->block[k].n));
  }
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    const int row = block->row;
    if (!(weight[row] * norm_of(ray->f + row, block->n) < noise * largest))
      first = fmin(first, reach_block(problem, block, x + row, ray->f + row));
  }
  return first;
}

double hn_ray_change(const hn_ray *ray)
{
  double largest = 0.0;
  for (int i = 0; i < HN_RAY; i++)
    if (!(ray->change[i] <= largest)) largest = ray->change[i];
  return largest;
}

bool hn_ray_lasts(const hn_ray *ray, const hn_problem *problem, const double *weight, const double *x,
                  int steps)
{
  return steps * hn_ray_change(ray) <= 1.0 && hn_ray_reach(ray, problem, weight, x) > steps;
}
