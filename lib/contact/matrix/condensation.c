/* condensation.c - see condensation.h. Redundant joints make K_jj singular: it is factored with 1e-9 k on the
 * diagonal, k the mean diagonal of a block, and each solution is refined until the joints hold. Cost: a
 * factorisation of the joints, and a solution or two for each row of the contacts. */
#include "contact/matrix/condensation.h"
#include "contact/matrix/contact_matrix.h"

#include <math.h>
#include <string.h>

static const double regularisation = 1e-9; /* of K_jj, in k */
/* Velocity of the joints, relative to the one without their impulses, at which they hold: in a column of K_c,
 * and in the end. */
static const double column_accuracy = 1e-10, accuracy = 1e-13, least_accuracy = 1e-7;
enum { REFINEMENTS = 4 };
static const double least_gain = 0.1; /* of a refinement that is not the last */

struct hn_condensation {
  int rows;          /* most of the posed problem */
  hn_problem joints; /* the joints alone, in arrays of its own */
  int *joint_row;    /* [joints.nblock] first row in the problem */
  hn_contact_matrix K_jj;
  double *R, *x, *r; /* [joints.nblock] regularisation; [joints.nrow] impulses and velocities of joints */
  hn_problem posed;  /* its blocks, K and b */
  int *block;        /* [posed.nblock] the block of the problem */
  double *p;         /* [rows] */
  double *u;         /* [6 nbody] velocities of the bodies */
  int most_blocks, most_rows, most_bodies; /* allocated */
  hn_arrays fixed, arrays;
};

hn_condensation *hn_condensation_create(int rows)
{
  hn_condensation *d = calloc(1, sizeof *d);
  const size_t n = (size_t)rows;
  if (!d) return NULL;
  d->rows = rows;
  hn_problem *posed = &d->posed;
  HN_ARRAYS(&d->fixed, sizeof(double) * n, &posed->b, &d->p);
  HN_ARRAYS(&d->fixed, sizeof *posed->block * n, &posed->block);
  HN_ARRAYS(&d->fixed, sizeof *posed->K, &posed->K);
  HN_ARRAYS(&d->fixed, sizeof(int) * n, &d->block);
  if (posed->K) {
    HN_ARRAYS(&d->fixed, sizeof(int) * (n + 1), &posed->K->start);
    HN_ARRAYS(&d->fixed, sizeof(int) * n * n, &posed->K->column);
    HN_ARRAYS(&d->fixed, sizeof(double) * n * n, &posed->K->value);
  }
  if (!d->fixed.failed) return d;
  hn_condensation_free(d);
  return NULL;
}

void hn_condensation_free(hn_condensation *d)
{
  if (!d) return;
  hn_contact_matrix_free(&d->K_jj);
  hn_arrays_free(&d->fixed), hn_arrays_free(&d->arrays);
  free(d);
}

static bool is_joint(const hn_problem_block *block)
{
  return block->set.kind == HN_ANY;
}

bool hn_condensation_applies(const hn_condensation *d, const hn_problem *problem)
{
  int rows = 0;
  if (problem->K) return false;
  for (int k = 0; k < problem->nblock && rows <= d->rows; k++)
    if (!is_joint(&problem->block[k])) rows += problem->block[k].n;
  return rows > 0 && rows <= d->rows && rows < problem->nrow;
}

/* ---- The two parts ------------------------------------------------------------------------------------- */

/* Makes room for BLOCKS joints of ROWS rows, and for BODIES. */
static bool grow(hn_condensation *d, int blocks, int rows, int bodies)
{
  hn_problem *joints = &d->joints;
  if (blocks <= d->most_blocks && rows <= d->most_rows && bodies <= d->most_bodies) return true;
  hn_arrays_free(&d->arrays);
  d->most_blocks = blocks > d->most_blocks ? blocks : d->most_blocks;
  d->most_rows = rows > d->most_rows ? rows : d->most_rows;
  d->most_bodies = bodies > d->most_bodies ? bodies : d->most_bodies;
  const size_t n = (size_t)d->most_rows, most = (size_t)d->most_blocks;
  HN_ARRAYS(&d->arrays, sizeof *joints->block * most, &joints->block);
  HN_ARRAYS(&d->arrays, sizeof *d->joint_row * most, &d->joint_row);
  HN_ARRAYS(&d->arrays, sizeof(double) * most, &d->R);
  HN_ARRAYS(&d->arrays, sizeof(double[6]) * (size_t)d->most_bodies, &d->u);
  HN_ARRAYS(&d->arrays, sizeof(double) * n, &joints->b, &d->x, &d->r);
  HN_ARRAYS(&d->arrays, sizeof(double[12]) * n, &joints->G, &joints->T);
  if (!d->arrays.failed) return true;
  hn_arrays_free(&d->arrays);
  d->most_blocks = d->most_rows = d->most_bodies = 0;
  return false;
}

/* Copies BLOCK to the joints. */
static void add_joint(hn_condensation *d, const hn_problem *problem, const hn_problem_block *block)
{
  hn_problem *joints = &d->joints;
  const size_t n = (size_t)block->n, from = (size_t)block->row, to = (size_t)joints->nrow;
  d->joint_row[joints->nblock] = block->row;
  hn_problem_block *copy = &joints->block[joints->nblock++];
  *copy = *block, copy->row = joints->nrow;
  joints->nrow += block->n;
  memcpy(joints->b + to, problem->b + from, n * sizeof *joints->b);
  memcpy(joints->G + 12 * to, problem->G + 12 * from, 12 * n * sizeof *joints->G);
  memcpy(joints->T + 12 * to, problem->T + 12 * from, 12 * n * sizeof *joints->T);
}

/* Copies block K, no joint, with its impulses P. */
static void add_contact(hn_condensation *d, const hn_problem *problem, int k, const double *p)
{
  hn_problem *posed = &d->posed;
  const hn_problem_block *block = &problem->block[k];
  d->block[posed->nblock] = k;
  hn_problem_block *copy = &posed->block[posed->nblock++];
  *copy = *block, copy->row = posed->nrow, copy->a = copy->b = 0;
  memcpy(d->p + posed->nrow, p + block->row, sizeof *p * (size_t)block->n);
  posed->nrow += block->n;
}

/* Parts the blocks of PROBLEM; false if memory runs out. */
static bool part(hn_condensation *d, const hn_problem *problem, const double *p)
{
  int blocks = 0, rows = 0;
  for (int k = 0; k < problem->nblock; k++)
    if (is_joint(&problem->block[k])) blocks++, rows += problem->block[k].n;
  if (!grow(d, blocks, rows, problem->nbody)) return false;
  d->joints.h = d->posed.h = problem->h;
  d->joints.nblock = d->joints.nrow = d->posed.nblock = d->posed.nrow = 0;
  d->joints.nbody = problem->nbody;
  for (int k = 0; k < problem->nblock; k++)
    if (is_joint(&problem->block[k])) add_joint(d, problem, &problem->block[k]);
    else add_contact(d, problem, k, p);
  return true;
}

/* ---- Joints that hold ---------------------------------------------------------------------------------- */

static double largest_of(const double *x, int n)
{
  double largest = 0.0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
  return largest;
}

static hn_reason factor(hn_condensation *d, hn_work *work)
{
  hn_reason reason = hn_contact_matrix_load(&d->K_jj, &d->joints, NULL);
  if (reason != HN_CONVERGED || !hn_rows_scales(&d->joints, d->R)) return HN_SINGULAR;
  for (int k = 0; k < d->joints.nblock; k++) d->R[k] *= regularisation;
  work->factorisations++, work->eliminated += (uint64_t)d->joints.nblock;
  return hn_contact_matrix_factor(&d->K_jj, d->R);
}

/* Stores the velocities of the joints, where the bodies have U, in d->r, and with b_j if BIASED; returns the
 * largest. */
static double look(hn_condensation *d, const double *u, bool biased)
{
  const hn_problem *joints = &d->joints;
  if (biased) memcpy(d->r, joints->b, sizeof *d->r * (size_t)joints->nrow);
  else memset(d->r, 0, sizeof *d->r * (size_t)joints->nrow);
  for (int k = 0; k < joints->nblock; k++)
    hn_rows_add_velocities(joints, &joints->block[k], u, d->r + joints->block[k].row);
  return largest_of(d->r, joints->nrow);
}

/* Stores in d->x the impulses with which the joints hold, to within a part GOAL, where the bodies have
 * velocities U, which change with them. False if they do not hold accurately. */
static bool hold(hn_condensation *d, hn_work *work, bool biased, double goal, double *u)
{
  const hn_problem *joints = &d->joints;
  const double start = look(d, u, biased);
  double now = start, before = HUGE_VAL;
  memset(d->x, 0, sizeof *d->x * (size_t)joints->nrow);
  for (int i = 0; i < REFINEMENTS && now > goal * start && now < least_gain * before; i++) {
    before = now;
    hn_contact_matrix_solve(&d->K_jj, d->r);
    work->solves++;
    for (int row = 0; row < joints->nrow; row++) d->r[row] = -d->r[row], d->x[row] += d->r[row];
    for (int k = 0; k < joints->nblock; k++)
      hn_rows_apply(joints, &joints->block[k], d->r + joints->block[k].row, u);
    now = look(d, u, biased);
  }
  return now <= least_accuracy * start;
}

/* ---- The posed problem --------------------------------------------------------------------------------- */

/* Computes column COLUMN of K_c, that of row R of BLOCK of the problem, and b_c of that row. */
static bool respond(hn_condensation *d, hn_work *work, const hn_problem *problem,
                    const hn_problem_block *block, int r, int column)
{
  hn_problem *posed = &d->posed;
  double unit[HN_MAX_ROWS] = { 0 }, b = problem->b[block->row + r], *K_c = posed->K->value;
  memset(d->u, 0, 6 * (size_t)problem->nbody * sizeof *d->u);
  unit[r] = 1.0;
  hn_rows_apply(problem, block, unit, d->u);
  if (!hold(d, work, false, column_accuracy, d->u)) return false;
  for (int i = 0; i < d->joints.nrow; i++) b += d->x[i] * d->joints.b[i];
  posed->b[column] = b;
  for (int k = 0; k < posed->nblock; k++) {
    double v[HN_MAX_ROWS] = { 0 };
    hn_rows_add_velocities(problem, &problem->block[d->block[k]], d->u, v);
    for (int i = 0; i < posed->block[k].n; i++) K_c[(posed->block[k].row + i) * posed->nrow + column] = v[i];
  }
  return true;
}

/* Makes K_c symmetric to the bit, and stores its pattern. */
static void complete(hn_problem *posed)
{
  const int n = posed->nrow;
  hn_problem_matrix *K = posed->K;
  for (int i = 0; i < n; i++) {
    K->start[i + 1] = (i + 1) * n;
    for (int j = 0; j < n; j++) K->column[i * n + j] = j;
    for (int j = 0; j < i; j++)
      K->value[i * n + j] = K->value[j * n + i] = 0.5 * (K->value[i * n + j] + K->value[j * n + i]);
  }
}

const hn_problem *hn_condensation_pose(hn_condensation *d, hn_work *work, const hn_problem *problem,
                                       const double *p, double **p_c)
{
  if (!part(d, problem, p) || factor(d, work) != HN_CONVERGED) return NULL;
  for (int k = 0; k < d->posed.nblock; k++) {
    const hn_problem_block *posed = &d->posed.block[k];
    for (int r = 0; r < posed->n; r++)
      if (!respond(d, work, problem, &problem->block[d->block[k]], r, posed->row + r)) return NULL;
  }
  complete(&d->posed);
  *p_c = d->p;
  return &d->posed;
}

void hn_condensation_expand(hn_condensation *d, hn_work *work, const hn_problem *problem, double *p)
{
  memset(d->u, 0, 6 * (size_t)problem->nbody * sizeof *d->u);
  for (int k = 0; k < d->posed.nblock; k++) {
    const hn_problem_block *block = &problem->block[d->block[k]];
    memcpy(p + block->row, d->p + d->posed.block[k].row, sizeof *p * (size_t)block->n);
    hn_rows_apply(problem, block, p + block->row, d->u);
  }
  hold(d, work, true, accuracy, d->u);
  for (int k = 0; k < d->joints.nblock; k++)
    memcpy(p + d->joint_row[k], d->x + d->joints.block[k].row, sizeof *p * (size_t)d->joints.block[k].n);
}
