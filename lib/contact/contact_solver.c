/* contact_solver.c - registry, settings and life cycle of contact solvers, and their common entry point.
 *
 * Settings: "name:key=value:key=value", with the parameters of the type and the common ones, tolerance and
 * iterations. Missing settings have the values of the calling solver. The text after ":then=" is a fallback
 * solver with settings of its own; it continues from the impulses of the first one if that does not
 * converge. */
#include "base/params.h"
#include "base/vec.h"
#include "contact/contact_registry.h"
#include "linear/system_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTACT(name) extern const hn_contact_type hn_contact_##name;
#include "contact.def"
#undef CONTACT

enum { MAX_TYPES = 64, MAX_PARAMS = 32 };

#define CONTACT(name) &hn_contact_##name,
static const hn_contact_type *types[MAX_TYPES + 1] = {
#include "contact.def"
};
#undef CONTACT

#define CONTACT(name) +1
enum {
  BUILT_IN = 0
#include "contact.def"
};
#undef CONTACT

/* Contact solvers that contact.def leaves out without their library. */
static const char *const optional[][2] = { { "newton", "KLU" }, { "prox", "KLU" }, { NULL, NULL } };

hn_type_registry hn_contact_registry = {
  "contact solver", "contact", offsetof(hn_contact_type, name), types, MAX_TYPES, BUILT_IN, BUILT_IN, optional
};

const hn_contact_type *const *hn_contact_types(size_t *count)
{
  if (count) *count = hn_contact_registry.count;
  return types;
}

const hn_contact_type *hn_contact_type_find(const char *name, const hn_contact_type *const *own,
                                            hn_error *error)
{
  return hn_type_find(&hn_contact_registry, name, own, error);
}

/* ---- Parameters: those of the type, then those of all ------------------------------------------------ */

typedef struct common {
  double tolerance;
  int iterations;
} common;

static size_t common_offset(const hn_contact_type *type)
{
  return (type->data_size + 15) / 16 * 16;
}

typedef struct table {
  hn_param param[MAX_PARAMS];
  hn_digits tolerance, iterations;
} table;

static void fill_table(table *t, const hn_contact_type *type, const hn_contact_options *options)
{
  size_t n = 0, at = common_offset(type);
  for (const hn_param *p = type->params; p && p->key && n < MAX_PARAMS - 3; p++) t->param[n++] = *p;
  t->tolerance = hn_exact(options->tolerance);
  t->iterations = hn_exact(options->iterations);
  t->param[n++] =
    (hn_param){ "tolerance", HN_REAL, at + offsetof(common, tolerance),     t->tolerance.text, 0, 1,
                "m/s",       NULL,    "largest residual of the contact law" };
  t->param[n++] =
    (hn_param){ "iterations", HN_INTEGER, at + offsetof(common, iterations),       t->iterations.text, 1, 1e7,
                "",           NULL,       "largest number of sweeps or iterations" };
  t->param[n] = (hn_param){ 0 };
}

/* Replaces the character FROM by TO. */
static void replace(char *text, char from, char to)
{
  for (; *text; text++)
    if (*text == from) *text = to;
}

static char *write_spec(const table *t, const hn_contact_type *type, const void *data,
                        const hn_contact_solver *next)
{
  char *own = hn_params_write(t->param, type->name, data), *spec = NULL;
  if (own) replace(own, ',', ':');
  if (!own || !next) return own;
  if (asprintf(&spec, "%s:then=%s", own, next->spec) < 0) spec = NULL;
  free(own);
  return spec;
}

/* Returns the settings of the fallback within SETTINGS, or NULL. */
static const char *find_fallback(const char *settings)
{
  const char *at = strstr(settings, "then=");
  while (at && at > settings && at[-1] != ':') at = strstr(at + 1, "then=");
  return at;
}

static int read_settings(hn_contact_solver *solver, const char *settings, hn_error *error)
{
  const hn_contact_type *type = solver->type;
  table t;
  fill_table(&t, type, &solver->options);
  const char *next = find_fallback(settings);
  const size_t length = !next ? strlen(settings) : next > settings ? (size_t)(next - settings) - 1 : 0;
  char *copy = strndup(settings, length);
  if (!copy) return hn_fail(error, "out of memory");
  replace(copy, ':', ',');
  int status = hn_params_read(t.param, type->name, copy, solver->data, &solver->texts, error);
  free(copy);
  if (status) return -1;
  solver->spec = write_spec(&t, type, solver->data, solver->next);
  if (!solver->spec) return hn_fail(error, "out of memory");
  const common *values = (const void *)((const char *)solver->data + common_offset(type));
  solver->options = (hn_contact_options){ solver->spec, values->tolerance, values->iterations };
  return 0;
}

/* ---- Life cycle -------------------------------------------------------------------------------------- */

/* Calls setup. A plugin's setup may fail without a message. */
static int call_setup(hn_contact_solver *solver, hn_error *error)
{
  hn_error why = { "" };
  if (!solver->type->setup || solver->type->setup(solver, &why) == 0) return 0;
  return *why.text
           ? hn_fail(error, "%s", why.text)
           : hn_fail(error, "contact solver %s: its setup fails, and does not say why", solver->type->name);
}

static hn_contact_solver *create(const hn_contact_options *options, const hn_contact_type *const *own,
                                 const hn_problem_size *most, hn_system *system, hn_error *error);

/* Creates the fallback of SOLVER. */
static int create_fallback(hn_contact_solver *solver, const char *spec, const hn_contact_type *const *own,
                           hn_system *system, hn_error *error)
{
  hn_contact_options options = solver->options;
  options.solver = spec;
  solver->next = create(&options, own, &solver->most, system, error);
  solver->before = malloc(sizeof *solver->before * ((size_t)solver->most.rows + 1));
  if (!solver->next) return -1;
  return solver->before ? 0 : hn_fail(error, "out of memory");
}

static hn_contact_solver *create(const hn_contact_options *options, const hn_contact_type *const *own,
                                 const hn_problem_size *most, hn_system *system, hn_error *error)
{
  const char *spec = options->solver;
  const size_t length = strcspn(spec, ":");
  const char *settings = spec[length] ? spec + length + 1 : "", *next = find_fallback(settings);
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)length, spec);
  const hn_contact_type *type = hn_contact_type_find(name, own, error);
  hn_contact_solver *solver = type ? calloc(1, sizeof *solver) : NULL;
  if (type && !solver) hn_fail(error, "out of memory");
  if (!solver) return NULL;
  solver->type = type;
  solver->options = *options;
  solver->most = *most;
  if (system)
    solver->work = &system->work, solver->stop = &system->stop, solver->roundings = &system->parts->roundings;
  solver->data = calloc(1, common_offset(type) + sizeof(common));
  solver->end_v = malloc(sizeof *solver->end_v * ((size_t)most->rows + 1));
  solver->end_work = malloc(sizeof(double[6]) * ((size_t)most->bodies + 1));
  if (!solver->data || !solver->end_v || !solver->end_work) hn_fail(error, "out of memory");
  else if ((!next || create_fallback(solver, next + strlen("then="), own, system, error) == 0) &&
           read_settings(solver, settings, error) == 0 && call_setup(solver, error) == 0)
    return solver;
  hn_contact_solver_free(solver);
  return NULL;
}

hn_contact_solver *hn_contact_solver_create(const hn_contact_options *options, const hn_problem_size *most,
                                            hn_error *error)
{
  return create(options, NULL, most, NULL, error);
}

hn_contact_solver *hn_contact_solver_for(hn_system *system, const hn_contact_options *options,
                                         hn_error *error)
{
  const hn_problem_size most = { system->max_blocks, system->max_rows, system->model->nbody };
  return create(options, system->model->contact_solver, &most, system, error);
}

void hn_contact_solver_free(hn_contact_solver *solver)
{
  if (!solver) return;
  if (solver->data && solver->type->free) solver->type->free(solver);
  hn_contact_solver_free(solver->next);
  hn_texts_free(solver->texts);
  free(solver->history), free(solver->before), free(solver->end_v), free(solver->end_work);
  free(solver->spec), free(solver->data);
  free(solver);
}

void hn_contact_solver_set_tolerance(hn_contact_solver *solver, double tolerance)
{
  for (; solver; solver = solver->next) solver->options.tolerance = tolerance;
}

/* ---- Solution ---------------------------------------------------------------------------------------- */

/* Returns the capabilities that PROBLEM requires; all bits if a cone has one row, which no solver
 * supports. */
static unsigned required_capabilities(const hn_problem *problem)
{
  static const unsigned need[] = {
    [HN_ANY] = 0, [HN_PUSH] = HN_CAN_PUSH, [HN_WITHIN] = HN_CAN_WITHIN, [HN_CONE] = HN_CAN_CONE
  };
  unsigned needs = problem->K ? HN_SOLVES_MATRIX : 0;
  for (const hn_problem_block *block = problem->block; block < problem->block + problem->nblock; block++) {
    const bool valid = block->set.kind != HN_CONE || block->n == 2 || block->n == 3;
    needs |= valid ? need[block->set.kind] : ~0u;
  }
  return needs;
}

/* True if the data are finite. Jacobians are not checked: solvers check the diagonal of K. */
static bool is_finite(const hn_problem *problem, const double *p)
{
  bool finite = isfinite(problem->h) && all_finite(problem->b, problem->nrow) && all_finite(p, problem->nrow);
  if (problem->K) finite = finite && all_finite(problem->K->value, problem->K->start[problem->nrow]);
  for (int k = 0; k < problem->nblock; k++) {
    const hn_set *set = &problem->block[k].set;
    finite = finite && !isnan(set->mu) && !isnan(set->lower) && !isnan(set->upper);
  }
  return finite;
}

static hn_reason solve_alone(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  hn_reason reason = solver->type->solve(solver, problem, p); /* a plugin may return anything */
  if (solver->stop && solver->stop->heard) return HN_INTERRUPTED;
  if ((int)reason >= 0 && reason < HN_REASONS) return reason;
  solver->message = "the contact solver returned an invalid reason";
  return HN_UNSUPPORTED;
}

/* Counts the work. If a solver does not report eliminated blocks, every factorisation counts all blocks. */
static void count_work(const hn_contact_solver *solver, const hn_problem *problem)
{
  hn_work *work = solver->work;
  const uint64_t blocks = (uint64_t)problem->nblock,
                 steps = (uint64_t)solver->iterations + (uint64_t)solver->sweeps;
  if (!work) return;
  work->contact_iterations += steps;
  work->impulses += blocks * steps, work->projections += blocks * steps;
  work->factorisations += (uint64_t)solver->factorisations, work->solves += (uint64_t)solver->solves;
  work->eliminated += solver->eliminated > 0 ? solver->eliminated : blocks * (uint64_t)solver->factorisations;
}

/* True if the solver ended without a solution or an error. */
static bool is_unfinished(hn_reason reason)
{
  return reason == HN_STALLED || reason == HN_SINGULAR || reason == HN_BUDGET;
}

/* True if the fallback is due. A spent budget without a tolerance is a normal end. */
static bool needs_fallback(const hn_contact_solver *solver, const hn_problem *problem, hn_reason reason,
                           const double *p)
{
  return solver->next && is_unfinished(reason) && solver->options.tolerance > 0.0 &&
         all_finite(p, problem->nrow);
}

static hn_reason solve_chain(hn_contact_solver *solver, const hn_problem *problem, double *p);

/* Continues with the fallback from P. Restores P if that does not reduce the error. The fallback's work and
 * history count as the solver's. */
static hn_reason solve_by_fallback(hn_contact_solver *solver, const hn_problem *problem, hn_reason reason,
                                   double *p)
{
  hn_contact_solver *next = solver->next;
  memcpy(solver->before, p, sizeof *p * (size_t)problem->nrow);
  next->room = solver->room - solver->kept;
  next->history = next->room > 0 ? solver->history + solver->kept : NULL;
  hn_reason result = solve_chain(next, problem, p);
  solver->iterations += next->iterations, solver->factorisations += next->factorisations;
  solver->fallbacks += 1 + next->fallbacks, solver->kept += next->kept;
  next->history = NULL, next->room = 0;
  const bool improved = is_unfinished(result) && next->iterations > 0 && next->error <= solver->error;
  if (result == HN_CONVERGED || improved) {
    solver->error = next->error, solver->message = next->message, solver->symmetrised = next->symmetrised;
    return result;
  }
  memcpy(p, solver->before, sizeof *p * (size_t)problem->nrow);
  return reason;
}

/* Solves PROBLEM to hn_contact_tolerance. */
static hn_reason solve_above_rounding(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  const double tolerance = solver->options.tolerance;
  solver->options.tolerance = hn_contact_tolerance(tolerance, problem->b, problem->nrow);
  solver->in_force = solver->options.tolerance;
  hn_reason reason = solve_alone(solver, problem, p);
  solver->options.tolerance = tolerance;
  return reason;
}

/* Solves PROBLEM with the symmetric part of K. */
static hn_reason solve_symmetric_part(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  hn_problem symmetric = *problem;
  symmetric.K = hn_problem_symmetric_part(problem);
  if (!symmetric.K) return HN_NO_MEMORY;
  solver->symmetrised = true;
  hn_reason reason = solve_above_rounding(solver, &symmetric, p);
  hn_problem_matrix_free(symmetric.K);
  return reason;
}

/* Solves PROBLEM by SOLVER and, where it does not converge, by its fallbacks. */
static hn_reason solve_chain(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  const hn_problem_size *most = &solver->most;
  solver->iterations = solver->factorisations = solver->fallbacks = solver->kept = solver->solves =
    solver->sweeps = 0;
  solver->eliminated = 0;
  solver->error = solver->residual = solver->rounding = 0.0;
  solver->worst = -1, solver->at_rounding = false;
  solver->symmetrised = false;
  solver->message = NULL;
  if (required_capabilities(problem) & ~solver->type->capabilities) return HN_UNSUPPORTED;
  if (problem->nblock > most->blocks || problem->nrow > most->rows ||
      (!problem->K && problem->nbody > most->bodies))
    return HN_FULL;
  if (!is_finite(problem, p)) return HN_NOT_FINITE;
  if (problem->nrow == 0) return HN_CONVERGED;
  if (hn_stopped(solver->stop)) return HN_INTERRUPTED;
  const bool as_given = solver->type->capabilities & HN_SOLVES_UNSYMMETRIC ||
                        hn_problem_is_symmetric(problem);
  hn_reason reason = as_given ? solve_above_rounding(solver, problem, p)
                              : solve_symmetric_part(solver, problem, p);
  count_work(solver, problem);
  return needs_fallback(solver, problem, reason, p) ? solve_by_fallback(solver, problem, reason, p) : reason;
}

hn_reason hn_contact_solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  return hn_contact_end(solver, problem, solve_chain(solver, problem, p), p);
}
