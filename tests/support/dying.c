/* dying.c - preloaded library: a signal ends a program at call number DIE_AT of fflush, write, rename,
 * unlink or fdatasync. DIE_BY is the signal, negative for the whole process group. With DIE_IN=child the
 * calls of forked processes count instead, each for itself, and only the first process that creates the
 * file DIE_ONCE ends. With DIE_AT=0 the number of calls is printed on stderr at exit. */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long calls, die_at = -1;
static int die_by = SIGKILL;
static pid_t first, counted;
static bool in_child;

__attribute__((constructor)) static void begin(void)
{
  const char *at = getenv("DIE_AT"), *by = getenv("DIE_BY"), *in = getenv("DIE_IN");
  die_at = at ? atol(at) : -1;
  die_by = by ? atoi(by) : SIGKILL;
  in_child = in && strcmp(in, "child") == 0;
  first = counted = getpid();
}

__attribute__((destructor)) static void end(void)
{
  if (die_at == 0 && getpid() == first) fprintf(stderr, "calls: %ld\n", calls);
}

static void count(void)
{
  const pid_t self = getpid();
  if (self != counted) counted = self, calls = 0;
  if ((self != first) != in_child || ++calls != die_at) return;
  const char *once = getenv("DIE_ONCE");
  if (once && open(once, O_CREAT | O_EXCL | O_WRONLY, 0600) < 0) return;
  kill(die_by < 0 ? 0 : self, abs(die_by));
}

/* Counts a call of the function NAME and stores the address of the next one of that name at NEXT. */
static void pass_on(const char *name, void *next)
{
  void *function = dlsym(RTLD_NEXT, name);
  memcpy(next, &function, sizeof function);
  count();
}

int fflush(FILE *stream)
{
  int (*next)(FILE *);
  pass_on("fflush", &next);
  return next(stream);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
  ssize_t (*next)(int, const void *, size_t);
  pass_on("write", &next);
  return next(fd, bytes, size);
}

int rename(const char *from, const char *to)
{
  int (*next)(const char *, const char *);
  pass_on("rename", &next);
  return next(from, to);
}

int unlink(const char *path)
{
  int (*next)(const char *);
  pass_on("unlink", &next);
  return next(path);
}

int fdatasync(int fd)
{
  int (*next)(int);
  pass_on("fdatasync", &next);
  return next(fd);
}
