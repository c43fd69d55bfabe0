/* siconos_solve.c - solves a contact problem by a solver of Siconos. */
#include "siconos.h"

#include <string.h>
#include <time.h>

#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsSparseMatrix.h>
#include <siconos/numerics/NumericsVerbose.h>
#include <siconos/numerics/RollingFrictionContactProblem.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/SparseBlockMatrix.h>

double bench_processor_time(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns K in columns; Siconos builds them from triplets. */
static NumericsMatrix *sparse_matrix(const hn_problem *problem)
{
  const hn_problem_matrix *K = problem->K;
  NumericsMatrix *M = NM_create(NM_SPARSE, problem->nrow, problem->nrow);
  NM_triplet_alloc(M, K->start[problem->nrow]);
  M->matrix2->origin = NSM_TRIPLET;
  for (int i = 0; i < problem->nrow; i++)
    for (int at = K->start[i]; at < K->start[i + 1]; at++) NM_entry(M, i, K->column[at], K->value[at]);
  NM_csc(M);
  return M;
}

static NumericsMatrix *dense_matrix(const hn_problem *problem)
{
  const hn_problem_matrix *K = problem->K;
  NumericsMatrix *M = NM_create(NM_DENSE, problem->nrow, problem->nrow);
  memset(M->matrix0, 0, sizeof(double) * (size_t)problem->nrow * (size_t)problem->nrow);
  for (int i = 0; i < problem->nrow; i++)
    for (int at = K->start[i]; at < K->start[i + 1]; at++)
      M->matrix0[i + K->column[at] * problem->nrow] = K->value[at];
  return M;
}

/* Returns K in the storage requested: columns, blocks of one contact each, or a dense matrix. */
static NumericsMatrix *matrix(const hn_problem *problem, NM_types storage)
{
  if (storage == NM_DENSE) return dense_matrix(problem);
  NumericsMatrix *sparse = sparse_matrix(problem);
  if (storage == NM_SPARSE) return sparse;
  SparseBlockStructuredMatrix *blocks = SBM_new();
  SBM_from_csparse(problem->block[0].n, NM_csc(sparse), blocks);
  NM_free(sparse);
  return NM_new_SBM(problem->nrow, problem->nrow, blocks);
}

double bench_siconos_solve(const hn_problem *problem, const bench_engine *e, double tolerance,
                           bench_solution *s)
{
  const int n = e->dimension, count = problem->nblock;
  double *q = bench_alloc((size_t)problem->nrow, sizeof *q),
         *v = bench_alloc((size_t)problem->nrow, sizeof *v);
  double *mu = bench_alloc((size_t)count, sizeof *mu), *mu_r = bench_alloc((size_t)count, sizeof *mu_r);
  memcpy(q, problem->b, sizeof *q * (size_t)problem->nrow);
  for (int k = 0; k < count; k++)
    mu[k] = problem->block[k].set.mu, mu_r[k] = problem->block[k].set.mu_rolling;
  NumericsMatrix *M = matrix(problem, e->storage);
  SolverOptions *options = solver_options_create(e->id);
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = e->iterations;
  numerics_set_verbose(0);
  memset(s->p, 0, sizeof *s->p * (size_t)problem->nrow);
  FrictionContactProblem *plain = n == 5 ? NULL : frictionContactProblem_new_with_data(n, count, M, q, mu);
  RollingFrictionContactProblem *rolling = n == 5 ? rollingFrictionContactProblem_new_with_data(n, count, M,
                                                                                                q, mu, mu_r)
                                                  : NULL;
  const double start = bench_processor_time();
  s->info = n == 5   ? rolling_fc3d_driver(rolling, s->p, v, options)
            : n == 3 ? fc3d_driver(plain, s->p, v, options)
                     : fc2d_driver(plain, s->p, v, options);
  const double seconds = bench_processor_time() - start;
  solver_options_delete(options);
  if (plain) frictionContactProblem_free(plain), free(mu_r);
  else rollingFrictionContactProblem_free(rolling);
  free(v);
  return seconds;
}
