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

/* Sets F = k p_d - mu_d z_n z_d / |z_d| in the rows of a disc that slides, and A and B there. Z = k p - v and
 * SIZE = |z_d|. */
static void set_to_friction(const hn_disc *disc, int n, double k, double size, const double *z,
                            const double *p, double *F, double *A, double *B)
{
  const int end = disc->row + disc->n;
  const double mu = disc->mu, ratio = mu * z[0] / size;
  for (int i = disc->row; i < end; i++) {
    const double e = z[i] / size;
    F[i] = k * p[i] - mu * z[0] * e;
    if (!A) continue;
    A[i * n] = -mu * k * e, B[i * n] = mu * e;
    for (int c = disc->row; c < end; c++) {
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
    hn_disc disc[HN_MAX_DISCS];
    const int count = hn_set_discs(&block->set, n, disc);
    if (z[0] <= 0.0) return set_to_impulse(n, 0, n, k, 0.0, p, F, A, B);
    set_to_velocity(n, 0, n, v, F, A, B);
    for (int d = 0; d < count; d++) {
      const double across = norm_of(z + disc[d].row, disc[d].n);
      if (across > disc[d].mu * z[0]) set_to_friction(&disc[d], n, k, across, z, p, F, A, B);
    }
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

/* Returns the smallest t > 0 at which a disc that sticks reaches its bound, or one that slides opens with
 * z_n = Z_N + t D_N. */
static double disc_mode_change(const hn_disc *disc, double k, double z_n, double d_n, const double *p,
                               const double *v, const double *d)
{
  const double mu = disc->mu;
  double z[2] = { 0.0 };
  for (int i = 0; i < disc->n; i++) z[i] = k * p[disc->row + i] - v[disc->row + i];
  /* sliding: z_n = 0; sticking: |p_d + t d_d| = mu (p_n + t d_n) */
  if (norm_of(z, 2) > mu * z_n) return d_n < 0.0 ? -z_n / d_n : HUGE_VAL;
  double a = -mu * mu * d[0] * d[0], b = -mu * mu * p[0] * d[0], c = -mu * mu * p[0] * p[0];
  for (int i = disc->row; i < disc->row + disc->n; i++) a += d[i] * d[i], b += p[i] * d[i], c += p[i] * p[i];
  return first_root(a, b, c);
}

double hn_alart_mode_change(const hn_problem_block *block, double k, const double *p, const double *v,
                            const double *d, const double *v_d)
{
  hn_disc disc[HN_MAX_DISCS];
  const int count = hn_set_discs(&block->set, block->n, disc);
  const double z_n = k * p[0] - v[0], d_n = k * d[0] - v_d[0];
  double first = HUGE_VAL;
  if (!(z_n > 0.0)) return first; /* open */
  for (int i = 0; i < count; i++) first = fmin(first, disc_mode_change(&disc[i], k, z_n, d_n, p, v, d));
  return first;
}
