/* single_block.c - blocks one after the other (see single_block.h). */
#include "contact/pgs/single_block.h"
#include "base/small.h"
#include "base/vec.h"
#include "contact/block_rows.h"

#include <stdlib.h>

int hn_singles_setup(hn_singles *s, const hn_problem_size *most)
{
  const size_t rows = (size_t)most->rows + 1;
  s->block = calloc((size_t)most->blocks + 1, sizeof *s->block);
  s->flat = calloc((size_t)most->blocks + 1, sizeof *s->flat);
  s->rows = malloc(sizeof(double) * 24 * rows), s->diagonal = malloc(sizeof(double) * 6 * rows);
  s->u = malloc(sizeof(double) * 6 * ((size_t)most->bodies + 1));
  s->b = malloc(sizeof(double) * rows), s->p = malloc(sizeof(double) * rows);
  return s->block && s->flat && s->rows && s->diagonal && s->u && s->b && s->p ? 0 : -1;
}

void hn_singles_free(hn_singles *s)
{
  free(s->block), free(s->flat), free(s->rows), free(s->diagonal), free(s->u), free(s->b), free(s->p);
}

void hn_singles_begin(hn_singles *s, const hn_problem *problem, const double *p)
{
  s->K = problem->K;
  memcpy(s->b, problem->b, sizeof *s->b * (size_t)problem->nrow);
  memcpy(s->p, p, sizeof *s->p * (size_t)problem->nrow);
  if (!problem->K) memset(s->u, 0, sizeof *s->u * 6 * ((size_t)problem->nbody + 1));
}

/* ---- Preparation ------------------------------------------------------------------------------------- */

/* Numbers of rows 1 and 2 into the tangents of the block; FORTH or back. */
static void turn_tangents(const hn_single *block, double *x, bool forth)
{
  const double c = block->turn[0], sine = forth ? block->turn[1] : -block->turn[1];
  if (sine == 0.0) return;
  double one = x[1], two = x[2];
  x[1] = c * one + sine * two, x[2] = c * two - sine * one;
}

/* The same of 12 numbers a row, forth. */
static void turn_rows(const hn_single *block, double *rows)
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
unfolded void pack_rows(const hn_problem *problem, const hn_single *block, int n, double *to, double *D)
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

static void pack(hn_singles *s, const hn_problem *problem, int k, double *D)
{
  hn_single *block = &s->block[k];
  double *to = s->rows + 24 * (size_t)block->row;
  block->flat = hn_flat_pack(problem, &problem->block[k], to, D);
  if (block->flat) return;
  switch (block->n) { /* constants for the compiler */
  case 1: pack_rows(problem, block, 1, to, D); break;
  case 2: pack_rows(problem, block, 2, to, D); break;
  case 3: pack_rows(problem, block, 3, to, D); break;
  default: pack_rows(problem, block, block->n, to, D);
  }
  if (block->a == block->b) hn_problem_diagonal(problem, k, D); /* its sides couple */
}

/* Block K, and its numbers, into s->flat, where it is of that kind. */
static void gather(hn_singles *s, int k)
{
  const hn_single *block = &s->block[k];
  const hn_local *local = &block->local;
  hn_flat *flat = &s->flat[k];
  flat->u_a = flat->u_b = NULL;
  const bool exact = block->kind == HN_CONE && s->local == HN_LOCAL_CONE && s->relaxation == 1.0;
  if (!block->flat || !exact || local->inv_normal == 0.0) return;
  *flat = (hn_flat){ .u_a = s->u + 6 * (size_t)block->a,
                     .u_b = s->u + 6 * (size_t)block->b,
                     .scale = block->scale,
                     .inv_normal = local->inv_normal,
                     .d = local->d[0],
                     .l = local->l[0],
                     .inv_l = local->inv_l[0],
                     .mu = local->mu,
                     .square_stick = local->stick * local->stick };
  memcpy(flat->rows, s->rows + 24 * (size_t)block->row, sizeof flat->rows);
  memcpy(flat->b, s->b + block->row, sizeof flat->b), memcpy(flat->p, s->p + block->row, sizeof flat->p);
}

/* False: what should be numbers is none. */
static bool prepare(hn_singles *s, const hn_problem *problem, int k)
{
  const hn_problem_block *from = &problem->block[k];
  hn_single *block = &s->block[k];
  double *D = s->diagonal + 6 * (size_t)from->row, trace = 0.0;
  *block = (hn_single){ from->a, from->b, from->row, from->n, .kind = from->set.kind, .turn = { 1, 0 } };
  hn_set_bounds(&from->set, problem->h, &block->lower, &block->upper);
  if (problem->K) hn_problem_diagonal(problem, k, D);
  else pack(s, problem, k, D);
  for (int r = 0; r < from->n; r++) trace += D[r * from->n + r];
  block->scale = trace == 0.0 ? 1.0 : trace / from->n;
  if (from->set.kind == HN_CONE) {
    hn_local_prepare(&block->local, &from->set, from->n, D, block->turn);
    if (s->local != HN_LOCAL_CONE) block->turn[0] = 1.0, block->turn[1] = 0.0; /* directions matter */
  }
  if (from->set.kind == HN_ANY) ldl_factor_semidefinite(from->n, D);
  if (!problem->K && block->turn[1] != 0.0) {
    double *rows = s->rows + 24 * (size_t)from->row;
    turn_rows(block, rows), turn_rows(block, rows + 36);
  }
  gather(s, k);
  return isfinite(trace);
}

/* ---- One block --------------------------------------------------------------------------------------- */

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
static inline void solve_tangent(int n, const double *D, int r, double most, double stick, double *v,
                                 double *p)
{
  const double wanted = D[r * n + r] > 0.0 ? fabs(p[r] - v[r] / D[r * n + r]) : 0.0;
  if (wanted <= stick) most = stick;
  solve_row(n, D, r, -most, most, v, p);
}

/* Friction as engines have it. */
static void solve_split(const hn_single *block, int local, int n, const double *D, double *v, double *p)
{
  const double mu = block->local.mu;
  if (local != HN_LOCAL_PYRAMID) solve_row(n, D, 0, 0.0, HUGE_VAL, v, p);
  const double most = mu * fmax(p[0], 0.0), stick = block->local.stick * fmax(p[0], 0.0);
  if (local == HN_LOCAL_DISK && n == 3) {
    const double pivot = fmax(D[4], D[8]), old[2] = { p[1], p[2] };
    if (pivot > 0.0) p[1] = old[0] - v[1] / pivot, p[2] = old[1] - v[2] / pivot;
    const double size = norm_of(p + 1, 2);
    if (size > stick) p[1] *= most / size, p[2] *= most / size;
    for (int i = 0; i < 3; i++) v[i] += D[3 + i] * (p[1] - old[0]) + D[6 + i] * (p[2] - old[1]);
  } else
    for (int r = 1; r < n; r++) solve_tangent(n, D, r, most, stick, v, p);
  if (local == HN_LOCAL_PYRAMID) solve_row(n, D, 0, 0.0, HUGE_VAL, v, p);
}

static void solve_equations(int n, const double *L, double *v, double *p)
{
  ldl_solve_semidefinite(n, L, v);
  for (int r = 0; r < n; r++) p[r] -= v[r];
}

/* P of a block from its velocities V, which are used up. N is a constant where this is inlined. */
unfolded void solve_block(const hn_singles *s, hn_single *block, int n, double *v, double *p)
{
  const double *D = s->diagonal + 6 * (size_t)block->row;
  if (n > 1 && block->kind == HN_CONE && s->local == HN_LOCAL_CONE) hn_local_solve(&block->local, n, v, p);
  else if (block->kind == HN_CONE) solve_split(block, s->local, n, D, v, p);
  else if (block->kind == HN_ANY) solve_equations(n, D, v, p);
  else
    for (int r = 0; r < n; r++) solve_row(n, D, r, block->lower, block->upper, v, p);
}

/* P goes to NEXT, as far as is made of a change, and NEXT becomes the step; its size as a velocity, squared. */
unfolded double take_step(const hn_singles *s, const hn_single *block, int n, double *p, double *next)
{
  double change = 0.0;
  for (int r = 0; r < n; r++) {
    double step = next[r] - p[r];
    if (s->relaxation != 1.0) step *= s->relaxation; /* the next block waits for it */
    p[r] += step, next[r] = step;
    change += step * step;
  }
  return change * block->scale * block->scale;
}

/* One block: the size of the change of its impulse. N and FLAT are constants where this is inlined. */
unfolded double visit(hn_singles *s, hn_single *block, int n, bool flat)
{
  const double *G = s->rows + 24 * (size_t)block->row;
  double *p = s->p + block->row, *u_a = s->u + 6 * (size_t)block->a, *u_b = s->u + 6 * (size_t)block->b;
  double v[HN_MAX_ROWS], next[HN_MAX_ROWS];
  if (flat) lane_store(v, hn_flat_rates(G, u_a, u_b, lane_load(s->b + block->row)));
  else rates(n, G, u_a, u_b, s->b + block->row, v);
  for (int r = 0; r < n; r++) next[r] = p[r];
  solve_block(s, block, n, v, next);
  double change = take_step(s, block, n, p, next);
  if (flat) hn_flat_push(G + 12, next[0], next[1], u_a, u_b);
  else push_body(n, G + 12 * n, next, u_a), push_body(n, G + 12 * n + 6, next, u_b);
  return change;
}

/* The same where K is given, which knows no other tangents than its own. */
static double visit_given(hn_singles *s, hn_single *block)
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

bool hn_single_add(hn_singles *s, const hn_problem *problem, int k)
{
  const hn_single *block = &s->block[k];
  if (!prepare(s, problem, k)) return false;
  if (problem->K) return true;
  const double *rows = s->rows + 24 * (size_t)block->row, *T = rows + 12 * block->n, *p = s->p + block->row;
  double *u_a = s->u + 6 * (size_t)block->a, *u_b = s->u + 6 * (size_t)block->b;
  turn_tangents(block, s->b + block->row, true), turn_tangents(block, s->p + block->row, true);
  if (block->flat) hn_flat_push(rows + 12, p[0], p[1], u_a, u_b);
  else push_body(block->n, T, p, u_a), push_body(block->n, T + 6, p, u_b);
  return true;
}

/* Apart, so that what is quick need not make room for all that others need. */
static __attribute__((noinline)) double visit_any(hn_singles *s, hn_single *block)
{
  switch (s->K ? 0 : block->n) { /* constants for the compiler */
  case 0: return visit_given(s, block);
  case 1: return visit(s, block, 1, false);
  case 2: return block->flat ? visit(s, block, 2, true) : visit(s, block, 2, false);
  case 3: return visit(s, block, 3, false);
  case 4: return visit(s, block, 4, false);
  case 5: return visit(s, block, 5, false);
  default: return visit(s, block, 6, false);
  }
}

/* ---- Sweeps ------------------------------------------------------------------------------------------ */

unfolded void visit_block(hn_singles *s, int k, hn_changes *changes)
{
  hn_changes_note(changes, s->flat[k].u_a ? hn_flat_visit(&s->flat[k]) : visit_any(s, &s->block[k]));
}

unfolded void sweep(hn_singles *s, const int *block, int count, int lag, hn_changes *first,
                    hn_changes *second)
{
  hn_changes one = *first, two = *second;
  for (int i = 0; i < lag; i++) visit_block(s, block[i], &one);
  for (int i = lag; i < count; i++) visit_block(s, block[i], &one), visit_block(s, block[i - lag], &two);
  for (int i = count - lag; i < count && lag < count; i++) visit_block(s, block[i], &two);
  *first = one, *second = two;
}

void hn_single_sweep_anywhere(hn_singles *s, const int *block, int count, int lag, hn_changes changes[2])
{
  sweep(s, block, count, lag, &changes[0], &changes[1]);
}

WIDE static void sweep_wide(hn_singles *s, const int *block, int count, int lag, hn_changes changes[2])
{
  sweep(s, block, count, lag, &changes[0], &changes[1]);
}

hn_single_sweep *hn_single_sweeper(void)
{
  return IS_WIDE() ? sweep_wide : hn_single_sweep_anywhere;
}

void hn_single_impulse(const hn_singles *s, int k, double *p)
{
  const hn_single *block = &s->block[k];
  const double *own = s->flat[k].u_a ? s->flat[k].p : s->p + block->row;
  for (int r = 0; r < block->n; r++) p[block->row + r] = own[r];
  if (!s->K) turn_tangents(block, p + block->row, false);
}
