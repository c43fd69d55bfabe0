/* contact_solver.c - registry, settings and life cycle of contact solvers, and their common entry point.
 *
 * Settings: "name:key=value:key=value", with the parameters of the type and the common ones, tolerance and
 * iterations. Missing settings have the values of the calling solver. The text after ":then=" is a fallback
 * solver with settings of its own; it continues from the impulses of the first one if that does not
 * converge. */
#include "base/params.h"
#include "contact/contact_registry.h"
#include "contact/matrix/condensation.h"
#include "contact/problem_islands.h"
#include "linear/system_parts.h"

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

/* Checks the members of a plugin's table. */
static int check(const char *path, const void *table, hn_error *error)
{
  const hn_contact_type *t = table;
  const hn_type_member needed[] = { { "summary", t->summary },
                                    { "citation", t->citation },
                                    { "solve", t->solve } };
  return hn_type_check(&hn_contact_registry, path, t->name, needed, sizeof needed / sizeof *needed, t->params,
                       error);
}

hn_type_registry hn_contact_registry = {
  .kind = "contact solver",
  .listing = "contact",
  .name = offsetof(hn_contact_type, name),
  .types = types,
  .room = MAX_TYPES,
  .built_in = BUILT_IN,
  .count = BUILT_IN,
  .optional = optional,
  .symbol = "hn_plugin_contact_solvers",
  .check = check,
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
  int iterations, condense, rows, from;
  int islands, matrix, cold; /* flags */
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
  for (const hn_param *p = type->params; p && p->key && n < MAX_PARAMS - 9; p++) t->param[n++] = *p;
  t->tolerance = hn_exact(options->tolerance);
  t->iterations = hn_exact(options->iterations);
  t->param[n++] =
    (hn_param){ "tolerance", HN_REAL, at + offsetof(common, tolerance),     t->tolerance.text, 0, 1,
                "m/s",       NULL,    "largest residual of the contact law" };
  t->param[n++] =
    (hn_param){ "iterations", HN_INTEGER, at + offsetof(common, iterations),       t->iterations.text, 1, 1e7,
                "",           NULL,       "largest number of sweeps or iterations" };
  t->param[n++] =
    (hn_param){ "condense", HN_INTEGER, at + offsetof(common, condense),
                "0",        0,          200,
                "",         NULL,       "eliminates the joints first where at most so many rows are left" };
  t->param[n++] = (hn_param){ "rows", HN_INTEGER, at + offsetof(common, rows),
                              "0",    0,          1e9,
                              "",     NULL,       "leaves problems of more rows to the fallback; 0: none" };
  t->param[n++] = (hn_param){ "from", HN_INTEGER, at + offsetof(common, from),
                              "0",    0,          1e9,
                              "",     NULL,       "leaves problems of fewer rows to the fallback" };
  t->param[n++] =
    (hn_param){ "islands", HN_FLAG, at + offsetof(common, islands),
                "false",   0,       0,
                "",        NULL,    "solves each island of bodies on its own, with the fallbacks" };
  t->param[n++] =
    (hn_param){ "matrix", HN_FLAG, at + offsetof(common, matrix),
                "false",  0,       0,
                "",       NULL,    "leaves problems whose matrix is not given to the fallback" };
  t->param[n++] = (hn_param){ "cold",  HN_FLAG, at + offsetof(common, cold),
                              "false", 0,       0,
                              "",      NULL,    "begins without impulses, instead of with the given ones" };
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

/* Checks that a solver that leaves problems to its fallback has one. */
static int check_fallback(const hn_contact_solver *solver, hn_error *error)
{
  const char *name = solver->type->name;
  if (solver->next) return 0;
  if (solver->max_rows > 0)
    return hn_fail(error, "%s: rows=%d leaves larger problems to no solver: add then=SOLVER", name,
                   solver->max_rows);
  if (solver->min_rows > 0)
    return hn_fail(error, "%s: from=%d leaves smaller problems to no solver: add then=SOLVER", name,
                   solver->min_rows);
  if (solver->matrix)
    return hn_fail(error, "%s: matrix=true leaves problems by bodies to no solver: add then=SOLVER", name);
  return 0;
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
  solver->max_rows = values->rows, solver->min_rows = values->from;
  solver->matrix = values->matrix, solver->cold = values->cold;
  if (check_fallback(solver, error)) return -1;
  if (values->islands &&
      !(solver->islands = hn_problem_islands_create(&solver->most, hn_contact_solve, error)))
    return -1;
  if (values->condense > 0) {
    solver->condensation = hn_condensation_create(values->condense);
    if (!solver->condensation) return hn_fail(error, "out of memory");
  }
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
  solver->start = malloc(sizeof *solver->start * ((size_t)solver->most.rows + 1));
  if (!solver->next) return -1;
  return solver->before && solver->start ? 0 : hn_fail(error, "out of memory");
}

/* Returns the spec that OPTIONS stand for. Without a tolerance no fallback is due: the chain is admm
 * alone, which makes all iterations. */
static const char *meaning_of(const hn_contact_options *options)
{
  if (strcmp(options->solver, HN_DEFAULT_CONTACT) != 0) return options->solver;
  return options->tolerance > 0.0 ? HN_DEFAULT_CHAIN : "admm";
}

static hn_contact_solver *create(const hn_contact_options *options, const hn_contact_type *const *own,
                                 const hn_problem_size *most, hn_system *system, hn_error *error)
{
  const char *spec = meaning_of(options);
  const size_t length = strcspn(spec, ":");
  const char *settings = spec[length] ? spec + length + 1 : "", *next = find_fallback(settings);
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)length, spec);
  if (strcmp(name, HN_DEFAULT_CONTACT) == 0)
    return hn_fail(error,
                   "%s: a chain takes no settings; its tolerance and iterations are those of the caller",
                   spec),
           NULL;
  const hn_contact_type *type = hn_contact_type_find(name, own, error);
  hn_contact_solver *solver = type ? calloc(1, sizeof *solver) : NULL;
  if (type && !solver) hn_fail(error, "out of memory");
  if (!solver) return NULL;
  solver->type = type;
  solver->options = *options;
  solver->most = *most;
  if (system)
    solver->work = &system->work, solver->stop = &system->stop, solver->roundings = &system->parts->roundings,
    solver->shared = &system->parts->sweeps;
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
  free(solver->history), free(solver->before), free(solver->start), free(solver->end_v),
    free(solver->end_work);
  free(solver->spec), free(solver->data);
  hn_condensation_free(solver->condensation);
  hn_problem_islands_free(solver->islands);
  free(solver);
}

void hn_contact_solver_set_tolerance(hn_contact_solver *solver, double tolerance)
{
  for (; solver; solver = solver->next) solver->options.tolerance = tolerance;
}

void hn_contact_solver_accept(hn_contact_solver *solver, double accepted)
{
  for (; solver; solver = solver->next) solver->accepted = accepted;
}
