/* redundant.c - K p = b when K is singular: the policies remove and min-norm (loop-split: loops.c).
 *
 * remove     rows D that depend on the others are found by the rank analysis (rank.c) and left out:
 *            K_kept p = b_kept, p_D = 0. In place: entries of K in rows and columns D become zero off the diagonal, so
 *            that pattern, storage and back end stay as they are.
 * min-norm   p = D^-1/2 (D^-1/2 K D^-1/2)^+ D^-1/2 b, D = diag K: of all p that come nearest to K p = b, that of least
 *            length, where rows are measured by their own inertia, in whatever unit they are. From the same factor: the
 *            left null vectors N of the scaled rows are found by a solve each and made orthonormal, and with
 *            P = I - N N' in scaled rows, p = P X P b, X the inverse for the kept rows. One correction of the kept rows
 *            afterwards takes away what rounding in N has left.
 *
 * K is regular until a factorisation is refused: up to then all is as with redundancy=error, to the bit. Then the rows
 * are detected, and again whenever the kept rows have become dependent, or a dropped one independent: at each
 * factorisation the part of the dropped rows that the kept ones cannot give,
 *
 *   r = K_DD s - K_D,kept K_kept^-1 K_kept,D s,   s irregular
 *
 * whose scaled size is the square of a distance, is compared with (1/100)^2. That is wide on purpose: stages of a
 * solver that meet the positions only nearly must not make a closed mechanism lock. A right-hand side that the kept
 * rows contradict leads to a detection at the tolerance of the rank analysis.
 *
 * Conflicts. Redundant rows agree only if the right-hand side does. What they disagree by, r = b - K p, is judged
 * after every solution: r is a conflict when it is all but the whole of b (nine tenths), and more than rounding. A
 * smaller part can come from the curvature of the constraints, which a correction of positions removes by being
 * repeated; a true conflict does not go away, while the rest of b does. Prescribed motions are judged at once, at each
 * factorisation, by their velocities: G u + bias = 0 must have a solution. */
#include "redundant/redundant.h"
#include "base/small.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

static const double independent = 1e-4;  /* square of a distance between scaled rows */
static const double small = 1e-9;        /* m/s and rad/s: below it, no conflict of motions is seen */
static const double disagreement = 1e-5; /* of prescribed velocities, relative */
static const double touched = 1e-7;      /* of a null vector's largest entry */

#define FULL_ENTRIES 4e6 /* of N */

hn_redundant *hn_redundant_create(const hn_system *s, int policy, hn_error *error)
{
  size_t rows = (size_t)s->most_rows + 1;
  hn_redundant *d = calloc(1, sizeof *d);
  if (!d) {
    hn_fail(error, "out of memory");
    return NULL;
  }
  d->policy = policy;
  d->group = calloc(rows, sizeof *d->group);
  d->dropped = calloc(rows, sizeof *d->dropped);
  d->norm = calloc(rows, sizeof *d->norm);
  d->b = calloc(rows, sizeof *d->b);
  d->r = calloc(rows, sizeof *d->r);
  d->x = calloc(rows, sizeof *d->x);
  d->p = calloc(rows, sizeof *d->p);
  d->turn = calloc(rows, sizeof *d->turn);
  d->twist = calloc(6 * (size_t)s->model->nbody, sizeof *d->twist);
  d->in_conflict = calloc(rows, sizeof *d->in_conflict);
  bool made = d->group && d->dropped && d->norm && d->b && d->r && d->x && d->p && d->turn && d->twist &&
              d->in_conflict;
  int status = made ? hn_redundant_analyse(d, s, error) : hn_fail(error, "out of memory");
  if (status == 0) return d;
  hn_redundant_free(d);
  return NULL;
}

void hn_redundant_free(hn_redundant *d)
{
  if (!d) return;
  free(d->group), free(d->dropped), free(d->norm);
  free(d->b), free(d->r), free(d->x), free(d->p), free(d->turn), free(d->twist);
  free(d->in_conflict), free(d->forest), free(d->forest_start), free(d->N.value);
  free(d);
}

int hn_redundant_analyse(hn_redundant *d, const hn_system *s, hn_error *error)
{
  d->ndropped = 0;
  memset(d->group, 0, sizeof *d->group * (size_t)s->nrow);
  return d->policy == HN_LOOP_SPLIT ? hn_loops_cut(d, s, error) : 0;
}

/* ---- Rows to drop ------------------------------------------------------------------------------------------------ */

static void drop_rows(hn_system *s, const int *rows, int count)
{
  hn_redundant *d = s->redundant;
  d->ndropped = count;
  memcpy(d->dropped, rows, sizeof *rows * (size_t)count);
  memset(d->group, 0, sizeof *d->group * (size_t)s->nrow);
  for (int k = 0; k < count; k++) d->group[rows[k]] = -1;
}

/* Room for N; false where it would be too large. */
static bool make_room(hn_redundant *d, int rows)
{
  if (d->policy != HN_MIN_NORM) return true;
  free(d->N.value);
  d->N = (hn_left_null){ .rows = rows };
  if ((double)rows * d->ndropped > FULL_ENTRIES) return false;
  d->N.value = malloc(sizeof *d->N.value * (size_t)rows * (size_t)d->ndropped + 1);
  return d->N.value != NULL;
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

static bool remembers(const hn_system *s)
{
  return s->redundant && s->redundant->policy != HN_LOOP_SPLIT;
}

size_t hn_redundant_memory(const hn_system *s)
{
  return remembers(s) ? sizeof(int) * ((size_t)s->most_rows + 1) : 0;
}

/* The number of rows dropped, then which. Largest right-hand sides are counted from here. */
void hn_redundant_save(hn_system *s, void *memory)
{
  hn_redundant *d = s->redundant;
  int *to = memory;
  d->scale = 0.0;
  to[0] = d->ndropped;
  memcpy(to + 1, d->dropped, sizeof *to * (size_t)s->most_rows);
}

void hn_redundant_restore(hn_system *s, const void *memory)
{
  const int *from = memory;
  s->factored = false;
  drop_rows(s, from + 1, from[0]);
  make_room(s->redundant, s->nrow); /* failing that, the next factorisation says so */
}

/* ---- Detection --------------------------------------------------------------------------------------------------- */

/* Finds the rows to drop, from scratch; CHANGED tells whether they are others than before. */
static hn_reason detect(hn_system *s, bool *changed)
{
  hn_redundant *d = s->redundant;
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
  return make_room(d, s->nrow) ? HN_CONVERGED : HN_UNSUPPORTED;
}

/* n := weights on the dropped rows, and what the kept rows need to cancel them. Uses r as scratch. */
static hn_reason complete_null_vector(hn_system *s, double *n)
{
  hn_redundant *d = s->redundant;
  hn_redundant_multiply(s, n, d->r);
  for (int k = 0; k < d->ndropped; k++) d->r[d->dropped[k]] = 0.0;
  s->work.solves++;
  hn_reason reason = hn_linear_solve(s, d->r, d->r);
  for (int i = 0; i < s->nrow; i++)
    if (d->group[i] >= 0) n[i] = -d->r[i];
  return reason;
}

/* Are the dropped rows still combinations of the others? */
static bool still_dependent(hn_system *s)
{
  hn_redundant *d = s->redundant;
  uint32_t pattern = IRREGULAR_START;
  memset(d->x, 0, sizeof *d->x * (size_t)s->nrow);
  for (int k = 0; k < d->ndropped; k++) d->x[d->dropped[k]] = irregular(&pattern) / d->norm[d->dropped[k]];
  if (complete_null_vector(s, d->x) != HN_CONVERGED) return false;
  hn_redundant_multiply(s, d->x, d->r);
  for (int i = 0; i < s->nrow; i++)
    if (d->group[i] >= 0) d->r[i] = 0.0;
  return hn_redundant_size(s, d->r, NULL) <= independent;
}

/* ---- Conflicts --------------------------------------------------------------------------------------------------- */

/* The rows in conflict are those of the null vector of the dropped row WORST. */
static hn_reason name_conflict(hn_system *s, int worst)
{
  hn_redundant *d = s->redundant;
  memset(d->x, 0, sizeof *d->x * (size_t)s->nrow);
  d->x[worst] = 1.0 / d->norm[worst];
  d->conflict = true;
  if (d->ndropped > 0) complete_null_vector(s, d->x);
  double largest = 0.0;
  for (int i = 0; i < s->nrow; i++) largest = fmax(largest, fabs(d->x[i]) * d->norm[i]);
  for (int i = 0; i < s->nrow; i++) d->in_conflict[i] = fabs(d->x[i]) * d->norm[i] > touched * largest;
  return HN_SINGULAR;
}

/* r = b - K p on the dropped rows, 0 on the others; the worst of them. */
static int leftover(hn_system *s, const double *b, const double *p)
{
  hn_redundant *d = s->redundant;
  int worst = d->dropped[0];
  hn_redundant_multiply(s, p, d->r);
  for (int i = 0; i < s->nrow; i++) d->r[i] = d->group[i] < 0 ? b[i] - d->r[i] : 0.0;
  hn_redundant_size(s, d->r, &worst);
  return worst;
}

/* Kept rows alone; p_D = 0. */
static hn_reason solve_kept(hn_system *s, const double *b, double *p)
{
  const hn_redundant *d = s->redundant;
  memmove(p, b, sizeof *p * (size_t)s->nrow);
  for (int k = 0; k < d->ndropped; k++) p[d->dropped[k]] = 0.0;
  hn_reason reason = hn_linear_solve(s, p, p);
  for (int k = 0; k < d->ndropped; k++) p[d->dropped[k]] = 0.0;
  return reason;
}

/* Do prescribed motions agree? G u + bias = 0 has a solution exactly if K p = bias has. */
static hn_reason judge_motions(hn_system *s)
{
  hn_redundant *d = s->redundant;
  double size = hn_redundant_size(s, s->bias, NULL);
  if (size == 0.0) return HN_CONVERGED;
  s->work.solves++;
  hn_reason reason = solve_kept(s, s->bias, d->x);
  if (reason != HN_CONVERGED) return reason;
  int worst = leftover(s, s->bias, d->x);
  bool conflict = fabs(d->r[worst]) > small && fabs(d->r[worst]) / d->norm[worst] > disagreement * size;
  return conflict ? name_conflict(s, worst) : HN_CONVERGED;
}

static hn_reason judge_motions_of_loops(hn_system *s)
{
  hn_redundant *d = s->redundant;
  double size = hn_redundant_size(s, s->bias, NULL);
  if (size == 0.0 || d->ngroup <= 1) return HN_CONVERGED;
  s->work.solves++;
  hn_reason reason = hn_loops_solve(s, s->bias, d->p);
  d->scale = 0.0; /* that was no right-hand side of a solver */
  if (reason != HN_CONVERGED) return reason;
  bool conflict = hn_redundant_size(s, d->r, NULL) > fmax(disagreement * size, small);
  return conflict ? hn_loops_conflict(s) : HN_CONVERGED;
}

/* ---- Factorisation ----------------------------------------------------------------------------------------------- */

/* N of the rows dropped at this geometry, scaled. */
static hn_reason span_null_space(hn_system *s)
{
  hn_redundant *d = s->redundant;
  const int rows = s->nrow;
  if (!d->N.value) return HN_UNSUPPORTED; /* there was no room at the last detection */
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

/* The rest of a factorisation with dropped rows. */
static hn_reason prepare(hn_system *s)
{
  hn_redundant *d = s->redundant;
  if (d->ndropped == 0) return HN_CONVERGED;
  hn_reason reason = judge_motions(s);
  if (reason == HN_CONVERGED && d->policy == HN_MIN_NORM) reason = span_null_space(s);
  return reason;
}

/* New rows to drop, and the factor without them. */
static hn_reason start_again(hn_system *s, bool *changed)
{
  hn_reason reason = detect(s, changed);
  if (reason == HN_CONVERGED) reason = hn_redundant_factor_groups(s);
  return reason == HN_CONVERGED ? prepare(s) : reason;
}

hn_reason hn_redundant_factor(hn_system *s)
{
  hn_redundant *d = s->redundant;
  bool changed;
  d->conflict = false;
  hn_reason reason = hn_redundant_factor_groups(s);
  if (d->policy == HN_LOOP_SPLIT) return reason == HN_CONVERGED ? judge_motions_of_loops(s) : reason;
  if (reason == HN_NOT_FINITE) return reason;
  if (reason != HN_CONVERGED) return start_again(s, &changed);
  if (d->ndropped == 0) return reason;
  if (!still_dependent(s)) return start_again(s, &changed);
  reason = prepare(s);
  return reason == HN_SINGULAR ? start_again(s, &changed) : reason;
}

/* ---- Solution ---------------------------------------------------------------------------------------------------- */

/* x -= what of it lies in the null space: x over the norms for right-hand sides, times the norms for multipliers. */
static void remove_null_part(const hn_redundant *d, bool multipliers, double *x)
{
  for (int i = 0; i < d->N.rows; i++) x[i] = multipliers ? x[i] * d->norm[i] : x[i] / d->norm[i];
  hn_left_null_remove(&d->N, x);
  for (int i = 0; i < d->N.rows; i++) x[i] = multipliers ? x[i] / d->norm[i] : x[i] * d->norm[i];
}

static hn_reason solve_min_norm(hn_system *s, double *p)
{
  hn_redundant *d = s->redundant;
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
  hn_redundant *d = s->redundant;
  if (d->ndropped == 0) return hn_linear_solve(s, d->b, p);
  return d->policy == HN_MIN_NORM ? solve_min_norm(s, p) : solve_kept(s, d->b, p);
}

hn_reason hn_redundant_solve(hn_system *s, const double *b, double *p)
{
  hn_redundant *d = s->redundant;
  if (d->policy == HN_LOOP_SPLIT) return hn_loops_solve(s, b, p);
  memcpy(d->b, b, sizeof *b * (size_t)s->nrow);
  double size = hn_redundant_size(s, b, NULL);
  d->scale = fmax(d->scale, size);
  hn_reason reason = solve_once(s, p);
  if (reason != HN_CONVERGED || d->ndropped == 0) return reason;
  int worst = leftover(s, d->b, p);
  if (!hn_redundant_contradicts(s, d->r, size)) return reason;
  bool changed; /* a dropped row may have become independent */
  reason = start_again(s, &changed);
  if (reason != HN_CONVERGED) return reason;
  if (!changed) return name_conflict(s, worst);
  reason = solve_once(s, p);
  if (reason != HN_CONVERGED || d->ndropped == 0) return reason;
  worst = leftover(s, d->b, p);
  return hn_redundant_contradicts(s, d->r, size) ? name_conflict(s, worst) : HN_CONVERGED;
}
