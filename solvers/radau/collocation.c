/* collocation.c - one step of a Radau IIA method (collocation.h). */
#include "radau/collocation.h"
#include "base/turn.h"
#include "base/vec.h"
#include "elementary.h"
#include "multiplier/multipliers.h"
#include "radau/stage_motion.h"
#include "registry/solver_arrays.h"

#include <float.h>
#include <string.h>

/* Rate of convergence up to which the matrices are kept for the next step. */
static const double keep_rate = 0.02;
/* Rates above this end the iteration: it diverges. */
static const double largest_rate = 0.99;
/* Corrections of simplified Newton before Newton's method; of that, which may grow before it is divergent. */
enum { simple_limit = 15, patience = 8 };
/* Rate above which corrections decrease no more, if they are of the size of rounding errors. */
static const double slow_rate = 0.5;
/* Corrections up to this multiple of their rounding errors, that decrease no more, end the iteration: of
 * simplified Newton; of Newton's method, whose convergence is slow for no other reason. */
static const double stagnation[] = { 30.0, 1e4 };
/* Largest matrix with the derivatives of each stage, in unknowns. */
enum { MAX_ALL = 6000 };

/* ---- Setup --------------------------------------------------------------------------------------------- */

static int allocate_memory(hn_solver *solver, hn_collocation *d, hn_error *error)
{
  const hn_model *model = solver->system->model;
  hn_collocation_memory *m = &d->memory;
  const size_t bodies = (size_t)model->nbody, rows = (size_t)model->nrow, inputs = (size_t)model->ninput,
               stages = (size_t)d->stages;
  m->linear_size = 2 + 13 * bodies + inputs + rows;
  m->size = 2 + 13 * bodies + inputs + 6 * bodies + rows + stages * d->size + m->linear_size;
  if (hn_solver_allocate(solver, error, HN_ARRAY(m->block, m->size), HN_ARRAY(d->factored, m->linear_size)))
    return -1;
  m->h = m->block, m->next = m->h + 1, m->end = m->next + 1;
  m->a = m->end + 13 * bodies + inputs;
  m->lambda = m->a + 6 * bodies;
  m->Z = m->lambda + rows;
  m->linear = m->Z + stages * d->size;
  return 0;
}

static int setup_matrices(hn_solver *solver, hn_collocation *d, hn_error *error)
{
  if (hn_tangent_setup(solver, &d->tangent, error)) return -1;
  if (hn_saddle_pattern_setup(solver, &d->pattern, &d->tangent, error)) return -1;
  if ((d->stages % 2 == 1 || d->estimates) &&
      hn_saddle_setup(solver, &d->real, &d->pattern, false, d->dense, error))
    return -1;
  for (int k = 0; k < d->stages / 2; k++)
    if (hn_saddle_setup(solver, &d->pair[k], &d->pattern, true, d->dense, error)) return -1;
  if (d->gives_up || d->stages * d->pattern.n > MAX_ALL) return 0;
  return hn_stage_saddle_setup(solver, &d->all, &d->pattern, &d->tangent, d->stages, d->dense, error);
}

int hn_collocation_setup(hn_solver *solver, hn_collocation *d, hn_error *error)
{
  const hn_model *model = solver->system->model;
  const size_t bodies = (size_t)model->nbody, rows = (size_t)model->nrow, stages = (size_t)d->stages;
  d->method = hn_radau_find(d->stages);
  if (!d->method) return hn_fail(error, "radau: stages must be 1, 2, 3, 5 or 7, not %d", d->stages);
  d->size = 12 * bodies + 2 * rows;
  if (hn_solver_allocate(solver, error, HN_ARRAY(d->Z, stages * d->size), HN_ARRAY(d->R, stages * d->size),
                         HN_ARRAY(d->error, d->size), HN_ARRAY(d->a0, 6 * bodies), HN_ARRAY(d->lambda0, rows),
                         HN_ARRAY(d->flow, bodies), HN_STATE(d->start), HN_STATE(d->trial)))
    return -1;
  if (allocate_memory(solver, d, error) || setup_matrices(solver, d, error)) return -1;
  return hn_system_use_linear(solver->system, &d->linear, error);
}

void hn_collocation_free(hn_collocation *d)
{
  hn_saddle_free(&d->real);
  hn_stage_saddle_free(&d->all);
  for (int k = 0; k < HN_RADAU_PAIRS; k++) hn_saddle_free(&d->pair[k]);
}

void hn_collocation_reset(hn_collocation *d)
{
  *d->memory.h = *d->memory.next = d->memory.linear[0] = d->factored[0] = 0.0;
}

/* Returns stage I of the array Z or R. */
static hn_saddle_vector stage_of(const hn_collocation *d, double *stages, int i)
{
  double *at = stages + d->size * (size_t)i;
  const size_t n = 6 * (size_t)d->start->nbody, rows = (d->size - 2 * n) / 2;
  return (hn_saddle_vector){ at, at + n, at + 2 * n, at + 2 * n + rows };
}

/* ---- Matrices ------------------------------------------------------------------------------------------ */

/* Notes STATE, LAMBDA and the step size H as the place where the matrices are to be computed. */
static void note_place(hn_collocation *d, const hn_state *state, const double *lambda, double h)
{
  const size_t motion = 13 * (size_t)state->nbody, inputs = (size_t)state->ninput;
  double *at = d->memory.linear;
  at[0] = h, at[1] = state->time;
  memcpy(at + 2, state->pose, sizeof *at * motion);
  memcpy(at + 2 + motion, state->input, sizeof *at * inputs);
  memcpy(at + 2 + motion + inputs, lambda, sizeof *at * (d->memory.linear_size - 2 - motion - inputs));
}

/* Computes the matrices at the noted place, unless they are in force. */
static hn_reason compute_matrices(hn_solver *solver, hn_collocation *d)
{
  hn_system *s = solver->system;
  const hn_radau_tableau *method = d->method;
  const size_t motion = 13 * (size_t)d->trial->nbody, inputs = (size_t)d->trial->ninput;
  const double *at = d->memory.linear, h = at[0], proximal = d->linear.redundancy ? HN_PROXIMAL : 0.0;
  hn_reason reason = HN_CONVERGED;
  if (memcmp(at, d->factored, sizeof *at * d->memory.linear_size) == 0) return HN_CONVERGED;
  d->factored[0] = 0.0;
  d->trial->time = at[1];
  memcpy(d->trial->pose, at + 2, sizeof *at * motion);
  memcpy(d->trial->input, at + 2 + motion, sizeof *at * inputs);
  hn_system_jacobian(s, d->trial);
  hn_tangent_compute(s, &d->tangent, d->trial, at + 2 + motion + inputs);
  if (d->real.lu) {
    const double real = method->real > 0.0 ? method->real : hn_radau_modulus(method);
    reason = hn_saddle_factor(s, &d->real, &d->tangent, d->trial, real / h, 0.0, proximal);
  }
  for (int k = 0; k < method->stages / 2 && reason == HN_CONVERGED; k++)
    reason = hn_saddle_factor(s, &d->pair[k], &d->tangent, d->trial, method->alpha[k] / h,
                              method->beta[k] / h, proximal);
  if (reason != HN_CONVERGED)
    return hn_step_failed(solver, reason, "factorisation of Newton's matrix", -1, 0.0);
  memcpy(d->factored, at, sizeof *at * d->memory.linear_size);
  return HN_CONVERGED;
}

/* ---- Residuals ----------------------------------------------------------------------------------------- */

/* Computes r_g of rows of velocities, -mu: their multipliers of positions are 0. */
static void set_velocity_rows(const hn_system *s, const double *mu, double *r_g)
{
  for (int k = 0; k < s->nblock && s->model->needs & HN_CAN_VELOCITY; k++)
    for (int r = s->block[k].row; r < s->block[k].row + s->block[k].n; r++)
      if (s->block[k].joint->type->velocity) r_g[r] = -mu[r];
}

/* Computes the derivatives of a stage Z and minus its joint errors into F, at the poses, twists and time of
 * d->trial. Returns the largest joint error, and its joint in *WORST. */
static double evaluate(hn_solver *solver, hn_collocation *d, const hn_saddle_vector *z,
                       const hn_saddle_vector *F, int *worst)
{
  hn_system *s = solver->system;
  const int rows = s->model->nrow;
  const size_t twists = sizeof *d->flow * (size_t)d->trial->nbody;
  hn_state sum = { .nbody = d->trial->nbody, .twist = d->flow };
  hn_system_jacobian(s, d->trial);
  const double error = hn_system_residual(s, d->trial, worst);
  hn_system_velocity_residual(s, d->trial, F->lambda, NULL);
  for (int r = 0; r < rows; r++) F->lambda[r] = -F->lambda[r], F->mu[r] = -s->g[r];
  set_velocity_rows(s, z->mu, F->mu);
  memcpy(d->flow, d->trial->twist, twists);
  hn_system_apply(s, z->mu, 1.0, &sum);
  hn_stage_flow(s, z->q, d->flow);
  memcpy(F->q, d->flow, twists);
  hn_system_free_acceleration(s, d->trial, d->flow);
  hn_system_apply(s, z->lambda, 1.0, &sum);
  memcpy(F->u, d->flow, twists);
  return error;
}

/* Sets d->trial to stage I of a step of H. */
static void move_to_stage(hn_solver *solver, hn_collocation *d, int i, double h)
{
  const hn_saddle_vector z = stage_of(d, d->Z, i);
  hn_stage_move(solver->system, d->start, z.q, z.u, d->trial);
  d->trial->time = d->start->time + d->method->c[i] * h;
}

/* Computes the residuals R_i = F_i - sum_j (A^-1)_ij Z_j / h of all stages. Returns false if one is not
 * finite. */
static bool compute_residuals(hn_solver *solver, hn_collocation *d, double h, int *worst)
{
  const int stages = d->stages;
  const size_t motion = 12 * (size_t)d->start->nbody;
  double error = 0.0;
  for (int i = 0; i < stages; i++) {
    const hn_saddle_vector z = stage_of(d, d->Z, i), F = stage_of(d, d->R, i);
    move_to_stage(solver, d, i, h);
    error = evaluate(solver, d, &z, &F, worst);
    for (size_t k = 0; k < motion; k++) {
      double sum = 0.0;
      for (int j = 0; j < stages; j++)
        sum += d->method->inverse[stages * i + j] * d->Z[d->size * (size_t)j + k];
      F.q[k] -= sum / h;
    }
  }
  solver->report.residual = error;
  for (size_t k = 0; k < d->size * (size_t)stages; k++)
    if (!isfinite(d->R[k])) return false;
  return true;
}

/* ---- Newton iteration ---------------------------------------------------------------------------------- */

/* Replaces the stages X by the combinations of M[stages * stages]. */
static void transform(const hn_collocation *d, const double *M, double *X)
{
  const int stages = d->stages;
  double sum[HN_RADAU_MAX];
  for (size_t k = 0; k < d->size; k++) {
    for (int i = 0; i < stages; i++) {
      sum[i] = 0.0;
      for (int j = 0; j < stages; j++) sum[i] += M[stages * i + j] * X[d->size * (size_t)j + k];
    }
    for (int i = 0; i < stages; i++) X[d->size * (size_t)i + k] = sum[i];
  }
}

/* Replaces the residuals by the corrections of simplified Newton: with one linearisation for all stages. */
static hn_reason correct_simply(hn_solver *solver, hn_collocation *d)
{
  const int single = d->stages % 2;
  transform(d, d->method->TI, d->R);
  if (single) {
    const hn_saddle_vector x = stage_of(d, d->R, 0);
    hn_saddle_solve(solver->system, &d->real, &x, NULL);
  }
  for (int k = 0; k < d->stages / 2; k++) {
    const hn_saddle_vector re = stage_of(d, d->R, single + 2 * k), im = stage_of(d, d->R, single + 2 * k + 1);
    hn_saddle_solve(solver->system, &d->pair[k], &re, &im);
  }
  transform(d, d->method->T, d->R);
  return HN_CONVERGED;
}

/* Replaces the residuals by Newton's corrections, with the derivatives of each stage at its own values. */
static hn_reason correct_fully(hn_solver *solver, hn_collocation *d, double h)
{
  hn_system *s = solver->system;
  const int stages = d->stages, bodies = d->start->nbody;
  const double *inverse = d->method->inverse, proximal = d->linear.redundancy ? HN_PROXIMAL : 0.0;
  hn_saddle_vector R[HN_RADAU_MAX];
  for (int i = 0; i < stages; i++) {
    const hn_saddle_vector z = stage_of(d, d->Z, i);
    R[i] = stage_of(d, d->R, i);
    for (int k = 0; k < bodies; k++) {
      double w[3], *E = d->all.E + 9 * (bodies * i + k), *H = d->all.H + 9 * (bodies * i + k);
      vec_add(w, d->start->twist[k].w, z.u + 6 * k + 3);
      hn_stage_derivative(z.q + 6 * k + 3, w, E, H);
    }
  }
  hn_stage_saddle_begin(s, &d->all, inverse, h);
  for (int i = 0; i < stages; i++) {
    move_to_stage(solver, d, i, h);
    hn_system_jacobian(s, d->trial);
    hn_tangent_compute(s, &d->tangent, d->trial, stage_of(d, d->Z, i).lambda);
    hn_stage_saddle_add(s, &d->all, &d->tangent, d->trial, i, inverse[stages * i + i] / h, proximal);
  }
  const hn_reason reason = hn_stage_saddle_solve(s, &d->all, R);
  for (int i = 0; i < stages; i++) hn_stage_change(s, stage_of(d, d->Z, i).q, R[i].q);
  return reason;
}

/* Adds the corrections to the stages. Returns the largest component of displacements and velocities; NaN if
 * there is one. */
static double correct(hn_collocation *d)
{
  double largest = 0.0;
  for (int i = 0; i < d->stages; i++) {
    const hn_saddle_vector x = stage_of(d, d->R, i);
    for (int k = 0; k < 12 * d->start->nbody; k++)
      if (exceeds(fabs(x.q[k]), largest)) largest = fabs(x.q[k]);
  }
  for (size_t k = 0; k < d->size * (size_t)d->stages; k++) d->Z[k] += d->R[k];
  return largest;
}

/* Returns the size of corrections that are rounding errors: of positions, which are divided by the step in
 * velocities; of velocities; of the LARGEST correction. */
static double rounding_of(hn_collocation *d, double h, double largest)
{
  double length = d->tangent.length, speed = largest;
  for (int i = 0; i < d->start->nbody; i++)
    for (int c = 0; c < 3; c++) {
      length = fmax(length, fabs(d->start->pose[i].x[c]));
      speed = fmax(speed, fmax(fabs(d->start->twist[i].v[c]), fabs(d->start->twist[i].w[c])));
    }
  return 4.0 * DBL_EPSILON * fmax(length * fmax(1.0, 1.0 / h), speed);
}

/* The course of an iteration: the largest and the last correction, their last ratio, and the rate of
 * convergence. */
typedef struct course {
  double largest, change, ratio, rate;
} course;

/* Updates the COURSE by the correction number K of size CHANGE. Returns the estimated error after it. */
static double follow(course *c, int k, double change)
{
  if (k > 1) {
    const double ratio = c->change > 0.0 ? change / c->change : 0.0;
    c->rate = k == 2 ? ratio : sqrt(ratio * c->ratio); /* ratios may alternate */
    c->ratio = ratio;
  }
  c->change = change;
  c->largest = fmax(c->largest, change);
  if (k == 1) return change > 0.0 ? HUGE_VAL : 0.0;
  return c->rate < 1.0 ? c->rate / (1.0 - c->rate) * change : HUGE_VAL;
}

/* True if the iteration, with K corrections of which the last has the COURSE, will not end within LIMIT. */
static bool is_hopeless(const hn_collocation *d, const course *c, int k, int limit, double error)
{
  if (!(c->rate < largest_rate)) return true;
  for (int more = k; more < limit && error > d->tolerance; more++) error *= c->rate;
  return error > d->tolerance;
}

/* Iterates from the stages in d->Z to the solution; FULLY: with the derivatives of each stage. */
static hn_reason iterate(hn_solver *solver, hn_collocation *d, double h, bool fully)
{
  course c = { 0 };
  int worst = -1;
  const int limit = d->all.lu && !fully && d->iterations > simple_limit ? simple_limit : d->iterations;
  for (int k = 1;; k++) {
    if (hn_stopped(&solver->system->stop)) return HN_INTERRUPTED;
    if (!compute_residuals(solver, d, h, &worst))
      return hn_step_failed(solver, HN_NOT_FINITE, "Newton iteration", worst, solver->report.residual);
    const hn_reason reason = fully ? correct_fully(solver, d, h) : correct_simply(solver, d);
    if (reason != HN_CONVERGED)
      return hn_step_failed(solver, reason, "factorisation of Newton's matrix", -1, 0.0);
    const double change = correct(d), error = follow(&c, k, change), rounding = rounding_of(d, h, c.largest);
    d->taken++;
    if (error <= d->tolerance || change <= rounding) break;
    if (k > 2 && c.rate > slow_rate && change <= stagnation[fully] * rounding) break;
    if (k == limit || !isfinite(change) ||
        (k > (fully ? patience : 1) && is_hopeless(d, &c, k, limit, error)))
      return hn_step_stalled(solver, "Newton iteration", worst, change, k);
  }
  d->rate = c.rate;
  move_to_stage(solver, d, d->stages - 1, h);
  return HN_CONVERGED;
}

/* ---- Starting values ----------------------------------------------------------------------------------- */

/* Starts from the Taylor polynomial: u_0 and a_0 at the start. */
static void predict(hn_collocation *d, double h)
{
  const double *u0 = (const double *)d->start->twist;
  const int rows = d->tangent.model->nrow;
  for (int i = 0; i < d->stages; i++) {
    const hn_saddle_vector z = stage_of(d, d->Z, i);
    const double s = d->method->c[i] * h;
    for (int k = 0; k < 6 * d->start->nbody; k++)
      z.q[k] = s * (u0[k] + 0.5 * s * d->a0[k]), z.u[k] = s * d->a0[k];
    for (int r = 0; r < rows; r++) z.lambda[r] = d->lambda0[r], z.mu[r] = 0.0;
  }
}

/* Computes the weights of the nodes c in the polynomial of interpolation at X; with the node 0 as well, whose
 * value is 0, for displacements. */
static void interpolate(const hn_radau_tableau *m, double x, bool with_zero, double *weight)
{
  for (int i = 0; i < m->stages; i++) {
    weight[i] = with_zero ? x / m->c[i] : 1.0;
    for (int k = 0; k < m->stages; k++)
      if (k != i) weight[i] *= (x - m->c[k]) / (m->c[i] - m->c[k]);
  }
}

/* Starts from the polynomial of the last step. */
static void extrapolate(hn_solver *solver, hn_collocation *d, double h)
{
  const int last = d->stages - 1;
  const size_t motion = 12 * (size_t)d->start->nbody, rows = (size_t)d->tangent.model->nrow;
  const hn_saddle_vector end = stage_of(d, d->memory.Z, last);
  for (int i = 0; i < d->stages; i++) {
    const hn_saddle_vector z = stage_of(d, d->Z, i);
    const double x = 1.0 + d->method->c[i] * h / *d->memory.h;
    double moved[HN_RADAU_MAX], forces[HN_RADAU_MAX];
    interpolate(d->method, x, true, moved);
    interpolate(d->method, x, false, forces);
    for (size_t k = 0; k < d->size; k++) {
      z.q[k] = 0.0;
      for (int j = 0; j < d->stages && k < motion + rows; j++)
        z.q[k] += (k < motion ? moved : forces)[j] * d->memory.Z[d->size * (size_t)j + k];
    }
    hn_stage_rebase(solver->system, end.q, z.q);
    for (int k = 0; k < 6 * d->start->nbody; k++) z.u[k] -= end.u[k];
  }
}

/* ---- Steps --------------------------------------------------------------------------------------------- */

/* True if d->start is the end of the last step. */
static bool continues(const hn_collocation *d)
{
  const size_t motion = 13 * (size_t)d->start->nbody, inputs = (size_t)d->start->ninput;
  return *d->memory.h > 0.0 && memcmp(d->memory.end, d->start->pose, sizeof(double) * motion) == 0 &&
         memcmp(d->memory.end + motion, d->start->input, sizeof(double) * inputs) == 0;
}

hn_reason hn_collocation_begin(hn_solver *solver, hn_collocation *d, const hn_state *state)
{
  const size_t twists = 6 * (size_t)state->nbody, rows = (size_t)solver->system->model->nrow;
  hn_state_copy(d->start, state);
  hn_state_copy(d->trial, state);
  if (continues(d)) {
    memcpy(d->a0, d->memory.a, sizeof *d->a0 * twists);
    memcpy(d->lambda0, d->memory.lambda, sizeof *d->lambda0 * rows);
    return HN_CONVERGED;
  }
  *d->memory.h = 0.0;
  hn_reason reason = hn_factor_at(solver, d->start);
  return reason == HN_CONVERGED ? hn_multipliers(solver, d->start, d->lambda0, (hn_twist *)d->a0) : reason;
}

/* True if an iteration that ended so may succeed in another way. */
static bool may_try_again(hn_reason reason)
{
  return reason == HN_STALLED || reason == HN_NOT_FINITE;
}

/* Computes the matrices at the noted place, and iterates with them; from the polynomial of the last step, or
 * from that of Taylor. */
static hn_reason solve_simply(hn_solver *solver, hn_collocation *d, double h, bool extrapolated)
{
  hn_reason reason = compute_matrices(solver, d);
  memcpy(d->trial->input, d->start->input, sizeof *d->start->input * (size_t)d->start->ninput);
  if (reason != HN_CONVERGED) return reason;
  if (extrapolated) extrapolate(solver, d, h);
  else predict(d, h);
  reason = iterate(solver, d, h, false);
  if (reason != HN_CONVERGED || d->rate > keep_rate) d->memory.linear[0] = 0.0;
  return reason;
}

/* Computes the matrices of the kept place unless they are in force. They are not where a checkpoint or a
 * failed step has restored the place; the step that noted it has counted the work. */
static void restore_matrices(hn_solver *solver, hn_collocation *d)
{
  const hn_work counted = solver->system->work;
  compute_matrices(solver, d);
  solver->system->work = counted;
}

hn_reason hn_collocation_solve(hn_solver *solver, hn_collocation *d, double h)
{
  const bool extrapolated = *d->memory.h > 0.0, kept = d->memory.linear[0] == h;
  if (kept) restore_matrices(solver, d);
  else note_place(d, d->start, d->lambda0, h);
  hn_reason reason = solve_simply(solver, d, h, extrapolated);
  if (may_try_again(reason) && (kept || (extrapolated && !d->all.lu))) {
    note_place(d, d->start, d->lambda0, h);
    reason = solve_simply(solver, d, h, false);
  }
  if (!may_try_again(reason) || !d->all.lu) return reason;
  predict(d, h);
  return iterate(solver, d, h, true);
}

hn_reason hn_collocation_estimate(hn_solver *solver, hn_collocation *d, double h)
{
  const int bodies = d->start->nbody, rows = solver->system->model->nrow;
  const double *u0 = (const double *)d->start->twist;
  const hn_saddle_vector err = stage_of(d, d->error, 0);
  for (int k = 0; k < 6 * bodies; k++) {
    err.q[k] = u0[k], err.u[k] = d->a0[k];
    for (int i = 0; i < d->stages; i++) {
      const hn_saddle_vector z = stage_of(d, d->Z, i);
      err.q[k] += d->method->e[i] * z.q[k] / h;
      err.u[k] += d->method->e[i] * z.u[k] / h;
    }
  }
  for (int r = 0; r < rows; r++) err.lambda[r] = err.mu[r] = 0.0;
  hn_saddle_solve(solver->system, &d->real, &err, NULL);
  return HN_CONVERGED;
}

hn_reason hn_collocation_end(hn_solver *solver, hn_collocation *d, double h)
{
  const size_t motion = 13 * (size_t)d->start->nbody, inputs = (size_t)d->start->ninput;
  hn_collocation_memory *m = &d->memory;
  hn_reason reason = hn_factor_at(solver, d->trial);
  if (reason == HN_CONVERGED) reason = hn_multipliers(solver, d->trial, m->lambda, (hn_twist *)m->a);
  if (reason != HN_CONVERGED) return reason;
  *m->h = h;
  memcpy(m->end, d->trial->pose, sizeof *m->end * motion);
  memcpy(m->end + motion, d->trial->input, sizeof *m->end * inputs);
  memcpy(m->Z, d->Z, sizeof *m->Z * d->size * (size_t)d->stages);
  return HN_CONVERGED;
}
