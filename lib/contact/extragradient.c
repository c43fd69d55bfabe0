/* extragradient.c - contact solver: Korpelevich's extragradient method, with Coulomb's law.
 *
 *   q := P_C(p - rho D^-1 F(p)),   p := P_C(p - rho D^-1 F(q)),   F(p) = v + mu |v_t| e_n,  v = K p + b
 *
 * F has De Saxce's shift, so that a zero of p - P_C(p - D^-1 F(p)) satisfies Coulomb's law: sliding contacts
 * do not lift off as they do by apgd, whose F is a gradient. F needs to be neither a gradient nor symmetric:
 * K may be as given. D is the mean of the diagonal of K on each block. The step follows Khobotov's rule,
 *
 *   ratio = rho |F(p) - F(q)|_(1/D) / |p - q|_D
 *   ratio > 0.9: rho := 2/3 rho, and q anew;   ratio < 0.3 at the end: rho := 3/2 rho
 *
 * Convergence is proven for monotone F, which the shift is not for large mu. The best iterate is returned.
 * Cost: two products with K for an iteration, one more for each rho that is rejected; no factorisation.
 * [Korpelevich, Matecon 12 (1976) 747; Khobotov, USSR Comput. Math. Math. Phys. 27 (1987) 120; of contact:
 * Acary, Bremond and Huber 2018] */
#include "base/array.h"
#include "base/vec.h"
#include "contact/best_iterate.h"
#include "contact/block_rows.h"

#include <string.h>

/* Ratios above which rho is rejected, and below which it grows; its factors; its smallest value: below, the
 * test fails by rounding alone; its largest value: F is constant where nothing moves. */
static const double max_ratio = 0.9, min_ratio = 0.3, decrease = 2.0 / 3.0, increase = 1.5, min_rho = 1e-12,
                    max_rho = 1e3;

typedef struct extragradient {
  double *scale;        /* [most.blocks] D */
  double *u;            /* [6 most.bodies] scratch */
  double *p, *q, *best; /* [most.rows] impulses */
  double *v, *v_q;      /* [most.rows] velocities at p and q */
  double *F, *F_q;      /* [most.rows] with the shift */
  double rho;
  hn_arrays arrays;
} extragradient;

static int setup(hn_contact_solver *solver, hn_error *error)
{
  extragradient *s = solver->data;
  HN_ARRAYS(&s->arrays, sizeof(double) * (size_t)solver->most.blocks, &s->scale);
  HN_ARRAYS(&s->arrays, sizeof(double[6]) * (size_t)solver->most.bodies, &s->u);
  HN_ARRAYS(&s->arrays, sizeof(double) * (size_t)solver->most.rows, &s->p, &s->q, &s->best, &s->v, &s->v_q,
            &s->F, &s->F_q);
  return s->arrays.failed ? hn_fail(error, "no memory for contact problems of %d rows", solver->most.rows)
                          : 0;
}

static void destroy(hn_contact_solver *solver)
{
  hn_arrays_free(&((extragradient *)solver->data)->arrays);
}

/* Computes the velocities V at P, and F with the shift. */
static void evaluate(const extragradient *s, const hn_problem *problem, const double *p, double *v, double *F)
{
  hn_problem_velocities(problem, p, s->u, v);
  memcpy(F, v, sizeof *F * (size_t)problem->nrow);
  for (const hn_problem_block *block = problem->block; block < problem->block + problem->nblock; block++)
    hn_set_shift(&block->set, block->n, F + block->row);
}

/* Computes RESULT = P_C(p - rho D^-1 F). RESULT may be p. */
static void project_step(const extragradient *s, const hn_problem *problem, const double *F, double *result)
{
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    const double rate = s->rho / s->scale[k];
    for (int i = block->row; i < block->row + block->n; i++) result[i] = s->p[i] - rate * F[i];
    hn_set_project(&block->set, block->n, problem->h, result + block->row);
  }
}

/* Returns the ratio of a step from p to q; 0 where it has no length. */
static double ratio_of(const extragradient *s, const hn_problem *problem)
{
  double change = 0.0, size = 0.0;
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    for (int i = block->row; i < block->row + block->n; i++) {
      const double dF = s->F[i] - s->F_q[i], dp = s->p[i] - s->q[i];
      change += dF * dF / s->scale[k], size += dp * dp * s->scale[k];
    }
  }
  return size > 0.0 ? s->rho * sqrt(change / size) : 0.0;
}

/* Replaces p and its velocities. */
static void iterate(void *data, const hn_problem *problem)
{
  extragradient *s = data;
  for (;;) {
    project_step(s, problem, s->F, s->q);
    evaluate(s, problem, s->q, s->v_q, s->F_q);
    const double ratio = ratio_of(s, problem);
    if (!(ratio > max_ratio) || s->rho <= min_rho) {
      project_step(s, problem, s->F_q, s->p);
      evaluate(s, problem, s->p, s->v, s->F);
      if (ratio < min_ratio) s->rho = fmin(s->rho * increase, max_rho);
      return;
    }
    s->rho *= decrease;
  }
}

static hn_reason solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  extragradient *s = solver->data;
  if (!hn_rows_scales(problem, s->scale)) return HN_NOT_FINITE;
  memcpy(s->p, p, sizeof *p * (size_t)problem->nrow);
  evaluate(s, problem, s->p, s->v, s->F);
  s->rho = 1.0;
  return hn_find_best_iterate(
    solver, problem,
    &(hn_iterates){ .next = iterate, .p = &s->p, .v = &s->v, .best = s->best, .scale = s->scale }, p);
}

static const hn_param params[] = { { .key = NULL } };

const hn_contact_type hn_contact_extragradient = {
  .abi = HN_ABI,
  .name = "extragradient",
  .summary = "Korpelevich's projected gradients, twice an iteration; Coulomb's law without a matrix",
  .citation = "Korpelevich 1976",
  .capabilities = HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE | HN_SOLVES_MATRIX | HN_SOLVES_UNSYMMETRIC,
  .data_size = sizeof(extragradient),
  .params = params,
  .setup = setup,
  .solve = solve,
  .free = destroy,
};
