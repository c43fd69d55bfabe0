/* allocations.h - malloc and its family, replaced in front of the C library's. Every allocation of the
 * process, also by GSL and PETSc, is counted and measured and can be made to fail. To be included once, in
 * the test's only file. glibc only: it provides the original functions under other names. */
#ifndef HN_TEST_ALLOCATIONS_H
#define HN_TEST_ALLOCATIONS_H

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static atomic_long allocations; /* calls that request memory, realloc included */
static atomic_long live_blocks, live_bytes, peak_bytes;
static atomic_long countdown; /* when positive: the call that brings it to 0 fails */
static atomic_bool all_later; /* all later calls fail too */
static atomic_bool has_failed;

/* Makes the N-th call from now fail, and all after it if LATER; N = 0: none fails. */
static void fail_allocation(long n, bool later)
{
  has_failed = false;
  all_later = later;
  countdown = n;
}

/* Counts a call; returns true if it must fail. */
static bool refused(void)
{
  allocations++;
  if (countdown > 0 ? --countdown > 0 : !(all_later && has_failed)) return false;
  has_failed = true;
  errno = ENOMEM;
  return true;
}

static void *noted(void *block)
{
  if (!block) return NULL;
  live_blocks++;
  live_bytes += (long)malloc_usable_size(block);
  if (live_bytes > peak_bytes) peak_bytes = live_bytes;
  return block;
}

static void forget(void *block)
{
  if (!block) return;
  live_blocks--;
  live_bytes -= (long)malloc_usable_size(block);
}

void *malloc(size_t size)
{
  return refused() ? NULL : noted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
  return refused() ? NULL : noted(__libc_calloc(count, size));
}

/* Both blocks count as live while the data are copied. */
void *realloc(void *block, size_t size)
{
  if (refused()) return NULL;
  long before = block ? (long)malloc_usable_size(block) : 0;
  void *grown = __libc_realloc(block, size);
  if (!grown && size > 0) return NULL;
  if (block) live_blocks--;
  if (grown && grown != block && live_bytes + (long)size > peak_bytes) peak_bytes = live_bytes + (long)size;
  live_bytes -= before;
  return noted(grown);
}

void *memalign(size_t alignment, size_t size)
{
  return refused() ? NULL : noted(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
  return memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
  void *made = memalign(alignment, size);
  if (!made) return ENOMEM;
  *block = made;
  return 0;
}

void free(void *block)
{
  forget(block);
  __libc_free(block);
}

#endif
