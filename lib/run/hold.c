/* hold.c - a file or a directory that one writer at a time has: two runs with one output would cut each other's. */
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

int hn_hold(const char *path, int flags, hn_error *error)
{
  for (;;) {
    int fd = open(path, flags | O_CLOEXEC, 0666);
    if (fd < 0) return hn_fail(error, "%s", strerror(errno));
    bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (locked && is_called(fd, path)) return fd;
    int why = errno;
    close(fd);
    if (!locked && why == EWOULDBLOCK) return hn_fail(error, "another run is writing it (%s is in use)", path);
    if (!locked) return hn_fail(error, "cannot lock %s: %s", path, strerror(why));
  }
}
