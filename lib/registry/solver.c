/* solver.c - the registry of solvers, their life cycle, and the step that restores what it fails on. */
#include "registry/solver_registry.h"
#include "event/event_log.h"
#include "force/force.h"
#include "redundant/redundant.h"
#include "base/hash.h"
#include "base/locale.h"
#include "base/params.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SOLVERS = 128 };

/* Built-in solvers, then those of plugins as they were loaded. */
static const hn_solver_type *registry[MAX_SOLVERS + 1];
static size_t registered, built_in;
static pthread_once_t filled = PTHREAD_ONCE_INIT;

static void fill(void)
{
  for (; built_in < MAX_SOLVERS && hn_builtin_solvers[built_in]; built_in++)
    registry[built_in] = hn_builtin_solvers[built_in];
  registered = built_in;
}

const hn_solver_type *const *hn_solver_types(size_t *count)
{
  pthread_once(&filled, fill);
  if (count) *count = registered;
  return registry;
}

/* The solver NAME among COUNT of LIST, or up to its end at NULL. */
static const hn_solver_type *find(const hn_solver_type *const *list, size_t count, const char *name)
{
  for (size_t i = 0; i < count && list && list[i]; i++)
    if (strcmp(list[i]->name, name) == 0) return list[i];
  return NULL;
}

static const hn_solver_type *registered_as(const char *name)
{
  const hn_solver_type *const *types = hn_solver_types(NULL);
  return find(types, MAX_SOLVERS, name);
}

bool hn_solver_name_valid(const char *name)
{
  return *name && !name[strcspn(name, ":=,/ \t\n")];
}

int hn_solver_register_plugin(const char *path, const hn_solver_type *const *types, hn_error *error)
{
  size_t count = 0, there = 0;
  for (; types[count]; count++) {
    const hn_solver_type *known = registered_as(types[count]->name);
    if (known && known != types[count])
      return hn_fail(error, "plugin %s: there is a solver \"%s\" already; choose another name", path,
                     types[count]->name);
    there += known != NULL;
  }
  if (registered + count - there > MAX_SOLVERS)
    return hn_fail(error, "plugin %s: there is room for %d solvers only", path, MAX_SOLVERS);
  for (size_t i = 0; i < count; i++)
    if (!registered_as(types[i]->name)) registry[registered++] = types[i];
  return 0;
}

hn_redundant_kind hn_solver_redundant(const hn_solver_type *type)
{
  if (type->capabilities & HN_CAN_REDUNDANT) return HN_ALWAYS;
  if (type->capabilities & HN_OWN_MATRIX) return HN_NEVER;
  for (const hn_param *p = type->params; p->key; p++)
    if (strcmp(p->key, "redundancy") == 0) return HN_BY_POLICY;
  return HN_NEVER;
}

const char *const *hn_solver_variants(const hn_solver_type *type)
{
  static const char *const as_it_is[] = { "", NULL };
  return type->variants ? type->variants : as_it_is;
}

/* What a word that names no solver was meant to be, of the process or of OWN; NULL: who knows. */
static const char *nearest_solver(const char *word, const hn_solver_type *const *own)
{
  const char *names[2 * MAX_SOLVERS];
  size_t count, n = 0;
  const hn_solver_type *const *types = hn_solver_types(&count);
  for (size_t i = 0; i < count; i++) names[n++] = types[i]->name;
  for (size_t i = 0; own && own[i] && n < 2 * MAX_SOLVERS; i++) names[n++] = own[i]->name;
  return hn_nearest(word, names, n);
}

const hn_solver_type *hn_solver_type_find(const char *name, const hn_solver_type *const *own, hn_error *error)
{
  const hn_solver_type *const *types = hn_solver_types(NULL), *found = find(types, built_in, name);
  if (!found) found = find(own, SIZE_MAX, name);
  if (!found) found = registered_as(name);
  if (found) return found;
  const char *near = nearest_solver(name, own);
  hn_fail(error,
          near ? "no solver \"%s\"; did you mean \"%s\"?" : "no solver \"%s\"; see holonom list solvers",
          name, near);
  return NULL;
}

static int no_memory(hn_error *error)
{
  return hn_fail(error, "out of memory");
}

static const struct {
  unsigned flag;
  const char *words;
} needs[] = {
  { HN_CAN_PUSH, "one-sided joints (limits)" },
  { HN_CAN_WITHIN, "bounded joint forces (motors with a largest force, dry friction in joints)" },
  { HN_CAN_CONE, "contacts with friction" },
  { HN_CAN_CHANGE, "contacts that come and go" },
  { HN_CAN_BOUNCE, "restitution" },
  { HN_CAN_VELOCITY, "constraints of velocities (rolling, knife edges, motors)" },
  { HN_CAN_BREAK, "joint forces (of joints that break)" },
  { HN_CAN_MORE, "friction of what slides, between events" },
};

/* Appends WORDS to the list in TEXT. */
static void add_to_list(char *text, size_t size, const char *words)
{
  size_t length = strlen(text);
  snprintf(text + length, size - length, "%s%s", length > 0 ? ", " : "", words);
}

/* What the scene needs that SOLVER cannot do, and who can do all that it needs. */
static int refuse_needs(const hn_solver *solver, const hn_model *model, hn_error *error)
{
  const hn_solver_type *type = solver->type;
  const unsigned lacks = model->needs & ~hn_solver_capabilities(solver);
  const bool set = !(model->needs & ~hn_solver_type_capabilities(type)); /* by its parameters */
  char missing[320] = "", able[200] = "";
  size_t count;
  const hn_solver_type *const *types = hn_solver_types(&count);
  for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
    if (lacks & needs[i].flag) add_to_list(missing, sizeof missing, needs[i].words);
  for (size_t i = 0; i < count; i++)
    if (!(model->needs & ~types[i]->capabilities)) add_to_list(able, sizeof able, types[i]->name);
  for (const hn_solver_type *const *own = model->own_solvers; own && *own; own++)
    if (!(model->needs & ~(*own)->capabilities)) add_to_list(able, sizeof able, (*own)->name);
  return hn_fail(error,
                 *able ? "%s%s cannot do %s, which the scene has; solvers that can: %s"
                       : "%s%s cannot do %s, which the scene has, and no solver can do all that it has",
                 type->name, set ? " with these settings" : "", missing, able);
}

/* Everything of SOLVER but its type, in the order in which a failure can leave it. */
/* A solver of others may fail without a word. */
static int set_up(hn_solver *solver, hn_error *error)
{
  const hn_solver_type *type = solver->type;
  hn_error why = { "" };
  if (type->setup(solver, &why) == 0) return 0;
  return *why.text ? hn_fail(error, "%s", why.text)
                   : hn_fail(error, "%s: its setup fails, and does not say why", type->name);
}

static int build(hn_solver *solver, const char *settings, const hn_model *model, hn_error *error)
{
  const hn_solver_type *type = solver->type;
  solver->data = calloc(1, type->data_size ? type->data_size : 1);
  solver->backup = hn_state_create(model);
  if (!solver->data || !solver->backup) return no_memory(error);
  if (hn_solver_read(type, settings, solver->data, &solver->texts, error)) return -1;
  solver->spec = hn_params_write(type->params, type->name, solver->data);
  if (!solver->spec) return no_memory(error);
  solver->system = hn_system_create(model, error);
  if (!solver->system) return -1;
  solver->multipliers = calloc((size_t)solver->system->most_rows + 1, sizeof(double));
  if (!solver->multipliers) return no_memory(error);
  if (hn_log_create(solver, error)) return -1;
  if (model->needs & ~hn_solver_capabilities(solver)) return refuse_needs(solver, model, error);
  if (set_up(solver, error)) return -1;
  solver->kept = malloc(hn_solver_memory(solver) + 1);
  return solver->kept ? 0 : no_memory(error);
}

hn_solver *hn_solver_create(const char *spec, const hn_model *model, hn_error *error)
{
  char name[64];
  size_t length = strcspn(spec, ":");
  snprintf(name, sizeof name, "%.*s", (int)length, spec);
  const hn_solver_type *type = hn_solver_type_find(name, model->own_solvers, error);
  hn_solver *solver = type ? calloc(1, sizeof *solver) : NULL;
  if (!solver) {
    if (type) no_memory(error);
    return NULL;
  }
  solver->type = type;
  solver->report.joint = -1;
  if (build(solver, spec[length] ? spec + length + 1 : NULL, model, error)) {
    hn_solver_free(solver);
    return NULL;
  }
  return solver;
}

/* All that it has but itself. */
static void take_down(hn_solver *solver)
{
  if (solver->data && solver->type->free) solver->type->free(solver);
  hn_log_free(solver->log);
  hn_system_free(solver->system);
  hn_state_free(solver->backup);
  free(solver->kept);
  hn_texts_free(solver->texts);
  free(solver->multipliers);
  free(solver->spec);
  free(solver->data);
  hn_model_free(solver->model);
}

void hn_solver_free(hn_solver *solver)
{
  if (!solver) return;
  take_down(solver);
  free(solver);
}

/* Joint forces of what is in both. */
static void carry_forces(const hn_solver *from, hn_solver *to)
{
  const hn_model *old = from->system->model, *now = to->system->model;
  for (int j = 0, k = 0; j < now->njoint; j++) {
    while (k < old->njoint && old->joint[k].name != now->joint[j].name) k++;
    if (k == old->njoint) return; /* what was there comes first */
    memcpy(to->multipliers + now->joint[j].row, from->multipliers + old->joint[k].row,
           sizeof *to->multipliers * (size_t)now->joint[j].type->rows);
  }
}

int hn_solver_change(hn_solver *solver, hn_model *model, hn_error *error)
{
  hn_solver old = *solver; /* a solver may know its solver by the address, which stays */
  const char *settings = strchr(old.spec, ':');
  *solver = (hn_solver){ .type = old.type, .report = { .joint = -1 } };
  if (build(solver, settings ? settings + 1 : NULL, model, error)) {
    take_down(solver);
    *solver = old;
    return -1;
  }
  hn_solver_reset(solver);
  hn_log_carry(&old, solver);
  carry_forces(&old, solver);
  solver->system->work = old.system->work, solver->changes = old.changes + 1;
  take_down(&old);
  solver->model = model;
  return 0;
}

void hn_solver_reset(hn_solver *solver)
{
  hn_system *s = solver->system;
  if (solver->type->reset) solver->type->reset(solver);
  if (s->redundant) hn_redundant_analyse(s->redundant, s, NULL);
  s->work = (hn_work){ 0 };
  solver->report = (hn_report){ .joint = -1 };
  memset(solver->multipliers, 0, sizeof(double) * (size_t)s->most_rows);
  hn_log_reset(solver->log);
}

int hn_solver_order(const hn_solver *solver)
{
  return solver->type->order_of ? solver->type->order_of(solver) : solver->type->order;
}

struct hn_contact_solver *hn_solver_contact(const hn_solver *solver)
{
  return solver->type->contact_solver ? solver->type->contact_solver(solver) : NULL;
}

/* Forces that are reported tell when a joint breaks. */
static unsigned implied(unsigned can)
{
  return can & HN_HAS_MULTIPLIERS ? can | HN_CAN_BREAK : can;
}

unsigned hn_solver_type_capabilities(const hn_solver_type *type)
{
  return implied(type->capabilities);
}

unsigned hn_solver_capabilities(const hn_solver *solver)
{
  const hn_solver_type *type = solver->type;
  return implied(type->capabilities & (type->capabilities_of ? type->capabilities_of(solver) : ~0u));
}

/* ---- Memory: what the log knows, then the policy for a singular K, then the solver's own --------------- */

static void *own_memory(hn_solver *solver, size_t *size)
{
  *size = 0;
  return solver->type->memory ? solver->type->memory(solver, size) : NULL;
}

size_t hn_solver_memory(hn_solver *solver)
{
  size_t size;
  own_memory(solver, &size);
  return hn_log_memory(solver->log) + hn_redundant_memory(solver->system) + size + sizeof(uint64_t);
}

/* Which model a checkpoint is of, behind all else: by its size, and how often it has been changed. */
static uint64_t mark_of(const hn_solver *solver)
{
  const hn_model *model = solver->system->model;
  const uint64_t number[] = { solver->changes, (uint64_t)model->nbody, (uint64_t)model->nrow,
                              (uint64_t)model->nforce };
  return hn_hash_words(HN_HASH_START, number, sizeof number);
}

static void copy_out(hn_solver *solver, void *memory)
{
  char *to = memory;
  size_t known = hn_log_memory(solver->log), shared = hn_redundant_memory(solver->system), size;
  const void *own = own_memory(solver, &size);
  hn_log_save(solver->log, to);
  if (shared > 0) hn_redundant_save(solver->system, to + known);
  if (size > 0) memcpy(to + known + shared, own, size);
}

static void copy_in(hn_solver *solver, const void *memory)
{
  const char *from = memory;
  size_t known = hn_log_memory(solver->log), shared = hn_redundant_memory(solver->system), size;
  void *own = own_memory(solver, &size);
  hn_log_restore(solver->log, from);
  if (shared > 0) hn_redundant_restore(solver->system, from + known);
  if (size > 0) memcpy(own, from + known + shared, size);
  else if (solver->type->reset) solver->type->reset(solver);
}

void hn_solver_save(hn_solver *solver, void *memory)
{
  if (!solver->type->memory && solver->type->reset) solver->type->reset(solver);
  const uint64_t mark = mark_of(solver);
  copy_out(solver, memory);
  memcpy((char *)memory + hn_solver_memory(solver) - sizeof mark, &mark, sizeof mark);
}

int hn_solver_restore(hn_solver *solver, const void *memory, size_t size, hn_error *error)
{
  const bool fits = size == hn_solver_memory(solver);
  uint64_t mark = 0;
  if (fits) memcpy(&mark, (const char *)memory + size - sizeof mark, sizeof mark);
  if (!fits || mark != mark_of(solver))
    return hn_fail(error,
                   "%s: a checkpoint of another model: "
                   "bodies, joints or forces have come or gone since",
                   solver->type->name);
  copy_in(solver, memory);
  return 0;
}

/* And may return anything. */
static hn_reason step_of(hn_solver *solver, hn_state *state, double h)
{
  hn_reason reason = solver->type->step(solver, state, h);
  bool known = (int)reason >= 0 && reason <= HN_INTERRUPTED;
  if (solver->report.joint >= solver->system->nblock) solver->report.joint = -1;
  if (known) return reason;
  solver->report.stage = "a step that returns what is no reason";
  return HN_UNSUPPORTED;
}

hn_reason hn_solver_step(hn_solver *solver, hn_state *state, double h)
{
  hn_state_copy(solver->backup, state);
  copy_out(solver, solver->kept);
  solver->report = (hn_report){ .joint = -1 };
  hn_log_begin(solver->log);
  hn_reason reason = hn_system_begin(solver->system, state);
  if (reason != HN_CONVERGED) solver->report.stage = "the search for contacts";
  else reason = step_of(solver, state, h);
  if (reason == HN_CONVERGED && !hn_state_finite(state)) {
    reason = HN_NOT_FINITE;
    solver->report.stage = "step";
  }
  if (reason == HN_CONVERGED) {
    state->time = solver->backup->time + h;
    hn_forces_update(solver->system->model, h, state);
    hn_log_end(solver, state);
    return reason;
  }
  hn_state_copy(state, solver->backup); /* and no memory of a step that was not taken */
  copy_in(solver, solver->kept);
  return reason;
}

const struct hn_problem *hn_solver_pose(hn_solver *solver, hn_state *state, double h, hn_reason *reason)
{
  const struct hn_problem *problem = NULL;
  *reason = HN_UNSUPPORTED;
  if (!solver->type->pose) return NULL;
  hn_state_copy(solver->backup, state);
  copy_out(solver, solver->kept);
  *reason = hn_system_begin(solver->system, state);
  if (*reason == HN_CONVERGED) *reason = solver->type->pose(solver, state, h, &problem);
  hn_state_copy(state, solver->backup);
  copy_in(solver, solver->kept);
  return *reason == HN_CONVERGED ? problem : NULL;
}

void hn_solver_explain(const hn_solver *solver, hn_reason reason, double h, char *text, size_t size)
{
  const hn_report *report = &solver->report;
  int used = hn_print(text, size, "%s: %s in %s, step %.9g s", solver->type->name, hn_reason_name(reason),
                      report->stage ? report->stage : "step", h);
  if (used < 0 || (size_t)used >= size) return;
  text += used, size -= (size_t)used;
  if (reason == HN_FULL && solver->system->collision) {
    used = hn_print(text, size,
                    ": more than the %d contacts that there is room for; sys:contact { capacity = ... } "
                    "makes room",
                    solver->system->model->most_contacts);
    if (used < 0 || (size_t)used >= size) return;
    text += used, size -= (size_t)used;
  }
  if (reason == HN_SINGULAR && solver->system->is_singular) hn_linear_explain(solver->system, text, size);
  else if (report->joint >= 0) {
    used = hn_print(text, size, ", worst joint \"%s\" with residual %.3g",
                    solver->system->block[report->joint].joint->name, report->residual);
    if (used < 0 || (size_t)used >= size) return;
    text += used, size -= (size_t)used;
  }
  if (report->iterations > 0) hn_print(text, size, " after %d iterations", report->iterations);
}
