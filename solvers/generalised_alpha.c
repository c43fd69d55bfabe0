/* generalised_alpha.c - generalised-alpha solver on the Lie group (R^3 x SO(3) a body), index 3, implicit.
 *
 *   M u' + f(q, u) = G' lambda,  g(q) = 0 at t + h        u = (v, W): W = R' w, angular velocity, body axes
 *   D = h u_0 + h^2 ((1/2 - beta) a_0 + beta a_1),            q_1 = q_0 exp(D): x += D_x, R_1 = R_0 exp(D_W)
 *   u_1 = u_0 + h ((1 - gamma) a_0 + gamma a_1)
 *   (1 - alpha_m) a_1 + alpha_m a_0 = (1 - alpha_f) u'_1 + alpha_f u'_0
 *   alpha_m = (2 rho - 1) / (rho + 1),  alpha_f = rho / (rho + 1),  gamma = 1/2 + alpha_f - alpha_m,
 *   beta = (gamma + 1/2)^2 / 4                                rho = rho_inf, spectral radius at infinity
 *
 * Newton's iteration with K (multiplier/group_newton.h) finds the unknowns u'_1 and lambda_1, with
 *
 *   b = dq_1 / du'_1 = h^2 beta (1 - alpha_f) / (1 - alpha_m),   b / (du_1 / du'_1) = h beta / gamma
 *
 * a_0 approximates the acceleration at t + (alpha_m - alpha_f) h. At the start of a run, and when the step
 * size changes, it lies on the line through the accelerations at t and, along the Taylor polynomial, at t +
 * h. The velocities are then also changed by O(h^2) across the joints, as the steps themselves do. Without
 * this change the multipliers begin with an error of order h that only damping removes. [arnold2015] Rows of
 * velocities stay satisfied: their own defect is of order h^3, and is divided by h alone.
 *
 * Order 2 in positions, velocities and multipliers. Positions satisfy the joints to the tolerance, velocities
 * only to order 2. The multipliers contain the rounding errors of g divided by h^2. Cost: a factorisation a
 * step; a Jacobian, a residual and a solve an iteration. [bruls2010; chung1993; arnold2007] The papers use
 * the whole iteration matrix. */
#include "multiplier/group_newton.h"
#include "multiplier/lie_group.h"
#include "multiplier/multipliers.h"
#include "base/vec.h"
#include "registry/solver_arrays.h"

#include <string.h>

typedef struct generalised_alpha {
  double rho_inf;
  double tolerance; /* m, rad */
  int iterations;
  hn_linear_options linear;
  double alpha_m, alpha_f, beta, gamma;
  hn_state *start, *trial; /* start of the step; trial state at t + h */
  /* [nbody] velocities at t and t + h; here and below, angular parts are in body axes */
  hn_twist *u, *u1;
  hn_twist *rate0, *rate; /* [nbody] u' at t and t + h */
  hn_twist *a0, *a;       /* [nbody] acceleration-like variables a_0, a_1 */
  hn_twist *D, *D0, *u0;  /* [nbody] displacement; the parts of D and u1 that do not depend on u' */
  hn_twist *right;        /* [nbody] scratch, world axes */
  double *lambda, *p;     /* [nrow] */
  double *memory;         /* memory of the solver: u1, rate, a, lambda, and the two below */
  size_t memory_size;     /* numbers in `memory` */
  double *h;              /* step size of the last step; 0: none */
  double *last;           /* [13 nbody] poses and twists at its end */
} generalised_alpha;

static const hn_param params[] = {
  { "rho_inf", HN_REAL, offsetof(generalised_alpha, rho_inf), "0.9", 0, 0.999, "", NULL,
    "spectral radius at infinity: 0 damps fast motions in one step; 1, no damping, would not converge" },
  { "tolerance", HN_REAL, offsetof(generalised_alpha, tolerance), "1e-11", 1e-16, 1, "m, rad", NULL,
    "joint error allowed, and displacement error due to the accelerations" },
  { "iterations", HN_INTEGER, offsetof(generalised_alpha, iterations), "100", 1, 1e6, "", NULL,
    "limit of Newton iterations" },
  HN_LINEAR_PARAMS(generalised_alpha, linear),
  { .key = NULL },
};

static int setup(hn_solver *solver, hn_error *error)
{
  generalised_alpha *d = solver->data;
  const size_t bodies = (size_t)solver->system->model->nbody, rows = (size_t)solver->system->model->nrow;
  const double rho = d->rho_inf;
  d->memory_size = 1 + (13 + 3 * 6) * bodies + rows;
  d->alpha_m = (2.0 * rho - 1.0) / (rho + 1.0);
  d->alpha_f = rho / (rho + 1.0);
  d->gamma = 0.5 + d->alpha_f - d->alpha_m;
  d->beta = 0.25 * (d->gamma + 0.5) * (d->gamma + 0.5);
  if (hn_solver_allocate(solver, error, HN_STATE(d->start), HN_STATE(d->trial), HN_ARRAY(d->u, bodies),
                         HN_ARRAY(d->rate0, bodies), HN_ARRAY(d->a0, bodies), HN_ARRAY(d->D, bodies),
                         HN_ARRAY(d->D0, bodies), HN_ARRAY(d->u0, bodies), HN_ARRAY(d->right, bodies),
                         HN_ARRAY(d->p, rows), HN_ARRAY(d->memory, d->memory_size)))
    return -1;
  d->h = d->memory;
  d->last = d->h + 1;
  d->u1 = (hn_twist *)(d->last + 13 * bodies);
  d->rate = d->u1 + bodies;
  d->a = d->rate + bodies;
  d->lambda = (double *)(d->a + bodies);
  return hn_system_use_linear(solver->system, &d->linear, error);
}

static void reset(hn_solver *solver)
{
  *((generalised_alpha *)solver->data)->h = 0.0;
}

static void *memory(hn_solver *solver, size_t *size)
{
  const generalised_alpha *d = solver->data;
  *size = sizeof *d->memory * d->memory_size;
  return d->memory;
}

/* ---- The group ----------------------------------------------------------------------------------------- */

/* Computes out += s a. */
static void add_scaled(hn_twist *out, double s, const hn_twist *a)
{
  vec_add_scaled(out->v, s, a->v);
  vec_add_scaled(out->w, s, a->w);
}

/* Computes the parts of D, u_1 and a_1 that do not depend on u'_1, into d->D0, d->u0 and d->a. */
static void predict(generalised_alpha *d, double h)
{
  const double rest = 1.0 / (1.0 - d->alpha_m);
  for (int i = 0; i < d->trial->nbody; i++) {
    hn_twist *a = &d->a[i], *D = &d->D0[i], *u = &d->u0[i];
    *a = *D = (hn_twist){ { 0 }, { 0 } }, *u = d->u[i];
    add_scaled(a, d->alpha_f * rest, &d->rate0[i]);
    add_scaled(a, -d->alpha_m * rest, &d->a0[i]);
    add_scaled(D, h, u);
    add_scaled(D, h * h * (0.5 - d->beta), &d->a0[i]);
    add_scaled(D, h * h * d->beta, a);
    add_scaled(u, h * (1.0 - d->gamma), &d->a0[i]);
    add_scaled(u, h * d->gamma, a);
  }
}

/* Computes the trial state from d->rate. */
static void advance(hn_solver *solver, double h)
{
  generalised_alpha *d = solver->data;
  const double ratio = (1.0 - d->alpha_f) / (1.0 - d->alpha_m);
  hn_combine_twists(d->trial->nbody, d->D, d->D0, h * h * d->beta * ratio, d->rate);
  hn_combine_twists(d->trial->nbody, d->u1, d->u0, h * d->gamma * ratio, d->rate);
  hn_group_move(solver->system, d->start, d->D, d->u1, d->trial);
  d->trial->time = d->start->time + h;
}

/* ---- Start of a run ------------------------------------------------------------------------------------ */

/* Computes u' at the state `start` moved by the Taylor polynomial over S, into OUT. */
static hn_reason accelerations_after(hn_solver *solver, double s, hn_twist *out)
{
  generalised_alpha *d = solver->data;
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
  generalised_alpha *d = solver->data;
  const double c = scale * (1.0 / 6.0 - 0.5 * (d->alpha_m - d->alpha_f) - d->beta);
  for (int i = 0; i < d->trial->nbody; i++) {
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
  hn_combine_twists(d->trial->nbody, d->u, d->u, 1.0, d->a0);
  return HN_CONVERGED;
}

/* Computes u', a, lambda and the initial velocities for steps of H. PREVIOUS is the step size before, or
 * 0. */
static hn_reason initialise(hn_solver *solver, double h, double previous)
{
  generalised_alpha *d = solver->data;
  memset(d->rate, 0, sizeof *d->rate * (size_t)d->trial->nbody); /* a failed step leaves them undefined */
  hn_reason reason = accelerations_after(solver, 0.0, d->rate);
  if (reason == HN_CONVERGED) reason = accelerations_after(solver, h, d->a);
  if (reason != HN_CONVERGED) return reason;
  memset(d->a0, 0, sizeof *d->a0 * (size_t)d->trial->nbody); /* u'' */
  hn_combine_twists(d->trial->nbody, d->a0, d->a0, 1.0 / h, d->a);
  hn_combine_twists(d->trial->nbody, d->a0, d->a0, -1.0 / h, d->rate);
  hn_combine_twists(d->trial->nbody, d->a, d->rate, (d->alpha_m - d->alpha_f) * h, d->a0);
  return perturb_velocities(solver, h * h - previous * previous);
}

/* Prepares a step: continues the last one if STATE is its end, else computes initial values. */
static hn_reason begin_step(hn_solver *solver, const hn_state *state, double h)
{
  generalised_alpha *d = solver->data;
  size_t bodies = (size_t)state->nbody;
  bool continues = *d->h > 0.0 && memcmp(state->pose, d->last, sizeof *d->last * 13 * bodies) == 0;
  hn_reason reason = HN_CONVERGED;
  hn_state_copy(d->start, state);
  memcpy(d->trial->input, state->input, sizeof *state->input * (size_t)state->ninput);
  if (continues) memcpy(d->u, d->u1, sizeof *d->u * bodies);
  else hn_to_body_axes(state, state->twist, d->u);
  if (!continues || *d->h != h) reason = initialise(solver, h, continues ? *d->h : 0.0);
  *d->h = h;
  memcpy(d->rate0, d->rate, sizeof *d->rate * bodies);
  memcpy(d->a0, d->a, sizeof *d->a * bodies);
  predict(d, h);
  return reason;
}

/* ---- Newton iteration ---------------------------------------------------------------------------------- */

/* Solves for the end of the step. */
static hn_reason solve_step(hn_solver *solver, double h)
{
  const generalised_alpha *d = solver->data;
  const hn_group_newton newton = { .tolerance = d->tolerance,
                                   .iterations = d->iterations,
                                   .b = h * h * d->beta * (1.0 - d->alpha_f) / (1.0 - d->alpha_m),
                                   .velocity_scale = h * d->beta / d->gamma,
                                   .trial = d->trial,
                                   .rate = d->rate,
                                   .right = d->right,
                                   .lambda = d->lambda,
                                   .p = d->p,
                                   .advance = advance };
  return hn_group_solve(solver, &newton, h);
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  generalised_alpha *d = solver->data;
  double time = state->time;
  hn_reason reason = begin_step(solver, state, h);
  if (reason == HN_CONVERGED) reason = solve_step(solver, h);
  if (reason != HN_CONVERGED) return reason;
  advance(solver, h);
  hn_combine_twists(state->nbody, d->a, d->a, (1.0 - d->alpha_f) / (1.0 - d->alpha_m), d->rate);
  hn_state_copy(state, d->trial);
  memcpy(d->last, state->pose, sizeof *d->last * 13 * (size_t)state->nbody);
  state->time = time;
  memcpy(solver->multipliers, d->lambda, sizeof *d->lambda * (size_t)solver->system->model->nrow);
  return HN_CONVERGED;
}

const hn_solver_type hn_solver_generalised_alpha = {
  .abi = HN_ABI,
  .name = "generalised-alpha",
  .summary = "generalised-alpha on the Lie group: implicit, index 3, damping by rho_inf",
  .citation = "Bruls and Cardona 2010; Chung and Hulbert 1993; Arnold and Bruls 2007",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_COMPLIANT | HN_HAS_MULTIPLIERS | HN_CAN_VELOCITY |
                  HN_CAN_EXTRA_FORCES | HN_IS_MULTISTEP,
  .order = 2,
  .data_size = sizeof(generalised_alpha),
  .params = params,
  .setup = setup,
  .step = step,
  .reset = reset,
  .memory = memory,
};
