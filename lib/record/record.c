/* record.c - records of runs: selection of frames, choice of the format, and the end of the file. */
#include "base/module.h"
#include "record/record_frames.h"
#include "record/record_layout.h"
#include "record/record_types.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct hn_record {
  hn_pending pending;
  hn_record_layout layout;
  const hn_record_type *type;
  void *writer;
  long every, written; /* steps, frames */
  bool failed;
  hn_error why;      /* of the first failure */
  hn_system *system; /* for the rank; NULL: not recorded */
  hn_frames frames;  /* open with frames_path only */
};

/* ---- Formats ------------------------------------------------------------------------------------------- */

static const hn_record_type hdf5 = { .ending = ".h5", .whole = true }; /* the functions are in a module */

const hn_record_type *const *hn_record_types(void)
{
  static const hn_record_type *const types[] = { &hn_record_csv, &hdf5, NULL };
  return types;
}

/* Returns the type given by OPTIONS or the ending of PATH, loading its module; NULL on error. */
static const hn_record_type *find_type(const char *path, const hn_record_options *options, hn_error *error)
{
  const hn_record_type *type = options->type;
  for (const hn_record_type *const *t = hn_record_types(); !type && *t; t++) {
    const size_t length = strlen(path), end = strlen((*t)->ending);
    if (length > end && strcmp(path + length - end, (*t)->ending) == 0) type = *t;
  }
  if (!type) return &hn_record_csv;
  return type->open ? type : hn_module_symbol(HN_RECORD_MODULE, HN_RECORD_SYMBOL, error);
}

int hn_table_hdf5(const hn_column *column, size_t columns, size_t rows, void **bytes, size_t *size,
                  hn_error *error)
{
  const hn_hdf5_functions *module = hn_module_symbol(HN_RECORD_MODULE, HN_TABLE_SYMBOL, error);
  return module ? module->make(column, columns, rows, bytes, size, error) : -1;
}

int hn_hdf5_read(const char *path, hn_data_set *set, size_t count, hn_error *error)
{
  const hn_hdf5_functions *module = hn_module_symbol(HN_RECORD_MODULE, HN_TABLE_SYMBOL, error);
  return module ? module->read(path, set, count, error) : -1;
}

/* ---- Records ------------------------------------------------------------------------------------------- */

static void free_record(hn_record *record)
{
  hn_frames_close(&record->frames);
  hn_system_free(record->system);
  hn_layout_free(&record->layout);
  free(record);
}

/* True for a record of the lines of events alone. */
static bool has_lines(const hn_record *record)
{
  return record->type == &hn_record_event_lines;
}

static int open_writer(hn_record *record, const hn_record_options *o, hn_error *error)
{
  static const hn_record_note nothing = { .name = NULL };
  hn_record_layout *layout = &record->layout;
  layout->path = record->pending.path, layout->part = record->pending.part,
  layout->file = record->pending.stream;
  layout->about = o->about ? o->about : &nothing, layout->frames = o->frames;
  if (has_lines(record) ? hn_event_lines_make(layout, error)
                        : hn_layout_make(layout, o, record->type->whole, error))
    return -1;
  if (o->rank && !(record->system = hn_system_create(layout->model, error))) return -1;
  record->writer = record->type->open(layout, error);
  return record->writer ? 0 : -1;
}

/* Writes the frames up to FROM. */
static int write_earlier(hn_record *record, const hn_record_mark *from, hn_error *error)
{
  record->written = (long)from->frames;
  record->layout.now = record->layout.model; /* bodies keep their numbers and names when a model changes */
  return hn_frames_read(&record->frames, from, &record->layout, record->type->write, record->writer, error);
}

/* Opens the frames first: if they are not valid, the file that an interrupted run left is not touched. */
static int open_record(hn_record *record, const char *path, const hn_record_options *o, hn_error *error)
{
  if (o->frames_path && hn_frames_open(&record->frames, o->frames_path, o->from, error)) return -1;
  if (hn_pending_open(&record->pending, path, error)) return -1;
  if (open_writer(record, o, error) == 0 && (!o->from || write_earlier(record, o->from, error) == 0))
    return 0;
  if (record->writer) record->type->close(record->writer, HN_RECORD_DROP, NULL);
  hn_pending_close(&record->pending, HN_RECORD_DROP, NULL);
  return -1;
}

hn_record *hn_record_create(const char *path, const hn_model *model, const hn_record_options *options,
                            hn_error *error)
{
  static const hn_record_options defaults = { .every = 1 };
  const hn_record_options *o = options ? options : &defaults;
  const hn_record_type *type = find_type(path, o, error);
  hn_record *record = type ? calloc(1, sizeof *record) : NULL;
  if (!record) {
    if (type) hn_fail(error, "out of memory");
    return NULL;
  }
  *record = (hn_record){ .type = type, .every = o->every > 0 ? o->every : 1, .layout = { .model = model } };
  if (open_record(record, path, o, error) == 0) return record;
  free_record(record);
  return NULL;
}

hn_record *hn_event_record_create(const char *path, const char *frames_path, const hn_record_mark *from,
                                  hn_error *error)
{
  const hn_record_options options = {
    .type = &hn_record_event_lines, .every = LONG_MAX, .frames_path = frames_path, .from = from
  };
  return hn_record_create(path, NULL, &options, error);
}

bool hn_record_frame(void *user, const hn_frame *frame)
{
  hn_record *record = user;
  if (record->failed) return false;
  record->layout.skipped = false;
  const bool skipped = frame->index % record->every != 0 && !frame->last && !frame->between && !frame->wanted;
  if (skipped && (has_lines(record) ? frame->nevent == 0 : hn_layout_skips(&record->layout, frame)))
    return true;
  record->written++;
  if (record->system && record->system->model != frame->model) {
    hn_system_free(record->system);
    record->system = hn_system_create(frame->model, &record->why);
    record->failed = !record->system;
    if (record->failed) return false;
  }
  int (*const fill)(hn_record_layout *, const hn_frame *, hn_system *,
                    hn_error *) = has_lines(record) ? hn_event_lines_fill : hn_layout_fill;
  record->failed = fill(&record->layout, frame, record->system, &record->why) ||
                   (record->frames.file && hn_frames_write(&record->frames, &record->layout, &record->why)) ||
                   record->type->write(record->writer, &record->why);
  return !record->failed;
}

int hn_record_mark_now(hn_record *record, hn_record_mark *mark, hn_error *error)
{
  *mark = record->frames.now;
  return hn_frames_flush(&record->frames, error);
}

static void note_failure(hn_record *record, const hn_error *why)
{
  if (!record->failed) record->why = *why;
  record->failed = true;
}

int hn_record_close(hn_record *record, hn_error *error)
{
  hn_error why = { "" };
  char path[sizeof why.text];
  snprintf(path, sizeof path, "%s", record->pending.path);
  const hn_record_end good = record->written > 0 ? HN_RECORD_KEEP : HN_RECORD_DROP;
  const int closed = record->type->close(record->writer, record->failed ? HN_RECORD_LEAVE : good, &why);
  if (closed) note_failure(record, &why);
  const hn_record_end end = closed > 0 ? HN_RECORD_DROP : record->failed ? HN_RECORD_LEAVE : good;
  if (hn_pending_close(&record->pending, end, &why)) note_failure(record, &why);
  int status = record->failed ? hn_fail(error, "cannot write %.200s: %.200s", path, record->why.text) : 0;
  free_record(record);
  return status;
}
