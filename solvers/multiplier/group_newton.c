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

/* Computes u' += r + W G' dlambda and lambda += dlambda for dlambda in d->p. */
static void add_correction(hn_solver *solver, const hn_group_newton *d)
{
  hn_state motion = { .nbody = d->trial->nbody, .twist = d->right };
  hn_system_apply(solver->system, d->p, 1.0, &motion);
  for (int i = 0; i < solver->system->model->nrow; i++) d->lambda[i] += d->p[i];
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
  add_correction(solver, d);
  return HN_CONVERGED;
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
  if (d->stabilised) return d->stabilised->correct(solver, d);
  return hn_group_correct(solver, d, solver->system->g, d->b);
}

hn_reason hn_group_solve(hn_solver *solver, const hn_group_newton *d, double h)
{
  hn_system *s = solver->system;
  double previous = 0.0;
  for (int iteration = 1;; iteration++) {
    int worst;
    hn_reason reason = HN_CONVERGED;
    d->advance(solver, h);
    double joint_residual = joint_residuals(solver, d, &worst);
    double residual = fmax(joint_residual, d->b * dynamic_residual(solver, d));
    bool done = residual <= d->tolerance;
    solver->report.position_iterations = iteration;
    solver->report.residual = joint_residual;
    if (!done && (iteration == d->iterations || !(residual < HUGE_RESIDUAL)))
      return hn_step_stalled(solver, "Newton iteration", worst, residual, iteration);
    if (iteration == 1 || (!done && residual > slow_reduction * previous)) reason = hn_system_factor(s);
    if (reason != HN_CONVERGED) return hn_step_failed(solver, reason, "factorisation of K", -1, 0.0);
    reason = correct(solver, d);
    if (reason != HN_CONVERGED || done) return reason;
    previous = residual;
  }
}
