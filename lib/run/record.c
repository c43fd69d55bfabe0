/* record.c - a trajectory as CSV: time, energy, joint errors, iterations, hash, then every body but the ground, and,
 * where that is asked for, the joints; contacts, of which there are sometimes more and sometimes less, in a file of
 * their own. */
#include "base/locale.h"
#include "run/contact_lines.h"
#include "run/pending.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct hn_record {
  hn_pending frames, contacts; /* the second need not be open */
  const hn_model *model;
  long written;      /* frames */
  bool failed;       /* and why, the first time */
  hn_error why;
  hn_system *system; /* where the rank is found; NULL: not asked for */
  bool joints;       /* coordinates of joints, */
  bool reactions;    /* and what they do to their bodies */
};

static void free_record(hn_record *record)
{
  hn_system_free(record->system);
  free(record);
}

/* Of NAME and a QUANTITY, with a SUFFIX. */
static void write_name(FILE *file, const char *name, const char *quantity, const char *suffix)
{
  char what[64];
  snprintf(what, sizeof what, ".%s%s", quantity, suffix);
  hn_write_field(file, name, what);
}

static void write_joint_names(const hn_record *record, const hn_joint *joint)
{
  static const char *const reaction[] = { "force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z" };
  for (int i = 0; i < hn_joint_coordinates(joint); i++) {
    write_name(record->frames.file, joint->name, joint->type->coordinates[i]->name, "");
    write_name(record->frames.file, joint->name, joint->type->coordinates[i]->name, "_rate");
  }
  for (int i = 0; i < 6 && record->reactions; i++) write_name(record->frames.file, joint->name, reaction[i], "");
}

static void write_header(const hn_record *record)
{
  FILE *file = record->frames.file;
  const hn_model *model = record->model;
  rewind(file); /* again, with more columns */
  static const char *const quantity[] = { "x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz" };
  fputs("step,time,energy,position_error,velocity_error,position_iterations,velocity_iterations,hash", file);
  if (record->system) fputs(",rank,smallest_kept,largest_dropped", file);
  for (int i = 1; i < model->nbody; i++)
    for (size_t k = 0; k < sizeof quantity / sizeof *quantity; k++)
      write_name(file, model->body[i].name, quantity[k], "");
  for (int j = 0; j < model->njoint && record->joints; j++) write_joint_names(record, &model->joint[j]);
  fputc('\n', file);
}

hn_record *hn_record_create(const char *path, const hn_model *model, hn_error *error)
{
  hn_record *record = calloc(1, sizeof *record);
  if (!record) {
    hn_fail(error, "out of memory");
    return NULL;
  }
  record->model = model;
  if (hn_pending_open(&record->frames, path, error)) {
    free_record(record);
    return NULL;
  }
  write_header(record);
  return record;
}

int hn_record_add_rank(hn_record *record, const hn_model *model, hn_error *error)
{
  record->system = hn_system_create(model, error);
  if (!record->system) return -1;
  write_header(record);
  return 0;
}

/* Coordinates called x and y are columns of bodies too. */
static bool shares_columns(const hn_joint *joint)
{
  for (int i = 0; i < hn_joint_coordinates(joint); i++)
    if (strlen(joint->type->coordinates[i]->name) == 1) return true;
  return false;
}

static int check_columns(const hn_model *model, hn_error *error)
{
  int *sorted = hn_model_sort_bodies(model), status = sorted ? 0 : hn_fail(error, "out of memory");
  for (const hn_joint *joint = model->joint; status == 0 && joint < model->joint + model->njoint; joint++)
    if (shares_columns(joint) && hn_model_look_up(model, sorted, joint->name) >= 0)
      status = hn_fail(error, "a body and a joint are called \"%s\": their columns would have the same names",
                       joint->name);
  free(sorted);
  return status;
}

int hn_record_add_joints(hn_record *record, bool reactions, hn_error *error)
{
  if (check_columns(record->model, error)) return -1;
  record->joints = true;
  record->reactions = reactions;
  write_header(record);
  return 0;
}

/* "run.csv" has its contacts in "run.contacts.csv". */
int hn_record_add_contacts(hn_record *record, hn_error *error)
{
  static const char end[] = ".csv";
  const char *path = record->frames.path;
  size_t length = strlen(path), cut = sizeof end - 1;
  char *beside = NULL;
  if (record->model->most_contacts == 0) return hn_fail(error, "contacts cannot be recorded: nothing collides");
  if (length > cut && strcmp(path + length - cut, end) == 0) length -= cut;
  if (asprintf(&beside, "%.*s.contacts%s", (int)length, path, end) < 0) return hn_fail(error, "out of memory");
  int status = hn_pending_open(&record->contacts, beside, error);
  free(beside);
  if (status == 0) hn_contact_lines_head(record->contacts.file);
  return status;
}

static void write_numbers(FILE *file, const double *value, int count)
{
  for (int i = 0; i < count; i++) fprintf(file, ",%.17g", value[i]);
}

/* A value that does not exist leaves its field empty. */
static void write_value(FILE *file, double value)
{
  if (isfinite(value)) write_numbers(file, &value, 1);
  else fputc(',', file);
}

static void note_failure(hn_record *record, const char *why)
{
  if (record->failed) return;
  record->failed = true;
  hn_fail(&record->why, "%s", why);
}

static void write_rank(hn_record *record, const hn_state *state)
{
  hn_error why;
  hn_system_jacobian(record->system, state);
  hn_rank *rank = hn_rank_create(record->system, HN_RANK_AUTO, &why);
  if (!rank) {
    note_failure(record, why.text);
    return;
  }
  fprintf(record->frames.file, ",%d", rank->rank);
  write_value(record->frames.file, rank->kept);
  write_value(record->frames.file, rank->dropped);
  hn_rank_free(rank);
}

/* Joint forces of the initial state are not known. */
static void write_joint(const hn_record *record, const hn_joint *joint, const hn_frame *frame)
{
  double pair[2], reaction[6] = { NAN, NAN, NAN, NAN, NAN, NAN };
  for (int i = 0; i < hn_joint_coordinates(joint); i++) {
    hn_joint_coordinate(joint, i, frame->state, &pair[0], &pair[1]);
    for (int k = 0; k < 2; k++) write_value(record->frames.file, pair[k]);
  }
  if (record->reactions && frame->multipliers)
    hn_joint_reaction(joint, frame->state, frame->multipliers + joint->row, reaction, reaction + 3);
  for (int i = 0; i < 6 && record->reactions; i++) write_value(record->frames.file, reaction[i]);
}

static void write_frame(hn_record *record, const hn_frame *frame)
{
  FILE *file = record->frames.file;
  hn_measure own;
  const hn_measure *m = frame->measure;
  if (!m) hn_measure_state(record->model, frame->state, &own), m = &own;
  const double number[] = { frame->state->time, m->kinetic + m->potential, m->position_error, m->velocity_error };
  fprintf(file, "%ld", frame->index);
  write_numbers(file, number, 4);
  fprintf(file, ",%d,%d,%016" PRIx64, frame->report->position_iterations, frame->report->velocity_iterations,
          frame->hash);
  if (record->system && !record->failed) write_rank(record, frame->state);
  for (int i = 1; i < frame->state->nbody; i++) {
    write_numbers(file, frame->state->pose[i].x, 3);
    write_numbers(file, frame->state->pose[i].q, 4);
    write_numbers(file, frame->state->twist[i].v, 3);
    write_numbers(file, frame->state->twist[i].w, 3);
  }
  for (int j = 0; j < record->model->njoint && record->joints; j++)
    write_joint(record, &record->model->joint[j], frame);
  fputc('\n', file);
}

bool hn_record_frame(void *user, const hn_frame *frame)
{
  hn_record *record = user;
  FILE *contacts = record->contacts.file;
  locale_t before = hn_locale_enter();
  write_frame(record, frame);
  if (contacts) hn_contact_lines(contacts, record->model, frame);
  hn_locale_leave(before);
  record->written++;
  if (ferror(record->frames.file) || (contacts && ferror(contacts)))
    note_failure(record, strerror(errno ? errno : EIO));
  return !record->failed;
}

int hn_record_close(hn_record *record, hn_error *error)
{
  hn_error why;
  char path[sizeof why.text];
  hn_pending *const part[] = { &record->frames, &record->contacts };
  snprintf(path, sizeof path, "%s", record->frames.path);
  for (int i = 0; i < 2; i++) {
    const hn_pending_end good = record->written > 0 ? HN_PENDING_KEEP : HN_PENDING_DROP;
    const hn_pending_end end = record->failed ? HN_PENDING_LEAVE : good;
    if (hn_pending_close(part[i], end, &why)) note_failure(record, why.text);
  }
  int status = record->failed ? hn_fail(error, "cannot write %.200s: %.200s", path, record->why.text) : 0;
  free_record(record);
  return status;
}
