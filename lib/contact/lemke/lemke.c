/* lemke.c - Lemke's pivoting on a linear complementarity problem, friction cones cut to polyhedra.
 *
 *   0 <= x, 0 <= M x + q, x'(M x + q) = 0
 *
 *   any      eliminated first; rows that depend on others get no impulse
 *   push     x = p
 *   within   p = lower + x;  0 <= v + y, x  and  0 <= upper - lower - x, y       (or from the bound that is finite)
 *   cone     p_t = sum of d_i x_i over `directions` unit vectors d_i that span the plane, x_n = p_n, and the speed s:
 *            0 <= v_n, x_n;  0 <= d_i v_t + s, x_i;  0 <= mu x_n - sum x_i, s. In the plane two directions: exact
 *
 * These are Stewart's and Trinkle's conditions, of which Lemke's method finds a solution whatever the friction
 * (lemke_pivots.h): ties, which symmetric problems are full of, are broken there, but for rounding, after which a second path
 * is followed where numbers tie that are the same to 1e-14. A finite number of pivots, of (number of unknowns)^2
 * operations each; `iterations`, up to 50, times as many pivots as unknowns are allowed, and problems of more than
 * `size` unknowns are refused with HN_BUDGET before the first.
 *
 * With m directions friction is up to 1 - cos(pi / m) too small between two of them, and so is Coulomb's law unmet: it
 * is judged by its own complementarity. [Stewart and Trinkle, Int. J. Numer. Meth. Eng. 39 (1996) 2673; Anitescu and
 * Potra, Nonlinear Dyn. 14 (1997) 231; Cottle, Pang and Stone, The Linear Complementarity Problem, section 4.4] */
#include "base/small.h"
#include "base/vec.h"
#include "contact/lemke/lemke_pivots.h"
#include "contact/block_rows.h"
#include "elementary.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 50 }; /* longer paths go round in rounding errors */

/* One unknown x, and what it is of. Impulses count in units of 1 / sqrt(k), speeds of sqrt(k), k the mean of the
 * diagonal of K of the block: a problem of unequal masses is as one of equal ones. */
typedef struct unknown {
  enum { NORMAL, TANGENT, SPEED, BOUNDED, EXCESS } role;
  int row;      /* of its impulse; of SPEED that of the normal */
  int partner;  /* TANGENT: its SPEED; SPEED: its NORMAL; EXCESS: its BOUNDED */
  double e[2];  /* BOUNDED: sign; TANGENT: direction, of rows `row` and the next */
  double root;  /* sqrt(k) */
  double mu;    /* of SPEED */
  double range; /* of EXCESS */
} unknown;

typedef struct lemke {
  int directions, size;
  hn_pivots t;                             /* t.n unknowns */
  int most;                                /* of them */
  int nfree;                               /* rows of equations */
  unknown *x;                              /* [most] */
  const hn_problem *problem;               /* that the table is of */
  double *K;                               /* [rows^2] */
  double *factor;                          /* [rows^2] L D L' of K of the equations */
  int *free_row;                           /* [rows] */
  double *scale;                           /* [most.blocks] */
  double *v, *e, *y, *start, *rest, *best; /* [most.rows] */
  double *u;                               /* [6 most.bodies] */
} lemke;

static int smaller(int a, int b)
{
  return a < b ? a : b;
}

static int setup(hn_contact_solver *solver, hn_error *error)
{
  lemke *s = solver->data;
  const double needed = (double)solver->most.blocks * (s->directions + 2) + 2.0 * solver->most.rows;
  s->most = needed < s->size ? (int)needed : s->size;
  const size_t n = (size_t)s->most + 1, all = (size_t)solver->most.rows + 1;
  const size_t rows = (size_t)smaller(solver->most.rows, s->size) + 1;
  s->x = malloc(sizeof *s->x * n);
  s->K = malloc(sizeof(double) * rows * rows), s->factor = malloc(sizeof(double) * rows * rows);
  s->free_row = malloc(sizeof(int) * rows),
  s->scale = malloc(sizeof(double) * ((size_t)solver->most.blocks + 1));
  s->v = malloc(sizeof(double) * all), s->e = malloc(sizeof(double) * all),
  s->y = malloc(sizeof(double) * all);
  s->start = malloc(sizeof(double) * all);
  s->rest = malloc(sizeof(double) * all), s->best = malloc(sizeof(double) * all);
  s->u = malloc(sizeof(double) * 6 * ((size_t)solver->most.bodies + 1));
  bool made = hn_pivots_create(&s->t, (size_t)s->most) && s->x && s->K && s->factor && s->free_row &&
              s->scale;
  if (made && s->v && s->e && s->y && s->start && s->rest && s->best && s->u) return 0;
  return hn_fail(error, "lemke: no memory for %d unknowns", s->most);
}

static void destroy(hn_contact_solver *solver)
{
  lemke *s = solver->data;
  hn_pivots_free(&s->t);
  free(s->x), free(s->K), free(s->factor);
  free(s->free_row), free(s->scale);
  free(s->v), free(s->e), free(s->y), free(s->start), free(s->rest), free(s->best), free(s->u);
}

/* ---- Unknowns ---------------------------------------------------------------------------------------- */

static bool add(lemke *s, unknown x)
{
  if (s->t.n < s->most) s->x[s->t.n] = x;
  return s->t.n++ < s->most;
}

/* The normal of a cone, its directions, and the speed along them. */
static bool add_cone(lemke *s, const hn_problem_block *block, double root)
{
  const int normal = s->t.n, m = block->n == 2 ? 2 : s->directions;
  const double pi = 3.14159265358979323846;
  bool room = add(s, (unknown){ .role = NORMAL, .row = block->row, .root = root });
  if (block->set.mu == 0.0 || block->n == 1) return room;
  for (int i = 0; i < m; i++) {
    unknown x = { .role = TANGENT, .row = block->row + 1, .partner = normal + 1 + m, .root = root };
    x.e[0] = block->n == 2 ? 1.0 - 2.0 * i : hn_cos(2.0 * pi * i / m);
    x.e[1] = block->n == 2 ? 0.0 : hn_sin(2.0 * pi * i / m);
    room = add(s, x) && room;
  }
  return add(s,
             (unknown){
               .role = SPEED, .row = block->row, .partner = normal, .root = root, .mu = block->set.mu }) &&
         room;
}

/* A row between bounds, of which P becomes the one that it is counted from. */
static bool add_bounded(lemke *s, int row, double lower, double upper, double root, double *p)
{
  const int at = s->t.n;
  const bool below = isfinite(lower), above = isfinite(upper);
  if (!below && !above) {
    s->free_row[s->nfree++] = row;
    return true;
  }
  p[row] = below ? lower : upper;
  bool room = add(s, (unknown){ .role = BOUNDED, .row = row, .root = root, .e = { below ? 1.0 : -1.0 } });
  if (!below || !above) return room;
  return add(s,
             (unknown){ .role = EXCESS, .row = row, .partner = at, .root = root, .range = upper - lower }) &&
         room;
}

/* All of the problem, with P where all x are 0. False: there are more than room for. */
static bool list_unknowns(lemke *s, const hn_problem *problem, double *p)
{
  bool room = true;
  s->t.n = s->nfree = 0;
  for (int k = 0; k < problem->nblock && room; k++) {
    const hn_problem_block *block = &problem->block[k];
    const double root = sqrt(s->scale[k]);
    double lower, upper;
    hn_set_bounds(&block->set, problem->h, &lower, &upper);
    for (int r = block->row; r < block->row + block->n; r++) p[r] = 0.0;
    if (block->set.kind == HN_CONE) room = add_cone(s, block, root);
    else
      for (int r = block->row; r < block->row + block->n; r++)
        room = add_bounded(s, r, lower, upper, root, p) && room;
  }
  return room;
}

/* What one unit of unknown X does to impulses: COUNT numbers from X->row on. */
static int effect(const unknown *x, double e[2])
{
  const double unit = 1.0 / x->root;
  e[0] = unit * (x->role == NORMAL ? 1.0 : x->e[0]), e[1] = unit * x->e[1];
  return x->role == SPEED || x->role == EXCESS ? 0 : x->role == TANGENT && x->e[1] != 0.0 ? 2 : 1;
}

/* ---- The matrix -------------------------------------------------------------------------------------- */

/* K, entry by entry. */
static void fill_dense(lemke *s, const hn_problem *problem)
{
  const int n = problem->nrow;
  hn_problem still = *problem;
  memset(s->y, 0, sizeof(double) * (size_t)n), memset(s->e, 0, sizeof(double) * (size_t)n);
  still.b = s->y;
  for (int i = 0; i < n; i++) {
    s->e[i] = 1.0;
    hn_problem_velocities(&still, s->e, s->u, s->K + (size_t)i * (size_t)n);
    s->e[i] = 0.0;
  }
}

/* K of the equations alone; rows that depend on others will get nothing. */
static void factor_equations(lemke *s, int n)
{
  const size_t rows = (size_t)n;
  for (int i = 0; i < s->nfree; i++)
    for (int j = 0; j < s->nfree; j++)
      s->factor[i * s->nfree + j] = s->K[(size_t)s->free_row[i] * rows + (size_t)s->free_row[j]];
  ldl_factor_semidefinite(s->nfree, s->factor);
}

/* p of the equations, for the velocities V that the other impulses leave. */
static void solve_equations(lemke *s, const double *v, double *p)
{
  for (int i = 0; i < s->nfree; i++) s->y[i] = -v[s->free_row[i]];
  ldl_solve_semidefinite(s->nfree, s->factor, s->y);
  for (int i = 0; i < s->nfree; i++) p[s->free_row[i]] = s->y[i];
}

/* V := change of velocities by the effect of X, equations holding. */
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

/* What X has of velocities V. */
static double along(const unknown *x, const double *v)
{
  double e[2], sum = 0.0;
  const int count = effect(x, e);
  for (int i = 0; i < count; i++) sum += e[i] * v[x->row + i];
  return sum;
}

/* The part of row I, column J of M that is no velocity. */
static double bond(const lemke *s, int i, int j)
{
  const unknown *a = &s->x[i], *b = &s->x[j];
  if (a->role == TANGENT && b->role == SPEED) return a->partner == j ? 1.0 : 0.0;
  if (a->role == SPEED && b->role == TANGENT) return b->partner == i ? -1.0 : 0.0;
  if (a->role == SPEED && b->role == NORMAL) return a->partner == j ? a->mu : 0.0;
  if (a->role == BOUNDED && b->role == EXCESS) return b->partner == i ? 1.0 : 0.0;
  if (a->role == EXCESS && b->role == BOUNDED) return a->partner == j ? -1.0 : 0.0;
  return 0.0;
}

/* w - M x - z_0 = q, with the velocities that the start leaves. */
static void fill_table(void *of)
{
  lemke *s = of;
  hn_pivots *t = &s->t;
  const size_t w = hn_pivots_width(t);
  memset(t->table, 0, sizeof(double) * (size_t)t->n * w);
  for (int j = 0; j < t->n; j++) {
    respond(s, s->problem, &s->x[j], s->v);
    for (int i = 0; i < t->n; i++)
      t->table[(size_t)i * w + (size_t)(t->n + j)] = -(along(&s->x[i], s->v) + bond(s, i, j));
  }
  for (int i = 0; i < t->n; i++) {
    double *row = t->table + (size_t)i * w;
    row[i] = 1.0, row[2 * t->n] = -1.0, t->basis[i] = i;
    row[2 * t->n + 1] = along(&s->x[i], s->start) +
                        (s->x[i].role == EXCESS ? s->x[i].range * s->x[i].root : 0.0);
  }
}

/* ---- The solver -------------------------------------------------------------------------------------- */

/* Adds to P what equations need now. */
static void balance(lemke *s, const hn_problem *problem, double *p)
{
  hn_problem_velocities(problem, p, s->u, s->v);
  solve_equations(s, s->v, s->e);
  for (int i = 0; i < s->nfree; i++) p[s->free_row[i]] += s->e[s->free_row[i]];
}

/* P with all x, and equations. */
static void take_impulses(lemke *s, const hn_problem *problem, double *p)
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

/* The largest |min(x, w)|, and velocity of an equation, of the problem that was solved, at the velocities of P. */
static double complementarity(lemke *s, const hn_problem *problem, const double *p)
{
  double worst = 0.0;
  hn_problem_velocities(problem, p, s->u, s->v);
  for (int i = 0; i < s->nfree; i++) worst = fmax(worst, fabs(s->v[s->free_row[i]]));
  for (int i = 0; i < s->t.n; i++) {
    double w = along(&s->x[i], s->v) + (s->x[i].role == EXCESS ? s->x[i].range * s->x[i].root : 0.0);
    for (int j = 0; j < s->t.n; j++) w += bond(s, i, j) * s->t.value[j];
    double error = s->x[i].root * fabs(fmin(s->t.value[i], w));
    if (exceeds(error, worst)) worst = error;
  }
  return worst;
}

/* One path from the start, with impulses START there: P at its end, and its error. */
static hn_reason attempt(hn_contact_solver *solver, const hn_problem *problem, double rounding,
                         const double *start, double *p, double *error)
{
  lemke *s = solver->data;
  const int rounds = smaller(solver->options.iterations, MOST_ROUNDS);
  s->problem = problem;
  hn_reason reason = hn_pivots_follow(&s->t, fill_table, s, rounding, (double)rounds * s->t.n);
  memcpy(p, start, sizeof *p * (size_t)problem->nrow);
  take_impulses(s, problem, p);
  *error = complementarity(s, problem, p);
  solver->eliminated += s->t.made; /* an unknown each */
  hn_contact_note(solver, *error);
  if (!isfinite(*error)) return HN_NOT_FINITE;
  if (*error <= solver->options.tolerance) return HN_CONVERGED; /* a path may end early on rounding alone */
  return reason == HN_CONVERGED ? HN_STALLED : reason;
}

static hn_reason solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  lemke *s = solver->data;
  double error, first;
  if (!hn_rows_scales(problem, s->scale)) return HN_NOT_FINITE;
  if (problem->nrow > s->size || !list_unknowns(s, problem, p)) return HN_BUDGET;
  fill_dense(s, problem);
  factor_equations(s, problem->nrow);
  balance(s, problem, p);
  hn_problem_velocities(problem, p, s->u, s->start);
  memcpy(s->rest, p, sizeof *p * (size_t)problem->nrow);
  hn_reason reason = attempt(solver, problem, 0.0, s->rest, p, &first);
  if (reason == HN_CONVERGED || reason == HN_NOT_FINITE) return reason;
  memcpy(s->best, p, sizeof *p * (size_t)problem->nrow);
  reason = attempt(solver, problem, 1e-14, s->rest, p,
                   &error); /* rounding may have broken ties the wrong way */
  if (error <= first) return reason;
  memcpy(p, s->best, sizeof *p * (size_t)problem->nrow);
  solver->error = first;
  return reason;
}

static const hn_param params[] = {
  { "directions", HN_INTEGER, offsetof(lemke, directions), "8", 3, 64, "", NULL,
    "of friction, in space: the cone is a pyramid with as many faces" },
  { "size", HN_INTEGER, offsetof(lemke, size), "600", 1, 5000, "", NULL, "unknowns, at most" },
  { .key = NULL },
};

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
};
