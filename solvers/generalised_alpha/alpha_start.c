/* alpha_start.c - initial accelerations and velocities of generalised-alpha (generalised_alpha.c). */
#include "generalised_alpha/alpha_step.h"
#include "base/vec.h"
#include "multiplier/group_newton.h"
#include "multiplier/lie_group.h"
#include "multiplier/multipliers.h"

#include <string.h>

/* Computes u' at the state `start` moved by the Taylor polynomial over S, into OUT. */
static hn_reason accelerations_after(hn_solver *solver, double s, hn_twist *out)
{
  hn_alpha *d = solver->data;
  const int n = d->trial->nbody;
  memset(d->D, 0, sizeof *d->D * (size_t)n);
  hn_combine_twists(n, d->D, d->D, s, d->u);
  hn_combine_twists(n, d->D, d->D, 0.5 * s * s, d->rate);
  hn_combine_twists(n, d->u1, d->u, s, d->rate);
  hn_group_move(solver->system, d->start, d->D, d->u1, d->trial);
  d->trial->time = d->start->time + s;
  hn_reason reason = hn_factor_at(solver, d->trial);
  if (reason == HN_CONVERGED) reason = hn_multipliers(solver, d->trial, d->lambda, d->right);
  hn_to_body_axes(d->trial, d->right, out);
  return reason;
}

/* Adds to d->u the velocity W G' K^-1 G defect / h that the joints require, for the defect of q_1 to order
 * h^3:
 *   h^3 ((1/6 - (alpha_m - alpha_f) / 2 - beta) u'' + (0, W x W') / 12);   u'' is in d->a0, SCALE is h^2. */
static hn_reason perturb_velocities(hn_solver *solver, double scale)
{
  hn_alpha *d = solver->data;
  const int bodies = d->trial->nbody;
  const double c = scale * (1.0 / 6.0 - 0.5 * d->scheme.shift - d->scheme.beta);
  for (int i = 0; i < bodies; i++) {
    double twist[3];
    vec_cross(twist, d->u[i].w, d->rate[i].w);
    vec_scale(twist, scale / 12.0, twist);
    vec_add_scaled(twist, c, d->a0[i].w);
    vec_scale(d->right[i].v, c, d->a0[i].v);
    quat_rotate(d->right[i].w, d->trial->pose[i].q, twist);
  }
  hn_reason reason = hn_part_across_joints(solver, d->trial, d->right, d->p);
  if (reason != HN_CONVERGED) return reason;
  hn_to_body_axes(d->trial, d->right, d->a0);
  hn_combine_twists(bodies, d->u, d->u, 1.0, d->a0);
  return HN_CONVERGED;
}

/* Returns the squared norm of A + S B, in the metric of the masses. */
static double square_of(const hn_solver *solver, const hn_twist *a, double s, const hn_twist *b)
{
  double sum = 0.0;
  for (int i = 0; i < ((const hn_alpha *)solver->data)->trial->nbody; i++) {
    const hn_body *body = &solver->system->model->body[i];
    for (int c = 0; c < 3 && body->kind != HN_FIXED; c++) {
      const double v = a[i].v[c] + s * b[i].v[c], w = a[i].w[c] + s * b[i].w[c];
      sum += body->mass * v * v + body->J[c] * w * w;
    }
  }
  return sum;
}

/* Sets *RESOLVED to whether steps of H resolve the change of the accelerations, from d->rate at the start to
 * d->a. A change by more than their size is resolved if that over H / 2 is about half as large; it is a
 * quarter on a stiff spring, from whose motion the Taylor polynomial leads away. */
static hn_reason find_resolved(hn_solver *solver, double h, bool *resolved)
{
  hn_alpha *d = solver->data;
  const double change = square_of(solver, d->a, -1.0, d->rate);
  *resolved = !hn_model_has_forces(solver->system->model) ||
              change <= square_of(solver, d->rate, 0.0, d->rate);
  if (*resolved) return HN_CONVERGED;
  hn_reason reason = accelerations_after(solver, 0.5 * h, d->a0);
  hn_combine_twists(d->trial->nbody, d->a0, d->a0, -0.5, d->rate);
  hn_combine_twists(d->trial->nbody, d->a0, d->a0, -0.5, d->a);
  *resolved = square_of(solver, d->a0, 0.0, d->a0) <= 0.125 * 0.125 * change;
  return reason == HN_CONVERGED ? accelerations_after(solver, h, d->a) : reason;
}

hn_reason hn_alpha_start(hn_solver *solver, double h, double previous)
{
  hn_alpha *d = solver->data;
  const int bodies = d->trial->nbody;
  bool resolved;
  memset(d->rate, 0, sizeof *d->rate * (size_t)bodies); /* a failed step leaves them undefined */
  hn_reason reason = accelerations_after(solver, 0.0, d->rate);
  if (reason == HN_CONVERGED) reason = accelerations_after(solver, h, d->a);
  if (reason == HN_CONVERGED) reason = find_resolved(solver, h, &resolved);
  if (reason != HN_CONVERGED) return reason;
  memset(d->a0, 0, sizeof *d->a0 * (size_t)bodies); /* u'' */
  if (resolved) {
    hn_combine_twists(bodies, d->a0, d->a0, 1.0 / h, d->a);
    hn_combine_twists(bodies, d->a0, d->a0, -1.0 / h, d->rate);
  }
  hn_combine_twists(bodies, d->a, d->rate, d->scheme.shift * h, d->a0);
  if (!resolved || d->formulation == HN_ALPHA_GGL)
    return HN_CONVERGED; /* ggl: velocities satisfy the joints */
  return perturb_velocities(solver, h * h - previous * previous);
}
