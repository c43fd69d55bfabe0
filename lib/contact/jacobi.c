/* jacobi.c - contact solver: block Jacobi with relaxation, a reference for parallel solvers.
 *
 *   for all blocks k:   q_k := solution of block k, the impulses of all others fixed;   s := q - p
 *   p := p + omega s,   v := v + omega K s
 *
 * No block waits for another, so the result does not depend on their order, but for rounding. The solution of
 * a block is that of pgs: Coulomb's law exactly (local_coulomb.h), equations whole, other rows one by one
 * (block_solution.h). Sets are convex and 0 < omega <= 1, so that p stays in its sets.
 *
 * With a fixed omega the iteration diverges where more than about 2 / omega blocks push one body. omega=0
 * chooses it anew in each iteration, as large as the step needs to reduce the energy of a problem without
 * friction most: D are the diagonal blocks of K,
 *
 *   omega = min(1, s' D s / s' K s)
 *
 * On a stack of n equal masses, omega = 1 reduces the error by cos(pi / 2n) an iteration. Coulomb's law is no
 * convex problem: convergence is not proven for large mu. If a given K is not symmetric, v is that of K as
 * given. The best iterate is returned. Cost: a product with K an iteration. [Young, Iterative Solution of
 * Large Linear Systems, 1971; relaxed, for contacts: Tonge, Benevolenski and Voroshilov, ACM Trans. Graph. 31
 * (2012) 105, who divide bodies instead] */
#include "base/array.h"
#include "contact/best_iterate.h"
#include "contact/block_rows.h"
#include "contact/pgs/block_solution.h"

#include <string.h>

typedef struct jacobi_block {
  hn_block_law law;
  double turn[2]; /* rotation to its tangents (local_coulomb.h) */
} jacobi_block;

typedef struct jacobi {
  double omega;         /* parameter; 0: adaptive */
  jacobi_block *block;  /* [most.blocks] */
  double *scale;        /* [most.blocks] mean diagonals of K */
  double *D, *L;        /* [6 most.rows] of each block: its part of K, and L D L' of it for equations */
  double *u;            /* [6 most.bodies] scratch */
  double *p, *q, *best; /* [most.rows] impulses */
  double *v, *v_q;      /* [most.rows] velocities at p and q */
  hn_arrays arrays;
} jacobi;

static int setup(hn_contact_solver *solver, hn_error *error)
{
  jacobi *s = solver->data;
  HN_ARRAYS(&s->arrays, sizeof *s->block * (size_t)solver->most.blocks, &s->block);
  HN_ARRAYS(&s->arrays, sizeof(double) * (size_t)solver->most.blocks, &s->scale);
  HN_ARRAYS(&s->arrays, sizeof(double[6]) * (size_t)solver->most.rows, &s->D, &s->L);
  HN_ARRAYS(&s->arrays, sizeof(double[6]) * (size_t)solver->most.bodies, &s->u);
  HN_ARRAYS(&s->arrays, sizeof(double) * (size_t)solver->most.rows, &s->p, &s->q, &s->best, &s->v, &s->v_q);
  return s->arrays.failed ? hn_fail(error, "no memory for contact problems of %d rows", solver->most.rows)
                          : 0;
}

static void destroy(hn_contact_solver *solver)
{
  hn_arrays_free(&((jacobi *)solver->data)->arrays);
}

/* Prepares block K. */
static void prepare(jacobi *s, const hn_problem *problem, int k)
{
  const hn_problem_block *from = &problem->block[k];
  const size_t at = 6 * (size_t)from->row, size = sizeof(double) * (size_t)(from->n * from->n);
  jacobi_block *block = &s->block[k];
  *block = (jacobi_block){ .law = { .kind = from->set.kind, .set = &from->set }, .turn = { 1.0, 0.0 } };
  hn_set_bounds(&from->set, problem->h, &block->law.lower, &block->law.upper);
  hn_problem_diagonal(problem, k, s->D + at);
  memcpy(s->L + at, s->D + at, size);
  if (from->set.kind == HN_CONE && from->n <= 3)
    hn_local_prepare(&block->law.local, &from->set, from->n, s->D + at, block->turn);
  if (from->set.kind == HN_ANY) ldl_factor_semidefinite(from->n, s->L + at);
}

/* Rotates rows 1 and 2 of X to the tangents of the block, SIDE = 1, or back, -1. */
static void turn_tangents(const jacobi_block *block, double side, double *x)
{
  const double c = block->turn[0], sine = side * block->turn[1];
  if (sine == 0.0) return;
  const double one = x[1], two = x[2];
  x[1] = c * one + sine * two, x[2] = c * two - sine * one;
}

/* Computes q, and returns s' D s. */
static double solve_blocks(jacobi *s, const hn_problem *problem)
{
  double size = 0.0;
  memcpy(s->q, s->p, sizeof *s->q * (size_t)problem->nrow);
  for (int k = 0; k < problem->nblock; k++) {
    const int n = problem->block[k].n, row = problem->block[k].row;
    const double *D = s->D + 6 * (size_t)row;
    jacobi_block *block = &s->block[k];
    double v[HN_MAX_ROWS], *q = s->q + row;
    memcpy(v, s->v + row, sizeof *v * (size_t)n);
    turn_tangents(block, 1.0, v), turn_tangents(block, 1.0, q);
    hn_solve_block(&block->law, HN_LOCAL_CONE, n, s->L + 6 * (size_t)row, v, q);
    turn_tangents(block, -1.0, q);
    for (int r = 0; r < n; r++)
      for (int c = 0; c < n; c++) size += D[r * n + c] * (q[r] - s->p[row + r]) * (q[c] - s->p[row + c]);
  }
  return size;
}

/* Returns omega for a step to q, given SIZE = s' D s. */
static double relaxation_of(const jacobi *s, int nrow, double size)
{
  double curvature = 0.0;
  if (s->omega > 0.0) return s->omega;
  for (int i = 0; i < nrow; i++) curvature += (s->q[i] - s->p[i]) * (s->v_q[i] - s->v[i]);
  return curvature > size ? size / curvature : 1.0;
}

/* Moves p towards q. */
static void iterate(void *data, const hn_problem *problem)
{
  jacobi *s = data;
  const double size = solve_blocks(s, problem);
  hn_problem_velocities(problem, s->q, s->u, s->v_q);
  const double omega = relaxation_of(s, problem->nrow, size);
  for (int i = 0; i < problem->nrow; i++) {
    s->p[i] += omega * (s->q[i] - s->p[i]);
    s->v[i] += omega * (s->v_q[i] - s->v[i]); /* rounding does not add up: v_q is computed from q */
  }
}

static hn_reason solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  jacobi *s = solver->data;
  if (!hn_rows_scales(problem, s->scale)) return HN_NOT_FINITE;
  for (int k = 0; k < problem->nblock; k++) prepare(s, problem, k);
  memcpy(s->p, p, sizeof *p * (size_t)problem->nrow);
  hn_problem_velocities(problem, p, s->u, s->v);
  return hn_find_best_iterate(
    solver, problem,
    &(hn_iterates){ .next = iterate, .p = &s->p, .v = &s->v, .best = s->best, .scale = s->scale }, p);
}

static const hn_param params[] = {
  { "omega", HN_REAL, offsetof(jacobi, omega), "0", 0, 1, "", NULL,
    "fraction of the change of an impulse that is applied; 0: chosen in each iteration" },
  { .key = NULL },
};

const hn_contact_type hn_contact_jacobi = {
  .abi = HN_ABI,
  .name = "jacobi",
  .summary = "block Jacobi with relaxation: independent of the order of blocks; a parallel reference",
  .citation = "Young 1971; Tonge, Benevolenski and Voroshilov 2012",
  .capabilities = HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE | HN_SOLVES_MATRIX | HN_SOLVES_UNSYMMETRIC |
                  HN_SOLVES_STICKING | HN_SOLVES_ROLLING,
  .data_size = sizeof(jacobi),
  .params = params,
  .setup = setup,
  .solve = solve,
  .free = destroy,
};
