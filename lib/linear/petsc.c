/* petsc.c - PETSc's matrices, factorisations and Krylov methods as linear back ends, in the module hn_petsc.
 *
 * Direct back ends share their functions and differ by {matrix type, library}: K is analysed once and
 * factored by Cholesky, by PETSc or a library that PETSc was built with. There are two types of matrices:
 *
 *   sbaij  K's own layout: K is computed in the matrix's array, in blocks and in the given order
 *   aij    compressed rows of the full matrix, copied from K before each factorisation (full.c)
 *
 * ksp: any KSP and PC, selected by PETSc options; default cg with incomplete Cholesky, which is exact on a
 * tree. Its matrix is aij, which every PC accepts, or sbaij by the option -mat_type sbaij.
 *
 * PETSc options, checked by petsc_options.c, belong to one back end: they are PETSc's default options only
 * while its objects are created and set up. */
#include "linear/backend.h"
#include "linear/full.h"
#include "linear/petsc_memory.h"
#include "linear/petsc_start.h"

#include <petscksp.h>
#include <stdlib.h>
#include <string.h>

typedef struct petsc {
  const hn_linear_type *type;
  char *text; /* its checked options */
  hn_block_matrix *K;
  Mat A, factor;      /* factor: direct back ends only */
  bool in_place;      /* K is stored in the array of A */
  hn_full full;       /* otherwise: map from K to A */
  PetscScalar *value; /* of A */
  MatFactorInfo info;
  bool direct;
  Vec b, x;         /* use the caller's array and `solution` */
  double *solution; /* array of x */
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

/* Frees the data of one pattern. */
static void free_pattern(petsc *s)
{
  if (hn_petsc_is_running()) destroy_objects(s);
  hn_petsc_scratch_free(&s->scratch);
  s->scratch = (hn_petsc_scratch){ 0 };
  hn_full_free(&s->full);
  s->full = (hn_full){ 0 };
  free(s->solution);
  s->solution = NULL;
}

static void destroy(void *self)
{
  free_pattern(self);
  free(((petsc *)self)->text);
  free(self);
}

/* ---- Matrix ------------------------------------------------------------------------------------------- */

/* Notifies PETSc that values have changed in its storage. */
static PetscErrorCode notify_values(petsc *s)
{
  if (!s->in_place) hn_full_values(&s->full, s->K->value, s->value);
  PetscErrorCode code = MatAssemblyBegin(s->A, MAT_FINAL_ASSEMBLY);
  if (!code) code = MatAssemblyEnd(s->A, MAT_FINAL_ASSEMBLY);
  return code;
}

/* Sets K to a positive definite matrix with its full pattern, for analysis and for trying options before the
 * first factorisation. */
static PetscErrorCode set_trial_values(petsc *s)
{
  hn_block_matrix *K = s->K;
  int bs = K->bs;
  for (int k = 0; k < K->start[K->n] * bs * bs; k++) K->value[k] = -0.5 / (K->n * bs);
  for (int row = 0; row < K->n; row++)
    for (int r = 0; r < bs; r++) K->value[K->start[row] * bs * bs + r * bs + r] = 1.0;
  return notify_values(s);
}

static PetscErrorCode preallocate_blocks(petsc *s)
{
  hn_block_matrix *K = s->K;
  PetscErrorCode code = MatSeqSBAIJSetPreallocationCSR(s->A, K->bs, K->start, K->column, NULL);
  if (!code) code = MatSeqSBAIJGetArray(s->A, &s->value);
  if (!code) hn_block_matrix_lend(K, s->value);
  return code;
}

static PetscErrorCode preallocate_rows(petsc *s)
{
  if (hn_full_create(&s->full, s->K)) return PETSC_ERR_MEM;
  PetscErrorCode code = MatSeqAIJSetPreallocationCSR(s->A, s->full.start, s->full.column, NULL);
  if (!code) code = MatSeqAIJGetArray(s->A, &s->value);
  return code;
}

/* Creates A of the given type, or of that of -mat_type. */
static PetscErrorCode create_matrix(petsc *s, const char *type)
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
  if (!code) code = sbaij ? preallocate_blocks(s) : preallocate_rows(s);
  if (!code) code = MatSetOption(s->A, MAT_SYMMETRIC, PETSC_TRUE);
  if (!code) code = MatSetOption(s->A, MAT_SPD, PETSC_TRUE);
  return code;
}

static PetscErrorCode create_vectors(petsc *s)
{
  PetscInt n = s->K->n * s->K->bs;
  s->solution = calloc((size_t)n, sizeof *s->solution);
  if (!s->solution) return PETSC_ERR_MEM;
  PetscErrorCode code = VecCreateSeqWithArray(PETSC_COMM_SELF, 1, n, NULL, &s->b);
  if (!code) code = VecCreateSeqWithArray(PETSC_COMM_SELF, 1, n, s->solution, &s->x);
  return code;
}

/* ---- Options and errors ------------------------------------------------------------------------------- */

/* Reports an option that nothing has used as an error. */
static int check_options_used(petsc *s, hn_error *error)
{
  PetscInt left = 0;
  char **names = NULL, **values = NULL;
  if (PetscOptionsLeftGet(s->options, &left, &names, &values)) return 0;
  int status = left > 0 ? hn_fail(error, "PETSc knows no use for the option -%s", names[0]) : 0;
  PetscOptionsLeftRestore(s->options, &left, &names, &values);
  return status;
}

static int report_error(const petsc *s, const char *options, PetscErrorCode code, const char *text,
                        hn_error *error)
{
  if (code == PETSC_ERR_MEM)
    return hn_fail(error, "PETSc: no memory for a matrix of %d rows", s->K->n * s->K->bs);
  if (!*text) PetscErrorMessage(code, &text, NULL);
  if (!*options)
    return hn_fail(error, "PETSc: cannot analyse a matrix of %d rows: %s", s->K->n * s->K->bs, text);
  return hn_fail(error, "PETSc does not accept the options \"%s\" here: %s", options, text);
}

/* Calls CREATE_OBJECTS with the options in force and trial values in the matrix. */
static PetscErrorCode build(petsc *s, PetscErrorCode (*create_objects)(petsc *))
{
  PetscErrorCode code = PetscOptionsCreate(&s->options);
  if (!code) code = PetscOptionsInsertString(s->options, s->text);
  if (!code) code = PetscOptionsPush(s->options);
  if (code) return code;
  code = create_objects(s);
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

static int analyse_with(petsc *s, hn_block_matrix *K, PetscErrorCode (*create_objects)(petsc *),
                        hn_error *error)
{
  free_pattern(s);
  s->K = K;
  hn_petsc_message message;
  PetscErrorCode code = hn_petsc_record_errors(&message);
  if (!code) code = build(s, create_objects);
  hn_petsc_stop_recording();
  return code ? report_error(s, s->text, code, message.text, error) : check_options_used(s, error);
}

/* Solves by APPLY with b on the caller's array and x on ours; copies the solution. */
static hn_reason solve_with_vectors(petsc *s, double *x, hn_reason (*apply)(petsc *))
{
  PetscInt n = 0;
  if (!hn_petsc_is_running()) return HN_INTERRUPTED;
  if (VecGetSize(s->x, &n) || VecPlaceArray(s->b, x)) return HN_NOT_FINITE;
  hn_reason reason = apply(s);
  VecResetArray(s->b);
  if (reason == HN_CONVERGED) memcpy(x, s->solution, sizeof *x * (size_t)n);
  return reason;
}

/* ---- Direct back ends --------------------------------------------------------------------------------- */

typedef struct library {
  const char *matrix, *name; /* PETSc's names of the type of A and of the library */
} library;

static const library petsc_itself = { MATSEQSBAIJ, MATSOLVERPETSC }, mumps = { MATSEQSBAIJ, MATSOLVERMUMPS },
                     cholmod = { MATSEQAIJ, MATSOLVERCHOLMOD };

/* Analyses K in its order, which is an elimination order already. Libraries with an ordering of their own
 * ignore it. */
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
  PetscErrorCode code = notify_values(s);
  return code ? code : MatCholeskyFactorNumeric(s->factor, s->A, &s->info);
}

/* Creates the objects and factors the trial values, so that options that a library cannot use fail here, not
 * in the first step. */
static PetscErrorCode create_direct(petsc *s)
{
  const library *by = s->type->detail;
  s->direct = true;
  PetscErrorCode code = create_vectors(s);
  if (!code) code = create_matrix(s, by->matrix);
  if (!code) code = set_trial_values(s);
  if (!code) code = analyse_pattern(s, by);
  return code ? code : factor_values(s);
}

static int analyse_direct(void *self, hn_block_matrix *K, hn_error *error)
{
  return analyse_with(self, K, create_direct, error);
}

static hn_reason factor_direct(void *self)
{
  petsc *s = self;
  if (!hn_petsc_is_running()) return HN_INTERRUPTED;
  /* otherwise a zero pivot would be remembered forever */
  if (MatFactorClearError(s->factor)) return HN_NOT_FINITE;
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
  return solve_with_vectors(self, x, apply_direct);
}

/* ---- Krylov methods ----------------------------------------------------------------------------------- */

static PetscErrorCode create_ksp(petsc *s)
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

/* Creates the KSP. Some options are read when the preconditioner is set up: a first KSP is set up on trial
 * and destroyed, so that nothing computed from trial values remains. */
static PetscErrorCode create_krylov(petsc *s)
{
  PetscErrorCode code = create_vectors(s);
  if (!code) code = create_matrix(s, MATSEQAIJ);
  if (!code) code = set_trial_values(s);
  if (!code) code = create_ksp(s);
  if (code || !*s->text) return code;
  code = KSPSetUp(s->ksp);
  if (!code) code = KSPDestroy(&s->ksp);
  return code ? code : create_ksp(s);
}

static int analyse_ksp(void *self, hn_block_matrix *K, hn_error *error)
{
  return analyse_with(self, K, create_krylov, error);
}

static hn_reason factor_ksp(void *self)
{
  petsc *s = self;
  if (!hn_petsc_is_running()) return HN_INTERRUPTED;
  hn_petsc_scratch_use(&s->scratch);
  PetscErrorCode code = PetscOptionsPush(s->options);
  if (code) return HN_NOT_FINITE;
  code = notify_values(s);
  if (!code) code = KSPSetOperators(s->ksp, s->A, s->A);
  if (!code) code = KSPSetUp(s->ksp);
  PetscOptionsPop();
  hn_petsc_scratch_use(NULL);
  return code ? HN_SINGULAR : HN_CONVERGED;
}

static hn_reason apply_ksp(petsc *s)
{
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  if (KSPSolve(s->ksp, s->b, s->x) || KSPGetConvergedReason(s->ksp, &reason)) return HN_NOT_FINITE;
  if (reason == KSP_DIVERGED_INDEFINITE_MAT || reason == KSP_DIVERGED_INDEFINITE_PC ||
      reason == KSP_DIVERGED_PC_FAILED)
    return HN_SINGULAR;
  return reason > 0 ? HN_CONVERGED : HN_STALLED;
}

static hn_reason solve_ksp(void *self, double *x)
{
  return solve_with_vectors(self, x, apply_ksp);
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
