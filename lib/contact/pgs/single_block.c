/* single_block.c - visits of blocks one at a time (see single_block.h). */
#include "contact/pgs/single_block.h"
#include "contact/block_rows.h"

void hn_singles_setup(hn_singles *s, const hn_problem_size *max_size, hn_arrays *arrays)
{
  const size_t rows = (size_t)max_size->rows, blocks = (size_t)max_size->blocks;
  HN_ARRAYS(arrays, sizeof *s->block * blocks, &s->block);
  HN_ARRAYS(arrays, sizeof *s->flat * blocks, &s->flat);
  HN_ARRAYS(arrays, sizeof(double[24]) * rows, &s->rows);
  HN_ARRAYS(arrays, sizeof(double[6]) * rows, &s->diagonal);
  HN_ARRAYS(arrays, sizeof(double[6]) * ((size_t)max_size->bodies + 1), &s->u);
  HN_ARRAYS(arrays, sizeof(double) * rows, &s->b, &s->p);
}

void hn_singles_begin(hn_singles *s, const hn_problem *problem, const double *p)
{
  s->K = problem->K, s->start = p;
  if (!problem->K) memset(s->u, 0, sizeof *s->u * 6 * ((size_t)problem->nbody + 1));
}

/* ---- Preparation ------------------------------------------------------------------------------------- */

/* Rotates the numbers of rows 1 and 2 to the tangents of the block (FORTH) or back. */
static void turn_tangents(const hn_single *block, double *x, bool forth)
{
  const double c = block->turn[0], sine = forth ? block->turn[1] : -block->turn[1];
  if (sine == 0.0) return;
  double one = x[1], two = x[2];
  x[1] = c * one + sine * two, x[2] = c * two - sine * one;
}

/* Rotates 12 numbers a row to the tangents of the block. */
static void turn_rows(const hn_single *block, double *rows)
{
  const double c = block->turn[0], sine = block->turn[1];
  for (int i = 0; i < 12; i += 2) {
    lane one = lane_load(rows + 12 + i), two = lane_load(rows + 24 + i);
    lane_store(rows + 12 + i, c * one + sine * two), lane_store(rows + 24 + i, c * two - sine * one);
  }
}

/* Returns the scalar product of 12 numbers, in a fixed order. */
inlined double dot12(const double *a, const double *b)
{
  lane one = lane_load(a) * lane_load(b) + lane_load(a + 2) * lane_load(b + 2);
  lane two = lane_load(a + 4) * lane_load(b + 4) + lane_load(a + 6) * lane_load(b + 6);
  lane three = lane_load(a + 8) * lane_load(b + 8) + lane_load(a + 10) * lane_load(b + 10);
  lane sum = (one + two) + three;
  return sum[0] + sum[1];
}

/* Copies the Jacobians of a block row by row and computes its diagonal block D of K. N is constant where this
 * is inlined. */
inlined void pack_rows(const hn_problem *problem, const hn_problem_block *of, const hn_single *block, int n,
                       double *to, double *D)
{
  double room[12 * HN_MAX_ROWS];
  const double *G = problem->G + 12 * (size_t)block->row, *T = hn_rows_responses(problem, of, room);
  for (int c = 0; c < 6; c++)
    for (int r = 0; r < n; r++) to[12 * r + c] = G[c * n + r], to[12 * r + 6 + c] = G[6 * n + c * n + r];
  for (int r = 0; r < n; r++)
    for (int c = 0; c < 6; c += 2) {
      lane_store(to + 12 * (n + r) + c, lane_load(T + 6 * r + c));
      lane_store(to + 12 * (n + r) + 6 + c, lane_load(T + 6 * n + 6 * r + c));
    }
  for (int r = 0; r < n; r++)
    for (int c = 0; c <= r; c++) D[r * n + c] = D[c * n + r] = dot12(to + 12 * r, to + 12 * (n + c));
}

static void pack(hn_singles *s, const hn_problem *problem, int k, double *D)
{
  hn_single *block = &s->block[k];
  double *to = s->rows + 24 * (size_t)block->row;
  block->flat = hn_planar_pack(problem, &problem->block[k], to, D);
  if (block->flat) return;
  switch (block->n) { /* constants for the compiler */
  case 1: pack_rows(problem, &problem->block[k], block, 1, to, D); break;
  case 2: pack_rows(problem, &problem->block[k], block, 2, to, D); break;
  case 3: pack_rows(problem, &problem->block[k], block, 3, to, D); break;
  default: pack_rows(problem, &problem->block[k], block, block->n, to, D);
  }
  if (block->a == block->b) hn_problem_diagonal(problem, k, D); /* both sides are one body */
}

/* Copies block K to s->flat if it is a planar contact that is solved exactly. */
static void copy_planar(hn_singles *s, int k)
{
  const hn_single *block = &s->block[k];
  const hn_local *local = &block->law.local;
  hn_planar *planar = &s->flat[k];
  planar->u_a = planar->u_b = NULL;
  const bool exact = block->law.kind == HN_CONE && s->local == HN_LOCAL_CONE && s->relaxation == 1.0;
  if (!block->flat || !exact || local->inv_normal == 0.0) return;
  *planar = (hn_planar){ .u_a = s->u + 6 * (size_t)block->a,
                         .u_b = s->u + 6 * (size_t)block->b,
                         .scale = block->scale,
                         .inv_normal = local->inv_normal,
                         .d = local->d[0],
                         .l = local->l[0],
                         .inv_l = local->inv_l[0],
                         .mu = local->mu,
                         .square_stick = local->stick * local->stick };
  memcpy(planar->rows, s->rows + 24 * (size_t)block->row, sizeof planar->rows);
  memcpy(planar->b, s->b + block->row, sizeof planar->b),
    memcpy(planar->p, s->p + block->row, sizeof planar->p);
}

/* Prepares block K; returns false if data are not finite. */
static bool prepare(hn_singles *s, const hn_problem *problem, int k)
{
  const hn_problem_block *from = &problem->block[k];
  hn_single *block = &s->block[k];
  double *D = s->diagonal + 6 * (size_t)from->row, trace = 0.0;
  memcpy(s->b + from->row, problem->b + from->row, sizeof *s->b * (size_t)from->n);
  memcpy(s->p + from->row, s->start + from->row, sizeof *s->p * (size_t)from->n);
  *block = (hn_single){ from->a, from->b, from->row, from->n, .law.kind = from->set.kind, .turn = { 1, 0 } };
  block->law.set = &from->set;
  hn_set_bounds(&from->set, problem->h, &block->law.lower, &block->law.upper);
  if (problem->K) hn_problem_diagonal(problem, k, D);
  else pack(s, problem, k, D);
  for (int r = 0; r < from->n; r++) trace += D[r * from->n + r];
  block->scale = trace == 0.0 ? 1.0 : trace / from->n;
  if (from->set.kind == HN_CONE && from->n <= 3) {
    hn_local_prepare(&block->law.local, &from->set, from->n, D, block->turn);
    /* its directions are part of the model */
    if (s->local != HN_LOCAL_CONE) block->turn[0] = 1.0, block->turn[1] = 0.0;
  }
  if (from->set.kind == HN_ANY) ldl_factor_semidefinite(from->n, D);
  if (!problem->K && block->turn[1] != 0.0) {
    double *rows = s->rows + 24 * (size_t)from->row;
    turn_rows(block, rows), turn_rows(block, rows + 36);
  }
  copy_planar(s, k);
  return isfinite(trace);
}

/* ---- One block --------------------------------------------------------------------------------------- */

/* Computes v = G u + b. Sums are trees, because the next block waits for them. */
inlined void row_velocities(int n, const double *G, const double *a, const double *b, const double *bias,
                            double *v)
{
  const lane a0 = lane_load(a), a1 = lane_load(a + 2), a2 = lane_load(a + 4);
  const lane b0 = lane_load(b), b1 = lane_load(b + 2), b2 = lane_load(b + 4);
  for (int r = 0; r < n; r++, G += 12) {
    lane one = lane_load(G) * a0 + lane_load(G + 2) * a1, two = lane_load(G + 4) * a2 + lane_load(G + 6) * b0;
    lane sum = (one + two) + (lane_load(G + 8) * b1 + lane_load(G + 10) * b2);
    v[r] = bias[r] + (sum[0] + sum[1]);
  }
}

/* Adds T p to the velocities u of one body. */
inlined void apply_impulse(int n, const double *T, const double *p, double *u)
{
  for (int c = 0; c < 6; c += 2) {
    lane sum = lane_load(T + c) * p[0];
    for (int r = 1; r < n; r++) sum += lane_load(T + 12 * r + c) * p[r];
    lane_store(u + c, lane_load(u + c) + sum);
  }
}

/* Moves P towards NEXT by the relaxation; NEXT becomes the step. Returns its square as a velocity. */
inlined double apply_step(const hn_singles *s, const hn_single *block, int n, double *p, double *next)
{
  double change = 0.0;
  for (int r = 0; r < n; r++) {
    double step = next[r] - p[r];
    if (s->relaxation != 1.0) step *= s->relaxation; /* saves a multiplication on the critical path */
    p[r] += step, next[r] = step;
    change += step * step;
  }
  return change * block->scale * block->scale;
}

/* Visits one block; returns the square of its change. N and FLAT are constants where this is inlined. */
inlined double visit(hn_singles *s, hn_single *block, int n, bool flat)
{
  const double *G = s->rows + 24 * (size_t)block->row;
  double *p = s->p + block->row, *u_a = s->u + 6 * (size_t)block->a, *u_b = s->u + 6 * (size_t)block->b;
  double v[HN_MAX_ROWS], next[HN_MAX_ROWS];
  if (flat) lane_store(v, hn_planar_velocities(G, u_a, u_b, lane_load(s->b + block->row)));
  else row_velocities(n, G, u_a, u_b, s->b + block->row, v);
  for (int r = 0; r < n; r++) next[r] = p[r];
  hn_solve_block(&block->law, s->local, n, s->diagonal + 6 * (size_t)block->row, v, next);
  double change = apply_step(s, block, n, p, next);
  if (flat) hn_planar_push(G + 12, next[0], next[1], u_a, u_b);
  else apply_impulse(n, G + 12 * n, next, u_a), apply_impulse(n, G + 12 * n + 6, next, u_b);
  return change;
}

/* Visits one block of a given K, in the tangents of the problem. */
static double visit_matrix_block(hn_singles *s, hn_single *block)
{
  const int n = block->n;
  double *p = s->p + block->row, v[HN_MAX_ROWS], next[HN_MAX_ROWS];
  hn_rows_products(s->K, block->row, n, s->p, v);
  for (int r = 0; r < n; r++) v[r] += s->b[block->row + r], next[r] = p[r];
  turn_tangents(block, v, true), turn_tangents(block, next, true);
  hn_solve_block(&block->law, s->local, n, s->diagonal + 6 * (size_t)block->row, v, next);
  turn_tangents(block, next, false);
  return apply_step(s, block, n, p, next);
}

/* Turns the impulse of a block, which is in the tangents of the problem, to its own; adds W G' p to u. */
static void apply_first(hn_singles *s, const hn_single *block)
{
  const double *rows = s->rows + 24 * (size_t)block->row, *T = rows + 12 * block->n;
  double *u_a = s->u + 6 * (size_t)block->a, *u_b = s->u + 6 * (size_t)block->b, *p = s->p + block->row;
  turn_tangents(block, p, true);
  if (block->flat) hn_planar_push(rows + 12, p[0], p[1], u_a, u_b);
  else apply_impulse(block->n, T, p, u_a), apply_impulse(block->n, T + 6, p, u_b);
}

bool hn_single_add(hn_singles *s, const hn_problem *problem, int k)
{
  const hn_single *block = &s->block[k];
  if (!prepare(s, problem, k)) return false;
  if (problem->K) return true;
  turn_tangents(block, s->b + block->row, true);
  apply_first(s, block);
  return true;
}

void hn_single_set(hn_singles *s, int k, const double *p)
{
  const hn_single *block = &s->block[k];
  memcpy(s->p + block->row, p + block->row, sizeof *p * (size_t)block->n);
  if (!s->K) apply_first(s, block);
  if (s->flat[k].u_a) memcpy(s->flat[k].p, p + block->row, sizeof s->flat[k].p);
}

/* Kept out of line, so that the fast path needs no stack frame for the others. */
static __attribute__((noinline)) double visit_any(hn_singles *s, hn_single *block)
{
  switch (s->K ? 0 : block->n) { /* constants for the compiler */
  case 0: return visit_matrix_block(s, block);
  case 1: return visit(s, block, 1, false);
  case 2: return block->flat ? visit(s, block, 2, true) : visit(s, block, 2, false);
  case 3: return visit(s, block, 3, false);
  case 4: return visit(s, block, 4, false);
  case 5: return visit(s, block, 5, false);
  default: return visit(s, block, 6, false);
  }
}

/* ---- Sweeps ------------------------------------------------------------------------------------------ */

inlined void visit_block(hn_singles *s, int k, hn_changes *changes)
{
  hn_changes_note(changes, s->flat[k].u_a ? hn_planar_visit(&s->flat[k]) : visit_any(s, &s->block[k]));
}

inlined void sweep(hn_singles *s, const int *block, int count, int lag, hn_changes *first, hn_changes *second)
{
  hn_changes one = *first, two = *second;
  for (int i = 0; i < lag; i++) visit_block(s, block[i], &one);
  for (int i = lag; i < count; i++) visit_block(s, block[i], &one), visit_block(s, block[i - lag], &two);
  for (int i = count - lag; i < count && lag < count; i++) visit_block(s, block[i], &two);
  *first = one, *second = two;
}

void hn_single_sweep_portable(hn_singles *s, const int *block, int count, int lag, hn_changes changes[2])
{
  sweep(s, block, count, lag, &changes[0], &changes[1]);
}

AVX2_FUNCTION static void sweep_avx2(hn_singles *s, const int *block, int count, int lag,
                                     hn_changes changes[2])
{
  sweep(s, block, count, lag, &changes[0], &changes[1]);
}

hn_single_sweep *hn_single_fastest_sweep(void)
{
  return HAS_AVX2() ? sweep_avx2 : hn_single_sweep_portable;
}

void hn_single_impulse(const hn_singles *s, int k, double *p)
{
  const hn_single *block = &s->block[k];
  const double *own = s->flat[k].u_a ? s->flat[k].p : s->p + block->row;
  for (int r = 0; r < block->n; r++) p[block->row + r] = own[r];
  if (!s->K) turn_tangents(block, p + block->row, false);
}
