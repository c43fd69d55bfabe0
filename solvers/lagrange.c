/* lagrange.c - Lagrange multipliers in acceleration form, integrated by explicit and implicit steppers.
 *
 *   K lambda = -(G a + gamma) - 2 alpha dg/dt - beta^2 g      a: acceleration without joints
 *   du/dt = a + W G' lambda,  dx/dt = v,  dq/dt = (0, w) q / 2
 *
 * alpha = beta = 0 unless stabilisation = baumgarte (g'' + 2 alpha g' + beta^2 g = 0). Index-1 integration
 * drifts, at most like t^2, at the order of the stepper. stabilisation = projection corrects positions and
 * velocities after every step, in the mass metric: K mu = -g, dx = W G' mu, repeated; then K p = -G u, u += W
 * G' p. Order: that of the stepper. Cost: a factorisation and a solve a stage, two for the projection. Rows
 * of velocities are equations of the same form with g = 0. lambda are the joint forces at the end of the
 * step, N and N m, acting on body b. The derivatives computed with them serve the first stage of the next
 * step.
 *
 * formulation = ggl is the differential equation of the stabilised form of index 2 [gear1985]:
 *
 *   (dx/dt, w_q) = u + W G' mu,  K mu = -(G u + bias) - beta g,  dq/dt = (0, w_q) q / 2
 *   K lambda = -(G a + gamma) - 2 alpha (G u + bias)
 *
 * Its invariants are g and G u + bias, of which each is constant without stabilisation, or decays on its own,
 * like exp(-beta t) and exp(-2 alpha t), with baumgarte. mu is zero where the velocities satisfy the joints,
 * so the solution is the same, and so is the order. Velocity errors do not move the positions off the joints:
 * both drift at most like t. Cost: a solve more a stage.
 *
 * group = rkmk, crouch-grossman or commutator-free moves orientations on SO(3) (lagrange/group_step.c), in
 * place of quaternions as four numbers (lagrange/gsl_steps.c): orders 1 to 5, fixed steps.
 *
 * adaptive divides a step. A trial stage with a singular K or a value that is not finite is far from the
 * motion: its part is rejected, as for too large an error, and half of it is tried. The step fails only if K
 * is singular at its start or beyond the smallest part. */
#include "lagrange/group_step.h"
#include "lagrange/gsl_steps.h"
#include "registry/solver_arrays.h"

#include <string.h>

static const hn_param params[] = {
  { "stepper", HN_CHOICE, offsetof(hn_lagrange, stepper), "rk4", 0, 0, "", HN_STEPPERS,
    "integrator: explicit, or from rk1imp on implicit, for small or stiff systems" },
  { "stabilisation", HN_CHOICE, offsetof(hn_lagrange, stabilisation), "none", 0, 0, "",
    "none,baumgarte,projection",
    "correction of the drift of joints: projection removes it, baumgarte bounds it, with its own error" },
  { "formulation", HN_CHOICE, offsetof(hn_lagrange, formulation), "index1", 0, 0, "", "index1,ggl",
    "ggl: positions move with velocities that satisfy the joints (Gear, Gupta and Leimkuhler)" },
  { "group", HN_CHOICE, offsetof(hn_lagrange, group), "none", 0, 0, "", HN_GROUPS,
    "method on the rotation group, for euler, rk2, rk4, and rkmk for rkf45 and rkck; none: quaternions" },
  { "alpha", HN_REAL, offsetof(hn_lagrange, alpha), "20", 0, 1e6, "1/s", NULL, "baumgarte: damping" },
  { "beta", HN_REAL, offsetof(hn_lagrange, beta), "20", 0, 1e6, "1/s", NULL,
    "baumgarte: frequency; with formulation=ggl the rate of decay of the joint errors" },
  { "tolerance", HN_REAL, offsetof(hn_lagrange, rattle.tolerance), "1e-12", 1e-16, 1, "m, rad", NULL,
    "projection: joint error allowed" },
  { "iterations", HN_INTEGER, offsetof(hn_lagrange, rattle.iterations), "20", 1, 1e6, "", NULL,
    "projection: limit of iterations" },
  { "adaptive", HN_FLAG, offsetof(hn_lagrange, ode.adaptive), "false", 0, 0, "", NULL,
    "divide each step so that its error stays within error_tolerance" },
  { "error_tolerance", HN_REAL, offsetof(hn_lagrange, ode.error_tolerance), "1e-10", 1e-15, 1, "", NULL,
    "adaptive, and Newton's method of rk1imp, rk2imp, rk4imp: local error of every position and velocity, "
    "absolute and relative" },
  HN_LINEAR_PARAMS(hn_lagrange, rattle.linear),
  { .key = NULL },
};

static int order_of(const hn_solver *solver)
{
  const hn_lagrange *d = solver->data;
  return d->group == HN_NO_GROUP ? hn_integrator_order(&d->ode) : hn_steppers[d->stepper].order;
}

static int setup(hn_solver *solver, hn_error *error)
{
  hn_lagrange *d = solver->data;
  const hn_model *model = solver->system->model;
  const size_t bodies = (size_t)model->nbody, rows = (size_t)model->nrow;
  d->time_dependent = hn_depends_on_time(model);
  if ((d->group == HN_NO_GROUP ? hn_gsl_setup : hn_group_setup)(solver, error)) return -1;
  if (hn_rattle_setup(solver, &d->rattle, error)) return -1;
  if (hn_solver_allocate(solver, error, HN_ARRAY(d->acceleration, bodies))) return -1;
  if (d->formulation == HN_GGL &&
      hn_solver_allocate(solver, error, HN_ARRAY(d->velocity, bodies), HN_ARRAY(d->mu, rows)))
    return -1;
  /* Share the scratch of the projection between projections. */
  d->stage = d->rattle.trial, d->right = d->rattle.p, d->gsl.flow = d->rattle.factored.pose;
  d->lambda = solver->multipliers;
  return 0;
}

static void reset(hn_solver *solver)
{
  hn_lagrange *d = solver->data;
  hn_integrator_reset(&d->ode);
  d->is_current = false;
}

static void destroy(hn_solver *solver)
{
  hn_integrator_free(&((hn_lagrange *)solver->data)->ode);
}

/* Projects STATE, the end of a step, onto the constraints. */
static hn_reason project(hn_solver *solver, hn_state *state)
{
  hn_lagrange *d = solver->data;
  d->is_current = false;       /* the projection overwrites stage and flow */
  hn_rattle_reset(&d->rattle); /* stages have factored K elsewhere */
  return hn_rattle_project(solver, &d->rattle, state);
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  hn_lagrange *d = solver->data;
  const bool on_group = d->group != HN_NO_GROUP;
  const size_t inputs = sizeof *state->input * (size_t)state->ninput;
  if (memcmp(d->stage->input, state->input, inputs) != 0) d->is_current = false;
  memcpy(d->stage->input, state->input, inputs);
  hn_reason reason = (on_group ? hn_group_advance : hn_gsl_advance)(solver, state, h);
  if (reason != HN_CONVERGED) return reason;
  if (d->stabilisation == HN_PROJECTION) reason = project(solver, state);
  if (reason != HN_CONVERGED) return reason;
  return (on_group ? hn_group_finish
                   : hn_gsl_finish)(solver, state); /* also the first derivatives of the next step */
}

static const char *const variants[] = { "",
                                        "stepper=euler",
                                        "stepper=rk2",
                                        "stepper=rkf45",
                                        "stepper=rkck",
                                        "stepper=rk8pd",
                                        "stepper=rk2imp",
                                        "stepper=rk4imp",
                                        "stabilisation=baumgarte",
                                        "stabilisation=projection",
                                        "formulation=ggl",
                                        "group=rkmk",
                                        "group=rkmk,stepper=rkf45",
                                        "group=crouch-grossman,stepper=rk2",
                                        "group=commutator-free",
                                        NULL };

const hn_solver_type hn_solver_lagrange = {
  .abi = HN_ABI,
  .name = "lagrange",
  .summary = "Lagrange multipliers, integrated by steppers of GSL and by Runge-Kutta; three stabilisations",
  .citation = "Baumgarte 1972; Ascher, Chin and Reich 1994 (projection); Gear, Gupta and Leimkuhler 1985; "
              "Munthe-Kaas 1998; Celledoni, Marthinsen and Owren 2003",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_COMPLIANT | HN_HAS_MULTIPLIERS | HN_CAN_VELOCITY |
                  HN_CAN_EXTRA_FORCES,
  .order = 0,
  .data_size = sizeof(hn_lagrange),
  .params = params,
  .setup = setup,
  .step = step,
  .reset = reset,
  .free = destroy,
  .order_of = order_of,
  .variants = variants,
};
