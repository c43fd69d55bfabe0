/* sap.c - contact solver: the semi-analytic primal problem with regularised friction and compliance.
 *
 *   minimise over v = K x + b:   1/2 x' K x + 1/2 g' R g
 *   g(v): the point of C nearest to -R^-1 v, in R's norm
 *
 * The minimum has x = g: impulses p = x that satisfy the relaxed law for v + R p in place of v. R is a
 * multiple of k, the mean of the diagonal of K on each block: (beta / 2 pi)^2 for normals, sigma for tangents
 * and `joint` for joints and bounded rows. Contacts yield by R p, and stick up to a slip of about sigma k
 * mu p_n. The problem is convex and smooth whatever the contacts, and has one solution. In the paper v are
 * the velocities of bodies; x is defined where K is given, too, and K x are the same velocities.
 *
 *   Newton:        (1 + G K) d = -(x - g),  G = -dg / dv = Q Q' of each block (sap_block.c)
 *                  x + d = c - (K + (Q Q')^-1)^-1 (K c + b): Cholesky's factor of 1 + Q' K Q
 *                  c is g of rows at a bound, else 0, since g = -G v: g - c is homogeneous in v
 *   line search:   the zero of K d . (x + t d - g(v + t K d)), which grows with t
 *
 * The result is the projection of x onto the sets. Converges from any start. Cost: a factorisation an
 * iteration, by rows or by bodies (matrix/scaled_matrix.h). [Castro, Permenter and Han, IEEE Trans. Robot. 39
 * (2023) 1301; arXiv 2110.10107] */
#include "contact/sap/sap_block.h"
#include "base/vec.h"
#include "contact/matrix/scaled_matrix.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Slope at the end of a line search, relative to that at its start; evaluations; iterations without half of
 * the error after which a solution is stalled. */
static const double exact_slope = 1e-8;
enum { MOST_EVALUATIONS = 40, PATIENCE = 50 };

typedef struct sap {
  double beta, sigma, joint; /* parameters */
  hn_contact_matrix K;
  double *scale;                  /* [most.blocks] k */
  double *Q, *u;                  /* [6 most.rows], [6 most.bodies] */
  double *x, *v, *g;              /* [most.rows] */
  double *p, *v_p, *best;         /* [most.rows] the projection of x, its velocities; the best one */
  double *c, *d, *Kd, *v_t, *g_t; /* [most.rows] */
  hn_refinement refinement;       /* scratch of the step */
  hn_arrays arrays;
} sap;

static int setup(hn_contact_solver *solver, hn_error *error)
{
  sap *s = solver->data;
  HN_ARRAYS(&s->arrays, sizeof(double) * (size_t)solver->most.blocks, &s->scale);
  HN_ARRAYS(&s->arrays, sizeof(double[6]) * (size_t)solver->most.bodies, &s->u);
  HN_ARRAYS(&s->arrays, sizeof(double[6]) * (size_t)solver->most.rows, &s->Q);
  HN_ARRAYS(&s->arrays, sizeof(double) * (size_t)solver->most.rows, &s->x, &s->v, &s->g, &s->p, &s->v_p,
            &s->best, &s->c, &s->d, &s->Kd, &s->v_t, &s->g_t, &s->refinement.y, &s->refinement.Qy,
            &s->refinement.r);
  s->refinement.u = s->u;
  return s->arrays.failed ? hn_fail(error, "no memory for contact problems of %d rows", solver->most.rows)
                          : 0;
}

static void destroy(hn_contact_solver *solver)
{
  sap *s = solver->data;
  hn_contact_matrix_free(&s->K);
  hn_arrays_free(&s->arrays);
}

/* ---- The law ----------------------------------------------------------------------------------------- */

/* Sets the law: the relaxed one with R. */
static void set_law(const hn_contact_solver *solver, hn_contact_law *law)
{
  const sap *s = solver->data;
  const double root = s->beta / 6.28318530717958647693;
  law->relaxed = true;
  law->normal = root * root, law->tangent = s->sigma, law->joint = s->joint;
}

static void name_law(const hn_contact_solver *solver, bool planar, char *text, size_t size)
{
  hn_contact_law law;
  set_law(solver, &law);
  snprintf(text, size, "relaxed, regularised by %.2g k (normal), %.2g k (%s)", law.normal, law.tangent,
           planar ? "tangent" : "tangents");
}

/* ---- An iteration ------------------------------------------------------------------------------------ */

/* Computes g, and Q, at the velocities V. */
static void evaluate(sap *s, const hn_problem *problem, const hn_contact_law *law, const double *v, double *g)
{
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    const hn_sap_rates R = hn_sap_rates_of(law, &block->set, s->scale[k]);
    hn_sap_block(&block->set, block->n, problem->h, R, v + block->row, g + block->row,
                 s->Q + 6 * (size_t)block->row);
  }
}

/* Computes the projection of x, and returns its error, m/s. */
static double judge(sap *s, const hn_problem *problem, const hn_contact_law *law)
{
  memcpy(s->p, s->x, sizeof *s->p * (size_t)problem->nrow);
  for (const hn_problem_block *block = problem->block; block < problem->block + problem->nblock; block++)
    hn_set_project(&block->set, block->n, problem->h, s->p + block->row);
  hn_problem_velocities(problem, s->p, s->u, s->v_p);
  return hn_contact_law_error(law, problem, s->p, s->v_p, NULL);
}

/* Computes c. */
static void find_constants(sap *s, const hn_problem *problem)
{
  for (const hn_problem_block *block = problem->block; block < problem->block + problem->nblock; block++)
    for (int r = 0; r < block->n; r++) {
      const bool at_bound = block->set.kind != HN_CONE && s->Q[6 * block->row + r * (block->n + 1)] == 0.0;
      s->c[block->row + r] = at_bound ? s->g[block->row + r] : 0.0;
    }
}

/* Computes the direction d at x and v, and K d. */
static hn_reason find_direction(hn_contact_solver *solver, sap *s, const hn_problem *problem)
{
  solver->factorisations++, solver->solves++;
  hn_reason reason = hn_scaled_matrix_factor(&s->K, problem, s->Q);
  if (reason != HN_CONVERGED) return reason;
  find_constants(s, problem);
  hn_problem_velocities(problem, s->c, s->u, s->d);
  hn_scaled_matrix_solve(&s->K, problem, s->Q, &s->refinement, s->d);
  for (int i = 0; i < problem->nrow; i++) s->d[i] = s->c[i] - s->d[i] - s->x[i];
  hn_problem_velocities(problem, s->d, s->u, s->Kd);
  for (int i = 0; i < problem->nrow; i++) s->Kd[i] -= problem->b[i];
  return all_finite(s->d, problem->nrow) ? HN_CONVERGED : HN_SINGULAR;
}

/* Returns the slope at x + T d, and its derivative in CURVATURE. */
static double slope_at(sap *s, const hn_problem *problem, const hn_contact_law *law, double t,
                       double *curvature)
{
  double slope = 0.0;
  *curvature = 0.0;
  for (int i = 0; i < problem->nrow; i++) s->v_t[i] = s->v[i] + t * s->Kd[i];
  evaluate(s, problem, law, s->v_t, s->g_t);
  for (const hn_problem_block *block = problem->block; block < problem->block + problem->nblock; block++) {
    const double *Q = s->Q + 6 * (size_t)block->row, *Kd = s->Kd + block->row;
    for (int i = block->row; i < block->row + block->n; i++) {
      slope += s->Kd[i] * (s->x[i] + t * s->d[i] - s->g_t[i]);
      *curvature += s->Kd[i] * s->d[i];
    }
    for (int c = 0; c < block->n; c++) {
      double sum = 0.0;
      for (int r = 0; r < block->n; r++) sum += Q[r * block->n + c] * Kd[r];
      *curvature += sum * sum;
    }
  }
  return slope;
}

/* Returns the step t along d at which the slope is 0; 0 where d is no descent. */
static double search(sap *s, const hn_problem *problem, const hn_contact_law *law)
{
  double curvature, low = 0.0, high = HUGE_VAL, t = 1.0;
  const double first = slope_at(s, problem, law, 0.0, &curvature);
  if (!(first < 0.0)) return 0.0;
  for (int i = 0; i < MOST_EVALUATIONS; i++) {
    const double slope = slope_at(s, problem, law, t, &curvature);
    if (fabs(slope) <= -exact_slope * first) break;
    *(slope < 0.0 ? &low : &high) = t;
    double next = t - slope / curvature;
    if (!(next > low && next < high)) next = high < HUGE_VAL ? 0.5 * (low + high) : 2.0 * t;
    if (next == t) break;
    t = next;
  }
  return t;
}

/* Makes a step of Newton's method. */
static hn_reason step(hn_contact_solver *solver, sap *s, const hn_problem *problem, const hn_contact_law *law)
{
  evaluate(s, problem, law, s->v, s->g);
  hn_reason reason = find_direction(solver, s, problem);
  if (reason != HN_CONVERGED) return reason;
  const double t = search(s, problem, law);
  for (int i = 0; i < problem->nrow; i++) s->x[i] += t * s->d[i];
  hn_problem_velocities(problem, s->x, s->u, s->v);
  return HN_CONVERGED;
}

static hn_reason solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  sap *s = solver->data;
  const size_t size = sizeof *p * (size_t)problem->nrow;
  const double tolerance = solver->options.tolerance;
  hn_contact_law law = { .corners = 0 };
  set_law(solver, &law);
  if (!hn_rows_scales(problem, s->scale)) return HN_NOT_FINITE;
  memcpy(s->x, p, size);
  hn_problem_velocities(problem, p, s->u, s->v);
  double least = judge(s, problem, &law), halved = least;
  memcpy(s->best, s->p, size);
  if (!isfinite(least)) return HN_NOT_FINITE;
  hn_reason reason = least <= tolerance ? HN_CONVERGED : HN_BUDGET;
  for (int k = 0, stagnation = 0; k < solver->options.iterations && reason == HN_BUDGET; k++) {
    if (hn_stopped(solver->stop)) return HN_INTERRUPTED;
    hn_reason made = step(solver, s, problem, &law);
    if (made != HN_CONVERGED) {
      reason = made;
      break;
    }
    const double error = judge(s, problem, &law);
    if (!isfinite(error)) return HN_NOT_FINITE;
    if (error < least) least = error, memcpy(s->best, s->p, size);
    stagnation = error <= 0.5 * halved ? 0 : stagnation + 1;
    if (stagnation == 0) halved = error;
    hn_contact_note(solver, error);
    if (error <= tolerance) reason = HN_CONVERGED;
    else if (stagnation >= PATIENCE && tolerance > 0.0) reason = HN_STALLED;
  }
  solver->error = least;
  memcpy(p, s->best, size);
  return reason;
}

static const hn_param params[] = {
  { "beta", HN_REAL, offsetof(sap, beta), "1", 1e-4, 10, "", NULL,
    "compliance of normals: R is (beta / 2 pi)^2 times the mean of the diagonal of K" },
  { "sigma", HN_REAL, offsetof(sap, sigma), "1e-3", 1e-10, 1, "", NULL,
    "regularisation of friction, relative to the mean of the diagonal of K" },
  { "joint", HN_REAL, offsetof(sap, joint), "1e-6", 1e-10, 1, "", NULL,
    "compliance of joints and of rows with bounds, relative to the mean of the diagonal of K" },
  { .key = NULL },
};

static const char *const variants[] = { "", "beta=0.01:sigma=1e-6", NULL };

const hn_contact_type hn_contact_sap = {
  .abi = HN_ABI,
  .name = "sap",
  .summary = "convex, with compliance and regularised friction; Newton's method converges from any start",
  .citation = "Castro, Permenter and Han 2022",
  .capabilities = HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE | HN_SOLVES_MATRIX | HN_SOLVES_RELAXED |
                  HN_SOLVES_REGULARISED,
  .data_size = sizeof(sap),
  .params = params,
  .setup = setup,
  .solve = solve,
  .free = destroy,
  .variants = variants,
  .law = name_law,
  .polygon = set_law,
};
