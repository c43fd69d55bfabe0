/* taylor.c - the motion and the joint forces as power series in time, of any order N from 1 to 30.
 *
 *   for k = 0 .. N-1:  coefficient k + 2 of the motion with lambda_k = 0  ->  that of the residuals, g_{k+2}
 *                      K lambda_k = -(k + 1)(k + 2) g_{k+2},   then the effect of lambda_k on the motion
 *   then positions, orientations, velocities and angular momenta are summed to the power N at the end.
 *
 * For rows of velocities, coefficient k + 1 of their rate over k + 2 replaces g_{k+2}. One factorisation of K
 * serves all powers of a step. Order N; without projection the joints drift at the order h^N;
 * `stabilisation=projection` corrects positions and velocities in the mass metric. adaptive divides the step
 * so that power N + 1 of every position and orientation stays below error_tolerance; the coefficients do not
 * depend on the step size, so no step is repeated. The series of the multipliers is a result: joint forces at
 * any time within the step (order N in h). Cost: N solves, and N + 2 coefficients of bodies, forces and
 * joints, each O(N) and computed once: the effect of lambda_k on them is linear and O(1) (series.c).
 *
 * The friction of a sliding element, which follows a normal (hn_model.more), has its coefficient k from that
 * of the multiplier of its normal and the initial direction d_0 (series/given_series.h). So lambda_k is
 * computed without friction first, and then the normals by a small system (multiplier/normal_forces.h), whose
 * matrix serves all powers of a step. A step is divided where the friction direction turns and the step is
 * long compared with the stopping time.
 *
 * Where a light body carries heavy ones, the force of joints on it divided by its mass may be 1e7 times its
 * acceleration. g_{k+2} is then that large, and the remainder of the solution becomes an error of the motion.
 * Rounding leaves 1e-16 of it, but back ends that invert blocks of K leave that times the condition of K:
 * 1e-10 for masses of 1 and 1e6. The remainder is therefore measured for the first powers of a step. If it
 * exceeds rounding, every power is solved twice, the second time for the remainder of the first solution.
 * [schmitt2005, section 6, derives k = 0 for particles; the rest is ours] */
#include "elementary.h"
#include "multiplier/normal_forces.h"
#include "impulse/rattle.h"
#include "series/series.h"
#include "registry/solver_arrays.h"

#include <math.h>
#include <string.h>

enum { NONE, PROJECTION };
enum { MAX_PARTS = 10000 }; /* limit on the parts of a step: a long creep would need more and more */
/* first powers whose remainder is measured: two, as odd or even ones are zero after a start from rest */
enum { CHECKED_POWERS = 2 };
static const double max_remainder =
  1e-12; /* largest relative remainder of a solution that counts as rounding */

static const double safety_factor = 0.9; /* on the length of an adaptive part */
static const double min_part = 1e-12;    /* smallest part relative to the step: time hardly advances below */

typedef struct taylor {
  hn_rattle rattle; /* factor of K, and projection */
  int order, stabilisation, adaptive;
  double error_tolerance;
  hn_series *series;
  double begin;              /* s: start of the last series */
  double *right, *remainder; /* [nrow] right-hand side of a power; remainder of its solution */
  bool refine;               /* remainders exceed rounding: solve twice */
  hn_normal_forces normals;  /* normal forces that determine friction */
  double *wrench;            /* [6 nbody] wrench of one friction element */
} taylor;

static const hn_param params[] = {
  { "order", HN_INTEGER, offsetof(taylor, order), "10", 1, 30, "", NULL, "number of powers of time" },
  { "stabilisation", HN_CHOICE, offsetof(taylor, stabilisation), "none", 0, 0, "", "none,projection",
    "correction of the drift of joints" },
  { "adaptive", HN_FLAG, offsetof(taylor, adaptive), "false", 0, 0, "", NULL,
    "divide each step so that its error stays within error_tolerance" },
  { "error_tolerance", HN_REAL, offsetof(taylor, error_tolerance), "1e-13", 1e-16, 1, "m", NULL,
    "adaptive: size allowed for the first omitted power of any position or orientation" },
  { "tolerance", HN_REAL, offsetof(taylor, rattle.tolerance), "1e-13", 1e-16, 1, "m, rad", NULL,
    "projection: joint error allowed" },
  { "iterations", HN_INTEGER, offsetof(taylor, rattle.iterations), "20", 1, 1e6, "", NULL,
    "projection: limit of iterations" },
  HN_LINEAR_PARAMS(taylor, rattle.linear),
  { .key = NULL },
};

static int setup(hn_solver *solver, hn_error *error)
{
  taylor *d = solver->data;
  const hn_model *model = solver->system->model;
  const size_t rows = (size_t)model->nrow;
  if (hn_rattle_setup(solver, &d->rattle, error) ||
      hn_solver_allocate(solver, error, HN_ARRAY(d->right, rows), HN_ARRAY(d->remainder, rows),
                         HN_ARRAY(d->wrench, 6 * (size_t)model->nbody)))
    return -1;
  if (model->more &&
      hn_normal_forces_setup(&d->normals, model, model->more->given, model->more->nrow_force, error))
    return -1;
  d->series = hn_series_create(solver->system, d->order, error);
  return d->series ? 0 : -1;
}

static void destroy(hn_solver *solver)
{
  taylor *d = solver->data;
  hn_series_free(d->series);
  hn_normal_forces_free(&d->normals);
}

static int order_of(const hn_solver *solver)
{
  return ((const taylor *)solver->data)->order;
}

/* Computes d->remainder = d->right - K p; returns its largest entry relative to that of d->right. */
static double compute_remainder(hn_solver *solver, const double *p)
{
  taylor *d = solver->data;
  hn_system *s = solver->system;
  hn_state motion = { .nbody = d->rattle.trial->nbody, .twist = d->rattle.trial->twist };
  double largest = 0.0, scale = 0.0;
  memset(motion.twist, 0, sizeof *motion.twist * (size_t)motion.nbody);
  hn_system_apply(s, p, 1.0, &motion);
  hn_system_velocity_residual(s, &motion, d->remainder, NULL);
  for (int i = 0; i < s->model->nrow; i++) {
    d->remainder[i] = d->right[i] - (d->remainder[i] - s->bias[i]);
    largest = fmax(largest, fabs(d->remainder[i])), scale = fmax(scale, fabs(d->right[i]));
  }
  return scale > 0.0 ? largest / scale : 0.0;
}

/* Solves K p = p to rounding. CHECK: measure the remainder, and decide whether solutions are refined from now
 * on. */
static hn_reason solve(hn_solver *solver, bool check, double *p)
{
  taylor *d = solver->data;
  hn_system *s = solver->system;
  memcpy(d->right, p, sizeof *p * (size_t)s->model->nrow);
  hn_reason reason = hn_system_solve(s, p, p);
  if (reason != HN_CONVERGED || (!d->refine && !check)) return reason;
  d->refine |= compute_remainder(solver, p) > max_remainder;
  if (!d->refine) return reason;
  reason = hn_system_solve(s, d->remainder, d->remainder);
  for (int i = 0; i < s->model->nrow; i++) p[i] += d->remainder[i];
  return reason;
}

/* Computes the response of all multipliers to a unit multiplier of each normal, through its friction. The
 * series have been started. */
static hn_reason compute_responses(hn_solver *solver, const hn_state *state)
{
  taylor *d = solver->data;
  hn_system *s = solver->system;
  hn_normal_forces *n = &d->normals;
  hn_reason reason = HN_CONVERGED;
  for (int j = 0; j < n->count && reason == HN_CONVERGED; j++) {
    hn_state motion = { .nbody = d->rattle.trial->nbody, .twist = d->rattle.trial->twist };
    double *response = n->response + n->nrow * (size_t)j;
    hn_series_row_force_wrench(d->series, n->given[j], d->wrench);
    memset(motion.twist, 0, sizeof *motion.twist * (size_t)motion.nbody);
    hn_system_push(s, state, d->wrench, 1.0, motion.twist);
    hn_series_row_force_acceleration(d->series, n->given[j], motion.twist);
    hn_system_velocity_residual(s, &motion, response, NULL);
    for (size_t i = 0; i < n->nrow; i++) response[i] = s->bias[i] - response[i];
    reason = solve(solver, true, response);
  }
  if (reason != HN_CONVERGED) return hn_step_failed(solver, reason, "solution for the multipliers", -1, 0.0);
  if (n->count == 0 || hn_normal_forces_factor(n)) return HN_CONVERGED;
  return hn_step_failed(solver, HN_SINGULAR, "normal forces that determine friction", -1, 0.0);
}

/* Computes coefficient k of the multipliers LAMBDA from the right-hand side in it. */
static hn_reason find_multipliers(hn_solver *solver, int k, double *lambda)
{
  taylor *d = solver->data;
  const double scale = -(double)((k + 1) * (k + 2));
  hn_reason reason = solve(solver, k < CHECKED_POWERS, lambda);
  if (reason != HN_CONVERGED) return hn_step_failed(solver, reason, "solution for the multipliers", -1, 0.0);
  for (int i = 0; i < solver->system->model->nrow; i++) lambda[i] *= scale;
  if (d->normals.count == 0) return HN_CONVERGED;
  if (!hn_normal_forces_solve(&d->normals, lambda))
    return hn_step_failed(solver, HN_SINGULAR, "normal forces that determine friction", -1, 0.0);
  hn_normal_forces_add(&d->normals, lambda);
  return HN_CONVERGED;
}

/* Computes all coefficients of the motion that starts at STATE. */
static hn_reason expand(hn_solver *solver, const hn_state *state)
{
  taylor *d = solver->data;
  double *lambda = d->rattle.p;
  hn_reason reason = hn_rattle_factor(solver, &d->rattle, state);
  if (reason != HN_CONVERGED) return reason;
  hn_series_start(d->series, state, lambda);
  d->refine = false;
  reason = compute_responses(solver, state);
  for (int k = 0; k < d->order && reason == HN_CONVERGED; k++) {
    reason = find_multipliers(solver, k, lambda);
    if (reason == HN_CONVERGED) hn_series_set_multipliers(d->series, (size_t)k, lambda, lambda);
  }
  return reason;
}

/* Returns the length of the next part of the step, at most LEFT: as far as the friction direction is known
 * and, if adaptive, such that the first omitted power is within the error tolerance. Motions from rest have
 * even powers only, so the power before it is extrapolated at its own rate and counts as well. */
static double choose_part(const taylor *d, double left)
{
  left = hn_series_valid_time(d->series, left);
  if (!d->adaptive) return left;
  double n = d->order, size = hn_series_size(d->series, (size_t)d->order + 1);
  size = fmax(size, hn_pow(hn_series_size(d->series, (size_t)d->order), (n + 1.0) / n));
  if (size * hn_pow(left, n + 1.0) <= d->error_tolerance) return left;
  double part = safety_factor * hn_pow(d->error_tolerance / size, 1.0 / (n + 1.0));
  return left < 2.0 * part ? fmin(part, 0.5 * left) : part; /* avoids a very short last part */
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  taylor *d = solver->data;
  double elapsed = 0.0, start = state->time;
  for (int parts = 0; elapsed < h; parts++) {
    hn_reason reason = expand(solver, state);
    if (reason != HN_CONVERGED) return reason;
    double part = choose_part(d, h - elapsed);
    if (!(part > min_part * h) || parts >= MAX_PARTS)
      return hn_step_failed(solver, HN_STALLED, "step size control", -1, 0.0);
    d->begin = start + elapsed;
    hn_series_state(d->series, part, (size_t)d->order, state);
    elapsed = part < h - elapsed ? elapsed + part : h;
    state->time = start + elapsed;
    hn_series_multipliers(d->series, part, (size_t)d->order, solver->multipliers);
    if (d->stabilisation == PROJECTION) reason = hn_rattle_project(solver, &d->rattle, state);
    if (reason != HN_CONVERGED) return reason;
  }
  return HN_CONVERGED;
}

static void multipliers_at(const hn_solver *solver, double t, double *lambda)
{
  const taylor *d = solver->data;
  hn_series_multipliers(d->series, t - d->begin, (size_t)d->order, lambda);
}

static const char *const variants[] = { "order=1", "order=2", "order=4", "order=6", "order=10", NULL };

const hn_solver_type hn_solver_taylor = {
  .abi = HN_ABI,
  .name = "taylor",
  .summary = "power series of motion and joint forces, order 1 to 30, fixed or adaptive",
  .citation = "Schmitt, Bender and Prautzsch 2005, section 6, extended to rigid bodies and any order",
  .capabilities = HN_CAN_BILATERAL | HN_HAS_MULTIPLIERS | HN_CAN_VELOCITY | HN_CAN_EXTRA_FORCES |
                  HN_RESOLVES_SLIPS,
  .order = 0,
  .data_size = sizeof(taylor),
  .params = params,
  .setup = setup,
  .step = step,
  .reset = hn_rattle_solver_reset,
  .free = destroy,
  .order_of = order_of,
  .multipliers_at = multipliers_at,
  .variants = variants,
};
