/* siconos.h - common parts of the comparison with Siconos. */
#ifndef HN_BENCH_SICONOS_H
#define HN_BENCH_SICONOS_H

#include "bench.h"
#include "contact.h"

#include <siconos/numerics/NumericsMatrix.h>

/* A solver of Siconos, or Holonom. */
typedef struct bench_engine {
  const char *name;
  int dimension; /* rows of a contact */
  int id;        /* in Siconos; 0: Holonom */
  NM_types storage;
  int iterations;
} bench_engine;

/* Solution of a child, in shared memory. */
typedef struct bench_solution {
  double seconds; /* the fastest of its repetitions */
  int info;       /* 0: the solver reports success */
  double p[];     /* [nrow] */
} bench_solution;

/* Returns the processor time of this process, s. */
double bench_processor_time(void);
/* Solves PROBLEM, which has contacts of e->dimension rows and no other blocks, from p = 0 by a solver of
 * Siconos. Returns the processor time of the solver, s. TOLERANCE is that of Siconos. */
double bench_siconos_solve(const hn_problem *problem, const bench_engine *e, double tolerance,
                           bench_solution *s);

#endif
