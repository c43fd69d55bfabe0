/* event_record.c - the events of a run as CSV, one per line. */
#include "base/locale.h"
#include "run.h"
#include "record/record_frames.h"
#include "record/record_layout.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct hn_event_record {
  hn_pending pending;
  FILE *lines; /* in memory: the lines of a step */
  char *text;  /* [size] these lines */
  size_t size;
  hn_frames frames;      /* second file, to continue from: a frame is the text of a step, padded with zeros */
  hn_record_group group; /* the text as a list of cells */
  hn_record_layout layout; /* of a frame, with this list alone */
  bool begun;              /* a frame has been written */
  bool failed;
  hn_error why; /* of the first failure */
};

/* ---- Frames to continue from --------------------------------------------------------------------------- */

/* Appends the text of a step to the frames. */
static int keep_text(hn_event_record *record, hn_error *error)
{
  const size_t cells = (record->size + sizeof(hn_cell) - 1) / sizeof(hn_cell);
  if (cells == 0) return 0;
  if (hn_layout_room(&record->group, (int)cells, error)) return -1;
  record->group.cell[cells - 1].bits = 0;
  memcpy(record->group.cell, record->text, record->size);
  record->group.count = (int)cells;
  return hn_frames_write(&record->frames, &record->layout, error);
}

/* Writes the text of a frame that was read to the record. */
static int write_kept(void *user, hn_error *error)
{
  hn_event_record *record = user;
  const char *text = (const char *)record->group.cell;
  const size_t size = strnlen(text, sizeof(hn_cell) * (size_t)record->group.count);
  if (fwrite(text, 1, size, record->pending.stream) == size) return 0;
  return hn_fail(error, "cannot write %.200s: %s", record->pending.path, strerror(errno ? errno : EIO));
}

int hn_event_record_mark_now(hn_event_record *record, hn_record_mark *mark, hn_error *error)
{
  *mark = record->frames.now;
  return hn_frames_flush(&record->frames, error);
}

/* ---- Opening ------------------------------------------------------------------------------------------- */

/* Opens the frames first: if they are not valid, the file that an interrupted run left is not touched. */
static int open_record(hn_event_record *record, const char *path, const char *frames_path,
                       const hn_record_mark *from, hn_error *error)
{
  record->group = (hn_record_group){ .listed = true, .width = 1 };
  record->layout = (hn_record_layout){ .group = &record->group, .ngroup = 1 };
  if (frames_path && hn_frames_open(&record->frames, frames_path, from, error)) return -1;
  if (hn_pending_open(&record->pending, path, error)) return -1;
  fputs("step,time,kind,body_a,body_b,joint,impulse,friction,force,until,angular\n", record->pending.stream);
  if (!from) return 0;
  if (hn_frames_read(&record->frames, from, &record->layout, write_kept, record, error) == 0) return 0;
  hn_pending_close(&record->pending, HN_RECORD_DROP, NULL);
  return -1;
}

static void free_record(hn_event_record *record)
{
  hn_frames_close(&record->frames);
  if (record->lines) fclose(record->lines);
  free(record->text);
  free(record->group.cell);
  free(record);
}

hn_event_record *hn_event_record_create(const char *path, const char *frames_path, const hn_record_mark *from,
                                        hn_error *error)
{
  hn_event_record *record = calloc(1, sizeof *record);
  if (record) record->lines = open_memstream(&record->text, &record->size);
  if (!record || !record->lines) {
    free(record);
    return hn_fail(error, "out of memory"), NULL;
  }
  if (open_record(record, path, frames_path, from, error) == 0) return record;
  free_record(record);
  return NULL;
}

/* ---- Events -------------------------------------------------------------------------------------------- */

/* Writes a comma and NAME in quotes; NULL leaves the field empty. */
static void write_name(FILE *file, const char *name)
{
  fputc(',', file);
  if (name) hn_csv_name(file, name, "");
}

static void write_number(FILE *file, double number)
{
  if (isfinite(number)) fprintf(file, ",%.17g", number);
  else fputc(',', file);
}

static void write_event(FILE *file, const hn_model *model, long step, const hn_event *event)
{
  fprintf(file, "%ld,%.17g,%s", step, event->time, hn_event_name(event->kind));
  write_name(file, model->body[event->a].name), write_name(file, model->body[event->b].name);
  write_name(file, event->joint);
  write_number(file, event->impulse), write_number(file, event->friction);
  write_number(file, event->force), write_number(file, event->until);
  write_number(file, event->angular);
  fputc('\n', file);
}

/* Writes the lines of this step to memory, in place of the previous ones. */
static int write_lines(hn_event_record *record, const hn_frame *frame)
{
  rewind(record->lines);
  locale_t before = hn_locale_enter();
  for (int i = 0; i < frame->nevent; i++)
    write_event(record->lines, frame->model, frame->index, &frame->event[i]);
  hn_locale_leave(before);
  return fflush(record->lines);
}

bool hn_event_record_frame(void *user, const hn_frame *frame)
{
  hn_event_record *record = user;
  FILE *file = record->pending.stream;
  if (record->failed) return false;
  record->begun = true;
  record->failed = write_lines(record, frame) || fwrite(record->text, 1, record->size, file) != record->size;
  if (record->failed) hn_fail(&record->why, "%s", strerror(errno ? errno : EIO));
  else if (record->frames.file) record->failed = keep_text(record, &record->why);
  return !record->failed;
}

int hn_event_record_close(hn_event_record *record, hn_error *error)
{
  hn_error why = { "" };
  char path[sizeof why.text];
  snprintf(path, sizeof path, "%s", record->pending.path);
  const hn_record_end good = record->begun ? HN_RECORD_KEEP : HN_RECORD_DROP;
  int status = hn_pending_close(&record->pending, record->failed ? HN_RECORD_LEAVE : good, &why);
  if (record->failed) why = record->why, status = -1;
  free_record(record);
  return status ? hn_fail(error, "cannot write %.200s: %.200s", path, why.text) : 0;
}
