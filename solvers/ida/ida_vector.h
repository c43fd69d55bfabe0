/* ida_vector.h - vectors of IDA (module hn_sundials), and their use in our Newton iteration. */
#ifndef HN_IDA_VECTOR_H
#define HN_IDA_VECTOR_H

#include <sundials/sundials_nvector.h>

/* Creates a vector of SIZE zeros; NULL if out of memory. Only the first WEIGHED entries of a weight vector
 * may differ from zero. Clones are zero too. N_VGetArrayPointer gives access to the numbers. */
N_Vector hn_ida_vector(int size, int weighed, SUNContext context);

/* A Newton iteration for y and y'; `sum` is the total correction of the predicted y_0 and y'_0. */
typedef struct hn_ida_newton {
  N_Vector y_0, rate_0, sum, y, rate, weight;
  double c; /* dy' / dy */
} hn_ida_newton;

/* Computes sum -= x, y = y_0 + sum, y' = y'_0 + c sum; returns the weighted norm of x. */
double hn_ida_correct(const hn_ida_newton *newton, N_Vector x);

#endif
