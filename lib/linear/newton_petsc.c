/* newton_petsc.c - Newton's method by PETSc's SNES, in the module hn_petsc.
 *
 * SNESNEWTONLS with the requested line search. Linear systems are solved by PETSc's block LU (BAIJ) in the
 * given order, whose symbolic phase is done once; there is no pivoting between blocks. The caller's test of
 * convergence replaces those of SNES, which decides only on the step length and on the failure of a line
 * search. Its convergence reasons are ignored, because the critical point search reports convergence by a
 * test of its own. */
#include "linear/newton_matrix.h"
#include "linear/petsc_memory.h"
#include "linear/petsc_start.h"

#include <petscsnes.h>
#include <stdlib.h>
#include <string.h>

typedef struct newton {
  hn_newton_problem problem;
  SNES snes;
  Mat M;
  Vec x, F;
  PetscOptions options;     /* empty, so that options of a host do not reach SNES */
  bool accepted;            /* by the caller, in this solve */
  hn_petsc_scratch scratch; /* of numeric factorisations */
} newton;

static PetscErrorCode residual(SNES snes, Vec x, Vec F, void *self)
{
  newton *s = self;
  const PetscScalar *at;
  PetscScalar *value;
  (void)snes;
  PetscErrorCode code = VecGetArrayRead(x, &at);
  if (!code) code = VecGetArray(F, &value);
  if (code) return code;
  s->problem.residual(s->problem.user, at, value);
  code = VecRestoreArray(F, &value);
  return code ? code : VecRestoreArrayRead(x, &at);
}

/* Notifies PETSc that values have changed in its storage. */
static PetscErrorCode notify_values(Mat M)
{
  PetscErrorCode code = MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY);
  return code ? code : MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY);
}

/* Computes M at the present iterate. */
static PetscErrorCode derivative(newton *s)
{
  Vec x;
  const PetscScalar *at;
  PetscErrorCode code = SNESGetSolution(s->snes, &x);
  if (!code) code = VecGetArrayRead(x, &at);
  if (code) return code;
  s->problem.derivative(s->problem.user, at);
  code = VecRestoreArrayRead(x, &at);
  return code ? code : notify_values(s->M);
}

/* Tests convergence, and computes M if the iteration continues. SNES would look up a dozen options for tests
 * and views of the matrix, which cost more than computing M for few joints. */
static PetscErrorCode judge(SNES snes, PetscInt iteration, PetscReal xnorm, PetscReal step, PetscReal norm,
                            SNESConvergedReason *reason, void *self)
{
  newton *s = self;
  Vec F;
  const PetscScalar *value;
  (void)xnorm, (void)step, (void)norm;
  PetscErrorCode code = SNESGetFunction(snes, &F, NULL, NULL);
  if (!code) code = VecGetArrayRead(F, &value);
  if (code) return code;
  hn_newton_verdict verdict = s->problem.judge(s->problem.user, (int)iteration, value);
  s->accepted = verdict == HN_NEWTON_ACCEPT;
  *reason = s->accepted                 ? SNES_CONVERGED_FNORM_ABS
            : verdict == HN_NEWTON_FAIL ? SNES_DIVERGED_DTOL
                                        : SNES_CONVERGED_ITERATING;
  code = VecRestoreArrayRead(F, &value);
  bool again = verdict == HN_NEWTON_CONTINUE && iteration < s->problem.iterations;
  return code || !again ? code : derivative(s);
}

/* Creates a matrix with the problem's pattern; from now on the problem stores its values there. */
static PetscErrorCode create_matrix(newton *s)
{
  hn_block_matrix *M = s->problem.M;
  PetscScalar *value;
  PetscInt n = M->n * M->bs;
  PetscErrorCode code = MatCreate(PETSC_COMM_SELF, &s->M);
  if (!code) code = MatSetSizes(s->M, n, n, n, n);
  if (!code) code = MatSetType(s->M, MATSEQBAIJ);
  if (!code) code = MatSeqBAIJSetPreallocationCSR(s->M, M->bs, M->start, M->column, NULL);
  if (!code) code = MatSeqBAIJGetArray(s->M, &value);
  if (!code) hn_block_matrix_lend(M, value);
  return code;
}

static PetscErrorCode select_lu(newton *s)
{
  KSP ksp;
  PC pc;
  PetscErrorCode code = SNESGetKSP(s->snes, &ksp);
  if (!code) code = KSPSetType(ksp, KSPPREONLY);
  if (!code) code = KSPGetPC(ksp, &pc);
  if (!code) code = PCSetType(pc, PCLU);
  if (!code) code = PCFactorSetMatSolverType(pc, MATSOLVERPETSC);
  if (!code) code = PCFactorSetMatOrderingType(pc, MATORDERINGNATURAL);
  return code;
}

static PetscErrorCode create_snes(newton *s)
{
  SNESLineSearch search;
  PetscErrorCode code = SNESCreate(PETSC_COMM_SELF, &s->snes);
  if (!code) code = SNESSetType(s->snes, SNESNEWTONLS);
  if (!code) code = SNESSetFunction(s->snes, s->F, residual, s);
  if (!code) code = SNESSetJacobian(s->snes, s->M, s->M, NULL, NULL);
  if (!code) code = SNESSetLagJacobian(s->snes, -1); /* M is computed in judge */
  if (!code) code = SNESSetConvergenceTest(s->snes, judge, s, NULL);
  if (!code) code = SNESSetTolerances(s->snes, 0.0, 0.0, 0.0, s->problem.iterations, PETSC_MAX_INT);
  if (!code) code = SNESGetLineSearch(s->snes, &search);
  if (!code) code = SNESLineSearchSetType(search, s->problem.line_search);
  if (!code) /* residuals have no scale that is small for all problems */
    code = SNESLineSearchSetTolerances(search, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 0.0,
                                       PETSC_DEFAULT, PETSC_DEFAULT);
  if (!code) code = select_lu(s);
  return code ? code : SNESSetUp(s->snes);
}

static void destroy_objects(newton *s)
{
  SNESDestroy(&s->snes);
  MatDestroy(&s->M);
  VecDestroy(&s->x);
  VecDestroy(&s->F);
  PetscOptionsDestroy(&s->options);
}

static void destroy(void *self)
{
  newton *s = self;
  if (hn_petsc_is_running()) destroy_objects(s);
  hn_petsc_scratch_free(&s->scratch);
  free(s);
}

static PetscErrorCode build(newton *s)
{
  PetscErrorCode code = PetscOptionsCreate(&s->options);
  if (!code) code = PetscOptionsPush(s->options);
  if (code) return code;
  code = create_matrix(s);
  if (!code) code = MatCreateVecs(s->M, &s->x, &s->F);
  if (!code) code = create_snes(s);
  PetscErrorCode popped = PetscOptionsPop();
  return code ? code : popped;
}

static void *create(const hn_newton_problem *problem, hn_error *error)
{
  if (hn_petsc_start(error)) return NULL;
  newton *s = calloc(1, sizeof *s);
  if (!s) {
    hn_fail(error, "out of memory");
    return NULL;
  }
  s->problem = *problem;
  hn_petsc_message message;
  PetscErrorCode code = hn_petsc_record_errors(&message);
  if (!code) code = build(s);
  hn_petsc_stop_recording();
  if (!code) return s;
  hn_fail(error, "PETSc: no Newton's method for %d rows", problem->M->n * problem->M->bs);
  destroy(s);
  return NULL;
}

static hn_reason reason_of(const newton *s, SNESConvergedReason why)
{
  if (s->accepted) return HN_CONVERGED;
  if (why == SNES_DIVERGED_LINEAR_SOLVE) return HN_SINGULAR;
  return why == SNES_DIVERGED_FNORM_NAN ? HN_NOT_FINITE : HN_STALLED;
}

static hn_reason solve(void *self, double *x)
{
  newton *s = self;
  const PetscScalar *found;
  SNESConvergedReason why = SNES_CONVERGED_ITERATING;
  PetscInt n = s->problem.M->n * s->problem.M->bs;
  s->accepted = false;
  if (!hn_petsc_is_running()) return HN_INTERRUPTED;
  if (VecSet(s->x, 0.0) || PetscOptionsPush(s->options)) return HN_NOT_FINITE;
  hn_petsc_scratch_use(&s->scratch);
  PetscErrorCode code = SNESSolve(s->snes, NULL, s->x);
  PetscOptionsPop();
  hn_petsc_scratch_use(NULL);
  if (code || SNESGetConvergedReason(s->snes, &why) || VecGetArrayRead(s->x, &found)) return HN_NOT_FINITE;
  memcpy(x, found, sizeof *x * (size_t)n);
  VecRestoreArrayRead(s->x, &found);
  return reason_of(s, why);
}

extern const hn_newton_type hn_petsc_newton;
const hn_newton_type hn_petsc_newton = { .create = create, .solve = solve, .free = destroy };
