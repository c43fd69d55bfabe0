/* block_rows.h - products with the rows of one block of a contact problem, and the error of a
 * solution. Internal. */
#ifndef HN_BLOCK_ROWS_H
#define HN_BLOCK_ROWS_H

#include "base/responses.h"
#include "contact.h"

#include <string.h>

/* Returns the responses T of a block by bodies: those of the problem, or computed into ROOM[12 n]. */
static inline const double *hn_rows_responses(const hn_problem *problem, const hn_problem_block *block,
                                              double *room)
{
  const int n = block->n;
  const double *G = problem->G + 12 * (size_t)block->row;
  if (problem->T) return problem->T + 12 * (size_t)block->row;
  for (int side = 0; side < 2; side++) {
    const size_t body = (size_t)(side ? block->b : block->a);
    hn_responses(n, problem->inv_mass[body] > 0.0, problem->inv_mass[body], problem->W + 9 * body,
                 G + 6 * n * side, room + 6 * n * side);
  }
  return room;
}

/* True if the body on SIDE (0 or 1) of a block moves. */
static inline bool hn_rows_moves(const hn_problem *problem, const hn_problem_block *block, int side)
{
  double room[12 * HN_MAX_ROWS];
  const double *T = hn_rows_responses(problem, block, room) + 6 * block->n * side;
  for (int i = 0; i < 6 * block->n; i++)
    if (T[i] != 0.0) return true;
  return false;
}

/* Adds G u to the velocities v[n] of a block; u[6 nbody] are velocities of the bodies. */
static inline void hn_rows_add_velocities(const hn_problem *problem, const hn_problem_block *block,
                                          const double *u, double *v)
{
  const int n = block->n;
  const double *G_a = problem->G + 12 * (size_t)block->row, *G_b = G_a + 6 * n;
  const double *u_a = u + 6 * (size_t)block->a, *u_b = u + 6 * (size_t)block->b;
  for (int c = 0; c < 6; c++)
    for (int r = 0; r < n; r++) v[r] += G_a[c * n + r] * u_a[c] + G_b[c * n + r] * u_b[c];
}

/* Adds T p to the velocities u of the two bodies of a block. */
static inline void hn_rows_apply(const hn_problem *problem, const hn_problem_block *block, const double *p,
                                 double *u)
{
  const int n = block->n;
  double room[12 * HN_MAX_ROWS];
  const double *T_a = hn_rows_responses(problem, block, room), *T_b = T_a + 6 * n;
  double *u_a = u + 6 * (size_t)block->a, *u_b = u + 6 * (size_t)block->b;
  for (int r = 0; r < n; r++)
    for (int c = 0; c < 6; c++) u_a[c] += T_a[6 * r + c] * p[r];
  for (int r = 0; r < n; r++)
    for (int c = 0; c < 6; c++) u_b[c] += T_b[6 * r + c] * p[r];
}

/* Returns row ROW of K p for a given K. Two sums, so that the processor need not wait for every addition. */
static inline double hn_rows_product(const hn_problem_matrix *K, int row, const double *p)
{
  const int end = K->start[row + 1];
  double even = 0.0, odd = 0.0;
  int k = K->start[row];
  for (; k + 1 < end; k += 2)
    even += K->value[k] * p[K->column[k]], odd += K->value[k + 1] * p[K->column[k + 1]];
  if (k < end) even += K->value[k] * p[K->column[k]];
  return even + odd;
}

/* Computes rows ROW to ROW + 2 of K p, which have their entries in the same columns. */
static inline void hn_rows_products_of_3(const hn_problem_matrix *K, int row, const double *p,
                                         double *product)
{
  const int count = K->start[row + 1] - K->start[row], *column = K->column + K->start[row];
  const double *one = K->value + K->start[row], *two = one + count, *three = two + count;
  double even[3] = { 0.0 }, odd[3] = { 0.0 };
  int k = 0;
  for (; k + 1 < count; k += 2) {
    const double x = p[column[k]], y = p[column[k + 1]];
    even[0] += one[k] * x, even[1] += two[k] * x, even[2] += three[k] * x;
    odd[0] += one[k + 1] * y, odd[1] += two[k + 1] * y, odd[2] += three[k + 1] * y;
  }
  if (k < count)
    even[0] += one[k] * p[column[k]], even[1] += two[k] * p[column[k]], even[2] += three[k] * p[column[k]];
  for (int r = 0; r < 3; r++) product[r] = even[r] + odd[r];
}

/* True if rows ROW and ROW + 1 of K have their entries in the same columns. */
static inline bool hn_rows_are_alike(const hn_problem_matrix *K, int row)
{
  const int count = K->start[row + 1] - K->start[row];
  return K->start[row + 2] - K->start[row + 1] == count &&
         memcmp(K->column + K->start[row], K->column + K->start[row + 1], sizeof(int) * (size_t)count) == 0;
}

/* Computes N rows of K p for a given K, from row ROW on: those of a block of three together. */
static inline void hn_rows_products(const hn_problem_matrix *K, int row, int n, const double *p,
                                    double *product)
{
  if (n == 3 && hn_rows_are_alike(K, row) && hn_rows_are_alike(K, row + 1))
    hn_rows_products_of_3(K, row, p, product);
  else
    for (int r = 0; r < n; r++) product[r] = hn_rows_product(K, row + r, p);
}

/* Returns the index of entry (ROW, COLUMN) of a given K, whose columns ascend; -1 if it has none. */
static inline int hn_rows_find(const hn_problem_matrix *K, int row, int column)
{
  int low = K->start[row], high = K->start[row + 1];
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (K->column[middle] < column) low = middle + 1;
    else high = middle;
  }
  return low < K->start[row + 1] && K->column[low] == column ? low : -1;
}

/* Computes hn_problem_scale of every block; false if one is not finite. */
bool hn_rows_scales(const hn_problem *problem, double *scale);
/* Equivalent of hn_problem_error with these scales. */
double hn_rows_error(const hn_problem *problem, const double *scale, bool relaxed, const double *p,
                     const double *v);

/* Residual, in tolerances, that is accepted where redundant contacts contradict each other by rounding and
 * by the tolerance of their gaps. */
static const double hn_contradiction = 1e4;
/* True if the residual of PROBLEM at P, where its solver has stalled, is at most MOST, m/s. V[nrow] and
 * SCRATCH[6 nbody] are overwritten. */
bool hn_is_met_within(const hn_problem *problem, const double *p, double most, double *scratch, double *v);

/* Projects P onto the sets, computes its velocities V[nrow] and returns the error. WORK as in
 * hn_problem_velocities. */
double hn_rows_project(const hn_problem *problem, const double *scale, double *work, double *v, double *p);

#endif
