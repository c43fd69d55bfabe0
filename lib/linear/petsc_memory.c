/* petsc_memory.c - PETSc's allocator with a cache, so that steps with PETSc do not allocate.
 *
 * Numeric factorisations allocate and free scratch arrays of the same sizes every time. While a cache is in
 * use, freed blocks stay in it. Without the cache linear=petsc allocates three times a step, linear=ksp once
 * and impulse-newton five times (tests/test_alloc.c). The time of a step is the same. */
#include "linear/petsc_memory.h"

#include <petscsys.h>
#include <stdlib.h>
#include <string.h>

/* Header of every block that PETSc gets; 16 bytes, so that the memory after it is aligned like malloc's. */
typedef struct hn_petsc_block {
  size_t size, unused;
} block;

static hn_petsc_scratch *current;

void hn_petsc_scratch_use(hn_petsc_scratch *scratch)
{
  current = scratch;
}

/* Removes a block of SIZE from the cache; NULL if there is none. */
static block *take_cached(size_t size)
{
  for (int i = 0; current && i < HN_MAX_SCRATCH; i++) {
    block *b = current->cached[i];
    if (!b || b->size != size) continue;
    current->cached[i] = NULL;
    return b;
  }
  return NULL;
}

/* Stores a block in the cache; returns the block evicted for it, or NULL. */
static block *store_in_cache(hn_petsc_scratch *s, block *b)
{
  int slot = 0;
  while (slot < HN_MAX_SCRATCH && s->cached[slot]) slot++;
  if (slot == HN_MAX_SCRATCH) {
    slot = s->oldest;
    s->oldest = (s->oldest + 1) % HN_MAX_SCRATCH;
  }
  block *evicted = s->cached[slot];
  s->cached[slot] = b;
  return evicted;
}

static PetscErrorCode allocate(size_t size, PetscBool clear, int line, const char function[],
                               const char file[], void **result)
{
  (void)line, (void)function, (void)file;
  *result = NULL;
  if (size == 0) return 0;
  block *b = take_cached(size);
  if (!b) b = malloc(sizeof *b + size);
  if (!b) return PETSC_ERR_MEM;
  b->size = size;
  *result = b + 1;
  if (clear) memset(*result, 0, size);
  return 0;
}

static PetscErrorCode release(void *memory, int line, const char function[], const char file[])
{
  (void)line, (void)function, (void)file;
  if (!memory) return 0;
  block *b = (block *)memory - 1;
  if (current) b = store_in_cache(current, b);
  free(b);
  return 0;
}

static PetscErrorCode resize(size_t size, int line, const char function[], const char file[], void **result)
{
  if (!*result) return allocate(size, PETSC_FALSE, line, function, file, result);
  if (size == 0) {
    release(*result, line, function, file);
    *result = NULL;
    return 0;
  }
  block *b = realloc((block *)*result - 1, sizeof *b + size);
  if (!b) return PETSC_ERR_MEM;
  b->size = size;
  *result = b + 1;
  return 0;
}

int hn_petsc_memory_install(void)
{
  return PetscMallocSet(allocate, release, resize);
}

void hn_petsc_scratch_free(hn_petsc_scratch *scratch)
{
  for (int i = 0; i < HN_MAX_SCRATCH; i++) free(scratch->cached[i]);
}
