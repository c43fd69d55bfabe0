/* energy_momentum.c - energy-momentum solver: discrete gradients, implicit, conserving at any step size.
 *
 *   x1 - x0 = h (v0 + v1) / 2          m (v1 - v0) = h (m gravity + f)
 *   R1 = cay(theta) R0                 R1 J W1 - R0 J W0 = h tau        W: angular velocity, body axes
 *   R0' theta = h (W0 + W1) / 2        (f, tau) = forces + sum of G' lambda
 *   g(q1) = 0 at t + h                 G: discrete Jacobian, G Delta = g1 - g0 with Delta = (x1 - x0, theta)
 *
 * cay(theta) is the rotation by 2 atan(|theta| / 2) about theta: (R1 - R0) = theta^ (R0 + R1) / 2. The
 * changes of kinetic energy and of angular momentum are exactly
 *
 *   T1 - T0 = Delta' (f, tau)          sum of (x1 x m v1 + R1 J W1 - ...) = h sum of (mean(x) x f + tau)
 *
 * Joints without prescribed motions do no work, as g1 = g0 = 0, and have no moment (discrete_rows.c). Springs
 * and gravity convert energy exactly (discrete_forces.c), dampers only take it. So energy and momentum are
 * constant to round-off and the tolerance, however long the step. Compliant contacts, and forces that are not
 * derived from an energy, act with their values at the middle of the step. Rows of velocities are
 * G Delta + h bias = 0 with the Jacobian of the middle, and do no work either.
 *
 * The unknowns z are Delta and lambda. The residuals in the unit of Delta are
 *
 *   rho = (h / 2) W0 (p1(Delta) - p0 - h (f, tau)),   g(q1)              p: momenta
 *
 * P, the derivative of the residuals without forces, gyroscopic terms and changes of G, gives the step
 *
 *   K dlambda = (2 / h^2) (G0 rho - g),   dDelta = -rho + (h^2 / 2) W0 G0' dlambda
 *
 * from K, factored once a step at its start. Newton's equations P^-1 F' dz = -P^-1 F are solved by GMRES with
 * difference quotients of the residuals [knoll2004], since stiff springs, fast rotations and long steps need
 * all of F'. Without them two or three products an iteration suffice. A Newton step that does not reduce the
 * residual is halved. The last step is of at most the tolerance, and leaves an error far below it. Where
 * Newton's method stalls, the solution is continued from that of a shorter step; there may be none, and then
 * the step fails.
 *
 * Order 2, symmetric. Positions satisfy the joints to the tolerance, velocities only to order 2: their part
 * across the joints alternates from step to step, which energy bounds. A projection would lose energy. The
 * joint forces reported are those of the accelerations at the end of the step. Cost: a factorisation; a
 * residual and a solve for each product of GMRES. [gonzalez1996; simo1991; betsch2001] */
#include "energy_momentum/discrete_motion.h"
#include "multiplier/multipliers.h"
#include "base/vec.h"
#include "impulse/correction.h"
#include "registry/solver_arrays.h"

#include <string.h>

/* Reduction of the residual of Newton's equations; smallest part of it by which a Newton step reduces the
 * residual. */
static const double reduction = 1e-4, sufficient = 0.1;
/* Displacement for difference quotients, relative to the mechanism: balances rounding and curvature. */
static const double difference = 1e-8;
/* Largest displacement by the acceleration, relative to the mechanism, for which it is predicted. */
static const double predictable = 0.1;
/* Step from which a solution is continued: each try is shorter by `retreat`; each continuation, longer. */
static const double smallest_part = 1e-3, retreat = 0.5, advance_by = 1.2;
enum { MAX_HALVINGS = 12 };

static const hn_param params[] = {
  { "tolerance", HN_REAL, offsetof(hn_energy_momentum, tolerance), "1e-12", 1e-16, 1, "m, rad", NULL,
    "joint error allowed, and size of the last step of Newton's method" },
  { "iterations", HN_INTEGER, offsetof(hn_energy_momentum, iterations), "50", 1, 1e6, "", NULL,
    "limit of Newton iterations" },
  HN_LINEAR_PARAMS(hn_energy_momentum, linear),
  { .key = NULL },
};

static int setup(hn_solver *solver, hn_error *error)
{
  hn_energy_momentum *d = solver->data;
  const size_t bodies = (size_t)solver->system->model->nbody, rows = (size_t)solver->system->model->nrow;
  d->n = 6 * bodies + rows;
  if (hn_solver_allocate(solver, error, HN_STATE(d->start), HN_STATE(d->middle), HN_STATE(d->end),
                         HN_ARRAY(d->z, d->n), HN_ARRAY(d->before, d->n), HN_ARRAY(d->step, d->n),
                         HN_ARRAY(d->F, d->n), HN_ARRAY(d->shifted, d->n), HN_ARRAY(d->G, 12 * rows),
                         HN_ARRAY(d->wrench, 6 * bodies), HN_ARRAY(d->rate, bodies), HN_ARRAY(d->p, rows)) ||
      hn_krylov_setup(solver, &d->krylov, d->n, error) || hn_pose_cache_setup(solver, &d->factored, error))
    return -1;
  return hn_system_use_linear(solver->system, &d->linear, error);
}

static void reset(hn_solver *solver)
{
  ((hn_energy_momentum *)solver->data)->factored.valid = false;
}

/* ---- Newton's method ----------------------------------------------------------------------------------- */

/* F := -P^-1 F. */
static hn_reason precondition(hn_solver *solver, double *F)
{
  hn_energy_momentum *d = solver->data;
  hn_system *s = solver->system;
  const double scale = 0.5 * d->h * d->h;
  hn_state motion = { .nbody = d->start->nbody, .twist = (hn_twist *)(void *)F };
  double *e = hn_em_multipliers(d, F);
  hn_system_velocity_residual(s, &motion, d->p, NULL);
  for (int i = 0; i < s->nrow; i++) d->p[i] = (d->p[i] - s->bias[i] - e[i]) / scale;
  hn_reason reason = hn_system_solve(s, d->p, e);
  if (reason != HN_CONVERGED)
    return hn_step_failed(solver, reason, "solution of Newton's equations", -1, 0.0);
  for (int i = 0; i < 6 * motion.nbody; i++) F[i] = -F[i];
  hn_system_apply(s, e, scale, &motion);
  return HN_CONVERGED;
}

/* Returns the largest displacement of a body, relative to the size of the mechanism, by the vector V. */
static double largest_displacement(const hn_energy_momentum *d, const hn_twist *V)
{
  double largest = 0.0;
  for (int i = 0; i < d->start->nbody; i++) {
    double x = vec_norm(V[i].v) / d->size, w = vec_norm(V[i].w);
    if (exceeds(x, largest)) largest = x;
    if (exceeds(w, largest)) largest = w;
  }
  return largest;
}

/* Computes out = P^-1 F' v by a difference quotient. */
static hn_reason multiply(void *user, const double *v, double *out)
{
  hn_solver *solver = user;
  hn_energy_momentum *d = solver->data;
  const hn_twist *moved = (const hn_twist *)(const void *)v;
  hn_state pushed = { .nbody = d->start->nbody, .twist = d->rate };
  int worst;
  memset(d->rate, 0, sizeof *d->rate * (size_t)pushed.nbody);
  hn_system_apply(solver->system, v + 6 * pushed.nbody, 0.5 * d->h * d->h, &pushed);
  const double size = fmax(largest_displacement(d, moved), largest_displacement(d, d->rate));
  const double s = difference / size;
  if (!isfinite(s)) return hn_step_failed(solver, HN_NOT_FINITE, "Newton iteration", -1, size);
  for (size_t i = 0; i < d->n; i++) d->shifted[i] = d->z[i] + s * v[i];
  hn_em_residuals(solver, d->shifted, out, &worst);
  for (size_t i = 0; i < d->n; i++) out[i] = (d->F[i] - out[i]) / s;
  return precondition(solver, out);
}

/* Sets the weights of the unknowns: square roots of masses, with multipliers as displacements. */
static void set_weights(hn_solver *solver)
{
  hn_energy_momentum *d = solver->data;
  const hn_system *s = solver->system;
  double K[HN_MAX_ROWS * HN_MAX_ROWS], *of_rows = hn_em_multipliers(d, d->krylov.weight);
  for (int i = 0; i < s->model->nbody; i++) {
    const hn_body *body = &s->model->body[i];
    double *w = hn_em_displacement(d->krylov.weight, i);
    for (int k = 0; k < 3; k++)
      w[k] = sqrt(body->mass), w[3 + k] = sqrt(fmax(fmax(body->J[0], body->J[1]), body->J[2]));
  }
  for (int k = 0; k < s->nblock; k++) {
    const int n = s->block[k].n;
    hn_system_block_diagonal(s, k, K);
    for (int r = 0; r < n; r++) of_rows[s->block[k].row + r] = 0.5 * d->h * d->h * sqrt(K[r * n + r]);
  }
}

/* Computes the residuals at z + STEP with z in d->before; leaves the plain step -P^-1 F in NEXT, and its
 * length in *LENGTH. */
static hn_reason attempt(hn_solver *solver, double part, double *next, double *length, double *joint,
                         int *worst)
{
  hn_energy_momentum *d = solver->data;
  for (size_t i = 0; i < d->n; i++) d->z[i] = d->before[i] + part * d->step[i];
  *joint = hn_em_residuals(solver, d->z, d->F, worst);
  memcpy(next, d->F, sizeof *next * d->n);
  hn_reason reason = precondition(solver, next);
  *length = hn_krylov_length(&d->krylov, next);
  return reason;
}

/* Adds d->step to z, halved until the residual decreases; then computes the plain step into d->step. Steps
 * within the tolerance are not halved: the residual is then rounding. */
static hn_reason advance(hn_solver *solver, bool small, double *length, double *joint, int *worst)
{
  hn_energy_momentum *d = solver->data;
  const double before = *length;
  double part = 1.0;
  memcpy(d->before, d->z, sizeof *d->z * d->n);
  for (int i = 0;; i++, part *= 0.5) {
    hn_reason reason = attempt(solver, part, d->shifted, length, joint, worst);
    bool decreases = *length <= (1.0 - sufficient * part) * before;
    if (reason == HN_CONVERGED && !small && !decreases && i < MAX_HALVINGS) continue;
    memcpy(d->step, d->shifted, sizeof *d->step * d->n);
    return reason;
  }
}

/* Solves for the end of the step from the prediction in z. */
static hn_reason solve(hn_solver *solver)
{
  hn_energy_momentum *d = solver->data;
  double length, joint, update = HUGE_VAL;
  int worst;
  memset(d->step, 0, sizeof *d->step * d->n);
  memcpy(d->before, d->z, sizeof *d->z * d->n);
  hn_reason reason = attempt(solver, 0.0, d->step, &length, &joint, &worst);
  for (int iteration = 0; reason == HN_CONVERGED; iteration++) {
    solver->report.position_iterations = iteration;
    solver->report.residual = joint;
    if (update <= d->tolerance && joint <= d->tolerance) return HN_CONVERGED;
    if (iteration == d->iterations || !(joint < HUGE_RESIDUAL) || !isfinite(length))
      return hn_step_stalled(solver, "Newton iteration", worst, fmax(joint, fmin(update, HUGE_RESIDUAL)),
                             iteration);
    reason = hn_krylov_solve(&d->krylov, multiply, solver, reduction, d->step);
    if (reason != HN_CONVERGED) break;
    update = d->size * largest_displacement(d, (const hn_twist *)(const void *)d->step);
    reason = advance(solver, update <= d->tolerance, &length, &joint, &worst);
  }
  return reason == HN_NOT_FINITE ? hn_step_failed(solver, reason, "Newton iteration", worst, joint) : reason;
}

/* ---- Step ---------------------------------------------------------------------------------------------- */

/* Computes the Jacobian, K and the joint forces at STATE, and the accelerations into d->rate. */
static hn_reason balance(hn_solver *solver, const hn_state *state, double *lambda)
{
  hn_energy_momentum *d = solver->data;
  if (!hn_system_is_factored(solver->system) || !hn_pose_cache_is_valid_at(&d->factored, state)) {
    hn_reason reason = hn_factor_at(solver, state);
    hn_pose_cache_store(&d->factored, state);
    d->factored.valid = reason == HN_CONVERGED;
    if (reason != HN_CONVERGED) return reason;
  }
  return hn_multipliers(solver, state, lambda, d->rate);
}

/* Predicts z for a step of H by the accelerations, where they are not too large for that. */
static hn_reason predict(hn_solver *solver, double h)
{
  hn_energy_momentum *d = solver->data;
  hn_reason reason = balance(solver, d->start, hn_em_multipliers(d, d->z));
  if (reason != HN_CONVERGED) return reason;
  const double gain = 0.5 * h * h * largest_displacement(d, d->rate) <= predictable ? 0.5 * h * h : 0.0;
  for (int i = 0; i < d->start->nbody; i++) {
    double *D = hn_em_displacement(d->z, i);
    vec_scale(D, h, d->start->twist[i].v);
    vec_scale(D + 3, h, d->start->twist[i].w);
    vec_add_scaled(D, gain, d->rate[i].v);
    vec_add_scaled(D + 3, gain, d->rate[i].w);
  }
  return HN_CONVERGED;
}

/* Computes positions and velocities at the end from the forces, so that the momenta are exact. */
static void finish(hn_solver *solver, hn_state *state)
{
  const hn_energy_momentum *d = solver->data;
  const double h = d->h;
  for (int i = 0; i < state->nbody; i++) {
    const hn_body *body = &solver->system->model->body[i];
    const double *wrench = d->wrench + 6 * i;
    double mean[3], W[3], L[3];
    if (body->kind == HN_FIXED) continue;
    vec_copy(mean, state->twist[i].v);
    for (int k = 0; k < 3; k++) state->twist[i].v[k] += h * (body->gravity[k] + body->inv_mass * wrench[k]);
    vec_add(mean, mean, state->twist[i].v);
    vec_add_scaled(state->pose[i].x, 0.5 * h, mean);
    if (body->kind != HN_RIGID) continue;
    quat_unrotate(W, state->pose[i].q, state->twist[i].w);
    hn_angular_momentum(body, state->pose[i].q, W, L);
    vec_add_scaled(L, h, wrench + 3);
    memcpy(state->pose[i].q, d->end->pose[i].q, sizeof state->pose[i].q);
    hn_angular_velocity(body, state->pose[i].q, L, state->twist[i].w);
  }
}

/* Sets the step size, and solves from z. */
static hn_reason solve_at(hn_solver *solver, double h)
{
  hn_energy_momentum *d = solver->data;
  d->h = h;
  d->middle->time = d->start->time + 0.5 * h;
  d->end->time = d->start->time + h;
  set_weights(solver);
  return solve(solver);
}

/* Solves for a step of H. Where the prediction is too far from the solution, the solution is continued from
 * that of a shorter step, by steps that grow. */
static hn_reason solve_step(hn_solver *solver, double h)
{
  hn_energy_momentum *d = solver->data;
  double part = 1.0;
  hn_reason reason = predict(solver, h);
  if (reason == HN_CONVERGED) reason = solve_at(solver, h);
  while (reason == HN_STALLED && part > smallest_part) {
    part *= retreat;
    reason = predict(solver, part * h);
    if (reason == HN_CONVERGED) reason = solve_at(solver, part * h);
  }
  while (reason == HN_CONVERGED && part < 1.0) {
    const double next = fmin(advance_by * part, 1.0);
    for (int i = 0; i < 6 * d->start->nbody; i++) d->z[i] *= next / part;
    part = next;
    reason = solve_at(solver, part * h);
  }
  return reason;
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  hn_energy_momentum *d = solver->data;
  hn_state_copy(d->start, state);
  hn_state_copy(d->middle, state);
  hn_state_copy(d->end, state);
  const double size = hn_model_size(solver->system->model, state);
  d->size = size > 0.0 ? size : 1.0; /* an empty model has none */
  hn_reason reason = solve_step(solver, h);
  if (reason != HN_CONVERGED) return reason;
  finish(solver, state);
  state->time += h;
  reason = balance(solver, state, solver->multipliers);
  state->time -= h;
  return reason;
}

const hn_solver_type hn_solver_energy_momentum = {
  .abi = HN_ABI,
  .name = "energy-momentum",
  .summary = "discrete gradients: conserves energy and momentum at any step size; implicit",
  .citation = "Gonzalez 1996; Simo and Wong 1991; Betsch and Steinmann 2001",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_COMPLIANT | HN_HAS_MULTIPLIERS | HN_CAN_VELOCITY |
                  HN_CAN_EXTRA_FORCES | HN_KEEPS_MOMENTUM,
  .order = 2,
  .data_size = sizeof(hn_energy_momentum),
  .params = params,
  .setup = setup,
  .step = step,
  .reset = reset,
};
