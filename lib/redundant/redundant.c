/* redundant.c - K p = b for a singular K: the policies remove and min-norm (loop-split: loops.c).
 *
 * remove     Redundant rows D, found by the rank analysis (rank.c), are left out: K_kept p = b_kept, p_D = 0.
 *            Off-diagonal entries of K in rows and columns D become zero: pattern, storage and back end stay.
 * min-norm   p = D^-1/2 (D^-1/2 K D^-1/2)^+ D^-1/2 b, D = diag K: of all p that come nearest to K p = b, the
 *            shortest, with rows measured by their own inertia, independent of units. The same factor serves:
 *            each left null vector of the scaled rows takes one solution; they are made orthonormal as N.
 *            With P = I - N N' in scaled rows, p = P X P b, where X is the inverse for the kept rows. One
 *            correction of the kept rows afterwards removes rounding errors of N.
 *
 * K counts as regular until a factorisation fails: up to then all results equal those of redundancy=error to
 * the bit. Then the redundant rows are detected, and again whenever the kept rows have become dependent or a
 * dropped row independent. Each factorisation computes the part of the dropped rows that the kept ones cannot
 * represent,
 *
 *   r = K_DD s - K_D,kept K_kept^-1 K_kept,D s,   s irregular
 *
 * whose scaled size is the square of a distance, and compares it with (1/100)^2. This bound is wide on
 * purpose: stages of a solver that satisfy the position constraints only approximately must not lock a closed
 * mechanism. A right-hand side that contradicts the kept rows leads to a detection at the tolerance of the
 * rank analysis.
 *
 * Conflicts. Redundant rows agree only if the right-hand side does. After every solution r = b - K p is
 * checked: it is a conflict if it is nine tenths of b or more, and more than rounding. A smaller part can
 * come from the curvature of the constraints, which a repeated position correction removes. A true conflict
 * stays while the rest of b vanishes. Prescribed motions are checked at each factorisation: G u + bias = 0
 * must have a solution. */
#include "redundant/redundant.h"
#include "base/random.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/* square of the distance, between scaled rows, from which a dropped row is independent */
static const double independent_square = 1e-4;
/* conflicts of motions: smallest residual (m/s, rad/s), and smallest part of the prescribed velocities */
static const double min_conflict = 1e-9, conflict_part = 1e-5;
/* part of a null vector's largest entry from which a row is in conflict */
static const double conflict_entry = 1e-7;

#define FULL_ENTRIES 4e6 /* of N, 32 MB */

hn_redundant *hn_redundant_create(const hn_system *s, int policy, hn_error *error)
{
  const size_t rows = (size_t)s->max_rows;
  hn_redundant *d = calloc(1, sizeof *d);
  if (!d) return hn_fail(error, "out of memory"), NULL;
  d->policy = policy;
  if (hn_arrays_allocate(&d->arrays, error, HN_ARRAY(d->group, rows), HN_ARRAY(d->dropped, rows),
                         HN_ARRAY(d->in_conflict, rows), HN_ARRAY(d->twist, 6 * (size_t)s->model->nbody),
                         HN_ARRAY(d->norm, rows), HN_ARRAY(d->b, rows), HN_ARRAY(d->r, rows),
                         HN_ARRAY(d->x, rows), HN_ARRAY(d->p, rows), HN_ARRAY(d->dp, rows)) == 0 &&
      hn_redundant_analyse(d, s, error) == 0)
    return d;
  hn_redundant_free(d);
  return NULL;
}

void hn_redundant_free(hn_redundant *d)
{
  if (!d) return;
  hn_arrays_free(&d->arrays);
  free(d->forest), free(d->forest_start), free(d->N.value);
  free(d);
}

int hn_redundant_analyse(hn_redundant *d, const hn_system *s, hn_error *error)
{
  d->ndropped = 0;
  memset(d->group, 0, sizeof *d->group * (size_t)s->nrow);
  return d->policy == HN_LOOP_SPLIT ? hn_loops_cut(d, s, error) : 0;
}

/* ---- Dropped rows ------------------------------------------------------------------------------------- */

static void drop_rows(hn_system *s, const int *rows, int count)
{
  hn_redundant *d = s->parts->redundant;
  d->ndropped = count;
  memcpy(d->dropped, rows, sizeof *rows * (size_t)count);
  memset(d->group, 0, sizeof *d->group * (size_t)s->nrow);
  for (int k = 0; k < count; k++) d->group[rows[k]] = -1;
}

/* Allocates N for the dropped rows; false if it would be too large. */
static bool allocate_null_space(hn_redundant *d, int rows)
{
  if (d->policy != HN_MIN_NORM) return true;
  free(d->N.value);
  d->N = (hn_left_null){ .rows = rows };
  if ((double)rows * d->ndropped > FULL_ENTRIES) return false;
  d->N.value = malloc(sizeof *d->N.value * (size_t)rows * (size_t)d->ndropped + 1);
  return d->N.value != NULL;
}

/* ---- Checkpoints -------------------------------------------------------------------------------------- */

static bool has_memory(const hn_system *s)
{
  return s->parts->redundant && s->parts->redundant->policy != HN_LOOP_SPLIT;
}

size_t hn_redundant_memory(const hn_system *s)
{
  return has_memory(s) ? sizeof(int) * ((size_t)s->max_rows + 1) : 0;
}

/* Stores the number of dropped rows, then the rows; restarts the maximum of right-hand sides. */
void hn_redundant_save(hn_system *s, void *memory)
{
  hn_redundant *d = s->parts->redundant;
  int *to = memory;
  d->scale = 0.0;
  to[0] = d->ndropped;
  memcpy(to + 1, d->dropped, sizeof *to * (size_t)s->max_rows);
}

bool hn_redundant_accepts(const hn_system *s, const void *memory)
{
  const int *from = memory;
  if (!has_memory(s)) return true;
  if (from[0] < 0 || from[0] > s->nrow) return false;
  for (int k = 1; k <= from[0]; k++)
    if (from[k] < 0 || from[k] >= s->nrow) return false;
  return true;
}

void hn_redundant_restore(hn_system *s, const void *memory)
{
  const int *from = memory;
  s->parts->factored = false;
  drop_rows(s, from + 1, from[0]);
  allocate_null_space(s->parts->redundant,
                      s->nrow); /* on failure the next factorisation returns HN_UNSUPPORTED */
}

/* ---- Detection ---------------------------------------------------------------------------------------- */

/* Detects the rows to drop; sets CHANGED if they differ from those before. */
static hn_reason detect(hn_system *s, bool *changed)
{
  hn_redundant *d = s->parts->redundant;
  hn_error error;
  hn_rank *rank = hn_rank_create(s, HN_RANK_AUTO, &error);
  s->work.detections++;
  *changed = false;
  if (!rank) return HN_SINGULAR;
  int count = rank->rows - rank->rank;
  *changed = count != d->ndropped ||
             memcmp(d->dropped, rank->redundant, sizeof *d->dropped * (size_t)count) != 0;
  drop_rows(s, rank->redundant, count);
  hn_rank_free(rank);
  return allocate_null_space(d, s->nrow) ? HN_CONVERGED : HN_UNSUPPORTED;
}

/* Completes the null vector N, given on the dropped rows, by the entries of the kept rows. Uses d->r. */
static hn_reason complete_null_vector(hn_system *s, double *n)
{
  hn_redundant *d = s->parts->redundant;
  hn_redundant_multiply(s, n, d->r);
  for (int k = 0; k < d->ndropped; k++) d->r[d->dropped[k]] = 0.0;
  s->work.solves++;
  hn_reason reason = hn_linear_solve(s, d->r, d->r);
  for (int i = 0; i < s->nrow; i++)
    if (d->group[i] >= 0) n[i] = -d->r[i];
  return reason;
}

/* True if the dropped rows are still combinations of the others. */
static bool still_dependent(hn_system *s)
{
  hn_redundant *d = s->parts->redundant;
  uint32_t pattern = RANDOM_SEED;
  memset(d->x, 0, sizeof *d->x * (size_t)s->nrow);
  for (int k = 0; k < d->ndropped; k++) d->x[d->dropped[k]] = irregular(&pattern) / d->norm[d->dropped[k]];
  if (complete_null_vector(s, d->x) != HN_CONVERGED) return false;
  hn_redundant_multiply(s, d->x, d->r);
  for (int i = 0; i < s->nrow; i++)
    if (d->group[i] >= 0) d->r[i] = 0.0;
  return hn_redundant_size(s, d->r, NULL) <= independent_square;
}

/* ---- Conflicts ---------------------------------------------------------------------------------------- */

/* Marks the rows in conflict: those of the null vector of the dropped row WORST. */
static hn_reason mark_conflict(hn_system *s, int worst)
{
  hn_redundant *d = s->parts->redundant;
  memset(d->x, 0, sizeof *d->x * (size_t)s->nrow);
  d->x[worst] = 1.0 / d->norm[worst];
  if (d->ndropped > 0) complete_null_vector(s, d->x);
  return hn_redundant_mark_conflict(s, d->x, conflict_entry);
}

/* Computes r = b - K p on the dropped rows, 0 on the others; returns the row with the largest. */
static int residual_of_dropped(hn_system *s, const double *b, const double *p)
{
  hn_redundant *d = s->parts->redundant;
  int worst = d->dropped[0];
  hn_redundant_multiply(s, p, d->r);
  for (int i = 0; i < s->nrow; i++) d->r[i] = d->group[i] < 0 ? b[i] - d->r[i] : 0.0;
  hn_redundant_size(s, d->r, &worst);
  return worst;
}

/* Solves with the kept rows; p_D = 0. */
static hn_reason solve_kept(hn_system *s, const double *b, double *p)
{
  const hn_redundant *d = s->parts->redundant;
  memmove(p, b, sizeof *p * (size_t)s->nrow);
  for (int k = 0; k < d->ndropped; k++) p[d->dropped[k]] = 0.0;
  hn_reason reason = hn_linear_solve(s, p, p);
  for (int k = 0; k < d->ndropped; k++) p[d->dropped[k]] = 0.0;
  return reason;
}

/* Checks prescribed motions: G u + bias = 0 has a solution exactly if K p = bias has. */
static hn_reason check_motions(hn_system *s)
{
  hn_redundant *d = s->parts->redundant;
  double size = hn_redundant_size(s, s->bias, NULL);
  if (size == 0.0) return HN_CONVERGED;
  s->work.solves++;
  hn_reason reason = solve_kept(s, s->bias, d->x);
  if (reason != HN_CONVERGED) return reason;
  int worst = residual_of_dropped(s, s->bias, d->x);
  bool conflict = fabs(d->r[worst]) > min_conflict &&
                  fabs(d->r[worst]) / d->norm[worst] > conflict_part * size;
  return conflict ? mark_conflict(s, worst) : HN_CONVERGED;
}

static hn_reason check_motions_of_loops(hn_system *s)
{
  hn_redundant *d = s->parts->redundant;
  double size = hn_redundant_size(s, s->bias, NULL);
  if (size == 0.0 || d->ngroup <= 1) return HN_CONVERGED;
  s->work.solves++;
  hn_reason reason = hn_loops_solve(s, s->bias, d->p);
  d->scale = 0.0; /* the bias is no right-hand side of a solver */
  if (reason != HN_CONVERGED) return reason;
  bool conflict = hn_redundant_size(s, d->r, NULL) > fmax(conflict_part * size, min_conflict);
  return conflict ? hn_loops_conflict(s) : HN_CONVERGED;
}

/* ---- Factorisation ------------------------------------------------------------------------------------ */

/* Computes N for the dropped rows at the present Jacobian, scaled. */
static hn_reason compute_null_space(hn_system *s)
{
  hn_redundant *d = s->parts->redundant;
  const int rows = s->nrow;
  if (!d->N.value) return HN_UNSUPPORTED; /* allocation failed at the last detection */
  d->N.rows = rows, d->N.count = d->ndropped;
  for (int k = 0; k < d->ndropped; k++) {
    double *n = d->N.value + (size_t)k * (size_t)rows;
    memset(n, 0, sizeof *n * (size_t)rows);
    n[d->dropped[k]] = 1.0 / d->norm[d->dropped[k]];
    hn_reason reason = complete_null_vector(s, n);
    if (reason != HN_CONVERGED) return reason;
    for (int i = 0; i < rows; i++) n[i] *= d->norm[i];
  }
  hn_left_null_orthonormalise(&d->N);
  return HN_CONVERGED;
}

/* Finishes a factorisation with dropped rows. */
static hn_reason prepare(hn_system *s)
{
  hn_redundant *d = s->parts->redundant;
  if (d->ndropped == 0) return HN_CONVERGED;
  hn_reason reason = check_motions(s);
  if (reason == HN_CONVERGED && d->policy == HN_MIN_NORM) reason = compute_null_space(s);
  return reason;
}

/* Detects the rows to drop and factors K without them. */
static hn_reason detect_and_factor(hn_system *s, bool *changed)
{
  hn_reason reason = detect(s, changed);
  if (reason == HN_CONVERGED) reason = hn_redundant_factor_groups(s);
  return reason == HN_CONVERGED ? prepare(s) : reason;
}

hn_reason hn_redundant_factor(hn_system *s)
{
  hn_redundant *d = s->parts->redundant;
  bool changed;
  d->conflict = false;
  hn_reason reason = hn_redundant_factor_groups(s);
  if (d->policy == HN_LOOP_SPLIT) return reason == HN_CONVERGED ? check_motions_of_loops(s) : reason;
  if (reason == HN_NOT_FINITE) return reason;
  if (reason != HN_CONVERGED) return detect_and_factor(s, &changed);
  if (d->ndropped == 0) return reason;
  if (!still_dependent(s)) return detect_and_factor(s, &changed);
  reason = prepare(s);
  return reason == HN_SINGULAR ? detect_and_factor(s, &changed) : reason;
}

/* ---- Solution ----------------------------------------------------------------------------------------- */

/* Removes the part of x in the null space. Right-hand sides are scaled by 1 / norm, multipliers by norm. */
static void remove_null_part(const hn_redundant *d, bool multipliers, double *x)
{
  for (int i = 0; i < d->N.rows; i++) x[i] = multipliers ? x[i] * d->norm[i] : x[i] / d->norm[i];
  hn_left_null_remove(&d->N, x);
  for (int i = 0; i < d->N.rows; i++) x[i] = multipliers ? x[i] / d->norm[i] : x[i] * d->norm[i];
}

static hn_reason solve_min_norm(hn_system *s, double *p)
{
  hn_redundant *d = s->parts->redundant;
  const int rows = s->nrow;
  double *b = d->x;
  memcpy(b, d->b, sizeof *b * (size_t)rows);
  remove_null_part(d, false, b);
  hn_reason reason = solve_kept(s, b, p);
  if (reason != HN_CONVERGED) return reason;
  remove_null_part(d, true, p);
  hn_redundant_multiply(s, p, d->r);
  for (int i = 0; i < rows; i++) d->r[i] = b[i] - d->r[i];
  s->work.solves++;
  reason = solve_kept(s, d->r, d->r);
  for (int i = 0; i < rows; i++) p[i] += d->r[i];
  return reason;
}

static hn_reason solve_once(hn_system *s, double *p)
{
  hn_redundant *d = s->parts->redundant;
  if (d->ndropped == 0) return hn_linear_solve(s, d->b, p);
  return d->policy == HN_MIN_NORM ? solve_min_norm(s, p) : solve_kept(s, d->b, p);
}

hn_reason hn_redundant_solve(hn_system *s, const double *b, double *p)
{
  hn_redundant *d = s->parts->redundant;
  if (d->policy == HN_LOOP_SPLIT) return hn_loops_solve(s, b, p);
  memcpy(d->b, b, sizeof *b * (size_t)s->nrow);
  double size = hn_redundant_size(s, b, NULL);
  d->scale = fmax(d->scale, size);
  hn_reason reason = solve_once(s, p);
  if (reason != HN_CONVERGED || d->ndropped == 0) return reason;
  int worst = residual_of_dropped(s, d->b, p);
  if (!hn_redundant_contradicts(s, d->r, size)) return reason;
  bool changed; /* a dropped row may have become independent */
  reason = detect_and_factor(s, &changed);
  if (reason != HN_CONVERGED) return reason;
  if (!changed) return mark_conflict(s, worst);
  reason = solve_once(s, p);
  if (reason != HN_CONVERGED || d->ndropped == 0) return reason;
  worst = residual_of_dropped(s, d->b, p);
  return hn_redundant_contradicts(s, d->r, size) ? mark_conflict(s, worst) : HN_CONVERGED;
}
