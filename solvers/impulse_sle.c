/* impulse_sle.c - impulse method, one sparse system for all joints.
 *
 *   find p:  g(flight_h(q, u + W G' p)) = 0        joint correction, at t
 *   repeat   predict;  K p = -g / h;  u += W G' p   K = G W G', factored once a step
 *   then     move;  K p = -G u,  u += W G' p        velocity correction, at t + h
 *
 * Order 2, symmetric (the RATTLE scheme); no drift beyond the tolerance. Cost: one factorisation a step, one flight and
 * one solve an iteration. The factor at t + h serves the velocity correction and the next step's joint correction.
 * [bender2006, eq. 14 and section 4.5; schmitt2005, sections 4 and 5] */
#include "correction.h"

#include <stdlib.h>

typedef struct impulse_sle {
  double tolerance;    /* m, rad */
  int iterations;
  hn_flight_options flight;
  hn_linear_options linear;
  hn_state *trial;     /* prediction at t + h */
  hn_state *factored;  /* where K was factored */
  bool has_factor;
  double *p;           /* [nrow] */
} impulse_sle;

static const hn_param params[] = {
  { "tolerance", HN_REAL, offsetof(impulse_sle, tolerance), "1e-9", 1e-16, 1, "m, rad", NULL,
    "joint error allowed after the joint correction" },
  { "iterations", HN_INTEGER, offsetof(impulse_sle, iterations), "50", 1, 1e6, "", NULL,
    "limit of the joint correction" },
  HN_FLIGHT_PARAMS(impulse_sle, flight, "rk4"),
  HN_LINEAR_PARAMS(impulse_sle, linear),
  { .key = NULL },
};

static int setup(hn_solver *solver, hn_error *error)
{
  impulse_sle *d = solver->data;
  const hn_model *model = solver->system->model;
  d->trial = hn_state_create(model);
  d->factored = hn_state_create(model);
  d->p = calloc((size_t)model->nrow + 1, sizeof *d->p);
  if (!d->trial || !d->factored || !d->p) return hn_fail(error, "out of memory");
  if (hn_system_use_flight(solver->system, &d->flight, error)) return -1;
  return hn_system_use_linear(solver->system, &d->linear, error);
}

static void reset(hn_solver *solver)
{
  ((impulse_sle *)solver->data)->has_factor = false;
}

static void destroy(hn_solver *solver)
{
  impulse_sle *d = solver->data;
  hn_state_free(d->trial);
  hn_state_free(d->factored);
  free(d->p);
}

/* Jacobian and factor of K at the poses of STATE. */
static hn_reason factor(hn_solver *solver, const hn_state *state)
{
  impulse_sle *d = solver->data;
  hn_system_jacobian(solver->system, state);
  hn_reason reason = hn_system_factor(solver->system);
  d->has_factor = reason == HN_CONVERGED;
  hn_state_copy(d->factored, state);
  return d->has_factor ? reason : hn_step_failed(solver, reason, "factorisation of K", -1, 0.0);
}

/* Changes the velocities of STATE until its flight meets all joints; the flight is left in d->trial. */
static hn_reason correct_joints(hn_solver *solver, hn_state *state, double h)
{
  impulse_sle *d = solver->data;
  hn_system *system = solver->system;
  for (int iteration = 0;; iteration++) {
    int worst;
    hn_system_flight(system, state, h, d->trial);
    double residual = hn_system_residual(system, d->trial, &worst);
    solver->report.position_iterations = iteration;
    solver->report.residual = residual;
    if (residual <= d->tolerance) return HN_CONVERGED;
    if (iteration == d->iterations || !(residual < HUGE_RESIDUAL))
      return hn_step_failed(solver, HN_STALLED, "joint correction", worst, residual);
    hn_reason reason = hn_system_solve(system, system->g, d->p);
    if (reason != HN_CONVERGED) return hn_step_failed(solver, reason, "solution for the joint correction", -1, 0.0);
    hn_system_apply(system, d->p, -1.0 / h, state);
  }
}

static hn_reason correct_velocities(hn_solver *solver, hn_state *state)
{
  impulse_sle *d = solver->data;
  hn_system *system = solver->system;
  hn_system_velocity_residual(system, state, d->p, NULL);
  hn_reason reason = hn_system_solve(system, d->p, d->p);
  if (reason != HN_CONVERGED) return hn_step_failed(solver, reason, "solution for the velocity correction", -1, 0.0);
  hn_system_apply(system, d->p, -1.0, state);
  solver->report.velocity_iterations = 1;
  return HN_CONVERGED;
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  impulse_sle *d = solver->data;
  hn_reason reason = HN_CONVERGED;
  if (!d->has_factor || !hn_same_poses(state, d->factored)) reason = factor(solver, state);
  if (reason == HN_CONVERGED) reason = correct_joints(solver, state, h);
  if (reason != HN_CONVERGED) return reason;
  hn_state_copy(state, d->trial);
  reason = factor(solver, state);
  return reason == HN_CONVERGED ? correct_velocities(solver, state) : reason;
}

const hn_solver_type hn_solver_impulse_sle = {
  .abi = HN_ABI, .name = "impulse-sle", .summary = "impulses for all joints at once from one sparse linear system",
  .citation = "Bender and Schmitt 2006, section 4.5; Schmitt, Bender and Prautzsch 2005, sections 4 and 5",
  .capabilities = HN_CAN_BILATERAL, .order = 2, .data_size = sizeof(impulse_sle), .params = params,
  .setup = setup, .step = step, .reset = reset, .free = destroy,
};
