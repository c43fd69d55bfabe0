/* prox_step.c - a proximal step: the zero of R(p) = p - P(q), q = c - (K p + b) / (alpha k), by Newton's
 * method (see prox.c).
 *
 *   (alpha k + P' K) d = -alpha k R,   p := p + t d
 *
 * P' is the derivative of P at q. Where all radii of friction are fixed, R is the gradient of a convex
 * function in the metric of K, whose slope along d is K d . R. This gives the line search, which no merit of
 * R alone does as well: t = 1 if it halves the energy R . K R; else t is halved towards a change of sign of
 * the slope, as long as the energy grows to no more than 4 times the largest of the last four iterations and
 * 5 times the smallest of all. Where d is no such direction, that with the radii fixed is one: there P' is
 * symmetric.
 *
 * [the semismooth method: Qi and Sun, Math. Program. 58 (1993) 353; the convex function is the augmented
 * Lagrangian of Alart and Curnier 1991] */
#include "contact/prox/prox_step.h"
#include "base/vec.h"

#include <string.h>

/* Accuracy of a step, relative to the error of the law at its start, and to the tolerance. */
static const double step_accuracy = 0.3, tolerance_accuracy = 0.1;
/* Iterations at most, and those without half of the smallest change so far after which the step fails. */
enum { PATIENCE = 8, MOST_ITERATIONS = 25 };
/* Energies of the last iterations whose maximum may grow by energy_growth, and the smallest one by
 * best_growth. */
enum { ENERGIES = 4 };
static const double energy_growth = 4.0, best_growth = 5.0;
/* Decrease of the energy that makes any step acceptable, and of the slope. */
static const double good_decrease = 0.5, slope_decrease = 0.5;
/* Halvings of a step of Newton's method, and of one with fixed radii. */
enum { NEWTON_HALVINGS = 5, FIXED_HALVINGS = 30 };

/* ---- The projection ------------------------------------------------------------------------------------ */

/* P of a cone with friction: q_n if positive, and q_d within the radius mu_d P_n for each disc. */
static void project_cone(const hn_set *set, int n, const double *q, double *P)
{
  hn_disc disc[HN_MAX_DISCS];
  const int count = hn_set_discs(set, n, disc);
  P[0] = fmax(q[0], 0.0);
  for (int d = 0; d < count; d++) {
    const double size = norm_of(q + disc[d].row, disc[d].n), radius = disc[d].mu * P[0];
    for (int i = disc[d].row; i < disc[d].row + disc[d].n; i++)
      P[i] = size > radius ? q[i] * (radius / size) : q[i];
  }
}

/* Sets the rows of a disc in its derivative D, n x n by rows, where q_n > 0. */
static void derive_disc(const hn_disc *disc, int n, const double *q, double *D)
{
  const int end = disc->row + disc->n;
  const double mu = disc->mu, size = norm_of(q + disc->row, disc->n), ratio = mu * q[0] / size;
  for (int i = disc->row; i < end; i++) {
    if (size <= mu * q[0]) {
      D[i * n + i] = 1.0;
      continue;
    }
    D[i * n] = mu * q[i] / size;
    for (int j = disc->row; j < end; j++) D[i * n + j] = ratio * ((i == j) - q[i] / size * (q[j] / size));
  }
}

static void derive_cone(const hn_set *set, int n, const double *q, double *D)
{
  hn_disc disc[HN_MAX_DISCS];
  const int count = hn_set_discs(set, n, disc);
  if (!(q[0] > 0.0)) return;
  D[0] = 1.0;
  for (int d = 0; d < count; d++) derive_disc(&disc[d], n, q, D);
}

/* Computes P of BLOCK, and unless D is NULL its derivative. */
static void project(const hn_problem *problem, const hn_problem_block *block, const double *q, double *P,
                    double *D)
{
  const int n = block->n;
  const bool cone = block->set.kind == HN_CONE;
  if (cone) project_cone(&block->set, n, q, P);
  else memcpy(P, q, sizeof *P * (size_t)n), hn_set_project(&block->set, n, problem->h, P);
  if (!D) return;
  memset(D, 0, sizeof *D * (size_t)(n * n));
  if (cone) derive_cone(&block->set, n, q, D);
  for (int i = 0; i < n && !cone; i++) D[i * n + i] = P[i] == q[i];
}

/* Computes P(q) and R at P with velocities V. DERIVE: the matrices of hn_newton_step as well. */
static void compute_residual(hn_prox *s, const hn_problem *problem, const double *p, const double *v,
                             bool derive)
{
  hn_newton *newton = &s->newton;
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    const int n = block->n, row = block->row;
    const double factor = s->alpha * newton->scale[k];
    double q[HN_MAX_ROWS], *A = newton->A + 6 * (size_t)row, *B = newton->B + 6 * (size_t)row;
    for (int i = 0; i < n; i++) q[i] = s->center[row + i] - v[row + i] / factor;
    project(problem, block, q, s->P + row, derive ? B : NULL);
    for (int i = row; i < row + n; i++) s->R[i] = p[i] - s->P[i];
    if (!derive) continue;
    newton->fixed[k] = true;
    for (int i = 0; i < n * n; i++) A[i] = i % (n + 1) == 0 ? factor : 0.0, newton->fixed[k] &= B[i] == 0.0;
    for (int i = row; i < row + n; i++) newton->F[i] = factor * s->R[i];
  }
}

/* ---- Line search --------------------------------------------------------------------------------------- */

static double dot(const double *a, const double *b, int n)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* Computes K x. */
static void multiply(hn_prox *s, const hn_problem *problem, const double *x, double *result)
{
  hn_problem_velocities(problem, x, s->newton.u, result);
  for (int i = 0; i < problem->nrow; i++) result[i] -= problem->b[i];
}

typedef struct point {
  double slope, energy; /* K d . R and R . K R */
} point;

/* Returns the slope and the energy at p + T d. */
static point point_at(hn_prox *s, const hn_problem *problem, const double *p, double t)
{
  hn_newton *newton = &s->newton;
  for (int i = 0; i < problem->nrow; i++)
    newton->trial[i] = p[i] + t * newton->d[i], newton->v_trial[i] = newton->v[i] + t * newton->v_d[i];
  compute_residual(s, problem, newton->trial, newton->v_trial, false);
  multiply(s, problem, s->R, s->v_R);
  return (point){ dot(newton->v_d, s->R, problem->nrow), dot(s->R, s->v_R, problem->nrow) };
}

/* Returns t, or 0 if none of at most HALVINGS halvings is acceptable. NOW is the slope and energy at t = 0,
 * MOST the largest energy. */
static double search(hn_prox *s, const hn_problem *problem, const double *p, double now, double energy,
                     double most, int halvings)
{
  point at = point_at(s, problem, p, 1.0);
  double t = 1.0, low = 0.0, high = 1.0;
  if (at.energy <= good_decrease * energy) return t;
  if (!(now < 0.0)) return 0.0;
  for (int i = 0; i < halvings; i++) {
    const bool before = at.slope <= 0.0 && at.energy <= most; /* the change of sign is beyond t */
    if (at.energy <= most &&
        (t == 1.0 ? at.slope <= -slope_decrease * now : fabs(at.slope) <= -slope_decrease * now))
      return t;
    *(before ? &low : &high) = t;
    t = 0.5 * (low + high);
    at = point_at(s, problem, p, t);
  }
  return at.energy <= most && fabs(at.slope) <= -now ? t : 0.0;
}

/* Makes P' symmetric, as with fixed radii. */
static void fix_radii(hn_prox *s, const hn_problem *problem)
{
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    for (int i = 1; i < block->n && block->set.kind == HN_CONE; i++)
      s->newton.B[6 * (size_t)block->row + (size_t)(i * block->n)] = 0.0;
  }
}

/* Moves P by an iteration of Newton's method. ENERGY: its energy, MOST: the largest one allowed. */
static hn_reason iterate(hn_contact_solver *solver, const hn_problem *problem, double energy, double most,
                         double *p)
{
  hn_prox *s = solver->data;
  hn_newton *newton = &s->newton;
  double t = 0.0;
  for (int fixed = 0; fixed < 2 && t == 0.0; fixed++) {
    compute_residual(s, problem, p, newton->v, true);
    if (fixed) fix_radii(s, problem);
    hn_reason reason = hn_newton_step(solver, newton, problem);
    if (reason != HN_CONVERGED) return reason;
    multiply(s, problem, newton->d, newton->v_d);
    const double slope = dot(newton->v_d, s->R, problem->nrow);
    t = search(s, problem, p, slope, energy, most, fixed ? FIXED_HALVINGS : NEWTON_HALVINGS);
  }
  if (t == 0.0) return HN_STALLED;
  for (int i = 0; i < problem->nrow; i++) p[i] += t * newton->d[i], newton->v[i] += t * newton->v_d[i];
  return HN_CONVERGED;
}

/* ---- The step ------------------------------------------------------------------------------------------ */

/* State of a step. */
typedef struct progress {
  double energy[ENERGIES]; /* of the last iterations, cyclic */
  double least;            /* energy */
  double smallest;         /* change, m/s */
  int iteration, stagnation;
} progress;

/* Stores the ENERGY of an iteration; returns the largest one that the next may have. */
static double remember_energy(progress *run, double energy)
{
  double largest = 0.0;
  run->energy[run->iteration % ENERGIES] = energy;
  for (int i = 0; i < ENERGIES && i <= run->iteration; i++) largest = fmax(largest, run->energy[i]);
  run->least = fmin(run->least, energy);
  return fmin(energy_growth * largest, best_growth * run->least);
}

/* True if the change of velocities has not halved for so long that the step fails. */
static bool stagnates(progress *run, double change)
{
  if (change < 0.5 * run->smallest) run->smallest = change, run->stagnation = 0;
  else run->stagnation++;
  return run->stagnation >= PATIENCE || ++run->iteration > MOST_ITERATIONS;
}

/* Takes P(q) as the result. */
static hn_reason finish(hn_prox *s, const hn_problem *problem, double *p)
{
  memcpy(p, s->P, sizeof *p * (size_t)problem->nrow);
  hn_problem_velocities(problem, p, s->newton.u, s->newton.v);
  return HN_CONVERGED;
}

hn_reason hn_prox_step(hn_contact_solver *solver, const hn_problem *problem, double law, double *p)
{
  hn_prox *s = solver->data;
  const double tolerance = solver->options.tolerance;
  progress run = { .least = HUGE_VAL, .smallest = HUGE_VAL };
  memcpy(s->center, p, sizeof *p * (size_t)problem->nrow);
  for (;;) {
    if (hn_stopped(solver->stop)) return HN_INTERRUPTED;
    if (solver->iterations >= solver->options.iterations) return HN_BUDGET;
    compute_residual(s, problem, p, s->newton.v, false);
    multiply(s, problem, s->R, s->v_R);
    double change = 0.0;
    for (int i = 0; i < problem->nrow; i++) {
      change = fmax(change, fabs(s->v_R[i]));
      s->newton.v_trial[i] = s->newton.v[i] - s->v_R[i];
    }
    hn_contact_note(solver, hn_rows_error(problem, s->newton.scale, false, s->P, s->newton.v_trial));
    if (solver->error <= tolerance || change <= fmax(tolerance_accuracy * tolerance, step_accuracy * law))
      return finish(s, problem, p);
    const double energy = dot(s->R, s->v_R, problem->nrow), most = remember_energy(&run, energy);
    if (!isfinite(energy) || stagnates(&run, change)) return HN_STALLED;
    hn_reason reason = iterate(solver, problem, energy, most, p);
    if (reason != HN_CONVERGED) return reason;
  }
}
