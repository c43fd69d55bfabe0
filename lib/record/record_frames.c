/* record_frames.c - the frames of a record in a second file, from which the record can be written again.
 *
 *   frame   1 if it has only lists, else 0; then the cells of each group, after the number of rows for a list
 *
 * All entries are cells of 8 bytes. A resumed record is written anew from this file. So it equals an
 * uninterrupted record to the byte, whatever a killed process left of the record itself. */
#include "record/record_frames.h"
#include "record/record_layout.h"
#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int write_failed(const hn_frames *f, hn_error *error)
{
  return hn_fail(error, "cannot write %.200s: %s", f->path, strerror(errno ? errno : EIO));
}

/* ---- Opening ------------------------------------------------------------------------------------------- */

/* Returns -1 if the file does not begin with the cells that FROM describes. */
static int check(const hn_frames *f, const hn_record_mark *from, hn_error *error)
{
  hn_cell cell[512];
  uint64_t hash = HN_HASH_START, left = from->cells;
  for (size_t count; left > 0; left -= count) {
    count = left < sizeof cell / sizeof *cell ? (size_t)left : sizeof cell / sizeof *cell;
    if (fread(cell, sizeof *cell, count, f->file) != count)
      return hn_fail(error, "%.200s is cut off: it ends before the frames that the checkpoint counts",
                     f->path);
    hash = hn_hash_words(hash, cell, sizeof(hn_cell) * count);
  }
  if (hash == from->hash) return 0;
  return hn_fail(error, "%.200s is not what it was when the checkpoint was made", f->path);
}

/* Checks the file and removes the frames after FROM, whose steps are taken again. */
static int truncate_at(hn_frames *f, const hn_record_mark *from, hn_error *error)
{
  if (check(f, from, error)) return -1;
  rewind(f->file);
  return ftruncate(fileno(f->file), (off_t)(sizeof(hn_cell) * from->cells)) ? write_failed(f, error) : 0;
}

int hn_frames_open(hn_frames *f, const char *path, const hn_record_mark *from, hn_error *error)
{
  hn_error why = { "out of memory" };
  *f = (hn_frames){ .path = strdup(path), .now.hash = HN_HASH_START };
  int fd = f->path ? hn_lock_file(path, from ? O_RDWR : O_RDWR | O_CREAT | O_TRUNC, &why) : -1;
  if (fd >= 0 && !(f->file = fdopen(fd, "r+"))) hn_fail(&why, "%s", strerror(errno)), close(fd);
  if (!f->file) {
    free(f->path);
    *f = (hn_frames){ .file = NULL };
    return hn_fail(error, "cannot %s %.200s: %.200s", from ? "go on with" : "write", path, why.text);
  }
  if (!from || truncate_at(f, from, error) == 0) return 0;
  hn_frames_close(f);
  return -1;
}

void hn_frames_close(hn_frames *f)
{
  if (f->file) fclose(f->file);
  free(f->path);
  *f = (hn_frames){ .file = NULL };
}

/* ---- Frames -------------------------------------------------------------------------------------------- */

static bool put(hn_frames *f, const hn_cell *cell, size_t count)
{
  f->now.hash = hn_hash_words(f->now.hash, cell, sizeof(hn_cell) * count);
  f->now.cells += count;
  return fwrite(cell, sizeof *cell, count, f->file) == count;
}

int hn_frames_write(hn_frames *f, const hn_record_layout *layout, hn_error *error)
{
  const hn_cell skipped = { .whole = layout->skipped };
  bool good = put(f, &skipped, 1);
  for (const hn_record_group *one = layout->group; good && one < layout->group + layout->ngroup; one++) {
    const hn_cell rows = { .whole = one->count };
    if (one->listed) good = put(f, &rows, 1);
    else if (layout->skipped) continue;
    if (good) good = put(f, one->cell, (size_t)one->count * (size_t)one->width);
  }
  f->now.frames++;
  return good ? 0 : write_failed(f, error);
}

static bool get(hn_frames *f, hn_cell *cell, size_t count)
{
  if (fread(cell, sizeof *cell, count, f->file) != count) return false;
  f->now.hash = hn_hash_words(f->now.hash, cell, sizeof(hn_cell) * count);
  f->now.cells += count;
  return true;
}

/* Reads a frame into LAYOUT; lists have at most MAX_CELLS cells. Returns false if the file does not fit. */
static bool read_frame(hn_frames *f, hn_record_layout *layout, uint64_t max_cells, hn_error *error)
{
  hn_cell skipped;
  if (!get(f, &skipped, 1)) return false;
  layout->skipped = skipped.whole != 0;
  for (hn_record_group *group = layout->group; group < layout->group + layout->ngroup; group++) {
    hn_cell rows;
    if (group->listed) {
      const uint64_t room = max_cells / (uint64_t)group->width;
      if (!get(f, &rows, 1) || rows.whole < 0 || (uint64_t)rows.whole > room) return false;
      if (hn_layout_room(group, (int)rows.whole, error)) return false;
      group->count = (int)rows.whole;
    } else if (layout->skipped) continue;
    if (!get(f, group->cell, (size_t)group->count * (size_t)group->width)) return false;
  }
  f->now.frames++;
  return true;
}

int hn_frames_read(hn_frames *f, const hn_record_mark *from, hn_record_layout *layout,
                   int (*write)(void *user, hn_error *error), void *user, hn_error *error)
{
  hn_error why;
  int status = 0;
  snprintf(why.text, sizeof why.text, "the frames in %.200s are of another record", f->path);
  bool good = true;
  while (good && status == 0 && f->now.frames < from->frames)
    if ((good = read_frame(f, layout, from->cells, &why))) status = write(user, error);
  if (status == 0 && !(good && f->now.cells == from->cells)) status = hn_fail(error, "%s", why.text);
  fseek(f->file, 0, SEEK_CUR); /* required between reading and writing */
  return status;
}

int hn_frames_flush(hn_frames *f, hn_error *error)
{
  return fflush(f->file) || fdatasync(fileno(f->file)) ? write_failed(f, error) : 0;
}
