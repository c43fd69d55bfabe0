/* alpha_start.c - initial accelerations and velocities of generalised-alpha (generalised_alpha.c). */
#include "generalised_alpha/alpha_step.h"
#include "base/vec.h"
#include "multiplier/lie_group.h"
#include "multiplier/multipliers.h"

#include <string.h>

void hn_alpha_combine(int bodies, hn_twist *out, const hn_twist *x, double s, const hn_twist *a)
{
  double *to = (double *)out;
  const double *from = (const double *)x, *more = (const double *)a;
  for (int i = 0; i < 6 * bodies; i++) to[i] = from[i] + s * more[i];
}

void hn_alpha_to_body(const hn_state *at, const hn_twist *world, hn_twist *body)
{
  for (int i = 0; i < at->nbody; i++) {
    vec_copy(body[i].v, world[i].v);
    quat_unrotate(body[i].w, at->pose[i].q, world[i].w);
  }
}

/* Computes u' at the state `start` moved by the Taylor polynomial over S, into OUT. */
static hn_reason accelerations_after(hn_solver *solver, double s, hn_twist *out)
{
  hn_alpha *d = solver->data;
  const int n = d->trial->nbody;
  memset(d->D, 0, sizeof *d->D * (size_t)n);
  hn_alpha_combine(n, d->D, d->D, s, d->u);
  hn_alpha_combine(n, d->D, d->D, 0.5 * s * s, d->rate);
  hn_alpha_combine(n, d->u1, d->u, s, d->rate);
  hn_group_move(solver->system, d->start, d->D, d->u1, d->trial);
  d->trial->time = d->start->time + s;
  hn_reason reason = hn_factor_at(solver, d->trial);
  if (reason == HN_CONVERGED) reason = hn_multipliers(solver, d->trial, d->lambda, d->right);
  hn_alpha_to_body(d->trial, d->right, out);
  return reason;
}

double hn_alpha_velocity_rows(hn_solver *solver, double scale, double *p, double largest, int *worst)
{
  const hn_alpha *d = solver->data;
  hn_system *s = solver->system;
  for (int k = 0; k < s->nblock && s->model->needs & HN_CAN_VELOCITY; k++) {
    const hn_block *block = &s->block[k];
    if (!block->joint->type->velocity) continue;
    double norm = scale * hn_system_block_velocity(s, k, d->trial, p + block->row);
    for (int r = 0; r < block->n; r++) p[block->row + r] *= scale;
    if (!exceeds(norm, largest)) continue;
    largest = norm;
    if (worst) *worst = k;
  }
  return largest;
}

/* Adds to d->u the velocity W G' K^-1 G defect / h that the joints require, for the defect of q_1 to order
 * h^3:
 *   h^3 ((1/6 - (alpha_m - alpha_f) / 2 - beta) u'' + (0, W x W') / 12);   u'' is in d->a0, SCALE is h^2. */
static hn_reason perturb_velocities(hn_solver *solver, double scale)
{
  hn_alpha *d = solver->data;
  hn_system *s = solver->system;
  hn_state motion = { .nbody = d->trial->nbody, .twist = d->right };
  const double c = scale * (1.0 / 6.0 - 0.5 * d->scheme.shift - d->scheme.beta);
  for (int i = 0; i < motion.nbody; i++) {
    double twist[3];
    vec_cross(twist, d->u[i].w, d->rate[i].w);
    vec_scale(twist, scale / 12.0, twist);
    vec_add_scaled(twist, c, d->a0[i].w);
    vec_scale(d->right[i].v, c, d->a0[i].v);
    quat_rotate(d->right[i].w, d->trial->pose[i].q, twist);
  }
  hn_system_velocity_residual(s, &motion, d->p, NULL);
  for (int i = 0; i < s->model->nrow; i++) d->p[i] -= s->bias[i];
  hn_alpha_velocity_rows(solver, 0.0, d->p, 0.0, NULL); /* no change of these rows */
  hn_reason reason = hn_system_solve(s, d->p, d->p);
  if (reason != HN_CONVERGED)
    return hn_step_failed(solver, reason, "solution for the initial velocities", -1, 0.0);
  memset(d->right, 0, sizeof *d->right * (size_t)motion.nbody);
  hn_system_apply(s, d->p, 1.0, &motion);
  hn_alpha_to_body(d->trial, d->right, d->a0);
  hn_alpha_combine(motion.nbody, d->u, d->u, 1.0, d->a0);
  return HN_CONVERGED;
}

hn_reason hn_alpha_start(hn_solver *solver, double h, double previous)
{
  hn_alpha *d = solver->data;
  memset(d->rate, 0, sizeof *d->rate * (size_t)d->trial->nbody); /* a failed step leaves them undefined */
  hn_reason reason = accelerations_after(solver, 0.0, d->rate);
  if (reason == HN_CONVERGED) reason = accelerations_after(solver, h, d->a);
  if (reason != HN_CONVERGED) return reason;
  memset(d->a0, 0, sizeof *d->a0 * (size_t)d->trial->nbody); /* u'' */
  hn_alpha_combine(d->trial->nbody, d->a0, d->a0, 1.0 / h, d->a);
  hn_alpha_combine(d->trial->nbody, d->a0, d->a0, -1.0 / h, d->rate);
  hn_alpha_combine(d->trial->nbody, d->a, d->rate, d->scheme.shift * h, d->a0);
  if (d->formulation == HN_ALPHA_GGL) return HN_CONVERGED; /* velocities satisfy the joints */
  return perturb_velocities(solver, h * h - previous * previous);
}
