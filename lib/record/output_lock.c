/* output_lock.c - a file or a directory that one writer at a time has: two runs with one output would cut each other's. */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* While one waited for the lock, its last holder may have given the file its final name: is it still called PATH? */
static bool is_called(int fd, const char *path)
{
  struct stat held, named;
  return fstat(fd, &held) == 0 && stat(path, &named) == 0 && held.st_dev == named.st_dev &&
         held.st_ino == named.st_ino;
}

/* What was left in it by a run that was killed goes; a device has no length. */
static int empty(int fd)
{
  struct stat held;
  if (fstat(fd, &held)) return -1;
  return S_ISREG(held.st_mode) ? ftruncate(fd, 0) : 0;
}

int hn_hold(const char *path, int flags, hn_error *error)
{
  for (;;) {
    int fd = open(path, (flags & ~O_TRUNC) | O_CLOEXEC, 0666);
    if (fd < 0) return hn_fail(error, "%s", strerror(errno));
    bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
    bool ours = locked && is_called(fd, path), ready = ours && (!(flags & O_TRUNC) || empty(fd) == 0);
    int why = errno;
    if (ready) return fd;
    close(fd);
    if (!locked && why == EWOULDBLOCK)
      return hn_fail(error, "another run is writing it (%s is in use)", path);
    if (!locked || ours) return hn_fail(error, "%s", strerror(why));
  }
}
