/* solver.c - solvers: registry, life cycle, and the step, which restores its input if it fails. */
#include "registry/solver_registry.h"
#include "registry/solver_arrays.h"
#include "registry/step_doubling.h"
#include "event/contact_impulses.h"
#include "event/event_log.h"
#include "force/force.h"
#include "redundant/redundant.h"
#include "system/contact_blocks.h"
#include "base/locale.h"
#include "base/params.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const hn_solver_type *const *hn_solver_types(size_t *count)
{
  if (count) *count = hn_solver_registry.count;
  return hn_solver_registry.types;
}

const hn_solver_type *hn_solver_type_find(const char *name, const hn_solver_type *const *own, hn_error *error)
{
  return hn_type_find(&hn_solver_registry, name, own, error);
}

const char *hn_solver_missing_library(const char *spec)
{
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, ":"), spec);
  return hn_type_missing_library(&hn_solver_registry, name);
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
  { HN_CAN_EXTRA_FORCES, "friction of what slides, between events" },
  { HN_CAN_COMPLIANT, "compliant contacts (forces without a power series)" },
  { HN_CAN_ROLL, "rolling or torsional friction" },
  { HN_CAN_ANISOTROPIC, "friction that depends on the direction (friction_across)" },
};

/* Fails with a list of the capabilities that SOLVER lacks for MODEL, and of the solvers that have all. */
static int refuse_needs(const hn_solver *solver, const hn_model *model, hn_error *error)
{
  const hn_solver_type *type = solver->type;
  const unsigned lacks = model->needs & ~hn_solver_capabilities(solver);
  const bool by_settings = !(model->needs & ~hn_solver_type_capabilities(type));
  char missing[320] = "", able[560] = "";
  size_t count;
  const hn_solver_type *const *types = hn_solver_types(&count);
  for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
    if (lacks & needs[i].flag)
      hn_print_after(missing, sizeof missing, "%s%s", *missing ? ", " : "", needs[i].words);
  for (size_t i = 0; i < count; i++)
    if (!(model->needs & ~types[i]->capabilities))
      hn_print_after(able, sizeof able, "%s%s", *able ? ", " : "", types[i]->name);
  for (const hn_solver_type *const *own = model->own_solvers; own && *own; own++)
    if (!(model->needs & ~(*own)->capabilities))
      hn_print_after(able, sizeof able, "%s%s", *able ? ", " : "", (*own)->name);
  return hn_fail(error,
                 *able ? "%s%s cannot do %s, which the scene has; solvers that can: %s"
                       : "%s%s cannot do %s, which the scene has, and no solver can do all that it has",
                 type->name, by_settings ? " with these settings" : "", missing, able);
}

/* Calls setup. A plugin's setup may fail without a message. */
static int call_setup(hn_solver *solver, hn_error *error)
{
  const hn_solver_type *type = solver->type;
  hn_error why = { "" };
  if (type->setup(solver, &why) == 0) return 0;
  return *why.text ? hn_fail(error, "%s", why.text)
                   : hn_fail(error, "%s: its setup fails, and does not say why", type->name);
}

/* Initialises SOLVER, of which only the type is set. On error take_down frees the rest. */
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
  solver->multipliers = calloc((size_t)solver->system->max_rows + 1, sizeof(double));
  if (!solver->multipliers) return no_memory(error);
  if (hn_log_create(solver, error)) return -1;
  if (model->needs & ~hn_solver_capabilities(solver)) return refuse_needs(solver, model, error);
  if (call_setup(solver, error)) return -1;
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

/* Frees the contents of SOLVER. */
static void take_down(hn_solver *solver)
{
  if (solver->data && solver->type->free) solver->type->free(solver);
  hn_solver_free_arrays(solver);
  hn_doubling_free(solver->doubling);
  hn_log_free(solver->log), hn_impulses_free(solver->impulses);
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

/* Copies the joint forces of the joints that both models have. */
static void carry_forces(const hn_solver *from, hn_solver *to)
{
  const hn_model *old = from->system->model, *now = to->system->model;
  for (int j = 0, k = 0; j < now->njoint; j++) {
    while (k < old->njoint && old->joint[k].name != now->joint[j].name) k++;
    if (k == old->njoint) return; /* new joints follow the old ones */
    memcpy(to->multipliers + now->joint[j].row, from->multipliers + old->joint[k].row,
           sizeof *to->multipliers * (size_t)now->joint[j].type->rows);
  }
}

int hn_solver_change(hn_solver *solver, hn_model *model, hn_error *error)
{
  hn_solver old = *solver; /* the address stays: a solver's data may refer to it */
  const char *settings = strchr(old.spec, ':');
  *solver = (hn_solver){ .type = old.type, .report = { .joint = -1 } };
  if (build(solver, settings ? settings + 1 : NULL, model, error)) {
    take_down(solver);
    *solver = old;
    return -1;
  }
  hn_solver_reset(solver);
  hn_log_carry(&old, solver);
  solver->impulses = old.impulses, old.impulses = NULL;
  carry_forces(&old, solver);
  if (solver->doubling) hn_doubling_carry(old.doubling, solver->doubling);
  solver->system->work = old.system->work, solver->changes = old.changes + 1;
  take_down(&old);
  solver->model = model;
  return 0;
}

/* Zeroes X[count]. Pages that are zero are not written to: those beyond the rows in use take no memory. */
static void clear(double *x, int count)
{
  for (int i = 0; i < count; i++)
    if (x[i] != 0.0 || signbit(x[i])) x[i] = 0.0;
}

void hn_solver_reset(hn_solver *solver)
{
  hn_system *s = solver->system;
  if (solver->type->reset) solver->type->reset(solver);
  if (solver->doubling) hn_doubling_reset(solver->doubling);
  if (s->parts->redundant) hn_redundant_analyse(s->parts->redundant, s, NULL);
  s->work = (hn_work){ 0 };
  solver->report = (hn_report){ .joint = -1 };
  clear(solver->multipliers, s->max_rows);
  hn_log_reset(solver->log);
}

struct hn_contact_solver *hn_solver_contact(const hn_solver *solver)
{
  return solver->type->contact_solver ? solver->type->contact_solver(solver) : NULL;
}

/* Adds implied capabilities: reported joint forces make breakage detectable. */
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

/* ---- The step ------------------------------------------------------------------------------------------ */

/* True if the step has changed neither the ground nor fixed bodies, whose states are not its own. */
static bool fixed_remain(const hn_model *model, const hn_state *before, const hn_state *after)
{
  for (int i = 0; i < model->nbody; i++)
    if (model->body[i].kind == HN_FIXED &&
        (memcmp(&after->pose[i], &before->pose[i], sizeof *after->pose) != 0 ||
         memcmp(&after->twist[i], &before->twist[i], sizeof *after->twist) != 0))
      return false;
  return true;
}

/* True if TIME, left by a step of H from START, is one of the step: the framework sets that of its end. */
static bool is_in_step(double time, double start, double h)
{
  const double rounding = 1e-9 * (fabs(start) + h);
  return time >= start - rounding && time <= start + h + rounding;
}

/* Returns what is wrong with a step of the type that ended with REASON, or NULL: a plugin may return an
 * invalid reason, or change what belongs to others. */
static const char *find_fault(const hn_solver *solver, const hn_state *state, double h, hn_reason reason)
{
  const hn_state *before = solver->backup;
  if ((int)reason < 0 || reason >= HN_REASONS) return "a step that returns what is no reason";
  if (reason != HN_CONVERGED || !hn_state_finite(state)) return NULL;
  if (!fixed_remain(solver->system->model, before, state))
    return "a step that moves the ground or a fixed body";
  return is_in_step(state->time, before->time, h) ? NULL : "a step that sets another time";
}

static hn_reason call_step(hn_solver *solver, hn_state *state, double h)
{
  const hn_reason reason = solver->doubling ? hn_doubling_step(solver, state, h)
                                            : solver->type->step(solver, state, h);
  const char *fault = find_fault(solver, state, h, reason);
  if (solver->system->stop.heard) return HN_INTERRUPTED; /* whatever the solver made of it */
  if (solver->report.joint >= solver->system->nblock) solver->report.joint = -1;
  if (!fault) return reason;
  solver->report.stage = fault;
  return HN_UNSUPPORTED;
}

hn_reason hn_solver_step(hn_solver *solver, hn_state *state, double h)
{
  hn_state_copy(solver->backup, state);
  hn_solver_copy_memory(solver, solver->kept);
  solver->report = (hn_report){ .joint = -1 };
  hn_log_begin(solver->log), hn_impulses_begin(solver);
  solver->system->stop = (hn_stop){ .flag = solver->stop };
  solver->system->parts->roundings = 0;
  hn_reason reason = hn_system_begin_from(solver->system, solver->backup, state);
  if (reason != HN_CONVERGED && reason != HN_INTERRUPTED) solver->report.stage = "the search for contacts";
  else reason = call_step(solver, state, h);
  if (reason == HN_CONVERGED && !hn_state_finite(state)) {
    reason = HN_NOT_FINITE;
    solver->report.stage = "step";
  }
  if (reason == HN_CONVERGED) reason = hn_impulses_end(solver, state);
  solver->report.roundings = solver->system->parts->roundings;
  if (reason == HN_CONVERGED) {
    state->time = solver->backup->time + h;
    if (!solver->doubling) hn_forces_update(solver->system->model, h, state);
    hn_log_end(solver, state);
    return reason;
  }
  if (solver->system->stop.heard) solver->report.stage = NULL;
  hn_state_copy(state, solver->backup); /* undo the step, in the solver's memory too */
  hn_solver_restore_memory(solver, solver->kept);
  return reason;
}

const struct hn_problem *hn_solver_pose(hn_solver *solver, hn_state *state, double h, hn_reason *reason)
{
  const struct hn_problem *problem = NULL;
  *reason = HN_UNSUPPORTED;
  if (!solver->type->pose) return NULL;
  hn_state_copy(solver->backup, state);
  hn_solver_copy_memory(solver, solver->kept);
  *reason = hn_system_begin_from(solver->system, solver->backup, state);
  if (*reason == HN_CONVERGED) *reason = solver->type->pose(solver, state, h, &problem);
  hn_state_copy(state, solver->backup);
  hn_solver_restore_memory(solver, solver->kept);
  return *reason == HN_CONVERGED ? problem : NULL;
}
