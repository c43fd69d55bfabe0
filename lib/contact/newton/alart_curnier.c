/* alart_curnier.c - Alart and Curnier's function of a block (see alart_curnier.h). */
#include "contact/newton/alart_curnier.h"
#include "base/vec.h"

/* Sets F = v for COUNT rows from R on, and A = 0, B = 1 there. A and B may be NULL. */
static void set_to_velocity(int n, int r, int count, const double *v, double *F, double *A, double *B)
{
  for (int i = r; i < r + count; i++) {
    F[i] = v[i];
    if (!A) continue;
    for (int c = 0; c < n; c++) A[i * n + c] = 0.0, B[i * n + c] = c == i;
  }
}

/* Sets F = k (p - value) for COUNT rows from R on, and A = k, B = 0 there. Returns true: F depends on p
 * alone. */
static bool set_to_impulse(int n, int r, int count, double k, double value, const double *p, double *F,
                           double *A, double *B)
{
  for (int i = r; i < r + count; i++) {
    F[i] = k * (p[i] - value);
    if (!A) continue;
    for (int c = 0; c < n; c++) A[i * n + c] = c == i ? k : 0.0, B[i * n + c] = 0.0;
  }
  return true;
}

/* Sets F = k p_t - mu z_n z_t / |z_t| in the tangents of a sliding contact, Z = k p - v, and A and B
 * there. */
static void set_to_friction(double mu, int n, double k, const double *z, const double *p, double *F,
                            double *A, double *B)
{
  const double size = norm_of(z + 1, n - 1), ratio = mu * z[0] / size;
  for (int i = 1; i < n; i++) {
    const double e = z[i] / size;
    F[i] = k * p[i] - mu * z[0] * e;
    if (!A) continue;
    A[i * n] = -mu * k * e, B[i * n] = mu * e;
    for (int c = 1; c < n; c++) {
      const double across = ratio * ((c == i) - e * z[c] / size);
      A[i * n + c] = (c == i ? k : 0.0) - k * across, B[i * n + c] = across;
    }
  }
}

bool hn_alart_function(const hn_problem *problem, const hn_problem_block *block, double k, const double *p,
                       const double *v, double *F, double *A, double *B)
{
  const int n = block->n;
  double lower, upper, z[HN_MAX_ROWS] = { 0 };
  bool fixed = block->set.kind != HN_ANY;
  for (int i = 0; i < n; i++) z[i] = k * p[i] - v[i];
  if (block->set.kind == HN_CONE) {
    const double mu = block->set.mu, across = norm_of(z + 1, n - 1);
    if (z[0] <= 0.0) return set_to_impulse(n, 0, n, k, 0.0, p, F, A, B);
    set_to_velocity(n, 0, n, v, F, A, B);
    if (across > mu * z[0]) set_to_friction(mu, n, k, z, p, F, A, B);
    return false;
  }
  hn_set_bounds(&block->set, problem->h, &lower, &upper);
  for (int i = 0; i < n; i++)
    if (z[i] < k * lower) set_to_impulse(n, i, 1, k, lower, p, F, A, B);
    else if (z[i] > k * upper) set_to_impulse(n, i, 1, k, upper, p, F, A, B);
    else set_to_velocity(n, i, 1, v, F, A, B), fixed = false;
  return fixed;
}

/* Returns the smallest root t > 0 of a t^2 + 2 b t + c for c < 0, or HUGE_VAL. */
static double first_root(double a, double b, double c)
{
  const double t = -c / (b + sqrt(fmax(b * b - a * c, 0.0)));
  return c < 0.0 && t > 0.0 ? t : HUGE_VAL;
}

double hn_alart_mode_change(const hn_problem_block *block, double k, const double *p, const double *v,
                            const double *d, const double *v_d)
{
  const double mu = block->set.mu, z_n = k * p[0] - v[0], d_n = k * d[0] - v_d[0];
  const double z_t[2] = { k * p[1] - v[1], block->n > 2 ? k * p[2] - v[2] : 0.0 };
  if (!(z_n > 0.0)) return HUGE_VAL; /* open */
  /* sliding: z_n = 0; sticking: |p_t + t d_t| = mu (p_n + t d_n) */
  if (norm_of(z_t, 2) > mu * z_n) return d_n < 0.0 ? -z_n / d_n : HUGE_VAL;
  double a = -mu * mu * d[0] * d[0], b = -mu * mu * p[0] * d[0], c = -mu * mu * p[0] * p[0];
  for (int i = 1; i < block->n; i++) a += d[i] * d[i], b += p[i] * d[i], c += p[i] * p[i];
  return first_root(a, b, c);
}
