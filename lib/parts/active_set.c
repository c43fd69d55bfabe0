/* active_set.c - active set of the impulse step: p in C, complementary to the rates of the rows.
 *
 * A row with a set (a limit, a bounded motor, dry friction) is held, and its impulse follows from K; or its
 * impulse is at a bound of the set, and its rate is free. After a solve for the held rows, a row is wrong
 * when
 *
 *   it is held and its impulse lies outside the set           it moves to the bound that it exceeds
 *   it is at a bound and its rate points into the set         it is held
 *
 * This is a Newton step on the natural map p = P_C(p - v / k). All wrong rows change together as long as
 * their number decreases, with some patience. After that only the first in scene order changes, until the
 * number is smaller than ever before: Murty's least-index rule, which terminates for positive definite K. The
 * number of changes in a step is bounded, so a cycle ends as a stalled step.
 *
 * The joint correction uses the rates over the step, g / h, and half of the impulse that the bounds allow in
 * h. The velocity correction uses the rates at the end and the whole impulse, so it may release a row that
 * pushed at the start. A limit at rest on its bound thus keeps order 2; an impact happens at a step, with an
 * error of order h. [Murty 1974; Judice and Pires 1994 for blocks; Hintermueller, Ito and Kunisch 2002 for
 * the Newton view] */
#include "parts.h"
#include "base/vec.h"
#include "registry/solver_arrays.h"

#include <string.h>

/* Updates of all wrong rows without progress before the least-index rule applies. */
enum { PATIENCE = 3 };

/* Limit on the updates in a step, in all and per block: far above the few that a regular step needs. */
enum { BASE_CHANGES = 100, CHANGES_PER_BLOCK = 20 };

static const double relative_round_off = 1e-12; /* Rates below this fraction of their terms are round-off */

int hn_active_setup(hn_solver *solver, hn_active *a, hn_error *error)
{
  size_t rows = (size_t)solver->system->max_rows + 1;
  if (!(solver->system->model->needs & (HN_CAN_PUSH | HN_CAN_WITHIN))) return 0;
  if (hn_solver_allocate(solver, error, HN_ARRAY(a->side, rows), HN_ARRAY(a->impulse, rows),
                         HN_ARRAY(a->joint_correction, rows)))
    return -1;
  hn_active_reset(solver, a);
  return 0;
}

void hn_active_reset(hn_solver *solver, hn_active *a)
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
  /* Hold the contacts that had an impulse in the last step. */
  for (int i = 0; i < s->nblock - s->model->njoint && a->side; i++) {
    const hn_block *block = &s->block[s->model->njoint + i];
    for (int r = 0; r < block->n; r++) a->side[block->row + r] = state->contact[i].impulse[0] > 0.0 ? 0 : -1;
  }
  for (int i = 0; i < s->nrow && a->side; i++) {
    a->impulse[i] = a->joint_correction[i] = 0.0;
    hn_system_hold(s, i, a->side[i] == 0);
  }
}

/* Computes the bounds of the impulse of a row in PHASE of a step of H. */
static void find_bounds(const hn_set *set, hn_active_phase phase, double h, double *lower, double *upper)
{
  hn_set_bounds(set, phase == HN_AT_POSITIONS ? 0.5 * h : h, lower, upper);
}

/* Sets the impulse of row R of block k to its bound on SIDE and applies the change to STATE. */
static void set_to_bound(hn_system *s, hn_active *a, int k, int r, hn_active_phase phase, double h, int side,
                         hn_state *state)
{
  const hn_block *block = &s->block[k];
  double lower, upper, change[HN_MAX_ROWS] = { 0 }, *impulse = &a->impulse[block->row + r];
  find_bounds(block->joint->set, phase, h, &lower, &upper);
  change[r] = (side < 0 ? lower : upper) - *impulse;
  *impulse = side < 0 ? lower : upper;
  if (change[r] != 0.0) hn_system_block_apply(s, k, change, state);
}

void hn_active_apply_bounds(hn_solver *solver, hn_active *a, hn_active_phase phase, double h, hn_state *state)
{
  hn_system *s = solver->system;
  if (!a->side) return;
  a->fewest_wrong = s->nrow + 1, a->patience = PATIENCE;
  if (phase == HN_AT_VELOCITIES)
    memcpy(a->impulse, a->joint_correction, sizeof *a->joint_correction * (size_t)s->nrow);
  for (int k = 0; k < s->nblock; k++)
    for (int r = 0; r < s->block[k].n && s->block[k].joint->set->kind != HN_ANY; r++) {
      const int side = a->side[s->block[k].row + r];
      if (side != 0) set_to_bound(s, a, k, r, phase, h, side, state);
    }
}

void hn_active_end_joint_correction(hn_solver *solver, hn_active *a)
{
  if (a->side)
    memcpy(a->joint_correction, a->impulse, sizeof *a->joint_correction * (size_t)solver->system->nrow);
}

void hn_active_record(hn_solver *solver, hn_active *a, const double *p, double scale)
{
  const hn_system *s = solver->system;
  for (int i = 0; i < s->nrow && a->side; i++)
    if (hn_system_is_held(s, i)) a->impulse[i] += scale * p[i];
}

/* Returns the sum of the magnitudes of the terms of G u in row R of a block. */
static double rate_magnitude(const hn_system *s, const hn_block *block, int r, const hn_state *state)
{
  const double *G = s->G + 12 * block->row;
  const hn_twist *u[2] = { &state->twist[block->a], &state->twist[block->b] };
  double size = 0.0;
  for (int side = 0; side < 2; side++)
    for (int c = 0; c < 6; c++)
      size += fabs(G[(6 * side + c) * block->n + r] * (c < 3 ? u[side]->v[c] : u[side]->w[c - 3]));
  return size;
}

/* The arguments of hn_active_update. */
typedef struct row_test {
  hn_active_phase phase;
  double h, tolerance;
  const double *rate;
} row_test;

/* Returns the correct side of row R; it equals the present side if the row is not wrong. */
static int correct_side(const hn_system *s, const hn_active *a, const hn_block *block, int r,
                        const row_test *test, const hn_state *state)
{
  const int row = block->row + r, side = a->side[row];
  const bool push = block->joint->set->kind == HN_PUSH;
  double lower, upper;
  find_bounds(block->joint->set, test->phase, test->h, &lower, &upper);
  if (side == 0) {
    double slack = push ? 0.0 : relative_round_off * fmax(fabs(lower), fabs(upper));
    return a->impulse[row] < lower - slack ? -1 : a->impulse[row] > upper + slack ? 1 : 0;
  }
  const bool at_positions = test->phase == HN_AT_POSITIONS;
  if (!(lower < upper) || (push && !at_positions && !(s->g[row] <= test->tolerance))) return side;
  double zero = at_positions ? test->tolerance : relative_round_off * rate_magnitude(s, block, r, state);
  return side * test->rate[row] > zero ? 0 : side;
}

/* Moves row R of block k to SIDE. */
static void change_side(hn_system *s, hn_active *a, int k, int r, const row_test *test, int side,
                        hn_state *state)
{
  const int row = s->block[k].row + r;
  if (side != 0) set_to_bound(s, a, k, r, test->phase, test->h, side, state);
  a->side[row] = (signed char)side;
  hn_system_hold(s, row, side == 0);
}

typedef enum row_action { COUNT, CHANGE_FIRST, CHANGE_ALL } row_action;

/* Counts the wrong rows and, depending on ACTION, corrects all of them or the first. */
static int visit_rows(hn_system *s, hn_active *a, row_action action, const row_test *test, hn_state *state)
{
  int wrong = 0;
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    if (block->joint->set->kind == HN_ANY) continue;
    s->work.projections++;
    for (int r = 0; r < block->n; r++) {
      int side = correct_side(s, a, block, r, test, state);
      if (side == a->side[block->row + r]) continue;
      wrong++;
      if (action != COUNT) change_side(s, a, k, r, test, side, state);
      if (action == CHANGE_FIRST) return wrong;
    }
  }
  return wrong;
}

hn_active_change hn_active_update(hn_solver *solver, hn_active *a, hn_active_phase phase, double h,
                                  double tolerance, const double *rate, hn_state *state)
{
  hn_system *s = solver->system;
  if (!a->side) return HN_ACTIVE_SAME;
  const row_test test = { phase, h, tolerance, rate };
  int wrong = visit_rows(s, a, COUNT, &test, state);
  if (wrong == 0) return HN_ACTIVE_SAME;
  if (wrong < a->fewest_wrong) a->fewest_wrong = wrong, a->patience = PATIENCE;
  visit_rows(s, a, a->patience-- > 0 ? CHANGE_ALL : CHANGE_FIRST, &test, state);
  return ++a->changes > BASE_CHANGES + CHANGES_PER_BLOCK * s->nblock ? HN_ACTIVE_CYCLE : HN_ACTIVE_CHANGED;
}
