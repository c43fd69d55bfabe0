/* alpha_newton.c - the Newton iteration of generalised-alpha (generalised_alpha.c). */
#include "generalised_alpha/alpha_step.h"
#include "base/vec.h"
#include "impulse/correction.h"
#include "multiplier/lie_group.h"

#include <string.h>

/* Ratio of successive residuals above which K is factored anew. */
static const double slow_reduction = 0.5;

void hn_alpha_advance(hn_solver *solver, double h)
{
  hn_alpha *d = solver->data;
  const double ratio = d->scheme.ratio;
  hn_alpha_combine(d->trial->nbody, d->D, d->D0, h * h * d->scheme.beta * ratio, d->rate);
  if (d->formulation == HN_ALPHA_GGL) hn_alpha_combine(d->trial->nbody, d->D, d->D, 1.0, d->across);
  hn_alpha_combine(d->trial->nbody, d->u1, d->u0, h * d->scheme.gamma * ratio, d->rate);
  hn_group_move(solver->system, d->start, d->D, d->u1, d->trial);
  d->trial->time = d->start->time + h;
}

/* Computes d->right = r = W (G' lambda - f) - u' at the trial state and d->p = G r; returns the largest norm
 * of r. */
static double dynamic_residual(hn_solver *solver)
{
  hn_alpha *d = solver->data;
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
static void correct(hn_solver *solver)
{
  hn_alpha *d = solver->data;
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

/* Computes the residuals of the joints at the trial state: g, with residuals of rows of velocities in their
 * place, and for formulation = ggl those of all velocities, into d->v. Returns the largest norm of one joint,
 * in m or rad, and its index in WORST. */
static double joint_residuals(hn_solver *solver, double h, int *worst)
{
  hn_alpha *d = solver->data;
  hn_system *s = solver->system;
  const bool ggl = d->formulation == HN_ALPHA_GGL;
  const double scale = h * d->scheme.beta / d->scheme.gamma;
  int worst_rate;
  double largest = hn_system_residual(s, d->trial, worst);
  hn_system_jacobian(s, d->trial);
  largest = hn_alpha_velocity_rows(solver, ggl ? 0.0 : scale, s->g, largest, worst);
  if (!ggl) return largest;
  const double rate = scale * hn_system_velocity_residual(s, d->trial, d->v, &worst_rate);
  if (!exceeds(rate, largest)) return largest;
  *worst = worst_rate;
  return rate;
}

/* Moves the positions across the joints: W_0 G_0' eta with K eta = -g + b / c v, for du_1 / du'_1 = c, in the
 * rows of positions. The correction of the velocities by -v moves them as well. */
static hn_reason correct_positions(hn_solver *solver, double b, double c)
{
  hn_alpha *d = solver->data;
  hn_system *s = solver->system;
  hn_state motion = { .nbody = d->trial->nbody, .twist = d->right };
  double *const T = s->T;
  for (int i = 0; i < s->model->nrow; i++) d->v[i] = b / c * d->v[i] - s->g[i];
  hn_alpha_velocity_rows(solver, 0.0, d->v, 0.0, NULL);
  hn_reason reason = hn_system_solve(s, d->v, d->v);
  if (reason != HN_CONVERGED) return reason;
  memset(d->right, 0, sizeof *d->right * (size_t)motion.nbody);
  s->T = d->T0;
  hn_system_apply(s, d->v, 1.0, &motion);
  s->T = T;
  hn_alpha_to_body(d->start, d->right, d->right);
  hn_alpha_combine(motion.nbody, d->across, d->across, 1.0, d->right);
  return HN_CONVERGED;
}

/* Solves for the corrections of u', lambda and the positions; dynamic_residual was called last. */
static hn_reason correct_all(hn_solver *solver, double h, double b)
{
  hn_alpha *d = solver->data;
  hn_system *s = solver->system;
  const double c = b * d->scheme.gamma / (h * d->scheme.beta);
  const bool ggl = d->formulation == HN_ALPHA_GGL;
  const double *target = ggl ? d->v : s->g, scale = ggl ? c : b;
  for (int i = 0; i < s->model->nrow; i++) d->p[i] = -target[i] / scale - d->p[i];
  hn_reason reason = hn_system_solve(s, d->p, d->p);
  if (reason == HN_CONVERGED) correct(solver);
  if (reason == HN_CONVERGED && ggl) reason = correct_positions(solver, b, c);
  return reason == HN_CONVERGED ? reason
                                : hn_step_failed(solver, reason, "solution of Newton's equations", -1, 0.0);
}

/* Solves for the end of the step. The last correction follows the test, so that forces and accelerations
 * agree to round-off. */
hn_reason hn_alpha_solve(hn_solver *solver, double h)
{
  hn_alpha *d = solver->data;
  hn_system *s = solver->system;
  const double b = h * h * d->scheme.beta * (1.0 - d->scheme.alpha_f) / (1.0 - d->scheme.alpha_m);
  double previous = 0.0;
  for (int iteration = 1;; iteration++) {
    int worst;
    hn_reason reason = HN_CONVERGED;
    hn_alpha_advance(solver, h);
    double joint_residual = joint_residuals(solver, h, &worst);
    double residual = fmax(joint_residual, b * dynamic_residual(solver));
    bool done = residual <= d->tolerance;
    solver->report.position_iterations = iteration;
    solver->report.residual = joint_residual;
    if (!done && (iteration == d->iterations || !(residual < HUGE_RESIDUAL)))
      return hn_step_stalled(solver, "Newton iteration", worst, residual, iteration);
    if (iteration == 1 || (!done && residual > slow_reduction * previous)) reason = hn_system_factor(s);
    if (reason != HN_CONVERGED) return hn_step_failed(solver, reason, "factorisation of K", -1, 0.0);
    reason = correct_all(solver, h, b);
    if (reason != HN_CONVERGED || done) return reason;
    previous = residual;
  }
}
