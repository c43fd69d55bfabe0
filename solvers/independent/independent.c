/* independent.c - motion in independent coordinates (independent.h). */
#include "independent/independent.h"
#include "base/small.h"
#include "base/vec.h"
#include "impulse/correction.h"
#include "registry/solver_arrays.h"

#include <string.h>

enum { MAX_COORDINATES = 2000 }; /* limit for the dense matrices, which then take 0.2 GB */

/* Reduction of the residual by an iteration below which the dependent columns are factored anew. */
static const double slow_reduction = 0.1;

/* Growth of the dependence within a step for which it is repeated with another choice. */
static const double too_large = 2.0;

int hn_independent_order(const hn_solver *solver)
{
  return hn_integrator_order(&((const hn_independent *)solver->data)->ode);
}

/* ---- Dependent coordinates ----------------------------------------------------------------------------- */

static hn_reason singular(hn_solver *solver)
{
  return hn_step_failed(solver, HN_SINGULAR, "solution for the dependent coordinates", -1, 0.0);
}

/* Computes A at the stage, and factors the dependent columns. */
static hn_reason factor(hn_solver *solver)
{
  hn_independent *d = solver->data;
  hn_basis *b = &d->basis;
  const int positions = hn_basis_position_dependents(b), r = hn_basis_dependents(b);
  hn_system_jacobian(solver->system, d->at);
  hn_basis_rows(b, solver->system, d->start);
  for (int i = 0; i < r; i++) {
    hn_basis_row(b, solver->system, (int)b->row[i], d->x);
    memcpy(d->A_d + i * r, d->x, sizeof *d->x * (size_t)r);
    if (i < positions && positions < r)
      memcpy(d->A_p + i * positions, d->x, sizeof *d->x * (size_t)positions);
    for (int k = r; k < b->n; k++) d->X[(k - r) * r + i] = -d->x[k];
  }
  const bool regular = hn_lu_factor(r, d->A_d, d->pivot_d) &&
                       (positions == r || hn_lu_factor(positions, d->A_p, d->pivot_p));
  solver->system->work.factorisations++;
  return regular ? HN_CONVERGED : singular(solver);
}

/* Computes the stage from the divided displacement; returns the largest residual of the rows chosen. */
static double place(hn_solver *solver)
{
  hn_independent *d = solver->data;
  const hn_basis *b = &d->basis;
  double largest = 0.0;
  hn_basis_join(b, d->split, d->D);
  hn_basis_move(b, d->start, d->D, d->at);
  hn_system_residual(solver->system, d->at, NULL);
  for (int i = 0; i < hn_basis_position_dependents(b); i++) {
    d->x[i] = -solver->system->g[(int)b->row[i]];
    if (exceeds(fabs(d->x[i]), largest)) largest = fabs(d->x[i]);
  }
  return largest;
}

static void correct(hn_independent *d)
{
  const int positions = hn_basis_position_dependents(&d->basis);
  if (positions == hn_basis_dependents(&d->basis)) hn_lu_solve(positions, d->A_d, d->pivot_d, d->x);
  else hn_lu_solve(positions, d->A_p, d->pivot_p, d->x);
  for (int i = 0; i < positions; i++) d->split[i] += d->x[i];
}

/* Solves for the dependent displacements in d->split, the positions at d->at. The last correction follows the
 * test. */
static hn_reason solve_positions(hn_solver *solver)
{
  hn_independent *d = solver->data;
  hn_reason reason = HN_CONVERGED;
  double previous = HUGE_VAL;
  for (int iteration = 0; reason == HN_CONVERGED; iteration++) {
    const double residual = place(solver);
    const bool done = residual <= d->tolerance;
    solver->report.residual = residual;
    solver->report.position_iterations++;
    if (!done && (iteration == d->iterations || !(residual < HUGE_RESIDUAL)))
      return hn_step_stalled(solver, "dependent coordinates", -1, residual, iteration);
    if (!done && residual > slow_reduction * previous) {
      reason = factor(solver);
      if (reason == HN_CONVERGED) place(solver);
    }
    if (reason == HN_CONVERGED) correct(d);
    if (done) break;
    previous = residual;
  }
  if (reason == HN_CONVERGED) place(solver);
  return reason;
}

/* Solves for the dependent velocities, given the independent ones in d->split; sets the twists of the
 * stage. */
static void solve_velocities(hn_solver *solver)
{
  hn_independent *d = solver->data;
  const hn_basis *b = &d->basis;
  const int r = hn_basis_dependents(b);
  memset(d->split, 0, sizeof *d->split * (size_t)r);
  hn_basis_join(b, d->split, d->u);
  for (int i = 0; i < r; i++) {
    const int row = (int)b->row[i];
    d->split[i] = -hn_basis_row_product(b, solver->system, row, d->u) - solver->system->bias[row];
  }
  hn_lu_solve(r, d->A_d, d->pivot_d, d->split);
  hn_basis_join(b, d->split, d->u);
  hn_basis_scatter(b, d->start, d->u, d->at->twist);
}

/* ---- Accelerations ------------------------------------------------------------------------------------- */

/* Computes the divided velocities SPLIT in the axes of the bodies at the stage. */
static void turn(hn_independent *d, const double *split, double *out)
{
  hn_basis_join(&d->basis, split, d->x);
  hn_basis_scatter(&d->basis, d->start, d->x, d->acceleration);
  hn_basis_gather(&d->basis, d->at, d->acceleration, out);
}

/* Computes X, N and the factor of N' N; stores the largest row of X of the step. */
static bool span_null_space(hn_independent *d)
{
  const int n = d->basis.n, r = hn_basis_dependents(&d->basis), f = n - r;
  for (int k = 0; k < f; k++) {
    double *column = d->X + k * r;
    hn_lu_solve(r, d->A_d, d->pivot_d, column);
    memcpy(d->split, column, sizeof *column * (size_t)r);
    for (int i = r; i < n; i++) d->split[i] = i - r == k;
    turn(d, d->split, d->N + k * n);
    for (int j = 0; j <= k; j++)
      d->NN[k * f + j] = d->NN[j * f + k] = long_dot(d->N + k * n, d->N + j * n, n);
  }
  for (int i = 0; i < r; i++) {
    double square = 0.0;
    for (int k = 0; k < f; k++) square += d->X[k * r + i] * d->X[k * r + i];
    *d->basis.dependence = fmax(*d->basis.dependence, sqrt(square));
  }
  if (d->at_first < 0.0) d->at_first = *d->basis.dependence;
  return ldl_factor(f, d->NN);
}

/* Computes the multipliers from the accelerations that they cause, d->c. */
static void solve_multipliers(hn_solver *solver)
{
  hn_independent *d = solver->data;
  const hn_basis *b = &d->basis;
  const int r = hn_basis_dependents(b);
  double *lambda = solver->multipliers;
  hn_basis_turn_forces(b, d->at, d->start, d->c, d->x);
  hn_basis_divide(b, d->x, d->c);
  hn_lu_solve_transposed(r, d->A_d, d->pivot_d, d->c);
  memset(lambda, 0, sizeof *lambda * (size_t)b->m);
  for (int i = 0; i < r; i++) lambda[(int)b->row[i]] = d->c[i];
}

/* Computes ds/dt into d->split and the multipliers, from d->a, the acceleration without joints. */
static void eliminate_multipliers(hn_solver *solver)
{
  hn_independent *d = solver->data;
  const hn_basis *b = &d->basis;
  const int n = b->n, r = hn_basis_dependents(b), f = n - r;
  double *s = d->split + r;
  memset(d->split, 0, sizeof *d->split * (size_t)n);
  for (int i = 0; i < r; i++) d->split[i] = -solver->system->gamma[(int)b->row[i]];
  hn_lu_solve(r, d->A_d, d->pivot_d, d->split);
  turn(d, d->split, d->c);
  for (int i = 0; i < n; i++) d->c[i] -= d->a[i];
  for (int k = 0; k < f; k++) s[k] = -long_dot(d->N + k * n, d->c, n);
  ldl_solve(f, d->NN, s);
  for (int k = 0; k < f; k++)
    for (int i = 0; i < n; i++) d->c[i] += s[k] * d->N[k * n + i];
  solve_multipliers(solver);
}

/* Computes positions and velocities of the stage from y, and du/dt into d->split. */
static hn_reason evaluate(hn_solver *solver, double t, const double *y)
{
  hn_independent *d = solver->data;
  const hn_basis *b = &d->basis;
  const size_t n = (size_t)b->n, positions = (size_t)hn_basis_position_dependents(b),
               r = (size_t)hn_basis_dependents(b);
  if (!all_finite(y, 2 * b->n)) return hn_step_failed(solver, HN_NOT_FINITE, "trial stage", -1, 0.0);
  d->at->time = t;
  memcpy(d->split, d->guess, sizeof *y * positions);
  memcpy(d->split + positions, y + positions, sizeof *y * (n - positions));
  hn_reason reason = solve_positions(solver);
  memcpy(d->guess, d->split, sizeof *y * positions);
  if (reason == HN_CONVERGED) reason = factor(solver);
  if (reason != HN_CONVERGED) return reason;
  memcpy(d->split + r, y + n + r, sizeof *y * (n - r));
  solve_velocities(solver);
  hn_system_gamma(solver->system, d->at);
  hn_system_free_acceleration(solver->system, d->at, d->acceleration);
  hn_basis_gather(b, d->at, d->acceleration, d->a);
  if (!span_null_space(d)) return singular(solver);
  eliminate_multipliers(solver);
  return HN_CONVERGED;
}

/* Computes the derivatives of y: 0 for the dependent components, which are not integrated. */
static hn_reason derivatives(hn_solver *solver, double t, const double *y, double *dydt)
{
  hn_independent *d = solver->data;
  const hn_basis *b = &d->basis;
  hn_reason reason = evaluate(solver, t, y);
  if (reason != HN_CONVERGED) return reason;
  hn_basis_flow(b, d->D, d->u, d->x);
  hn_basis_divide(b, d->x, dydt);
  memset(dydt, 0, sizeof *dydt * (size_t)hn_basis_position_dependents(b));
  memcpy(dydt + b->n, d->split, sizeof *dydt * (size_t)b->n);
  memset(dydt + b->n, 0, sizeof *dydt * (size_t)hn_basis_dependents(b));
  return HN_CONVERGED;
}

/* ---- Step ---------------------------------------------------------------------------------------------- */

/* Takes the step of h from d->start with the present choice of coordinates. */
static hn_reason integrate(hn_solver *solver, double h)
{
  hn_independent *d = solver->data;
  const hn_basis *b = &d->basis;
  const double t = d->start->time;
  *d->basis.dependence = 0.0, d->at_first = -1.0;
  hn_state_copy(d->at, d->start);
  hn_reason reason = factor(solver);
  if (reason != HN_CONVERGED) return reason;
  memset(d->ode.y, 0, sizeof *d->ode.y * 2 * (size_t)b->n);
  memset(d->guess, 0, sizeof *d->guess * (size_t)b->n);
  hn_basis_gather(b, d->start, d->start->twist, d->u);
  hn_basis_divide(b, d->u, d->ode.y + b->n);
  reason = hn_integrator_apply(&d->ode, t, h);
  return reason == HN_CONVERGED ? evaluate(solver, t + h, d->ode.y) : reason;
}

/* Chooses the coordinates at STATE, where the joints are satisfied. */
static void choose(hn_solver *solver, const hn_state *state)
{
  hn_basis *b = &((hn_independent *)solver->data)->basis;
  hn_system_jacobian(solver->system, state);
  hn_basis_rows(b, solver->system, state);
  hn_basis_choose(b, solver->system, hn_model_size(solver->system->model, state));
}

/* Checks the rows that were not chosen because they repeat others. */
static hn_reason check_all(hn_solver *solver)
{
  const hn_independent *d = solver->data;
  int worst;
  const double residual = hn_system_residual(solver->system, d->at, &worst);
  solver->report.residual = residual;
  if (residual <= d->tolerance) return HN_CONVERGED;
  return hn_step_stalled(solver, "joints taken as redundant", worst, residual, 0);
}

/* Takes the step with the present choice, and checks it. */
static hn_reason attempt(hn_solver *solver, double h)
{
  hn_reason reason = integrate(solver, h);
  return reason == HN_CONVERGED ? check_all(solver) : reason;
}

/* A choice that grows too large within a step suits its start only: the step is repeated with that of its
 * end. */
hn_reason hn_independent_step(hn_solver *solver, hn_state *state, double h)
{
  hn_independent *d = solver->data;
  const hn_basis *b = &d->basis;
  bool fresh = b->counts[2] == 0.0 || *b->dependence > d->growth * fmax(*b->at_choice, 1.0);
  hn_state_copy(d->start, state);
  if (fresh) choose(solver, d->start);
  hn_reason reason = attempt(solver, h);
  const bool grows = reason == HN_CONVERGED && *b->dependence > too_large * fmax(d->at_first, 1.0);
  if (grows || (reason != HN_CONVERGED && !fresh)) {
    fresh = true;
    choose(solver, grows ? d->at : d->start);
    reason = attempt(solver, h);
  }
  if (reason != HN_CONVERGED) return reason;
  if (fresh) *b->at_choice = d->at_first;
  hn_state_copy_motion(state, d->at);
  state->time = d->start->time;
  return HN_CONVERGED;
}

void hn_independent_reset(hn_solver *solver)
{
  ((hn_independent *)solver->data)->basis.counts[2] = 0.0;
}

void *hn_independent_memory(hn_solver *solver, size_t *size)
{
  const hn_independent *d = solver->data;
  *size = sizeof *d->basis.memory * d->basis.memory_size;
  return d->basis.memory;
}

void hn_independent_free(hn_solver *solver)
{
  hn_integrator_free(&((hn_independent *)solver->data)->ode);
}

const char *const hn_independent_variants[] = { "", "stepper=euler", NULL };

int hn_independent_setup(hn_solver *solver, bool orthogonal, hn_error *error)
{
  hn_independent *d = solver->data;
  const size_t bodies = (size_t)solver->system->model->nbody;
  if (hn_basis_setup(solver, &d->basis, orthogonal, error)) return -1;
  const size_t n = (size_t)d->basis.n, square = n * n;
  if (n > MAX_COORDINATES)
    return hn_fail(error, "%s: it makes dense matrices, for at most %d coordinates; this model has %zu",
                   solver->type->name, MAX_COORDINATES, n);
  if (hn_solver_allocate(solver, error, HN_STATE(d->start), HN_STATE(d->at),
                         HN_ARRAY(d->acceleration, bodies), HN_ARRAY(d->D, n), HN_ARRAY(d->u, n),
                         HN_ARRAY(d->a, n), HN_ARRAY(d->c, n), HN_ARRAY(d->x, n), HN_ARRAY(d->split, n),
                         HN_ARRAY(d->guess, n), HN_ARRAY(d->A_d, square), HN_ARRAY(d->A_p, square),
                         HN_ARRAY(d->pivot_d, n), HN_ARRAY(d->pivot_p, n), HN_ARRAY(d->X, square),
                         HN_ARRAY(d->N, square), HN_ARRAY(d->NN, square)))
    return -1;
  d->ode.size = 2 * n, d->ode.derivatives = derivatives;
  if (hn_integrator_check(&d->ode, solver->type->name, d->stepper, error)) return -1;
  return hn_integrator_setup(solver, &d->ode, error);
}
