/* klu.c - module hn_klu: sparse LU factorisation with pivoting by KLU, which uses no BLAS: the bits are
 * reproducible.
 *
 * KLU allocates in every analysis and factorisation, and no step may allocate. SuiteSparse lets us replace
 * malloc for the whole process. While a thread is in this module, its requests are served from the scratch
 * memory of the solution, one piece behind the other. Requests that do not fit there, and those of other
 * threads, go to the previous functions. No piece is kept beyond the call. [Davis and Palamadai Natarajan,
 * ACM Trans. Math. Softw. 37 (2010) 36] */
#include "contact/newton/unsymmetric.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/klu.h>

hn_lu_solve hn_klu_solve;

/* Added to the numbers of a matrix to estimate its memory: a fixed part, so that small ones are not
 * underestimated. */
static const double fixed_numbers = 100;
/* Memory reserved, of the estimate: pivoting fills a later matrix more. */
static const double reserve_factor = 1.5;

/* ---- Memory -------------------------------------------------------------------------------------------- */

typedef struct arena {
  char *memory;
  size_t size, used;
  size_t wanted; /* sum of all requests; freed pieces are not reused */
} arena;

/* Header of each piece. */
typedef union head {
  size_t size; /* of the piece */
  max_align_t unused;
} head;

static _Thread_local arena *current; /* of the solution of this thread; NULL outside */
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
  arena *a = current;
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

/* Replaces the scratch memory by one large enough for the requests of A, and in proportion for the largest
 * matrix to come, if it was too small. Without memory it stays as it is. */
static void grow(hn_lu_scratch *scratch, const arena *a, const hn_lu_matrix *A)
{
  const double ratio = (fixed_numbers + (double)scratch->most) / (fixed_numbers + (double)A->start[A->n]);
  if (a->wanted <= scratch->size) return;
  const size_t size = (size_t)(reserve_factor * (double)a->wanted * (ratio > 1.0 ? ratio : 1.0));
  void *memory = malloc(size);
  if (!memory) return;
  free(scratch->memory);
  scratch->memory = memory, scratch->size = size;
}

/* ---- The solution -------------------------------------------------------------------------------------- */

static hn_reason reason_of(const klu_common *common)
{
  return common->status == KLU_OUT_OF_MEMORY || common->status == KLU_TOO_LARGE ? HN_NO_MEMORY : HN_SINGULAR;
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
