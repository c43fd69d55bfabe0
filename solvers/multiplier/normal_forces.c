/* normal_forces.c - normal forces that determine friction forces (normal_forces.h). */
#include "multiplier/normal_forces.h"
#include "base/quiet.h"

#include <gsl/gsl_linalg.h>
#include <stdlib.h>

/* Lists the friction elements that follow a normal, with the row of that normal. */
static void list_normals(hn_normal_forces *n, const hn_model *model, const hn_row_force *given, int count)
{
  for (int i = 0; i < count; i++) {
    if (given[i].normal < 0) continue;
    n->given[n->count] = i;
    n->row[n->count++] = model->joint[given[i].normal].row;
  }
}

int hn_normal_forces_setup(hn_normal_forces *n, const hn_model *model, const hn_row_force *given, int count,
                           hn_error *error)
{
  const size_t capacity = (size_t)count + 1;
  hn_quiet_gsl();
  n->nrow = (size_t)model->nrow;
  n->given = calloc(capacity, sizeof *n->given), n->row = calloc(capacity, sizeof *n->row);
  if (n->given && n->row) list_normals(n, model, given, count);
  n->response = calloc(capacity * (n->nrow + 1), sizeof *n->response);
  n->A = gsl_matrix_calloc((size_t)n->count + 1, (size_t)n->count + 1);
  n->normal = gsl_vector_calloc((size_t)n->count + 1);
  n->order = gsl_permutation_calloc((size_t)n->count + 1);
  const bool complete = n->given && n->row && n->response && n->A && n->normal && n->order;
  return complete ? 0 : hn_fail(error, "out of memory");
}

void hn_normal_forces_free(hn_normal_forces *n)
{
  free(n->given), free(n->row), free(n->response);
  if (n->A) gsl_matrix_free(n->A);
  if (n->normal) gsl_vector_free(n->normal);
  if (n->order) gsl_permutation_free(n->order);
}

bool hn_normal_forces_factor(hn_normal_forces *n)
{
  const size_t count = (size_t)n->count;
  int sign;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++)
      gsl_matrix_set(n->A, i, j, (i == j) - n->response[n->nrow * j + (size_t)n->row[i]]);
  gsl_matrix_view A = gsl_matrix_submatrix(n->A, 0, 0, count, count);
  gsl_permutation order = { .size = count, .data = n->order->data };
  return gsl_linalg_LU_decomp(&A.matrix, &order, &sign) == 0;
}

bool hn_normal_forces_solve(hn_normal_forces *n, const double *lambda0)
{
  const size_t count = (size_t)n->count;
  for (size_t i = 0; i < count; i++) gsl_vector_set(n->normal, i, lambda0[n->row[i]]);
  gsl_matrix_view A = gsl_matrix_submatrix(n->A, 0, 0, count, count);
  gsl_vector_view b = gsl_vector_subvector(n->normal, 0, count);
  gsl_permutation order = { .size = count, .data = n->order->data };
  return gsl_linalg_LU_svx(&A.matrix, &order, &b.vector) == 0;
}

void hn_normal_forces_add(const hn_normal_forces *n, double *lambda)
{
  for (int j = 0; j < n->count; j++)
    for (size_t i = 0; i < n->nrow; i++)
      lambda[i] += n->response[n->nrow * (size_t)j + i] * gsl_vector_get(n->normal, (size_t)j);
}
