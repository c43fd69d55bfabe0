/* set.c - admissible sets of impulses: one projection and one residual for all complementarity conditions
 *
 *   any      all p: an equation
 *   push     p >= 0
 *   within   h lower <= p <= h upper
 *   cone     p_n >= 0, |p_t| <= mu p_n     projection: p if inside; 0 if mu |p_t| <= -p_n; else
 *                                          p_n := s = (p_n + mu |p_t|) / (1 + mu^2), p_t := mu s p_t / |p_t|
 *
 * p solves "C* contains v, v orthogonal to p, p in C" exactly if p is the projection of p - v / k onto C, for
 * any k > 0 (natural map). For a box this means v = 0 inside, v >= 0 at the lower bound, v <= 0 at the upper
 * one. Coulomb's law is this condition with v_n + mu |v_t| in place of v_n. [De Saxce and Feng 1998] */
#include "base/vec.h"
#include "joints.h"

static void project_cone(double mu, int n, double *p)
{
  double normal = p[0], across = norm_of(p + 1, n - 1);
  /* without friction, 0 <= 0 holds for any normal impulse */
  if (normal >= 0.0 && across <= mu * normal) return;
  double s = mu * across <= -normal ? 0.0 : (normal + mu * across) / (1.0 + mu * mu);
  p[0] = s;
  for (int i = 1; i < n; i++) p[i] = across > 0.0 ? mu * s * (p[i] / across) : 0.0;
}

/* Returns the impulse of a force bound during h; an infinite bound stays infinite even for h = 0. */
static double impulse_of(double bound, double h)
{
  return isinf(bound) ? bound : h * bound;
}

void hn_set_bounds(const hn_set *set, double h, double *lower, double *upper)
{
  *lower = set->kind == HN_WITHIN ? impulse_of(set->lower, h) : set->kind == HN_PUSH ? 0.0 : -HUGE_VAL;
  *upper = set->kind == HN_WITHIN ? impulse_of(set->upper, h) : HUGE_VAL;
}

void hn_set_project(const hn_set *set, int n, double h, double *p)
{
  double lower, upper;
  hn_set_bounds(set, h, &lower, &upper);
  if (set->kind == HN_CONE) project_cone(set->mu, n, p);
  else
    for (int i = 0; i < n; i++) p[i] = p[i] < lower ? lower : p[i] > upper ? upper : p[i];
}

void hn_set_shift(const hn_set *set, int n, double *v)
{
  if (set->kind == HN_CONE && n > 1) v[0] += set->mu * norm_of(v + 1, n - 1);
}

/* Returns P(p - v) - p of a row with these bounds. */
static double row_off(double lower, double upper, double p, double v)
{
  const double low = lower - p, high = upper - p, off = (p - p) - v; /* NaN if p is not finite */
  return off < low ? low : off > high ? high : off;
}

/* Computes P(p - v) - p of a cone into OFF. Outside, z = p - v is beyond the cone by |z_t| - mu z_n. The
 * result is then -v plus, along the inward normal (mu, -z_t / |z_t|), that distance over 1 + mu^2. */
static void cone_off(double mu, int n, const double *p, const double *v, double *off)
{
  double z[HN_MAX_ROWS] = { 0.0 }, longer = 0.0;
  for (int i = 0; i < n; i++) z[i] = p[i] - v[i], off[i] = (p[i] - p[i]) - v[i];
  const double before = norm_of(p + 1, n - 1), across = norm_of(z + 1, n - 1), sum = before + across;
  for (int i = 1; i < n && sum > 0.0; i++) longer -= v[i] * ((p[i] + z[i]) / sum); /* |z_t| - |p_t| */
  const double beyond = (before - mu * p[0]) + (longer + mu * v[0]);
  if (mu * across <= -z[0])
    for (int i = 0; i < n; i++) off[i] = -p[i];
  else if (beyond > 0.0) {
    const double part = beyond / (1.0 + mu * mu);
    off[0] += mu * part;
    for (int i = 1; i < n; i++) off[i] -= across > 0.0 ? part * (z[i] / across) : 0.0;
  }
}

/* Impulses of squeezed bodies can be larger than v by any factor, so that p - v would lose v and an
 * unsolvable problem would look solved. Therefore only the distance of p from its bounds is added to v. */
double hn_set_error(const hn_set *set, int n, double h, const double *p, const double *v)
{
  double off[HN_MAX_ROWS], lower, upper;
  hn_set_bounds(set, h, &lower, &upper);
  if (set->kind == HN_CONE) cone_off(set->mu, n, p, v, off);
  else
    for (int i = 0; i < n; i++) off[i] = row_off(lower, upper, p[i], v[i]);
  return norm_of(off, n);
}

double hn_newton_impact(const hn_set *set, double threshold, double rate)
{
  return rate < -threshold ? -set->restitution * rate : 0.0;
}
