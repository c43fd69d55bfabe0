/* moment_block.c - see moment_block.h. */
#include "contact/pgs/moment_block.h"
#include "base/small.h"
#include "base/vec.h"
#include "contact/local_coulomb.h"
#include "contact/newton/alart_curnier.h"
#include "contact/newton/dense_lu.h"

#include <float.h>

/* Steps at most, and halvings of a step. */
enum { MAX_STEPS = 60, HALVINGS = 4 };
/* |F| that is rounding error, relative to the terms of its sums. */
static const double rounding = 4.0 * DBL_EPSILON;

/* A contact in the units of moment_block.h. */
typedef struct contact {
  hn_problem_block block; /* its set and number of rows */
  int n, count;
  hn_disc disc[HN_MAX_DISCS];
  double D[HN_MAX_ROWS * HN_MAX_ROWS], q[HN_MAX_ROWS];
  double k;              /* mean diagonal of D */
  double F[HN_MAX_ROWS]; /* at the last p */
} contact;

/* ---- Units --------------------------------------------------------------------------------------------- */

/* Returns the length l: sqrt of the mean diagonal of the tangents over that of the moments. */
static double find_length(int n, const double *D)
{
  double tangents = 0.5 * (D[n + 1] + D[2 * n + 2]), moments = 0.0;
  for (int i = 3; i < n; i++) moments += D[i * n + i] / (n - 3);
  return tangents > 0.0 && moments > 0.0 ? sqrt(tangents / moments) : 1.0;
}

/* Sets up the contact, with moments divided by LENGTH; P becomes its impulse. */
static void set_up(contact *c, const hn_set *set, int n, double length, const double *D, const double *v,
                   double *p)
{
  double unit[HN_MAX_ROWS], trace = 0.0;
  *c = (contact){ .block = { .n = n, .set = *set }, .n = n };
  c->block.set.mu_rolling /= length, c->block.set.mu_torsion /= length;
  c->count = hn_set_discs(&c->block.set, n, c->disc);
  for (int i = 0; i < n; i++) unit[i] = i < 3 ? 1.0 : length;
  for (int i = 0; i < n; i++) {
    p[i] /= unit[i], c->q[i] = v[i] * unit[i];
    for (int j = 0; j < n; j++) c->D[i * n + j] = D[i * n + j] * unit[i] * unit[j];
    trace += c->D[i * n + i];
  }
  for (int i = 0; i < n; i++) c->q[i] -= long_dot(c->D + i * n, p, n);
  c->k = trace / n;
}

/* ---- Newton's method ----------------------------------------------------------------------------------- */

static void find_velocities(const contact *c, const double *p, double *v)
{
  for (int i = 0; i < c->n; i++) v[i] = c->q[i] + long_dot(c->D + i * c->n, p, c->n);
}

/* Computes F at P, and unless A is NULL its derivatives; returns |F|. */
static double find_function(contact *c, const double *p, double *A, double *B)
{
  double v[HN_MAX_ROWS];
  find_velocities(c, p, v);
  hn_alart_function(NULL, &c->block, c->k, p, v, c->F, A, B);
  return norm_of(c->F, c->n);
}

/* Returns the largest sum of the absolute terms of a velocity at P, or k p. */
static double find_terms(const contact *c, const double *p)
{
  double largest = 0.0;
  for (int i = 0; i < c->n; i++) {
    double sum = fabs(c->q[i]);
    for (int j = 0; j < c->n; j++) sum += fabs(c->D[i * c->n + j] * p[j]);
    largest = fmax(largest, fmax(sum, c->k * fabs(p[i])));
  }
  return largest;
}

/* Computes Newton's step d; the floor on the diagonal of D keeps J regular where moments have no effect. */
static bool find_step(contact *c, const double *p, double *d)
{
  const int n = c->n;
  double A[HN_MAX_ROWS * HN_MAX_ROWS], B[HN_MAX_ROWS * HN_MAX_ROWS];
  find_function(c, p, A, B);
  for (int i = 0; i < n; i++) {
    d[i] = -c->F[i];
    for (int j = 0; j < n; j++) {
      double sum = A[i * n + j] + B[i * n + j] * hn_local_floor * c->k;
      for (int m = 0; m < n; m++) sum += B[i * n + m] * c->D[m * n + j];
      A[i * n + j] = sum;
    }
  }
  return hn_dense_eliminate(n, A, d) == HN_CONVERGED;
}

/* Moves P by Newton's step, halved until |F| is below BEFORE. Returns the new |F|, or BEFORE without a
 * step. */
static double move_by_step(contact *c, double before, double *p)
{
  double d[HN_MAX_ROWS], trial[HN_MAX_ROWS], t = 1.0;
  if (!find_step(c, p, d)) return before;
  for (int halving = 0; halving < HALVINGS; halving++, t *= 0.5) {
    for (int i = 0; i < c->n; i++) trial[i] = p[i] + t * d[i];
    const double after = find_function(c, trial, NULL, NULL);
    if (!(after < before)) continue;
    memcpy(p, trial, sizeof *p * (size_t)c->n);
    return after;
  }
  return before;
}

/* ---- Disc by disc -------------------------------------------------------------------------------------- */

/* Solves the normal and the rows of DISC exactly, with the other impulses fixed. */
static void solve_disc(const contact *c, const hn_disc *disc, double *p)
{
  const int n = c->n, m = disc->n + 1;
  double D[9], v[HN_MAX_ROWS], v_d[3], x[3], turn[2];
  int row[3] = { 0, disc->row, disc->row + 1 };
  hn_local local;
  find_velocities(c, p, v);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) D[i * m + j] = c->D[row[i] * n + row[j]];
  hn_local_prepare(&local, &(hn_set){ .kind = HN_CONE, .mu = disc->mu }, m, D, turn);
  for (int i = 0; i < m; i++) v_d[i] = v[row[i]], x[i] = p[row[i]];
  for (int side = 0; side < 2; side++) { /* to the tangents of `local`, and back */
    const double s = side ? -turn[1] : turn[1];
    double *const of[2] = { x, v_d };
    if (side == 1) hn_local_solve(&local, m, v_d, x);
    for (int i = 0; i < 2 && m == 3; i++) {
      const double one = of[i][1], two = of[i][2];
      of[i][1] = turn[0] * one + s * two, of[i][2] = turn[0] * two - s * one;
    }
  }
  for (int i = 0; i < m; i++) p[row[i]] = x[i];
}

/* ---- The solution -------------------------------------------------------------------------------------- */

void hn_moment_block_solve(const hn_set *set, int n, const double *D, const double *v, double *p)
{
  const double length = find_length(n, D);
  contact c;
  double best[HN_MAX_ROWS], least = HUGE_VAL;
  if (!(D[0] > 0.0)) return; /* nothing can move */
  set_up(&c, set, n, length, D, v, p);
  double size = find_function(&c, p, NULL, NULL);
  for (int step = 0;; step++) {
    if (size < least) least = size, memcpy(best, p, sizeof *p * (size_t)n);
    if (size <= rounding * find_terms(&c, p) || step == MAX_STEPS || !isfinite(size)) break;
    const double after = move_by_step(&c, size, p);
    if (after < size) {
      size = after;
      continue;
    }
    for (int d = 0; d < c.count; d++) solve_disc(&c, &c.disc[d], p);
    size = find_function(&c, p, NULL, NULL);
  }
  if (isfinite(least)) memcpy(p, best, sizeof *p * (size_t)n);
  hn_set_project(&c.block.set, n, 1.0, p);
  for (int i = 3; i < n; i++) p[i] *= length;
}
