/* ida_vector.h - the vectors of IDA (module hn_sundials), and what our Newton iteration does with them. */
#ifndef HN_IDA_VECTOR_H
#define HN_IDA_VECTOR_H

#include <sundials/sundials_nvector.h>

/* A vector of SIZE numbers, all zero; only the first WEIGHED of a vector of weights differ from zero. Its clones are
 * zero too. NULL: out of memory. Its numbers are at N_VGetArrayPointer. */
N_Vector hn_ida_vector(int size, int weighed, SUNContext context);

/* A Newton iteration for y and y': sum is the correction of the predicted y_0 and y'_0 so far. */
typedef struct hn_ida_newton {
  N_Vector y_0, rate_0, sum, y, rate, weight;
  double c; /* dy' / dy */
} hn_ida_newton;

/* sum -= x, y = y_0 + sum, y' = y'_0 + c sum; the weighted norm of x. */
double hn_ida_correct(const hn_ida_newton *newton, N_Vector x);

#endif
