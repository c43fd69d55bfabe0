/* rank.c - numerical rank of the constraints, with its gap, the redundant rows and the multipliers that are not unique.
 *
 *   A = D^-1/2 G S,   S S' = W of bodies of unit mass,   D = diag (G S S' G')
 *
 * S measures every motion of a body by the kinetic energy per mass: a turn by the radius of gyration. Each row is
 * divided by its length in that measure. So a row in metres and a row in radians, millimetres and metres have the same
 * singular values: what is left are angles between constraints. They lie between 0 and the root of the number of rows,
 * and one below 1e-6 counts as zero. Masses do not come in: which constraints repeat others is a matter of G alone, and
 * in the metric of K itself two joints of a light body between heavy ones seem to be the same (their distance is the
 * root of the ratio of masses).
 *
 * N, the left null space (N' A = 0), says the rest. A multiplier is unique exactly when its row of N is zero; the
 * length of that row is how much of it is free. Rows that can be removed together are rows of N that are independent;
 * they are chosen from the end of the scene (null_space.c). Singular values do not depend on which S it is.
 *
 * Up to 100 rows: singular value decomposition of the full matrix. More: sparse QR (sparse_rank.c), which needs less
 * time from there on. */
#include "rank/rank_parts.h"
#include "linear/matrix.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DENSE_ROWS = 100 }; /* which take 5 ms */

static const double zero_value = 1e-6, zero_part = 1e-8;

/* ---- The result -------------------------------------------------------------------------------------------------- */

static void measure_gap(hn_rank *rank)
{
  const double unit = 2.220446049250313e-16;
  bool both = rank->rank > 0 && rank->rank < rank->rows;
  if (rank->rank == 0) rank->kept = NAN;
  if (rank->rank == rank->rows) rank->dropped = NAN;
  rank->gap = both ? rank->kept / fmax(rank->dropped, unit) : NAN;
}

/* The rows of A in the elimination order of their blocks. */
static int *order_rows(const hn_system *s, const hn_scaled *A, hn_error *error)
{
  int *blocks = malloc(sizeof *blocks * ((size_t)s->nblock + 1));
  int *order = malloc(sizeof *order * ((size_t)s->nrow + 1));
  int *place = malloc(sizeof *place * ((size_t)s->nrow + 1)); /* in A, or -1 */
  int status = blocks && order && place ? hn_order_blocks(s, blocks, error) : hn_fail(error, "out of memory");
  for (int i = 0; status == 0 && i < s->nrow; i++) place[i] = -1;
  for (int i = 0; status == 0 && i < A->rows; i++) place[A->row_of[i]] = i;
  for (int k = 0, at = 0; status == 0 && k < s->nblock; k++)
    for (int i = s->block[blocks[k]].row, end = i + s->block[blocks[k]].n; i < end; i++)
      if (place[i] >= 0) order[at++] = place[i];
  free(blocks), free(place);
  if (status == 0) return order;
  free(order);
  return NULL;
}

static int find_rank(const hn_system *s, const hn_scaled *A, int how, hn_rank *rank, hn_error *error)
{
  if (!hn_scaled_finite(A)) return hn_fail(error, "the rank is not known: the Jacobian is not finite");
  if (A->rows == 0) return hn_rank_reserve(rank, 0, 0, error);
  if (how == HN_RANK_DENSE && A->rows > HN_RANK_MAX_DENSE)
    return hn_fail(error,
                   "%d rows are too many for a dense matrix, of which %d are the most: take the sparse way",
                   A->rows, HN_RANK_MAX_DENSE);
  if (how == HN_RANK_DENSE || (how == HN_RANK_AUTO && A->rows <= DENSE_ROWS))
    return hn_rank_dense(A, rank, error);
  int *order = order_rows(s, A, error);
  int status = order ? hn_rank_sparse(A, order, rank, error) : -1;
  free(order);
  return status;
}

/* From rows of A to rows of the model. */
static void name_rows(const hn_scaled *A, hn_rank *rank)
{
  for (int k = 0; k < A->rows - rank->rank; k++) rank->redundant[k] = A->row_of[rank->redundant[k]];
  for (int i = A->rows - 1; i >= 0; i--) { /* row_of[i] >= i */
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
  if (status == 0) {
    *rank = (hn_rank){ .rows = A.rows,
                       .freedoms = hn_model_freedoms(s->model),
                       .tolerance = zero_value,
                       .complete = true,
                       .measured = true };
    rank->undetermined = calloc((size_t)s->nrow + 1, sizeof *rank->undetermined);
    status = rank->undetermined ? find_rank(s, &A, how, rank, error) : hn_fail(error, "out of memory");
  }
  if (status == 0) name_rows(&A, rank);
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

/* The joint that has ROW: their rows ascend. */
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
  if (row >= model->nrow) { /* behind the joints: of contacts, which have no names */
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
