/* group_newton.c - Newton's iteration of the implicit solvers on the group (group_newton.h). */
#include "multiplier/group_newton.h"
#include "base/vec.h"
#include "impulse/correction.h"

#include <string.h>

/* Ratio of successive residuals above which K is factored anew. */
static const double slow_reduction = 0.5;

double hn_set_velocity_rows(const hn_solver *solver, const hn_state *trial, double scale, double *p,
                            double largest, int *worst)
{
  hn_system *s = solver->system;
  for (int k = 0; k < s->nblock && s->model->needs & HN_CAN_VELOCITY; k++) {
    const hn_block *block = &s->block[k];
    if (!block->joint->type->velocity) continue;
    double norm = scale * hn_system_block_velocity(s, k, trial, p + block->row);
    for (int r = 0; r < block->n; r++) p[block->row + r] *= scale;
    if (!exceeds(norm, largest)) continue;
    largest = norm;
    if (worst) *worst = k;
  }
  return largest;
}

hn_reason hn_part_across_joints(hn_solver *solver, const hn_state *at, hn_twist *motion, double *p)
{
  hn_system *s = solver->system;
  hn_state moved = { .nbody = at->nbody, .twist = motion };
  hn_system_velocity_residual(s, &moved, p, NULL);
  for (int i = 0; i < s->model->nrow; i++) p[i] -= s->bias[i];
  hn_set_velocity_rows(solver, at, 0.0, p, 0.0, NULL);
  hn_reason reason = hn_system_solve(s, p, p);
  if (reason != HN_CONVERGED)
    return hn_step_failed(solver, reason, "solution for the initial velocities", -1, 0.0);
  memset(motion, 0, sizeof *motion * (size_t)at->nbody);
  hn_system_apply(s, p, 1.0, &moved);
  return HN_CONVERGED;
}

/* Computes d->right = r = W (G' lambda - f) - u' at the trial state and d->p = G r; returns the largest norm
 * of r. */
static double dynamic_residual(hn_solver *solver, const hn_group_newton *d)
{
  hn_system *s = solver->system;
  hn_state motion = { .nbody = d->trial->nbody, .twist = d->right };
  double largest = 0.0; /* squared */
  hn_system_free_acceleration(s, d->trial, d->right);
  hn_system_apply(s, d->lambda, 1.0, &motion);
  for (int i = 0; i < d->trial->nbody; i++) {
    double world[3];
    quat_rotate(world, d->trial->pose[i].q, d->rate[i].w);
    vec_sub(d->right[i].v, d->right[i].v, d->rate[i].v);
    vec_sub(d->right[i].w, d->right[i].w, world);
    double v = vec_dot(d->right[i].v, d->right[i].v), w = vec_dot(d->right[i].w, d->right[i].w);
    if (exceeds(v, largest)) largest = v;
    if (exceeds(w, largest)) largest = w;
  }
  hn_system_velocity_residual(s, &motion, d->p, NULL);
  for (int i = 0; i < s->model->nrow; i++) d->p[i] -= s->bias[i];
  return sqrt(largest);
}

/* Computes u' += d->right and lambda += DLAMBDA. */
static void add_correction(const hn_solver *solver, const hn_group_newton *d, const double *dlambda)
{
  for (int i = 0; i < solver->system->model->nrow; i++) d->lambda[i] += dlambda[i];
  for (int i = 0; i < d->trial->nbody; i++) {
    double body_axes[3];
    quat_unrotate(body_axes, d->trial->pose[i].q, d->right[i].w);
    vec_add(d->rate[i].v, d->rate[i].v, d->right[i].v);
    vec_add(d->rate[i].w, d->rate[i].w, body_axes);
  }
}

hn_reason hn_group_correct(hn_solver *solver, const hn_group_newton *d, const double *residual, double scale)
{
  hn_system *s = solver->system;
  for (int i = 0; i < s->model->nrow; i++) d->p[i] = -residual[i] / scale - d->p[i];
  hn_reason reason = hn_system_solve(s, d->p, d->p);
  if (reason != HN_CONVERGED)
    return hn_step_failed(solver, reason, "solution of Newton's equations", -1, 0.0);
  hn_system_apply(s, d->p, 1.0, &(hn_state){ .nbody = d->trial->nbody, .twist = d->right });
  add_correction(solver, d, d->p);
  return HN_CONVERGED;
}

void hn_group_correct_fully(hn_solver *solver, const hn_group_newton *d, double *v, double *g)
{
  double largest = 0.0;
  hn_full_newton_solve(solver->system, d->full, d->right, v, g);
  for (int i = 0; i < d->trial->nbody; i++)
    largest = fmax(largest, fmax(vec_norm(d->right[i].v), vec_norm(d->right[i].w)));
  d->full->correction = d->b * largest;
  add_correction(solver, d, v);
}

/* Computes the residuals of the joints at the trial state, and its Jacobian. */
static double joint_residuals(hn_solver *solver, const hn_group_newton *d, int *worst)
{
  hn_system *s = solver->system;
  const double largest = hn_system_residual(s, d->trial, worst);
  hn_system_jacobian(s, d->trial);
  if (d->stabilised) return d->stabilised->residuals(solver, largest, worst);
  return hn_set_velocity_rows(solver, d->trial, d->velocity_scale, s->g, largest, worst);
}

static hn_reason correct(hn_solver *solver, const hn_group_newton *d)
{
  hn_system *s = solver->system;
  if (d->stabilised) return d->stabilised->correct(solver, d);
  if (!d->full->in_use) return hn_group_correct(solver, d, s->g, d->b);
  for (int i = 0; i < s->model->nrow; i++) d->p[i] = s->g[i] / d->velocity_scale;
  hn_set_velocity_rows(solver, d->trial, 0.0, s->g, 0.0, NULL);
  hn_group_correct_fully(solver, d, d->p, s->g);
  return HN_CONVERGED;
}

/* Factors the matrix of the iteration at the trial state. */
static hn_reason factor(hn_solver *solver, const hn_group_newton *d)
{
  hn_full_newton *full = d->full;
  hn_reason reason = full->in_use ? hn_full_newton_factor(solver->system, full, d->trial, d->lambda, d->b,
                                                          d->b / d->velocity_scale)
                                  : hn_system_factor(solver->system);
  if (reason == HN_CONVERGED) return reason;
  return hn_step_failed(solver, reason,
                        full->in_use ? "factorisation of Newton's matrix" : "factorisation of K", -1, 0.0);
}

/* Replaces lambda by those of equal effect that the policy for redundant rows takes; K is factored anew. */
static hn_reason apply_policy(hn_solver *solver, const hn_group_newton *d)
{
  hn_system *s = solver->system;
  hn_state motion = { .nbody = d->trial->nbody, .twist = d->right };
  memset(d->right, 0, sizeof *d->right * (size_t)motion.nbody);
  hn_system_apply(s, d->lambda, 1.0, &motion);
  hn_system_velocity_residual(s, &motion, d->p, NULL);
  for (int i = 0; i < s->model->nrow; i++) d->p[i] -= s->bias[i];
  hn_reason reason = hn_system_factor(s);
  if (reason == HN_CONVERGED) reason = hn_system_solve(s, d->p, d->lambda);
  return reason == HN_CONVERGED ? reason : hn_step_failed(solver, reason, "factorisation of K", -1, 0.0);
}

/* Iterates with the matrix in use until the residuals are at the tolerance, or, with the full matrix, those
 * of the joints and the last correction: the residuals of stiff forces are not errors of the motion. Ends
 * early as stalled, without a report, if the full matrix can be used instead and may help: a new matrix did
 * not make it faster, or it diverges. */
static hn_reason iterate(hn_solver *solver, const hn_group_newton *d, double h)
{
  const bool has_other = d->full->exists && !d->full->in_use && d->full->choice == HN_NEWTON_AUTO;
  double previous = d->full->correction = INFINITY;
  int factored = 0; /* iteration that began with a new matrix */
  for (int iteration = 1;; iteration++) {
    int worst;
    hn_reason reason = HN_CONVERGED;
    d->advance(solver, h);
    double joint_residual = joint_residuals(solver, d, &worst);
    double residual = fmax(joint_residual, d->b * dynamic_residual(solver, d));
    const bool done = residual <= d->tolerance ||
                      (joint_residual <= d->tolerance && d->full->correction <= d->tolerance),
               slow = !(residual <= slow_reduction * previous);
    const bool is_lost = !done && (iteration == d->iterations || !isfinite(residual) ||
                                   (residual >= HUGE_RESIDUAL && residual >= previous));
    solver->report.position_iterations += 1;
    solver->report.residual = joint_residual;
    if (has_other && (is_lost || (!done && iteration > 2 && slow && factored == iteration - 1)))
      return HN_STALLED;
    if (is_lost) return hn_step_stalled(solver, "Newton iteration", worst, residual, iteration);
    if (iteration == 1 || (!done && slow)) reason = factor(solver, d), factored = iteration;
    if (reason == HN_CONVERGED) reason = correct(solver, d);
    if (reason != HN_CONVERGED || done) return reason;
    previous = residual;
  }
}

hn_reason hn_group_solve(hn_solver *solver, const hn_group_newton *d, double h)
{
  hn_full_newton *full = d->full;
  const size_t rate = sizeof *d->rate * (size_t)d->trial->nbody,
               lambda = sizeof *d->lambda * (size_t)solver->system->model->nrow;
  full->in_use = full->choice == HN_NEWTON_FULL;
  full->is_index_2 = d->stabilised;
  solver->report.position_iterations = 0;
  if (full->exists) memcpy(full->rate, d->rate, rate), memcpy(full->lambda, d->lambda, lambda);
  hn_reason reason = iterate(solver, d, h);
  if (reason == HN_STALLED && full->exists && !full->in_use) {
    memcpy(d->rate, full->rate, rate), memcpy(d->lambda, full->lambda, lambda);
    if (d->stabilised) d->stabilised->restart(solver);
    full->in_use = true;
    reason = iterate(solver, d, h);
  }
  return reason == HN_CONVERGED && full->in_use && full->proximal > 0.0 ? apply_policy(solver, d) : reason;
}
