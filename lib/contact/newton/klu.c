/* klu.c - the module hn_klu: sparse L U with pivoting by KLU, which uses no BLAS: the same bits every time.
 *
 * KLU asks for memory in every analysis and factorisation, and no step may allocate. Its library lets us
 * stand in for malloc, for the whole process: while a thread is in here, what it asks for comes one piece
 * behind the other from its scratch; what does not fit there, and all that other threads ask for, comes from
 * where it came from before. Nothing that is asked for in here is kept beyond it. [Davis and Palamadai
 * Natarajan, ACM Trans. Math. Softw. 37 (2010) 36] */
#include "contact/newton/unsymmetric.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/klu.h>

hn_lu_solve hn_klu_solve;

static const double small = 100; /* numbers of a matrix for which memory is no longer in proportion to them */

/* ---- Memory -------------------------------------------------------------------------------------------- */

typedef struct arena {
  char *memory;
  size_t size, used;
  size_t wanted; /* by now, if nothing were ever given back */
} arena;

/* Before each piece. */
typedef union head {
  size_t size; /* of the piece */
  max_align_t unused;
} head;

static _Thread_local arena *current; /* NULL: this thread is elsewhere */
static pthread_once_t installed = PTHREAD_ONCE_INIT;
static struct {
  void *(*get)(size_t size);
  void *(*get_zeros)(size_t count, size_t size);
  void *(*resize)(void *memory, size_t size);
  void (*give_back)(void *memory);
} before;

static size_t room_for(size_t size)
{
  const size_t unit = sizeof(head);
  return unit + (size + unit - 1) / unit * unit;
}

static bool is_ours(const void *memory)
{
  const uintptr_t at = (uintptr_t)memory;
  return current && at - (uintptr_t)current->memory < current->size;
}

static void *get(size_t size)
{
  arena *a = current;
  if (!a || size > SIZE_MAX / 4) return before.get(size);
  const size_t room = room_for(size);
  a->wanted += room;
  if (room > a->size - a->used) return before.get(size);
  head *piece = (head *)(void *)(a->memory + a->used);
  a->used += room;
  piece->size = size;
  return piece + 1;
}

static void *get_zeros(size_t count, size_t size)
{
  if (!current || (size > 0 && count > SIZE_MAX / size)) return before.get_zeros(count, size);
  void *memory = get(count * size);
  return memory ? memset(memory, 0, count * size) : NULL;
}

static void give_back(void *memory)
{
  if (memory && !is_ours(memory)) before.give_back(memory);
}

static void *resize(void *memory, size_t size)
{
  if (!is_ours(memory)) return before.resize(memory, size);
  const size_t old = ((head *)memory - 1)->size;
  void *other = get(size);
  return other ? memcpy(other, memory, old < size ? old : size) : NULL;
}

static void install(void)
{
#if SUITESPARSE_MAIN_VERSION < 6
  before.get = SuiteSparse_config.malloc_func, before.get_zeros = SuiteSparse_config.calloc_func;
  before.resize = SuiteSparse_config.realloc_func, before.give_back = SuiteSparse_config.free_func;
  SuiteSparse_config.malloc_func = get, SuiteSparse_config.calloc_func = get_zeros;
  SuiteSparse_config.realloc_func = resize, SuiteSparse_config.free_func = give_back;
#else
  before.get = SuiteSparse_config_malloc_func_get(), before.get_zeros = SuiteSparse_config_calloc_func_get();
  before.resize = SuiteSparse_config_realloc_func_get();
  before.give_back = SuiteSparse_config_free_func_get();
  SuiteSparse_config_malloc_func_set(get), SuiteSparse_config_calloc_func_set(get_zeros);
  SuiteSparse_config_realloc_func_set(resize), SuiteSparse_config_free_func_set(give_back);
#endif
}

/* Room for as much as the arena wanted for A, and for what larger matrices will, in proportion, the next
 * time; where there is none, nothing is lost. */
static void grow(hn_lu_scratch *scratch, const arena *a, const hn_lu_matrix *A)
{
  const double ratio = (small + (double)scratch->most) / (small + (double)A->start[A->n]);
  if (a->wanted <= scratch->size) return;
  const size_t size = (size_t)(1.5 * (double)a->wanted * (ratio > 1.0 ? ratio : 1.0));
  void *memory = malloc(size);
  if (!memory) return;
  free(scratch->memory);
  scratch->memory = memory, scratch->size = size;
}

/* ---- The solution -------------------------------------------------------------------------------------- */

static hn_reason reason_of(const klu_common *common)
{
  return common->status == KLU_OUT_OF_MEMORY || common->status == KLU_TOO_LARGE ? HN_FULL : HN_SINGULAR;
}

static hn_reason solve(const hn_lu_matrix *A, double *x)
{
  klu_common common;
  klu_defaults(&common);
  klu_symbolic *symbolic = klu_analyze(A->n, A->start, A->row, &common);
  klu_numeric *numeric = symbolic ? klu_factor(A->start, A->row, A->value, symbolic, &common) : NULL;
  hn_reason reason = numeric && common.status == KLU_OK ? HN_CONVERGED : reason_of(&common);
  if (reason == HN_CONVERGED && !klu_solve(symbolic, numeric, A->n, 1, x, &common))
    reason = reason_of(&common);
  klu_free_numeric(&numeric, &common);
  klu_free_symbolic(&symbolic, &common);
  return reason;
}

hn_reason hn_klu_solve(const hn_lu_matrix *A, hn_lu_scratch *scratch, double *x)
{
  arena a = { .memory = scratch->memory, .size = scratch->size };
  pthread_once(&installed, install);
  current = &a;
  hn_reason reason = solve(A, x);
  current = NULL;
  grow(scratch, &a, A);
  return reason;
}
