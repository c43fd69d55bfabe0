/* pending_file.c - files that are written beside their final names and renamed when they are complete. */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void clear(hn_pending *p)
{
  free(p->path), free(p->target), free(p->part);
  *p = (hn_pending){ .stream = NULL };
}

static int open_standard(hn_pending *p, hn_error *error)
{
  *p = (hn_pending){ .stream = stdout, .path = strdup("standard output") };
  return p->path ? 0 : hn_fail(error, "out of memory");
}

/* Returns the path of the file that PATH is or leads to by links, to be freed; NULL and an error if a link
 * leads nowhere. */
static char *follow(const char *path, hn_error *error)
{
  struct stat status;
  const bool is_link = lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
  char *target = is_link ? realpath(path, NULL) : strdup(path);
  if (!target) hn_fail(error, is_link ? "the link leads to no file" : "out of memory");
  return target;
}

int hn_pending_open(hn_pending *p, const char *path, hn_error *error)
{
  if (strcmp(path, "-") == 0) return open_standard(p, error);
  hn_error why = { "out of memory" };
  *p = (hn_pending){ .path = strdup(path), .target = follow(path, &why) };
  if (!p->target || asprintf(&p->part, "%s.part", p->target) < 0) p->part = NULL;
  int fd = p->path && p->part ? hn_lock_file(p->part, O_WRONLY | O_CREAT | O_TRUNC, &why) : -1;
  if (fd >= 0) p->stream = fdopen(fd, "w");
  if (p->stream) return 0;
  if (fd >= 0) hn_fail(&why, "%s", strerror(errno)), close(fd);
  clear(p);
  return hn_fail(error, "cannot write %s: %.200s", path, why.text);
}

/* The lock is kept until the file is renamed: the next run that opens PATH.part then finds another file,
 * or none. */
int hn_pending_close(hn_pending *p, hn_record_end end, hn_error *error)
{
  if (!p->stream) return 0;
  const int lock = p->part ? dup(fileno(p->stream)) : -1;
  int failed = p->part && lock < 0;
  if (ferror(p->stream)) failed = 1;
  if (p->part ? fclose(p->stream) : fflush(p->stream)) failed = 1;
  if (!failed && p->part && end == HN_RECORD_KEEP) failed = rename(p->part, p->target);
  if (p->part && end == HN_RECORD_DROP && unlink(p->part)) failed = 1;
  const int status = failed ? hn_fail(error, "%s", strerror(errno ? errno : EIO)) : 0;
  if (lock >= 0) close(lock);
  clear(p);
  return status;
}
