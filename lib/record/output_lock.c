/* output_lock.c - locks of output files and directories, so that two runs do not write the same one. */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* True if FD is still the file PATH. The previous holder may have renamed it before the lock was released. */
static bool is_at(int fd, const char *path)
{
  struct stat held, named;
  return fstat(fd, &held) == 0 && stat(path, &named) == 0 && held.st_dev == named.st_dev &&
         held.st_ino == named.st_ino;
}

/* Removes what a killed run left in the file. A device has no length. */
static int empty(int fd)
{
  struct stat held;
  if (fstat(fd, &held)) return -1;
  return S_ISREG(held.st_mode) ? ftruncate(fd, 0) : 0;
}

int hn_lock_file(const char *path, int flags, hn_error *error)
{
  for (;;) {
    int fd = open(path, (flags & ~O_TRUNC) | O_CLOEXEC, 0666);
    if (fd < 0) return hn_fail(error, "%s", strerror(errno));
    bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
    bool ours = locked && is_at(fd, path), ready = ours && (!(flags & O_TRUNC) || empty(fd) == 0);
    int why = errno;
    if (ready) return fd;
    close(fd);
    if (!locked && why == EWOULDBLOCK)
      return hn_fail(error, "another run is writing it (%s is in use)", path);
    if (!locked || ours) return hn_fail(error, "%s", strerror(why));
  }
}
