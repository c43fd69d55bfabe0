/* stage_multipliers.c - multipliers of a stage of a half-explicit Runge-Kutta method.
 *
 * They are the solution of h A_{i,i-1} G_i W_{i-1} G_{i-1}' lambda = -r, found to velocity_tolerance by the
 * iteration z = K_i^-1 r. If `iterations` are not enough, or r diverges, as many further corrections are
 * combined to minimise r: generalised conjugate residuals over the last few of them, or Orthodir where these
 * stagnate. [eisenstat1983, young1980] */
#include "half_explicit/stage_multipliers.h"
#include "base/small.h"
#include "redundant/policy.h"

#include <math.h>
#include <string.h>

/* Part of the squared norm of an image that must be independent of the others, with and without progress. */
static const double min_independent = 0.01, min_independent_stalled = 1e-10;
/* Part of the squared residual that a correction must remove to count as progress. */
static const double good_progress = 0.1;

void hn_half_explicit_swap_T(hn_solver *solver)
{
  hn_half_explicit *d = solver->data;
  double *T = solver->system->T;
  solver->system->T = d->T_previous;
  d->T_previous = T;
}

void hn_half_explicit_combine(const hn_half_explicit *d, int i, double h, size_t from, size_t to, double *out)
{
  const double *start = (const double *)d->start->pose;
  for (size_t k = from; k < to; k++) {
    double sum = 0.0;
    for (int j = 0; j < i; j++) sum += d->method->A[i][j] * d->rate[j][k];
    out[k] = start[k] + h * sum;
  }
}

/* Computes the velocities of stage i without the multipliers of stage i - 1. */
static void free_velocities(hn_half_explicit *d, int i, double h)
{
  const size_t bodies = (size_t)d->stage->nbody;
  hn_half_explicit_combine(d, i, h, 7 * bodies, 13 * bodies, (double *)d->stage->pose);
}

/* Applies WEIGHT times the impulses p to STATE, with W G' of the stage before. */
static void apply_at_previous(hn_solver *solver, const double *p, double weight, hn_state *state)
{
  hn_half_explicit_swap_T(solver);
  hn_system_apply(solver->system, p, weight, state);
  hn_half_explicit_swap_T(solver);
}

/* Computes a += s b. */
static void add_scaled(double *a, double s, const double *b, int n)
{
  for (int i = 0; i < n; i++) a[i] += s * b[i];
}

/* Orthogonalises the image of correction number COUNT to those of FIRST to COUNT - 1. Returns FIRST, or COUNT
 * if hardly anything is left: then the residual is round-off or the space is exhausted, and a new sequence
 * starts. */
static int orthogonalise(hn_half_explicit *d, int first, int count, int n)
{
  const int k = count % HN_DIRECTIONS;
  const double full = long_dot(d->image[k], d->image[k], n);
  double part[HN_DIRECTIONS], rest = full;
  if (first <= count - HN_DIRECTIONS) first = count - HN_DIRECTIONS + 1;
  for (int j = first; j < count; j++) {
    part[j % HN_DIRECTIONS] = long_dot(d->image[k], d->image[j % HN_DIRECTIONS], n) /
                              d->square[j % HN_DIRECTIONS];
    rest -= part[j % HN_DIRECTIONS] * part[j % HN_DIRECTIONS] * d->square[j % HN_DIRECTIONS];
  }
  const double smallest = d->progresses ? min_independent : min_independent_stalled;
  if (!(rest > smallest * full)) first = count;
  for (int j = first; j < count; j++) {
    add_scaled(d->image[k], -part[j % HN_DIRECTIONS], d->image[j % HN_DIRECTIONS], n);
    add_scaled(d->z[k], -part[j % HN_DIRECTIONS], d->z[j % HN_DIRECTIONS], n);
  }
  d->square[k] = long_dot(d->image[k], d->image[k], n);
  return first;
}

/* Computes correction number COUNT, z = K^-1 r, and its image, both orthogonalised to those from FIRST on. If
 * the last correction made little progress, K^-1 r would be the same again, so its image is used in place of
 * r. */
static hn_reason find_direction(hn_solver *solver, int *first, int count, double weight)
{
  hn_half_explicit *d = solver->data;
  hn_system *s = solver->system;
  const int n = s->model->nrow, k = count % HN_DIRECTIONS;
  hn_state motion = { .nbody = d->stage->nbody, .twist = d->push };
  const bool by_residual = d->progresses || count == *first;
  hn_reason reason = hn_system_solve(s, by_residual ? d->right : d->image[(count - 1) % HN_DIRECTIONS],
                                     d->z[k]);
  if (reason != HN_CONVERGED) return reason;
  memset(d->push, 0, sizeof *d->push * (size_t)motion.nbody);
  apply_at_previous(solver, d->z[k], weight, &motion);
  hn_system_velocity_residual(s, &motion, d->image[k], NULL);
  for (int i = 0; i < n; i++) d->image[k][i] -= s->bias[i];
  *first = orthogonalise(d, *first, count, n);
  return HN_CONVERGED;
}

/* Records why the multipliers of a stage were not found. With redundant rows the iteration stalls on their
 * conflict; a policy that finds conflicting constraints reports them itself. */
static hn_reason stage_failed(hn_solver *solver, hn_reason reason, int worst, double residual, int iteration)
{
  const hn_redundant *policy = solver->system->parts->redundant;
  if (reason == HN_STALLED && policy && (policy->ndropped > 0 || policy->ngroup > 1) && isfinite(residual))
    return hn_step_failed(solver, HN_UNSUPPORTED,
                          "a stage off the joints, where redundant rows contradict each other", worst,
                          residual);
  if (reason == HN_STALLED)
    return hn_step_stalled(solver, "multipliers of a stage", worst, residual, iteration);
  return hn_step_failed(solver, reason, "multipliers of a stage", worst, residual);
}

/* Restarts from zero multipliers after the plain iteration has diverged. */
static void restart_without_multipliers(hn_solver *solver, int i, double h)
{
  hn_half_explicit *d = solver->data;
  const size_t rows = (size_t)solver->system->model->nrow;
  free_velocities(d, i, h);
  memset(d->lambda, 0, sizeof *d->lambda * rows);
  memset(d->change, 0, sizeof *d->change * rows);
}

hn_reason hn_half_explicit_multipliers(hn_solver *solver, int i, double h)
{
  hn_half_explicit *d = solver->data;
  hn_system *s = solver->system;
  const double weight = h * d->method->A[i][i - 1];
  const int n = s->model->nrow, limit = d->projection.iterations;
  hn_state acceleration = { .nbody = d->stage->nbody,
                            .twist = (hn_twist *)(d->rate[i - 1] + 7 * d->stage->nbody) };
  memcpy(d->change, d->lambda, sizeof *d->change * (size_t)n);
  free_velocities(d, i, h);
  d->progresses = true;
  for (int iteration = 0, first = limit;; iteration++) {
    const bool plain = iteration < limit;
    int worst;
    apply_at_previous(solver, d->change, weight, d->stage);
    double residual = hn_system_velocity_residual(s, d->stage, d->right, &worst);
    if (residual <= d->velocity_tolerance) break;
    if (plain && residual >= HUGE_RESIDUAL && isfinite(residual)) {
      restart_without_multipliers(solver, i, h);
      iteration = limit - 1;
      continue;
    }
    if (iteration == 2 * limit || !(residual < HUGE_RESIDUAL))
      return stage_failed(solver, HN_STALLED, worst, residual, iteration);
    hn_reason reason = plain ? hn_system_solve(s, d->right, d->right)
                             : find_direction(solver, &first, iteration, weight);
    if (reason != HN_CONVERGED) return stage_failed(solver, reason, worst, residual, iteration);
    const int k = iteration % HN_DIRECTIONS;
    const double step = !plain && d->square[k] > 0.0 ? -long_dot(d->right, d->image[k], n) / d->square[k]
                                                     : 0.0;
    if (!plain) d->progresses = step * step * d->square[k] > good_progress * long_dot(d->right, d->right, n);
    for (int r = 0; r < n; r++) {
      d->change[r] = plain ? d->right[r] / -weight : step * d->z[k][r];
      d->lambda[r] += d->change[r];
    }
    solver->report.velocity_iterations++;
  }
  apply_at_previous(solver, d->lambda, 1.0, &acceleration);
  return HN_CONVERGED;
}
