/* normal_forces.h - the multipliers of the normals that friction follows. Internal.
 *
 * With the wrench of friction j proportional to the multiplier of its normal, lambda_nj, all multipliers are
 * those without friction and what a unit of each of these makes of them, r_j = -K^-1 G W f_j:
 *
 *   lambda = lambda0 + sum_j r_j lambda_nj,   so that   lambda_ni - sum_j r_ji lambda_nj = lambda0_ni
 *
 * a system of as many rows as there is that slides. Where it is singular there is no acceleration, or
 * more than one (Painleve). */
#ifndef HN_NORMAL_FORCES_H
#define HN_NORMAL_FORCES_H

#include "solver.h"

#include <gsl/gsl_matrix.h>
#include <gsl/gsl_permutation.h>

typedef struct hn_normals {
  int count;        /* of what model->more has that follows a normal: */
  int *given, *row; /* [count] which, and the row of its normal */
  size_t nrow;
  double *response;   /* [count][nrow] r_j */
  gsl_matrix *A;      /* [count x count] */
  gsl_vector *normal; /* [count] what was found */
  gsl_permutation *order;
} hn_normals;

int hn_normals_setup(hn_normals *normals, const hn_model *model, const hn_given *given, int count,
                     hn_error *error);
void hn_normals_free(hn_normals *normals);
/* With the responses in place. False where there is no one solution. */
bool hn_normals_factor(hn_normals *normals);
/* normal[count], from lambda0[nrow]. False likewise. */
bool hn_normals_find(hn_normals *normals, const double *lambda0);
/* LAMBDA[nrow], that without friction, with it. */
void hn_normals_add(const hn_normals *normals, double *lambda);

#endif
