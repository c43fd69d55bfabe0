/* radau.c - Radau IIA methods on the stabilised index-2 form of Gear, Gupta and Leimkuhler: implicit, stiffly
 * accurate.
 *
 *   q' = u + W G' mu,   u' = a(t, q, u) + W G' lambda,   0 = G u + bias,   0 = g(q)
 *   Z_i = h sum_j a_ij F(t + c_j h, Z_j),   i = 1..s;   the step ends at stage s
 *
 * Z are displacements of the stages from the start of the step: of poses in exponential coordinates
 * (radau/stage_motion.h), of velocities by differences, both in world axes. Joints hold at every stage, at
 * the end for positions and velocities up to the tolerance. mu is of the size of the discretisation errors.
 * Rows of velocities need no mu. Simplified Newton:
 *
 *   TI A^-1 T = real and complex numbers c;   (c/h - J) dV = TI (F - A^-1 Z / h),   dZ = T dV
 *
 * (c/h - J) is the matrix of implicit/saddle.h: one real, and a complex one for two stages each. J contains
 * the derivatives of all forces, so stiff springs and dampers do not limit the step. Matrices are kept while
 * the iteration converges fast (radau/collocation.c). It starts from the polynomial of the last step. It ends
 * when the estimated error, rate / (1 - rate) times the correction, is below the tolerance. If it converges
 * slowly or not at all, Newton's method follows, with the derivatives of each stage at its own values
 * (implicit/stage_saddle.h), from the Taylor polynomial.
 *
 * Order 2 s - 1 in positions and velocities. The joint forces are those that balance the accelerations at the
 * end of the step, K lambda = -(G a + gamma): of the same order, where the stage values of lambda are of
 * order s only. L-stable: fast oscillations are damped. With a policy for redundant rows, Newton's matrix has
 * a proximal term, and the policy applies to the joint forces.
 *
 * adaptive divides a step. err is the difference to an embedded formula of order s, filtered by (c/h - J)^-1
 * with the real c; the next part has the size
 *
 *   h 0.9 (2 n + 1) / (2 n + k) |err|^(-1/(s+1)), between h/5 and 8 h     k of at most n iterations
 *
 * with smaller bounds where the iteration converges slowly or the last part was rejected,
 * and the matrices are kept while it is from 1 to 1.2 h. With two stages there is no real c; |c| of the
 * complex ones is used. Newton's iteration then ends at a fraction of error_tolerance.
 *
 * Cost of an iteration: s evaluations of joints and forces, and solutions. New matrices: 6 evaluations of a
 * joint and 12 of a force for each of its bodies, and s/2 complex factorisations. A step: a factorisation of
 * K. [hairer1996, sections IV.8, VII.4 and VII.5; gear1985; hairer1999] The sources have simplified Newton
 * alone; we add Newton's method, and orientations on the group. */
#include "radau/collocation.h"
#include "base/vec.h"
#include "elementary.h"

#include <math.h>
#include <string.h>

enum { MAX_PARTS = 100000 }; /* limit on the parts of an adaptive step */

/* Step sizes: safety factor, and bounds on h_new / h; no new size for ratios from 1 to `stay`. */
static const double safety = 0.9, smallest_ratio = 0.2, largest_ratio = 8.0, stay = 1.2;
/* Rate of convergence up to which a part may be made larger: the rate is about proportional to its size. */
static const double fastest_rate = 0.5;
/* Newton's tolerance of adaptive steps: at most this fraction of error_tolerance. */
static const double newton_part = 0.03;

typedef struct radau {
  int adaptive;
  double tolerance, error_tolerance;
  int iterations;
  hn_collocation c;
} radau;

static const hn_param params[] = {
  { "stages", HN_INTEGER, offsetof(radau, c.stages), "3", 1, HN_RADAU_MAX, "", NULL,
    "number of stages: 1, 2, 3, 5 or 7, for order 1, 3, 5, 9 or 13" },
  { "tolerance", HN_REAL, offsetof(radau, tolerance), "1e-13", 1e-16, 1, "", NULL,
    "error of Newton's iteration allowed in displacements (m, rad) and velocities (m/s, rad/s)" },
  { "iterations", HN_INTEGER, offsetof(radau, iterations), "100", 1, 1e6, "", NULL,
    "limit of Newton iterations; adaptive: at most 7, and 2 more for each stage beyond 3" },
  { "adaptive", HN_FLAG, offsetof(radau, adaptive), "false", 0, 0, "", NULL,
    "divide each step so that its error stays within error_tolerance" },
  { "error_tolerance", HN_REAL, offsetof(radau, error_tolerance), "1e-8", 1e-15, 1, "", NULL,
    "adaptive: local error of every position and velocity, absolute and relative" },
  { "matrix", HN_CHOICE, offsetof(radau, c.dense), "sparse", 0, 0, "", "sparse,dense",
    "factorisation of Newton's matrix: sparse by KLU, if there is that library, or of a full matrix" },
  HN_LINEAR_PARAMS(radau, c.linear),
  { .key = NULL },
};

static int setup(hn_solver *solver, hn_error *error)
{
  radau *d = solver->data;
  const int usual = d->c.stages > 3 ? 7 + 2 * (d->c.stages - 3) : 7;
  d->c.estimates = d->c.gives_up = d->adaptive;
  d->c.iterations = d->adaptive && usual < d->iterations ? usual : d->iterations;
  d->c.tolerance = d->tolerance;
  if (d->adaptive)
    d->c.tolerance = fmax(d->tolerance, d->error_tolerance * fmin(newton_part, sqrt(d->error_tolerance)));
  return hn_collocation_setup(solver, &d->c, error);
}

static void destroy(hn_solver *solver)
{
  hn_collocation_free(&((radau *)solver->data)->c);
}

static void reset(hn_solver *solver)
{
  hn_collocation_reset(&((radau *)solver->data)->c);
}

static void *memory(hn_solver *solver, size_t *size)
{
  const hn_collocation_memory *m = &((radau *)solver->data)->c.memory;
  *size = sizeof *m->block * m->size;
  return m->block;
}

static int order_of(const hn_solver *solver)
{
  return 2 * ((const radau *)solver->data)->c.stages - 1;
}

/* ---- Adaptive steps ------------------------------------------------------------------------------------ */

/* Returns the largest estimated error in units of the tolerance: |err| / (tol (1 + |y|)); of a rotation y is
 * 0. */
static double error_norm(const radau *d)
{
  double largest = 0.0;
  const int n = d->c.start->nbody;
  const double *u = (const double *)d->c.trial->twist, *err = d->c.error;
  for (int i = 0; i < 6 * n; i++) {
    const double y = i % 6 < 3 ? fabs(d->c.trial->pose[i / 6].x[i % 6]) : 0.0;
    const double q_error = fabs(err[i]) / (1.0 + y), u_error = fabs(err[6 * n + i]) / (1.0 + fabs(u[i]));
    if (exceeds(q_error, largest)) largest = q_error;
    if (exceeds(u_error, largest)) largest = u_error;
  }
  return largest / d->error_tolerance;
}

/* Returns the ratio of the next step size to this one, for the error ERR and the iterations TAKEN. */
static double ratio_for(const radau *d, double err)
{
  const double n = d->c.iterations, k = d->c.taken;
  const double factor = safety * (2.0 * n + 1.0) / (2.0 * n + k);
  const double ratio = err > 0.0 ? factor * hn_pow(err, -1.0 / (d->c.stages + 1)) : largest_ratio;
  const double convergent = d->c.rate > 0.0 ? fastest_rate / d->c.rate : largest_ratio;
  return fmin(fmin(largest_ratio, convergent), fmax(smallest_ratio, ratio));
}

/* Tries a part of H from d->c.start. Returns true if it is accepted, with the next size in *NEXT; *REASON is
 * a failure that ends the step. */
static bool try_part(hn_solver *solver, double h, double *next, hn_reason *reason)
{
  radau *d = solver->data;
  d->c.taken = 0;
  *reason = hn_collocation_solve(solver, &d->c, h);
  *next = 0.5 * h;
  if (*reason == HN_STALLED || *reason == HN_NOT_FINITE) {
    *reason = HN_CONVERGED;
    return false;
  }
  if (*reason != HN_CONVERGED) return false;
  hn_collocation_estimate(solver, &d->c, h);
  const double err = error_norm(d), ratio = ratio_for(d, err);
  *next = h * (ratio >= 1.0 && ratio <= stay && err <= 1.0 ? 1.0 : ratio);
  return err <= 1.0;
}

/* Divides the step of H from STATE by the error. */
static hn_reason divided_step(hn_solver *solver, const hn_state *state, double h)
{
  radau *d = solver->data;
  hn_reason reason = hn_collocation_begin(solver, &d->c, state);
  const double begin = state->time, proposed = *d->c.memory.next;
  double done = 0.0, part = proposed > 0.0 && proposed < h ? proposed : h;
  int iterations = 0;
  bool was_rejected = false;
  for (int k = 0; k < MAX_PARTS && reason == HN_CONVERGED; k++) {
    double next;
    const bool is_last = done + part >= h, accepted = try_part(solver, part, &next, &reason);
    iterations += d->c.taken;
    solver->report.position_iterations = iterations;
    if (reason != HN_CONVERGED) break;
    if (!accepted) {
      solver->report.halvings++;
      was_rejected = true;
      part = next;
      if (done + part == done) return hn_step_stalled(solver, "step control", -1, part, k + 1);
      continue;
    }
    if (was_rejected && next > part) next = part;
    was_rejected = false;
    reason = hn_collocation_end(solver, &d->c, part);
    if (reason != HN_CONVERGED) break;
    /* a part cut short by the end of the step says nothing about larger ones */
    *d->c.memory.next = is_last && proposed > part && next < proposed ? fmax(next, part) : next;
    if (is_last) return HN_CONVERGED;
    done += part;
    d->c.trial->time = begin + done;
    reason = hn_collocation_begin(solver, &d->c, d->c.trial);
    const double rest = h - done;
    part = next >= rest ? rest : next > 0.5 * rest ? 0.5 * rest : next;
  }
  return reason != HN_CONVERGED ? reason : hn_step_stalled(solver, "step control", -1, part, MAX_PARTS);
}

/* ---- Step ---------------------------------------------------------------------------------------------- */

static hn_reason fixed_step(hn_solver *solver, const hn_state *state, double h)
{
  radau *d = solver->data;
  hn_reason reason = hn_collocation_begin(solver, &d->c, state);
  d->c.taken = 0;
  if (reason == HN_CONVERGED) reason = hn_collocation_solve(solver, &d->c, h);
  solver->report.position_iterations = d->c.taken;
  return reason == HN_CONVERGED ? hn_collocation_end(solver, &d->c, h) : reason;
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  radau *d = solver->data;
  const double time = state->time;
  hn_reason reason = (d->adaptive ? divided_step : fixed_step)(solver, state, h);
  if (reason != HN_CONVERGED) return reason;
  hn_state_copy_motion(state, d->c.trial);
  state->time = time;
  memcpy(solver->multipliers, d->c.memory.lambda,
         sizeof *solver->multipliers * (size_t)solver->system->model->nrow);
  return HN_CONVERGED;
}

static const char *const variants[] = { "", "stages=1", "stages=2", "stages=5", NULL };

const hn_solver_type hn_solver_radau = {
  .abi = HN_ABI,
  .name = "radau",
  .summary = "Radau IIA on the stabilised index-2 form: implicit, for stiff forces, orders 1 to 13",
  .citation = "Hairer and Wanner 1996; Gear, Gupta and Leimkuhler 1985",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_COMPLIANT | HN_HAS_MULTIPLIERS | HN_CAN_VELOCITY |
                  HN_CAN_EXTRA_FORCES,
  .order = 0,
  .data_size = sizeof(radau),
  .params = params,
  .setup = setup,
  .step = step,
  .reset = reset,
  .memory = memory,
  .free = destroy,
  .order_of = order_of,
  .variants = variants,
};
