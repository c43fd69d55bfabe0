/* fclib_global.c - turns a global problem of FCLIB into the local one with the same impulses.
 *
 *   M v = H r + G l + f,  u = H' v + q,  G' v + s = 0      C = (H G)
 *   (W V; V' R) = C' M^-1 C,   (q; s) := (q; s) + C' M^-1 f
 *
 * M is factored once (linear/ldl.c, a row a block), and solved with for each column of C. Column j of the
 * result has entries where C shares rows with M^-1 C_j: contacts and equations of one body, or of bodies
 * that M couples. Only the upper triangle is computed, so that W and R are symmetric to the bit. M may be
 * stored as one triangle.
 *
 * A given M may not be symmetric, since inertias turned between the assemblies of its factors. Its symmetric
 * part S is factored, and M x = c is solved by x := x + S^-1 (c - M x); a step reduces the error to the
 * fraction |S^-1 (M - S)|. W is then computed whole, and is not symmetric. Equations need a symmetric M,
 * because the form of local problems stores V once. */
#include "base/array.h"
#include "base/vec.h"
#include "contact/fclib.h"
#include "contact/matrix/contact_matrix.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Difference of entries of M across its diagonal, relative to the diagonal, up to which M is symmetric: files
 * carry about 10 digits. */
static const double symmetric_to_digits = 1e-9;
/* Steps at most for an M that is not symmetric, and the relative change that ends them. */
enum { MAX_CORRECTIONS = 40 };
static const double smallest_correction = 4e-16;

/* C row by row, or column by column. Repeated entries stay, since all uses add them up. */
typedef struct lines {
  int *start, *index; /* [lines + 1], [entries] */
  double *value;      /* [entries] */
} lines;

typedef struct reduction {
  hn_fclib *f;
  hn_problem M;             /* M as the matrix of a problem with a block a row */
  hn_contact_matrix factor; /* of its symmetric part */
  hn_problem_matrix *given; /* M as given if it is not symmetric, else NULL */
  double *rest, *right;     /* [velocities] residual and right side of its solutions */
  lines row, column;        /* of C */
  double *x, *sum;          /* [velocities] M^-1 C_j, [rows + equations] column j of C' M^-1 C */
  int *touched, *mark;      /* [rows + equations] entries of that column, and the last column that has one */
  hn_arrays arrays;
} reduction;

/* ---- C ------------------------------------------------------------------------------------------------- */

/* Adds the entries of A to LINES; SHIFT: of its columns in C. COUNT: only counts them. */
static void add_entries(const hn_fclib_matrix *A, int shift, bool by_row, bool count, lines *to)
{
  for (int k = 0; k < A->count; k++) {
    const int row = A->row[k], column = shift + A->column[k], line = by_row ? row : column;
    if (count) to->start[line + 1]++;
    else {
      const int at = to->start[line]++;
      to->index[at] = by_row ? column : row, to->value[at] = A->value[k];
    }
  }
}

static void sort_entries(reduction *s, bool by_row, int n, lines *to)
{
  const hn_fclib *f = s->f;
  const size_t entries = (size_t)f->H.count + (size_t)f->G.count;
  HN_ARRAYS(&s->arrays, sizeof(int) * ((size_t)n + 1), &to->start);
  HN_ARRAYS(&s->arrays, sizeof(int) * entries, &to->index);
  HN_ARRAYS(&s->arrays, sizeof(double) * entries, &to->value);
  if (s->arrays.failed) return;
  add_entries(&f->H, 0, by_row, true, to), add_entries(&f->G, f->rows, by_row, true, to);
  for (int i = 0; i < n; i++) to->start[i + 1] += to->start[i];
  add_entries(&f->H, 0, by_row, false, to), add_entries(&f->G, f->rows, by_row, false, to);
  memmove(to->start + 1, to->start, sizeof(int) * (size_t)n); /* starts have moved by one line */
  to->start[0] = 0;
}

/* ---- M ------------------------------------------------------------------------------------------------- */

/* Adds the entries across the diagonal to a matrix of which only one triangle is stored, as LMGC90 does.
 * Returns -1 if memory runs out. */
static int complete(hn_fclib_matrix *A)
{
  const int count = A->count;
  bool lower = false, upper = false;
  for (int k = 0; k < count; k++) lower |= A->row[k] > A->column[k], upper |= A->row[k] < A->column[k];
  if (lower == upper) return 0;
  int *row = realloc(A->row, 2 * sizeof *row * (size_t)count);
  if (row) A->row = row;
  int *column = realloc(A->column, 2 * sizeof *column * (size_t)count);
  if (column) A->column = column;
  double *value = realloc(A->value, 2 * sizeof *value * (size_t)count);
  if (value) A->value = value;
  if (!row || !column || !value) return -1;
  for (int k = 0; k < count; k++) {
    if (row[k] == column[k]) continue;
    row[A->count] = column[k], column[A->count] = row[k], value[A->count++] = value[k];
  }
  return 0;
}

/* Returns the largest |M_ij - M_ji|^2 / (M_ii M_jj). */
static double square_asymmetry(const hn_problem_matrix *M, int n)
{
  double largest = 0.0;
  for (int i = 0; i < n; i++)
    for (int k = M->start[i]; k < M->start[i + 1]; k++) {
      const int j = M->column[k];
      const double across = M->value[k] - M->value[hn_rows_find(M, j, i)];
      if (across == 0.0) continue;
      const double scale = M->value[hn_rows_find(M, i, i)] * M->value[hn_rows_find(M, j, j)];
      largest = fmax(largest, across * across / scale);
    }
  return largest;
}

/* Replaces M by its symmetric part, after a check. Keeps an M that is not symmetric. */
static int check_mass(reduction *s, hn_error *error)
{
  hn_error why;
  for (int i = 0; i < s->M.nrow; i++)
    if (hn_rows_find(s->M.K, i, i) < 0) return hn_fail(error, "M has no diagonal entry in row %d", i);
  if (hn_problem_check(&s->M, &why)) return hn_fail(error, "M: %.400s", why.text);
  const double asymmetry = sqrt(square_asymmetry(s->M.K, s->M.nrow));
  const bool keeps = asymmetry > symmetric_to_digits;
  if (keeps && s->f->equations > 0)
    return hn_fail(error,
                   "M is not symmetric, as problems with equations need it: entries across its diagonal "
                   "differ by %.1e of it",
                   asymmetry);
  hn_problem_matrix *symmetric = hn_problem_symmetric_part(&s->M);
  if (!symmetric) return hn_fail(error, "out of memory");
  if (keeps) s->given = s->M.K;
  else hn_problem_matrix_free(s->M.K);
  s->M.K = symmetric;
  return 0;
}

/* Factors M. */
static int factor_mass(reduction *s, hn_error *error)
{
  hn_fclib *f = s->f;
  if (complete(&f->M)) return hn_fail(error, "out of memory");
  const hn_fclib equations = { .dimension = 3, .equations = f->velocities, .R = f->M, .s = f->f };
  if (hn_fclib_convert(&equations, &s->M)) return hn_fail(error, "out of memory");
  if (check_mass(s, error)) return -1;
  hn_reason reason = hn_contact_matrix_load(&s->factor, &s->M, NULL);
  memset(s->x, 0, sizeof *s->x * (size_t)f->velocities);
  if (reason == HN_CONVERGED) reason = hn_contact_matrix_factor(&s->factor, s->x);
  if (reason == HN_CONVERGED) return 0;
  return hn_fail(error, reason == HN_NO_MEMORY ? "no memory to factor M" : "M is not positive definite");
}

/* Solves M x = x; false if the steps do not converge. */
static bool solve_mass(reduction *s, double *x)
{
  const int n = s->f->velocities;
  if (s->given) memcpy(s->right, x, sizeof *x * (size_t)n);
  hn_contact_matrix_solve(&s->factor, x);
  for (int step = 0; s->given; step++) {
    double change = 0.0, size = 0.0;
    for (int i = 0; i < n; i++) s->rest[i] = s->right[i] - hn_rows_product(s->given, i, x);
    hn_contact_matrix_solve(&s->factor, s->rest);
    for (int i = 0; i < n; i++) {
      x[i] += s->rest[i];
      change = fmax(change, fabs(s->rest[i])), size = fmax(size, fabs(x[i]));
    }
    if (change <= smallest_correction * size) break;
    if (step == MAX_CORRECTIONS) return false;
  }
  return true;
}

/* ---- The products -------------------------------------------------------------------------------------- */

/* Adds C' x to SUM. Lists the entries of column J in `touched` and returns their number. */
static int multiply(reduction *s, int j)
{
  int count = 0;
  for (int i = 0; i < s->f->velocities; i++)
    for (int k = s->row.start[i]; k < s->row.start[i + 1] && s->x[i] != 0.0; k++) {
      const int column = s->row.index[k];
      if (s->mark[column] != j) s->touched[count++] = column, s->sum[column] = 0.0;
      s->mark[column] = j;
      s->sum[column] += s->row.value[k] * s->x[i];
    }
  return count;
}

/* Appends an entry to A; false if memory runs out. */
static bool append(hn_fclib_matrix *A, int row, int column, double value)
{
  int *rows = A->count < INT_MAX / 2 ? hn_array_grow(A->row, A->count, sizeof *rows) : NULL;
  if (rows) A->row = rows;
  int *columns = rows ? hn_array_grow(A->column, A->count, sizeof *columns) : NULL;
  if (columns) A->column = columns;
  double *values = columns ? hn_array_grow(A->value, A->count, sizeof *values) : NULL;
  if (!values) return false;
  A->value = values;
  A->row[A->count] = row, A->column[A->count] = column, A->value[A->count++] = value;
  return true;
}

/* Stores entry I <= J of column J, and the one across; or the entry alone if M is not symmetric. */
static bool store(const reduction *s, int i, int j, double value)
{
  hn_fclib *f = s->f;
  if (s->given) return append(&f->W, i, j, value);
  if (i < f->rows && j >= f->rows) return append(&f->V, i, j - f->rows, value);
  hn_fclib_matrix *A = j < f->rows ? &f->W : &f->R;
  const int first = j < f->rows ? 0 : f->rows;
  return append(A, i - first, j - first, value) && (i == j || append(A, j - first, i - first, value));
}

/* Computes column J. Returns -1 on error. */
static int find_column(reduction *s, int j, hn_error *error)
{
  bool ok = true;
  memset(s->x, 0, sizeof *s->x * (size_t)s->f->velocities);
  for (int k = s->column.start[j]; k < s->column.start[j + 1]; k++)
    s->x[s->column.index[k]] += s->column.value[k];
  if (!solve_mass(s, s->x)) return hn_fail(error, "M is too far from symmetric to be solved with");
  const int count = multiply(s, j);
  for (int k = 0; k < count && ok; k++)
    if (s->touched[k] <= j || s->given) ok = store(s, s->touched[k], j, s->sum[s->touched[k]]);
  return ok ? 0 : hn_fail(error, "no memory for the matrix of %d rows", s->f->rows + s->f->equations);
}

/* Adds C' M^-1 f to q and s. Returns -1 on error. */
static int add_forces(reduction *s, hn_error *error)
{
  hn_fclib *f = s->f;
  const int columns = f->rows + f->equations;
  memcpy(s->x, f->f, sizeof *s->x * (size_t)f->velocities);
  if (!solve_mass(s, s->x)) return hn_fail(error, "M is too far from symmetric to be solved with");
  for (int j = 0; j < columns; j++) {
    double add = 0.0;
    for (int k = s->column.start[j]; k < s->column.start[j + 1]; k++)
      add += s->column.value[k] * s->x[s->column.index[k]];
    *(j < f->rows ? &f->q[j] : &f->s[j - f->rows]) += add;
  }
  return 0;
}

static int reduce(reduction *s, hn_error *error)
{
  hn_fclib *f = s->f;
  const size_t columns = (size_t)f->rows + (size_t)f->equations;
  sort_entries(s, true, f->velocities, &s->row), sort_entries(s, false, (int)columns, &s->column);
  HN_ARRAYS(&s->arrays, sizeof(double) * (size_t)f->velocities, &s->x, &s->rest, &s->right);
  HN_ARRAYS(&s->arrays, sizeof(double) * columns, &s->sum);
  HN_ARRAYS(&s->arrays, sizeof(int) * columns, &s->touched, &s->mark);
  if (s->arrays.failed) return hn_fail(error, "out of memory");
  if (!all_finite(f->f, f->velocities)) return hn_fail(error, "a force of the problem is not a number");
  if (factor_mass(s, error)) return -1;
  for (size_t j = 0; j < columns; j++) s->mark[j] = -1;
  if (add_forces(s, error)) return -1;
  f->W.m = f->W.n = f->V.m = f->rows, f->V.n = f->R.m = f->R.n = f->equations;
  for (size_t j = 0; j < columns; j++)
    if (find_column(s, (int)j, error)) return -1;
  f->velocities = 0;
  return 0;
}

int hn_fclib_reduce(hn_fclib *f, hn_error *error)
{
  reduction s = { .f = f };
  const int status = reduce(&s, error);
  hn_contact_matrix_free(&s.factor);
  hn_problem_matrix_free(s.M.K), hn_problem_matrix_free(s.given);
  free(s.M.block), free(s.M.b);
  hn_arrays_free(&s.arrays);
  return status;
}
