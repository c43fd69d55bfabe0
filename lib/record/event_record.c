/* event_record.c - the events of a run as CSV, one per line: a record whose frames are lines of text. */
#include "base/locale.h"
#include "record/record_layout.h"
#include "record/record_types.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Events -------------------------------------------------------------------------------------------- */

/* Writes a comma and NAME in quotes; NULL leaves the field empty. */
static void write_name(FILE *file, const char *name)
{
  fputc(',', file);
  if (name) hn_csv_name(file, name, "");
}

static void write_number(FILE *file, double number)
{
  if (isfinite(number)) fprintf(file, ",%s", hn_exact(number).text);
  else fputc(',', file);
}

static void write_event(FILE *file, const hn_model *model, long step, const hn_event *event)
{
  fprintf(file, "%ld,%s,%s", step, hn_exact(event->time).text, hn_event_name(event->kind));
  write_name(file, model->body[event->a].name), write_name(file, model->body[event->b].name);
  write_name(file, event->joint);
  write_number(file, event->impulse), write_number(file, event->friction);
  write_number(file, event->force), write_number(file, event->until);
  write_number(file, event->angular);
  fputc('\n', file);
}

/* ---- The type ------------------------------------------------------------------------------------------ */

/* Stores the lines of FRAME in the cells, padded with zeros. */
static int store_lines(hn_record_group *group, const hn_frame *frame, const char *text, size_t size,
                       hn_error *error)
{
  const size_t cells = (size + sizeof(hn_cell) - 1) / sizeof(hn_cell);
  group->count = 0;
  if (frame->nevent == 0) return 0;
  if (hn_layout_room(group, (int)cells, error)) return -1;
  group->cell[cells - 1].bits = 0;
  memcpy(group->cell, text, size);
  group->count = (int)cells;
  return 0;
}

int hn_event_lines_fill(hn_record_layout *layout, const hn_frame *frame, hn_system *system, hn_error *error)
{
  char *text = NULL;
  size_t size = 0;
  FILE *lines = open_memstream(&text, &size);
  (void)system;
  if (!lines) return hn_fail(error, "out of memory");
  locale_t before = hn_locale_enter();
  for (int i = 0; i < frame->nevent; i++) write_event(lines, frame->model, frame->index, &frame->event[i]);
  hn_locale_leave(before);
  int status = fclose(lines) ? hn_fail(error, "%s", strerror(errno ? errno : EIO))
                             : store_lines(layout->group, frame, text, size, error);
  free(text);
  return status;
}

int hn_event_lines_make(hn_record_layout *layout, hn_error *error)
{
  layout->group = calloc(1, sizeof *layout->group);
  if (!layout->group) return hn_fail(error, "out of memory");
  layout->group[layout->ngroup++] = (hn_record_group){ .listed = true, .width = 1 };
  return 0;
}

static void *open_lines(const hn_record_layout *layout, hn_error *error)
{
  (void)error;
  fputs("step,time,kind,body_a,body_b,joint,impulse,friction,force,until,angular\n", layout->file);
  return (void *)(uintptr_t)layout;
}

static int write_lines(void *user, hn_error *error)
{
  const hn_record_layout *layout = user;
  const char *text = (const char *)layout->group->cell;
  const size_t room = sizeof(hn_cell) * (size_t)layout->group->count, size = room ? strnlen(text, room) : 0;
  if (size == 0 || fwrite(text, 1, size, layout->file) == size) return 0;
  return hn_fail(error, "%s", strerror(errno ? errno : EIO));
}

static int close_lines(void *user, hn_record_end end, hn_error *error)
{
  (void)user, (void)end, (void)error;
  return 0;
}

const hn_record_type hn_record_event_lines = { ".csv", false, open_lines, write_lines, close_lines };
