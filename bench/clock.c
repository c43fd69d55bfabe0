/* clock.c - clock, memory and errors of the benchmarks. */
#include "bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

void bench_fail(const char *format, ...)
{
  va_list list;
  fflush(stdout);
  fputs("holonom-bench: ", stderr);
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
  fputc('\n', stderr);
  exit(2);
}

void *bench_alloc(size_t count, size_t size)
{
  void *memory = calloc(count ? count : 1, size);
  if (!memory) bench_fail("out of memory");
  return memory;
}

double bench_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
