/* output_paths.c - outputs of a command that would overwrite an input or each other (output_paths.h). */
#include "cli/base/output_paths.h"
#include "cli/base/memory.h"
#include "cli/base/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* An option and the file that it names. */
typedef struct named_file {
  const char *option, *path; /* path NULL: not given */
} named_file;

/* Returns the path of PATH without links in its directory, to be freed; a copy of PATH if there is no such
 * directory. */
static char *full_path(const char *path)
{
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  char *directory = slash ? cli_text("%.*s", (int)(name - path), path) : cli_text(".");
  char *real = realpath(directory, NULL), *full = real ? cli_text("%s/%s", real, name) : cli_text("%s", path);
  free(directory);
  free(real);
  return full;
}

/* True if A and B are one regular file that exists. */
static bool is_one_file(const char *a, const char *b)
{
  struct stat first, second;
  return stat(a, &first) == 0 && stat(b, &second) == 0 && S_ISREG(first.st_mode) &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* True if A and B are one file, or would be when written. Devices and pipes may be given twice. */
static bool would_be_one_file(const char *a, const char *b)
{
  struct stat first, second;
  if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0) return false;
  if (stat(a, &first) == 0 && stat(b, &second) == 0) return is_one_file(a, b);
  char *whole_a = full_path(a), *whole_b = full_path(b);
  const bool same = strcmp(whole_a, whole_b) == 0;
  free(whole_a);
  free(whole_b);
  return same;
}

static int check_inputs(const cli_options *o, const named_file *out, hn_error *error)
{
  const named_file inputs[] = { { "--reference", o->reference }, { "--resume", o->resume_from } };
  for (int i = 0; i < o->nword; i++)
    if (is_one_file(out->path, o->word[i]))
      return hn_fail(error, "%s %s: this is the file that is read; name another one", out->option, out->path);
  for (size_t i = 0; i < o->nsolver_files; i++)
    if (is_one_file(out->path, o->solver_files[i]))
      return hn_fail(error, "%s %s: this is the file of --solver-file; name another one", out->option,
                     out->path);
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
    if (inputs[i].path && is_one_file(out->path, inputs[i].path))
      return hn_fail(error, "%s %s: this is the file of %s; name another one", out->option, out->path,
                     inputs[i].option);
  return 0;
}

static int check_output(const cli_options *o, const named_file *out, const named_file *end, hn_error *error)
{
  if (cli_ends_in(out->path, ".lua"))
    return hn_fail(error, "%s %s: .lua is the ending of scenes; name another file", out->option, out->path);
  for (const named_file *other = out + 1; other < end; other++)
    if (other->path && would_be_one_file(out->path, other->path))
      return hn_fail(error, "%s and %s are one file, %s: name two", out->option, other->option, out->path);
  return check_inputs(o, out, error);
}

/* Returns the name of the file of contacts beside a record, to be freed; NULL if there is none. */
static char *contacts_path(const cli_options *o)
{
  static const char end[] = ".csv";
  if (!o->record_contacts || !o->output || !cli_ends_in(o->output, end)) return NULL;
  return cli_text("%.*s.contacts%s", (int)(strlen(o->output) + 1 - sizeof end), o->output, end);
}

int cli_check_output_paths(const cli_options *o, hn_error *error)
{
  char *contacts = contacts_path(o);
  const named_file output[] = { { "--output", o->output },
                                { "--record-contacts", contacts },
                                { "--record-events", o->record_events },
                                { "--model", o->model },
                                { "--save", o->save },
                                { "--session", o->session } };
  const named_file *const end = output + sizeof output / sizeof *output;
  int status = o->model && !cli_ends_in(o->model, ".json")
                 ? hn_fail(error, "--model %s: the file must end in .json, its only format", o->model)
                 : 0;
  for (const named_file *out = output; out < end && status == 0; out++)
    if (out->path) status = check_output(o, out, end, error);
  free(contacts);
  return status;
}
