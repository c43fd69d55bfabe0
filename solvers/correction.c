/* correction.c - what the impulse methods share. */
#include "correction.h"

#include <math.h>
#include <string.h>

hn_reason hn_step_failed(hn_solver *solver, hn_reason reason, const char *stage, int joint, double residual)
{
  solver->report.stage = stage;
  solver->report.joint = joint;
  solver->report.residual = residual;
  return isfinite(residual) ? reason : HN_NOT_FINITE;
}

bool hn_same_poses(const hn_state *a, const hn_state *b)
{
  return memcmp(a->pose, b->pose, sizeof *a->pose * (size_t)a->nbody) == 0;
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
