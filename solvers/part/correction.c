/* correction.c - what the impulse methods share. */
#include "part/correction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

hn_reason hn_step_failed(hn_solver *solver, hn_reason reason, const char *stage, int joint, double residual)
{
  solver->report.stage = stage;
  solver->report.joint = joint;
  solver->report.residual = residual;
  return isfinite(residual) ? reason : HN_NOT_FINITE;
}

bool hn_same_poses(const hn_state *state, const hn_pose *poses)
{
  return memcmp(state->pose, poses, sizeof *poses * (size_t)state->nbody) == 0;
}

hn_pose *hn_poses_create(const hn_model *model)
{
  return calloc((size_t)model->nbody, sizeof(hn_pose));
}

void hn_poses_keep(hn_pose *poses, const hn_state *state)
{
  memcpy(poses, state->pose, sizeof *poses * (size_t)state->nbody);
}

int hn_halving_setup(hn_solver *solver, hn_halving *halving, hn_error *error)
{
  for (int level = 0; level < halving->limit; level++) {
    halving->given[level] = hn_state_create(solver->system->model);
    if (!halving->given[level]) return hn_fail(error, "out of memory");
  }
  return 0;
}

void hn_halving_free(hn_halving *halving)
{
  for (int level = 0; level < HN_MAX_HALVINGS; level++) hn_state_free(halving->given[level]);
}

static hn_reason divide(hn_solver *solver, hn_halving *halving, int level, hn_state *state, double h,
                        hn_reason (*whole)(hn_solver *, hn_state *, double))
{
  if (level == halving->limit) return whole(solver, state, h);
  hn_state_copy(halving->given[level], state);
  hn_reason reason = whole(solver, state, h);
  if (reason != HN_STALLED) return reason;
  hn_state_copy(state, halving->given[level]);
  solver->report.halvings++;
  reason = divide(solver, halving, level + 1, state, 0.5 * h, whole);
  return reason == HN_CONVERGED ? divide(solver, halving, level + 1, state, 0.5 * h, whole) : reason;
}

hn_reason hn_halving_step(hn_solver *solver, hn_halving *halving, hn_state *state, double h,
                          hn_reason (*whole)(hn_solver *, hn_state *, double))
{
  return divide(solver, halving, 0, state, h, whole);
}

static size_t block_size(const hn_block *block)
{
  return (size_t)block->n * (size_t)block->n;
}

double **hn_blocks_create(const hn_system *s)
{
  size_t size = 0;
  for (int k = 0; k < s->nblock; k++) size += block_size(&s->block[k]);
  double **block = calloc((size_t)s->most_blocks + 1, sizeof *block);
  double *next = calloc(size + 1, sizeof *next);
  if (!block || !next) {
    free(block);
    free(next);
    return NULL;
  }
  block[0] = next; /* also without joints: what is freed */
  for (int k = 0; k < s->nblock; k++) {
    block[k] = next;
    next += block_size(&s->block[k]);
  }
  return block;
}

void hn_blocks_free(double **block)
{
  if (block) free(block[0]);
  free(block);
}

bool hn_block_factor(int n, double *A)
{
  for (int j = 0; j < n; j++) {
    double whole = A[j * n + j], pivot = whole;
    for (int k = 0; k < j; k++) pivot -= A[j * n + k] * A[j * n + k] * A[k * n + k];
    if (!(pivot > 1e-14 * whole)) return false;
    A[j * n + j] = pivot;
    for (int i = j + 1; i < n; i++) {
      double sum = A[i * n + j];
      for (int k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k] * A[k * n + k];
      A[i * n + j] = sum / pivot;
    }
  }
  return true;
}

void hn_block_solve(int n, const double *A, double *x)
{
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++) x[i] -= A[i * n + k] * x[k];
  for (int i = 0; i < n; i++) x[i] /= A[i * n + i];
  for (int i = n - 1; i >= 0; i--)
    for (int k = i + 1; k < n; k++) x[i] -= A[k * n + i] * x[k];
}
