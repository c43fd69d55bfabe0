/* rank.c - numerical rank of the constraints with its gap, the redundant rows and the multipliers that are
 * not unique.
 *
 *   A = D^-1/2 G S,   S S' = W of bodies of unit mass,   D = diag (G S S' G')
 *
 * S measures motions of a body by the kinetic energy per mass: rotations are weighted with the radius of
 * gyration. Each row is divided by its length in that measure. Rows in metres, millimetres or radians
 * therefore have the same singular values, which express angles between constraints only. They lie between 0
 * and the root of the number of rows; values below 1e-6 count as zero. Masses are left out because redundancy
 * is a property of G. In the metric of K, two joints of a light body between heavy ones seem to coincide:
 * their distance is the root of the mass ratio.
 *
 * N is the left null space, N' A = 0. A multiplier is unique exactly if its row of N is zero; the length of
 * that row is the arbitrary part. Rows can be removed together if their rows of N are independent; they are
 * chosen from the end of the scene (null_space.c). The singular values do not depend on the choice of S.
 *
 * Up to 100 rows: singular value decomposition of the full matrix. More: sparse QR (sparse_rank.c), which is
 * faster from there on. */
#include "rank/rank_parts.h"
#include "linear/matrix.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DENSE_ROWS = 100 }; /* about 5 ms */

/* Singular values up to zero_value count as zero: far above rounding. A multiplier is unique if its row of N
 * is not longer than zero_part. */
static const double zero_value = 1e-6, zero_part = 1e-8;

/* ---- Result ------------------------------------------------------------------------------------------- */

static void measure_gap(hn_rank *rank)
{
  const double unit = 2.220446049250313e-16;
  bool both = rank->rank > 0 && rank->rank < rank->rows;
  if (rank->rank == 0) rank->kept = NAN;
  if (rank->rank == rank->rows) rank->dropped = NAN;
  rank->gap = both ? rank->kept / fmax(rank->dropped, unit) : NAN;
}

/* Returns the rows of A in the elimination order of their blocks, to be freed; NULL on error. */
static int *order_rows(const hn_system *s, const hn_scaled *A, hn_error *error)
{
  int *blocks = malloc(sizeof *blocks * ((size_t)s->nblock + 1));
  int *order = malloc(sizeof *order * ((size_t)s->nrow + 1));
  int *row_in_A = malloc(sizeof *row_in_A * ((size_t)s->nrow + 1)); /* row of A, or -1 */
  int status = blocks && order && row_in_A ? hn_order_blocks(s, NULL, blocks, error)
                                           : hn_fail(error, "out of memory");
  for (int i = 0; status == 0 && i < s->nrow; i++) row_in_A[i] = -1;
  for (int i = 0; status == 0 && i < A->rows; i++) row_in_A[A->row_of[i]] = i;
  for (int k = 0, at = 0; status == 0 && k < s->nblock; k++)
    for (int i = s->block[blocks[k]].row, end = i + s->block[blocks[k]].n; i < end; i++)
      if (row_in_A[i] >= 0) order[at++] = row_in_A[i];
  free(blocks), free(row_in_A);
  if (status == 0) return order;
  free(order);
  return NULL;
}

static int compute_rank(const hn_system *s, const hn_scaled *A, int how, hn_rank *rank, hn_error *error)
{
  if (!hn_scaled_finite(A)) return hn_fail(error, "the rank cannot be computed: the Jacobian is not finite");
  if (A->rows == 0) return hn_rank_reserve(rank, 0, 0, error);
  if (how == HN_RANK_DENSE && A->rows > HN_RANK_MAX_DENSE)
    return hn_fail(error, "%d rows are too many for a dense matrix (at most %d): use the sparse algorithm",
                   A->rows, HN_RANK_MAX_DENSE);
  if (how == HN_RANK_DENSE || (how == HN_RANK_AUTO && A->rows <= DENSE_ROWS))
    return hn_rank_dense(A, rank, error);
  int *order = order_rows(s, A, error);
  int status = order ? hn_rank_sparse(A, order, rank, error) : -1;
  free(order);
  return status;
}

/* Replaces rows of A by rows of the model in the result. */
static void map_rows(const hn_scaled *A, hn_rank *rank)
{
  for (int k = 0; k < A->rows - rank->rank; k++) rank->redundant[k] = A->row_of[rank->redundant[k]];
  for (int i = A->rows - 1; i >= 0; i--) { /* descending, since row_of[i] >= i */
    double part = rank->undetermined[i];
    rank->undetermined[i] = 0.0;
    rank->undetermined[A->row_of[i]] = part;
  }
}

hn_rank *hn_rank_create(const hn_system *s, int how, hn_error *error)
{
  hn_scaled A = { 0 };
  hn_rank *rank = calloc(1, sizeof *rank);
  int status = rank ? hn_scaled_create(&A, s, error) : hn_fail(error, "out of memory");
  /* rank, in rows of A */
  if (status == 0) {
    *rank = (hn_rank){ .rows = A.rows,
                       .freedoms = hn_model_freedoms(s->model),
                       .tolerance = zero_value,
                       .complete = true,
                       .measured = true };
    rank->undetermined = calloc((size_t)s->nrow + 1, sizeof *rank->undetermined);
    status = rank->undetermined ? compute_rank(s, &A, how, rank, error) : hn_fail(error, "out of memory");
  }
  /* result, in rows of the model */
  if (status == 0) map_rows(&A, rank);
  hn_scaled_free(&A);
  if (status == 0) {
    rank->dof = rank->freedoms - rank->rank;
    measure_gap(rank);
    return rank;
  }
  hn_rank_free(rank);
  return NULL;
}

void hn_rank_free(hn_rank *rank)
{
  if (!rank) return;
  free(rank->singular), free(rank->redundant), free(rank->undetermined);
  free(rank);
}

bool hn_rank_unique(const hn_rank *rank, int row)
{
  return rank->undetermined[row] <= zero_part;
}

/* Returns the joint with row ROW, by bisection. */
static const hn_joint *joint_of(const hn_model *model, int row)
{
  int low = 0, high = model->njoint - 1;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (model->joint[middle].row <= row) low = middle;
    else high = middle - 1;
  }
  return &model->joint[low];
}

bool hn_rank_name(const hn_rank *rank, const hn_model *model, int *at, char *text, size_t size)
{
  int count = rank->rows - rank->rank, from = *at, end = *at;
  if (*at >= count) return false;
  int row = rank->redundant[*at];
  if (row >= model->nrow) { /* a row of a contact, which has no name */
    snprintf(text, size, "contact[%d]", row - model->nrow + 1);
    ++*at;
    return true;
  }
  const hn_joint *joint = joint_of(model, row);
  while (from > 0 && rank->redundant[from - 1] >= joint->row) from--;
  while (end < count && rank->redundant[end] < joint->row + joint->type->rows) end++;
  bool whole = end - from == joint->type->rows;
  if (whole) snprintf(text, size, "%s", joint->name);
  else snprintf(text, size, "%s[%d]", joint->name, row - joint->row + 1);
  *at = whole ? end : *at + 1;
  return true;
}
