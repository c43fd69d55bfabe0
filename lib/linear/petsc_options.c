/* petsc_options.c - the table of PETSc options that a user or a scene may set, with kind and range of their
 * values.
 *
 * PETSc has more than a thousand options. Some write files, open sockets or wait for a debugger (viewers,
 * monitors, logs; -options_file reads further options). Some print to standard output, which is for results
 * only; some crash for large numbers. A scene may come from anywhere, so only options in this table reach
 * PETSc: types, tolerances, counts, orderings and pivoting, which choose how K p = b is solved.
 *
 * Accepted options are written anew before PETSc reads them, so that no quotation mark, comment or line end
 * can be read differently by PETSc. */
#include "linear/petsc_options.h"
#include "system.h"
#include "base/params.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REAL(name, low, high, help)                 \
  {                                                 \
    name, HN_REAL, 0, "", low, high, "", NULL, help \
  }
#define COUNT(name, low, high, help)                   \
  {                                                    \
    name, HN_INTEGER, 0, "", low, high, "", NULL, help \
  }
#define FLAG(name, help)                       \
  {                                            \
    name, HN_FLAG, 0, "", 0, 0, "", NULL, help \
  }
#define WORD(name, words, help)                   \
  {                                               \
    name, HN_CHOICE, 0, "", 0, 0, "", words, help \
  }
#define ORDERINGS "natural,nd,1wd,rcm,qmd,rowlength,amd"
#define SHIFTS "none,nonzero,positive_definite,inblocks"
static const hn_param table[] = {
  /* matrix and Krylov method */
  WORD("mat_type", "aij,sbaij", "storage of K: compressed rows, or symmetric blocks"),
  WORD("ksp_type",
       "cg,cr,minres,symmlq,gmres,fgmres,gcr,fcg,bcgs,fbcgs,ibcgs,bcgsl,cgs,tfqmr,tcqmr,cgne,lsqr,"
       "richardson,chebyshev,preonly",
       "Krylov method"),
  REAL("ksp_rtol", 0, 1, "relative residual at convergence"),
  REAL("ksp_atol", 0, 1e300, "absolute residual at convergence"),
  REAL("ksp_divtol", 1, 1e300, "relative residual at divergence"),
  COUNT("ksp_max_it", 1, 1e6, "maximum number of iterations"),
  WORD("ksp_norm_type", "none,preconditioned,unpreconditioned,natural", "norm of the convergence test"),
  WORD("ksp_pc_side", "left,right,symmetric", "side of the preconditioner"),
  COUNT("ksp_gmres_restart", 1, 1000, "basis vectors of gmres and fgmres"),
  FLAG("ksp_gmres_modifiedgramschmidt", "modified Gram-Schmidt"),
  WORD("ksp_gmres_cgs_refinement_type", "refine_never,refine_ifneeded,refine_always",
       "second pass of classical Gram-Schmidt"),
  REAL("ksp_gmres_haptol", 0, 1, "tolerance of gmres for a happy breakdown"),
  COUNT("ksp_gcr_restart", 1, 1000, "basis vectors of gcr"),
  COUNT("ksp_fcg_mmax", 1, 1000, "basis vectors of fcg"),
  COUNT("ksp_bcgsl_ell", 1, 20, "degree of bcgsl's polynomials"),
  FLAG("ksp_cg_single_reduction", "one reduction for all inner products of cg"),
  FLAG("ksp_lsqr_exact_mat_norm", "norm of the matrix in lsqr"),
  REAL("ksp_richardson_scale", 1e-12, 1e12, "damping of richardson"),
  FLAG("ksp_richardson_self_scale", "optimal damping of richardson in each iteration"),
  /* preconditioners and factorisations */
  WORD("pc_type", "none,jacobi,pbjacobi,bjacobi,asm,sor,icc,ilu,cholesky,lu,gamg,kaczmarz", "preconditioner"),
  WORD("pc_jacobi_type", "diagonal,rowmax,rowsum", "scaling of jacobi"),
  FLAG("pc_jacobi_abs", "absolute values of the scaling of jacobi"),
  FLAG("pc_jacobi_fixdiagonal", "1 for zero diagonal entries in jacobi"),
  REAL("pc_sor_omega", 1e-3, 1.999, "relaxation factor of sor"),
  COUNT("pc_sor_its", 1, 1000, "sweeps of sor"),
  COUNT("pc_sor_lits", 1, 1000, "sweeps of sor within a process"),
  FLAG("pc_sor_symmetric", "sor forward and backward"),
  FLAG("pc_sor_forward", "sor forward only"),
  FLAG("pc_sor_backward", "sor backward only"),
  COUNT("pc_bjacobi_blocks", 1, 1000, "blocks of bjacobi"),
  COUNT("pc_asm_overlap", 0, 20, "layers of overlap of asm"),
  COUNT("pc_asm_blocks", 1, 1000, "subdomains of asm"),
  WORD("pc_asm_type", "basic,restrict,interpolate,none", "exchange between subdomains of asm"),
  WORD("pc_gamg_type", "agg", "coarsening of gamg"),
  REAL("pc_gamg_threshold", -1, 1, "threshold of strong coupling in gamg"),
  COUNT("pc_gamg_agg_nsmooths", 0, 10, "smoothing steps of the prolongation in gamg"),
  COUNT("pc_gamg_coarse_eq_limit", 1, 1e6, "rows of the coarsest matrix of gamg"),
  COUNT("pc_factor_levels", 0, 1000, "levels of fill of icc and ilu"),
  REAL("pc_factor_fill", 1, 1000, "expected fill"),
  REAL("pc_factor_zeropivot", 0, 1, "largest pivot that counts as zero"),
  WORD("pc_factor_shift_type", SHIFTS, "kind of shift of bad pivots"),
  REAL("pc_factor_shift_amount", 0, 1e300, "size of the shift of bad pivots"),
  WORD("pc_factor_mat_ordering_type", ORDERINGS, "order of elimination"),
  WORD("pc_factor_mat_solver_type", "petsc,mumps,cholmod,klu,umfpack", "library for the factorisation"),
  FLAG("pc_factor_reuse_ordering", "reuse the ordering of the first factorisation"),
  FLAG("pc_factor_reuse_fill", "reuse the fill of the first factorisation"),
  FLAG("pc_factor_diagonal_fill", "fill of the diagonal"),
  /* blocks of bjacobi and asm */
  WORD("sub_ksp_type", "preonly,cg,gmres,richardson", "Krylov method within a block"),
  WORD("sub_pc_type", "none,jacobi,sor,icc,ilu,cholesky,lu", "preconditioner within a block"),
  COUNT("sub_pc_factor_levels", 0, 1000, "levels of fill within a block"),
  WORD("sub_pc_factor_shift_type", SHIFTS, "kind of shift of bad pivots within a block"),
  WORD("sub_pc_factor_mat_ordering_type", ORDERINGS, "order of elimination within a block"),
  /* libraries */
  WORD("mat_cholmod_factor", "auto,simplicial,supernodal", "kind of factorisation"),
  REAL("mat_cholmod_dbound", 0, 1, "smallest absolute value of a pivot"),
  COUNT("mat_cholmod_nmethods", 0, 9, "number of orderings tried"),
  COUNT("mat_mumps_icntl_6", 0, 7, "permutation to a large diagonal"),
  COUNT("mat_mumps_icntl_7", 0, 7, "ordering"),
  COUNT("mat_mumps_icntl_8", -2, 8, "scaling"),
  COUNT("mat_mumps_icntl_10", 0, 100, "steps of iterative refinement"),
  COUNT("mat_mumps_icntl_12", 0, 3, "ordering of symmetric matrices"),
  COUNT("mat_mumps_icntl_14", 0, 1000, "extra memory beyond the estimate, %"),
  REAL("mat_mumps_cntl_1", 0, 1, "threshold of pivoting"),
  REAL("mat_mumps_cntl_2", 0, 1, "stopping criterion of refinement"),
  WORD("mat_klu_ordering", "AMD,COLAMD", "order of elimination"),
  WORD("mat_klu_row_scale", "NONE,SUM,MAX", "scaling"),
  REAL("mat_klu_pivot_tol", 0, 1, "threshold of pivoting"),
  WORD("mat_umfpack_strategy", "AUTO,UNSYMMETRIC,SYMMETRIC", "strategy"),
  WORD("mat_umfpack_ordering", "CHOLMOD,AMD,METIS,BEST,NONE", "order of elimination"),
  WORD("mat_umfpack_scale", "NONE,SUM,MAX", "scaling"),
  REAL("mat_umfpack_pivot_tolerance", 0, 1, "threshold of pivoting"),
  REAL("mat_umfpack_sym_pivot_tolerance", 0, 1, "threshold on the diagonal"),
  COUNT("mat_umfpack_irstep", 0, 100, "steps of refinement"),
  { .key = NULL },
};
enum { NOPTION = sizeof table / sizeof *table - 1 };

const hn_param *hn_petsc_options(void)
{
  return table;
}

static const hn_param *find(const char *name, hn_error *error)
{
  const char *names[NOPTION];
  for (size_t i = 0; i < NOPTION; i++) {
    names[i] = table[i].key;
    if (strcmp(names[i], name) == 0) return &table[i];
  }
  const char *near = hn_nearest(name, names, NOPTION);
  hn_fail(error,
          near ? "PETSc options: -%.60s is not accepted; did you mean -%s?"
               : "PETSc options: -%.60s is not accepted; see holonom list petsc",
          name, near);
  return NULL;
}

/* True for a name as PETSc defines it, not a negative number. */
static bool is_name(const char *word)
{
  return word && word[0] == '-' && (word[1] == '-' || isalpha((unsigned char)word[1]));
}

/* Appends option NAME with VALUE, which may be NULL, to OUT. */
static int read_option(const char *name, const char *value, FILE *out, hn_error *error)
{
  union {
    double real;
    int whole;
  } data;
  const hn_param *p = find(name, error);
  if (!p) return -1;
  if (!value && p->kind != HN_FLAG) return hn_fail(error, "PETSc options: -%s needs a value", name);
  if (hn_param_read(p, "PETSc options", value ? value : "true", &data, error)) return -1;
  fprintf(out, "-%s ", name);
  hn_param_write(p, &data, out);
  fputc(' ', out);
  return 0;
}

static int read_words(char *text, FILE *out, hn_error *error)
{
  static const char blank[] = " \t\n";
  char *rest, *word = strtok_r(text, blank, &rest);
  while (word) {
    if (!is_name(word))
      return hn_fail(
        error, "PETSc options: \"%.60s\" is neither an option nor the value of one; write petsc=-name value",
        word);
    char *name = word + 1, *value = strtok_r(NULL, blank, &rest);
    bool alone = !value || is_name(value);
    if (read_option(name, alone ? NULL : value, out, error)) return -1;
    word = alone ? value : strtok_r(NULL, blank, &rest);
  }
  return 0;
}

char *hn_petsc_options_read(const char *text, hn_error *error)
{
  char *copy = strdup(text), *options = NULL;
  size_t size = 0;
  FILE *out = copy ? open_memstream(&options, &size) : NULL;
  int status = out ? read_words(copy, out, error) : hn_fail(error, "out of memory");
  if (out && (fclose(out) != 0 || !options)) status = hn_fail(error, "out of memory");
  free(copy);
  if (status == 0) return options;
  free(options);
  return NULL;
}
