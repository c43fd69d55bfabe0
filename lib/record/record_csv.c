/* record_csv.c - records as CSV: a line per frame with a column per cell; lists are in a second file. */
#include "record/record_types.h"
#include "base/locale.h"
#include "record/record_layout.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
  const hn_record_layout *layout;
  hn_pending beside; /* file of lists; not open if there are none */
} writer;

/* ---- Heads ----------------------------------------------------------------------------------------- */

void hn_csv_name(FILE *file, const char *name, const char *suffix)
{
  fputc('"', file);
  for (; *name; name++) {
    if (*name == '"') fputc('"', file);
    fputc(*name, file);
  }
  fprintf(file, "%s\"", suffix);
}

/* Writes the column names of GROUP. *BETWEEN is the text before the next one. */
static void write_group_head(FILE *file, const hn_record_group *group, const char **between)
{
  const int owners = group->owner ? group->count : 1;
  for (int o = 0; o < owners; o++)
    for (int f = 0; f < group->nfield; f++)
      for (int k = 0; k < group->field[f].width; k++) {
        const hn_record_field *field = &group->field[f];
        fputs(*between, file);
        if (group->owner) hn_csv_name(file, group->owner[o], field->part[k]);
        else fputs(field->part ? field->part[k] : field->name, file);
        *between = ",";
      }
}

static void write_heads(const writer *w)
{
  const hn_record_layout *layout = w->layout;
  const char *between = "", *first = "";
  for (int g = 0; g < layout->ngroup; g++)
    if (layout->group[g].listed)
      write_group_head(w->beside.stream, &layout->group[g], &first), fputc('\n', w->beside.stream);
    else write_group_head(layout->file, &layout->group[g], &between);
  fputc('\n', layout->file);
}

/* Compares two strings for qsort. */
static int compare_names(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns -1 if two columns would have one name, for example of a body and a joint of the same name. NAME
 * has room for all columns; the caller frees the names. */
static int check_names(const hn_record_layout *layout, char **name, hn_error *error)
{
  size_t count = 0;
  for (const hn_record_group *group = layout->group + 1; group < layout->group + layout->ngroup; group++)
    for (int o = 0; group->owner && o < group->count; o++)
      for (int f = 0; f < group->nfield; f++)
        if (!(name[count++] = hn_concatenate(group->owner[o], group->field[f].part[0], "")))
          return hn_fail(error, "out of memory");
  qsort(name, count, sizeof *name, compare_names);
  for (size_t i = 1; i < count; i++)
    if (strcmp(name[i - 1], name[i]) == 0)
      return hn_fail(
        error,
        "two columns would have the same name, \"%s\": two bodies, joints or forces are called the same",
        name[i]);
  return 0;
}

static int check_columns(const hn_record_layout *layout, hn_error *error)
{
  size_t room = 0;
  for (const hn_record_group *group = layout->group; group < layout->group + layout->ngroup; group++)
    if (group->owner) room += (size_t)group->count * (size_t)group->nfield;
  char **name = calloc(room + 1, sizeof *name);
  int status = name ? check_names(layout, name, error) : hn_fail(error, "out of memory");
  for (size_t i = 0; name && i < room; i++) free(name[i]);
  free(name);
  return status;
}

/* ---- Lines ----------------------------------------------------------------------------------------- */

/* Writes a cell; the field of a missing value is empty. */
static void write_cell(FILE *file, const hn_model *model, hn_cell_kind kind, hn_cell cell)
{
  switch (kind) {
  case HN_CELL_REAL:
    if (isfinite(cell.real)) fputs(hn_exact(cell.real).text, file);
    break;
  case HN_CELL_WHOLE:
    if (cell.whole >= 0) fprintf(file, "%" PRId64, cell.whole);
    break;
  case HN_CELL_BODY: hn_csv_name(file, model->body[cell.whole].name, ""); break;
  case HN_CELL_BITS: fprintf(file, "%016" PRIx64, cell.bits); break;
  }
}

/* Writes the cells of one owner, BETWEEN before the first one. Returns the next cell. */
static const hn_cell *write_owner(FILE *file, const hn_model *model, const hn_record_group *group,
                                  const hn_cell *cell, const char *between)
{
  for (int f = 0; f < group->nfield; f++)
    for (int k = 0; k < group->field[f].width; k++, between = ",") {
      fputs(between, file);
      write_cell(file, model, group->field[f].kind, *cell++);
    }
  return cell;
}

static void write_line(const writer *w)
{
  const hn_record_layout *layout = w->layout;
  for (const hn_record_group *group = layout->group; group < layout->group + layout->ngroup; group++) {
    const hn_cell *cell = group->cell;
    for (int o = 0; o < group->count; o++) {
      FILE *file = group->listed ? w->beside.stream : layout->file;
      cell = write_owner(file, layout->now, group, cell, group->listed || group == layout->group ? "" : ",");
      if (group->listed) fputc('\n', file);
    }
  }
  fputc('\n', layout->file);
}

/* ---- The type -------------------------------------------------------------------------------------- */

/* Opens the file of the list WHAT: "run.contacts.csv" for the contacts of "run.csv". */
static int open_beside(writer *w, const char *what, hn_error *error)
{
  static const char end[] = ".csv";
  const char *path = w->layout->path;
  size_t length = strlen(path), cut = sizeof end - 1;
  char *beside = NULL;
  if (!w->layout->part)
    return hn_fail(error, "%s are a file of their own, which standard output cannot have", what);
  if (length > cut && strcmp(path + length - cut, end) == 0) length -= cut;
  if (asprintf(&beside, "%.*s.%s%s", (int)length, path, what, end) < 0)
    return hn_fail(error, "out of memory");
  int status = hn_pending_open(&w->beside, beside, error);
  free(beside);
  return status;
}

static void *open_csv(const hn_record_layout *layout, hn_error *error)
{
  writer *w = calloc(1, sizeof *w);
  int status = w ? check_columns(layout, error) : hn_fail(error, "out of memory");
  if (w) w->layout = layout;
  for (int g = 0; status == 0 && g < layout->ngroup; g++)
    if (layout->group[g].listed) status = open_beside(w, layout->group[g].name, error);
  if (status == 0) return write_heads(w), w;
  free(w);
  return NULL;
}

static int write_csv(void *user, hn_error *error)
{
  const writer *w = user;
  FILE *beside = w->beside.stream;
  locale_t before = hn_locale_enter();
  write_line(w);
  hn_locale_leave(before);
  if (!ferror(w->layout->file) && !(beside && ferror(beside))) return 0;
  return hn_fail(error, "%s", strerror(errno ? errno : EIO));
}

static int close_csv(void *user, hn_record_end end, hn_error *error)
{
  writer *w = user;
  int status = hn_pending_close(&w->beside, end, error);
  free(w);
  return status;
}

const hn_record_type hn_record_csv = { ".csv", false, open_csv, write_csv, close_csv };
