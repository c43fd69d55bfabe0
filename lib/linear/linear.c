/* linear.c - common interface of the linear back ends: selection by name, permutation, and a test for
 * singularity.
 *
 * Libraries are not trusted to detect a singular K (several do not). After each factorisation one probe is
 * solved,
 *
 *   K y = D^1/2 s,  D = diag K,  s = +-1/2 to +-3/2 in a fixed irregular pattern;   growth = max |D^1/2 y|
 *
 * that is, the inverse of the scaled matrix D^-1/2 K D^-1/2, which has unit diagonal and no units, is applied
 * to s. A growth above 1e12 means that a pivot is a rounding error: K is numerically singular. */
#include "linear/linear.h"
#include "base/module.h"
#include "base/random.h"
#include "base/vec.h"
#include "linear/petsc_options.h"

#include <stdlib.h>
#include <string.h>

static const double max_growth = 1e12;

/* A table, so that a listing need not load a module. */
static const hn_linear_info backends[] = {
  { "ldl", "block L D L' in the elimination order of the joints, without a library; the fastest", false,
    false },
#ifdef HN_WITH_PETSC
  { "petsc", "PETSc direct: block Cholesky (SBAIJ) in the same order", true, false },
  { "ksp",
    "PETSc Krylov solvers and preconditioners by option (petsc=...); default cg with incomplete Cholesky",
    true, false },
#endif
  { "dense", "GSL: dense Cholesky; for small systems and as a cross-check", false, false },
#ifdef HN_WITH_PETSC
  { "mumps", "MUMPS through PETSc: multifrontal Cholesky, of blocks", true, true },
  { "cholmod", "CHOLMOD (SuiteSparse) through PETSc: simplicial or supernodal Cholesky", true, true },
#endif
};

const char *hn_linear_missing_library(const char *name)
{
#ifndef HN_WITH_PETSC
  static const char *const left_out[] = { "petsc", "ksp", "mumps", "cholmod" };
  for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
    if (strcmp(name, left_out[i]) == 0) return "PETSc";
#endif
  (void)name;
  return NULL;
}

const hn_linear_info *hn_linear_backends(size_t *count)
{
  *count = sizeof backends / sizeof *backends;
  return backends;
}

static const hn_linear_type *find_in_module(const char *name, hn_error *error)
{
  const hn_linear_type *type = hn_petsc_symbol(HN_PETSC_BACKENDS, error);
  if (!type) return NULL;
  for (; type->name; type++)
    if (strcmp(type->name, name) == 0) return type;
  hn_fail(error, "the linear back end \"%s\" is not in hn_petsc.so", name);
  return NULL;
}

static const hn_linear_info *find_info(const char *name, hn_error *error)
{
  const char *names[sizeof backends / sizeof *backends];
  size_t count = sizeof names / sizeof *names;
  for (size_t i = 0; i < count; i++) {
    names[i] = backends[i].name;
    if (strcmp(name, names[i]) == 0) return &backends[i];
  }
  const char *library = hn_linear_missing_library(name), *near = hn_nearest(name, names, count);
  if (library)
    hn_fail(error, "Holonom was built without linear=%s: install %s and build it again", name, library);
  else
    hn_fail(error,
            near ? "no linear back end \"%s\"; did you mean \"%s\"?"
                 : "no linear back end \"%s\"; see holonom list linear",
            name, near);
  return NULL;
}

static const hn_linear_type *find_type(const hn_linear_options *options, hn_error *error)
{
  const hn_linear_info *info = find_info(options->backend, error);
  if (!info) return NULL;
  if (*options->petsc && !info->takes_options) {
    hn_fail(error, "linear=%s takes no PETSc options; petsc, ksp, mumps and cholmod do", info->name);
    return NULL;
  }
  if (strcmp(info->name, hn_linear_ldl.name) == 0) return &hn_linear_ldl;
  if (strcmp(info->name, hn_linear_dense.name) == 0) return &hn_linear_dense;
  return find_in_module(info->name, error);
}

/* Creates the back end if there are rows, with checked options. Options are checked in any case. */
static int create_backend(hn_linear *linear, const hn_system *s, const hn_linear_options *options,
                          hn_error *error)
{
  char *petsc = hn_petsc_options_read(options->petsc, error);
  if (!petsc) return -1;
  if (s->max_rows > 0) linear->self = linear->type->create(linear->type, petsc, error);
  free(petsc);
  return s->max_rows == 0 || linear->self ? 0 : -1;
}

hn_linear *hn_linear_create(const hn_system *s, const hn_linear_options *options, hn_error *error)
{
  const hn_linear_type *type = find_type(options, error);
  if (!type) return NULL;
  hn_linear *linear = calloc(1, sizeof *linear);
  if (!linear) {
    hn_fail(error, "out of memory");
    return NULL;
  }
  linear->type = type;
  linear->splits = options->redundancy == HN_LOOP_SPLIT;
  linear->can_uncouple = s->parts->nreleased > 0 || s->model->max_contacts > 0 ||
                         options->redundancy != HN_REFUSE;
  if (create_backend(linear, s, options, error) == 0 && hn_linear_analyse(linear, s, error) == 0)
    return linear;
  hn_linear_free(linear);
  return NULL;
}

/* Frees the data of the previous pattern. */
static void free_pattern(hn_linear *linear)
{
  hn_assembly_free(&linear->assembly);
  free(linear->work), free(linear->group);
  linear->work = NULL, linear->group = NULL;
}

void hn_linear_free(hn_linear *linear)
{
  if (!linear) return;
  if (linear->self) linear->type->free(linear->self);
  free_pattern(linear);
  free(linear);
}

int hn_linear_analyse(hn_linear *linear, const hn_system *s, hn_error *error)
{
  free_pattern(linear);
  linear->pattern = s->pattern;
  const hn_layout layout = !linear->type->by_constraints ? HN_EVEN
                           : linear->splits              ? HN_BY_CONSTRAINTS
                                                         : HN_WITH_HUBS;
  if (hn_assembly_create(&linear->assembly, s, layout, error)) return -1;
  size_t rows = (size_t)linear->assembly.K.row[linear->assembly.K.n] + 1;
  linear->work = calloc(rows, sizeof *linear->work);
  linear->group = calloc(linear->can_uncouple ? rows : 1, sizeof *linear->group);
  if (!linear->work || !linear->group) return hn_fail(error, "out of memory");
  if (s->nrow == 0) return 0;
  if (linear->type->analyse(linear->self, &linear->assembly.K, error)) return -1;
  hn_assembly_clear(&linear->assembly, s->nrow);
  return 0;
}

static hn_reason probe(hn_linear *linear)
{
  const hn_block_matrix *K = &linear->assembly.K;
  double *y = linear->work, growth = 0.0;
  uint32_t pattern = RANDOM_SEED;
  for (int i = 0; i < K->row[K->n]; i++) {
    double d = K->value[K->diagonal[i]];
    if (!(d > 0)) return isfinite(d) ? HN_SINGULAR : HN_NOT_FINITE;
    y[i] = irregular(&pattern) * sqrt(d);
  }
  hn_reason reason = linear->type->solve(linear->self, y);
  if (reason != HN_CONVERGED) return reason;
  for (int i = 0; i < K->row[K->n]; i++) {
    double scaled = y[i] * y[i] * K->value[K->diagonal[i]];
    if (exceeds(scaled, growth)) growth = scaled;
  }
  return growth <= max_growth * max_growth ? HN_CONVERGED : HN_SINGULAR;
}

/* Multiplies the diagonal of held rows of unilateral and bounded sets by 1 + shift, so that dependent rows
 * can be factored. */
static void shift_diagonal(hn_system *s)
{
  hn_assembly *as = &s->parts->linear->assembly;
  hn_block_matrix *K = &as->K;
  for (const hn_block *block = s->block; block < s->block + s->nblock; block++)
    for (int row = block->row; block->joint->set->kind != HN_ANY && row < block->row + block->n; row++)
      if (s->parts->held[row]) hn_block_matrix_raise(K, as->row_at[row], s->parts->shift);
}

/* K += diag(compliance). */
static void add_compliance(hn_system *s)
{
  hn_assembly *as = &s->parts->linear->assembly;
  for (int row = 0; row < s->nrow; row++)
    hn_block_matrix_add(&as->K, as->row_at[row], s->parts->compliance[row]);
}

void hn_linear_fill(hn_system *s, const int *rows_group)
{
  hn_linear *linear = s->parts->linear;
  hn_assembly_fill(&linear->assembly, s);
  s->work.factorisations++;
  s->work.eliminated += (uint64_t)s->nblock;
  if (s->parts->shift > 0.0) shift_diagonal(s);
  if (s->parts->compliance) add_compliance(s);
  if (s->parts->nreleased == 0 && !rows_group) return;
  for (int i = 0; i < s->nrow; i++)
    linear->group[linear->assembly.row_at[i]] = !s->parts->held[i] ? -1 : rows_group ? rows_group[i] : 0;
  hn_block_matrix_uncouple(&linear->assembly.K, linear->group);
}

hn_reason hn_linear_factor(hn_system *s)
{
  hn_linear *linear = s->parts->linear;
  if (s->nrow == 0) return HN_CONVERGED;
  hn_reason reason = linear->type->factor(linear->self);
  return reason == HN_CONVERGED && !linear->type->detects_singular ? probe(linear) : reason;
}

hn_reason hn_linear_solve(hn_system *s, const double *b, double *p)
{
  hn_linear *linear = s->parts->linear;
  if (s->nrow == 0) return HN_CONVERGED;
  const int *at = linear->assembly.row_at;
  int n = s->nrow, padded = linear->assembly.K.row[linear->assembly.K.n];
  if (padded > n) memset(linear->work, 0, sizeof *linear->work * (size_t)padded);
  for (int i = 0; i < n; i++) linear->work[at[i]] = b[i];
  for (int i = 0; i < n && s->parts->nreleased > 0; i++)
    if (!s->parts->held[i]) linear->work[at[i]] = 0.0;
  hn_reason reason = linear->type->solve(linear->self, linear->work);
  for (int i = 0; i < n; i++) p[i] = linear->work[at[i]];
  return reason;
}

size_t hn_linear_memory(const hn_linear *linear, const hn_system *s)
{
  const hn_assembly *as = &linear->assembly;
  const hn_block_matrix *K = &as->K;
  size_t blocks = (size_t)K->start[K->n], rows = (size_t)K->row[K->n];
  size_t bytes = 2 * sizeof(int) * (blocks + (size_t)K->n) + sizeof(double) * (size_t)K->at[blocks];
  for (int k = 0; k < as->nparts && !as->aligned; k++)
    bytes += sizeof(int) * (size_t)s->block[as->part[k].row_owner].n;
  bytes += sizeof(hn_contribution) * (size_t)as->nparts + (sizeof(double) + 2 * sizeof(int)) * rows;
  bytes += sizeof(int) * (size_t)(s->nrow + s->nblock);
  bytes += (sizeof *as->hubs.body + 9 * sizeof(double)) * (size_t)as->hubs.count;
  bytes += sizeof *as->hub_part * (size_t)as->nhub_parts + (K->scale ? sizeof(double) * rows : 0);
  return linear->type->memory && linear->self ? bytes + linear->type->memory(linear->self) : bytes;
}
