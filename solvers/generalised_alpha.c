/* generalised_alpha.c - generalised-alpha solver on the Lie group (R^3 x SO(3) a body), index 3, implicit.
 *
 *   M u' + f(q, u) = G' lambda,  g(q) = 0 at t + h        u = (v, W): W = R' w, angular velocity, body axes
 *   D = h u_0 + h^2 ((1/2 - beta) a_0 + beta a_1),            q_1 = q_0 exp(D): x += D_x, R_1 = R_0 exp(D_W)
 *   u_1 = u_0 + h ((1 - gamma) a_0 + gamma a_1)
 *   (1 - alpha_m) a_1 + alpha_m a_0 = (1 - alpha_f) u'_1 + alpha_f u'_0
 *   alpha_m = (2 rho - 1) / (rho + 1),  alpha_f = rho / (rho + 1),  gamma = 1/2 + alpha_f - alpha_m,
 *   beta = (gamma + 1/2)^2 / 4                                rho = rho_inf, spectral radius at infinity
 *
 * The unknowns are u'_1 and lambda_1. Let b = h^2 beta (1 - alpha_f) / (1 - alpha_m) = dq_1 / du'_1 and r = W
 * (G' lambda - f) - u'. Newton's equations are solved in the form
 *
 *   K dlambda = -g / b - G r,   u' += r + W G' dlambda,   lambda += dlambda
 *
 * This omits the derivatives of G' lambda, f and the exponential from the matrix. They are smaller by a
 * factor of order h, and so are the residuals after each iteration. G and r are computed anew in each
 * iteration. K is factored once a step, at the predicted positions, and again when an iteration does not
 * halve the residuals. If that does not help, the iteration begins anew with the derivatives of the forces
 * (newton = auto); newton = full has them at once, simplified never. Rows of velocities require G u_1 + bias
 * = 0; this residual times h beta / gamma replaces g, as du_1 / du'_1 is b divided by that factor.
 *
 * a_0 approximates the acceleration at t + (alpha_m - alpha_f) h. At the start of a run, and when the step
 * size changes, it lies on the line through the accelerations at t and, along the Taylor polynomial, at t +
 * h. The velocities are then also changed by O(h^2) across the joints, as the steps themselves do. Without
 * this change the multipliers begin with an error of order h that only damping removes. [arnold2015] Rows of
 * velocities stay satisfied: their own defect is of order h^3, and is divided by h alone. Where the step is
 * too long for the polynomial, as with a stiff spring, a_0 is the acceleration at t.
 *
 * scheme = hht, wbz and newmark are other coefficients (generalised_alpha/alpha_scheme.c); newmark is of
 * order 1 unless gamma = 1/2, and its a_0 belongs to t + (1/2 - gamma) h.
 *
 * formulation = ggl is the stabilised form of index 2 [gear1985; arnold2015]:
 *
 *   G u_1 + bias = 0,  g(q_1) = 0,   D = h u_0 + h^2 ((1/2 - beta) a_0 + beta a_1) + W_0 G_0' eta
 *
 * The velocities determine lambda, as rows of velocities do, and the positions eta, with K deta = -g. The
 * matrix of the equations for eta is G_1 W_0 G_0', which is K but for O(h). Rows of velocities have no
 * condition for eta: G W_0 G_0' eta = 0. The initial velocities are not changed.
 *
 * Order 2 in positions, velocities and multipliers. Positions satisfy the joints to the tolerance, velocities
 * only to order 2, or with ggl to about tolerance / h. The multipliers of index 3 contain the rounding errors
 * of g divided by h^2. Cost: a factorisation a step; a Jacobian, a residual and a solve an iteration; for ggl
 * a Jacobian a step and a solve an iteration more. [bruls2010; chung1993; arnold2007] The papers use the
 * whole iteration matrix. */
#include "generalised_alpha/alpha_step.h"
#include "base/vec.h"
#include "multiplier/lie_group.h"
#include "registry/solver_arrays.h"

#include <string.h>

static const hn_param params[] = {
  { "scheme", HN_CHOICE, offsetof(hn_alpha, scheme.kind), "chung-hulbert", 0, 0, "", HN_ALPHA_SCHEMES,
    "coefficients: chung-hulbert, hht and wbz of order 2, newmark of order 1 unless gamma is 0.5" },
  { "formulation", HN_CHOICE, offsetof(hn_alpha, formulation), "index3", 0, 0, "", "index3,ggl",
    "ggl: velocities satisfy the joints as well (Gear, Gupta and Leimkuhler)" },
  { "rho_inf", HN_REAL, offsetof(hn_alpha, scheme.rho_inf), "0.9", 0, 0.999, "", NULL,
    "spectral radius at infinity: 0 damps fast motions in one step; 1, no damping, would not converge" },
  { "gamma", HN_REAL, offsetof(hn_alpha, scheme.given_gamma), "0", 0, 1.5, "", NULL,
    "newmark: weight of the new acceleration in the velocity; 0: by rho_inf" },
  { "beta", HN_REAL, offsetof(hn_alpha, scheme.given_beta), "0", 0, 1, "", NULL,
    "newmark: weight of the new acceleration in the position; 0: by gamma" },
  { "tolerance", HN_REAL, offsetof(hn_alpha, tolerance), "1e-11", 1e-16, 1, "m, rad", NULL,
    "joint error allowed, and displacement error due to the accelerations" },
  { "iterations", HN_INTEGER, offsetof(hn_alpha, iterations), "100", 1, 1e6, "", NULL,
    "limit of Newton iterations" },
  HN_NEWTON_PARAM(hn_alpha, full),
  HN_LINEAR_PARAMS(hn_alpha, linear),
  { .key = NULL },
};

static int setup(hn_solver *solver, hn_error *error)
{
  hn_alpha *d = solver->data;
  const size_t bodies = (size_t)solver->system->model->nbody, rows = (size_t)solver->system->model->nrow;
  d->memory_size = 1 + (13 + 3 * 6) * bodies + rows;
  if (hn_alpha_scheme_setup(&d->scheme, d->formulation == HN_ALPHA_GGL, error)) return -1;
  if (hn_solver_allocate(solver, error, HN_STATE(d->start), HN_STATE(d->trial), HN_ARRAY(d->u, bodies),
                         HN_ARRAY(d->rate0, bodies), HN_ARRAY(d->a0, bodies), HN_ARRAY(d->D, bodies),
                         HN_ARRAY(d->D0, bodies), HN_ARRAY(d->u0, bodies), HN_ARRAY(d->right, bodies),
                         HN_ARRAY(d->p, rows), HN_ARRAY(d->memory, d->memory_size)))
    return -1;
  if (d->formulation == HN_ALPHA_GGL && hn_solver_allocate(solver, error, HN_ARRAY(d->T0, 12 * rows),
                                                           HN_ARRAY(d->v, rows), HN_ARRAY(d->across, bodies)))
    return -1;
  d->h = d->memory;
  d->last = d->h + 1;
  d->u1 = (hn_twist *)(d->last + 13 * bodies);
  d->rate = d->u1 + bodies;
  d->a = d->rate + bodies;
  d->lambda = (double *)(d->a + bodies);
  if (hn_full_newton_setup(solver, &d->full, d->linear.redundancy, error)) return -1;
  return hn_system_use_linear(solver->system, &d->linear, error);
}

static void free_data(hn_solver *solver)
{
  hn_full_newton_free(&((hn_alpha *)solver->data)->full);
}

static void reset(hn_solver *solver)
{
  *((hn_alpha *)solver->data)->h = 0.0;
}

static void *memory(hn_solver *solver, size_t *size)
{
  const hn_alpha *d = solver->data;
  *size = sizeof *d->memory * d->memory_size;
  return d->memory;
}

/* Computes out += s a. */
static void add_scaled(hn_twist *out, double s, const hn_twist *a)
{
  vec_add_scaled(out->v, s, a->v);
  vec_add_scaled(out->w, s, a->w);
}

/* Computes the parts of D, u_1 and a_1 that do not depend on u'_1, into d->D0, d->u0 and d->a. */
static void predict(hn_alpha *d, double h)
{
  const double rest = 1.0 / (1.0 - d->scheme.alpha_m);
  for (int i = 0; i < d->trial->nbody; i++) {
    hn_twist *a = &d->a[i], *D = &d->D0[i], *u = &d->u0[i];
    *a = *D = (hn_twist){ { 0 }, { 0 } }, *u = d->u[i];
    add_scaled(a, d->scheme.alpha_f * rest, &d->rate0[i]);
    add_scaled(a, -d->scheme.alpha_m * rest, &d->a0[i]);
    add_scaled(D, h, u);
    add_scaled(D, h * h * (0.5 - d->scheme.beta), &d->a0[i]);
    add_scaled(D, h * h * d->scheme.beta, a);
    add_scaled(u, h * (1.0 - d->scheme.gamma), &d->a0[i]);
    add_scaled(u, h * d->scheme.gamma, a);
  }
}

/* Prepares a step: continues the last one if STATE is its end, else computes initial values. */
static hn_reason begin_step(hn_solver *solver, const hn_state *state, double h)
{
  hn_alpha *d = solver->data;
  size_t bodies = (size_t)state->nbody;
  bool continues = *d->h > 0.0 && memcmp(state->pose, d->last, sizeof *d->last * 13 * bodies) == 0;
  hn_reason reason = HN_CONVERGED;
  hn_state_copy(d->start, state);
  memcpy(d->trial->input, state->input, sizeof *state->input * (size_t)state->ninput);
  if (continues) memcpy(d->u, d->u1, sizeof *d->u * bodies);
  else hn_to_body_axes(state, state->twist, d->u);
  if (!continues || *d->h != h) reason = hn_alpha_start(solver, h, continues ? *d->h : 0.0);
  *d->h = h;
  if (d->formulation == HN_ALPHA_GGL) {
    hn_system_jacobian(solver->system, d->start);
    memcpy(d->T0, solver->system->T, sizeof *d->T0 * 12 * (size_t)solver->system->model->nrow);
    memset(d->across, 0, sizeof *d->across * bodies);
  }
  memcpy(d->rate0, d->rate, sizeof *d->rate * bodies);
  memcpy(d->a0, d->a, sizeof *d->a * bodies);
  predict(d, h);
  return reason;
}

static int order_of(const hn_solver *solver)
{
  return hn_alpha_scheme_order(&((const hn_alpha *)solver->data)->scheme);
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  hn_alpha *d = solver->data;
  double time = state->time;
  hn_reason reason = begin_step(solver, state, h);
  if (reason == HN_CONVERGED) reason = hn_alpha_solve(solver, h);
  if (reason != HN_CONVERGED) return reason;
  hn_alpha_advance(solver, h);
  hn_combine_twists(state->nbody, d->a, d->a, d->scheme.ratio, d->rate);
  hn_state_copy(state, d->trial);
  memcpy(d->last, state->pose, sizeof *d->last * 13 * (size_t)state->nbody);
  state->time = time;
  memcpy(solver->multipliers, d->lambda, sizeof *d->lambda * (size_t)solver->system->model->nrow);
  return HN_CONVERGED;
}

static const char *const variants[] = { "",           "rho_inf=0.5", "formulation=ggl", "newton=full",
                                        "scheme=hht", "scheme=wbz",  "scheme=newmark",  NULL };

const hn_solver_type hn_solver_generalised_alpha = {
  .abi = HN_ABI,
  .name = "generalised-alpha",
  .summary = "generalised-alpha on the Lie group: implicit, index 3, damping by rho_inf",
  .citation =
    "Bruls and Cardona 2010; Chung and Hulbert 1993; Arnold and Bruls 2007; Hilber, Hughes and Taylor "
    "1977; Wood, Bossak and Zienkiewicz 1980; Newmark 1959; Arnold, Bruls and Cardona 2015",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_COMPLIANT | HN_HAS_MULTIPLIERS | HN_CAN_VELOCITY |
                  HN_CAN_EXTRA_FORCES | HN_IS_MULTISTEP,
  .order = 0,
  .data_size = sizeof(hn_alpha),
  .params = params,
  .setup = setup,
  .free = free_data,
  .step = step,
  .reset = reset,
  .memory = memory,
  .order_of = order_of,
  .variants = variants,
};
