/* impulse_newton.c - impulse method, the joint correction by Newton's method with its exact derivative.
 *
 *   F(x) = g(flight_h(q, u + W G(q)' x/h)) = 0        joint correction, at t; x/h are the impulses
 *   repeat   M_h dx = -F(x),  x += damping dx          by SNES with a line search
 *            M_h = G(q(h)) D W G(q)',  D = (1/h) d flight_h/du: I for the translation
 *   then     move;  K p = -G u,  u += W G' p           velocity correction, at t + h (rattle.c)
 *
 * M_h is not symmetric; it tends to K as h tends to 0. For particles it is the matrix of section 5 of the
 * source, up to signs and lengths: a row there is the squared length, half of whose derivative is the vector
 * A_r(h). M_h is computed anew in every iteration: convergence is quadratic, and a body may turn far in a
 * step, where a frozen K diverges.
 *
 * D of a rigid body is the derivative of the final orientation, as a world rotation vector, with respect to
 * the initial world angular velocity. It is computed by central differences of the flight in use:
 *
 *   D e_c = (rotation vector of q(w + d e_c) q(w - d e_c)^-1) / (2 d h),   d h = eps^(1/3) rad
 *
 * eps is the unit round-off, or the tolerance of an adaptive taylor flight. The error of D is about eps^(2/3)
 * = 4e-11, too small to slow Newton's method. The six flights of every rigid body are counted as work.
 *
 * Order 2, symmetric; no drift beyond the tolerance. Cost of an iteration: a factorisation, a solve, a
 * Jacobian, one flight a body (one more for each point of the line search) and six more a rigid body. The
 * velocity correction needs one factorisation of K a step, as in impulse-sle. A line search that finds no
 * decrease, as where M_h is singular, ends the step as stalled; an M_h that PETSc's LU cannot factor ends it
 * as singular. [schmitt2005, section 5, equations 5.2 to 5.10] We damp; the paper takes full steps
 * (line_search=basic). */
#include "elementary.h"
#include "base/module.h"
#include "linear/linear.h"
#include "linear/newton_matrix.h"
#include "impulse/rattle.h"
#include "base/vec.h"
#include "registry/solver_arrays.h"
#include "registry/step_doubling.h"

#include <float.h>
#include <string.h>

typedef struct newton_data {
  hn_rattle rattle;
  int line_search;
  const hn_newton_type *type;
  void *newton; /* NULL without joints */
  hn_newton_matrix matrix;
  hn_state *start;          /* state before the correction */
  hn_state *changed;        /* initial state of flights with changed angular velocities */
  hn_state *forward, *back; /* final states of these flights */
  double *D;                /* [9 nbody] derivative of the rotation, row by row */
  double *G, *T;            /* [12 nrow] G(q(h)); D W G(q)' */
  double *x, *p;            /* [nrow] argument of the last flight; its impulses, in packed order */
  bool has_flown;           /* x is valid */
  /* valid during a correction */
  hn_solver *solver;
  hn_state *state;
  double h;
} newton_data;

static const char *const line_searches[] = { "bt", "basic", "l2", "cp" };

static const hn_param params[] = {
  HN_RATTLE_PARAMS(newton_data, rattle, "1e-9", "exact"),
  { "line_search", HN_CHOICE, offsetof(newton_data, line_search), "bt", 0, 0, "", "bt,basic,l2,cp",
    "line search of PETSc's SNES: backtracking, none, secant on |F|^2, critical point" },
  HN_HALVING_PARAM(newton_data, rattle.halving),
  HN_STEP_CONTROL_PARAM(newton_data, rattle.control),
  HN_ERROR_TOLERANCE_PARAM(newton_data, rattle.error_tolerance),
  { .key = NULL },
};

/* ---- The residual -------------------------------------------------------------------------------------- */

/* Applies the impulses x/h to the initial velocities, and computes the flight and its residual; returns at
 * once if x is unchanged. */
static void fly(newton_data *d, const double *x)
{
  hn_system *system = d->solver->system;
  const int nrow = system->model->nrow;
  if (d->has_flown && memcmp(x, d->x, sizeof *x * (size_t)nrow) == 0) return;
  memcpy(d->x, x, sizeof *x * (size_t)nrow);
  for (int i = 0; i < nrow; i++) d->p[i] = x[d->matrix.row_at[i]];
  memcpy(d->state->twist, d->start->twist, sizeof *d->state->twist * (size_t)d->state->nbody);
  hn_system_apply(system, d->p, 1.0 / d->h, d->state);
  hn_system_flight(system, d->state, d->h, d->rattle.trial);
  hn_system_residual(system, d->rattle.trial, NULL);
  d->has_flown = true;
}

/* Computes F(x), in the order of the matrix. */
static void residual(void *user, const double *x, double *F)
{
  newton_data *d = user;
  const hn_system *system = d->solver->system;
  fly(d, x);
  for (int i = 0; i < system->model->nrow; i++) F[d->matrix.row_at[i]] = system->g[i];
}

/* ---- The derivative ------------------------------------------------------------------------------------ */

/* Returns the angle of the central differences, rad: eps^(1/3) balances truncation and round-off. */
static double difference_angle(const hn_flight_options *flight)
{
  bool noisy = flight->kind == HN_TAYLOR && flight->adaptive && flight->tolerance > DBL_EPSILON;
  return hn_cbrt(noisy ? flight->tolerance : DBL_EPSILON);
}

/* Computes the world rotation vector of the small rotation from orientation A to B. */
static void rotation_between(double out[3], const double a[4], const double b[4])
{
  double back[4], turn[4];
  quat_conj(back, a);
  quat_mul(turn, b, back);
  vec_scale(out, turn[0] < 0 ? -2.0 : 2.0, turn + 1);
}

/* Computes the flights of all rotating bodies with component C of their angular velocity changed by CHANGE.
 * */
static void fly_changed(newton_data *d, int c, double change, hn_state *end)
{
  hn_system *system = d->solver->system;
  for (int k = 0; k < system->nrotating; k++) {
    int i = system->rotating[k];
    d->changed->twist[i] = d->state->twist[i];
    d->changed->twist[i].w[c] += change;
  }
  hn_system_flight_of(system, system->rotating, system->nrotating, d->changed, d->h, end);
}

/* Computes D of all rotating bodies. */
static void differentiate_flight(newton_data *d)
{
  const hn_system *system = d->solver->system;
  const double angle = difference_angle(&d->rattle.flight);
  for (int c = 0; c < 3; c++) {
    fly_changed(d, c, angle / d->h, d->forward);
    fly_changed(d, c, -angle / d->h, d->back);
    for (int k = 0; k < system->nrotating; k++) {
      int i = system->rotating[k];
      double turn[3];
      rotation_between(turn, d->back->pose[i].q, d->forward->pose[i].q);
      for (int r = 0; r < 3; r++) d->D[9 * i + 3 * r + c] = turn[r] / (2.0 * angle);
    }
  }
}

/* Computes the rows of T of one side: D times the rows of W G'. */
static void apply_flight_derivative(const newton_data *d, int body, int rows, const double *from, double *to)
{
  const hn_system *system = d->solver->system;
  memcpy(to, from, sizeof *to * 6 * (size_t)rows);
  if (system->model->body[body].kind != HN_RIGID) return;
  for (int r = 0; r < rows; r++) mat_vec(to + 6 * r + 3, d->D + 9 * body, from + 6 * r + 3);
}

/* Computes M_h at x. */
static void derivative(void *user, const double *x)
{
  newton_data *d = user;
  hn_system *system = d->solver->system;
  fly(d, x);
  differentiate_flight(d);
  for (int j = 0; j < system->model->njoint; j++) {
    const hn_joint *joint = &system->model->joint[j];
    int rows = joint->type->rows, side_a = 12 * joint->row, side_b = side_a + 6 * rows;
    apply_flight_derivative(d, joint->a, rows, system->T + side_a, d->T + side_a);
    apply_flight_derivative(d, joint->b, rows, system->T + side_b, d->T + side_b);
  }
  hn_system_jacobian_into(system, d->rattle.trial, d->G);
  hn_newton_matrix_fill(&d->matrix, d->G, d->T);
  system->work.factorisations++;
  system->work.eliminated += (uint64_t)system->nblock;
  system->work.solves++;
}

/* ---- The correction ------------------------------------------------------------------------------------ */

/* Computes the largest joint error from F and decides whether the iteration continues. */
static hn_newton_verdict check_convergence(void *user, int iteration, const double *F)
{
  newton_data *d = user;
  const hn_model *model = d->solver->system->model;
  hn_report *report = &d->solver->report;
  report->residual = 0.0;
  report->joint = -1;
  for (int j = 0; j < model->njoint; j++) {
    double norm = norm_of(F + d->matrix.row_at[model->joint[j].row], model->joint[j].type->rows);
    if (exceeds(norm, report->residual)) report->residual = norm, report->joint = j;
  }
  if (iteration > 0) report->position_iterations++;
  const int steps = d->rattle.newton_steps;
  if (report->residual <= d->rattle.tolerance) return HN_NEWTON_ACCEPT;
  if (!(report->residual < HUGE_RESIDUAL)) return HN_NEWTON_FAIL;
  return steps > 0 && iteration >= steps ? HN_NEWTON_ACCEPT : HN_NEWTON_CONTINUE;
}

static hn_reason correct_joints(hn_solver *solver, hn_rattle *r, hn_state *state, double h)
{
  newton_data *d = solver->data;
  hn_report *report = &solver->report;
  hn_state_copy(d->start, state);
  hn_state_copy(d->changed, state);
  d->state = state;
  d->h = h;
  d->has_flown = false;
  if (!d->newton) {
    hn_system_flight(solver->system, state, h, r->trial);
    return HN_CONVERGED;
  }
  double *x = r->p;
  hn_reason reason = d->type->solve(d->newton, x);
  if (reason == HN_SINGULAR && r->linear.redundancy != HN_REFUSE)
    return hn_step_failed(solver, HN_UNSUPPORTED,
                          "factorisation of M_h (its own matrix, no redundancy policy)", -1, 0.0);
  if (reason == HN_SINGULAR) return hn_step_failed(solver, reason, "factorisation of M_h", -1, 0.0);
  if (reason == HN_STALLED)
    return hn_step_stalled(solver, "joint correction", report->joint, report->residual,
                           report->position_iterations);
  if (reason != HN_CONVERGED)
    return hn_step_failed(solver, reason, "joint correction", report->joint, report->residual);
  report->joint = -1;
  fly(d, x); /* the line search may have ended elsewhere */
  return HN_CONVERGED;
}

/* ---- Setup and step ------------------------------------------------------------------------------------ */

static int setup(hn_solver *solver, hn_error *error)
{
  newton_data *d = solver->data;
  hn_system *system = solver->system;
  const size_t rows = (size_t)system->model->nrow;
  d->solver = solver;
  d->rattle.correct_joints = correct_joints;
  if (hn_rattle_setup(solver, &d->rattle, error) ||
      hn_solver_allocate(solver, error, HN_STATE(d->start), HN_STATE(d->changed), HN_STATE(d->forward),
                         HN_STATE(d->back), HN_ARRAY(d->D, 9 * (size_t)system->model->nbody),
                         HN_ARRAY(d->G, 12 * rows), HN_ARRAY(d->T, 12 * rows), HN_ARRAY(d->x, rows),
                         HN_ARRAY(d->p, rows)))
    return -1;
  if (hn_doubling_setup(solver, d->rattle.error_tolerance, false, error)) return -1;
  if (system->model->nrow == 0) return 0;
  if (hn_newton_matrix_create(&d->matrix, system, error)) return -1;
  d->type = hn_petsc_symbol(HN_PETSC_NEWTON, error);
  if (!d->type) return -1;
  const hn_newton_problem problem = { .user = d,
                                      .M = &d->matrix.M,
                                      .iterations = d->rattle.iterations,
                                      .line_search = line_searches[d->line_search],
                                      .residual = residual,
                                      .derivative = derivative,
                                      .judge = check_convergence };
  d->newton = d->type->create(&problem, error);
  return d->newton ? 0 : -1;
}

static void destroy(hn_solver *solver)
{
  newton_data *d = solver->data;
  if (d->newton) d->type->free(d->newton);
  hn_newton_matrix_free(&d->matrix);
}

const hn_solver_type hn_solver_impulse_newton = {
  .abi = HN_ABI,
  .name = "impulse-newton",
  .summary = "impulses for all joints at once by Newton's method, line search",
  .citation = "Schmitt, Bender and Prautzsch 2005, section 5",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_COMPLIANT | HN_KEEPS_MOMENTUM | HN_OWN_MATRIX,
  .order = 2,
  .data_size = sizeof(newton_data),
  .params = params,
  .setup = setup,
  .step = hn_rattle_solver_step,
  .reset = hn_rattle_solver_reset,
  .free = destroy,
  .capabilities_of = hn_rattle_solver_capabilities,
};
