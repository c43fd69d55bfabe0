/* record_hdf5.c - records as HDF5, in the module hn_hdf5.
 *
 *   /steps/time [n]   /bodies/position [n, bodies, 3]   /contacts/gap [contacts of all steps]   ...
 *   /bodies/name   /events/kind [events], numbers in /events/kinds
 *
 * Each field of each group is a data set with a unit. Chunks of many frames are collected in memory and
 * written together; between two writes the file is valid. There are no time stamps: equal runs give equal
 * bytes.
 *
 * HDF5 does not survive a failed write: a later one, at the latest at the end of the process, can crash,
 * and the file is lost. So disk space is reserved before each write, and without space HDF5 is not called. */
#include "record/hdf5_sets.h"
#include "record/record_types.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  ROUND = 1 << 22 /* bytes of all chunks that are written together */,
  MAX_FRAMES = 1 << 14 /* of a chunk */,
  LIST_CHUNK = 2048 /* rows of a chunk of a list */,
  OVERHEAD = 1 << 14 /* bytes reserved for the metadata of a chunk */
};

typedef struct series {
  const hn_record_group *group;
  int offset, width; /* offset and width of the field in the cells of an owner */
  hid_t set;
  hsize_t cells;                /* of a row, which is a frame or an entry of a list */
  hsize_t chunk, kept, written; /* rows: of a chunk, in the buffer, in full chunks of the file */
  int rank;                     /* dimensions */
  hsize_t size[3];
  hn_cell *buffer; /* [chunk * cells] */
} series;

typedef struct writer {
  hid_t file;
  int descriptor; /* of the same file, to reserve space */
  series *series; /* [count] */
  int count;
  const hn_record_layout *layout;
} writer;

static int hdf5_failed(hn_error *error)
{
  return hn_fail(error, "%s", errno ? strerror(errno) : "HDF5 fails");
}

/* ---- Attributes ---------------------------------------------------------------------------------------- */

static int add_attribute(hid_t to, const char *name, hid_t type, const void *value)
{
  hid_t space = H5Screate(H5S_SCALAR),
        attribute = H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  herr_t status = attribute < 0 ? -1 : H5Awrite(attribute, type, value);
  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space);
  return status < 0 ? -1 : 0;
}

static int add_text(hid_t to, const char *name, const char *text)
{
  hid_t type = hn_hdf5_text_type(text, 1, strlen(text));
  int status = add_attribute(to, name, type, text);
  H5Tclose(type);
  return status;
}

static int add_about(hid_t file, const hn_record_note *about)
{
  const int version = 1;
  int status = add_text(file, "format", "holonom record") | add_text(file, "version", hn_version());
  status |= add_attribute(file, "format_version", H5T_NATIVE_INT, &version);
  for (; about->name && status == 0; about++) {
    char *text = (char *)(uintptr_t)about->text;
    if (!text) status = add_attribute(file, about->name, H5T_NATIVE_DOUBLE, &about->number);
    else if (*about->name == '/') status = hn_hdf5_texts(file, about->name, &text, 0);
    else status = add_text(file, about->name, text);
  }
  return status;
}

/* ---- Series -------------------------------------------------------------------------------------------- */

/* Returns the number of frames of a chunk, for chunks of about ROUND bytes together. */
static hsize_t chunk_frames(const hn_record_layout *layout)
{
  size_t bytes = sizeof(hn_cell);
  for (const hn_record_group *g = layout->group; g < layout->group + layout->ngroup; g++)
    bytes += sizeof(hn_cell) * (size_t)g->count * (size_t)g->width;
  hsize_t frames = ROUND / bytes;
  if (layout->frames > 0 && frames > (hsize_t)layout->frames) frames = (hsize_t)layout->frames;
  return frames < 1 ? 1 : frames > MAX_FRAMES ? MAX_FRAMES : frames;
}

static hid_t number_type(hn_cell_kind kind)
{
  return kind == HN_CELL_REAL   ? H5T_NATIVE_DOUBLE
         : kind == HN_CELL_BITS ? H5T_NATIVE_UINT64
                                : H5T_NATIVE_INT64;
}

static int open_series(series *s, hid_t file, const hn_record_group *group, const hn_record_field *field,
                       int offset, hsize_t frames)
{
  char name[80];
  const hsize_t max_size[3] = { H5S_UNLIMITED,
                                group->listed || !group->owner ? (hsize_t)field->width
                                                               : (hsize_t)group->count,
                                (hsize_t)field->width };
  *s = (series){ .group = group, .offset = offset, .width = field->width, .rank = 1, .set = -1 };
  if (group->owner) s->rank++;
  if (field->width > 1) s->rank++;
  s->cells = (hsize_t)field->width * (group->owner ? (hsize_t)group->count : 1);
  s->chunk = group->listed ? LIST_CHUNK : frames;
  for (int i = 1; i < s->rank; i++) s->size[i] = max_size[i];
  hsize_t chunk[3] = { s->chunk, s->size[1], s->size[2] };
  if (s->cells == 0) return 0; /* no owners */
  s->buffer = calloc((size_t)(s->chunk * s->cells), sizeof *s->buffer);
  snprintf(name, sizeof name, "%s/%s", group->name, field->name);
  hid_t space = H5Screate_simple(s->rank, s->size, max_size), creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(creation, s->rank, chunk), H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
  if (s->buffer) s->set = hn_hdf5_set(file, name, number_type(field->kind), space, creation);
  H5Pclose(creation), H5Sclose(space);
  return s->set < 0 ? -1 : add_text(s->set, "unit", field->unit);
}

static int add_words(hid_t file, const char *group, const hn_record_words *words)
{
  char name[80];
  snprintf(name, sizeof name, "%s/%s", group, words->name);
  return words->count > 0 ? hn_hdf5_texts(file, name, words->word, words->count) : 0;
}

static int open_all(writer *w, const hn_record_layout *layout)
{
  const hsize_t frames = chunk_frames(layout);
  int room = 0, status = 0;
  for (int g = 0; g < layout->ngroup; g++) room += layout->group[g].nfield;
  w->series = calloc((size_t)room + 1, sizeof *w->series);
  if (!w->series) return -1;
  for (const hn_record_group *g = layout->group; status == 0 && g < layout->group + layout->ngroup; g++) {
    char name[80];
    snprintf(name, sizeof name, "%s/name", g->name);
    for (int f = 0, offset = 0; status == 0 && f < g->nfield; offset += g->field[f++].width)
      status = open_series(&w->series[w->count++], w->file, g, &g->field[f], offset, frames);
    if (status == 0 && g->owner && g->count > 0) status = hn_hdf5_texts(w->file, name, g->owner, g->count);
    for (int i = 0; status == 0 && i < g->nwords; i++) status = add_words(w->file, g->name, &g->words[i]);
  }
  return status;
}

/* Reserves BYTES of disk space behind SIZE, the end of the file for HDF5. Unused space is released at the
 * end. */
static int reserve(int descriptor, hsize_t size, size_t bytes)
{
  int why = posix_fallocate(descriptor, (off_t)size, (off_t)bytes);
  if (why) errno = why;
  return why ? -1 : 0;
}

/* Releases the reserved space that HDF5 does not use. */
static int release(writer *w)
{
  hsize_t size;
  return H5Fget_filesize(w->file, &size) < 0 ? -1 : ftruncate(w->descriptor, (off_t)size);
}

static size_t chunk_bytes(const series *s)
{
  return sizeof *s->buffer * (size_t)(s->chunk * s->cells);
}

/* Writes the buffer as one chunk. A partial chunk is written again when it has more rows. */
static int flush_series(series *s)
{
  const hsize_t place[3] = { s->written };
  s->size[0] = s->written + s->kept;
  memset(s->buffer + s->kept * s->cells, 0, sizeof *s->buffer * (size_t)((s->chunk - s->kept) * s->cells));
  if (H5Dset_extent(s->set, s->size) < 0) return -1;
  if (H5Dwrite_chunk(s->set, H5P_DEFAULT, 0, place, chunk_bytes(s), s->buffer) < 0) return -1;
  if (s->kept == s->chunk) s->written += s->kept, s->kept = 0;
  return 0;
}

/* Writes COUNT series from FROM on. Afterwards the file is valid. */
static int flush(writer *w, series *from, int count, hn_error *error)
{
  size_t bytes = OVERHEAD;
  int status = 0;
  for (series *s = from; s < from + count; s++)
    if (s->kept > 0) bytes += chunk_bytes(s) + OVERHEAD;
  const hn_hdf5_silence before = hn_hdf5_begin();
  hsize_t size;
  if (H5Fget_filesize(w->file, &size) < 0 || reserve(w->descriptor, size, bytes)) status = -1;
  for (series *s = from; status == 0 && s < from + count; s++)
    if (s->kept > 0) status = flush_series(s);
  if (status == 0 && H5Fflush(w->file, H5F_SCOPE_LOCAL) < 0) status = -1;
  hn_hdf5_end(before);
  return status ? hdf5_failed(error) : 0;
}

/* Copies the cells of a field. The sizes are constants for the compiler, because this is done for every
 * number. */
static void copy_cells(series *s, hn_cell *to, const hn_cell *from, int owners)
{
  from += s->offset;
  for (int o = 0; o < owners; o++, from += s->group->width, to += s->width)
    if (s->width == 3) memcpy(to, from, 3 * sizeof *to);
    else if (s->width == 4) memcpy(to, from, 4 * sizeof *to);
    else *to = *from;
}

/* Appends the rows of a list, whose COUNT series begin at FROM, and writes full chunks. */
static int append_list(writer *w, series *from, int count, hn_error *error)
{
  const hn_record_group *group = from->group;
  for (int row = 0; row < group->count; row++) {
    if (from->kept == from->chunk && flush(w, from, count, error)) return -1;
    for (series *s = from; s < from + count; s++)
      copy_cells(s, s->buffer + s->kept++ * s->cells, group->cell + row * group->width, 1);
  }
  return 0;
}

static int append(writer *w, hn_error *error)
{
  int status = 0;
  for (series *s = w->series; status == 0 && s < w->series + w->count; s += s->group->nfield) {
    const hn_record_group *group = s->group;
    if (group->listed) status = append_list(w, s, group->nfield, error);
    for (int f = 0; !group->listed && !w->layout->skipped && group->count > 0 && f < group->nfield; f++)
      copy_cells(&s[f], s[f].buffer + s[f].kept++ * s[f].cells, group->cell, group->owner ? group->count : 1);
  }
  return status;
}

/* ---- The type ------------------------------------------------------------------------------------------ */

/* Opens the existing file, which this process has locked. */
static hid_t create_file(const char *path)
{
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_file_locking(access, false, true);
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  H5Pclose(access);
  return file;
}

static int free_writer(writer *w)
{
  herr_t status = 0;
  for (series *s = w->series; s && s < w->series + w->count; s++) {
    if (s->set >= 0 && H5Dclose(s->set) < 0) status = -1;
    free(s->buffer);
  }
  if (w->file >= 0 && (release(w) | H5Fclose(w->file)) < 0) status = -1;
  free(w->series), free(w);
  return status < 0 ? -1 : 0;
}

/* Returns an upper estimate of the bytes written before the first frame. */
static size_t head_bytes(const hn_record_layout *layout)
{
  size_t bytes = OVERHEAD;
  for (const hn_record_note *note = layout->about; note->name; note++)
    bytes += OVERHEAD + (note->text ? strlen(note->text) : 0);
  for (const hn_record_group *g = layout->group; g < layout->group + layout->ngroup; g++) {
    bytes += OVERHEAD * (size_t)(g->nfield + 1);
    for (int i = 0; g->owner && i < g->count; i++) bytes += 256;
    for (int i = 0; i < g->nwords; i++) bytes += OVERHEAD + 256 * (size_t)g->words[i].count;
  }
  return bytes;
}

static void *open_hdf5(const hn_record_layout *layout, hn_error *error)
{
  if (!layout->part) return hn_fail(error, "HDF5 cannot go to standard output"), NULL;
  writer *w = calloc(1, sizeof *w);
  if (!w) return hn_fail(error, "out of memory"), NULL;
  hn_hdf5_silence before = hn_hdf5_begin();
  w->descriptor = fileno(layout->file), w->layout = layout;
  w->file = reserve(w->descriptor, 0, head_bytes(layout)) ? -1 : create_file(layout->part);
  int status = w->file >= 0 ? add_about(w->file, layout->about) : -1;
  if (status == 0) status = open_all(w, layout);
  if (status == 0) status = H5Fflush(w->file, H5F_SCOPE_LOCAL) < 0 ? -1 : 0;
  if (status) hn_fail(error, "cannot write %s: %s", layout->path, errno ? strerror(errno) : "HDF5 fails");
  if (status) free_writer(w), w = NULL;
  hn_hdf5_end(before);
  return w;
}

static int write_hdf5(void *user, hn_error *error)
{
  writer *w = user;
  int status = append(w, error);
  if (status == 0 && w->series->kept == w->series->chunk) status = flush(w, w->series, w->count, error);
  return status;
}

static int close_hdf5(void *user, hn_record_end end, hn_error *error)
{
  writer *w = user;
  int status = end == HN_RECORD_KEEP ? flush(w, w->series, w->count, error) : 0;
  hn_hdf5_silence before = hn_hdf5_begin();
  if (free_writer(w) && status == 0) status = hdf5_failed(error);
  hn_hdf5_end(before);
  return status;
}

const hn_record_type hn_hdf5_record = { ".h5", true, open_hdf5, write_hdf5, close_hdf5 };
