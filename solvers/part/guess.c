/* guess.c - where the joint correction starts.
 *
 *   p_n ~ 2 p_{n-1} - p_{n-2}       p_{n-1} after one step, 0 at the start, or where h is another one
 *
 * The impulses of a step are a smooth function of time, so that the guess misses by O(h^2) of them, and the first
 * residual, h^2 in size without, is O(h^4). What the iteration converges to is the same, within the tolerance: order
 * and symmetry of the step are those of the equations. A correction that fails from a guess starts again from zero. */
#include "part/guess.h"

#include <stdlib.h>
#include <string.h>

enum { STEP = 0, COUNT = 1, IMPULSES = 2 };

int hn_guess_setup(hn_solver *solver, hn_guess *guess, hn_error *error)
{
  const hn_model *model = solver->system->model;
  guess->rows = (size_t)solver->system->most_rows;
  if (guess->kind == 0 || model->needs & (HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CHANGE)) return 0;
  guess->memory = calloc(IMPULSES + 2 * guess->rows, sizeof *guess->memory);
  guess->total = calloc(guess->rows + 1, sizeof *guess->total);
  guess->given = calloc((size_t)model->nbody, sizeof *guess->given);
  return guess->memory && guess->total && guess->given ? 0 : hn_fail(error, "out of memory");
}

void hn_guess_free(hn_guess *guess)
{
  free(guess->memory), free(guess->total), free(guess->given);
}

void hn_guess_forget(hn_guess *guess)
{
  if (guess->memory) guess->memory[COUNT] = 0.0;
}

void *hn_guess_memory(hn_guess *guess, size_t *size)
{
  *size = guess->memory ? sizeof *guess->memory * (IMPULSES + 2 * guess->rows) : 0;
  return guess->memory;
}

void hn_guess_open(hn_solver *solver, hn_guess *guess, double h, hn_state *state)
{
  if (!guess->memory) return;
  const double *last = guess->memory + IMPULSES, *before = last + guess->rows;
  guess->used = guess->memory[COUNT] > 0.0 && guess->memory[STEP] == h;
  if (!guess->used) {
    hn_guess_forget(guess);
    memset(guess->total, 0, sizeof *guess->total * guess->rows);
    return;
  }
  const double slope = guess->memory[COUNT] > 1.0 ? 1.0 : 0.0;
  for (size_t i = 0; i < guess->rows; i++) guess->total[i] = last[i] + slope * (last[i] - before[i]);
  memcpy(guess->given, state->twist, sizeof *guess->given * (size_t)state->nbody);
  hn_system_apply(solver->system, guess->total, 1.0, state);
}

void hn_guess_add(hn_guess *guess, const double *p, double scale)
{
  if (!guess->memory) return;
  for (size_t i = 0; i < guess->rows; i++) guess->total[i] += scale * p[i];
}

bool hn_guess_withdraw(hn_guess *guess, hn_state *state)
{
  if (!guess->memory || !guess->used) return false;
  memcpy(state->twist, guess->given, sizeof *guess->given * (size_t)state->nbody);
  memset(guess->total, 0, sizeof *guess->total * guess->rows);
  hn_guess_forget(guess);
  guess->used = false;
  return true;
}

void hn_guess_close(hn_guess *guess, double h)
{
  if (!guess->memory) return;
  double *last = guess->memory + IMPULSES;
  memcpy(last + guess->rows, last, sizeof *last * guess->rows);
  memcpy(last, guess->total, sizeof *last * guess->rows);
  guess->memory[STEP] = h;
  guess->memory[COUNT] = guess->memory[COUNT] > 0.0 ? 2.0 : 1.0;
}
