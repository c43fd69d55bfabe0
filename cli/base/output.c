/* output.c - output files that appear completely or not at all: written under another name, then renamed.
 * Commands open their output before they compute anything. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
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

static bool make_directory(const char *path)
{
  return mkdir(path, 0777) == 0 || (errno == EEXIST && is_directory(path));
}

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
  return folder->held >= 0 ? 0 : hn_fail(error, "cannot write into %s: %s", folder->path, cause.text);
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

/* Moves the files into the directory of an earlier report. Other files there are left alone. */
static int move_files(const cli_folder *folder, hn_error *error)
{
  int status = 0;
  for (size_t i = 0; i < folder->count && status == 0; i++) {
    char *from = cli_text("%s/%s", folder->part, folder->name[i]);
    char *to = cli_text("%s/%s", folder->path, folder->name[i]);
    if (rename(from, to) != 0)
      status = hn_fail(error, "cannot rename %s to %s: %s", from, to, strerror(errno));
    free(from);
    free(to);
  }
  return status;
}

static const char list_name[] = "files.txt"; /* list of the files of a report, one per line */

static int write_list(cli_folder *folder, hn_error *error)
{
  FILE *out = cli_folder_file(folder, list_name, error);
  if (!out) return -1;
  for (size_t i = 0; i < folder->count; i++) fprintf(out, "%s\n", folder->name[i]);
  return cli_stream_close(out, list_name, error);
}

static bool is_new_file(const cli_folder *folder, const char *name)
{
  for (size_t i = 0; i < folder->count; i++)
    if (strcmp(folder->name[i], name) == 0) return true;
  return false;
}

/* Removes the files that an earlier report listed and that this one does not write. */
static void remove_earlier(const cli_folder *folder)
{
  char *path = cli_text("%s/%s", folder->path, list_name), *name = NULL;
  size_t capacity = 0;
  FILE *list = fopen(path, "r");
  for (ssize_t n; list && (n = getline(&name, &capacity, list)) > 0;) {
    if (name[n - 1] == '\n') name[n - 1] = '\0';
    if (strchr(name, '/') || is_new_file(folder, name)) continue; /* a name outside the directory */
    char *file = cli_text("%s/%s", folder->path, name);
    unlink(file);
    free(file);
  }
  if (list) fclose(list);
  free(name);
  free(path);
}

int cli_folder_close(cli_folder *folder, hn_error *error)
{
  if (write_list(folder, error) < 0) return -1;
  if (folder->fresh && rename(folder->part, folder->path) == 0) return 0;
  if (!make_directory(folder->path))
    return hn_fail(error, "cannot make the directory %s: %s", folder->path, strerror(errno));
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
  free(folder->name);
  free(folder->path);
  free(folder->part);
}
