/* impulse_extrapolated.c - extrapolation of the impulse step, order 2 k = 2 to 10.
 *
 *   T_j1 = n_j impulse steps of h / n_j,  n_j = j = 1, ..., k
 *   T_j,i+1 = T_ji + (T_ji - T_j-1,i) / ((n_j / n_j-i)^2 - 1)          Aitken and Neville, in h^2
 *
 * The impulse step is symmetric, so its error has even powers of h only and each column gains two orders. The
 * result T_kk is normalised and projected onto the constraints, positions and velocities, in the mass metric.
 * Not symplectic. Cost: k (k + 1) / 2 impulse steps and one projection. The free flight must be far more
 * accurate than the solver. So must the joint correction: a residual g acts as a velocity of g n / h, which
 * the tableau amplifies and the steps accumulate, the more the smaller they are. It is therefore followed by
 * one more correction, which reaches rounding. [Hairer, Norsett and Wanner, Solving Ordinary Differential
 * Equations I, section II.9; Gragg 1965] */
#include "impulse/rattle.h"
#include "base/vec.h"
#include "registry/solver_arrays.h"
#include "registry/step_doubling.h"

#include <stddef.h>

enum { MAX_ROWS = 5 };

typedef struct impulse_extrapolated {
  hn_rattle rattle;
  int order;
  hn_state *row[MAX_ROWS]; /* row[j - 1]: T_j1, then T_j2, ... */
} impulse_extrapolated;

static const hn_param params[] = {
  { "order", HN_INTEGER, offsetof(impulse_extrapolated, order), "4", 2, 10, "", NULL, "2, 4, 6, 8 or 10" },
  HN_RATTLE_PARAMS(impulse_extrapolated, rattle, "1e-13", "exact"),
  HN_ERROR_TOLERANCE_PARAM(impulse_extrapolated, rattle.error_tolerance),
  { .key = NULL },
};

static int setup(hn_solver *solver, hn_error *error)
{
  impulse_extrapolated *d = solver->data;
  if (d->order % 2)
    return hn_fail(error, "impulse-extrapolated: order must be 2, 4, 6, 8 or 10, not %d", d->order);
  for (int j = 0; j < d->order / 2; j++) {
    if (hn_solver_allocate(solver, error, HN_STATE(d->row[j]))) return -1;
  }
  d->rattle.extra_correction = true;
  return hn_rattle_solver_setup(solver, error);
}

static int order_of(const hn_solver *solver)
{
  return ((const impulse_extrapolated *)solver->data)->order;
}

/* Takes N impulse steps over h from FROM into TO. */
static hn_reason run(hn_solver *solver, const hn_state *from, double h, int n, hn_state *to)
{
  impulse_extrapolated *d = solver->data;
  hn_reason reason = HN_CONVERGED;
  hn_state_copy(to, from);
  for (int i = 0; i < n && reason == HN_CONVERGED; i++)
    reason = hn_rattle_step(solver, &d->rattle, to, h / n);
  return reason;
}

/* Computes T += (T - before) / denominator for all poses and twists, which are contiguous. */
static void eliminate(hn_state *T, const hn_state *before, double denominator)
{
  double *a = (double *)T->pose;
  const double *b = (const double *)before->pose;
  size_t count = (size_t)T->nbody * (sizeof(hn_pose) + sizeof(hn_twist)) / sizeof *a;
  for (size_t i = 0; i < count; i++) a[i] += (a[i] - b[i]) / denominator;
}

/* Evaluates the tableau column by column from below: row[j - 1] holds T_ji and becomes T_j,i+1. */
static void extrapolate(hn_state *const *row, int rows)
{
  for (int i = 1; i < rows; i++)
    for (int j = rows; j > i; j--) {
      double ratio = (double)j / (j - i);
      eliminate(row[j - 1], row[j - 2], ratio * ratio - 1.0);
    }
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  impulse_extrapolated *d = solver->data;
  int rows = d->order / 2;
  for (int j = 1; j <= rows; j++) {
    hn_reason reason = run(solver, state, h, j, d->row[j - 1]);
    if (reason != HN_CONVERGED) return reason;
  }
  extrapolate(d->row, rows);
  hn_state *result = d->row[rows - 1];
  for (int i = 0; i < result->nbody; i++) quat_normalise(result->pose[i].q);
  hn_state_copy(state, result);
  return rows > 1 ? hn_rattle_project(solver, &d->rattle, state) : HN_CONVERGED;
}

static const char *const variants[] = { "order=2", "order=4", "order=6", "order=8", "order=10", NULL };

const hn_solver_type hn_solver_impulse_extrapolated = {
  .abi = HN_ABI,
  .name = "impulse-extrapolated",
  .summary = "the impulse step with h, h/2, h/3, ... extrapolated in h^2 and projected, order 2 to 10",
  .citation = "Hairer, Norsett and Wanner 1993, section II.9, on Schmitt, Bender and Prautzsch 2005",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_COMPLIANT | HN_CAN_VELOCITY | HN_CAN_EXTRA_FORCES,
  .order = 0,
  .data_size = sizeof(impulse_extrapolated),
  .params = params,
  .setup = setup,
  .step = step,
  .reset = hn_rattle_solver_reset,
  .order_of = order_of,
  .capabilities_of = hn_rattle_solver_capabilities,
  .variants = variants,
};
