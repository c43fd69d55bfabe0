/* alpha_newton.c - the Newton iteration of generalised-alpha (generalised_alpha.c): that of group_newton.h,
 * and the corrections of the stabilised form of index 2. */
#include "generalised_alpha/alpha_step.h"
#include "base/vec.h"
#include "multiplier/group_newton.h"
#include "multiplier/lie_group.h"

#include <string.h>

void hn_alpha_advance(hn_solver *solver, double h)
{
  hn_alpha *d = solver->data;
  const double ratio = d->scheme.ratio;
  hn_combine_twists(d->trial->nbody, d->D, d->D0, h * h * d->scheme.beta * ratio, d->rate);
  if (d->formulation == HN_ALPHA_GGL) hn_combine_twists(d->trial->nbody, d->D, d->D, 1.0, d->across);
  hn_combine_twists(d->trial->nbody, d->u1, d->u0, h * d->scheme.gamma * ratio, d->rate);
  hn_group_move(solver->system, d->start, d->D, d->u1, d->trial);
  d->trial->time = d->start->time + h;
}

/* Computes the residuals of all velocities into d->v, and sets those of rows of velocities in g to 0. */
static double residuals(hn_solver *solver, double largest, int *worst)
{
  hn_alpha *d = solver->data;
  hn_system *s = solver->system;
  int worst_rate;
  largest = hn_set_velocity_rows(solver, d->trial, 0.0, s->g, largest, worst);
  const double rate = d->velocity_scale * hn_system_velocity_residual(s, d->trial, d->v, &worst_rate);
  if (!exceeds(rate, largest)) return largest;
  *worst = worst_rate;
  return rate;
}

/* Moves the positions across the joints, by W_0 G_0' ETA. */
static void move_across(hn_solver *solver, const double *eta)
{
  hn_alpha *d = solver->data;
  hn_system *s = solver->system;
  hn_state motion = { .nbody = d->trial->nbody, .twist = d->right };
  double *const T = s->T;
  memset(d->right, 0, sizeof *d->right * (size_t)motion.nbody);
  s->T = d->T0;
  hn_system_apply(s, eta, 1.0, &motion);
  s->T = T;
  hn_to_body_axes(d->start, d->right, d->right);
  hn_combine_twists(motion.nbody, d->across, d->across, 1.0, d->right);
}

/* Moves the positions by eta with K eta = -g + b / c v, for du_1 / du'_1 = c, in the rows of positions. The
 * correction of the velocities by -v moves them as well. */
static hn_reason correct_positions(hn_solver *solver)
{
  hn_alpha *d = solver->data;
  hn_system *s = solver->system;
  for (int i = 0; i < s->model->nrow; i++) d->v[i] = d->velocity_scale * d->v[i] - s->g[i];
  hn_set_velocity_rows(solver, d->trial, 0.0, d->v, 0.0, NULL);
  hn_reason reason = hn_system_solve(s, d->v, d->v);
  if (reason != HN_CONVERGED)
    return hn_step_failed(solver, reason, "solution of Newton's equations", -1, 0.0);
  move_across(solver, d->v);
  return HN_CONVERGED;
}

static hn_reason correct(hn_solver *solver, const hn_group_newton *newton)
{
  const hn_alpha *d = solver->data;
  if (newton->full->in_use) {
    hn_group_correct_fully(solver, newton, d->v, solver->system->g);
    move_across(solver, solver->system->g);
    return HN_CONVERGED;
  }
  hn_reason reason = hn_group_correct(solver, newton, d->v, newton->b / newton->velocity_scale);
  return reason == HN_CONVERGED ? correct_positions(solver) : reason;
}

static void restart(hn_solver *solver)
{
  hn_alpha *d = solver->data;
  memset(d->across, 0, sizeof *d->across * (size_t)d->trial->nbody);
}

hn_reason hn_alpha_solve(hn_solver *solver, double h)
{
  static const hn_stabilised_form ggl = { residuals, correct, restart };
  hn_alpha *d = solver->data;
  d->velocity_scale = h * d->scheme.beta / d->scheme.gamma;
  const hn_group_newton newton = {
    .tolerance = d->tolerance,
    .iterations = d->iterations,
    .b = h * h * d->scheme.beta * (1.0 - d->scheme.alpha_f) / (1.0 - d->scheme.alpha_m),
    .velocity_scale = d->velocity_scale,
    .trial = d->trial,
    .rate = d->rate,
    .right = d->right,
    .lambda = d->lambda,
    .p = d->p,
    .advance = hn_alpha_advance,
    .stabilised = d->formulation == HN_ALPHA_GGL ? &ggl : NULL,
    .full = &d->full,
  };
  return hn_group_solve(solver, &newton, h);
}
