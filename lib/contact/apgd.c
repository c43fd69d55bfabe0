/* apgd.c - contact solver: accelerated projected gradient descent, of the convex relaxation.
 *
 *   minimise  1/2 p' K p + b' p  over C:    p' := P_C(y - D^-1 (K y + b) / L),   y := p' + beta (p' - p)
 *
 * beta is Nesterov's, restarted where the gradient and the last step have the same direction. L doubles until
 * d' K d <= L d' D d holds for the step d, and shrinks by a tenth an iteration. D is the mean of the diagonal
 * of K on each block, which does not change projections: L is about the number of contacts of a body,
 * whatever its mass.
 *
 * The minimum has no shift mu |v_t|: a sliding contact lifts off with v_n = mu |v_t|. The error is that of
 * the relaxed problem, and the best iterate is returned. Cost: a product with K for each L tried, one an
 * iteration mostly; no factorisation. [Mazhar, Heyn, Negrut and Tasora, ACM Trans. Graph. 34 (2015) 32,
 * algorithm 1; the problem: Anitescu 2006] */
#include "base/array.h"
#include "base/vec.h"
#include "contact/best_iterate.h"
#include "contact/block_rows.h"

#include <string.h>

/* Factor of L an iteration, so that it follows the local curvature; its bounds: below, gradients are 0 where
 * nothing moves; above, the test of L fails by rounding alone. */
static const double L_decrease = 0.9, min_L = 1e-3, max_L = 1e12;

typedef struct apgd {
  double *scale;               /* [most.blocks] D */
  double *u;                   /* [6 most.bodies] */
  double *y, *p, *next, *best; /* [most.rows] impulses */
  double *v_y, *v, *v_next;    /* [most.rows] velocities at y, p, next */
  double L, theta;             /* theta: state of Nesterov's sequence */
  hn_arrays arrays;
} apgd;

static int setup(hn_contact_solver *solver, hn_error *error)
{
  apgd *s = solver->data;
  HN_ARRAYS(&s->arrays, sizeof(double) * (size_t)solver->most.blocks, &s->scale);
  HN_ARRAYS(&s->arrays, sizeof(double[6]) * (size_t)solver->most.bodies, &s->u);
  HN_ARRAYS(&s->arrays, sizeof(double) * (size_t)solver->most.rows, &s->y, &s->p, &s->next, &s->best, &s->v_y,
            &s->v, &s->v_next);
  return s->arrays.failed ? hn_fail(error, "no memory for contact problems of %d rows", solver->most.rows)
                          : 0;
}

static void destroy(hn_contact_solver *solver)
{
  hn_arrays_free(&((apgd *)solver->data)->arrays);
}

static void swap(double **a, double **b)
{
  double *first = *a;
  *a = *b, *b = first;
}

/* Computes next = P_C(y - D^-1 v_y / L). */
static void project_step(const apgd *s, const hn_problem *problem)
{
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    const double rate = 1.0 / (s->L * s->scale[k]);
    double *next = s->next + block->row;
    for (int r = 0; r < block->n; r++) next[r] = s->y[block->row + r] - rate * s->v_y[block->row + r];
    hn_set_project(&block->set, block->n, problem->h, next);
  }
}

/* True if L bounds the curvature along the step from y to next. */
static bool bounds_curvature(const apgd *s, const hn_problem *problem)
{
  double curvature = 0.0, size = 0.0;
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    for (int i = block->row; i < block->row + block->n; i++) {
      double d = s->next[i] - s->y[i];
      curvature += d * (s->v_next[i] - s->v_y[i]), size += s->scale[k] * d * d;
    }
  }
  return !(curvature > s->L * size) || s->L >= max_L;
}

/* Computes next and its velocities, with an L that bounds the curvature. */
static void step(apgd *s, const hn_problem *problem)
{
  s->L = fmax(L_decrease * s->L, min_L);
  for (;;) {
    project_step(s, problem);
    hn_problem_velocities(problem, s->next, s->u, s->v_next);
    if (bounds_curvature(s, problem)) return;
    s->L *= 2.0;
  }
}

/* Extrapolates y and its velocities beyond next, which becomes p. */
static void extrapolate(apgd *s, int nrow)
{
  double theta = s->theta, slope = 0.0; /* of the gradient along the last step */
  s->theta = 0.5 * theta * (sqrt(theta * theta + 4.0) - theta);
  double beta = theta * (1.0 - theta) / (theta * theta + s->theta);
  for (int i = 0; i < nrow; i++) slope += s->v_y[i] * (s->next[i] - s->p[i]);
  if (slope > 0.0) beta = 0.0, s->theta = 1.0;
  for (int i = 0; i < nrow; i++) {
    s->y[i] = s->next[i] + beta * (s->next[i] - s->p[i]);
    s->v_y[i] = s->v_next[i] + beta * (s->v_next[i] - s->v[i]);
  }
  swap(&s->p, &s->next), swap(&s->v, &s->v_next);
}

/* Replaces p and its velocities. */
static void iterate(void *data, const hn_problem *problem)
{
  step(data, problem);
  extrapolate(data, problem->nrow);
}

static hn_reason solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  apgd *s = solver->data;
  const size_t size = sizeof(double) * (size_t)problem->nrow;
  if (!hn_rows_scales(problem, s->scale)) return HN_NOT_FINITE;
  memcpy(s->p, p, size), memcpy(s->y, p, size);
  hn_problem_velocities(problem, p, s->u, s->v);
  memcpy(s->v_y, s->v, size);
  s->L = s->theta = 1.0;
  return hn_find_best_iterate(solver, problem,
                              &(hn_iterates){ iterate, &s->p, &s->v, s->best, s->scale, .relaxed = true }, p);
}

static const hn_param params[] = { { .key = NULL } };

const hn_contact_type hn_contact_apgd = {
  .abi = HN_ABI,
  .name = "apgd",
  .summary = "accelerated projected gradients of the convex relaxation: sliding contacts lift off",
  .citation = "Mazhar, Heyn, Negrut and Tasora 2015",
  .capabilities = HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE | HN_SOLVES_MATRIX | HN_SOLVES_RELAXED |
                  HN_SOLVES_ROLLING,
  .data_size = sizeof(apgd),
  .params = params,
  .setup = setup,
  .solve = solve,
  .free = destroy,
};
