/* impact_newton.c - Newton's method for the problems of an impact (impact_newton.h).
 *
 *   find p:  F = 0, by blocks, with s = k p - v, g = given
 *
 *   s_n <= 0: separates     k p_n = 0
 *   else                    v_n = 0
 *   |s_t| <= M: sticks      v_t = 0          M = mu (k g + max(s_n, 0))
 *   else: slides            k p_t - M s_t / |s_t| = 0
 *
 * That is Alart and Curnier's function, but for the normal impulse g, which has acted before: friction is
 * bounded by it where a contact separates as well. Blocks with g = 0 have their function itself
 * (alart_curnier.h). Regularisation, line search and end are those of the contact solver newton
 * (contact_newton.c), without its sweeps. The matrix is dense. Cost: count^3 / 3 for an iteration, with count
 * rows. */
#include "event/impact_newton.h"
#include "base/vec.h"
#include "contact/newton/alart_curnier.h"
#include "contact/newton/dense_lu.h"
#include "contact/newton/newton_policy.h"

#include <stdlib.h>
#include <string.h>

/* The method is not tried with more rows: a matrix of 32 MB. */
enum { MAX_COUNT = 2000, MAX_ITERATIONS = 100 };

int hn_impact_newton_setup(hn_impact_newton *w, const hn_system *s, hn_error *error)
{
  const size_t rows = (size_t)s->max_rows + 1, blocks = (size_t)s->max_blocks + 1;
  return hn_arrays_allocate(
    &w->arrays, error, HN_ARRAY(w->row, rows), HN_ARRAY(w->given, blocks), HN_ARRAY(w->mu, blocks),
    HN_ARRAY(w->scale, blocks), HN_ARRAY(w->takes_part, blocks), HN_ARRAY(w->p, rows), HN_ARRAY(w->v, rows),
    HN_ARRAY(w->F, rows), HN_ARRAY(w->d, rows), HN_ARRAY(w->v_d, rows), HN_ARRAY(w->trial, rows),
    HN_ARRAY(w->v_trial, rows), HN_ARRAY(w->A, 6 * rows), HN_ARRAY(w->B, 6 * rows), HN_ARRAY(w->x, rows));
}

void hn_impact_newton_free(hn_impact_newton *w)
{
  free(w->K), free(w->J);
  hn_arrays_free(&w->arrays);
}

/* ---- The function -------------------------------------------------------------------------------------- */

/* Sets row I of F of a block with friction that slides: k z - M e, with e = s_t / SIZE. A and B may be
 * NULL. */
static void set_to_friction(int n, int i, double mu, double k, bool closed, double most, double size,
                            const double *s, const double *p, double *F, double *A, double *B)
{
  const double e = s[i] / size;
  F[i] = k * p[i] - most * e;
  if (!A) return;
  A[i * n] = closed ? -mu * k * e : 0.0, B[i * n] = closed ? mu * e : 0.0;
  for (int c = 1; c < n; c++) {
    const double across = most / size * ((c == i) - e * s[c] / size);
    A[i * n + c] = (c == i ? k : 0.0) - k * across, B[i * n + c] = across;
  }
}

/* Computes F[n] of a block with friction MU and the impulse GIVEN, and its derivatives A and B unless NULL.
 * */
static void friction_function(int n, double mu, double k, double given, const double *p, const double *v,
                              double *F, double *A, double *B)
{
  double s[HN_MAX_ROWS] = { 0 };
  for (int i = 0; i < n; i++) s[i] = k * p[i] - v[i];
  for (int i = 0; i < n * n && A; i++) A[i] = B[i] = 0.0;
  const bool closed = s[0] > 0.0;
  const double most = mu * (k * given + (closed ? s[0] : 0.0)), size = norm_of(s + 1, n - 1);
  F[0] = closed ? v[0] : k * p[0];
  if (A) *(closed ? B : A) = closed ? 1.0 : k;
  for (int i = 1; i < n; i++) {
    if (size > most) {
      set_to_friction(n, i, mu, k, closed, most, size, s, p, F, A, B);
    } else {
      F[i] = v[i];
      if (A) B[i * n + i] = 1.0;
    }
  }
}

/* Computes F at P with the velocities V; returns |F|^2 / 2. DERIVE: A and B as well. */
static double evaluate(hn_impact_newton *w, const hn_problem *problem, const double *p, const double *v,
                       bool derive)
{
  double sum = 0.0;
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    const int row = block->row;
    double *A = derive ? w->A + 6 * (size_t)row : NULL, *B = w->B + 6 * (size_t)row, *F = w->F + row;
    if (!w->takes_part[k]) continue;
    if (w->given[k] > 0.0)
      friction_function(block->n, w->mu[k], w->scale[k], w->given[k], p + row, v + row, F, A, B);
    else hn_alart_function(problem, block, w->scale[k], p + row, v + row, F, A, B);
    for (int i = 0; i < block->n; i++) sum += 0.5 * F[i] * F[i];
  }
  return sum;
}

static double largest_of(const hn_impact_newton *w)
{
  double most = 0.0;
  for (int i = 0; i < w->count; i++)
    if (exceeds(fabs(w->F[w->row[i]]), most)) most = fabs(w->F[w->row[i]]);
  return most;
}

/* ---- The problem --------------------------------------------------------------------------------------- */

/* Makes room for matrices of w->count rows; false without memory. */
static bool make_room(hn_impact_newton *w)
{
  const size_t need = (size_t)w->count * (size_t)w->count;
  if (need > w->room) {
    free(w->K), free(w->J);
    w->K = malloc(need * sizeof *w->K), w->J = malloc(need * sizeof *w->J);
    w->room = w->K && w->J ? need : 0;
  }
  return w->room >= need && need > 0;
}

/* Lists the rows of the blocks that take part. */
static void list_rows(hn_impact_newton *w, const hn_problem *problem)
{
  w->count = 0;
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    w->scale[k] = hn_problem_scale(problem, k);
    for (int r = 0; w->takes_part[k] && r < block->n; r++) w->row[w->count++] = block->row + r;
  }
}

/* Adds the part of the velocities V that the impulses P share by w->share. */
static void add_share(const hn_impact_newton *w, const hn_problem *problem, const double *p, double *v)
{
  for (int k = 0; k < problem->nblock && w->share > 0.0; k++)
    for (int r = 0, i = problem->block[k].row; w->takes_part[k] && r < problem->block[k].n; r++, i++)
      v[i] += w->share * w->scale[k] * p[i];
}

/* Computes the velocities of IMPULSE, without those before it, into w->v_d. */
static void respond(hn_impact_newton *w, const hn_impact *d, const double *impulse)
{
  hn_problem_velocities(d->problem, impulse, d->work, w->v_d);
  for (int i = 0; i < d->problem->nrow; i++) w->v_d[i] -= d->problem->b[i];
}

bool hn_impact_newton_begin(hn_impact_newton *w, const hn_impact *d)
{
  list_rows(w, d->problem);
  if (w->count > MAX_COUNT || !make_room(w)) return false;
  memset(w->d, 0, sizeof *w->d * (size_t)d->problem->nrow);
  for (int j = 0; j < w->count; j++) {
    w->d[w->row[j]] = 1.0;
    respond(w, d, w->d);
    for (int i = 0; i < w->count; i++) w->K[i * w->count + j] = w->v_d[w->row[i]];
    w->d[w->row[j]] = 0.0;
  }
  return true;
}

/* ---- Newton's method ----------------------------------------------------------------------------------- */

/* Solves (A + B (K + e k)) d = -F with the regularisation E. False if it is singular. */
static bool find_step(hn_impact_newton *w, const hn_problem *problem, double e)
{
  const int count = w->count;
  int first = 0;
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    const int n = block->n;
    if (!w->takes_part[k]) continue;
    const double *A = w->A + 6 * (size_t)block->row, *B = w->B + 6 * (size_t)block->row;
    for (int r = 0; r < n; r++) {
      double *J = w->J + (size_t)(first + r) * (size_t)count;
      for (int j = 0; j < count; j++) J[j] = 0.0;
      for (int c = 0; c < n; c++) {
        const double *K = w->K + (size_t)(first + c) * (size_t)count, part = B[r * n + c];
        for (int j = 0; j < count && part != 0.0; j++) J[j] += part * K[j];
        J[first + c] += A[r * n + c] + part * e * w->scale[k];
      }
      w->x[first + r] = -w->F[block->row + r];
    }
    first += n;
  }
  if (hn_dense_eliminate(count, w->J, w->x) != HN_CONVERGED) return false;
  for (int i = 0; i < count; i++) w->d[w->row[i]] = w->x[i];
  return true;
}

/* Returns the smallest t at which block K, a cone, reaches its bound along d, or opens: with p + given in the
 * place of p, that is the change of a contact. */
static double mode_change(const hn_impact_newton *w, const hn_problem *problem, int k)
{
  const int row = problem->block[k].row, n = problem->block[k].n;
  const double *p = w->p + row, *v = w->v + row, *d = w->d + row, *v_d = w->v_d + row, scale = w->scale[k];
  const bool closed = scale * p[0] - v[0] > 0.0;
  hn_problem_block block = problem->block[k];
  double p2[3] = { w->given[k] + (closed ? p[0] : 0.0) }, d2[3] = { closed ? d[0] : 0.0 };
  double v2[3] = { 0.0 }, v_d2[3] = { 0.0 };
  for (int r = 1; r < n; r++) p2[r] = p[r], d2[r] = d[r], v2[r] = v[r], v_d2[r] = v_d[r];
  block.set.mu = w->mu[k];
  return hn_alart_mode_change(&block, scale, p2, v2, d2, v_d2);
}

/* Moves p by T d if |F|^2 / 2 is at most LIMIT there; else returns false. */
static bool try_step(hn_impact_newton *w, const hn_problem *problem, double t, double limit)
{
  for (int i = 0; i < problem->nrow; i++)
    w->trial[i] = w->p[i] + t * w->d[i], w->v_trial[i] = w->v[i] + t * w->v_d[i];
  if (!(evaluate(w, problem, w->trial, w->v_trial, false) <= limit)) return false;
  memcpy(w->p, w->trial, sizeof *w->p * (size_t)problem->nrow);
  return true;
}

/* Moves p along d to where |F|^2 / 2 is below LARGEST, the maximum of the last iterations; false if it is
 * nowhere. TO_MODE_CHANGE: tries the step to the first change of friction first, where redundant contacts
 * contradict each other. */
static bool search(hn_impact_newton *w, const hn_impact *d, bool to_mode_change, double largest)
{
  const hn_problem *problem = d->problem;
  double change = HUGE_VAL;
  respond(w, d, w->d);
  add_share(w, problem, w->d, w->v_d);
  for (int k = 0; k < problem->nblock && to_mode_change; k++)
    if (w->takes_part[k] && problem->block[k].set.kind == HN_CONE && problem->block[k].n <= 3)
      change = fmin(change, mode_change(w, problem, k));
  if (change <= 1.0 && try_step(w, problem, change, largest)) return true;
  for (double t = 1.0; t > 0.0; t = hn_newton_shorter_step(t))
    if (try_step(w, problem, t, hn_newton_merit_limit(t, largest))) return true;
  return false;
}

/* True if p solves the problem within TOLERANCE; F, A and B are computed, and MERIT = |F|^2 / 2. */
static bool is_solved(hn_impact_newton *w, const hn_impact *d, double tolerance, double *merit)
{
  hn_problem_velocities(d->problem, w->p, d->work, w->v);
  add_share(w, d->problem, w->p, w->v);
  *merit = evaluate(w, d->problem, w->p, w->v, true);
  return largest_of(w) <= tolerance;
}

bool hn_impact_newton_iterate(hn_impact_newton *w, const hn_impact *d, double tolerance)
{
  hn_newton_progress run = hn_newton_progress_start(0, false);
  double merit;
  for (int i = 0; i < MAX_ITERATIONS; i++) {
    if (is_solved(w, d, tolerance, &merit)) return true;
    const double largest = hn_newton_remember_merit(&run, merit);
    const double e = fmax(hn_newton_regularisation(run.state), w->least_regularisation);
    const bool moves = !hn_newton_stagnates(&run) && find_step(w, d->problem, e) &&
                       search(w, d, run.state == HN_NEWTON_WEAK, largest);
    if (!moves) hn_newton_fail(&run, largest_of(w));
    if (run.state == HN_NEWTON_STALLED) return false;
  }
  return false;
}

/* Moves p into the sets: p_n >= 0, |p_t| <= mu (g + p_n). */
static void project(hn_impact_newton *w, const hn_problem *problem)
{
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    double *p = w->p + block->row;
    if (w->given[k] > 0.0) {
      p[0] = fmax(p[0], 0.0);
      const double most = w->mu[k] * (w->given[k] + p[0]), size = norm_of(p + 1, block->n - 1);
      for (int r = 1; r < block->n && size > most; r++) p[r] *= most / size;
    } else if (w->takes_part[k]) {
      hn_set_project(&block->set, block->n, problem->h, p);
    }
  }
}

bool hn_impact_newton_end(hn_impact_newton *w, const hn_impact *d, double tolerance)
{
  double merit;
  project(w, d->problem);
  return is_solved(w, d, tolerance, &merit);
}
