/* motion_record.c - reads the motion of a model back from a record in CSV or HDF5: the columns or data sets
 * that hn_record_create writes for every body, in scene axes. All others are ignored. */
#include "cli/record/motion_record.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/base/memory.h"

static const char *const quantities[] = { "x",  "y",  "z",  "qw", "qx", "qy", "qz",
                                          "vx", "vy", "vz", "wx", "wy", "wz" };
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

/* Ends the field at TEXT, which a comma or the end of the line follows, without its quotes. Returns the next
 * field, or NULL. */
static char *end_field(char **text)
{
  char *end = *text;
  const bool quoted = *end == '"';
  if (quoted) end = *text = *text + 1;
  end += strcspn(end, quoted ? "\"" : ",");
  if (quoted && *end) *end++ = '\0';
  if (*end != ',') return NULL;
  *end = '\0';
  return end + 1;
}

/* Returns where the numbers of column NAME go: an index in 1 + 13 nbody numbers; -1: nowhere. */
static int place_of(const hn_model *model, const char *name)
{
  const char *dot = strrchr(name, '.');
  if (strcmp(name, "time") == 0) return 0;
  for (int i = 1; dot && i < model->nbody; i++) {
    const size_t length = strlen(model->body[i].name);
    if ((size_t)(dot - name) != length || strncmp(name, model->body[i].name, length) != 0) continue;
    for (int k = 0; k < QUANTITIES; k++)
      if (strcmp(dot + 1, quantities[k]) == 0) return 1 + QUANTITIES * i + k;
  }
  return -1;
}

/* Lists the places of the columns; returns their number, or -1 if one is missing. */
static int read_head(char *line, const hn_model *model, int **place, const char *path, hn_error *error)
{
  int count = 0;
  bool *has = cli_alloc(1 + QUANTITIES * (size_t)model->nbody, sizeof *has);
  for (char *field = line, *next; field; field = next) {
    next = end_field(&field);
    *place = cli_grow(*place, (size_t)count + 1, sizeof **place);
    const int at = (*place)[count++] = place_of(model, field);
    if (at >= 0) has[at] = true;
  }
  const char *missing = has[0] ? NULL : "time";
  for (int i = 1; i < model->nbody && !missing; i++)
    for (int k = 0; k < QUANTITIES && model->body[i].kind != HN_FIXED; k++)
      if (!has[1 + QUANTITIES * i + k]) missing = model->body[i].name;
  if (missing)
    count = hn_fail(error, "%s: not a record of this scene: a column of \"%.80s\" is missing", path, missing);
  free(has);
  return count;
}

/* Converts the numbers of a frame from scene axes, and appends them. */
static void add_frame(cli_recorded *m, const hn_model *model, const double *value)
{
  if (m->count == m->room) {
    m->room = m->room ? 2 * m->room : 256;
    const size_t bodies = (size_t)m->room * (size_t)m->nbody;
    m->time = cli_grow(m->time, (size_t)m->room, sizeof *m->time);
    m->pose = cli_grow(m->pose, bodies, sizeof *m->pose);
    m->twist = cli_grow(m->twist, bodies, sizeof *m->twist);
  }
  const long first = m->count * m->nbody;
  m->time[m->count++] = value[0];
  for (int i = 0; i < m->nbody; i++) {
    const double *of = value + 1 + QUANTITIES * i;
    const hn_pose pose = { { of[0], of[1], of[2] }, { of[3], of[4], of[5], of[6] } };
    const hn_twist twist = { { of[7], of[8], of[9] }, { of[10], of[11], of[12] } };
    if (model->body[i].kind == HN_FIXED)
      m->pose[first + i] = model->body[i].pose0, m->twist[first + i] = twist;
    else hn_body_from_scene(&model->body[i], &pose, &twist, &m->pose[first + i], &m->twist[first + i]);
  }
}

/* Reads a line of numbers; false if it is not one. */
static bool read_line(char *line, const int *place, int columns, double *value)
{
  int c = 0;
  for (char *field = line, *next; field; field = next, c++) {
    char *end;
    next = end_field(&field);
    if (c >= columns || place[c] < 0) continue;
    value[place[c]] = strtod(field, &end);
    if (end == field || *end) return false;
  }
  return c == columns;
}

static int read_frames(cli_recorded *m, FILE *file, const hn_model *model, const char *path, hn_error *error)
{
  char *line = NULL;
  size_t room = 0;
  int *place = NULL, status = 0, columns = 0;
  double *value = cli_alloc(1 + QUANTITIES * (size_t)model->nbody, sizeof *value);
  if (getline(&line, &room, file) <= 0) status = hn_fail(error, "%s: the file is empty", path);
  if (status == 0) line[strcspn(line, "\r\n")] = '\0', columns = read_head(line, model, &place, path, error);
  if (columns < 0) status = -1;
  while (status == 0 && getline(&line, &room, file) > 0) {
    line[strcspn(line, "\r\n")] = '\0';
    if (!read_line(line, place, columns, value))
      status = hn_fail(error, "%s: the line after %ld frames is not a frame", path, m->count);
    else if (m->count > 0 && !(value[0] > m->time[m->count - 1]))
      status = hn_fail(error, "%s: time does not increase after %ld frames", path, m->count);
    else add_frame(m, model, value);
  }
  free(line), free(place), free(value);
  return status;
}

static int read_csv(cli_recorded *m, const hn_model *model, const char *path, hn_error *error)
{
  FILE *file = fopen(path, "r");
  if (!file) return hn_fail(error, "%s: %s", path, strerror(errno));
  const int status = read_frames(m, file, model, path, error);
  fclose(file);
  return status;
}

/* ---- HDF5 ---------------------------------------------------------------------------------------------- */

enum { TIME, NAME, FIRST_QUANTITY, SETS = FIRST_QUANTITY + 4 };
static const int widths[] = { 3, 4, 3, 3 }; /* of the sets of quantities */

/* Returns the place of the body NAME in SET, or -1. */
static long find_body(const hn_data_set *set, const char *name)
{
  for (size_t i = 0; i < set->size[0]; i++)
    if (strcmp(set->text + i * set->length, name) == 0) return (long)i;
  return -1;
}

/* Lists the places of the bodies of MODEL in the record; those of fixed bodies are -1. */
static int find_bodies(const hn_data_set set[SETS], const hn_model *model, long *place, const char *path,
                       hn_error *error)
{
  for (int k = 0; k < SETS - FIRST_QUANTITY; k++) {
    const size_t *size = set[FIRST_QUANTITY + k].size;
    if (size[0] != set[TIME].size[0] || size[1] != set[NAME].size[0] || size[2] != (size_t)widths[k])
      return hn_fail(error, "%s: not a record of a run: the size of %s is wrong", path,
                     set[FIRST_QUANTITY + k].name);
  }
  for (int i = 0; i < model->nbody; i++) {
    place[i] = model->body[i].kind == HN_FIXED ? -1 : find_body(&set[NAME], model->body[i].name);
    if (place[i] < 0 && model->body[i].kind != HN_FIXED)
      return hn_fail(error, "%s: not a record of this scene: the body \"%.80s\" is missing", path,
                     model->body[i].name);
  }
  return 0;
}

/* Collects frame K in the order of a line of CSV; false if one of its numbers is none. */
static bool collect_frame(const hn_data_set set[SETS], const hn_model *model, const long *place, size_t k,
                          double *value)
{
  bool finite = isfinite(value[0] = set[TIME].number[k]);
  for (int i = 0; i < model->nbody; i++) {
    double *to = value + 1 + QUANTITIES * i;
    for (int q = 0; place[i] >= 0 && q < SETS - FIRST_QUANTITY; to += widths[q++]) {
      const size_t at = (k * set[NAME].size[0] + (size_t)place[i]) * (size_t)widths[q];
      for (int c = 0; c < widths[q]; c++)
        finite = isfinite(to[c] = set[FIRST_QUANTITY + q].number[at + (size_t)c]) && finite;
    }
  }
  return finite;
}

static int add_frames(cli_recorded *m, const hn_data_set set[SETS], const hn_model *model, const char *path,
                      hn_error *error)
{
  long *place = cli_alloc((size_t)model->nbody, sizeof *place);
  double *value = cli_alloc(1 + QUANTITIES * (size_t)model->nbody, sizeof *value);
  int status = find_bodies(set, model, place, path, error);
  for (size_t k = 0; k < set[TIME].size[0] && status == 0; k++) {
    if (!collect_frame(set, model, place, k, value))
      status = hn_fail(error, "%s: frame %zu has numbers that are not finite", path, k);
    else if (m->count > 0 && !(value[0] > m->time[m->count - 1]))
      status = hn_fail(error, "%s: time does not increase after %ld frames", path, m->count);
    else add_frame(m, model, value);
  }
  free(place), free(value);
  return status;
}

static int read_hdf5(cli_recorded *m, const hn_model *model, const char *path, hn_error *error)
{
  hn_data_set set[SETS] = { { .name = "/steps/time" },      { .name = "/bodies/name", .texts = true },
                            { .name = "/bodies/position" }, { .name = "/bodies/orientation" },
                            { .name = "/bodies/velocity" }, { .name = "/bodies/angular_velocity" } };
  if (hn_hdf5_read(path, set, SETS, error)) return -1;
  const int status = add_frames(m, set, model, path, error);
  for (int i = 0; i < SETS; i++) free(set[i].number), free(set[i].text);
  return status;
}

/* ---- Both ---------------------------------------------------------------------------------------------- */

int cli_recorded_read(cli_recorded *m, const hn_model *model, const char *path, hn_error *error)
{
  const size_t length = strlen(path);
  const bool hdf5 = length > 3 && strcmp(path + length - 3, ".h5") == 0;
  m->nbody = model->nbody;
  int status = hdf5 ? read_hdf5(m, model, path, error) : read_csv(m, model, path, error);
  if (status == 0 && m->count < 3)
    status = hn_fail(error, "%s: accelerations need three frames or more, not %ld", path, m->count);
  return status;
}

void cli_recorded_free(cli_recorded *m)
{
  free(m->time), free(m->pose), free(m->twist);
}

void cli_recorded_state(const cli_recorded *m, long k, hn_state *state)
{
  state->time = m->time[k];
  memcpy(state->pose, m->pose + k * m->nbody, sizeof *m->pose * (size_t)m->nbody);
  memcpy(state->twist, m->twist + k * m->nbody, sizeof *m->twist * (size_t)m->nbody);
}
