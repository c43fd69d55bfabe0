/* klu_memory.c - memory of KLU (klu_memory.h). */
#include "linear/klu_memory.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/klu.h>

/* Header of each piece. */
typedef union head {
  size_t size; /* of the piece */
  max_align_t unused;
} head;

static _Thread_local hn_klu_arena *current; /* of the solution of this thread; NULL outside */
static pthread_once_t installed = PTHREAD_ONCE_INIT;
static struct {
  void *(*allocate)(size_t size);
  void *(*allocate_zeros)(size_t count, size_t size);
  void *(*resize)(void *memory, size_t size);
  void (*release)(void *memory);
} previous; /* functions of the library before ours */

static size_t piece_size(size_t size)
{
  const size_t unit = sizeof(head);
  return unit + (size + unit - 1) / unit * unit;
}

static bool is_in_arena(const void *memory)
{
  const uintptr_t at = (uintptr_t)memory;
  return current && at - (uintptr_t)current->memory < current->size;
}

static void *allocate(size_t size)
{
  hn_klu_arena *a = current;
  if (!a || size > SIZE_MAX / 4) return previous.allocate(size);
  const size_t piece_bytes = piece_size(size);
  a->wanted += piece_bytes;
  if (piece_bytes > a->size - a->used) return previous.allocate(size);
  head *piece = (head *)(void *)(a->memory + a->used);
  a->used += piece_bytes;
  piece->size = size;
  return piece + 1;
}

static void *allocate_zeros(size_t count, size_t size)
{
  if (!current || (size > 0 && count > SIZE_MAX / size)) return previous.allocate_zeros(count, size);
  void *memory = allocate(count * size);
  return memory ? memset(memory, 0, count * size) : NULL;
}

static void release(void *memory)
{
  if (memory && !is_in_arena(memory)) previous.release(memory);
}

static void *resize(void *memory, size_t size)
{
  if (!is_in_arena(memory)) return previous.resize(memory, size);
  const size_t old = ((head *)memory - 1)->size;
  void *other = allocate(size);
  return other ? memcpy(other, memory, old < size ? old : size) : NULL;
}

/* Replaces the library's functions by ours, once in the process. */
static void install(void)
{
#if SUITESPARSE_MAIN_VERSION < 6
  previous.allocate = SuiteSparse_config.malloc_func,
  previous.allocate_zeros = SuiteSparse_config.calloc_func;
  previous.resize = SuiteSparse_config.realloc_func, previous.release = SuiteSparse_config.free_func;
  SuiteSparse_config.malloc_func = allocate, SuiteSparse_config.calloc_func = allocate_zeros;
  SuiteSparse_config.realloc_func = resize, SuiteSparse_config.free_func = release;
#else
  previous.allocate = SuiteSparse_config_malloc_func_get(),
  previous.allocate_zeros = SuiteSparse_config_calloc_func_get();
  previous.resize = SuiteSparse_config_realloc_func_get();
  previous.release = SuiteSparse_config_free_func_get();
  SuiteSparse_config_malloc_func_set(allocate), SuiteSparse_config_calloc_func_set(allocate_zeros);
  SuiteSparse_config_realloc_func_set(resize), SuiteSparse_config_free_func_set(release);
#endif
}

void hn_klu_enter(hn_klu_arena *arena)
{
  pthread_once(&installed, install);
  current = arena;
}

void hn_klu_leave(void)
{
  current = NULL;
}
