/* lemke.c - Lemke's pivoting method for the linear complementarity problem (LCP), with friction cones
 * replaced by pyramids.
 *
 *   0 <= x, 0 <= M x + q, x'(M x + q) = 0
 *
 *   any      eliminated first; dependent rows get no impulse
 *   push     x = p
 *   within   p = lower + x;  0 <= v + y, x  and  0 <= upper - lower - x, y   (or from the finite bound)
 *   cone     p_t = sum of d_i x_i over `directions` unit vectors d_i that span the plane, x_n = p_n, speed s:
 *            0 <= v_n, x_n;  0 <= d_i v_t + s, x_i;  0 <= mu x_n - sum x_i, s;  two directions are exact in
 *            the plane
 *
 * These are Stewart's and Trinkle's conditions, for which Lemke's method finds a solution with any friction.
 * It breaks the ties of symmetric problems lexicographically (lemke_pivots.h). If rounding breaks them
 * wrongly, a second path treats numbers that agree to 1e-14 as ties. The number of pivots is finite, each of
 * (number of unknowns)^2 operations; at most `iterations`, up to 50, times the number of unknowns. Problems
 * of more than `size` unknowns return HN_BUDGET at once.
 *
 * With m directions friction is up to 1 - cos(pi / m) too small between two of them, so Coulomb's law is not
 * met: the solution is judged by its own complementarity. [Stewart and Trinkle, Int. J. Numer. Meth. Eng. 39
 * (1996) 2673; Anitescu and Potra, Nonlinear Dyn. 14 (1997) 231; Cottle, Pang and Stone, The Linear
 * Complementarity Problem, section 4.4] */
#include "base/array.h"
#include "base/small.h"
#include "base/vec.h"
#include "contact/lemke/lemke_pivots.h"
#include "contact/block_rows.h"
#include "elementary.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

/* Bound on `iterations`: longer paths cycle by rounding. */
enum { MAX_ROUNDS = 50 };

/* Relative difference up to which numbers tie on the second path. */
static const double tie_rounding = 1e-14;

/* An unknown x of the LCP. Impulses are scaled by 1 / sqrt(k), speeds by sqrt(k), with k the mean diagonal of
 * the block of K: this balances unequal masses. */
typedef struct unknown {
  enum { NORMAL, TANGENT, SPEED, BOUNDED, EXCESS } kind;
  int row;       /* of its impulse; SPEED: of the normal */
  int partner;   /* TANGENT: its SPEED; SPEED: its NORMAL; EXCESS: its BOUNDED */
  double e[2];   /* BOUNDED: sign; TANGENT: direction, of rows `row` and the next */
  double sqrt_k; /* sqrt(k) */
  double mu;     /* SPEED only */
  double range;  /* EXCESS only */
} unknown;

typedef struct lemke {
  int directions, size;
  hn_pivots t;                                      /* t.n unknowns */
  int max_unknowns;                                 /* largest number of unknowns */
  int nfree;                                        /* number of equations */
  unknown *x;                                       /* [max_unknowns] */
  const hn_problem *problem;                        /* problem of the table */
  double *K;                                        /* [rows^2] dense */
  double *factor;                                   /* [rows^2] L D L' of the equations' part of K */
  int *free_row;                                    /* [rows] */
  double *scale;                                    /* [most.blocks] */
  double *v, *e, *y, *start, *rest_impulses, *best; /* [most.rows] */
  double *u;                                        /* [6 most.bodies] */
  hn_arrays arrays;
} lemke;

static int min_of(int a, int b)
{
  return a < b ? a : b;
}

static int setup(hn_contact_solver *solver, hn_error *error)
{
  lemke *s = solver->data;
  const double needed = (double)solver->most.blocks * (s->directions + 2) + 2.0 * solver->most.rows;
  s->max_unknowns = needed < s->size ? (int)needed : s->size;
  const size_t n = (size_t)s->max_unknowns, rows = (size_t)min_of(solver->most.rows, s->size);
  HN_ARRAYS(&s->arrays, sizeof *s->x * n, &s->x);
  HN_ARRAYS(&s->arrays, sizeof(double) * n, &s->t.value);
  HN_ARRAYS(&s->arrays, sizeof(int) * n, &s->t.basis, &s->t.columns);
  HN_ARRAYS(&s->arrays, sizeof(double) * n * (2 * n + 2), &s->t.table);
  HN_ARRAYS(&s->arrays, sizeof(double) * rows * rows, &s->K, &s->factor);
  HN_ARRAYS(&s->arrays, sizeof(int) * rows, &s->free_row);
  HN_ARRAYS(&s->arrays, sizeof(double) * (size_t)solver->most.blocks, &s->scale);
  HN_ARRAYS(&s->arrays, sizeof(double) * (size_t)solver->most.rows, &s->v, &s->e, &s->y, &s->start,
            &s->rest_impulses, &s->best);
  HN_ARRAYS(&s->arrays, sizeof(double[6]) * (size_t)solver->most.bodies, &s->u);
  return s->arrays.failed ? hn_fail(error, "lemke: no memory for %d unknowns", s->max_unknowns) : 0;
}

static void destroy(hn_contact_solver *solver)
{
  hn_arrays_free(&((lemke *)solver->data)->arrays);
}

/* ---- Unknowns ---------------------------------------------------------------------------------------- */

static bool add(lemke *s, unknown x)
{
  if (s->t.n < s->max_unknowns) s->x[s->t.n] = x;
  return s->t.n++ < s->max_unknowns;
}

/* Adds the unknowns of a cone: normal, tangents and speed. Returns false if there is no room. */
static bool add_cone(lemke *s, const hn_problem_block *block, double sqrt_k)
{
  const int normal = s->t.n, m = block->n == 2 ? 2 : s->directions;
  const double pi = 3.14159265358979323846;
  bool room = add(s, (unknown){ .kind = NORMAL, .row = block->row, .sqrt_k = sqrt_k });
  if (block->set.mu == 0.0 || block->n == 1) return room;
  for (int i = 0; i < m; i++) {
    unknown x = { .kind = TANGENT, .row = block->row + 1, .partner = normal + 1 + m, .sqrt_k = sqrt_k };
    x.e[0] = block->n == 2 ? 1.0 - 2.0 * i : hn_cos(2.0 * pi * i / m);
    x.e[1] = block->n == 2 ? 0.0 : hn_sin(2.0 * pi * i / m);
    room = add(s, x) && room;
  }
  return add(
           s,
           (unknown){
             .kind = SPEED, .row = block->row, .partner = normal, .sqrt_k = sqrt_k, .mu = block->set.mu }) &&
         room;
}

/* Adds a bounded row and sets its impulse p[row] to the bound at x = 0; a row without bounds is an
 * equation. */
static bool add_bounded(lemke *s, int row, double lower, double upper, double sqrt_k, double *p)
{
  const int bounded = s->t.n;
  const bool below = isfinite(lower), above = isfinite(upper);
  if (!below && !above) {
    s->free_row[s->nfree++] = row;
    return true;
  }
  p[row] = below ? lower : upper;
  bool room = add(s, (unknown){ .kind = BOUNDED, .row = row, .sqrt_k = sqrt_k, .e = { below ? 1.0 : -1.0 } });
  if (!below || !above) return room;
  return add(s,
             (unknown){
               .kind = EXCESS, .row = row, .partner = bounded, .sqrt_k = sqrt_k, .range = upper - lower }) &&
         room;
}

/* Lists all unknowns and sets P to the impulses at x = 0. Returns false if there is no room. */
static bool list_unknowns(lemke *s, const hn_problem *problem, double *p)
{
  bool room = true;
  s->t.n = s->nfree = 0;
  for (int k = 0; k < problem->nblock && room; k++) {
    const hn_problem_block *block = &problem->block[k];
    const double sqrt_k = sqrt(s->scale[k]);
    double lower, upper;
    hn_set_bounds(&block->set, problem->h, &lower, &upper);
    for (int r = block->row; r < block->row + block->n; r++) p[r] = 0.0;
    if (block->set.kind == HN_CONE) room = add_cone(s, block, sqrt_k);
    else
      for (int r = block->row; r < block->row + block->n; r++)
        room = add_bounded(s, r, lower, upper, sqrt_k, p) && room;
  }
  return room;
}

/* Computes the impulses of one unit of X, for the rows from X->row on; returns their number. */
static int effect(const unknown *x, double e[2])
{
  const double unit = 1.0 / x->sqrt_k;
  e[0] = unit * (x->kind == NORMAL ? 1.0 : x->e[0]), e[1] = unit * x->e[1];
  return x->kind == SPEED || x->kind == EXCESS ? 0 : x->kind == TANGENT && x->e[1] != 0.0 ? 2 : 1;
}

/* ---- The matrix -------------------------------------------------------------------------------------- */

/* Computes the dense K, column by column. */
static void fill_dense(lemke *s, const hn_problem *problem)
{
  const int n = problem->nrow;
  hn_problem homogeneous = *problem;
  memset(s->y, 0, sizeof(double) * (size_t)n), memset(s->e, 0, sizeof(double) * (size_t)n);
  homogeneous.b = s->y;
  for (int i = 0; i < n; i++) {
    s->e[i] = 1.0;
    hn_problem_velocities(&homogeneous, s->e, s->u, s->K + (size_t)i * (size_t)n);
    s->e[i] = 0.0;
  }
}

/* Factors the equations' part of K; dependent rows will get no impulse. */
static void factor_equations(lemke *s, int n)
{
  const size_t rows = (size_t)n;
  for (int i = 0; i < s->nfree; i++)
    for (int j = 0; j < s->nfree; j++)
      s->factor[i * s->nfree + j] = s->K[(size_t)s->free_row[i] * rows + (size_t)s->free_row[j]];
  ldl_factor_semidefinite(s->nfree, s->factor);
}

/* Computes the impulses p of the equations that cancel the velocities V. */
static void solve_equations(lemke *s, const double *v, double *p)
{
  for (int i = 0; i < s->nfree; i++) s->y[i] = -v[s->free_row[i]];
  ldl_solve_semidefinite(s->nfree, s->factor, s->y);
  for (int i = 0; i < s->nfree; i++) p[s->free_row[i]] = s->y[i];
}

/* Computes the change V of the velocities by a unit of X, with the equations satisfied. */
static void respond(lemke *s, const hn_problem *problem, const unknown *x, double *v)
{
  const int n = problem->nrow;
  double e[2];
  const int count = effect(x, e);
  memset(v, 0, sizeof *v * (size_t)n);
  for (int i = 0; i < count; i++) {
    const double *column = s->K + (size_t)(x->row + i) * (size_t)n;
    for (int r = 0; r < n; r++) v[r] += e[i] * column[r];
  }
  if (s->nfree == 0 || count == 0) return;
  solve_equations(s, v, s->e);
  for (int i = 0; i < s->nfree; i++) {
    const double *column = s->K + (size_t)s->free_row[i] * (size_t)n, p = s->e[s->free_row[i]];
    for (int r = 0; r < n; r++) v[r] += p * column[r];
  }
}

/* Returns the projection of the velocities V on unknown X. */
static double projection(const unknown *x, const double *v)
{
  double e[2], sum = 0.0;
  const int count = effect(x, e);
  for (int i = 0; i < count; i++) sum += e[i] * v[x->row + i];
  return sum;
}

/* Returns entry (I, J) of M without its velocity part: the couplings between unknowns of one block. */
static double coupling(const lemke *s, int i, int j)
{
  const unknown *a = &s->x[i], *b = &s->x[j];
  if (a->kind == TANGENT && b->kind == SPEED) return a->partner == j ? 1.0 : 0.0;
  if (a->kind == SPEED && b->kind == TANGENT) return b->partner == i ? -1.0 : 0.0;
  if (a->kind == SPEED && b->kind == NORMAL) return a->partner == j ? a->mu : 0.0;
  if (a->kind == BOUNDED && b->kind == EXCESS) return b->partner == i ? 1.0 : 0.0;
  if (a->kind == EXCESS && b->kind == BOUNDED) return a->partner == j ? -1.0 : 0.0;
  return 0.0;
}

/* Fills the table of w - M x - z_0 = q, with q from the starting velocities; a part of it if a stop is
 * requested, for which the path looks next. */
static void fill_table(void *context)
{
  lemke *s = context;
  hn_pivots *t = &s->t;
  const size_t w = hn_pivots_width(t);
  memset(t->table, 0, sizeof(double) * (size_t)t->n * w);
  for (int j = 0; j < t->n && !hn_stopped(t->stop); j++) {
    respond(s, s->problem, &s->x[j], s->v);
    for (int i = 0; i < t->n; i++)
      t->table[(size_t)i * w + (size_t)(t->n + j)] = -(projection(&s->x[i], s->v) + coupling(s, i, j));
  }
  for (int i = 0; i < t->n; i++) {
    double *row = t->table + (size_t)i * w;
    row[i] = 1.0, row[2 * t->n] = -1.0, t->basis[i] = i;
    row[2 * t->n + 1] = projection(&s->x[i], s->start) +
                        (s->x[i].kind == EXCESS ? s->x[i].range * s->x[i].sqrt_k : 0.0);
  }
}

/* ---- The solver -------------------------------------------------------------------------------------- */

/* Adds to P the impulses that satisfy the equations. */
static void balance(lemke *s, const hn_problem *problem, double *p)
{
  hn_problem_velocities(problem, p, s->u, s->v);
  solve_equations(s, s->v, s->e);
  for (int i = 0; i < s->nfree; i++) p[s->free_row[i]] += s->e[s->free_row[i]];
}

/* Adds the impulses of all unknowns and of the equations to P. */
static void add_impulses(lemke *s, const hn_problem *problem, double *p)
{
  for (int j = 0; j < s->t.n; j++) {
    double e[2];
    const int count = effect(&s->x[j], e);
    if (count > 0) p[s->x[j].row] += e[0] * s->t.value[j];
    if (count > 1) p[s->x[j].row + 1] += e[1] * s->t.value[j];
  }
  balance(s, problem, p);
  balance(s, problem, p);
}

/* Returns the largest |min(x, w)| and |v| of equations of the polyhedral problem, at the impulses P. */
static double complementarity(lemke *s, const hn_problem *problem, const double *p)
{
  double largest = 0.0;
  hn_problem_velocities(problem, p, s->u, s->v);
  for (int i = 0; i < s->nfree; i++) largest = fmax(largest, fabs(s->v[s->free_row[i]]));
  for (int i = 0; i < s->t.n; i++) {
    double w = projection(&s->x[i], s->v) + (s->x[i].kind == EXCESS ? s->x[i].range * s->x[i].sqrt_k : 0.0);
    for (int j = 0; j < s->t.n; j++) w += coupling(s, i, j) * s->t.value[j];
    double error = s->x[i].sqrt_k * fabs(fmin(s->t.value[i], w));
    if (exceeds(error, largest)) largest = error;
  }
  return largest;
}

/* Follows one path from START; computes the impulses P at its end and their ERROR. */
static hn_reason follow_path(hn_contact_solver *solver, const hn_problem *problem, double rounding,
                             const double *start, double *p, double *error)
{
  lemke *s = solver->data;
  const int rounds = min_of(solver->options.iterations, MAX_ROUNDS);
  s->problem = problem, s->t.stop = solver->stop;
  hn_reason reason = hn_pivots_follow(&s->t, fill_table, s, rounding, (double)rounds * s->t.n);
  if (reason == HN_INTERRUPTED) return reason;
  memcpy(p, start, sizeof *p * (size_t)problem->nrow);
  add_impulses(s, problem, p);
  *error = complementarity(s, problem, p);
  solver->eliminated += s->t.count; /* one unknown for each pivot */
  hn_contact_note(solver, *error);
  if (!isfinite(*error)) return HN_NOT_FINITE;
  if (*error <= solver->options.tolerance) return HN_CONVERGED; /* a path may end early by rounding alone */
  return reason == HN_CONVERGED ? HN_STALLED : reason;
}

static hn_reason solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  lemke *s = solver->data;
  double error, first_error;
  if (!hn_rows_scales(problem, s->scale)) return HN_NOT_FINITE;
  if (problem->nrow > s->size || !list_unknowns(s, problem, p)) return HN_BUDGET;
  fill_dense(s, problem);
  factor_equations(s, problem->nrow);
  balance(s, problem, p);
  hn_problem_velocities(problem, p, s->u, s->start);
  memcpy(s->rest_impulses, p, sizeof *p * (size_t)problem->nrow);
  hn_reason reason = follow_path(solver, problem, 0.0, s->rest_impulses, p, &first_error);
  if (reason == HN_CONVERGED || reason == HN_NOT_FINITE) return reason;
  memcpy(s->best, p, sizeof *p * (size_t)problem->nrow);
  /* rounding may have broken ties wrongly: second path, keep the better result */
  reason = follow_path(solver, problem, tie_rounding, s->rest_impulses, p, &error);
  if (error <= first_error) return reason;
  memcpy(p, s->best, sizeof *p * (size_t)problem->nrow);
  solver->error = first_error;
  return reason;
}

static const hn_param params[] = {
  { "directions", HN_INTEGER, offsetof(lemke, directions), "8", 3, 64, "", NULL,
    "directions of friction in space: faces of the pyramid that replaces the cone" },
  { "size", HN_INTEGER, offsetof(lemke, size), "600", 1, 5000, "", NULL, "largest number of unknowns" },
  { .key = NULL },
};

static void name_law(const hn_contact_solver *solver, bool planar, char *text, size_t size)
{
  const int faces = ((const lemke *)solver->data)->directions;
  if (!planar) snprintf(text, size, "friction in a pyramid of %d faces", faces);
}

static void set_polygon(const hn_contact_solver *solver, hn_contact_law *law)
{
  law->corners = ((const lemke *)solver->data)->directions, law->reach = 1.0;
}

static const char *const variants[] = { "", "directions=4", NULL };

const hn_contact_type hn_contact_lemke = {
  .abi = HN_ABI,
  .name = "lemke",
  .summary = "pivoting, with friction cones cut to pyramids; exact in the plane; small problems",
  .citation = "Stewart and Trinkle 1996",
  .capabilities = HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE | HN_SOLVES_MATRIX,
  .data_size = sizeof(lemke),
  .params = params,
  .setup = setup,
  .solve = solve,
  .free = destroy,
  .variants = variants,
  .law = name_law,
  .polygon = set_polygon,
};
