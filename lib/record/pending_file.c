/* pending_file.c - a file that is written beside its final name and renamed when it is complete. */
#include "record/pending_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void forget(hn_pending *p)
{
  free(p->path), free(p->part);
  *p = (hn_pending){ .file = NULL };
}

static int open_standard(hn_pending *p, hn_error *error)
{
  *p = (hn_pending){ .file = stdout, .path = strdup("standard output") };
  return p->path ? 0 : hn_fail(error, "out of memory");
}

int hn_pending_open(hn_pending *p, const char *path, hn_error *error)
{
  if (strcmp(path, "-") == 0) return open_standard(p, error);
  hn_error why = { "out of memory" };
  *p = (hn_pending){ .path = strdup(path) };
  if (asprintf(&p->part, "%s.part", path) < 0) p->part = NULL;
  int fd = p->path && p->part ? hn_hold(p->part, O_WRONLY | O_CREAT | O_TRUNC, &why) : -1;
  if (fd >= 0) p->file = fdopen(fd, "w");
  if (p->file) return 0;
  if (fd >= 0) hn_fail(&why, "%s", strerror(errno)), close(fd);
  forget(p);
  return hn_fail(error, "cannot write %s: %.200s", path, why.text);
}

/* The file is held until it has its name: whoever opens PATH.part next must find another file, or none. */
int hn_pending_close(hn_pending *p, hn_record_end end, hn_error *error)
{
  int status = 0, held = p->part ? dup(fileno(p->file)) : -1;
  if (p->file == stdout) {
    status = fflush(stdout) ? hn_fail(error, "%s", strerror(errno)) : 0;
    forget(p);
    return status;
  }
  if (!p->file) return 0;
  if (fclose(p->file) || held < 0) status = hn_fail(error, "%s", strerror(errno));
  if (status == 0 && end == HN_RECORD_KEEP && rename(p->part, p->path))
    status = hn_fail(error, "%s", strerror(errno));
  if (status == 0 && end == HN_RECORD_DROP && unlink(p->part)) status = hn_fail(error, "%s", strerror(errno));
  if (held >= 0) close(held);
  forget(p);
  return status;
}
