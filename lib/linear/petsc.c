/* petsc.c - PETSc behind the linear seam: matrices, factorisations and Krylov methods of module hn_petsc.
 *
 * Direct back ends are one mechanism and a table, {name, matrix type, library}: K is analysed once and factored by
 * Cholesky in MatGetFactor's object, PETSc's own or that of a library it was built with. Matrices are of two types:
 *
 *   sbaij  K's own layout: K is filled in the matrix's array, in blocks and in the given order
 *   aij    compressed rows of the whole matrix, copied from K before each factorisation (full.c)
 *
 * ksp: any KSP and PC, chosen by PETSc options; default cg with incomplete Cholesky, which on a tree is exact. Its
 * matrix is aij, which every PC takes, or sbaij on demand (-mat_type sbaij).
 *
 * PETSc options, which have passed the table of petsc_options.c, belong to one back end: they are the default ones only while
 * its objects are made and set up. */
#include "linear/backend.h"
#include "linear/full.h"
#include "linear/petsc_memory.h"
#include "linear/petsc_start.h"

#include <petscksp.h>
#include <stdlib.h>
#include <string.h>

typedef struct petsc {
  const hn_linear_type *type;
  char *text; /* its options, checked */
  hn_block_matrix *K;
  Mat A, factor;      /* factor: direct only */
  bool in_place;      /* K is filled in the array of A */
  hn_full full;       /* else: how it is copied there */
  PetscScalar *value; /* of A */
  MatFactorInfo info;
  bool direct;
  Vec b, x;         /* share memory with the caller's vector while solving */
  double *solution; /* the array of x */
  KSP ksp;          /* Krylov only */
  PetscOptions options;
  hn_petsc_scratch scratch; /* of numeric factorisations */
} petsc;

static void destroy_objects(petsc *s)
{
  KSPDestroy(&s->ksp);
  MatDestroy(&s->factor);
  MatDestroy(&s->A);
  VecDestroy(&s->b);
  VecDestroy(&s->x);
  PetscOptionsDestroy(&s->options);
}

/* What belongs to one pattern. */
static void forget_pattern(petsc *s)
{
  if (hn_petsc_runs()) destroy_objects(s);
  hn_petsc_scratch_free(&s->scratch);
  s->scratch = (hn_petsc_scratch){ 0 };
  hn_full_free(&s->full);
  s->full = (hn_full){ 0 };
  free(s->solution);
  s->solution = NULL;
}

static void destroy(void *self)
{
  forget_pattern(self);
  free(((petsc *)self)->text);
  free(self);
}

/* ---- The matrix --------------------------------------------------------------------------------------- */

/* Tells PETSc that the values behind its back have changed. */
static PetscErrorCode announce_values(petsc *s)
{
  if (!s->in_place) hn_full_values(&s->full, s->K->value, s->value);
  PetscErrorCode code = MatAssemblyBegin(s->A, MAT_FINAL_ASSEMBLY);
  if (!code) code = MatAssemblyEnd(s->A, MAT_FINAL_ASSEMBLY);
  return code;
}

/* Some positive definite K with all of its pattern, to analyse and to try options on before the first true one. */
static PetscErrorCode invent_values(petsc *s)
{
  hn_block_matrix *K = s->K;
  int bs = K->bs;
  for (int k = 0; k < K->start[K->n] * bs * bs; k++) K->value[k] = -0.5 / (K->n * bs);
  for (int row = 0; row < K->n; row++)
    for (int r = 0; r < bs; r++) K->value[K->start[row] * bs * bs + r * bs + r] = 1.0;
  return announce_values(s);
}

static PetscErrorCode lay_out_blocks(petsc *s)
{
  hn_block_matrix *K = s->K;
  PetscErrorCode code = MatSeqSBAIJSetPreallocationCSR(s->A, K->bs, K->start, K->column, NULL);
  if (!code) code = MatSeqSBAIJGetArray(s->A, &s->value);
  if (!code) hn_block_matrix_lend(K, s->value);
  return code;
}

static PetscErrorCode lay_out_rows(petsc *s)
{
  if (hn_full_create(&s->full, s->K)) return PETSC_ERR_MEM;
  PetscErrorCode code = MatSeqAIJSetPreallocationCSR(s->A, s->full.start, s->full.column, NULL);
  if (!code) code = MatSeqAIJGetArray(s->A, &s->value);
  return code;
}

/* A of the type given, or of that of -mat_type. */
static PetscErrorCode make_matrix(petsc *s, const char *type)
{
  PetscInt n = s->K->n * s->K->bs;
  PetscBool sbaij = PETSC_FALSE;
  PetscErrorCode code = MatCreate(PETSC_COMM_SELF, &s->A);
  if (!code) code = PetscObjectSetOptions((PetscObject)s->A, s->options);
  if (!code) code = MatSetSizes(s->A, n, n, n, n);
  if (!code) code = MatSetType(s->A, type);
  if (!code && !s->direct) code = MatSetFromOptions(s->A);
  if (!code) code = PetscObjectTypeCompare((PetscObject)s->A, MATSEQSBAIJ, &sbaij);
  s->in_place = sbaij;
  if (!code) code = sbaij ? lay_out_blocks(s) : lay_out_rows(s);
  if (!code) code = MatSetOption(s->A, MAT_SYMMETRIC, PETSC_TRUE);
  if (!code) code = MatSetOption(s->A, MAT_SPD, PETSC_TRUE);
  return code;
}

static PetscErrorCode make_vectors(petsc *s)
{
  PetscInt n = s->K->n * s->K->bs;
  s->solution = calloc((size_t)n, sizeof *s->solution);
  if (!s->solution) return PETSC_ERR_MEM;
  PetscErrorCode code = VecCreateSeqWithArray(PETSC_COMM_SELF, 1, n, NULL, &s->b);
  if (!code) code = VecCreateSeqWithArray(PETSC_COMM_SELF, 1, n, s->solution, &s->x);
  return code;
}

/* ---- Options and errors ------------------------------------------------------------------------------- */

/* No setting is ignored in silence: an option nobody asked for is an error. */
static int all_options_used(petsc *s, hn_error *error)
{
  PetscInt left = 0;
  char **names = NULL, **values = NULL;
  if (PetscOptionsLeftGet(s->options, &left, &names, &values)) return 0;
  int status = left > 0 ? hn_fail(error, "PETSc knows no use for the option -%s", names[0]) : 0;
  PetscOptionsLeftRestore(s->options, &left, &names, &values);
  return status;
}

static int explain(const petsc *s, const char *options, PetscErrorCode code, const char *text,
                   hn_error *error)
{
  if (code == PETSC_ERR_MEM)
    return hn_fail(error, "PETSc: no memory for a matrix of %d rows", s->K->n * s->K->bs);
  if (!*text) PetscErrorMessage(code, &text, NULL);
  if (!*options)
    return hn_fail(error, "PETSc: cannot analyse a matrix of %d rows: %s", s->K->n * s->K->bs, text);
  return hn_fail(error, "PETSc does not accept the options \"%s\" here: %s", options, text);
}

/* Makes everything with the options in force: MAKE gets the matrix with invented values. */
static PetscErrorCode build(petsc *s, PetscErrorCode (*make)(petsc *))
{
  PetscErrorCode code = PetscOptionsCreate(&s->options);
  if (!code) code = PetscOptionsInsertString(s->options, s->text);
  if (!code) code = PetscOptionsPush(s->options);
  if (code) return code;
  code = make(s);
  PetscErrorCode popped = PetscOptionsPop();
  return code ? code : popped;
}

static void *create(const hn_linear_type *type, const char *options, hn_error *error)
{
  if (hn_petsc_start(error)) return NULL;
  petsc *s = calloc(1, sizeof *s);
  if (s) s->type = type, s->text = strdup(options);
  if (s && s->text) return s;
  free(s);
  hn_fail(error, "out of memory");
  return NULL;
}

static int analyse_with(petsc *s, hn_block_matrix *K, PetscErrorCode (*make)(petsc *), hn_error *error)
{
  forget_pattern(s);
  s->K = K;
  hn_petsc_complaint complaint;
  PetscErrorCode code = hn_petsc_listen(&complaint);
  if (!code) code = build(s, make);
  hn_petsc_ignore();
  return code ? explain(s, s->text, code, complaint.text, error) : all_options_used(s, error);
}

/* Runs APPLY with b on the caller's array and x on ours, and hands the solution back. */
static hn_reason with_vectors(petsc *s, double *x, hn_reason (*apply)(petsc *))
{
  PetscInt n = 0;
  if (!hn_petsc_runs()) return HN_INTERRUPTED;
  if (VecGetSize(s->x, &n) || VecPlaceArray(s->b, x)) return HN_NOT_FINITE;
  hn_reason reason = apply(s);
  VecResetArray(s->b);
  if (reason == HN_CONVERGED) memcpy(x, s->solution, sizeof *x * (size_t)n);
  return reason;
}

/* ---- Direct ------------------------------------------------------------------------------------------- */

typedef struct library {
  const char *matrix, *name; /* PETSc's words for the type of A and for the library */
} library;

static const library petsc_itself = { MATSEQSBAIJ, MATSOLVERPETSC }, mumps = { MATSEQSBAIJ, MATSOLVERMUMPS },
                     cholmod = { MATSEQAIJ, MATSOLVERCHOLMOD };

/* K is in elimination order already; libraries that choose their own do not look at the one they get here. */
static PetscErrorCode analyse_pattern(petsc *s, const library *by)
{
  IS order = NULL, same = NULL;
  PetscErrorCode code = MatGetOrdering(s->A, MATORDERINGNATURAL, &order, &same);
  if (!code) code = MatGetFactor(s->A, by->name, MAT_FACTOR_CHOLESKY, &s->factor);
  if (!code) code = MatFactorInfoInitialize(&s->info);
  s->info.fill = 1.0;
  if (!code) code = MatCholeskyFactorSymbolic(s->factor, s->A, order, &s->info);
  ISDestroy(&order);
  ISDestroy(&same);
  return code;
}

static PetscErrorCode factor_values(petsc *s)
{
  PetscErrorCode code = announce_values(s);
  return code ? code : MatCholeskyFactorNumeric(s->factor, s->A, &s->info);
}

/* The invented values are factored too: what a library cannot do with its options shows here, not in the first step. */
static PetscErrorCode make_direct(petsc *s)
{
  const library *by = s->type->detail;
  s->direct = true;
  PetscErrorCode code = make_vectors(s);
  if (!code) code = make_matrix(s, by->matrix);
  if (!code) code = invent_values(s);
  if (!code) code = analyse_pattern(s, by);
  return code ? code : factor_values(s);
}

static int analyse_direct(void *self, hn_block_matrix *K, hn_error *error)
{
  return analyse_with(self, K, make_direct, error);
}

static hn_reason factor_direct(void *self)
{
  petsc *s = self;
  if (!hn_petsc_runs()) return HN_INTERRUPTED;
  if (MatFactorClearError(s->factor)) return HN_NOT_FINITE; /* else a zero pivot is remembered for good */
  hn_petsc_scratch_use(&s->scratch);
  PetscErrorCode code = factor_values(s);
  hn_petsc_scratch_use(NULL);
  if (code) return HN_SINGULAR;
  MatFactorError failure = MAT_FACTOR_NOERROR;
  if (MatFactorGetError(s->factor, &failure) || failure != MAT_FACTOR_NOERROR) return HN_SINGULAR;
  return HN_CONVERGED;
}

static hn_reason apply_direct(petsc *s)
{
  return MatSolve(s->factor, s->b, s->x) ? HN_NOT_FINITE : HN_CONVERGED;
}

static hn_reason solve_direct(void *self, double *x)
{
  return with_vectors(self, x, apply_direct);
}

/* ---- ksp: Krylov -------------------------------------------------------------------------------------- */

static PetscErrorCode make_ksp(petsc *s)
{
  PC pc;
  PetscErrorCode code = KSPCreate(PETSC_COMM_SELF, &s->ksp);
  if (!code) code = PetscObjectSetOptions((PetscObject)s->ksp, s->options);
  if (!code) code = KSPSetOperators(s->ksp, s->A, s->A);
  if (!code) code = KSPSetType(s->ksp, KSPCG);
  if (!code) code = KSPGetPC(s->ksp, &pc);
  if (!code) code = PetscObjectSetOptions((PetscObject)pc, s->options);
  if (!code) code = PCSetType(pc, PCICC);
  if (!code) code = KSPSetTolerances(s->ksp, 1e-14, 1e-300, PETSC_DEFAULT, PETSC_DEFAULT);
  if (!code) code = KSPSetFromOptions(s->ksp);
  return code;
}

/* Some options are first looked at when the preconditioner is set up: a KSP is set up for trial, and thrown away so
 * that nothing learnt from invented values stays. */
static PetscErrorCode make_krylov(petsc *s)
{
  PetscErrorCode code = make_vectors(s);
  if (!code) code = make_matrix(s, MATSEQAIJ);
  if (!code) code = invent_values(s);
  if (!code) code = make_ksp(s);
  if (code || !*s->text) return code;
  code = KSPSetUp(s->ksp);
  if (!code) code = KSPDestroy(&s->ksp);
  return code ? code : make_ksp(s);
}

static int analyse_ksp(void *self, hn_block_matrix *K, hn_error *error)
{
  return analyse_with(self, K, make_krylov, error);
}

static hn_reason factor_ksp(void *self)
{
  petsc *s = self;
  if (!hn_petsc_runs()) return HN_INTERRUPTED;
  hn_petsc_scratch_use(&s->scratch);
  PetscErrorCode code = PetscOptionsPush(s->options);
  if (code) return HN_NOT_FINITE;
  code = announce_values(s);
  if (!code) code = KSPSetOperators(s->ksp, s->A, s->A);
  if (!code) code = KSPSetUp(s->ksp);
  PetscOptionsPop();
  hn_petsc_scratch_use(NULL);
  return code ? HN_SINGULAR : HN_CONVERGED;
}

static hn_reason apply_ksp(petsc *s)
{
  KSPConvergedReason why = KSP_CONVERGED_ITERATING;
  if (KSPSolve(s->ksp, s->b, s->x) || KSPGetConvergedReason(s->ksp, &why)) return HN_NOT_FINITE;
  if (why == KSP_DIVERGED_INDEFINITE_MAT || why == KSP_DIVERGED_INDEFINITE_PC ||
      why == KSP_DIVERGED_PC_FAILED)
    return HN_SINGULAR;
  return why > 0 ? HN_CONVERGED : HN_STALLED;
}

static hn_reason solve_ksp(void *self, double *x)
{
  return with_vectors(self, x, apply_ksp);
}

#define DIRECT(called, by)                                                                               \
  {                                                                                                      \
    .name = called, .detail = &by, .create = create, .analyse = analyse_direct, .factor = factor_direct, \
    .solve = solve_direct, .free = destroy                                                               \
  }

extern const hn_linear_type hn_petsc_backends[];
const hn_linear_type hn_petsc_backends[] = {
  DIRECT("petsc", petsc_itself),
  { .name = "ksp",
    .create = create,
    .analyse = analyse_ksp,
    .factor = factor_ksp,
    .solve = solve_ksp,
    .free = destroy },
  DIRECT("mumps", mumps),
  DIRECT("cholmod", cholmod),
  { .name = NULL },
};
