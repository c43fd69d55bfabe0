/* output.c - output files that appear completely or not at all: written under another name, then renamed.
 * Commands open their output before they compute anything. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/base/file_hash.h"
#include "cli/base/memory.h"
#include "cli/base/output.h"

static bool is_directory(const char *path)
{
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool cli_ends_in(const char *path, const char *end)
{
  const size_t n = strlen(path), m = strlen(end);
  return n > m && strcmp(path + n - m, end) == 0;
}

int cli_output_is_file(const char *path, hn_error *error)
{
  return is_directory(path) ? hn_fail(error, "--output %s: this is a directory; name a file", path) : 0;
}

int cli_output_is_csv(const char *path, hn_error *error)
{
  if (!cli_ends_in(path, ".csv"))
    return hn_fail(error, "--output %s: the file must end in .csv, the only format of this command", path);
  return cli_output_is_file(path, error);
}

int cli_stream_close(FILE *stream, const char *name, hn_error *error)
{
  bool good = !ferror(stream);
  if (fclose(stream) != 0) good = false;
  return good ? 0 : hn_fail(error, "cannot write %s: %s", name, strerror(errno));
}

int cli_file_close(cli_file *file, hn_error *error)
{
  hn_error cause;
  const bool is_file = file->part;
  char *part = cli_text("%s", is_file ? file->part : file->path);
  int status = hn_pending_close(file, HN_RECORD_KEEP, &cause);
  if (status < 0) hn_fail(error, "cannot write %s: %s", part, cause.text);
  if (status < 0 && is_file) unlink(part);
  free(part);
  return status;
}

void cli_file_drop(void *file)
{
  hn_pending_close(file, HN_RECORD_DROP, NULL);
}

static bool make_directory(const char *path)
{
  return mkdir(path, 0777) == 0 || (errno == EEXIST && is_directory(path));
}

void cli_folder_note(cli_folder *folder, const char *name)
{
  folder->name = cli_grow(folder->name, folder->count + 1, sizeof *folder->name);
  folder->name[folder->count++] = cli_text("%s", name);
}

FILE *cli_folder_file(cli_folder *folder, const char *name, hn_error *error)
{
  char *path = cli_text("%s/%s", folder->part, name);
  FILE *stream = fopen(path, "w");
  if (stream) cli_folder_note(folder, name);
  else hn_fail(error, "cannot write %s: %s", path, strerror(errno));
  free(path);
  return stream;
}

/* ---- The list of the files of a report: its first line, then a hash and a name in each line
 * --------------- */

static const char list_name[] = "files.txt";
static const char list_head[] =
  "files of a Holonom report, which the next one may replace if their hashes are these";

static char *path_in(const char *directory, const char *name)
{
  return cli_text("%s/%s", directory, name);
}

static char *hash_of(const char *directory, const char *name)
{
  char *path = path_in(directory, name), *text = cli_hash_text(cli_hash_file(HN_HASH_START, path));
  free(path);
  return text;
}

static int write_list(cli_folder *folder, hn_error *error)
{
  FILE *out = cli_folder_file(folder, list_name, error);
  if (!out) return -1;
  fprintf(out, "%s\n", list_head);
  for (size_t i = 0; i + 1 < folder->count; i++) {
    char *hash = hash_of(folder->part, folder->name[i]);
    fprintf(out, "%s %s\n", hash, folder->name[i]);
    free(hash);
  }
  return cli_stream_close(out, list_name, error);
}

/* Reads the next line of LIST into *LINE, without its end. False at the end of the file. */
static bool next_line(FILE *list, char **line, size_t *capacity)
{
  const ssize_t n = getline(line, capacity, list);
  if (n > 0 && (*line)[n - 1] == '\n') (*line)[n - 1] = '\0';
  return n > 0;
}

static void add_earlier(cli_folder *folder, const char *name)
{
  folder->earlier = cli_grow(folder->earlier, folder->nearlier + 1, sizeof *folder->earlier);
  folder->earlier[folder->nearlier++] = cli_text("%s", name);
}

/* Adds to FOLDER the names of the files that an earlier report in its directory has listed and that have not
 * changed since. -1 if the list is not one of a report. */
static int read_earlier(cli_folder *folder, hn_error *error)
{
  char *path = path_in(folder->path, list_name), *line = NULL;
  size_t capacity = 0;
  FILE *list = fopen(path, "r");
  int status = 0;
  if (list && !(next_line(list, &line, &capacity) && strcmp(line, list_head) == 0))
    status = hn_fail(error, "--output %s: %s there is not the list of a report; name another directory",
                     folder->path, list_name);
  while (list && status == 0 && next_line(list, &line, &capacity)) {
    char *name = strchr(line, ' ');
    if (!name || strchr(line, '/')) continue; /* a name outside the directory */
    *name++ = '\0';
    char *hash = hash_of(folder->path, name);
    if (strcmp(hash, line) == 0) add_earlier(folder, name);
    free(hash);
  }
  if (list && status == 0) add_earlier(folder, list_name);
  if (list) fclose(list);
  free(line);
  free(path);
  return status;
}

/* ---- The folder
 * ------------------------------------------------------------------------------------------- */

int cli_folder_open(cli_folder *folder, const char *path, hn_error *error)
{
  *folder = (cli_folder){ .held = -1 };
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') length--;
  folder->path = cli_text("%.*s", (int)length, path);
  folder->part = cli_text("%s.part", folder->path);
  struct stat status;
  if (length == 0) return hn_fail(error, "--output: the name of the directory is empty");
  if (stat(folder->path, &status) == 0 && !S_ISDIR(status.st_mode))
    return hn_fail(error, "--output %s: this is a file; name a directory for the report", folder->path);
  if (is_directory(folder->path) && access(folder->path, W_OK | X_OK) != 0)
    return hn_fail(error, "cannot write into %s: %s", folder->path, strerror(errno));
  folder->fresh = !is_directory(folder->part);
  if (!make_directory(folder->part))
    return hn_fail(error, "cannot make the directory %s: %s", folder->part, strerror(errno));
  hn_error cause;
  folder->held = hn_lock_file(folder->part, O_RDONLY | O_DIRECTORY, &cause);
  if (folder->held < 0) return hn_fail(error, "cannot write into %s: %s", folder->path, cause.text);
  return read_earlier(folder, error);
}

static bool contains(char *const *name, size_t count, const char *wanted)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(name[i], wanted) == 0) return true;
  return false;
}

/* Fails if the directory has a file of the report's that no earlier report has made: it is the user's. */
static int find_foreign(const cli_folder *folder, hn_error *error)
{
  int status = 0;
  for (size_t i = 0; i < folder->count && status == 0; i++) {
    char *path = path_in(folder->path, folder->name[i]);
    if (access(path, F_OK) == 0 && !contains(folder->earlier, folder->nearlier, folder->name[i]))
      status = hn_fail(
        error, "%s was not made by a report, or has changed since: it is kept, and the new report is in %s",
        path, folder->part);
    free(path);
  }
  return status;
}

/* Removes the files of an earlier report that this one does not write. */
static void remove_earlier(const cli_folder *folder)
{
  for (size_t i = 0; i < folder->nearlier; i++) {
    if (contains(folder->name, folder->count, folder->earlier[i])) continue;
    char *file = path_in(folder->path, folder->earlier[i]);
    unlink(file);
    free(file);
  }
}

/* Moves the files into the directory of an earlier report. Other files there are left alone. */
static int move_files(const cli_folder *folder, hn_error *error)
{
  int status = 0;
  for (size_t i = 0; i < folder->count && status == 0; i++) {
    char *from = path_in(folder->part, folder->name[i]), *to = path_in(folder->path, folder->name[i]);
    if (rename(from, to) != 0)
      status = hn_fail(error, "cannot rename %s to %s: %s", from, to, strerror(errno));
    free(from);
    free(to);
  }
  return status;
}

int cli_folder_close(cli_folder *folder, hn_error *error)
{
  if (write_list(folder, error) < 0) return -1;
  if (folder->fresh && rename(folder->part, folder->path) == 0) return 0;
  if (!make_directory(folder->path))
    return hn_fail(error, "cannot make the directory %s: %s", folder->path, strerror(errno));
  if (find_foreign(folder, error) < 0) return -1;
  remove_earlier(folder);
  if (move_files(folder, error) < 0) return -1;
  rmdir(folder->part);
  return 0;
}

/* Removes the files written so far. */
void cli_folder_discard(cli_folder *folder)
{
  for (size_t i = 0; i < folder->count; i++) {
    char *path = cli_text("%s/%s", folder->part, folder->name[i]);
    unlink(path);
    free(path);
    free(folder->name[i]);
  }
  folder->count = 0;
}

/* Frees FOLDER and removes its temporary directory if it is empty and not of another run. */
void cli_folder_free(cli_folder *folder)
{
  bool held = folder->part && folder->held >= 0;
  if (held && folder->count == 0) rmdir(folder->part);
  if (held) close(folder->held);
  for (size_t i = 0; i < folder->count; i++) free(folder->name[i]);
  for (size_t i = 0; i < folder->nearlier; i++) free(folder->earlier[i]);
  free(folder->earlier);
  free(folder->name);
  free(folder->path);
  free(folder->part);
}
