/* pgs.c - block Gauss-Seidel: one block after the other gets the impulse that is right for it alone.
 *
 *   for blocks k in order:   v_k = (K p + b)_k;   p_k := solution of block k, all other impulses held
 *
 * By bodies, u = W G' p is kept: a block costs two products with 12 numbers a row, and K is never formed. Blocks that
 * share no body which moves may change places, and no bit changes: they are taken in layers, so that one need not wait
 * for the other (runs.h), and contacts of a layer four pairs of bodies at a time (four.h). A block is
 *
 *   any      solved whole, L D L' of its part of K; rows that depend on others get nothing
 *   push, within   row by row, clamped
 *   cone     local=cone     Coulomb's law exactly (local.h)
 *            local=disk     the normal first, then both tangents, cut to mu p_n of the new p_n
 *            local=box      the normal first, then each tangent by itself, cut to +-mu p_n of the new p_n
 *            local=pyramid  each tangent first, cut to +-mu p_n of the sweep before, then the normal
 *
 * box and pyramid end in friction that depends on direction: up to sqrt(2) times too much, along the diagonals of their
 * tangents. They and disk stop when impulses do, whatever Coulomb's law says; for cone the law decides.
 * Linear convergence: of the normals of a stack of n equal masses exactly cos^2(pi / 2n) a sweep. Order of blocks is
 * part of the method. [Jourdan, Alart and Jean, Comput. Methods Appl. Mech. Eng. 155 (1998) 31; box: Erleben 2007] */
#include "base/lane.h"
#include "base/small.h"
#include "base/vec.h"
#include "contact/four.h"
#include "contact/local.h"
#include "contact/rows.h"
#include "contact/runs.h"

#include <stdlib.h>

enum { CONE, DISK, BOX, PYRAMID };
enum { JUDGE_EVERY = 8 }; /* sweeps, where impulses have stopped and the law still fails */

/* A block as the sweeps need it. */
typedef struct packed {
  int a, b, row, n;
  hn_set_kind kind;
  double lower, upper;
  double scale;        /* m/s an N s: mean of the diagonal of K */
  double turn[2];      /* of its tangents (local.h) */
  hn_local local;      /* of a cone */
} packed;

typedef struct pgs {
  int local;
  double relaxation;
  packed *block;       /* [most.blocks] */
  hn_runs runs;
  hn_four *four;       /* [nfour], room for half of most.blocks */
  hn_four_point *point; /* [npoint] of all fours, room for most.blocks: two runs side by side need that of the longer */
  hn_four_rest *rest;
  int nfour, npoint;
  hn_four_visit *visit_four;
  int *item;           /* [nitem], room for most.blocks: blocks, and ~ fours, in the order of a sweep */
  int nitem;
  double *rows;        /* [24 most.rows] by rows: G_a, G_b; then, for all rows of a block, W G_a', W G_b' */
  double *diagonal;    /* [6 most.rows] of a block: K, or L D L' of it */
  double *u, *work;    /* [6 most.bodies] W G' p, and what the judge needs */
  double *W;           /* [6 most.bodies] of the problem, for four.h */
  double *v, *b, *p;   /* [most.rows] b and p by bodies in the tangents of the blocks */
  const hn_problem_matrix *K;
} pgs;

static int setup(hn_contact_solver *solver, hn_error *error)
{
  pgs *s = solver->data;
  const size_t rows = (size_t)solver->most.rows + 1, bodies = (size_t)solver->most.bodies + 1;
  const size_t blocks = (size_t)solver->most.blocks + 1;
  s->block = calloc(blocks, sizeof *s->block), s->item = malloc(blocks * sizeof *s->item);
  s->four = malloc((blocks / 2 + 1) * sizeof *s->four);
  s->point = malloc(blocks * sizeof *s->point), s->rest = malloc(blocks * sizeof *s->rest);
  s->visit_four = hn_four_visitor();
  s->rows = malloc(sizeof(double) * 24 * rows);
  s->diagonal = malloc(sizeof(double) * 6 * rows);
  s->u = malloc(sizeof(double) * 6 * bodies), s->work = malloc(sizeof(double) * 6 * bodies);
  s->W = malloc(sizeof(double) * 6 * bodies);
  s->v = malloc(sizeof(double) * rows), s->b = malloc(sizeof(double) * rows), s->p = malloc(sizeof(double) * rows);
  const bool listed = hn_runs_setup(&s->runs, &solver->most) == 0 && s->four && s->point && s->rest && s->W && s->item;
  if (listed && s->block && s->rows && s->diagonal && s->u && s->work && s->v && s->b && s->p) return 0;
  return hn_fail(error, "no memory for contact problems of %zu rows", rows);
}

static void destroy(hn_contact_solver *solver)
{
  pgs *s = solver->data;
  free(s->block), free(s->rows), free(s->diagonal), free(s->u), free(s->work);
  free(s->v), free(s->b), free(s->p);
  free(s->four), free(s->point), free(s->rest), free(s->W), free(s->item);
  hn_runs_free(&s->runs);
}

/* ---- Preparation ------------------------------------------------------------------------------------------------- */

/* Numbers of rows 1 and 2 into the tangents of the block; FORTH or back. */
static void turn_tangents(const packed *block, double *x, bool forth)
{
  const double c = block->turn[0], sine = forth ? block->turn[1] : -block->turn[1];
  if (sine == 0.0) return;
  double one = x[1], two = x[2];
  x[1] = c * one + sine * two, x[2] = c * two - sine * one;
}

/* The same of 12 numbers a row, forth. */
static void turn_rows(const packed *block, double *rows)
{
  const double c = block->turn[0], sine = block->turn[1];
  for (int i = 0; i < 12; i += 2) {
    lane one = lane_load(rows + 12 + i), two = lane_load(rows + 24 + i);
    lane_store(rows + 12 + i, c * one + sine * two), lane_store(rows + 24 + i, c * two - sine * one);
  }
}

/* a . b of 12 numbers, in one order. */
unfolded double product(const double *a, const double *b)
{
  lane one = lane_load(a) * lane_load(b) + lane_load(a + 2) * lane_load(b + 2);
  lane two = lane_load(a + 4) * lane_load(b + 4) + lane_load(a + 6) * lane_load(b + 6);
  lane three = lane_load(a + 8) * lane_load(b + 8) + lane_load(a + 10) * lane_load(b + 10);
  lane sum = (one + two) + three;
  return sum[0] + sum[1];
}

/* The Jacobians of a block, row by row, and what they make of the diagonal block of K. N is a constant where this is
 * inlined. */
unfolded void pack_rows(const hn_problem *problem, const packed *block, int n, double *to, double *D)
{
  const double *G = problem->G + 12 * (size_t)block->row, *T = problem->T + 12 * (size_t)block->row;
  for (int c = 0; c < 6; c++)
    for (int r = 0; r < n; r++) to[12 * r + c] = G[c * n + r], to[12 * r + 6 + c] = G[6 * n + c * n + r];
  for (int r = 0; r < n; r++)
    for (int c = 0; c < 6; c += 2) {
      lane_store(to + 12 * (n + r) + c, lane_load(T + 6 * r + c));
      lane_store(to + 12 * (n + r) + 6 + c, lane_load(T + 6 * n + 6 * r + c));
    }
  for (int r = 0; r < n; r++)
    for (int c = 0; c <= r; c++) D[r * n + c] = D[c * n + r] = product(to + 12 * r, to + 12 * (n + c));
}

static void pack(pgs *s, const hn_problem *problem, int k, double *D)
{
  const packed *block = &s->block[k];
  double *to = s->rows + 24 * (size_t)block->row;
  switch (block->n) { /* constants for the compiler */
  case 1: pack_rows(problem, block, 1, to, D); break;
  case 2: pack_rows(problem, block, 2, to, D); break;
  case 3: pack_rows(problem, block, 3, to, D); break;
  default: pack_rows(problem, block, block->n, to, D);
  }
  if (block->a == block->b) hn_problem_diagonal(problem, k, D); /* its sides couple */
}

/* False: what should be numbers is none. */
static bool prepare_block(pgs *s, const hn_problem *problem, int k)
{
  const hn_problem_block *from = &problem->block[k];
  packed *block = &s->block[k];
  double *D = s->diagonal + 6 * (size_t)from->row, trace = 0.0;
  *block = (packed){ from->a, from->b, from->row, from->n, .kind = from->set.kind, .turn = { 1, 0 } };
  hn_set_bounds(&from->set, problem->h, &block->lower, &block->upper);
  if (problem->K) hn_problem_diagonal(problem, k, D);
  else pack(s, problem, k, D);
  for (int r = 0; r < from->n; r++) trace += D[r * from->n + r];
  block->scale = trace == 0.0 ? 1.0 : trace / from->n;
  if (from->set.kind == HN_CONE) {
    hn_local_prepare(&block->local, &from->set, from->n, D, block->turn);
    if (s->local != CONE) block->turn[0] = 1.0, block->turn[1] = 0.0; /* directions matter */
  }
  if (from->set.kind == HN_ANY) ldl_factor_semidefinite(from->n, D);
  if (!problem->K && block->turn[1] != 0.0) {
    double *rows = s->rows + 24 * (size_t)from->row;
    turn_rows(block, rows), turn_rows(block, rows + 36);
  }
  return isfinite(trace);
}

/* ---- One block --------------------------------------------------------------------------------------------------- */

/* v = G u + b. Sums are trees: the next block waits for them. */
unfolded void rates(int n, const double *G, const double *a, const double *b, const double *bias, double *v)
{
  const lane a0 = lane_load(a), a1 = lane_load(a + 2), a2 = lane_load(a + 4);
  const lane b0 = lane_load(b), b1 = lane_load(b + 2), b2 = lane_load(b + 4);
  for (int r = 0; r < n; r++, G += 12) {
    lane one = lane_load(G) * a0 + lane_load(G + 2) * a1, two = lane_load(G + 4) * a2 + lane_load(G + 6) * b0;
    lane sum = (one + two) + (lane_load(G + 8) * b1 + lane_load(G + 10) * b2);
    v[r] = bias[r] + (sum[0] + sum[1]);
  }
}

/* u += T p for one body. */
unfolded void push_body(int n, const double *T, const double *p, double *u)
{
  for (int c = 0; c < 6; c += 2) {
    lane sum = lane_load(T + c) * p[0];
    for (int r = 1; r < n; r++) sum += lane_load(T + 12 * r + c) * p[r];
    lane_store(u + c, lane_load(u + c) + sum);
  }
}

static inline double clamp(double x, double lower, double upper)
{
  return x < lower ? lower : x > upper ? upper : x;
}

/* Row R of the block with V at P: its new impulse, and V after it. */
static inline void solve_row(int n, const double *D, int r, double lower, double upper, double *v, double *p)
{
  const double pivot = D[r * n + r];
  if (!(pivot > 0.0)) return;
  const double old = p[r];
  p[r] = clamp(old - v[r] / pivot, lower, upper);
  for (int i = 0; i < n; i++) v[i] += D[r * n + i] * (p[r] - old);
}

/* Friction in row R, up to MOST while it slides: what sticks within STICK is not cut. */
static inline void solve_tangent(int n, const double *D, int r, double most, double stick, double *v, double *p)
{
  const double wanted = D[r * n + r] > 0.0 ? fabs(p[r] - v[r] / D[r * n + r]) : 0.0;
  if (wanted <= stick) most = stick;
  solve_row(n, D, r, -most, most, v, p);
}

/* Friction as engines have it. */
static void solve_split(const packed *block, int local, int n, const double *D, double *v, double *p)
{
  const double mu = block->local.mu;
  if (local != PYRAMID) solve_row(n, D, 0, 0.0, HUGE_VAL, v, p);
  const double most = mu * fmax(p[0], 0.0), stick = block->local.stick * fmax(p[0], 0.0);
  if (local == DISK && n == 3) {
    const double pivot = fmax(D[4], D[8]), old[2] = { p[1], p[2] };
    if (pivot > 0.0) p[1] = old[0] - v[1] / pivot, p[2] = old[1] - v[2] / pivot;
    const double size = norm_of(p + 1, 2);
    if (size > stick) p[1] *= most / size, p[2] *= most / size;
    for (int i = 0; i < 3; i++) v[i] += D[3 + i] * (p[1] - old[0]) + D[6 + i] * (p[2] - old[1]);
  } else
    for (int r = 1; r < n; r++) solve_tangent(n, D, r, most, stick, v, p);
  if (local == PYRAMID) solve_row(n, D, 0, 0.0, HUGE_VAL, v, p);
}

static void solve_equations(int n, const double *L, double *v, double *p)
{
  ldl_solve_semidefinite(n, L, v);
  for (int r = 0; r < n; r++) p[r] -= v[r];
}

/* P of a block from its velocities V, which are used up. N is a constant where this is inlined. */
unfolded void solve_block(pgs *s, packed *block, int n, double *v, double *p)
{
  const double *D = s->diagonal + 6 * (size_t)block->row;
  if (n > 1 && block->kind == HN_CONE && s->local == CONE) hn_local_solve(&block->local, n, v, p);
  else if (block->kind == HN_CONE) solve_split(block, s->local, n, D, v, p);
  else if (block->kind == HN_ANY) solve_equations(n, D, v, p);
  else
    for (int r = 0; r < n; r++) solve_row(n, D, r, block->lower, block->upper, v, p);
}

/* P goes to NEXT, as far as is made of a change, and NEXT becomes the step; its size as a velocity, squared. */
unfolded double take_step(const pgs *s, const packed *block, int n, double *p, double *next)
{
  double change = 0.0;
  for (int r = 0; r < n; r++) {
    double step = s->relaxation * (next[r] - p[r]);
    p[r] += step, next[r] = step;
    change += step * step;
  }
  return change * block->scale * block->scale;
}

/* One block: the size of the change of its impulse. */
unfolded double visit(pgs *s, packed *block, int n)
{
  const double *G = s->rows + 24 * (size_t)block->row;
  double *p = s->p + block->row, *u_a = s->u + 6 * (size_t)block->a, *u_b = s->u + 6 * (size_t)block->b;
  double v[HN_MAX_ROWS], next[HN_MAX_ROWS];
  rates(n, G, u_a, u_b, s->b + block->row, v);
  for (int r = 0; r < n; r++) next[r] = p[r];
  solve_block(s, block, n, v, next);
  double change = take_step(s, block, n, p, next);
  push_body(n, G + 12 * n, next, u_a);
  push_body(n, G + 12 * n + 6, next, u_b);
  return change;
}

/* The same where K is given, which knows no other tangents than its own. */
static double visit_given(pgs *s, packed *block)
{
  const int n = block->n;
  double *p = s->p + block->row, v[HN_MAX_ROWS], next[HN_MAX_ROWS];
  for (int r = 0; r < n; r++) {
    v[r] = s->b[block->row + r] + hn_rows_product(s->K, block->row + r, s->p);
    next[r] = p[r];
  }
  turn_tangents(block, v, true), turn_tangents(block, next, true);
  solve_block(s, block, n, v, next);
  turn_tangents(block, next, false);
  return take_step(s, block, n, p, next);
}

/* ---- The order of a sweep ------------------------------------------------------------------------------------------- */

/* A block by itself. */
static bool add_single(pgs *s, const hn_problem *problem, int k)
{
  const packed *block = &s->block[k];
  s->item[s->nitem++] = k;
  if (!prepare_block(s, problem, k)) return false;
  if (problem->K) return true;
  const double *T = s->rows + 24 * (size_t)block->row + 12 * block->n;
  turn_tangents(block, s->b + block->row, true), turn_tangents(block, s->p + block->row, true);
  for (int side = 0; side < 2; side++)
    push_body(block->n, T + 6 * side, s->p + block->row, s->u + 6 * (size_t)(side ? block->b : block->a));
  return true;
}

/* COUNT runs of a layer: side by side where there are several. */
static bool add_runs(pgs *s, const hn_problem *problem, const hn_run *run, int count, const double *p)
{
  bool finite = true;
  for (int k = 0; k < run->count && count == 1; k++) finite = add_single(s, problem, run->first + k) && finite;
  if (count == 1) return finite;
  hn_four *four = &s->four[s->nfour];
  s->item[s->nitem++] = ~s->nfour++;
  four->point = s->point + s->npoint, four->rest = s->rest + s->npoint;
  finite = hn_four_prepare(four, problem, run, count, p, s->W, s->u);
  s->npoint += four->most;
  return finite;
}

/* What a sweep visits, in its order, with the impulses P to begin with. */
static bool list_items(pgs *s, const hn_problem *problem, const double *p)
{
  hn_runs *runs = &s->runs;
  bool finite = true;
  s->nfour = s->npoint = s->nitem = 0;
  for (int k = 0; k < problem->nblock && problem->K; k++) finite = add_single(s, problem, k) && finite;
  if (problem->K) return finite;
  hn_runs_find(runs, problem, s->local == CONE);
  for (int layer = 0; layer < runs->nlayer; layer++)
    for (int i = runs->start[layer], count; i < runs->start[layer + 1]; i += count) {
      for (count = 1; i + count < runs->start[layer + 1] && count < HN_FOUR; count++)
        if (!runs->run[i].contacts || !runs->run[i + count].contacts) break;
      finite = add_runs(s, problem, &runs->run[i], count, p) && finite;
    }
  return finite;
}

/* ---- All blocks -------------------------------------------------------------------------------------------------- */

static hn_reason prepare(pgs *s, const hn_problem *problem, const double *p)
{
  s->K = problem->K;
  memcpy(s->b, problem->b, sizeof *s->b * (size_t)problem->nrow);
  memcpy(s->p, p, sizeof *s->p * (size_t)problem->nrow);
  if (!problem->K) memset(s->u, 0, sizeof *s->u * 6 * ((size_t)problem->nbody + 1));
  for (int i = 0; i <= problem->nbody && problem->W; i++) { /* and a body that is not there */
    static const int triangle[6] = { 0, 1, 2, 4, 5, 8 };
    for (int k = 0; k < 6; k++) s->W[6 * i + k] = i < problem->nbody ? problem->W[9 * i + triangle[k]] : 0.0;
  }
  return list_items(s, problem, p) ? HN_CONVERGED : HN_NOT_FINITE;
}

static double visit_item(pgs *s, int item)
{
  if (item < 0) return s->visit_four(&s->four[~item], s->relaxation, s->W, s->u);
  packed *block = &s->block[item];
  switch (s->K ? 0 : block->n) { /* constants for the compiler */
  case 0: return visit_given(s, block);
  case 1: return visit(s, block, 1);
  case 2: return visit(s, block, 2);
  case 3: return visit(s, block, 3);
  case 4: return visit(s, block, 4);
  case 5: return visit(s, block, 5);
  default: return visit(s, block, 6);
  }
}

static double sweep(pgs *s)
{
  double largest = 0.0;
  for (int i = 0; i < s->nitem; i++) {
    double change = visit_item(s, s->item[i]);
    if (exceeds(change, largest)) largest = change;
  }
  return sqrt(largest);
}

/* ---- The solver -------------------------------------------------------------------------------------------------- */

/* Impulses in the tangents of the problem. */
static void take_impulses(const pgs *s, const hn_problem *problem, double *p)
{
  for (int i = 0; i < s->nitem; i++) {
    const packed *block = &s->block[s->item[i] < 0 ? 0 : s->item[i]];
    if (s->item[i] < 0) hn_four_impulses(&s->four[~s->item[i]], problem, p);
    for (int r = 0; r < block->n && s->item[i] >= 0; r++) p[block->row + r] = s->p[block->row + r];
    if (!s->K && s->item[i] >= 0) turn_tangents(block, p + block->row, false);
  }
}

static double judge(pgs *s, const hn_problem *problem, double *p)
{
  take_impulses(s, problem, p);
  hn_problem_velocities(problem, p, s->work, s->v);
  return hn_problem_error(problem, false, p, s->v, NULL);
}

static hn_reason solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  pgs *s = solver->data;
  const double tolerance = solver->options.tolerance;
  hn_reason reason = prepare(s, problem, p);
  if (reason != HN_CONVERGED) return reason;
  for (int k = 0, next = 0; k < solver->options.iterations; k++) {
    double change = sweep(s), error = change;
    if (!isfinite(change)) return HN_NOT_FINITE;
    bool stopped = change <= tolerance, due = stopped && k >= next;
    if (s->local == CONE && (due || solver->room > 0)) error = judge(s, problem, p);
    if (due) next = k + JUDGE_EVERY;
    hn_contact_note(solver, error);
    if (!(due && (s->local != CONE || error <= tolerance))) continue;
    take_impulses(s, problem, p);
    return HN_CONVERGED;
  }
  take_impulses(s, problem, p);
  return HN_BUDGET;
}

static const hn_param params[] = {
  { "local", HN_CHOICE, offsetof(pgs, local), "cone", 0, 0, "", "cone,disk,box,pyramid",
    "how a contact is solved: exactly, or split as engines do" },
  { "relaxation", HN_REAL, offsetof(pgs, relaxation), "1", 0.01, 1, "", NULL,
    "part of the change of an impulse that is made" },
  { .key = NULL },
};

static const char *const variants[] = { "", "local=box", "local=pyramid", NULL };

const hn_contact_type hn_contact_pgs = {
  .abi = HN_ABI,
  .name = "pgs",
  .summary = "block Gauss-Seidel; contacts solved exactly, or split as engines do",
  .citation = "Jourdan, Alart and Jean 1998",
  .capabilities = HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE | HN_SOLVES_MATRIX | HN_SOLVES_STICKING,
  .data_size = sizeof(pgs),
  .params = params,
  .setup = setup,
  .solve = solve,
  .free = destroy,
  .variants = variants,
};
