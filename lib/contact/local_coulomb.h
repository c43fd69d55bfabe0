/* local_coulomb.h - exact solution of Coulomb's law at one contact. Internal.
 *
 * The tangents are chosen so that the part of K left when the normal velocity is held at 0, S = K_tt - K_tn
 * K_nt / K_nn, is diagonal (l_1, l_2). Two quantities no longer depend on the current p; v are the velocities
 * at p:
 *
 *   c = p_n - v_n / K_nn - d . p_t,   z = l p_t - v_t - d v_n,   d = -K_tn / K_nn
 *
 *   open   c <= 0                             p = 0
 *   stick  |z / l| <= mu p_n (mu_static p_n)  p_t = z / l,        p_n = c + d . p_t
 *   slide  else                               p_t = z / (l + s),  p_n = c + d . p_t,  s >= 0, |p_t| = mu p_n
 *
 * s = |v_t| / |p_t|. |p_t| - mu p_n is positive at s = 0 and negative for large s, so there is a root.
 * Newton's method on 1 / |p_t| - 1 / (mu p_n), which is almost linear, finds it in two or three steps,
 * safeguarded by bisection. In the plane the solution is a quotient. [Bonnefon and Daviet, INRIA RR-7580
 * (2011), for the same problem as a quartic] */
#ifndef HN_LOCAL_COULOMB_H
#define HN_LOCAL_COULOMB_H

#include "contact/matrix/body_matrix.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Relative to K_nn: a lower bound of l_1 and l_2, so that a singular S stays solvable. */
static const double hn_local_floor = 1e-13;
/* Relative difference of |p_t| and mu p_n that is rounding error, and a bound on the iterations. */
static const double hn_slide_rounding = 2e-15;
enum { HN_MAX_SLIDE_STEPS = 100 };

typedef struct hn_local {
  double mu, stick;  /* friction while sliding, and while sticking (mu or more) */
  double inv_normal; /* 1 / K_nn; 0: nothing can move, and p is left unchanged */
  double d[2];
  double l[2], inv_l[2]; /* the second is 0 in the plane */
  double s;              /* root of the last slide, the start of the next search */
} hn_local;

/* Prepares a contact from D, its diagonal block of n = 2 or 3 rows. TURN (c, s) returns the rotation to the
 * chosen tangents: t1' = c t1 + s t2, t2' = c t2 - s t1. */
static inline void hn_local_prepare(hn_local *local, const hn_set *set, int n, const double *D,
                                    double turn[2])
{
  *local = (hn_local){ .mu = set->mu, .stick = fmax(set->mu, set->mu_static) };
  turn[0] = 1.0, turn[1] = 0.0;
  if (!(D[0] > 0.0)) return;
  local->inv_normal = 1.0 / D[0];
  double b1 = D[n] * local->inv_normal, b2 = n > 2 ? D[2 * n] * local->inv_normal : 0.0;
  double S11 = D[n + 1] - b1 * D[n], S12 = n > 2 ? D[2 * n + 1] - b2 * D[n] : 0.0;
  double S22 = n > 2 ? D[2 * n + 2] - b2 * D[2 * n] : 0.0;
  if (n > 2 && S12 != 0.0) { /* Jacobi rotation */
    double theta = 0.5 * (S22 - S11) / S12;
    double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    turn[0] = 1.0 / sqrt(t * t + 1.0), turn[1] = -t * turn[0];
    S11 -= t * S12, S22 += t * S12;
  }
  local->d[0] = -(turn[0] * b1 + turn[1] * b2), local->d[1] = -(turn[0] * b2 - turn[1] * b1);
  local->l[0] = fmax(S11, hn_local_floor * D[0]), local->inv_l[0] = 1.0 / local->l[0];
  if (n > 2) local->l[1] = fmax(S22, hn_local_floor * D[0]), local->inv_l[1] = 1.0 / local->l[1];
}

/* Finds the root s and the impulse p of a sliding contact from c and z. */
static inline void hn_local_slide(hn_local *local, double c, const double z[2], double p[3])
{
  const double mu = local->mu, *d = local->d, *l = local->l;
  double low = 0.0, high = HUGE_VAL, s = local->s, size = 0.0, limit = 0.0;
  for (int step = 0; step < HN_MAX_SLIDE_STEPS; step++) {
    double e1 = 1.0 / (l[0] + s), e2 = 1.0 / (l[1] + s), next = HUGE_VAL;
    p[1] = z[0] * e1, p[2] = z[1] * e2;
    p[0] = c + d[0] * p[1] + d[1] * p[2];
    const double square = p[1] * p[1] + p[2] * p[2];
    size = sqrt(square), limit = mu * p[0];
    if (fabs(size - limit) <= hn_slide_rounding * size) break;
    *(size > limit ? &low : &high) = s;
    if (limit > 0.0) { /* derivatives of |p_t| (times |p_t|) and of mu p_n by s */
      double size_rate = -(p[1] * p[1] * e1 + p[2] * p[2] * e2),
             limit_rate = -mu * (d[0] * p[1] * e1 + d[1] * p[2] * e2);
      next = s + (size - limit) * square * limit / (limit_rate * square * size - size_rate * limit * limit);
    }
    if (!(next > low && next < high)) next = high < HUGE_VAL ? 0.5 * (low + high) : 2.0 * s + l[0] + l[1];
    if (next == s) break;
    s = next;
  }
  local->s = s;
  const double scale = size > 0.0 ? limit / size : 0.0;
  p[1] *= scale, p[2] *= scale;
}

/* Replaces p[n] by the solution, given the velocities V[n] at the old p. N is constant where this is
 * inlined. */
static inline void hn_local_solve(hn_local *local, int n, const double *v, double *p)
{
  const double mu = local->mu, stick = local->stick, *d = local->d;
  if (local->inv_normal == 0.0) return;
  const double c = p[0] - local->inv_normal * v[0] - d[0] * p[1] - (n > 2 ? d[1] * p[2] : 0.0);
  const double z[2] = { local->l[0] * p[1] - v[1] - d[0] * v[0],
                        n > 2 ? local->l[1] * p[2] - v[2] - d[1] * v[0] : 0.0 };
  p[0] = p[1] = 0.0;
  if (n > 2) p[2] = 0.0;
  if (c <= 0.0) return;
  const double t1 = z[0] * local->inv_l[0], t2 = n > 2 ? z[1] * local->inv_l[1] : 0.0;
  const double normal = n > 2 ? c + d[0] * t1 + d[1] * t2 : c + d[0] * t1;
  if (normal > 0.0 && t1 * t1 + t2 * t2 <= stick * stick * normal * normal) {
    p[0] = normal, p[1] = t1;
    if (n > 2) p[2] = t2;
  } else if (mu == 0.0) {
    p[0] = c;
  } else if (n == 2) {
    const double side = z[0] < 0.0 ? -mu : mu;
    p[0] = c / (1.0 - d[0] * side), p[1] = side * p[0];
  } else {
    double found[3];
    hn_local_slide(local, c, z, found);
    p[0] = found[0], p[1] = found[1], p[2] = found[2];
  }
}

#endif
