/* assembly.c - the pattern of K = G W G' and its values.
 *
 * A moving body couples every pair of joints that touch it: K_ij += G_i W G_j' over the six columns of that body. The
 * list of these contributions is made once; filling K walks it in order of storage. */
#include "linear.h"

#include <stdlib.h>
#include <string.h>

/* One side of a joint on a moving body, while the pattern is made. */
typedef struct side {
  int body, position, joint, block; /* position: place of the joint in elimination order */
} side;

typedef struct coupling {
  int row, column; /* positions */
  hn_contribution part;
} coupling;

static int by_body(const void *left, const void *right)
{
  const side *a = left, *b = right;
  return a->body != b->body ? (a->body > b->body) - (a->body < b->body)
                            : (a->position > b->position) - (a->position < b->position);
}

static int by_storage(const void *left, const void *right)
{
  const coupling *a = left, *b = right;
  if (a->row != b->row) return (a->row > b->row) - (a->row < b->row);
  if (a->column != b->column) return (a->column > b->column) - (a->column < b->column);
  return (a->part.row_block > b->part.row_block) - (a->part.row_block < b->part.row_block); /* fixed summation order */
}

static int list_sides(const hn_model *model, const int *order, side *sides)
{
  int count = 0;
  for (int k = 0; k < model->njoint; k++) {
    const hn_joint *joint = &model->joint[order[k]];
    int block = 12 * joint->row;
    if (model->body[joint->a].kind != HN_FIXED) sides[count++] = (side){ joint->a, k, order[k], block };
    if (model->body[joint->b].kind != HN_FIXED)
      sides[count++] = (side){ joint->b, k, order[k], block + 6 * joint->type->rows };
  }
  qsort(sides, (size_t)count, sizeof *sides, by_body);
  return count;
}

/* All pairs of sides on a common body, the earlier joint as row; COUPLINGS may be NULL to count them. */
static size_t list_couplings(const side *sides, int nsides, coupling *couplings)
{
  size_t count = 0;
  for (int i = 0; i < nsides; i++)
    for (int j = i; j < nsides && sides[j].body == sides[i].body; j++) {
      hn_contribution part = { .row_joint = sides[i].joint, .column_joint = sides[j].joint,
                               .row_block = sides[i].block, .column_block = sides[j].block };
      if (couplings) couplings[count] = (coupling){ sides[i].position, sides[j].position, part };
      count++;
    }
  if (couplings) qsort(couplings, count, sizeof *couplings, by_storage);
  return count;
}

static int rows_of(const hn_model *model, int joint)
{
  return model->joint[joint].type->rows;
}

static bool joints_are_alike(const hn_model *model)
{
  for (int j = 1; j < model->njoint; j++)
    if (rows_of(model, j) != rows_of(model, 0)) return false;
  return model->njoint > 0;
}

static bool opens_slot(const coupling *c, size_t k)
{
  return k == 0 || c[k].row != c[k - 1].row || c[k].column != c[k - 1].column;
}

/* Uniform blocks: one slot a pair of joints. */
static void lay_out_blocks(hn_assembly *as, const coupling *c, size_t count)
{
  int slot = -1;
  as->K.start[0] = 0;
  for (size_t k = 0; k < count; k++) {
    if (opens_slot(c, k)) as->K.column[++slot] = c[k].column;
    as->K.start[c[k].row + 1] = slot + 1;
    as->part[k] = c[k].part;
    as->part[k].slot = slot;
    as->part[k].first = opens_slot(c, k);
  }
}

/* Single numbers: row r of a joint holds the upper part of its diagonal block, then those of its later neighbours. */
static void lay_out_numbers(hn_assembly *as, const hn_model *model, const coupling *c, size_t count)
{
  hn_block_matrix *K = &as->K;
  for (size_t k = 0, next; k < count; k = next) {
    const hn_joint *joint = &model->joint[c[k].part.row_joint];
    int rows = joint->type->rows, first = as->row_at[joint->row], width = 0;
    for (next = k; next < count && c[next].row == c[k].row; next++) {
      as->part[next] = c[next].part;
      as->part[next].first = opens_slot(c, next);
      if (as->part[next].first) width += rows_of(model, c[next].part.column_joint);
      as->part[next].slot = width - rows_of(model, c[next].part.column_joint);
    }
    for (int r = 0; r < rows; r++) {
      int *column = K->column + K->start[first + r];
      K->start[first + r + 1] = K->start[first + r] + width - r;
      for (size_t m = k; m < next; m++) {
        if (!as->part[m].first) continue;
        int j = c[m].part.column_joint, at = as->row_at[model->joint[j].row];
        for (int s = m == k ? r : 0; s < rows_of(model, j); s++) *column++ = at + s;
      }
    }
  }
}

static size_t count_values(const hn_model *model, const coupling *c, size_t count)
{
  size_t values = 0;
  for (size_t k = 0; k < count; k++)
    if (opens_slot(c, k))
      values += (size_t)rows_of(model, c[k].part.row_joint) * (size_t)rows_of(model, c[k].part.column_joint);
  return values;
}

static void number_rows(hn_assembly *as, const hn_model *model)
{
  for (int k = 0, at = 0; k < model->njoint; k++) {
    const hn_joint *joint = &model->joint[as->order[k]];
    for (int r = 0; r < joint->type->rows; r++) as->row_at[joint->row + r] = at++;
  }
}

static int lay_out(hn_assembly *as, const hn_model *model, const coupling *c, size_t count)
{
  hn_block_matrix *K = &as->K;
  size_t values = count_values(model, c, count);
  as->uniform = joints_are_alike(model);
  K->bs = as->uniform ? rows_of(model, 0) : 1;
  K->n = model->nrow / K->bs;
  K->start = calloc((size_t)K->n + 1, sizeof *K->start);
  K->column = malloc(sizeof *K->column * (values / (size_t)(K->bs * K->bs) + 1));
  K->value = calloc(values + 1, sizeof *K->value);
  as->part = malloc(sizeof *as->part * (count + 1));
  as->nparts = (int)count;
  if (!K->start || !K->column || !K->value || !as->part) return -1;
  if (as->uniform) lay_out_blocks(as, c, count);
  else lay_out_numbers(as, model, c, count);
  return 0;
}

int hn_assembly_create(hn_assembly *as, const hn_model *model, hn_error *error)
{
  size_t nj = (size_t)model->njoint;
  *as = (hn_assembly){ 0 };
  as->order = malloc(sizeof *as->order * (nj + 1));
  as->row_at = malloc(sizeof *as->row_at * ((size_t)model->nrow + 1));
  side *sides = malloc(sizeof *sides * (2 * nj + 1));
  coupling *couplings = NULL;
  int status = as->order && as->row_at && sides ? hn_order_joints(model, as->order, error)
                                                : hn_fail(error, "out of memory");
  if (status == 0) {
    number_rows(as, model);
    int nsides = list_sides(model, as->order, sides);
    couplings = malloc(sizeof *couplings * (list_couplings(sides, nsides, NULL) + 1));
    size_t count = couplings ? list_couplings(sides, nsides, couplings) : 0;
    if (!couplings || lay_out(as, model, couplings, count)) status = hn_fail(error, "out of memory");
  }
  free(sides);
  free(couplings);
  return status;
}

void hn_assembly_free(hn_assembly *as)
{
  free(as->order), free(as->row_at), free(as->part);
  free(as->K.start), free(as->K.column);
  if (!as->K.borrowed) free(as->K.value);
}

/* One block, entry (r, c) = sum over the twist's six entries; NR and NC are constants where this is inlined. */
static inline void product(int nr, int nc, const double *restrict G, const double *restrict T, bool first,
                           double *restrict block)
{
  for (int c = 0; c < nc; c++) {
    double sum[HN_MAX_ROWS];
    for (int r = 0; r < nr; r++) sum[r] = first ? G[r] * T[6 * c] : block[c * nr + r] + G[r] * T[6 * c];
    for (int k = 1; k < 6; k++)
      for (int r = 0; r < nr; r++) sum[r] += G[k * nr + r] * T[6 * c + k];
    for (int r = 0; r < nr; r++) block[c * nr + r] = sum[r];
  }
}

static void fill_blocks(hn_assembly *as, const double *G, const double *T)
{
  const int bs = as->K.bs;
  for (const hn_contribution *p = as->part; p < as->part + as->nparts; p++) {
    double *block = as->K.value + (size_t)p->slot * (size_t)(bs * bs);
    if (bs == 3) product(3, 3, G + p->row_block, T + p->column_block, p->first, block);
    else if (bs == 1) product(1, 1, G + p->row_block, T + p->column_block, p->first, block);
    else product(bs, bs, G + p->row_block, T + p->column_block, p->first, block);
  }
}

/* The same for the sizes of most joints as constants. */
static void product_of(int nr, int nc, const double *G, const double *T, double *block)
{
  switch (10 * nr + nc) {
  case 11: product(1, 1, G, T, true, block); return;
  case 13: product(1, 3, G, T, true, block); return;
  case 15: product(1, 5, G, T, true, block); return;
  case 31: product(3, 1, G, T, true, block); return;
  case 33: product(3, 3, G, T, true, block); return;
  case 35: product(3, 5, G, T, true, block); return;
  case 51: product(5, 1, G, T, true, block); return;
  case 53: product(5, 3, G, T, true, block); return;
  case 55: product(5, 5, G, T, true, block); return;
  default: product(nr, nc, G, T, true, block);
  }
}

static void fill_numbers(hn_assembly *as, const hn_model *model, const double *G, const double *T)
{
  double block[HN_MAX_ROWS * HN_MAX_ROWS];
  for (const hn_contribution *p = as->part; p < as->part + as->nparts; p++) {
    int nr = rows_of(model, p->row_joint), nc = rows_of(model, p->column_joint);
    int row = as->row_at[model->joint[p->row_joint].row];
    product_of(nr, nc, G + p->row_block, T + p->column_block, block);
    for (int r = 0; r < nr; r++) {
      double *value = as->K.value + as->K.start[row + r] - r + p->slot;
      for (int c = p->slot == 0 ? r : 0; c < nc; c++)
        value[c] = p->first ? block[c * nr + r] : value[c] + block[c * nr + r];
    }
  }
}

void hn_assembly_fill(hn_assembly *as, const hn_model *model, const double *G, const double *T, const bool *off)
{
  if (as->uniform) fill_blocks(as, G, T);
  else fill_numbers(as, model, G, T);
  for (int j = 0; j < model->njoint && off; j++) /* such models have blocks of one number */
    if (off[j]) as->K.value[as->K.start[as->row_at[model->joint[j].row]]] = 1.0;
}
