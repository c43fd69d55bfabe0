/* petsc_memory.c - numeric factorisations ask PETSc for scratch arrays of the same sizes every time and give them back;
 * but no step may allocate. PETSc lets us stand in for malloc: while a scratch is in use, what is given back waits in
 * it for the next time.
 *
 * Without this the default back end asks for memory three times a factorisation on a tree of balls, and so do all
 * solvers that factor by PETSc (impulse-newton, lagrange, ida, ksp); the time of a step is the same with it. */
#include "linear/petsc_memory.h"

#include <petscsys.h>
#include <stdlib.h>
#include <string.h>

/* The head of every block that PETSc gets; 16 bytes, so that what follows is aligned as malloc's blocks are. */
typedef struct hn_petsc_block {
  size_t size, unused;
} block;

static hn_petsc_scratch *current;

void hn_petsc_scratch_use(hn_petsc_scratch *scratch)
{
  current = scratch;
}

/* A waiting block of SIZE, no longer waiting; NULL when there is none. */
static block *take_waiting(size_t size)
{
  for (int i = 0; current && i < HN_MAX_SCRATCH; i++) {
    block *b = current->waiting[i];
    if (!b || b->size != size) continue;
    current->waiting[i] = NULL;
    return b;
  }
  return NULL;
}

/* Lets B wait; returns the block that had to leave for it, or NULL. */
static block *keep_waiting(hn_petsc_scratch *s, block *b)
{
  int place = 0;
  while (place < HN_MAX_SCRATCH && s->waiting[place]) place++;
  if (place == HN_MAX_SCRATCH) {
    place = s->oldest;
    s->oldest = (s->oldest + 1) % HN_MAX_SCRATCH;
  }
  block *gone = s->waiting[place];
  s->waiting[place] = b;
  return gone;
}

static PetscErrorCode get(size_t size, PetscBool clear, int line, const char function[], const char file[],
                          void **result)
{
  (void)line, (void)function, (void)file;
  *result = NULL;
  if (size == 0) return 0;
  block *b = take_waiting(size);
  if (!b) b = malloc(sizeof *b + size);
  if (!b) return PETSC_ERR_MEM;
  b->size = size;
  *result = b + 1;
  if (clear) memset(*result, 0, size);
  return 0;
}

static PetscErrorCode give_back(void *memory, int line, const char function[], const char file[])
{
  (void)line, (void)function, (void)file;
  if (!memory) return 0;
  block *b = (block *)memory - 1;
  if (current) b = keep_waiting(current, b);
  free(b);
  return 0;
}

static PetscErrorCode resize(size_t size, int line, const char function[], const char file[], void **result)
{
  if (!*result) return get(size, PETSC_FALSE, line, function, file, result);
  if (size == 0) {
    give_back(*result, line, function, file);
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
  return PetscMallocSet(get, give_back, resize);
}

void hn_petsc_scratch_free(hn_petsc_scratch *scratch)
{
  for (int i = 0; i < HN_MAX_SCRATCH; i++) free(scratch->waiting[i]);
}
