/* sap_block.c - the impulse of one regularised block (see sap_block.h).
 *
 * y = -R^-1 v. A row gets y, cut to its bounds. A cone gets, with m = mu R_t / R_n and a = 1 + mu m:
 *
 *   stick   |y_t| <= mu y_n     g = y
 *   open    y_n <= -m |y_t|     g = 0
 *   slide   else                g_n = (y_n + m |y_t|) / a,  g_t = mu g_n t,  t = y_t / |y_t|
 *
 * which is the point of the cone nearest to y in the norm of R. Where it slides,
 *
 *   -dg / dv = c c' / (a R_n) + mu g_n / (|y_t| R_t) (1 - t t') on the tangents,   c = (1, mu t)
 *
 * [Castro, Permenter and Han 2022, section IV.B] */
#include "contact/sap/sap_block.h"
#include "base/vec.h"

#include <string.h>

hn_sap_rates hn_sap_rates_of(const hn_contact_law *law, const hn_set *set, double k)
{
  const bool contact = set->kind == HN_CONE || set->kind == HN_PUSH;
  return (hn_sap_rates){ k * (contact ? law->normal : law->joint), k * law->tangent };
}

/* Computes g of rows with bounds. */
static void solve_rows(const hn_set *set, int n, double h, double R, const double *v, double *g, double *Q)
{
  double lower, upper;
  hn_set_bounds(set, h, &lower, &upper);
  for (int i = 0; i < n; i++) {
    const double y = -v[i] / R;
    g[i] = y < lower ? lower : y > upper ? upper : y;
    if (g[i] == y) Q[i * n + i] = 1.0 / sqrt(R);
  }
}

/* Computes g and Q of a sliding contact. */
static void slide(double mu, int n, hn_sap_rates R, const double *y, double *g, double *Q)
{
  const double size = norm_of(y + 1, n - 1), m = mu * R.tangent / R.normal, a = 1.0 + mu * m;
  const double along = 1.0 / sqrt(a * R.normal);
  g[0] = (y[0] + m * size) / a;
  Q[0] = along;
  for (int i = 1; i < n; i++) {
    const double t = y[i] / size;
    g[i] = mu * g[0] * t, Q[i * n] = along * mu * t;
  }
  if (n < 3) return;
  const double across = sqrt(mu * g[0] / (size * R.tangent));
  Q[n + 1] = -across * y[2] / size, Q[2 * n + 1] = across * y[1] / size;
}

void hn_sap_block(const hn_set *set, int n, double h, hn_sap_rates R, const double *v, double *g, double *Q)
{
  const double mu = set->mu;
  double y[HN_MAX_ROWS];
  memset(Q, 0, sizeof *Q * (size_t)(n * n)), memset(g, 0, sizeof *g * (size_t)n);
  if (set->kind != HN_CONE) {
    solve_rows(set, n, h, R.normal, v, g, Q);
    return;
  }
  for (int i = 0; i < n; i++) y[i] = -v[i] / (i == 0 ? R.normal : R.tangent);
  const double size = norm_of(y + 1, n - 1);
  if (y[0] <= -mu * R.tangent / R.normal * size) return;
  if (mu > 0.0 && size <= mu * y[0]) {
    memcpy(g, y, sizeof *g * (size_t)n);
    for (int i = 0; i < n; i++) Q[i * n + i] = 1.0 / sqrt(i == 0 ? R.normal : R.tangent);
  } else if (size > 0.0) slide(mu, n, R, y, g, Q);
  else g[0] = y[0], Q[0] = 1.0 / sqrt(R.normal);
}
