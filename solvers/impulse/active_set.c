/* active_set.c - which rows act as equations: p in C, complementary to their rates, by a primal-dual active set.
 *
 * A row of a set (a limit, a motor with a largest force, dry friction) is held, and its impulse follows from K; or its
 * impulse is at a bound of the set, and its rate is free. Solved for the rows that are held, a row is wrong when
 *
 *   it is held and its impulse lies outside the set           then it goes to the bound that it passes
 *   it is at a bound and its rate points into the set         then it is held
 *
 * which is a Newton step on the natural map p = P_C(p - v / k). All wrong rows change at once as long as they become
 * fewer, with some patience; after that only the first in the order of the scene does (Murty's least-index rule, which
 * ends for positive definite K), until they are fewer than ever before. The changes of a step are bounded: a cycle is a
 * stalled step, never an endless one.
 *
 * The joint correction takes the rates over the step, g / h, and half of what bounds allow in a step of h, as the
 * impulse at its start; the velocity correction the rates at its end, and the whole: what pushed at the start may be
 * let go of at the end. So a limit that is at rest on its bound keeps order 2; an impact happens at a step, with an
 * error of order h. [Murty 1974; Judice and Pires 1994 for the blocks; Hintermueller, Ito and Kunisch 2002 for
 * Newton] */
#include "impulse/active_set.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 3 };

static const double noise = 1e-12; /* of the terms that a rate is the sum of: round-off, not a rate */

int hn_active_setup(hn_solver *solver, hn_active *a, hn_error *error)
{
  size_t rows = (size_t)solver->system->most_rows + 1;
  if (!(solver->system->model->needs & (HN_CAN_PUSH | HN_CAN_WITHIN))) return 0;
  a->side = calloc(rows, sizeof *a->side);
  a->impulse = calloc(rows, sizeof *a->impulse);
  a->first = calloc(rows, sizeof *a->first);
  if (!a->side || !a->impulse || !a->first) return hn_fail(error, "out of memory");
  hn_active_forget(solver, a);
  return 0;
}

void hn_active_free(hn_active *a)
{
  free(a->side), free(a->impulse), free(a->first);
}

void hn_active_forget(hn_solver *solver, hn_active *a)
{
  const hn_system *s = solver->system;
  for (int k = 0; k < s->nblock && a->side; k++) {
    const hn_block *block = &s->block[k];
    for (int r = 0; r < block->n; r++) a->side[block->row + r] = block->joint->set->kind == HN_PUSH ? -1 : 0;
  }
}

void hn_active_begin(hn_solver *solver, hn_active *a, const hn_state *state)
{
  hn_system *s = solver->system;
  a->changes = 0;
  for (int i = 0; i < s->ncontact && a->side;
       i++) { /* what pushed in the last step is held; the state knows */
    const hn_block *block = &s->block[s->model->njoint + i];
    for (int r = 0; r < block->n; r++) a->side[block->row + r] = state->contact[i].impulse[0] > 0.0 ? 0 : -1;
  }
  for (int i = 0; i < s->nrow && a->side; i++) {
    a->impulse[i] = a->first[i] = 0.0;
    hn_system_hold(s, i, a->side[i] == 0);
  }
}

/* The bounds of a row in PHASE of a step of H. */
static void find_bounds(const hn_set *set, hn_active_phase phase, double h, double *lower, double *upper)
{
  hn_set_bounds(set, phase == HN_AT_POSITIONS ? 0.5 * h : h, lower, upper);
}

/* Brings the impulse of row R of block k to P. */
static void set_impulse(hn_system *s, hn_active *a, int k, int r, double p, hn_state *state)
{
  double change[HN_MAX_ROWS] = { 0 };
  const int row = s->block[k].row + r;
  change[r] = p - a->impulse[row];
  a->impulse[row] = p;
  if (change[r] != 0.0) hn_system_block_apply(s, k, change, state);
}

void hn_active_push(hn_solver *solver, hn_active *a, hn_active_phase phase, double h, hn_state *state)
{
  hn_system *s = solver->system;
  if (!a->side) return;
  a->fewest = s->nrow + 1, a->patience = PATIENCE;
  if (phase == HN_AT_VELOCITIES) memcpy(a->impulse, a->first, sizeof *a->first * (size_t)s->nrow);
  for (int k = 0; k < s->nblock; k++) {
    double lower, upper;
    if (s->block[k].joint->set->kind == HN_ANY) continue;
    find_bounds(s->block[k].joint->set, phase, h, &lower, &upper);
    for (int r = 0; r < s->block[k].n; r++) {
      const int side = a->side[s->block[k].row + r];
      if (side != 0) set_impulse(s, a, k, r, side < 0 ? lower : upper, state);
    }
  }
}

void hn_active_settle(hn_solver *solver, hn_active *a)
{
  if (a->side) memcpy(a->first, a->impulse, sizeof *a->first * (size_t)solver->system->nrow);
}

void hn_active_add(hn_solver *solver, hn_active *a, const double *p, double scale)
{
  const hn_system *s = solver->system;
  for (int i = 0; i < s->nrow && a->side; i++)
    if (s->held[i]) a->impulse[i] += scale * p[i];
}

/* The size of the terms of G u in row R of a block, whose sum is its rate. */
static double size_of_rate(const hn_system *s, const hn_block *block, int r, const hn_state *state)
{
  const double *G = s->G + 12 * block->row;
  const hn_twist *u[2] = { &state->twist[block->a], &state->twist[block->b] };
  double size = 0.0;
  for (int side = 0; side < 2; side++)
    for (int c = 0; c < 6; c++)
      size += fabs(G[(6 * side + c) * block->n + r] * (c < 3 ? u[side]->v[c] : u[side]->w[c - 3]));
  return size;
}

/* Where the row should be that is at SIDE now, and is right there when the answer is the same. */
static int right_side(const hn_system *s, const hn_active *a, const hn_block *block, int r,
                      hn_active_phase phase, double h, double tolerance, const double *rate,
                      const hn_state *state)
{
  const int row = block->row + r, side = a->side[row];
  const bool push = block->joint->set->kind == HN_PUSH;
  double lower, upper;
  find_bounds(block->joint->set, phase, h, &lower, &upper);
  if (side == 0) {
    double slack = push ? 0.0 : noise * fmax(fabs(lower), fabs(upper));
    return a->impulse[row] < lower - slack ? -1 : a->impulse[row] > upper + slack ? 1 : 0;
  }
  if (!(lower < upper) || (push && phase == HN_AT_VELOCITIES && !(s->g[row] <= tolerance))) return side;
  double zero = phase == HN_AT_POSITIONS ? tolerance : noise * size_of_rate(s, block, r, state);
  return side * rate[row] > zero ? 0 : side;
}

/* Puts row R of block k where it should be. */
static void change_side(hn_system *s, hn_active *a, int k, int r, hn_active_phase phase, double h, int side,
                        hn_state *state)
{
  const hn_block *block = &s->block[k];
  const int row = block->row + r;
  double lower, upper;
  find_bounds(block->joint->set, phase, h, &lower, &upper);
  if (side != 0) set_impulse(s, a, k, r, side < 0 ? lower : upper, state);
  a->side[row] = (signed char)side;
  hn_system_hold(s, row, side == 0);
}

typedef enum visit { COUNT, CHANGE_FIRST, CHANGE_ALL } visit;

/* How many rows are wrong; puts them right, or the first of them. */
static int visit_rows(hn_system *s, hn_active *a, visit what, hn_active_phase phase, double h,
                      double tolerance, const double *rate, hn_state *state)
{
  int wrong = 0;
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    if (block->joint->set->kind == HN_ANY) continue;
    s->work.projections++;
    for (int r = 0; r < block->n; r++) {
      int side = right_side(s, a, block, r, phase, h, tolerance, rate, state);
      if (side == a->side[block->row + r]) continue;
      wrong++;
      if (what != COUNT) change_side(s, a, k, r, phase, h, side, state);
      if (what == CHANGE_FIRST) return wrong;
    }
  }
  return wrong;
}

hn_active_change hn_active_choose(hn_solver *solver, hn_active *a, hn_active_phase phase, double h,
                                  double tolerance, const double *rate, hn_state *state)
{
  hn_system *s = solver->system;
  if (!a->side) return HN_ACTIVE_SAME;
  int wrong = visit_rows(s, a, COUNT, phase, h, tolerance, rate, state);
  if (wrong == 0) return HN_ACTIVE_SAME;
  if (wrong < a->fewest) a->fewest = wrong, a->patience = PATIENCE;
  visit_rows(s, a, a->patience-- > 0 ? CHANGE_ALL : CHANGE_FIRST, phase, h, tolerance, rate, state);
  return ++a->changes > 100 + 20 * s->nblock ? HN_ACTIVE_CYCLE : HN_ACTIVE_CHANGED;
}
