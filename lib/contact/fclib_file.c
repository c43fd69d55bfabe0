/* fclib_file.c - contact problems in files of FCLIB's layout, shared with Siconos and others: contacts with
 * friction first, equations after them. Global problems are read as local ones (fclib_global.c). Local
 * problems with rolling friction, which FCLIB does not have, are written in a group of their own
 * (fclib_hdf5.c). */
#include "base/module.h"
#include "base/vec.h"
#include "contact/fclib.h"
#include "contact/matrix/contact_matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const hn_fclib_functions *load_module(hn_error *error)
{
  return hn_module_symbol(HN_FCLIB_MODULE, HN_FCLIB_FUNCTIONS, error);
}

static void free_matrix(hn_fclib_matrix *A)
{
  free(A->row), free(A->column), free(A->value);
}

void hn_fclib_free(hn_fclib *f)
{
  free_matrix(&f->W), free_matrix(&f->V), free_matrix(&f->R);
  free_matrix(&f->M), free_matrix(&f->H), free_matrix(&f->G);
  free(f->q), free(f->mu), free(f->mu_r), free(f->s), free(f->f), free(f->r), free(f->l);
}

/* ---- Reading ----------------------------------------------------------------------------------------- */

hn_problem *hn_problem_read(const char *path, double **p, hn_error *error)
{
  hn_fclib f = { 0 };
  hn_error why;
  const hn_fclib_functions *module = load_module(error);
  hn_problem *problem = module ? calloc(1, sizeof *problem) : NULL;
  if (p) *p = NULL;
  if (module && !problem) hn_fail(error, "out of memory");
  int status = problem ? hn_fclib_read_apart(module, path, &f, error) : -1;
  if (status == 0 && f.velocities > 0 && hn_fclib_reduce(&f, &why))
    status = hn_fail(error, "%s: %.400s", path, why.text);
  if (status == 0 && hn_fclib_convert(&f, problem))
    status = hn_fail(error, "no memory for the problem of %s", path);
  if (status == 0 && hn_problem_check(problem, &why)) status = hn_fail(error, "%s: %.400s", path, why.text);
  if (status == 0 && p && f.r) {
    *p = calloc((size_t)problem->nrow + 1, sizeof **p);
    if (*p) memcpy(*p, f.r, sizeof(double) * (size_t)f.rows);
    if (*p && f.equations > 0) memcpy(*p + f.rows, f.l, sizeof(double) * (size_t)f.equations);
    if (!*p) status = hn_fail(error, "out of memory");
  }
  if (status == 0 && p && *p && !all_finite(*p, problem->nrow))
    status = hn_fail(error, "%s: its solution is not finite", path);
  hn_fclib_free(&f);
  if (status == 0) return problem;
  if (p) free(*p), *p = NULL;
  hn_problem_free(problem);
  return NULL;
}

/* ---- Writing ----------------------------------------------------------------------------------------- */

/* Returns the dimension of all contacts; -1 if a block cannot be represented. */
static int find_dimension(const hn_problem *problem, hn_error *error)
{
  int dimension = 0;
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    if (block->set.kind == HN_ANY) continue;
    if (block->set.kind != HN_CONE || (dimension > 0 && block->n != dimension))
      return hn_fail(
        error,
        "block %d cannot be written: FCLIB has joints and contacts with friction, all spatial or all planar",
        k);
    if (block->n == 4 || block->n == 6)
      return hn_fail(error, "block %d cannot be written: FCLIB has no torsional friction", k);
    dimension = block->n;
  }
  return dimension > 0 ? dimension : hn_fail(error, "the problem has no contact to write");
}

/* Computes the index of each row among the contact rows or the equations. */
static void number_rows(const hn_problem *problem, hn_fclib *f, int *index)
{
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    int *next = block->set.kind == HN_ANY ? &f->equations : &f->rows;
    for (int r = block->row; r < block->row + block->n; r++) index[r] = (*next)++;
  }
}

static bool reserve(hn_fclib_matrix *A, int m, int n, size_t count)
{
  *A = (hn_fclib_matrix){ .m = m, .n = n };
  A->row = malloc(sizeof(int) * (count + 1)), A->column = malloc(sizeof(int) * (count + 1));
  A->value = malloc(sizeof(double) * (count + 1));
  return A->row && A->column && A->value;
}

/* Adds entry (ROW, COLUMN) of K, of blocks I and J, to its matrix. */
static void add_entry(const hn_problem *problem, hn_fclib *f, const int *index, int i, int row, int j,
                      int column, double value)
{
  const bool is_equation_row = problem->block[i].set.kind == HN_ANY,
             is_equation_column = problem->block[j].set.kind == HN_ANY;
  if (is_equation_row && !is_equation_column) return; /* V' is implied */
  hn_fclib_matrix *A = is_equation_row ? &f->R : is_equation_column ? &f->V : &f->W;
  A->row[A->count] = index[row], A->column[A->count] = index[column], A->value[A->count++] = value;
}

/* Counting sort by columns, stable in the rows. Returns false if memory runs out. */
static bool sort_by_column(hn_fclib_matrix *A)
{
  const size_t count = (size_t)A->count + 1;
  int *start = calloc((size_t)A->n + 2, sizeof *start);
  hn_fclib_matrix sorted;
  bool ok = reserve(&sorted, A->m, A->n, count) && start;
  for (int k = 0; ok && k < A->count; k++) start[A->column[k] + 1]++;
  for (int c = 0; ok && c < A->n; c++) start[c + 1] += start[c];
  for (int k = 0; ok && k < A->count; k++) {
    const int to = start[A->column[k]]++;
    sorted.row[to] = A->row[k], sorted.column[to] = A->column[k], sorted.value[to] = A->value[k];
  }
  sorted.count = A->count;
  free(start);
  free_matrix(A);
  *A = sorted;
  return ok;
}

static bool list_matrices(const hn_problem *problem, hn_fclib *f, const int *index)
{
  hn_contact_matrix K = { 0 };
  bool ok = hn_contact_matrix_load(&K, problem, NULL) == HN_CONVERGED;
  const size_t count = ok ? 2 * (size_t)K.K.at[K.K.start[K.K.n]] : 0;
  ok = ok && reserve(&f->W, f->rows, f->rows, count) && reserve(&f->V, f->rows, f->equations, count) &&
       reserve(&f->R, f->equations, f->equations, count);
  for (int a = 0; ok && a < K.K.n; a++)
    for (int e = K.K.start[a]; e < K.K.start[a + 1]; e++) {
      const int i = K.order[a], j = K.order[K.K.column[e]];
      const hn_problem_block *I = &problem->block[i], *J = &problem->block[j];
      for (int r = 0; r < I->n; r++)
        for (int c = 0; c < J->n; c++) {
          add_entry(problem, f, index, i, I->row + r, j, J->row + c,
                    *hn_contact_matrix_entry(&K, i, j, r, c));
          if (i == j) continue;
          const double across = *hn_contact_matrix_entry(&K, j, i, c, r);
          add_entry(problem, f, index, j, J->row + c, i, I->row + r, across);
        }
    }
  hn_contact_matrix_free(&K);
  return ok && sort_by_column(&f->W) && sort_by_column(&f->V) && sort_by_column(&f->R);
}

static bool list_vectors(const hn_problem *problem, hn_fclib *f, const int *index, const double *p)
{
  const size_t rows = (size_t)f->rows + 1, equations = (size_t)f->equations + 1;
  f->q = calloc(rows, sizeof(double)), f->mu = calloc(rows, sizeof(double)),
  f->s = calloc(equations, sizeof(double));
  if (f->dimension == 5 && !(f->mu_r = calloc(rows, sizeof(double)))) return false;
  if (p) f->r = calloc(rows, sizeof(double)), f->l = calloc(equations, sizeof(double));
  if (!f->q || !f->mu || !f->s || (p && !(f->r && f->l))) return false;
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    const bool equation = block->set.kind == HN_ANY;
    if (!equation) f->mu[index[block->row] / f->dimension] = block->set.mu;
    if (!equation && f->mu_r) f->mu_r[index[block->row] / f->dimension] = block->set.mu_rolling;
    for (int r = block->row; r < block->row + block->n; r++) {
      (equation ? f->s : f->q)[index[r]] = problem->b[r];
      if (p) (equation ? f->l : f->r)[index[r]] = p[r];
    }
  }
  return true;
}

int hn_problem_write(const char *path, const hn_problem *problem, const double *p, hn_error *error)
{
  hn_fclib f = { 0 };
  const hn_fclib_functions *module = load_module(error);
  int *index = malloc(sizeof *index * ((size_t)problem->nrow + 1)), status = -1;
  char *temporary = NULL;
  if (module && (!index || asprintf(&temporary, "%s.part", path) < 0))
    temporary = NULL, hn_fail(error, "out of memory");
  if (module && temporary && (f.dimension = find_dimension(problem, error)) > 0) {
    number_rows(problem, &f, index);
    if (list_matrices(problem, &f, index) && list_vectors(problem, &f, index, p))
      status = module->write(temporary, &f, error);
    else hn_fail(error, "no memory to write %s", path);
    if (status == 0 && rename(temporary, path)) status = hn_fail(error, "cannot write %s", path);
    if (status) remove(temporary);
  }
  hn_fclib_free(&f);
  free(index), free(temporary);
  return status;
}
