/* checkpoint.c - saves a run between two steps to a file, and resumes it.
 *
 *   sizes   identify the model, the solver and the version
 *   state   time, poses, twists, inputs, contacts
 *   solver  memory, joint forces, counts of work
 *   run     summary, measures, bounds with the initial state, counts, events of the last step
 *
 * One function, pass_run, lists the contents for both directions. Numbers are stored in the format of the
 * machine: a checkpoint is for the program that wrote it. It has no pointers, and all counts and indices
 * are checked when it is read. The caller must make sure that the file is complete
 * (cli/record/checkpoint_file.c). */
#include "run/runner_struct.h"
#include "system/contact_blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct passage {
  FILE *file;
  bool reading, failed, no_memory;
} passage;

/* Reads or writes SIZE bytes of DATA. */
static void pass(passage *p, void *data, size_t size)
{
  if (p->failed || size == 0) return;
  p->failed = (p->reading ? fread(data, 1, size, p->file) : fwrite(data, 1, size, p->file)) != size;
}

/* Notes that what has been read is DAMAGED: it could not have been written. */
static void refuse(passage *p, bool damaged)
{
  if (p->reading && damaged) p->failed = true;
}

static bool is_body(const hn_state *state, int body)
{
  return body >= 0 && body < state->nbody;
}

/* Reads or writes STATE. More contacts than its capacity belong to another model: an error. */
static void pass_state(passage *p, hn_state *state)
{
  int contacts = state->ncontact;
  pass(p, &state->time, sizeof state->time);
  pass(p, state->pose, sizeof *state->pose * (size_t)state->nbody);
  pass(p, state->twist, sizeof *state->twist * (size_t)state->nbody);
  pass(p, state->input, sizeof *state->input * (size_t)state->ninput);
  pass(p, &contacts, sizeof contacts);
  if (contacts < 0 || contacts > state->max_contacts) p->failed = true;
  if (p->failed) return;
  state->ncontact = contacts;
  pass(p, state->contact, sizeof *state->contact * (size_t)contacts);
  for (int k = 0; k < contacts && p->reading && !p->failed; k++)
    refuse(p, !is_body(state, state->contact[k].a) || !is_body(state, state->contact[k].b));
}

/* Reads or writes a truth value. */
static void pass_bool(passage *p, bool *value)
{
  unsigned char byte = *value;
  pass(p, &byte, 1);
  refuse(p, byte > 1);
  *value = byte == 1;
}

static void pass_bounds(passage *p, hn_bounds *b)
{
  double *const number[] = { &b->size,   &b->given, &b->start, &b->least,   &b->way,
                             &b->turned, &b->spin,  &b->slip,  &b->measured };
  for (size_t i = 0; i < sizeof number / sizeof *number; i++) pass(p, number[i], sizeof *number[i]);
  pass_bool(p, &b->conserves);
  if (b->first) pass_state(p, b->first);
}

/* Returns name I in the list of the joints, then the forces of MODEL; NULL if out of range. */
static const char *name_at(const hn_model *model, int i)
{
  if (i < 0 || i >= model->njoint + model->nforce) return NULL;
  return i < model->njoint ? model->joint[i].name : model->force[i - model->njoint].name;
}

/* Returns the index of NAME in that list, or -1. */
static int index_of(const hn_model *model, const char *name)
{
  for (int i = 0; name && i < model->njoint + model->nforce; i++)
    if (name == name_at(model, i)) return i;
  return -1;
}

/* Reads or writes EVENT, whose name is stored as an index; -1: it has none. */
static void pass_event(passage *p, const hn_model *model, hn_event *event)
{
  int name = index_of(model, event->joint), kind = (int)event->kind;
  double *const number[] = { &event->time,  &event->impulse, &event->friction,
                             &event->force, &event->angular, &event->until };
  for (size_t i = 0; i < sizeof number / sizeof *number; i++) pass(p, number[i], sizeof *number[i]);
  pass(p, &kind, sizeof kind);
  pass(p, &event->a, sizeof event->a);
  pass(p, &event->b, sizeof event->b);
  pass(p, &name, sizeof name);
  refuse(p, kind < 0 || kind >= HN_EVENT_KINDS || event->a < 0 || event->a >= model->nbody || event->b < 0 ||
              event->b >= model->nbody || name < -1 || name >= model->njoint + model->nforce);
  if (!p->reading || p->failed) return;
  event->kind = (hn_event_kind)kind;
  event->joint = name_at(model, name);
}

static void pass_events(passage *p, const hn_model *model, hn_happened *h)
{
  int count = h->count;
  pass(p, &count, sizeof count);
  if (p->reading) hn_happened_forget(h);
  for (int i = 0; i < count && !p->failed; i++) {
    hn_event event = p->reading ? (hn_event){ .time = 0.0 } : h->event[i];
    pass_event(p, model, &event);
    if (p->reading && !p->failed && hn_happened_add(h, &event, 1)) p->failed = p->no_memory = true;
  }
}

/* Reads or writes the summary: its truth values on their own, before the structure, which has none then. */
static void pass_summary(passage *p, hn_summary *s)
{
  bool *const truth[] = { &s->control_failed, &s->energy_conserved, &s->collides, &s->eventful };
  bool value[sizeof truth / sizeof *truth];
  for (size_t i = 0; i < sizeof truth / sizeof *truth; i++) {
    value[i] = *truth[i];
    pass_bool(p, &value[i]);
  }
  pass(p, s, sizeof *s);
  for (size_t i = 0; i < sizeof truth / sizeof *truth; i++) *truth[i] = value[i];
  int reason;
  memcpy(&reason, &s->reason, sizeof reason);
  refuse(p, reason < 0 || reason >= HN_REASONS || s->steps < 0 ||
              !memchr(s->explanation, 0, sizeof s->explanation));
}

/* Reads or writes the run. MEMORY is the buffer of the solver's memory. */
static void pass_run(passage *p, hn_runner *r, void *memory)
{
  hn_system *system = r->solver->system;
  pass_state(p, r->state);
  pass(p, memory, hn_solver_memory(r->solver));
  pass(p, r->solver->multipliers, sizeof *r->solver->multipliers * (size_t)system->max_rows);
  pass(p, &system->work, sizeof system->work);
  pass_summary(p, &r->summary);
  pass(p, &r->measure, sizeof r->measure);
  refuse(p, r->measure.worst_joint < -1 || r->measure.worst_joint >= system->model->njoint ||
              r->measure.worst_rate < -1 || r->measure.worst_rate >= system->model->njoint);
  pass_bounds(p, &r->bounds);
  pass(p, &r->contact, sizeof r->contact);
  pass(p, &r->start, sizeof r->start);
  pass(p, &r->index, sizeof r->index);
  refuse(p, r->index < 0 || r->index > r->count);
  pass(p, r->iterations, sizeof r->iterations);
  pass_bool(p, &r->control.gave_impulse);
  pass_events(p, system->model, &r->control.last);
  pass_events(p, system->model, &r->happened);
}

enum { SIZES = 10 };

static void list_sizes(const hn_runner *r, uint64_t size[SIZES])
{
  const hn_model *model = r->solver->system->model;
  const uint64_t sizes[SIZES] = {
    HN_ABI,
    sizeof(hn_summary),
    sizeof(hn_contact),
    sizeof(hn_work),
    (uint64_t)model->nbody,
    (uint64_t)model->njoint,
    (uint64_t)r->state->ninput,
    (uint64_t)r->solver->system->max_rows,
    hn_solver_memory(r->solver),
    (uint64_t)r->count,
  };
  memcpy(size, sizes, sizeof sizes);
}

static int check_sizes(passage *p, const hn_runner *r, hn_error *error)
{
  uint64_t ours[SIZES], theirs[SIZES] = { 0 };
  list_sizes(r, ours);
  pass(p, theirs, sizeof theirs);
  if (p->failed) return hn_fail(error, "it is cut off");
  if (memcmp(ours, theirs, sizeof ours) == 0) return 0;
  return hn_fail(error, "it is of another model, solver or duration, or of another version of Holonom");
}

/* Discards data that the solver can recompute, such as a factor. So a run that continues after saving does
 * the same work as a resumed one. */
static void discard_cache(hn_solver *solver, const void *memory)
{
  if (solver->type->reset) solver->type->reset(solver);
  hn_solver_restore(solver, memory, hn_solver_memory(solver), NULL);
}

int hn_runner_save(hn_runner *r, FILE *file, hn_error *error)
{
  uint64_t size[SIZES];
  if (r->summary.changes > 0)
    return hn_fail(error, "the run has changed its model: "
                          "what would go on from there begins with that of the scene");
  passage p = { .file = file };
  void *memory = calloc(hn_solver_memory(r->solver) + 1, 1); /* zeros: not all of it is used */
  if (!memory) return hn_fail(error, "out of memory");
  hn_solver_save(r->solver, memory);
  discard_cache(r->solver, memory);
  list_sizes(r, size);
  pass(&p, size, sizeof size);
  pass_run(&p, r, memory);
  free(memory);
  return p.failed ? hn_fail(error, "%s", strerror(errno ? errno : EIO)) : 0;
}

/* Lists the blocks of the system as when the run was saved, without counting the work again. */
static bool list_again(hn_runner *r)
{
  hn_system *system = r->solver->system;
  const hn_work work = system->work;
  const hn_reason reason = hn_system_list(system, r->state);
  system->work = work;
  return reason == HN_CONVERGED;
}

static int restore(hn_runner *r, FILE *file, hn_error *error)
{
  passage p = { .file = file, .reading = true };
  if (check_sizes(&p, r, error)) return -1;
  void *memory = malloc(hn_solver_memory(r->solver) + 1);
  if (!memory) return hn_fail(error, "out of memory");
  pass_run(&p, r, memory);
  if (!p.failed && list_again(r)) {
    int status = hn_solver_restore(r->solver, memory, hn_solver_memory(r->solver), error);
    free(memory);
    return status;
  }
  free(memory);
  return hn_fail(error, p.no_memory ? "out of memory" : "it is cut off, or damaged");
}

hn_runner *hn_runner_resume(hn_solver *solver, hn_state *state, const hn_run_options *options, FILE *file,
                            hn_error *error)
{
  hn_runner *r = hn_runner_make(solver, state, options, error);
  if (!r || restore(r, file, error) == 0) return r;
  r->measure.worst_joint = r->measure.worst_rate = -1; /* they may be out of range */
  hn_runner_finish(r, NULL);
  return NULL;
}
