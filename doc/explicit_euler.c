/* explicit_euler.c - a plugin for Holonom: explicit Euler steps with joint forces and projection. Order 1.
 *
 *   K lambda = -(G a + gamma),  u += h W G' lambda;  free flight over h      a: acceleration without joints
 *   repeat  K mu = -g,  (x, q) += W G' mu  until |g| <= tolerance;  then  K p = -G u,  u += W G' p */
#include <holonom.h>
#include <stdlib.h>

enum { MAX_ITERATIONS = 20 }; /* of a projection */

typedef struct data {
  double tolerance, *p;
  hn_flight_options flight;
  hn_linear_options linear;
  hn_state *work;
} data;

static const hn_param params[] = { { "tolerance", HN_REAL, offsetof(data, tolerance), "1e-10", 1e-16, 1,
                                     "m, rad", NULL, "joint error allowed after a step" },
                                   HN_FLIGHT_PARAMS(data, flight, "rk4"),
                                   HN_LINEAR_PARAMS(data, linear),
                                   { .key = NULL } };

static int setup(hn_solver *solver, hn_error *error)
{
  data *d = solver->data;
  d->work = hn_state_create(solver->system->model);
  d->p = calloc((size_t)solver->system->model->nrow + 1, sizeof *d->p);
  if (!d->work || !d->p) return hn_fail(error, "out of memory");
  if (hn_system_use_flight(solver->system, &d->flight, error)) return -1;
  return hn_system_use_linear(solver->system, &d->linear, error);
}

static void destroy(hn_solver *solver)
{
  data *d = solver->data;
  hn_state_free(d->work), free(d->p);
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  data *d = solver->data;
  hn_system *s = solver->system;
  hn_report *report = &solver->report;
  /* Joint forces. */
  hn_system_jacobian(s, state), hn_system_gamma(s, state);
  hn_system_free_acceleration(s, state, d->work->twist);
  hn_system_velocity_residual(s, d->work, d->p, NULL); /* G a + bias */
  for (int i = 0; i < s->model->nrow; i++) d->p[i] = s->bias[i] - d->p[i] - s->gamma[i];
  if (hn_system_factor(s) || hn_system_solve(s, d->p, d->p)) return HN_SINGULAR;
  hn_system_kick(s, state, h, state->twist), hn_system_apply(s, d->p, h, state); /* forces, then joints */
  hn_system_flight(s, state, h, d->work);
  hn_state_copy(state, d->work);
  /* Projection of the positions, then of the velocities. */
  while ((report->residual = hn_system_residual(s, state, &report->joint)) > d->tolerance) {
    if (report->position_iterations++ == MAX_ITERATIONS) return HN_STALLED;
    hn_system_jacobian(s, state);
    if (hn_system_factor(s) || hn_system_solve(s, s->g, d->p)) return HN_SINGULAR;
    hn_system_displace(s, d->p, -1.0, d->work, state);
  }
  hn_system_jacobian(s, state), hn_system_velocity_residual(s, state, d->p, NULL);
  if (hn_system_factor(s) || hn_system_solve(s, d->p, d->p)) return HN_SINGULAR;
  hn_system_apply(s, d->p, -1.0, state);
  return HN_CONVERGED;
}

static const hn_solver_type explicit_euler = {
  .abi = HN_ABI,
  .name = "explicit-euler",
  .summary = "joint forces by explicit Euler steps, with projection",
  .citation = "Euler 1768",
  .capabilities = HN_CAN_BILATERAL,
  .order = 1,
  .data_size = sizeof(data),
  .params = params,
  .setup = setup,
  .step = step,
  .free = destroy
};
const hn_solver_type *const hn_plugin_solvers[] = { &explicit_euler, NULL };
