/* blie.c - BDF on the Lie group (BLieDF; R^3 x SO(3) a body), index 3, implicit.
 *
 *   M u' + f(q, u) = G' lambda,  g(q) = 0 at t_{n+1}      u = (v, W): W = R' w, angular velocity, body axes
 *   u'_{n+1} = sum_{i=0}^{k-1} gamma_i (u_{n+1-i} - u_{n-i}) / h
 *   u_{n+1} = sum_{i=0}^{k-1} gamma_i D_{n-i} / h - h^2/12 c,       c = (0, W x W')_{n+1}
 *   q_{n+1} = q_n exp(D_n): x += D_x, R_{n+1} = R_n exp(D_W)
 *
 *   gamma = 1;   3/2, -1/2;   11/6, -7/6, 1/3          k = 1, 2, 3
 *
 * gamma are sums of the coefficients of the BDF, gamma_i = alpha_0 + ... + alpha_i. The term c is the
 * correction: D is the integral of u and h^3/12 (0, W x W') plus terms of order h^5, by Magnus's series.
 * Without it velocities have an error of order h^2 for every k, and so have positions and multipliers.
 *
 * Start. The positions of 2 k - 1 steps come from a method of order 4 (multiplier/starting_step.h). The last
 * k velocities of the start are changed across the joints to those that the second formula gives for these
 * positions. With exact velocities there the defect of G u, of order h^k (h^2 without c), jumps at the end of
 * the start, and the multipliers of the next k steps err by that jump divided by h. correction=false is the
 * method without c, after k - 1 steps of start with exact velocities. A change of the step size or of the
 * state starts again.
 *
 * The unknowns are u'_{n+1} and lambda_{n+1}. Newton's iteration (multiplier/group_newton.h) has
 *
 *   b = dq / du' = h^2 / gamma_0^2,   b / (du / du') = h / gamma_0
 *
 * Order k = 1 to 3 in positions, velocities and multipliers. A step multiplies the energy of an undamped
 * oscillator with frequency w by about 1 - (h w)^2, 1 - (h w)^4 / 2 and, with k = 3, 1 + (h w)^4 / 2: the
 * formula of order 3 is not A-stable. It feeds oscillations of h w < 1.93, and damps faster ones. Positions
 * satisfy the joints to the tolerance, velocities only to order k. The multipliers contain the rounding
 * errors of g divided by h^2. Cost: a factorisation a step; a Jacobian, a residual and a solve an iteration.
 * [wieloch2021] The paper uses the whole iteration matrix; our start differs. */
#include "base/vec.h"
#include "multiplier/group_newton.h"
#include "multiplier/lie_group.h"
#include "multiplier/starting_step.h"
#include "registry/solver_arrays.h"

#include <string.h>

enum { MAX_ORDER = 3 };

static const double gamma_of[MAX_ORDER][MAX_ORDER] = { { 1 },
                                                       { 3.0 / 2, -1.0 / 2 },
                                                       { 11.0 / 6, -7.0 / 6, 1.0 / 3 } };

typedef struct blie {
  int order, correction;
  hn_starting_step start; /* its tolerance, iterations and linear back end */
  hn_full_newton full;
  hn_state *from, *trial; /* start of the step; trial state at t + h */
  /* [nbody]; here and below, angular parts are in body axes */
  hn_twist *u0, *D0; /* parts of u_{n+1} and D_n that do not depend on u'_{n+1} */
  hn_twist *right;   /* scratch, world axes */
  double *p;         /* [nrow] */
  double *memory;    /* memory of the solver: all below */
  size_t memory_size;
  double *h, *steps; /* step size of the history; number of steps since its start; 0: none */
  double *last;      /* [13 nbody] poses and twists at its end */
  hn_twist *u[MAX_ORDER + 1], *D[MAX_ORDER]; /* [nbody] u_{n+1-i}, D_{n-i} */
  hn_twist *rate;                            /* [nbody] u'_{n+1} */
  double *lambda;                            /* [nrow] */
} blie;

static const hn_param params[] = {
  { "order", HN_INTEGER, offsetof(blie, order), "2", 1, MAX_ORDER, "", NULL,
    "number k of steps in the formula" },
  { "correction", HN_FLAG, offsetof(blie, correction), "true", 0, 0, "", NULL,
    "correct for the curvature of the group and start with consistent velocities; false: order 2 at most" },
  { "tolerance", HN_REAL, offsetof(blie, start.projection.tolerance), "1e-11", 1e-16, 1, "m, rad", NULL,
    "joint error allowed, and displacement error due to the accelerations" },
  { "iterations", HN_INTEGER, offsetof(blie, start.projection.iterations), "100", 1, 1e6, "", NULL,
    "limit of Newton iterations" },
  HN_NEWTON_PARAM(blie, full),
  HN_LINEAR_PARAMS(blie, start.projection.linear),
  { .key = NULL },
};

static int setup(hn_solver *solver, hn_error *error)
{
  blie *d = solver->data;
  const size_t bodies = (size_t)solver->system->model->nbody, rows = (size_t)solver->system->model->nrow;
  d->memory_size = 2 + (13 + 6 * (2 * MAX_ORDER + 2)) * bodies + rows;
  if (hn_starting_step_setup(solver, &d->start, error) ||
      hn_full_newton_setup(solver, &d->full, d->start.projection.linear.redundancy, error))
    return -1;
  if (hn_solver_allocate(solver, error, HN_STATE(d->from), HN_STATE(d->trial), HN_ARRAY(d->u0, bodies),
                         HN_ARRAY(d->D0, bodies), HN_ARRAY(d->right, bodies), HN_ARRAY(d->p, rows),
                         HN_ARRAY(d->memory, d->memory_size)))
    return -1;
  d->h = d->memory, d->steps = d->h + 1, d->last = d->h + 2;
  d->rate = (hn_twist *)(d->last + 13 * bodies);
  d->u[0] = d->rate + bodies;
  for (int i = 1; i <= MAX_ORDER; i++) d->u[i] = d->u[i - 1] + bodies;
  d->D[0] = d->u[MAX_ORDER] + bodies;
  for (int i = 1; i < MAX_ORDER; i++) d->D[i] = d->D[i - 1] + bodies;
  d->lambda = (double *)(d->D[MAX_ORDER - 1] + bodies);
  return 0;
}

static void free_data(hn_solver *solver)
{
  hn_full_newton_free(&((blie *)solver->data)->full);
}

static int order_of(const hn_solver *solver)
{
  const blie *d = solver->data;
  return d->correction || d->order < 2 ? d->order : 2;
}

static void reset(hn_solver *solver)
{
  blie *d = solver->data;
  *d->steps = 0.0;
  d->start.projection.factored.valid = false;
}

static void *memory(hn_solver *solver, size_t *size)
{
  const blie *d = solver->data;
  *size = sizeof *d->memory * d->memory_size;
  return d->memory;
}

/* ---- History ------------------------------------------------------------------------------------------- */

/* Number of steps of the start. */
static int starting_steps(const blie *d)
{
  return d->correction ? 2 * d->order - 1 : d->order - 1;
}

/* Makes room for u_{n+1} and D_n: shifts the history by one step. */
static void shift(blie *d, int bodies)
{
  const size_t bytes = sizeof **d->u * (size_t)bodies;
  for (int i = MAX_ORDER; i > 0; i--) memcpy(d->u[i], d->u[i - 1], bytes);
  for (int i = MAX_ORDER - 1; i > 0; i--) memcpy(d->D[i], d->D[i - 1], bytes);
}

/* Adds S (0, W x W') of U and RATE to OUT. */
static void add_correction(int bodies, double s, const hn_twist *u, const hn_twist *rate, hn_twist *out)
{
  for (int i = 0; i < bodies; i++) {
    double c[3];
    vec_cross(c, u[i].w, rate[i].w);
    vec_add_scaled(out[i].w, s, c);
  }
}

/* Changes u_{n+1}, the exact velocity at d->trial, across the joints to that of the formula for the
 * displacements of the history. Such a change is due to impulses in the joints, and conserves momentum. */
static hn_reason make_consistent(hn_solver *solver, double h)
{
  blie *d = solver->data;
  const int bodies = d->trial->nbody;
  hn_twist *defect = d->u0, *change = d->u0;
  memset(defect, 0, sizeof *defect * (size_t)bodies);
  for (int i = 0; i < d->order; i++)
    hn_combine_twists(bodies, defect, defect, gamma_of[d->order - 1][i] / h, d->D[i]);
  add_correction(bodies, -h * h / 12.0, d->u[0], d->rate, defect);
  hn_combine_twists(bodies, defect, defect, -1.0, d->u[0]);
  hn_to_world_axes(d->trial, defect, d->right);
  hn_reason reason = hn_part_across_joints(solver, d->trial, d->right, d->p);
  hn_to_body_axes(d->trial, d->right, change);
  hn_combine_twists(bodies, d->u[0], d->u[0], 1.0, change);
  return reason;
}

/* Begins a history at STATE for steps of H, unless it is the end of the last step and of its size. */
static void begin_history(hn_solver *solver, const hn_state *state, double h)
{
  blie *d = solver->data;
  const size_t bodies = (size_t)state->nbody;
  const bool continues = *d->steps > 0.0 && *d->h == h &&
                         memcmp(state->pose, d->last, sizeof *d->last * 13 * bodies) == 0;
  if (continues) return;
  *d->h = h, *d->steps = 0.0;
  memset(d->rate, 0, sizeof *d->rate * bodies);
  memset(d->lambda, 0, sizeof *d->lambda * (size_t)solver->system->model->nrow);
  hn_to_body_axes(state, state->twist, d->u[0]);
}

/* ---- Steps --------------------------------------------------------------------------------------------- */

/* Takes a step of the start, from d->from to d->trial. */
static hn_reason start_step(hn_solver *solver, double h)
{
  blie *d = solver->data;
  hn_reason reason = hn_starting_step_take(solver, &d->start, d->trial, h, d->lambda);
  if (reason != HN_CONVERGED) return reason;
  hn_to_body_axes(d->trial, d->trial->twist, d->u[0]);
  hn_to_body_axes(d->trial, d->start.acceleration, d->rate);
  hn_group_difference(solver->system, d->from, d->trial, d->D[0]);
  return d->correction && *d->steps + 1.0 >= d->order ? make_consistent(solver, h) : HN_CONVERGED;
}

/* Computes the parts of u_{n+1} and D_n that depend on the history alone. Differences of velocities are
 * formed first: then constant velocities and momenta have no systematic rounding error. */
static void predict(blie *d, int bodies, double h)
{
  const double *c = gamma_of[d->order - 1];
  memcpy(d->u0, d->u[1], sizeof *d->u0 * (size_t)bodies);
  for (int i = 1; i < d->order; i++) {
    hn_combine_twists(bodies, d->D0, d->u[i], -1.0, d->u[i + 1]);
    hn_combine_twists(bodies, d->u0, d->u0, -c[i] / c[0], d->D0);
  }
  memset(d->D0, 0, sizeof *d->D0 * (size_t)bodies);
  hn_combine_twists(bodies, d->D0, d->D0, h / c[0], d->u0);
  for (int i = 1; i < d->order; i++) hn_combine_twists(bodies, d->D0, d->D0, -c[i] / c[0], d->D[i]);
}

/* Computes the trial state from u'. */
static void advance(hn_solver *solver, double h)
{
  blie *d = solver->data;
  const int bodies = d->trial->nbody;
  const double c = gamma_of[d->order - 1][0];
  hn_combine_twists(bodies, d->u[0], d->u0, h / c, d->rate);
  hn_combine_twists(bodies, d->D[0], d->D0, h * h / (c * c), d->rate);
  if (d->correction) add_correction(bodies, h * h * h / (12.0 * c), d->u[0], d->rate, d->D[0]);
  hn_group_move(solver->system, d->from, d->D[0], d->u[0], d->trial);
  d->trial->time = d->from->time + h;
}

/* Takes a step of the formula, from d->from to d->trial. */
static hn_reason formula_step(hn_solver *solver, double h)
{
  blie *d = solver->data;
  const double c = gamma_of[d->order - 1][0];
  const hn_group_newton newton = { .tolerance = d->start.projection.tolerance,
                                   .iterations = d->start.projection.iterations,
                                   .b = h * h / (c * c),
                                   .velocity_scale = h / c,
                                   .trial = d->trial,
                                   .rate = d->rate,
                                   .right = d->right,
                                   .lambda = d->lambda,
                                   .p = d->p,
                                   .advance = advance,
                                   .full = &d->full };
  predict(d, d->trial->nbody, h);
  hn_reason reason = hn_group_solve(solver, &newton, h);
  if (reason == HN_CONVERGED) advance(solver, h);
  return reason;
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  blie *d = solver->data;
  begin_history(solver, state, h);
  hn_state_copy(d->from, state);
  hn_state_copy(d->trial, state);
  shift(d, state->nbody);
  hn_reason reason = *d->steps < starting_steps(d) ? start_step(solver, h) : formula_step(solver, h);
  if (reason != HN_CONVERGED) return reason;
  *d->steps += 1.0;
  hn_state_copy_motion(state, d->trial);
  memcpy(d->last, state->pose, sizeof *d->last * 13 * (size_t)state->nbody);
  memcpy(solver->multipliers, d->lambda, sizeof *d->lambda * (size_t)solver->system->model->nrow);
  return HN_CONVERGED;
}

static const char *const variants[] = { "", "order=1", "order=3", "correction=false", NULL };

const hn_solver_type hn_solver_blie = {
  .abi = HN_ABI,
  .name = "blie",
  .summary = "BDF on the Lie group (BLieDF) of order 1 to 3: implicit, index 3",
  .citation = "Wieloch and Arnold 2021",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_COMPLIANT | HN_HAS_MULTIPLIERS | HN_CAN_VELOCITY |
                  HN_CAN_EXTRA_FORCES | HN_IS_MULTISTEP,
  .data_size = sizeof(blie),
  .params = params,
  .setup = setup,
  .free = free_data,
  .step = step,
  .reset = reset,
  .memory = memory,
  .order_of = order_of,
  .variants = variants,
};
