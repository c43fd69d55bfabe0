/* impact_euler.c - a plugin for Holonom: Euler steps with limits, impacts and sleeping. Order 1.
 *
 *   impacts at t;   u += h a;   K p = -(G u + bias) for the active rows,  u += W G' p;   (x, q) += h u
 *   repeat  K mu = -g, mu >= 0 for limits and contacts,  (x, q) += W G' mu  until none is violated
 *
 * The parts are those of parts.h. The active set has p >= 0 where a limit or a contact is closed. Contacts
 * have no friction. */
#include <holonom.h>
#include <parts.h>
#include <stdlib.h>

typedef struct data {
  hn_linear_options linear;
  hn_active active;
  hn_impact impact;
  hn_sleeping rest;
  hn_gap_projection gaps;
  hn_twist *acceleration;
  double *p;
} data;

static const hn_param params[] = { HN_LINEAR_PARAMS(data, linear),
                                   HN_IMPACT_PARAMS(data, impact, "newton", "1e-10"),
                                   HN_SLEEPING_PARAMS(data, rest),
                                   HN_GAP_PROJECTION_PARAMS(data, gaps),
                                   { .key = NULL } };

static int setup(hn_solver *solver, hn_error *error)
{
  data *d = solver->data;
  hn_system *s = solver->system;
  d->impact.touching = 10.0 * d->gaps.tolerance; /* closed: as far as the projection leaves gaps */
  d->acceleration = calloc((size_t)s->model->nbody, sizeof *d->acceleration);
  d->p = calloc((size_t)s->max_rows + 1, sizeof *d->p);
  if (!d->acceleration || !d->p) return hn_fail(error, "out of memory");
  if (hn_system_use_linear(s, &d->linear, error) || hn_active_setup(solver, &d->active, error)) return -1;
  if (hn_impact_setup(solver, &d->impact, error) || hn_sleeping_setup(solver, &d->rest, error)) return -1;
  return hn_gap_projection_setup(solver, &d->gaps, &d->impact.contact, error);
}

static void destroy(hn_solver *solver)
{
  data *d = solver->data;
  hn_impact_free(&d->impact), hn_sleeping_free(&d->rest);
  hn_gap_projection_free(&d->gaps);
  free(d->acceleration), free(d->p);
}

static void reset(hn_solver *solver)
{
  hn_sleeping_reset(&((data *)solver->data)->rest);
}

static void *memory(hn_solver *solver, size_t *size)
{
  return hn_sleeping_memory(&((data *)solver->data)->rest, size);
}

/* Changes the velocities by impulses of the active rows, until none of them pulls and no other row closes. */
static hn_reason constrain(hn_solver *solver, data *d, hn_state *state, double h)
{
  hn_system *s = solver->system;
  hn_active_change change = HN_ACTIVE_CHANGED;
  hn_active_reset(solver, &d->active); /* so that it is no part of the memory */
  hn_active_begin(solver, &d->active, state);
  hn_active_apply_bounds(solver, &d->active, HN_AT_VELOCITIES, h, state);
  while (change == HN_ACTIVE_CHANGED) {
    hn_system_velocity_residual(s, state, d->p, NULL);
    if (hn_system_factor(s) || hn_system_solve(s, d->p, d->p)) return HN_SINGULAR;
    hn_system_apply(s, d->p, -1.0, state);
    hn_active_record(solver, &d->active, d->p, -1.0);
    hn_system_velocity_residual(s, state, d->p, NULL);
    change = hn_active_update(solver, &d->active, HN_AT_VELOCITIES, h, d->impact.touching, d->p, state);
  }
  if (d->active.side)
    for (int i = 0; i < s->nrow; i++) d->p[i] = d->active.impulse[i] + d->impact.p[i];
  if (d->active.side) hn_system_store_impulses(s, d->p, 1.0, state);
  return change == HN_ACTIVE_CYCLE ? HN_STALLED : HN_CONVERGED;
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  data *d = solver->data;
  hn_system *s = solver->system;
  hn_system_linearise(s, state);
  hn_system_free_acceleration(s, state, d->acceleration);
  solver->report.asleep = hn_sleeping_begin(&d->rest, s, state, d->acceleration);
  hn_reason reason = hn_impact_solve(solver, &d->impact, state);
  if (reason != HN_CONVERGED) return reason;
  for (int i = 0; i < state->nbody; i++)
    for (int c = 0; c < 3; c++) {
      state->twist[i].v[c] += h * d->acceleration[i].v[c];
      state->twist[i].w[c] += h * d->acceleration[i].w[c];
    }
  reason = constrain(solver, d, state, h);
  if (reason != HN_CONVERGED) return reason;
  hn_sleeping_stop_bodies(&d->rest, state);
  hn_system_move(s, state->twist, h, state);
  state->time += h;
  hn_sleeping_end(&d->rest, s, h, d->acceleration, state);
  return hn_gap_projection_apply(solver, &d->gaps, &d->rest, d->impact.problem, d->p, state);
}

static const hn_solver_type impact_euler = { .abi = HN_ABI,
                                             .name = "impact-euler",
                                             .summary = "Euler steps with limits, impacts and sleeping",
                                             .citation = "example of a plugin",
                                             .capabilities = HN_CAN_BILATERAL | HN_CAN_PUSH | HN_CAN_WITHIN |
                                                             HN_CAN_BOUNCE | HN_CAN_CHANGE,
                                             .order = 1,
                                             .data_size = sizeof(data),
                                             .params = params,
                                             .setup = setup,
                                             .step = step,
                                             .reset = reset,
                                             .memory = memory,
                                             .free = destroy };
const hn_solver_type *const hn_plugin_solvers[] = { &impact_euler, NULL };
