/* normal_forces.h - normal forces that determine friction forces. Internal.
 *
 * The wrench of friction element j is proportional to the multiplier lambda_nj of its normal. All multipliers
 * are then those without friction plus the responses r_j = -K^-1 G W f_j to the wrench f_j of a unit normal
 * force:
 *
 *   lambda = lambda0 + sum_j r_j lambda_nj,   so that   lambda_ni - sum_j r_ji lambda_nj = lambda0_ni
 *
 * This is a system with one row per sliding contact. Where it is singular, no acceleration exists or more
 * than one does (Painleve). */
#ifndef HN_NORMAL_FORCES_H
#define HN_NORMAL_FORCES_H

#include "solver.h"

#include <gsl/gsl_matrix.h>
#include <gsl/gsl_permutation.h>

typedef struct hn_normal_forces {
  int count;        /* number of elements of model->more that follow a normal */
  int *given, *row; /* [count] index of the element; row of its normal */
  size_t nrow;
  double *response;   /* [count][nrow] responses r_j */
  gsl_matrix *A;      /* [count x count] */
  gsl_vector *normal; /* [count] solution lambda_n */
  gsl_permutation *order;
} hn_normal_forces;

int hn_normal_forces_setup(hn_normal_forces *normals, const hn_model *model, const hn_row_force *given,
                           int count, hn_error *error);
void hn_normal_forces_free(hn_normal_forces *normals);
/* Factors the system; the responses have been stored. False if it is singular. */
bool hn_normal_forces_factor(hn_normal_forces *normals);
/* Solves for normal[count] from lambda0[nrow]. False if there is no unique solution. */
bool hn_normal_forces_solve(hn_normal_forces *normals, const double *lambda0);
/* Adds the effect of friction to LAMBDA[nrow], the multipliers without friction. */
void hn_normal_forces_add(const hn_normal_forces *normals, double *lambda);

#endif
