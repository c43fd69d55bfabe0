/* warm_start.c - where the joint correction starts.
 *
 *   p_n ~ 2 p_{n-1} - p_{n-2}       p_{n-1} after one step, 0 at the start, or where h is another one
 *
 * The impulses of a step are a smooth function of time, so that the guess misses by O(h^2) of them, and the first
 * residual, h^2 in size without, is O(h^4). A guess is corrected once at least, however good it seems, so that what is
 * left is as far below the tolerance as it is from zero: order and symmetry of the step are those of the equations. A
 * correction that fails from a guess starts again from zero. */
#include "impulse/warm_start.h"

#include <stdlib.h>
#include <string.h>

enum { STEP = 0, COUNT = 1, NEWEST = 2, IMPULSES = 3 };

int hn_guess_setup(hn_solver *solver, hn_guess *guess, int redundancy, hn_error *error)
{
  const hn_model *model = solver->system->model;
  guess->rows = (size_t)solver->system->most_rows;
  bool unique = !(model->needs & (HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CHANGE)) && redundancy == HN_REFUSE;
  if (guess->kind == 0 || !unique) return 0;
  guess->memory = calloc(IMPULSES + 2 * guess->rows, sizeof *guess->memory);
  guess->given = calloc((size_t)model->nbody, sizeof *guess->given);
  return guess->memory && guess->given ? 0 : hn_fail(error, "out of memory");
}

void hn_guess_free(hn_guess *guess)
{
  free(guess->memory), free(guess->given);
}

void hn_guess_forget(hn_guess *guess)
{
  if (guess->memory) guess->memory[COUNT] = guess->memory[NEWEST] = 0.0;
}

void *hn_guess_memory(hn_guess *guess, size_t *size)
{
  *size = guess->memory ? sizeof *guess->memory * (IMPULSES + 2 * guess->rows) : 0;
  return guess->memory;
}

/* The impulses of the last step; or the others, of the one before, whose place those of this step take. */
static double *impulses(const hn_guess *guess, bool last)
{
  const bool second = (guess->memory[NEWEST] > 0.0) == last;
  return guess->memory + IMPULSES + (second ? guess->rows : 0);
}

void hn_guess_open(hn_solver *solver, hn_guess *guess, double h, hn_state *state)
{
  if (!guess->memory) return;
  guess->used = guess->memory[COUNT] > 0.0 && guess->memory[STEP] == h;
  if (!guess->used) hn_guess_forget(guess);
  const double *last = impulses(guess, true);
  double *now = impulses(guess, false);
  if (!guess->used) {
    memset(now, 0, sizeof *now * guess->rows);
    return;
  }
  const bool both = guess->memory[COUNT] > 1.0;
  for (size_t i = 0; i < guess->rows; i++) now[i] = both ? last[i] + (last[i] - now[i]) : last[i];
  memcpy(guess->given, state->twist, sizeof *guess->given * (size_t)state->nbody);
  hn_system_apply(solver->system, now, 1.0, state);
}

void hn_guess_add(hn_guess *guess, const double *p, double scale)
{
  if (!guess->memory) return;
  double *now = impulses(guess, false);
  for (size_t i = 0; i < guess->rows; i++) now[i] += scale * p[i];
}

const double *hn_guess_total(const hn_guess *guess)
{
  return guess->memory ? impulses(guess, false) : NULL;
}

bool hn_guess_withdraw(hn_guess *guess, hn_state *state)
{
  if (!guess->memory || !guess->used) return false;
  memcpy(state->twist, guess->given, sizeof *guess->given * (size_t)state->nbody);
  hn_guess_forget(guess);
  memset(impulses(guess, false), 0, sizeof(double) * guess->rows);
  guess->used = false;
  return true;
}

void hn_guess_close(hn_guess *guess, double h)
{
  if (!guess->memory) return;
  guess->memory[STEP] = h;
  guess->memory[COUNT] = guess->memory[COUNT] > 0.0 ? 2.0 : 1.0;
  guess->memory[NEWEST] = guess->memory[NEWEST] > 0.0 ? 0.0 : 1.0;
}
