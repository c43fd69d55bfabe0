/* contact_solver.c - the contact solvers by name, built-in ones and those of plugins and models, their life
 * cycle, and the door to them.
 *
 * "name:key=value:key=value": parameters of the solver, and tolerance and iterations, which all have; what is not given
 * is as the solver that asks has it. All behind ":then=" is another solver with its own settings, which goes on from
 * the impulses that the first one leaves when it does not converge. */
#include "base/params.h"
#include "base/vec.h"
#include "contact/contact_registry.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTACT(name) extern const hn_contact_type hn_contact_##name;
#include "contact.def"
#undef CONTACT

#define CONTACT(name) &hn_contact_##name,
static const hn_contact_type *const built_in[] = {
#include "contact.def"
};
#undef CONTACT

enum { BUILT_IN = sizeof built_in / sizeof *built_in, MAX_TYPES = 64, MAX_PARAMS = 32 };

/* Built-in ones, then those of plugins as they were loaded. */
static const hn_contact_type *types[MAX_TYPES + 1];
static size_t registered;
static pthread_once_t filled = PTHREAD_ONCE_INIT;

static void fill(void)
{
  memcpy(types, built_in, sizeof built_in);
  registered = BUILT_IN;
}

const hn_contact_type *const *hn_contact_types(size_t *count)
{
  pthread_once(&filled, fill);
  if (count) *count = registered;
  return types;
}

/* The type NAME among COUNT of LIST, or up to its end at NULL. */
static const hn_contact_type *find(const hn_contact_type *const *list, size_t count, const char *name)
{
  for (size_t i = 0; i < count && list && list[i]; i++)
    if (strcmp(list[i]->name, name) == 0) return list[i];
  return NULL;
}

int hn_contact_check_plugin(const char *path, const hn_contact_type *const *of, hn_error *error)
{
  size_t count = 0, there = 0;
  const hn_contact_type *const *all = hn_contact_types(NULL);
  for (; of[count]; count++) {
    const hn_contact_type *known = find(all, MAX_TYPES, of[count]->name);
    if (known && known != of[count])
      return hn_fail(error, "plugin %s: there is a contact solver \"%s\" already; choose another name", path,
                     of[count]->name);
    there += known != NULL;
  }
  if (registered + count - there <= MAX_TYPES) return 0;
  return hn_fail(error, "plugin %s: there is room for %d contact solvers only", path, MAX_TYPES);
}

void hn_contact_register_plugin(const hn_contact_type *const *of)
{
  for (; *of; of++)
    if (!find(hn_contact_types(NULL), MAX_TYPES, (*of)->name)) types[registered++] = *of;
}

/* The nearest of the process and of OWN; NULL: who knows. */
static const char *nearest(const char *word, const hn_contact_type *const *own)
{
  const char *names[2 * MAX_TYPES];
  size_t count = 0;
  for (; types[count]; count++) names[count] = types[count]->name;
  for (; own && *own && count < 2 * MAX_TYPES; own++) names[count++] = (*own)->name;
  return hn_nearest(word, names, count);
}

const hn_contact_type *hn_contact_type_find(const char *word, const hn_contact_type *const *own,
                                            hn_error *error)
{
  const hn_contact_type *const *all = hn_contact_types(NULL), *found = find(all, BUILT_IN, word);
  if (!found) found = find(own, SIZE_MAX, word);
  if (!found) found = find(all, MAX_TYPES, word);
  if (found) return found;
  const char *near = nearest(word, own);
  hn_fail(error,
          near ? "no contact solver \"%s\"; did you mean \"%s\"?"
               : "no contact solver \"%s\"; see holonom list contact",
          word, near);
  return NULL;
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
    (hn_param){ "tolerance", HN_REAL, at + offsetof(common, tolerance),         t->tolerance.text, 0, 1,
                "m/s",       NULL,    "residual of the law of contact, at most" };
  t->param[n++] =
    (hn_param){ "iterations", HN_INTEGER, at + offsetof(common, iterations), t->iterations.text, 1, 1e7,
                "",           NULL,       "sweeps or iterations, at most" };
  t->param[n] = (hn_param){ 0 };
}

/* All between TEXT and its end that is FROM becomes TO. */
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

/* Where in SETTINGS those of the next solver begin; NULL: there is none. */
static const char *find_next(const char *settings)
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
  const char *next = find_next(settings);
  const size_t length = !next ? strlen(settings) : next > settings ? (size_t)(next - settings) - 1 : 0;
  char *copy = strndup(settings, length);
  if (!copy) return hn_fail(error, "out of memory");
  replace(copy, ':', ',');
  int status = hn_params_read(t.param, type->name, copy, solver->data, &solver->texts, error);
  free(copy);
  if (status) return -1;
  solver->spec = write_spec(&t, type, solver->data, solver->next);
  if (!solver->spec) return hn_fail(error, "out of memory");
  const common *of_all = (const void *)((const char *)solver->data + common_offset(type));
  solver->options = (hn_contact_options){ solver->spec, of_all->tolerance, of_all->iterations };
  return 0;
}

/* ---- Life cycle -------------------------------------------------------------------------------------- */

/* A type of others may fail without a word. */
static int set_up(hn_contact_solver *solver, hn_error *error)
{
  hn_error why = { "" };
  if (!solver->type->setup || solver->type->setup(solver, &why) == 0) return 0;
  return *why.text
           ? hn_fail(error, "%s", why.text)
           : hn_fail(error, "contact solver %s: its setup fails, and does not say why", solver->type->name);
}

static hn_contact_solver *create(const hn_contact_options *options, const hn_contact_type *const *own,
                                 const hn_problem_size *most, hn_work *work, hn_error *error);

/* The one that goes on where SOLVER ends. */
static int create_next(hn_contact_solver *solver, const char *spec, const hn_contact_type *const *own,
                       hn_error *error)
{
  hn_contact_options options = solver->options;
  options.solver = spec;
  solver->next = create(&options, own, &solver->most, solver->work, error);
  solver->before = malloc(sizeof *solver->before * ((size_t)solver->most.rows + 1));
  if (!solver->next) return -1;
  return solver->before ? 0 : hn_fail(error, "out of memory");
}

static hn_contact_solver *create(const hn_contact_options *options, const hn_contact_type *const *own,
                                 const hn_problem_size *most, hn_work *work, hn_error *error)
{
  const char *spec = options->solver;
  const size_t length = strcspn(spec, ":");
  const char *settings = spec[length] ? spec + length + 1 : "", *next = find_next(settings);
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)length, spec);
  const hn_contact_type *type = hn_contact_type_find(name, own, error);
  hn_contact_solver *solver = type ? calloc(1, sizeof *solver) : NULL;
  if (type && !solver) hn_fail(error, "out of memory");
  if (!solver) return NULL;
  solver->type = type;
  solver->options = *options;
  solver->most = *most;
  solver->work = work;
  solver->data = calloc(1, common_offset(type) + sizeof(common));
  if (!solver->data) hn_fail(error, "out of memory");
  else if ((!next || create_next(solver, next + strlen("then="), own, error) == 0) &&
           read_settings(solver, settings, error) == 0 && set_up(solver, error) == 0)
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
  const hn_problem_size most = { system->most_blocks, system->most_rows, system->model->nbody };
  return create(options, system->model->contact_solver, &most, &system->work, error);
}

void hn_contact_solver_free(hn_contact_solver *solver)
{
  if (!solver) return;
  if (solver->data && solver->type->free) solver->type->free(solver);
  hn_contact_solver_free(solver->next);
  hn_texts_free(solver->texts);
  free(solver->history), free(solver->before), free(solver->spec), free(solver->data);
  free(solver);
}

void hn_contact_solver_aim(hn_contact_solver *solver, double tolerance)
{
  for (; solver; solver = solver->next) solver->options.tolerance = tolerance;
}

/* ---- Solution ---------------------------------------------------------------------------------------- */

/* What of HN_CAN_... and HN_SOLVES_... PROBLEM takes; a cone of one row is more than there is. */
static unsigned needs_of(const hn_problem *problem)
{
  static const unsigned need[] = {
    [HN_ANY] = 0, [HN_PUSH] = HN_CAN_PUSH, [HN_WITHIN] = HN_CAN_WITHIN, [HN_CONE] = HN_CAN_CONE
  };
  unsigned needs = problem->K ? HN_SOLVES_MATRIX : 0;
  for (const hn_problem_block *block = problem->block; block < problem->block + problem->nblock; block++) {
    const bool even = block->set.kind != HN_CONE || block->n == 2 || block->n == 3;
    needs |= even ? need[block->set.kind] : ~0u;
  }
  return needs;
}

/* Jacobians that are not numbers show in the diagonal, where solvers look. */
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
  hn_reason reason = solver->type->solve(solver, problem, p); /* one of others may return anything */
  if ((int)reason >= 0 && reason <= HN_INTERRUPTED) return reason;
  solver->message = "a contact solver that returns what is no reason";
  return HN_UNSUPPORTED;
}

/* A solver of others may not know how much it eliminates: all blocks each time. */
static void count(const hn_contact_solver *solver, const hn_problem *problem)
{
  hn_work *work = solver->work;
  const uint64_t blocks = (uint64_t)problem->nblock,
                 found = (uint64_t)solver->iterations + (uint64_t)solver->sweeps;
  if (!work) return;
  work->contact_iterations += found;
  work->impulses += blocks * found, work->projections += blocks * found;
  work->factorisations += (uint64_t)solver->factorisations, work->solves += (uint64_t)solver->solves;
  work->eliminated += solver->eliminated > 0 ? solver->eliminated : blocks * (uint64_t)solver->factorisations;
}

/* Does it end before the solution? */
static bool is_short(hn_reason reason)
{
  return reason == HN_STALLED || reason == HN_SINGULAR || reason == HN_BUDGET;
}

/* Another one may do better. A budget without a tolerance is what was asked for. */
static bool goes_on(const hn_contact_solver *solver, const hn_problem *problem, hn_reason reason,
                    const double *p)
{
  return solver->next && is_short(reason) && solver->options.tolerance > 0.0 && all_finite(p, problem->nrow);
}

/* The next one goes on from P, which stays where it leads no nearer; its work and its history count as SOLVER's. */
static hn_reason go_on(hn_contact_solver *solver, const hn_problem *problem, hn_reason reason, double *p)
{
  hn_contact_solver *next = solver->next;
  memcpy(solver->before, p, sizeof *p * (size_t)problem->nrow);
  next->room = solver->room - solver->kept;
  next->history = next->room > 0 ? solver->history + solver->kept : NULL;
  hn_reason ended = hn_contact_solve(next, problem, p);
  solver->iterations += next->iterations, solver->factorisations += next->factorisations;
  solver->fallbacks += 1 + next->fallbacks, solver->kept += next->kept;
  next->history = NULL, next->room = 0;
  const bool nearer = is_short(ended) && next->iterations > 0 && next->error <= solver->error;
  if (ended == HN_CONVERGED || nearer) {
    solver->error = next->error, solver->message = next->message;
    return ended;
  }
  memcpy(p, solver->before, sizeof *p * (size_t)problem->nrow);
  return reason;
}

hn_reason hn_contact_solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  const hn_problem_size *most = &solver->most;
  solver->iterations = solver->factorisations = solver->fallbacks = solver->kept = solver->solves =
    solver->sweeps = 0;
  solver->eliminated = 0;
  solver->error = 0.0;
  solver->message = NULL;
  if (needs_of(problem) & ~solver->type->capabilities) return HN_UNSUPPORTED;
  if (problem->nblock > most->blocks || problem->nrow > most->rows ||
      (!problem->K && problem->nbody > most->bodies))
    return HN_FULL;
  if (!is_finite(problem, p)) return HN_NOT_FINITE;
  if (problem->nrow == 0) return HN_CONVERGED;
  hn_reason reason = solve_alone(solver, problem, p);
  count(solver, problem);
  return goes_on(solver, problem, reason, p) ? go_on(solver, problem, reason, p) : reason;
}
