/* linear_petsc.c - PETSc behind the linear seam: matrices and Krylov methods of module hn_petsc.
 *
 * petsc: MATSEQSBAIJ Cholesky by raw Mat calls, K filled in the matrix's own array, in the given order, symbolic phase
 *        once.
 * ksp:   any KSP and PC, chosen by PETSc options; default cg with incomplete Cholesky, which on a tree is exact.
 *
 * PETSc is started once, alone (no mpiexec needed), without its daemon, without its options files and without
 * PETSC_OPTIONS or PETSC_OPTIONS_YAML: nothing outside the command line may change a result. It reports errors by
 * return code. */
#include "linear.h"
#include "petsc_memory.h"

#include <petscksp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* PETSc's and MPI's start-up take 20 times longer when MPI looks for partners on the network. */
static void isolate_mpi(void)
{
  if (getenv("OMPI_COMM_WORLD_SIZE")) return; /* under mpiexec: leave it alone */
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  setenv("OMPI_MCA_btl", "self", 0);
  setenv("OMPI_MCA_pml", "ob1", 0);
}

static void finish_petsc(void)
{
  PetscFinalize();
}

static PetscErrorCode start_petsc(void)
{
  static char name[] = "holonom", skip[] = "-skip_petscrc", quiet[] = "-no_signal_handler";
  static char *arguments[] = { name, skip, quiet, NULL };
  char **argv = arguments;
  int argc = 3;
  isolate_mpi();
  unsetenv("PETSC_OPTIONS");
  unsetenv("PETSC_OPTIONS_YAML");
  PetscErrorCode code = hn_petsc_memory_install();
  if (!code) code = PetscInitialize(&argc, &argv, NULL, NULL);
  if (code) return code;
  atexit(finish_petsc);
  return PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
}

static int need_petsc(hn_error *error)
{
  PetscBool running = PETSC_FALSE;
  PetscInitialized(&running);
  if (running || start_petsc() == 0) return 0;
  return hn_fail(error, "PETSc does not start on this machine");
}

typedef struct petsc {
  Mat A, factor;         /* factor: direct only */
  PetscScalar *value;    /* of A: K is filled there */
  MatFactorInfo info;
  Vec b, x;              /* share memory with the caller's vector while solving */
  double *solution;      /* the array of x */
  KSP ksp;               /* Krylov only */
  PetscOptions options;
  hn_petsc_scratch scratch; /* of numeric factorisations */
} petsc;

static void destroy(void *self)
{
  petsc *s = self;
  KSPDestroy(&s->ksp);
  MatDestroy(&s->factor);
  MatDestroy(&s->A);
  VecDestroy(&s->b);
  VecDestroy(&s->x);
  PetscOptionsDestroy(&s->options);
  hn_petsc_scratch_free(&s->scratch);
  free(s->solution);
  free(s);
}

/* The matrix, whose array becomes K's, and the two vectors. */
static PetscErrorCode make_objects(petsc *s, hn_block_matrix *K)
{
  PetscInt n = K->n * K->bs;
  PetscErrorCode code = MatCreate(PETSC_COMM_SELF, &s->A);
  if (!code) code = MatSetSizes(s->A, n, n, n, n);
  if (!code) code = MatSetType(s->A, MATSEQSBAIJ);
  if (!code) code = MatSeqSBAIJSetPreallocationCSR(s->A, K->bs, K->start, K->column, NULL);
  if (!code) code = MatSeqSBAIJGetArray(s->A, &s->value);
  if (!code) code = MatSetOption(s->A, MAT_SYMMETRIC, PETSC_TRUE);
  if (!code) code = MatSetOption(s->A, MAT_SPD, PETSC_TRUE);
  if (!code) code = VecCreateSeqWithArray(PETSC_COMM_SELF, 1, n, NULL, &s->b);
  if (!code) code = VecCreateSeqWithArray(PETSC_COMM_SELF, 1, n, s->solution, &s->x);
  return code;
}

static petsc *create_common(hn_block_matrix *K, hn_error *error)
{
  if (need_petsc(error)) return NULL;
  petsc *s = calloc(1, sizeof *s);
  if (s) s->solution = calloc((size_t)(K->n * K->bs), sizeof *s->solution);
  if (s && s->solution && make_objects(s, K) == 0) {
    hn_block_matrix_lend(K, s->value);
    return s;
  }
  hn_fail(error, "PETSc: no memory for a matrix of %d rows", K->n * K->bs);
  if (s) destroy(s);
  return NULL;
}

/* Tells PETSc that the values behind its back have changed. */
static PetscErrorCode announce_values(petsc *s)
{
  PetscErrorCode code = MatAssemblyBegin(s->A, MAT_FINAL_ASSEMBLY);
  if (!code) code = MatAssemblyEnd(s->A, MAT_FINAL_ASSEMBLY);
  return code;
}

/* ---- petsc: direct ----------------------------------------------------------------------------------------------- */

static PetscErrorCode analyse(petsc *s)
{
  IS order = NULL, same = NULL;
  PetscErrorCode code = MatGetOrdering(s->A, MATORDERINGNATURAL, &order, &same);
  if (!code) code = MatGetFactor(s->A, MATSOLVERPETSC, MAT_FACTOR_CHOLESKY, &s->factor);
  if (!code) code = MatFactorInfoInitialize(&s->info);
  s->info.fill = 1.0;
  if (!code) code = MatCholeskyFactorSymbolic(s->factor, s->A, order, &s->info);
  ISDestroy(&order);
  ISDestroy(&same);
  return code;
}

static void *create_direct(hn_block_matrix *K, const char *options, hn_error *error)
{
  (void)options;
  petsc *s = create_common(K, error);
  if (!s || (announce_values(s) == 0 && analyse(s) == 0)) return s;
  hn_fail(error, "PETSc: cannot analyse a matrix of %d rows", K->n * K->bs);
  destroy(s);
  return NULL;
}

static hn_reason factor_direct(void *self)
{
  petsc *s = self;
  hn_petsc_scratch_use(&s->scratch);
  PetscErrorCode code = announce_values(s);
  if (!code) code = MatCholeskyFactorNumeric(s->factor, s->A, &s->info);
  hn_petsc_scratch_use(NULL);
  if (code) return HN_SINGULAR;
  MatFactorError failure = MAT_FACTOR_NOERROR;
  if (MatFactorGetError(s->factor, &failure) || failure != MAT_FACTOR_NOERROR) return HN_SINGULAR;
  return HN_CONVERGED;
}

/* Runs APPLY with b on the caller's array and x on ours, and hands the solution back. */
static hn_reason with_vectors(petsc *s, double *x, hn_reason (*apply)(petsc *))
{
  PetscInt n = 0;
  if (VecGetSize(s->x, &n) || VecPlaceArray(s->b, x)) return HN_NOT_FINITE;
  hn_reason reason = apply(s);
  VecResetArray(s->b);
  if (reason == HN_CONVERGED) memcpy(x, s->solution, sizeof *x * (size_t)n);
  return reason;
}

static hn_reason apply_direct(petsc *s)
{
  return MatSolve(s->factor, s->b, s->x) ? HN_NOT_FINITE : HN_CONVERGED;
}

static hn_reason solve_direct(void *self, double *x)
{
  return with_vectors(self, x, apply_direct);
}

/* ---- ksp: Krylov ------------------------------------------------------------------------------------------------- */

static PetscErrorCode make_ksp(petsc *s, const char *options)
{
  PC pc;
  PetscErrorCode code = PetscOptionsCreate(&s->options);
  if (!code) code = PetscOptionsInsertString(s->options, options);
  if (!code) code = KSPCreate(PETSC_COMM_SELF, &s->ksp);
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

static void *create_ksp(hn_block_matrix *K, const char *options, hn_error *error)
{
  petsc *s = create_common(K, error);
  if (!s) return NULL;
  if (announce_values(s) || make_ksp(s, options)) hn_fail(error, "PETSc does not accept the options \"%s\"", options);
  else if (all_options_used(s, error) == 0) return s;
  destroy(s);
  return NULL;
}

static hn_reason factor_ksp(void *self)
{
  petsc *s = self;
  hn_petsc_scratch_use(&s->scratch);
  PetscErrorCode code = announce_values(s);
  if (!code) code = KSPSetOperators(s->ksp, s->A, s->A);
  if (!code) code = KSPSetUp(s->ksp);
  hn_petsc_scratch_use(NULL);
  return code ? HN_SINGULAR : HN_CONVERGED;
}

static hn_reason apply_ksp(petsc *s)
{
  KSPConvergedReason why = KSP_CONVERGED_ITERATING;
  if (KSPSolve(s->ksp, s->b, s->x) || KSPGetConvergedReason(s->ksp, &why)) return HN_NOT_FINITE;
  if (why == KSP_DIVERGED_INDEFINITE_MAT || why == KSP_DIVERGED_INDEFINITE_PC || why == KSP_DIVERGED_PC_FAILED)
    return HN_SINGULAR;
  return why > 0 ? HN_CONVERGED : HN_STALLED;
}

static hn_reason solve_ksp(void *self, double *x)
{
  return with_vectors(self, x, apply_ksp);
}

extern const hn_linear_type hn_petsc_backends[];
const hn_linear_type hn_petsc_backends[] = {
  { .info = { "petsc", "PETSc direct" }, .create = create_direct, .factor = factor_direct, .solve = solve_direct,
    .free = destroy },
  { .info = { "ksp", "PETSc KSP" }, .takes_options = true, .create = create_ksp, .factor = factor_ksp,
    .solve = solve_ksp, .free = destroy },
  { .info = { NULL, NULL } },
};
