/* journal.c - the results of a sweep so far.
 *
 *   holonom sweep FINGERPRINT
 *   p POINT CHECK LINE
 *   r ROW CHECK +FIELDS  or -FIELDS if the run has failed
 *
 * CHECK is a hash of the text after it, the number before it and the CHECK of the previous line. Every
 * line is flushed. A last line cut off when the sweep was killed is removed. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include "cli/base/file_hash.h"
#include "cli/base/memory.h"
#include "cli/sweep/journal.h"

static const char mark[] = "holonom sweep ";

static int cannot_write(const sweep_journal *j, hn_error *error)
{
  return hn_fail(error, "cannot write %s: %s", j->path ? j->path : "a temporary file", strerror(errno));
}

static void set_row_position(sweep_journal *j, size_t row, long position, char sign)
{
  if (j->row[row] == 0) j->done++, j->failed += sign == '-';
  j->row[row] = position;
}

/* Returns the check of a line of KIND about INDEX with TEXT. */
static uint64_t check_of(const sweep_journal *j, char kind, size_t index, const char *text)
{
  const uint64_t number = index;
  const uint64_t hash = cli_hash(cli_hash(j->check, &kind, 1), &number, sizeof number);
  return cli_hash(hash, text, strlen(text));
}

/* Reads a line of an interrupted sweep. Returns false if it is malformed or has changed. */
static bool read_line(sweep_journal *j, const sweep_grid *grid, const char *line, long position)
{
  size_t index;
  uint64_t check;
  int text = 0;
  const char kind = line[0];
  if (sscanf(line, "%*1[pr] %zu %16" SCNx64 " %n", &index, &check, &text) != 2 || text == 0) return false;
  if (index >= (kind == 'p' ? grid->npoint : grid->nrow) || check != check_of(j, kind, index, line + text))
    return false;
  if (kind == 'p') {
    free(j->reference[index]);
    j->reference[index] = cli_text("%s", line + text);
  } else set_row_position(j, index, position + text, line[text]);
  j->check = check;
  return true;
}

/* Appends a line of KIND about INDEX. Returns the position of TEXT in the file, or -1 on error. */
static long append_line(sweep_journal *j, char kind, size_t index, const char *text, hn_error *error)
{
  const uint64_t check = check_of(j, kind, index, text);
  const long position = ftell(j->stream);
  const int before = fprintf(j->stream, "%c %zu %016" PRIx64 " ", kind, index, check);
  if (position < 0 || before < 0 || fprintf(j->stream, "%s\n", text) < 0 || fflush(j->stream) != 0)
    return cannot_write(j, error);
  j->check = check, j->nresult++;
  return position + before;
}

static int read_lines(sweep_journal *j, const sweep_grid *grid, const char *head, hn_error *error)
{
  char *line = NULL;
  size_t room = 0;
  long position = 0, number = 0;
  if (lseek(fileno(j->stream), 0, SEEK_END) <= 0) return 0;
  rewind(j->stream);
  bool ours = true, good = true;
  for (ssize_t n; good && (n = getline(&line, &room, j->stream)) > 0 && line[n - 1] == '\n'; position += n) {
    line[n - 1] = '\0', number++;
    if (position == 0) good = ours = strcmp(line, head) == 0;
    else good = read_line(j, grid, line, position);
  }
  free(line);
  if (!ours)
    return hn_fail(error,
                   "%s is of another sweep: its scene, settings or version differ; remove it to begin again",
                   j->path);
  if (!good)
    return hn_fail(
      error,
      "%s:%ld: damaged; remove this line and all after it to keep the runs before, or the file to "
      "begin again",
      j->path, number);
  if (ftruncate(fileno(j->stream), position) != 0 || fseek(j->stream, position, SEEK_SET) != 0)
    return cannot_write(j, error);
  return 0;
}

static int open_file(sweep_journal *j, const char *output, bool resume, hn_error *error)
{
  hn_error why;
  j->path = cli_text("%s.journal", output);
  int fd = hn_lock_file(j->path, O_RDWR | O_CREAT, &why);
  if (fd < 0) return hn_fail(error, "cannot write %s: %s", j->path, why.text);
  j->stream = fdopen(fd, "r+");
  if (!j->stream) return cannot_write(j, error);
  j->fresh = lseek(fd, 0, SEEK_END) <= 0;
  if (resume || j->fresh) return 0;
  return hn_fail(
    error, "%s has runs of an interrupted sweep: --resume continues it; remove it to begin again", j->path);
}

int sweep_journal_open(sweep_journal *j, const sweep_grid *grid, const char *output, const char *fingerprint,
                       bool resume, hn_error *error)
{
  *j = (sweep_journal){ .row = cli_alloc(grid->nrow, sizeof *j->row),
                        .lost = cli_alloc(grid->nrow, sizeof *j->lost),
                        .reference = cli_alloc(grid->npoint, sizeof *j->reference) };
  if (output ? open_file(j, output, resume, error) : !(j->stream = tmpfile()) ? cannot_write(j, error) : 0)
    return -1;
  char *head = cli_text("%s%s", mark, fingerprint);
  j->check = cli_hash(HN_HASH_START, head, strlen(head));
  int status = read_lines(j, grid, head, error);
  if (status == 0 && ftell(j->stream) <= 0 &&
      (fprintf(j->stream, "%s\n", head) < 0 || fflush(j->stream) != 0))
    status = cannot_write(j, error);
  free(head);
  return status;
}

int sweep_journal_reference(sweep_journal *j, size_t point, char *line, hn_error *error)
{
  j->reference[point] = line;
  return append_line(j, 'p', point, line, error) < 0 ? -1 : 0;
}

int sweep_journal_row(sweep_journal *j, size_t row, const char *answer, hn_error *error)
{
  const long position = append_line(j, 'r', row, answer, error);
  if (position < 0) return -1;
  set_row_position(j, row, position, answer[0]);
  return 0;
}

void sweep_journal_lose(sweep_journal *j, size_t row, const char *why)
{
  if (j->lost[row] || j->row[row] > 0) return;
  j->lost[row] = cli_text("%s", why);
  j->nlost++;
}

static bool print_row(sweep_journal *j, size_t row, char **line, size_t *room, FILE *out)
{
  return fseek(j->stream, j->row[row] + 1, SEEK_SET) == 0 && getline(line, room, j->stream) > 0 &&
         fputs(*line, out) >= 0;
}

static bool print_lost_row(const sweep_journal *j, const sweep_grid *grid, size_t row, FILE *out)
{
  char *line = grid->runs->dead_row(grid, row, j->lost[row]);
  const bool good = fprintf(out, "%s\n", line + 1) > 0;
  free(line);
  return good;
}

int sweep_journal_print(sweep_journal *j, const sweep_grid *grid, FILE *out, hn_error *error)
{
  char *line = grid->runs->head(grid);
  size_t room = strlen(line) + 1;
  bool good = fprintf(out, "%s\n", line) > 0;
  for (size_t i = 0; good && i < grid->nrow; i++)
    if (j->row[i] > 0) good = print_row(j, i, &line, &room, out);
    else if (j->lost[i]) good = print_lost_row(j, grid, i, out);
  free(line);
  return good ? 0 : hn_fail(error, "cannot write the table: %s", strerror(errno));
}

void sweep_journal_close(sweep_journal *j, const sweep_grid *grid, bool finished)
{
  const bool is_open = j->stream != NULL;
  for (size_t i = 0; j->reference && i < grid->npoint; i++) free(j->reference[i]);
  for (size_t i = 0; j->lost && i < grid->nrow; i++) free(j->lost[i]);
  const bool empty = j->fresh && j->nresult == 0;
  if (is_open && j->path && (finished || empty)) unlink(j->path);
  if (is_open) fclose(j->stream);
  free(j->row), free(j->lost), free(j->reference), free(j->path);
  memset(j, 0, sizeof *j);
}
