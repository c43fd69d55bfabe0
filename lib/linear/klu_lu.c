/* klu_lu.c - module hn_klu: LU factors by KLU that are kept for many solutions (sparse_lu.h).
 *
 * The pattern is analysed once; the factor stands in an arena that is used again for the next one. */
#include "linear/klu_memory.h"
#include "linear/sparse_lu.h"

#include <stdlib.h>
#include <suitesparse/klu.h>

extern const hn_klu_module hn_klu_lu;

/* Memory reserved at first, of that of a factor without pivoting: KLU enlarges the arrays of a factor by
 * copying them. */
static const double reserve_factor = 4.0;

struct hn_klu_factor {
  hn_lu_pattern pattern;
  bool is_complex;
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric; /* NULL: none */
  hn_klu_arena arena;
};

static void free_numeric(hn_klu_factor *lu)
{
  if (lu->is_complex) klu_z_free_numeric(&lu->numeric, &lu->common);
  else klu_free_numeric(&lu->numeric, &lu->common);
}

static void destroy(hn_klu_factor *lu)
{
  hn_klu_enter(&lu->arena);
  if (lu->numeric) free_numeric(lu);
  hn_klu_leave();
  if (lu->symbolic) klu_free_symbolic(&lu->symbolic, &lu->common);
  free(lu->arena.memory);
  free(lu);
}

/* Returns the bytes to reserve: of the numbers and indices of L and U as the analysis estimates them, and of
 * some arrays of the size of a column. */
static size_t estimate(const hn_klu_factor *lu)
{
  const double numbers = lu->symbolic->lnz > 0.0 ? lu->symbolic->lnz + lu->symbolic->unz : 0.0,
               each = sizeof(int) + (lu->is_complex ? 2.0 : 1.0) * sizeof(double);
  return 4096 + (size_t)(reserve_factor * each *
                         (numbers + 16.0 * lu->pattern.n + lu->pattern.start[lu->pattern.n]));
}

static hn_klu_factor *create(const hn_lu_pattern *pattern, bool is_complex)
{
  hn_klu_factor *lu = calloc(1, sizeof *lu);
  if (!lu) return NULL;
  lu->pattern = *pattern;
  lu->is_complex = is_complex;
  klu_defaults(&lu->common);
  if (pattern->ordered) lu->common.btf = 0; /* a matching of rows with columns would change the order */
  int *start = (int *)pattern->start, *row = (int *)pattern->row;
  lu->symbolic = pattern->ordered ? klu_analyze_given(pattern->n, start, row, NULL, NULL, &lu->common)
                                  : klu_analyze(pattern->n, start, row, &lu->common);
  if (lu->symbolic) lu->arena.memory = malloc(estimate(lu));
  if (lu->arena.memory) {
    lu->arena.size = estimate(lu);
    return lu;
  }
  destroy(lu);
  return NULL;
}

/* Empties the arena, and enlarges it if the last factor did not fit. */
static void empty_arena(hn_klu_arena *arena)
{
  char *larger = arena->wanted > arena->size ? malloc(2 * arena->wanted) : NULL;
  if (larger) {
    free(arena->memory);
    arena->memory = larger, arena->size = 2 * arena->wanted;
  }
  arena->used = arena->wanted = 0;
}

static hn_reason factor(hn_klu_factor *lu, const double *value)
{
  int *start = (int *)lu->pattern.start, *row = (int *)lu->pattern.row;
  hn_klu_enter(&lu->arena);
  if (lu->numeric) free_numeric(lu);
  empty_arena(&lu->arena);
  lu->numeric = lu->is_complex ? klu_z_factor(start, row, (double *)value, lu->symbolic, &lu->common)
                               : klu_factor(start, row, (double *)value, lu->symbolic, &lu->common);
  hn_klu_leave();
  if (lu->numeric && lu->common.status == KLU_OK) return HN_CONVERGED;
  const bool memory = lu->common.status == KLU_OUT_OF_MEMORY || lu->common.status == KLU_TOO_LARGE;
  return memory ? HN_NO_MEMORY : HN_SINGULAR;
}

static void solve(hn_klu_factor *lu, double *x)
{
  const int n = lu->pattern.n;
  if (lu->is_complex) klu_z_solve(lu->symbolic, lu->numeric, n, 1, x, &lu->common);
  else klu_solve(lu->symbolic, lu->numeric, n, 1, x, &lu->common);
}

const hn_klu_module hn_klu_lu = { create, destroy, factor, solve };
