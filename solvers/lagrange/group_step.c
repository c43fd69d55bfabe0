/* group_step.c - explicit Runge-Kutta methods on the group R^3 x SO(3) of each body, for solver lagrange.
 *
 *   x' = v,  R' = R W^,  u' = f(x, R, u)        W: angular velocity, body axes; u: twist, world axes
 *   stage i:  R_i = R_0 prod_k exp(h sum_j a^k_ij W_j),   x_i and u_i: sums with a_ij = sum_k a^k_ij
 *
 * rkmk integrates s in R = R_0 exp(s), one exponential a stage, with s' = dexp^-1(W) in place of W:
 *
 *   s' = W + s x W / 2 + c s x (s x W),   c = 1/12 + t/720 + t^2/30240 + t^3/1209600,   t = |s|^2
 *
 * c is cut off at t^3, an error of order h^9 in s', far above the orders here. crouch-grossman has one
 * exponential for each derivative, commutator-free at most two a stage. Orientations stay unit quaternions
 * without a correction. A rotation that does not change its axis is exact. */
#include "lagrange/group_step.h"
#include "base/vec.h"
#include "multiplier/lie_group.h"
#include "registry/solver_arrays.h"

#include <string.h>

int hn_group_setup(hn_solver *solver, hn_error *error)
{
  hn_lagrange *d = solver->data;
  hn_group_steps *g = &d->on_group;
  const char *stepper = hn_stepper_name(d->stepper);
  const size_t bodies = (size_t)solver->system->model->nbody;
  g->method = hn_group_method_find(d->group, stepper);
  if (!g->method) {
    char known[80] = "";
    hn_group_steppers(d->group, known, sizeof known);
    return hn_fail(error, "lagrange: group=%s has no method for stepper=%s; it has %s",
                   hn_group_name(d->group), stepper, known);
  }
  if (d->ode.adaptive)
    return hn_fail(error, "lagrange: group=%s takes fixed steps: adaptive=true needs group=none",
                   hn_group_name(d->group));
  const size_t all = (size_t)g->method->stages * bodies;
  if (hn_solver_allocate(solver, error, HN_STATE(g->start), HN_ARRAY(g->displacement, bodies),
                         HN_ARRAY(g->motion[0], all), HN_ARRAY(g->rate[0], all)))
    return -1;
  for (int i = 1; i < g->method->stages; i++)
    g->motion[i] = g->motion[i - 1] + bodies, g->rate[i] = g->rate[i - 1] + bodies;
  return 0;
}

/* Computes out = W + s x W / 2 + c s x (s x W), the derivative of s. */
static void inverse_derivative(double out[3], const double s[3], const double W[3])
{
  const double t = vec_dot(s, s);
  const double c = 1.0 / 12 + t * (1.0 / 720 + t * (1.0 / 30240 + t * (1.0 / 1209600)));
  double once[3], twice[3];
  vec_cross(once, s, W);
  vec_cross(twice, s, once);
  for (int k = 0; k < 3; k++) out[k] = W[k] + 0.5 * once[k] + c * twice[k];
}

/* Stores the derivatives at d->stage as those of stage i: linear parts in world axes, angular parts of the
 * motion in body axes, of the rate in world axes. */
static void store_derivatives(hn_solver *solver, int i)
{
  hn_lagrange *d = solver->data;
  hn_group_steps *g = &d->on_group;
  const hn_system *s = solver->system;
  memcpy(g->motion[i], hn_lagrange_velocity(d), sizeof **g->motion * (size_t)d->stage->nbody);
  memcpy(g->rate[i], d->acceleration, sizeof **g->rate * (size_t)d->stage->nbody);
  for (int k = 0; k < s->nrotating; k++) {
    const int body = s->rotating[k];
    double *W = g->motion[i][body].w;
    quat_unrotate(W, d->stage->pose[body].q, g->motion[i][body].w);
    if (d->group == HN_RKMK && i > 0) inverse_derivative(W, g->displacement[body].w, W);
  }
}

/* Computes the sum of h a_j motion_j for exponential number FACTOR of a row, into g->displacement. */
static void displace(hn_lagrange *d, int row, int factor, double h)
{
  hn_group_steps *g = &d->on_group;
  double *out = (double *)g->displacement;
  const size_t n = 6 * (size_t)d->stage->nbody;
  memset(out, 0, sizeof *out * n);
  for (int j = 0; j < row; j++) {
    const double a = h * hn_group_coefficient(g->method, d->group, row, factor, j);
    const double *motion = (const double *)g->motion[j];
    for (size_t k = 0; k < n && a != 0.0; k++) out[k] += a * motion[k];
  }
}

/* Computes the state of a row of the method, d->stage, from the derivatives of the stages before. */
static void move_to_stage(hn_solver *solver, int row, double h)
{
  hn_lagrange *d = solver->data;
  hn_group_steps *g = &d->on_group;
  const hn_state *from = g->start;
  const size_t n = 6 * (size_t)d->stage->nbody;
  double *u = (double *)d->stage->twist;
  for (int k = 0; k < hn_group_factors(g->method, d->group, row); k++, from = d->stage) {
    displace(d, row, k, h);
    hn_group_displace(solver->system, from, g->displacement, d->stage);
  }
  memcpy(u, g->start->twist, sizeof *u * n);
  for (int j = 0; j < row; j++) {
    const double a = h * g->method->A[row][j], *rate = (const double *)g->rate[j];
    for (size_t k = 0; k < n && a != 0.0; k++) u[k] += a * rate[k];
  }
  d->stage->time = g->start->time + h * hn_group_node(g->method, row);
}

/* Evaluates the derivatives at STATE, unless it is the state of the last evaluation. */
static hn_reason evaluate_at(hn_solver *solver, const hn_state *state)
{
  hn_lagrange *d = solver->data;
  const size_t bodies = (size_t)state->nbody;
  const bool current = d->is_current && (!d->time_dependent || state->time == d->stage->time) &&
                       memcmp(state->pose, d->stage->pose, sizeof *state->pose * bodies) == 0 &&
                       memcmp(state->twist, d->stage->twist, sizeof *state->twist * bodies) == 0;
  d->begin = state->time;
  if (current) return HN_CONVERGED;
  d->is_current = false;
  hn_state_copy_motion(d->stage, state);
  hn_reason reason = hn_lagrange_evaluate(solver);
  d->is_current = reason == HN_CONVERGED;
  return reason;
}

hn_reason hn_group_advance(hn_solver *solver, hn_state *state, double h)
{
  hn_lagrange *d = solver->data;
  hn_group_steps *g = &d->on_group;
  hn_state_copy_motion(g->start, state);
  hn_reason reason = evaluate_at(solver, state);
  for (int i = 0; reason == HN_CONVERGED && i < g->method->stages; i++) {
    if (i > 0) reason = hn_lagrange_evaluate(solver);
    if (reason != HN_CONVERGED) break;
    store_derivatives(solver, i);
    d->is_current = false;
    move_to_stage(solver, i + 1, h);
    if (!hn_state_finite(d->stage)) return hn_step_failed(solver, HN_NOT_FINITE, "trial stage", -1, 0.0);
  }
  if (reason != HN_CONVERGED) return reason;
  hn_state_copy_motion(state, d->stage);
  state->time = g->start->time + h;
  return HN_CONVERGED;
}

hn_reason hn_group_finish(hn_solver *solver, const hn_state *state)
{
  return evaluate_at(solver, state);
}
