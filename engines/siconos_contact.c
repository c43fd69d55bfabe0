/* siconos_contact.c - Siconos' solvers of frictional contact as the contact solver `siconos`.
 *
 *   repeat  call the method with Siconos' tolerance T, from the last impulses
 *           e = residual of Coulomb's law of the original problem, m/s
 *           end if e <= tolerance;  T := T max(tolerance / (2 e), 1e-3), at most T / 4
 *
 * The tolerance of a method is relative: to the norm of q, and to others inside some. It is no bound of e, so
 * the first T is tolerance / |q|, and it is reduced while the method reports success and e is too large. The
 * calls share one budget of iterations; the impulses returned are those with the smallest e. [Acary, Bremond
 * and Huber 2018] */
#include "engines/siconos_parts.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double least_reduction = 0.25, most_reduction = 1e-3;
static const double tightest = DBL_EPSILON / 16; /* of Siconos' tolerance */

typedef struct data {
  int method, child;
  double unit;          /* kg */
  double *p, *v, *work; /* [most.rows] impulses and velocities, [6 most.bodies] scratch */
  char text[SICONOS_TEXT];
} data;

/* A problem, and its translation. */
typedef struct translation {
  hn_contact_solver *solver;
  const hn_problem *problem;
  siconos_problem s;
  double *best, error; /* the impulses with the smallest error, m/s */
} translation;

static const hn_param params[] = {
  { "method", HN_CHOICE, offsetof(data, method), "nsgs", 0, 0, "", siconos_method_names,
    "method of Siconos (doc/engines/siconos.md)" },
  { "mass_unit", HN_REAL, offsetof(data, unit), "0", 0, 1e12, "kg", NULL,
    "unit of mass in Siconos; 0: chosen so that K has a diagonal near 1" },
  { "child", HN_FLAG, offsetof(data, child), "true", 0, 0, "", NULL,
    "calls Siconos in a child process, since some of its methods may abort" },
  { .key = NULL },
};

static int setup(hn_contact_solver *solver, hn_error *error)
{
  data *d = solver->data;
  const size_t rows = (size_t)solver->most.rows + 1, bodies = (size_t)solver->most.bodies + 1;
  d->p = calloc(rows, sizeof *d->p), d->v = calloc(rows, sizeof *d->v);
  d->work = calloc(6 * bodies, sizeof *d->work);
  return d->p && d->v && d->work ? 0 : hn_fail(error, "out of memory");
}

static void destroy(hn_contact_solver *solver)
{
  data *d = solver->data;
  free(d->p), free(d->v), free(d->work);
}

/* ---- Refusals ------------------------------------------------------------------------------------------ */

/* Returns the largest number of rows of a block besides joints, at least 2. */
static int largest_block(const hn_problem *problem)
{
  int rows = 2;
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    if (block->set.kind != HN_ANY && block->n > rows) rows = block->n;
  }
  return rows;
}

/* Returns a sentence about what Siconos has no place for in PROBLEM, or NULL. */
static const char *refusal(const hn_problem *problem)
{
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    if (block->set.kind == HN_CONE && (block->n == 4 || block->n == 6))
      return "Siconos' contact solvers have no torsional friction";
    if (block->set.kind == HN_PUSH && block->n != 1)
      return "Siconos' contact solvers have no unilateral blocks of several rows";
  }
  return siconos_has_joints(problem) ? siconos_joints_refusal(problem) : NULL;
}

/* Returns the method for PROBLEM; NULL with the message of SOLVER if its contacts have too many rows. */
static const siconos_method *choose_method(hn_contact_solver *solver, const hn_problem *problem)
{
  const int rows = largest_block(problem);
  const siconos_method *method = siconos_method_for(((const data *)solver->data)->method, rows);
  if (method) return method;
  solver->message = rows == 5 ? "this method of Siconos has no rolling friction: choose method=nsgs"
                              : "this method of Siconos is for planar contacts: choose method=nsgs";
  return NULL;
}

/* Stores TEXT, an error of Siconos, as the message of the solver: one line. */
static void report(hn_contact_solver *solver, const char *text)
{
  data *d = solver->data;
  size_t length = 0;
  for (; *text && length < sizeof d->text - 1; text++) d->text[length++] = *text < ' ' ? ' ' : *text;
  while (length > 0 && (d->text[length - 1] == ' ' || d->text[length - 1] == '.')) length--;
  d->text[length] = 0;
  solver->message = d->text;
}

/* ---- Solution ------------------------------------------------------------------------------------------ */

/* Returns the error of the impulses P of the translation, and stores those of the problem as d->p; infinite
 * if they are not finite. */
static double measure(void *of, const double *p)
{
  const translation *t = of;
  const data *d = t->solver->data;
  siconos_gather(&t->s, t->problem, t->s.unit, p, d->p);
  for (int i = 0; i < t->problem->nrow; i++)
    if (!isfinite(d->p[i])) return INFINITY;
  hn_problem_velocities(t->problem, d->p, d->work, d->v);
  return hn_problem_error(t->problem, false, d->p, d->v, NULL);
}

/* Measures the impulses at the end of a call, and keeps them if their error is the smallest. */
static double judge(translation *t)
{
  const data *d = t->solver->data;
  const double error = measure(t, t->s.p);
  if (!(error < t->error)) return error;
  memcpy(t->best, d->p, sizeof *d->p * (size_t)t->problem->nrow);
  return t->error = error;
}

/* Begins with the best impulses. */
static void begin(translation *t)
{
  const data *d = t->solver->data;
  hn_problem_velocities(t->problem, t->best, d->work, d->v);
  siconos_spread(&t->s, t->problem, 1.0 / t->s.unit, t->best, t->s.p);
  siconos_spread(&t->s, t->problem, 1.0, d->v, t->s.v);
}

/* Calls METHOD with Siconos' TOLERANCE; returns the error of its impulses, infinite if it failed. Counts its
 * iterations. A method that reports no or fewer iterations has the error at its end last in the history. */
static double call_method(translation *t, const siconos_method *method, double tolerance, siconos_call *call)
{
  hn_contact_solver *solver = t->solver;
  const siconos_caller caller = { solver->stop, measure, t,
                                  solver->history ? solver->history + solver->kept : NULL };
  *call = (siconos_call){ .tolerance = tolerance,
                          .iterations = solver->options.iterations - solver->iterations,
                          .room = solver->room - solver->kept };
  begin(t);
  if (((const data *)solver->data)->child) siconos_solve_in_child(&t->s, method, &caller, call);
  else siconos_solve(&t->s, method, &caller, call);
  const double error = *call->text || call->stopped ? INFINITY : judge(t);
  solver->iterations += call->iterations;
  if (call->kept < call->iterations && call->kept < call->room) caller.history[call->kept++] = error;
  solver->kept += call->kept;
  return error;
}

static double norm(const double *x, int n)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

static hn_reason iterate(translation *t, const siconos_method *method)
{
  hn_contact_solver *solver = t->solver;
  const double tolerance = solver->options.tolerance, size = norm(t->s.q, t->s.rows);
  double relative = size > 0.0 ? tolerance / size : tolerance;
  for (;;) {
    siconos_call call;
    const double error = call_method(t, method, relative, &call);
    if (call.stopped) return HN_INTERRUPTED;
    if (*call.text) report(solver, call.text);
    if (t->error <= tolerance && tolerance > 0.0) return HN_CONVERGED;
    if (solver->iterations >= solver->options.iterations || (tolerance == 0.0 && call.done)) return HN_BUDGET;
    if (!call.done || !(error > 0.0) || relative < tightest) return HN_STALLED;
    relative *= fmin(fmax(tolerance / (2.0 * error), most_reduction), least_reduction);
  }
}

/* Solves the translation of the problem. */
static hn_reason solve_translated(translation *t, const siconos_method *method, double *p)
{
  const data *d = t->solver->data;
  if (siconos_problem_create(&t->s, t->problem, method, d->unit)) return HN_NO_MEMORY;
  t->best = p, t->error = INFINITY;
  begin(t);
  t->solver->error = judge(t);
  if (t->error <= t->solver->options.tolerance && t->error < INFINITY) return HN_CONVERGED;
  const hn_reason reason = iterate(t, method);
  t->solver->error = t->error;
  if (reason == HN_BUDGET)
    for (int k = 0; k < t->problem->nblock; k++) {
      const hn_problem_block *block = &t->problem->block[k];
      hn_set_project(&block->set, block->n, t->problem->h, p + block->row);
    }
  return reason;
}

/* Solves PROBLEM, which has no joints. */
static hn_reason solve_contacts(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  if (problem->nrow == 0) return HN_CONVERGED;
  const siconos_method *method = choose_method(solver, problem);
  if (!method) return HN_UNSUPPORTED;
  translation t = { .solver = solver, .problem = problem };
  const hn_reason reason = solve_translated(&t, method, p);
  siconos_problem_free(&t.s);
  return reason;
}

/* Solves PROBLEM without its joints; the law must hold with them. */
static hn_reason solve_without_joints(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  const data *d = solver->data;
  hn_reason reason;
  double *p_c;
  siconos_joints *joints = siconos_joints_create(problem, &reason);
  if (!joints) return reason;
  solver->factorisations++;
  const hn_problem *posed = siconos_joints_posed(joints, p, &p_c);
  reason = solve_contacts(solver, posed, p_c);
  solver->solves += posed->nrow + 1;
  if (reason != HN_UNSUPPORTED) siconos_joints_expand(joints, p);
  siconos_joints_free(joints);
  if (reason != HN_CONVERGED) return reason;
  hn_problem_velocities(problem, p, d->work, d->v);
  solver->error = hn_problem_error(problem, false, p, d->v, NULL);
  return solver->error <= solver->options.tolerance ? HN_CONVERGED : HN_STALLED;
}

static hn_reason solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  solver->message = refusal(problem);
  if (solver->message) return HN_UNSUPPORTED;
  return siconos_has_joints(problem) ? solve_without_joints(solver, problem, p)
                                     : solve_contacts(solver, problem, p);
}

static const char *const variants[] = { "method=nsgs", "method=prox", "method=nsn_ac", "method=nsn_fb",
                                        "method=admm", "method=aclm", "method=vi_eg",  NULL };

static const hn_contact_type siconos = {
  .abi = HN_ABI,
  .name = "siconos",
  .summary = "Siconos' solvers of frictional contact, by method=",
  .citation = "Acary, Bremond and Huber 2018",
  .capabilities = HN_CAN_PUSH | HN_CAN_CONE | HN_SOLVES_MATRIX | HN_SOLVES_UNSYMMETRIC | HN_SOLVES_ROLLING,
  .data_size = sizeof(data),
  .params = params,
  .setup = setup,
  .solve = solve,
  .free = destroy,
  .variants = variants,
};

const hn_contact_type *const hn_plugin_contact_solvers[] = { &siconos, NULL };
