/* pgs.c - projected Gauss-Seidel: each block in turn gets the impulse that solves it alone.
 *
 *   repeat   for blocks k in order:   v_k = (K p + b)_k;   p_k := solution of block k, other impulses fixed
 *   until    the largest change of an impulse, as a velocity, is within the tolerance, and
 *            with local=cone also the error of Coulomb's law (hn_problem_error)
 *
 * Sweeps: block_sweep.h. Solution of a block for each setting of `local`: block_solution.h. A program of one
 * page with the same iteration is doc/gauss_seidel.c.
 *
 * local=box and local=pyramid make friction depend on direction: up to sqrt(2) times too large, along the
 * diagonals of the tangents. They and local=disk end when the impulses stop changing, whatever Coulomb's law
 * says. Convergence is linear: for the normals of a stack of n equal masses exactly cos^2(pi / 2n) a sweep.
 * If a given K is not symmetric, v_k is that of K as given, and the model of block k, the symmetric part of
 * its diagonal block, affects the rate of convergence alone.
 *
 * The order of the blocks is part of the method. [Jourdan, Alart and Jean, Comput. Methods Appl. Mech. Eng.
 * 155 (1998) 31; box: Erleben 2007] */
#include "contact/pgs/block_sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Sweeps between two evaluations of the law, once the impulses change by less than the tolerance: one costs a
 * sweep. */
enum { CHECK_INTERVAL = 8 };
/* m/s: the squares of smaller changes may underflow to 0; sweeps are then made one at a time. */
static const double min_change = 1e-100;

/* Working memory, which holds nothing between two solutions: the solvers of a system share it. */
typedef struct memory {
  int users;
  hn_block_sweep sweep;
  double *work, *v; /* [6 max_size.bodies], [max_size.rows] for the error of the law */
  hn_arrays arrays;
} memory;

typedef struct pgs {
  int local;         /* HN_LOCAL_... */
  double relaxation; /* fraction of each change that is applied */
  memory *own;
} pgs;

static void release(memory *m)
{
  if (!m || --m->users > 0) return;
  hn_arrays_free(&m->arrays);
  free(m);
}

/* Returns memory for problems up to MOST with one user, or NULL. */
static memory *create_memory(const hn_problem_size *most)
{
  memory *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->users = 1;
  hn_block_sweep_setup(&m->sweep, most, &m->arrays);
  HN_ARRAYS(&m->arrays, sizeof(double[6]) * (size_t)most->bodies, &m->work);
  HN_ARRAYS(&m->arrays, sizeof(double) * (size_t)most->rows, &m->v);
  if (!m->arrays.failed) return m;
  release(m);
  return NULL;
}

static int setup(hn_contact_solver *solver, hn_error *error)
{
  pgs *s = solver->data;
  memory *shared = solver->shared ? *solver->shared : NULL;
  s->own = shared ? shared : create_memory(&solver->most);
  if (!s->own) return hn_fail(error, "no memory for contact problems of %d rows", solver->most.rows);
  if (shared) shared->users++;
  else if (solver->shared) *solver->shared = s->own;
  return 0;
}

static void destroy(hn_contact_solver *solver)
{
  pgs *s = solver->data;
  if (s->own && s->own->users == 1 && solver->shared) *solver->shared = NULL;
  release(s->own);
}

/* Stores the impulses in P; returns their error of Coulomb's law (m/s). */
static double law_error(memory *s, const hn_problem *problem, double *p)
{
  hn_block_sweep_impulses(&s->sweep, problem, p);
  hn_problem_velocities(problem, p, s->work, s->v);
  return hn_problem_error(problem, false, p, s->v, NULL);
}

/* True if a contact of PROBLEM has rolling or torsional friction. */
static bool has_moments(const hn_problem *problem)
{
  for (int k = 0; k < problem->nblock; k++)
    if (problem->block[k].set.kind == HN_CONE && problem->block[k].n > 3) return true;
  return false;
}

static hn_reason solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  const pgs *settings = solver->data;
  memory *s = settings->own;
  const double tolerance = solver->options.tolerance;
  const int max_sweeps = solver->options.iterations;
  const bool by_law = settings->local == HN_LOCAL_CONE, wants_history = solver->room > 0;
  hn_reason reason = HN_BUDGET;
  double change = 0.0;
  if (!by_law && has_moments(problem)) {
    solver->message = "local=disk, box and pyramid have no rolling or torsional friction: choose local=cone";
    return HN_UNSUPPORTED;
  }
  if (!hn_block_sweep_load(&s->sweep, problem, settings->local, settings->relaxation, p))
    return HN_NOT_FINITE;
  for (int k = 0, next_check = 0; k < max_sweeps && reason == HN_BUDGET; k++) {
    if (hn_stopped(solver->stop)) return HN_INTERRUPTED;
    /* without a tolerance sweeps go on while they change anything: two may be made at once */
    const bool may_look_ahead = tolerance == 0.0 && !wants_history && change > min_change &&
                                k + 1 < max_sweeps;
    change = hn_block_sweep_next(&s->sweep, may_look_ahead);
    if (!isfinite(change)) return HN_NOT_FINITE;

    const bool due = change <= tolerance && k >= next_check;
    if (due) next_check = k + CHECK_INTERVAL;
    const double error = by_law && (due || wants_history) ? law_error(s, problem, p) : change;
    hn_contact_note(solver, error);
    if (due && (!by_law || error <= tolerance)) reason = HN_CONVERGED;
  }
  hn_block_sweep_impulses(&s->sweep, problem, p);
  return reason;
}

static const hn_param params[] = {
  { "local", HN_CHOICE, offsetof(pgs, local), "cone", 0, 0, "", "cone,disk,box,pyramid",
    "solution of a contact: exact, or normal and tangents separately as in game engines" },
  { "relaxation", HN_REAL, offsetof(pgs, relaxation), "1", 0.01, 1, "", NULL,
    "fraction of the change of an impulse that is applied" },
  { .key = NULL },
};

/* In the plane friction has two directions, and a box or a pyramid is the cone. local=disk ends at solutions
 * of Coulomb's law. */
static void name_law(const hn_contact_solver *solver, bool planar, char *text, size_t size)
{
  const int local = ((const pgs *)solver->data)->local;
  if (planar) return;
  if (local == HN_LOCAL_BOX) snprintf(text, size, "friction in a box");
  if (local == HN_LOCAL_PYRAMID) snprintf(text, size, "friction in a pyramid of 4 faces");
}

static void set_polygon(const hn_contact_solver *solver, hn_contact_law *law)
{
  const int local = ((const pgs *)solver->data)->local;
  const double sqrt2 = 1.41421356237309504880, quarter = 0.78539816339744830962; /* pi / 4 */
  /* both bound each tangent by mu p_n */
  if (local == HN_LOCAL_BOX || local == HN_LOCAL_PYRAMID)
    law->corners = 4, law->reach = sqrt2, law->angle = quarter;
}

static const char *const variants[] = { "", "local=box", "local=pyramid", NULL };

const hn_contact_type hn_contact_pgs = {
  .abi = HN_ABI,
  .name = "pgs",
  .summary = "block Gauss-Seidel; contacts solved exactly, or split as engines do",
  .citation = "Jourdan, Alart and Jean 1998",
  .capabilities = HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE | HN_SOLVES_MATRIX | HN_SOLVES_UNSYMMETRIC |
                  HN_SOLVES_STICKING | HN_SOLVES_ROLLING | HN_COMPUTES_RESPONSES,
  .data_size = sizeof(pgs),
  .params = params,
  .setup = setup,
  .solve = solve,
  .free = destroy,
  .variants = variants,
  .law = name_law,
  .polygon = set_polygon,
};
