/* contact_newton.c - Newton's method on Alart and Curnier's function F (alart_curnier.h), which is not smooth.
 *
 *   J d = -F,  J = A + B (K + shift),  dF = A dp + B dv of each block;   p += t d,  t = 1, 1/2, ... until |F| falls
 *
 * |F| falls below the largest of the last three: where a contact sticks and slides in turn on the way, t gets short if
 * it is to fall in every step. Blocks that are open or at a bound have d at once: the matrix is of the others. Where
 * contacts repeat each other J is singular: K has `ample` times k more on its diagonal in J alone, which costs no more
 * than that part of an error an iteration; impulses are then one solution of many. Where they repeat each other but for
 * a rounding, and contradict each other by another, one slides by as little, with all the friction it has. Steps are
 * too short to get there: what comes to a halt has `scant` in place of ample, and a step that goes to where the first
 * contact that sticks comes to its cone, or one that slides opens, if |F| is not larger there; on the way it hardly
 * changes. The start is sharpened by a few sweeps of Gauss-Seidel, and more of them, twice as many each time, help
 * where neither finds a t, |F| does not halve in a while, or J is singular nevertheless: they are counted as
 * fallbacks. When the most there are do not halve the error it begins anew from zero, once: impulses that another
 * solver has moved far along what contradicts itself are no good start. Then it is stalled.
 *
 * Each iteration factors with the library behind unsymmetric.h (newton_step.c). [Alart and Curnier, Comput. Solvers
 * Appl. Mech. Eng. 92 (1991) 353; Acary, Bremond and Huber, in Advanced Topics in Nonsmooth Dynamics (2018);
 * line search: Grippo, Lampariello and Lucidi, SIAM J. Numer. Anal. 23 (1986) 707] */
#include "base/module.h"
#include "base/params.h"
#include "base/vec.h"
#include "contact/newton/alart_curnier.h"
#include "contact/newton/newton_step.h"

#include <string.h>

static const double ample = 1e-9, scant = 1e-12; /* regularisation */
static const double descent = 1e-4;              /* part of the fall of |F|^2 that its slope promises */
static const double shortest = 2e-4;             /* t */
enum { MOST_SWEEPS = 10000, REMEMBERED = 3, PATIENCE = 20 };

extern const hn_contact_type hn_contact_pgs;

/* What the line search and the search for a way out know of the steps before. */
typedef struct course {
  double merit[REMEMBERED]; /* of the last steps */
  int steps;
  double best; /* merit, which is to halve in PATIENCE steps */
  int waiting; /* steps since it did */
} course;

/* ---- Life cycle ---------------------------------------------------------------------------------------- */

/* A Gauss-Seidel solver of the same sizes, whose tolerance is never met. */
static int set_up_sweeps(hn_newton *s, const hn_contact_solver *solver, hn_error *error)
{
  s->pgs = (hn_contact_solver){ .type = &hn_contact_pgs, .most = solver->most };
  s->pgs.data = calloc(1, hn_contact_pgs.data_size);
  if (!s->pgs.data) return hn_fail(error, "out of memory");
  if (hn_params_read(hn_contact_pgs.params, "pgs", NULL, s->pgs.data, &s->pgs.texts, error)) return -1;
  return hn_contact_pgs.setup(&s->pgs, error);
}

static int setup(hn_contact_solver *solver, hn_error *error)
{
  hn_newton *s = solver->data;
  const size_t rows = (size_t)solver->most.rows + 1, blocks = (size_t)solver->most.blocks + 1;
  const void *symbol = hn_module_symbol(HN_LU_MODULE, HN_LU_SOLVE, error);
  if (!symbol || set_up_sweeps(s, solver, error)) return -1;
  memcpy(&s->lu, &symbol, sizeof s->lu); /* ISO C has no cast from an object to a function */
  s->scale = malloc(sizeof(double) * blocks), s->fixed = malloc(blocks), s->at = malloc(sizeof(int) * blocks);
  s->A = malloc(sizeof(double) * 6 * rows), s->B = malloc(sizeof(double) * 6 * rows);
  s->u = malloc(sizeof(double) * 6 * ((size_t)solver->most.bodies + 1));
  s->J.start = malloc(sizeof(int) * (rows + 1));
  double **const array[] = { &s->F, &s->v, &s->d, &s->v_d, &s->x, &s->trial, &s->v_trial };
  bool made = s->scale && s->fixed && s->at && s->A && s->B && s->u && s->J.start;
  for (size_t i = 0; i < sizeof array / sizeof *array; i++)
    made = (*array[i] = malloc(sizeof(double) * rows)) != NULL && made;
  return made ? 0 : hn_fail(error, "no memory for contact problems of %zu rows", rows);
}

static void destroy(hn_contact_solver *solver)
{
  hn_newton *s = solver->data;
  if (s->pgs.data) hn_contact_pgs.free(&s->pgs);
  hn_texts_free(s->pgs.texts);
  free(s->pgs.data);
  hn_sparse_free(&s->K);
  free(s->J.start), free(s->J.row), free(s->J.value), free(s->scratch.memory);
  free(s->scale), free(s->fixed), free(s->at), free(s->A), free(s->B), free(s->u);
  free(s->F), free(s->v), free(s->d), free(s->v_d), free(s->x), free(s->trial), free(s->v_trial);
}

/* ---- F ------------------------------------------------------------------------------------------------- */

/* Half of |F|^2. */
static double merit_of(hn_newton *s, const hn_problem *problem, const double *p, const double *v, bool derive)
{
  double sum = 0.0;
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    const int row = block->row;
    double *A = derive ? s->A + 6 * (size_t)row : NULL, *B = s->B + 6 * (size_t)row, F[HN_MAX_ROWS];
    bool fixed = hn_alart_function(problem, block, s->scale[k], p + row, v + row, F, A, B);
    for (int i = 0; i < block->n; i++) sum += 0.5 * F[i] * F[i];
    if (!derive) continue;
    s->fixed[k] = fixed;
    memcpy(s->F + row, F, sizeof *F * (size_t)block->n);
  }
  return sum;
}

/* ---- Along a step -------------------------------------------------------------------------------------- */

/* One more step, from MERIT: what the next one is to be below. */
static double remember(course *c, double merit)
{
  double most = merit;
  c->merit[c->steps++ % REMEMBERED] = merit;
  for (int i = 0; i < REMEMBERED && i < c->steps; i++) most = fmax(most, c->merit[i]);
  const bool halved = c->waiting < 0 || merit <= 0.5 * c->best;
  c->waiting = halved ? 0 : c->waiting + 1;
  if (halved) c->best = merit;
  return most;
}

static bool is_stuck(const course *c)
{
  return c->waiting >= PATIENCE;
}

/* The first t along d at which a contact that sticks comes to its cone, or one that slides opens. */
static double first_bound(const hn_newton *s, const hn_problem *problem, const double *p)
{
  double t = HUGE_VAL;
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    const int row = block->row;
    if (block->set.kind == HN_CONE && !s->fixed[k])
      t = fmin(t, hn_alart_bound(block, s->scale[k], p + row, s->v + row, s->d + row, s->v_d + row));
  }
  return t;
}

/* Goes T along d, if the merit there is at most MERIT. */
static bool try(hn_newton *s, const hn_problem *problem, double t, double merit, double *p)
{
  for (int i = 0; i < problem->nrow; i++)
    s->trial[i] = p[i] + t * s->d[i], s->v_trial[i] = s->v[i] + t * s->v_d[i];
  if (!(merit_of(s, problem, s->trial, s->v_trial, false) <= merit)) return false;
  memcpy(p, s->trial, sizeof *p * (size_t)problem->nrow);
  return true;
}

/* P along d; false: nowhere is the merit below that. */
static bool search(hn_newton *s, const hn_problem *problem, double merit, double *p)
{
  hn_problem_velocities(problem, s->d, s->u, s->v_d);
  for (int i = 0; i < problem->nrow; i++) s->v_d[i] -= problem->b[i];
  const double bound = s->regularisation > scant ? HUGE_VAL : first_bound(s, problem, p);
  if (bound <= 1.0 && try(s, problem, bound, merit, p)) return true;
  for (double t = 1.0; t > shortest; t *= 0.5)
    if (try(s, problem, t, (1.0 - 2.0 * descent * t) * merit, p)) return true;
  return false;
}

/* ---- The solver ---------------------------------------------------------------------------------------- */

static hn_reason sweep(hn_contact_solver *solver, const hn_problem *problem, int sweeps, double *p)
{
  hn_newton *s = solver->data;
  s->pgs.options = (hn_contact_options){ .tolerance = 0.0, .iterations = sweeps };
  s->pgs.iterations = 0;
  hn_reason reason = sweeps > 0 ? hn_contact_pgs.solve(&s->pgs, problem, p) : HN_BUDGET;
  solver->sweeps += s->pgs.iterations;
  return reason == HN_BUDGET || reason == HN_CONVERGED ? HN_CONVERGED : reason;
}

/* Error of P, whose velocities become v; impulses of the sets into P where these are good. */
static bool is_solved(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  hn_newton *s = solver->data;
  const double tolerance = solver->options.tolerance;
  hn_problem_velocities(problem, p, s->u, s->v);
  double error = hn_rows_error(problem, s->scale, false, p, s->v);
  hn_contact_note(solver, error);
  if (!(error <= tolerance)) return false;
  memcpy(s->trial, p, sizeof *p * (size_t)problem->nrow);
  if (!(hn_rows_confine(problem, s->scale, s->u, s->v_trial, s->trial) <= tolerance)) return false;
  memcpy(p, s->trial, sizeof *p * (size_t)problem->nrow);
  return true;
}

static const course fresh = { .waiting = -1 };

static hn_reason solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  hn_newton *s = solver->data;
  course way = fresh;
  int help = s->help;
  bool anew = true;       /* from zero, or is the start that? */
  double left = HUGE_VAL; /* when the most sweeps last helped */
  s->regularisation = ample;
  for (int i = 0; i < problem->nrow; i++) anew &= p[i] == 0.0;
  if (!hn_rows_scales(problem, s->scale)) return HN_NOT_FINITE;
  hn_reason reason = hn_sparse_load(&s->K, problem, false);
  if (reason == HN_CONVERGED) reason = sweep(solver, problem, s->first_sweeps, p);
  while (reason == HN_CONVERGED && !is_solved(solver, problem, p)) {
    if (!isfinite(solver->error)) return HN_NOT_FINITE;
    if (solver->iterations >= solver->options.iterations) {
      hn_rows_confine(problem, s->scale, s->u, s->v_trial, p);
      return HN_BUDGET;
    }
    const double bound = remember(&way, merit_of(s, problem, p, s->v, true));
    hn_reason step = is_stuck(&way) ? HN_STALLED : hn_newton_step(solver, problem);
    if (step == HN_FULL) return step;
    if (step == HN_CONVERGED && search(s, problem, bound, p)) continue;
    way = fresh;
    if (s->regularisation > scant) {
      s->regularisation = scant;
      continue;
    }
    s->regularisation = ample;
    const bool hopeless = help >= MOST_SWEEPS && !(solver->error < 0.5 * left);
    if (hopeless && anew) {
      hn_rows_confine(problem, s->scale, s->u, s->v_trial, p);
      return HN_STALLED;
    }
    if (hopeless) { /* the start is no good */
      anew = true, help = s->help, left = HUGE_VAL;
      memset(p, 0, sizeof *p * (size_t)problem->nrow);
      reason = sweep(solver, problem, s->first_sweeps, p);
      continue;
    }
    if (help >= MOST_SWEEPS) left = solver->error;
    solver->fallbacks++;
    reason = sweep(solver, problem, help, p);
    help = help < MOST_SWEEPS ? 2 * help : help;
  }
  return reason;
}

static const hn_param params[] = {
  { "sweeps", HN_INTEGER, offsetof(hn_newton, first_sweeps), "5", 0, 1e6, "", NULL,
    "of Gauss and Seidel before the first iteration" },
  { "help", HN_INTEGER, offsetof(hn_newton, help), "20", 1, 1e6, "", NULL,
    "sweeps where an iteration fails; then twice as many" },
  { .key = NULL },
};

const hn_contact_type hn_contact_newton = {
  .abi = HN_ABI,
  .name = "newton",
  .summary = "Newton's method on Alart and Curnier's function; few iterations to round-off",
  .citation = "Alart and Curnier 1991",
  .capabilities = HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE | HN_SOLVES_MATRIX,
  .data_size = sizeof(hn_newton),
  .params = params,
  .setup = setup,
  .solve = solve,
  .free = destroy,
};
