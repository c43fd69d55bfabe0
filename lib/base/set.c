/* set.c - admissible sets of impulses: one projection and one residual for all complementarity conditions
 *
 *   any      all p: an equation
 *   push     p >= 0
 *   within   h lower <= p <= h upper
 *   cone     p_n >= 0, |p_d| <= mu_d p_n   projection: p if inside; 0 if sum of mu_d |p_d| <= -p_n; else
 *            for its discs d               p_n := s,  p_d := mu_d s p_d / |p_d| where |p_d| > mu_d s
 *                                          s = (p_n + sum of mu_d |p_d|) / (1 + sum of mu_d^2), sums over
 *                                          the discs with |p_d| > mu_d s
 *
 * With several discs s is the root of s - p_n - sum of mu_d max(0, |p_d| - mu_d s), which increases, is
 * concave and piecewise linear: Newton's method from the left ends after a step for each disc at most.
 *
 * p solves "C* contains v, v orthogonal to p, p in C" exactly if p is the projection of p - v / k onto C, for
 * any k > 0 (natural map). For a box this means v = 0 inside, v >= 0 at the lower bound, v <= 0 at the upper
 * one. Coulomb's law is this condition with v_n + sum of mu_d |v_d| in place of v_n. [De Saxce and Feng 1998;
 * with rolling friction: Acary and Bourrier 2021] */
#include "base/vec.h"
#include "joints.h"

int hn_set_discs(const hn_set *set, int n, hn_disc disc[HN_MAX_DISCS])
{
  int count = 0;
  if (n > 1) disc[count++] = (hn_disc){ 1, n < 3 ? 1 : 2, set->mu };
  if (n > 4) disc[count++] = (hn_disc){ 3, 2, set->mu_rolling };
  if (n == 4 || n == 6) disc[count++] = (hn_disc){ n - 1, 1, set->mu_torsion };
  return count;
}

/* The root s of s - first - sum of mu_d max(0, size_d - mu_d s), and the discs whose term is not 0. */
typedef struct root {
  double s, slope; /* slope: 1 + sum of mu_d^2 over the active discs */
  bool active[HN_MAX_DISCS];
  int count;
} root;

/* Finds the root for FIRST + sum of mu_d size_d >= 0. */
static root find_root(const hn_disc *disc, int count, double first, const double *size)
{
  root now = { 0.0, 1.0, { false }, -1 };
  for (int step = 0; step < count; step++) {
    root next = { 0.0, 1.0, { false }, 0 };
    double sum = first;
    for (int d = 0; d < count; d++) {
      if (!(size[d] > disc[d].mu * now.s)) continue;
      sum += disc[d].mu * size[d], next.slope += disc[d].mu * disc[d].mu;
      next.active[d] = true, next.count++;
    }
    if (next.count == now.count) break;
    next.s = sum / next.slope, now = next;
  }
  return now;
}

static void project_cone(const hn_set *set, int n, double *p)
{
  hn_disc disc[HN_MAX_DISCS];
  const int count = hn_set_discs(set, n, disc);
  double across[HN_MAX_DISCS], sum = 0.0;
  bool inside = p[0] >= 0.0; /* without friction, 0 <= 0 holds for any normal impulse */
  for (int d = 0; d < count; d++) {
    across[d] = norm_of(p + disc[d].row, disc[d].n), sum += disc[d].mu * across[d];
    inside = inside && across[d] <= disc[d].mu * p[0];
  }
  if (inside) return;
  root at = { 0.0, 1.0, { true, true, true }, count };
  if (!(sum <= -p[0])) at = find_root(disc, count, p[0], across);
  for (int d = 0; d < count; d++)
    for (int i = disc[d].row; i < disc[d].row + disc[d].n && at.active[d]; i++)
      p[i] = across[d] > 0.0 ? disc[d].mu * at.s * (p[i] / across[d]) : 0.0;
  p[0] = count > 0 ? at.s : fmax(p[0], 0.0);
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
  if (set->kind == HN_CONE) project_cone(set, n, p);
  else
    for (int i = 0; i < n; i++) p[i] = p[i] < lower ? lower : p[i] > upper ? upper : p[i];
}

double hn_set_shift_of(const hn_set *set, int n, const double *v)
{
  hn_disc disc[HN_MAX_DISCS];
  const int count = set->kind == HN_CONE ? hn_set_discs(set, n, disc) : 0;
  double shift = 0.0;
  for (int d = 0; d < count; d++) shift += disc[d].mu * norm_of(v + disc[d].row, disc[d].n);
  return shift;
}

void hn_set_shift(const hn_set *set, int n, double *v)
{
  if (set->kind == HN_CONE && n > 1) v[0] += hn_set_shift_of(set, n, v);
}

/* Returns P(p - v) - p of a row with these bounds. */
static double row_off(double lower, double upper, double p, double v)
{
  const double low = lower - p, high = upper - p, off = (p - p) - v; /* NaN if p is not finite */
  return off < low ? low : off > high ? high : off;
}

/* Returns how much farther z = p - v is beyond a disc than p: |z_d| - |p_d|, without the loss of a
 * difference. BEFORE and ACROSS are |p_d| and |z_d|. */
static double find_growth(const hn_disc *disc, double before, double across, const double *p, const double *v,
                          const double *z)
{
  double growth = 0.0;
  const double sum = before + across;
  for (int i = disc->row; i < disc->row + disc->n && sum > 0.0; i++) growth -= v[i] * ((p[i] + z[i]) / sum);
  return growth;
}

/* Computes the distances PART by which the projection shortens the discs that are BEYOND their bounds:
 * part_d = beyond_d - mu_d sum of mu_e part_e where that is positive, else 0. */
static void share_distance(const hn_disc *disc, int count, const double *beyond, double *part)
{
  const root raised = find_root(disc, count, 0.0, beyond);
  for (int d = 0; d < count; d++)
    part[d] = !raised.active[d]   ? 0.0
              : raised.count == 1 ? beyond[d] / raised.slope
                                  : fmax(beyond[d] - disc[d].mu * raised.s, 0.0);
}

/* Computes P(p - v) - p of a cone into OFF. Outside, z = p - v is beyond a disc by |z_d| - mu_d z_n. The
 * result is then -v plus, for each such disc, its part of that distance along (mu_d, -z_d / |z_d|). */
static void cone_off(const hn_set *set, int n, const double *p, const double *v, double *off)
{
  hn_disc disc[HN_MAX_DISCS];
  const int count = hn_set_discs(set, n, disc);
  double z[HN_MAX_ROWS] = { 0.0 }, across[HN_MAX_DISCS], beyond[HN_MAX_DISCS], part[HN_MAX_DISCS], sum = 0.0;
  for (int i = 0; i < n; i++) z[i] = p[i] - v[i], off[i] = (p[i] - p[i]) - v[i];
  for (int d = 0; d < count; d++) {
    const double before = norm_of(p + disc[d].row, disc[d].n), mu = disc[d].mu;
    across[d] = norm_of(z + disc[d].row, disc[d].n), sum += mu * across[d];
    beyond[d] = (before - mu * p[0]) + (find_growth(&disc[d], before, across[d], p, v, z) + mu * v[0]);
  }
  if (sum <= -z[0]) {
    for (int i = 0; i < n; i++) off[i] = -p[i];
    return;
  }
  share_distance(disc, count, beyond, part);
  for (int d = 0; d < count; d++) {
    if (part[d] == 0.0) continue;
    off[0] += disc[d].mu * part[d];
    for (int i = disc[d].row; i < disc[d].row + disc[d].n; i++)
      off[i] -= across[d] > 0.0 ? part[d] * (z[i] / across[d]) : 0.0;
  }
}

/* Impulses of squeezed bodies can be larger than v by any factor, so that p - v would lose v and an
 * unsolvable problem would look solved. Therefore only the distance of p from its bounds is added to v. */
double hn_set_error(const hn_set *set, int n, double h, const double *p, const double *v)
{
  double off[HN_MAX_ROWS], lower, upper;
  hn_set_bounds(set, h, &lower, &upper);
  if (set->kind == HN_CONE) cone_off(set, n, p, v, off);
  else
    for (int i = 0; i < n; i++) off[i] = row_off(lower, upper, p[i], v[i]);
  return norm_of(off, n);
}

double hn_newton_impact(const hn_set *set, double threshold, double rate)
{
  return rate < -threshold ? -set->restitution * rate : 0.0;
}
