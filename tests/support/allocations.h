/* allocations.h - the test's own malloc and its family, in front of the C library's: every call in the process, those
 * of GSL and PETSc included, is counted, can be measured, and can be made to fail. Include it once, in the test's only
 * file. glibc only: it keeps its functions under other names. */
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

static atomic_long allocations; /* calls that asked for memory, realloc included */
static atomic_long live_blocks, live_bytes, peak_bytes;
static atomic_long countdown; /* when positive: the call that brings it to 0 fails */
static atomic_bool all_later; /* and so do those after it */
static atomic_bool has_failed;

/* From now on the N-th call fails, and all after it when LATER; none when N is 0. */
static void fail_allocation(long n, bool later)
{
  has_failed = false;
  all_later = later;
  countdown = n;
}

/* Counts a call; true when it must fail. */
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

/* While a block moves, both are held. */
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
