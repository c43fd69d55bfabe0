/* failing_malloc.c - preloaded library: allocation number FAIL_AT of a program fails, and all after it. With
 * FAIL_AT=0 none fails and their number is printed on stderr at exit. glibc only, as allocations.h. */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);

static atomic_long calls;
static long fail_at = -1;

__attribute__((constructor)) static void begin(void)
{
  const char *text = getenv("FAIL_AT");
  fail_at = text ? atol(text) : 0;
  calls = 0;
}

__attribute__((destructor)) static void end(void)
{
  if (fail_at == 0) fprintf(stderr, "allocations: %ld\n", (long)calls);
}

static bool refused(void)
{
  long call = ++calls;
  if (fail_at <= 0 || call < fail_at) return false;
  errno = ENOMEM;
  return true;
}

void *malloc(size_t size)
{
  return refused() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
  return refused() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
  return refused() ? NULL : __libc_realloc(block, size);
}
