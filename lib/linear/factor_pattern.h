/* factor_pattern.h - the pattern of a factor with fill-in. Internal. */
#ifndef HN_FACTOR_PATTERN_H
#define HN_FACTOR_PATTERN_H

#include "linear/matrix.h"

/* Computes the block columns of each row of the upper factor of K, in its order: column[start[k]] to
 * column[start[k + 1] - 1], ascending, the diagonal first. The caller frees both arrays, also after a
 * failure. False without memory, or beyond 2^31 blocks. */
bool hn_factor_pattern(const hn_block_matrix *K, int **start, int **column);

/* Counts the multiplications of a factorisation with the pattern START, COLUMN. */
double hn_pattern_work(const hn_block_matrix *K, const int *start, const int *column);
/* The same for the pattern of K, which is computed; -1 if out of memory. */
double hn_factor_work(const hn_block_matrix *K);

#endif
