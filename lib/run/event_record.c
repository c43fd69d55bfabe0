/* event_record.c - the events of a run as CSV, one a line. */
#include "base/locale.h"
#include "run.h"
#include "run/pending.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct hn_event_record {
  hn_pending pending;
  bool begun; /* there was a frame */
  bool failed;
  hn_error why; /* the first time */
};

hn_event_record *hn_event_record_create(const char *path, hn_error *error)
{
  hn_event_record *record = calloc(1, sizeof *record);
  if (!record) return hn_fail(error, "out of memory"), NULL;
  if (hn_pending_open(&record->pending, path, error) == 0) {
    fputs("step,time,kind,body_a,body_b,joint,impulse,friction,force,until,angular\n", record->pending.file);
    return record;
  }
  free(record);
  return NULL;
}

/* A name in quotes, behind a comma; NULL leaves the field empty. */
static void write_name(FILE *file, const char *name)
{
  fputc(',', file);
  if (!name) return;
  fputc('"', file);
  for (; *name; name++) {
    if (*name == '"') fputc('"', file);
    fputc(*name, file);
  }
  fputc('"', file);
}

static void write_number(FILE *file, double number)
{
  if (isfinite(number))
    fprintf(file, ",%.17g", number);
  else
    fputc(',', file);
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

bool hn_event_record_frame(void *user, const hn_frame *frame)
{
  hn_event_record *record = user;
  FILE *file = record->pending.file;
  if (record->failed) return false;
  record->begun = true;
  locale_t before = hn_locale_enter();
  for (int i = 0; i < frame->nevent; i++) write_event(file, frame->model, frame->index, &frame->event[i]);
  hn_locale_leave(before);
  record->failed = ferror(file);
  if (record->failed) hn_fail(&record->why, "%s", strerror(errno ? errno : EIO));
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
  free(record);
  return status ? hn_fail(error, "cannot write %.200s: %.200s", path, why.text) : 0;
}
