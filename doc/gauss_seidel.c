/* gauss_seidel.c - a contact solver as a plugin (doc/plugin.md): projected Gauss-Seidel.
 *
 *   contacts   p := P(p - w / s),  w = v + mu |v_t| e_n,  s = tr K_block, an upper bound of its eigenvalues
 *   others     p_r := p_r - v_r / K_rr, row by row, then P
 *
 * block by block, with the velocities v due to the latest impulses. Linear rate of convergence, no matrix.
 * contact=pgs solves each contact exactly; the projection step used here needs more sweeps. [Jourdan, Alart,
 * Jean 1998] */
#include <holonom.h>
#include <stdlib.h>
#include <string.h>

typedef struct data {
  double relaxation, *u, *v, *work;
} data;

static const hn_param params[] = {
  { "relaxation", HN_REAL, offsetof(data, relaxation), "1", 0.01, 1.99, "", NULL,
    "factor on the step of a contact" },
  { .key = NULL },
};

static int setup(hn_contact_solver *solver, hn_error *error)
{
  data *d = solver->data;
  d->u = calloc(6 * (size_t)solver->most.bodies + 1, sizeof *d->u);
  d->work = calloc(6 * (size_t)solver->most.bodies + 1, sizeof *d->work);
  d->v = calloc((size_t)solver->most.rows + 1, sizeof *d->v);
  return d->u && d->work && d->v ? 0 : hn_fail(error, "out of memory");
}

static void destroy(hn_contact_solver *solver)
{
  data *d = solver->data;
  free(d->u), free(d->work), free(d->v);
}

/* Computes u += W G' p of a block from T, whose two sides are stored row by row. */
static void apply(const hn_problem *problem, const hn_problem_block *block, const double *p, double *u)
{
  const double *T = problem->T + 12 * (size_t)block->row;
  for (int r = 0; r < 2 * block->n; r++)
    for (int c = 0; c < 6; c++)
      u[6 * (r < block->n ? block->a : block->b) + c] += T[6 * r + c] * p[r % block->n];
}

/* Computes v = G u + b of a block from G, whose two sides are stored column by column. */
static void block_velocities(const hn_problem *problem, const hn_problem_block *block, const double *u,
                             double *v)
{
  const double *G = problem->G + 12 * (size_t)block->row;
  memcpy(v, problem->b + block->row, sizeof *v * (size_t)block->n);
  for (int c = 0; c < 12; c++)
    for (int r = 0; r < block->n; r++)
      v[r] += G[c * block->n + r] * u[6 * (c < 6 ? block->a : block->b) + c % 6];
}

/* Updates the impulses p of block k from its velocities v, which are overwritten. */
static void relax(const data *d, const hn_problem *problem, int k, double *v, double *p)
{
  const hn_problem_block *block = &problem->block[k];
  const int n = block->n;
  double D[HN_MAX_ROWS * HN_MAX_ROWS];
  if (block->set.kind == HN_CONE) {
    const double s = n * hn_problem_scale(problem, k);
    hn_set_shift(&block->set, n, v);
    for (int r = 0; r < n; r++) p[r] -= d->relaxation * v[r] / s;
  } else {
    hn_problem_diagonal(problem, k, D);
    for (int r = 0; r < n; r++) {
      const double step = D[r * n + r] > 0.0 ? v[r] / D[r * n + r] : 0.0;
      p[r] -= step;
      for (int i = r; i < n; i++) v[i] -= D[i * n + r] * step;
    }
  }
  hn_set_project(&block->set, n, problem->h, p);
}

static hn_reason solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  data *d = solver->data;
  memset(d->u, 0, sizeof *d->u * 6 * (size_t)problem->nbody);
  for (int k = 0; k < problem->nblock; k++)
    apply(problem, &problem->block[k], p + problem->block[k].row, d->u);
  for (int sweep = 0; sweep < solver->options.iterations; sweep++) {
    for (int k = 0; k < problem->nblock; k++) {
      const hn_problem_block *block = &problem->block[k];
      double v[HN_MAX_ROWS], change[HN_MAX_ROWS], *now = p + block->row;
      memcpy(change, now, sizeof *change * (size_t)block->n);
      block_velocities(problem, block, d->u, v);
      relax(d, problem, k, v, now);
      for (int r = 0; r < block->n; r++) change[r] = now[r] - change[r];
      apply(problem, block, change, d->u);
    }
    /* Convergence is judged by the error of the whole problem. */
    hn_problem_velocities(problem, p, d->work, d->v);
    hn_contact_note(solver, hn_problem_error(problem, false, p, d->v, NULL));
    if (solver->error <= solver->options.tolerance) return HN_CONVERGED;
  }
  return HN_BUDGET;
}

static const hn_contact_type gauss_seidel = {
  .abi = HN_ABI,
  .name = "gauss-seidel",
  .summary = "projected Gauss-Seidel (example of a plugin)",
  .citation = "Jourdan, Alart, Jean 1998",
  .capabilities = HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE,
  .data_size = sizeof(data),
  .params = params,
  .setup = setup,
  .solve = solve,
  .free = destroy,
};

const hn_contact_type *const hn_plugin_contact_solvers[] = { &gauss_seidel, NULL };
