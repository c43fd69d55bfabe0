/* warm_start.c - initial guess of the joint correction.
 *
 *   p_n ~ 2 p_{n-1} - p_{n-2}       p_{n-1} after one step; 0 at the start and when the step size changes
 *
 * The impulses of a step are a smooth function of time, so the guess has a relative error of O(h^2). The
 * first residual is then O(h^4) instead of O(h^2). A guess is corrected at least once, however small its
 * residual: the remaining error is then as far below the tolerance as from a start at zero, which preserves
 * order and symmetry of the step. A correction that fails from a guess is repeated from zero. */
#include "impulse/warm_start.h"
#include "registry/solver_arrays.h"

#include <string.h>

enum { STEP = 0, COUNT = 1, NEWEST = 2, IMPULSES = 3 };

int hn_guess_setup(hn_solver *solver, hn_guess *guess, int redundancy, hn_error *error)
{
  const hn_model *model = solver->system->model;
  guess->rows = (size_t)solver->system->max_rows;
  bool unique = !(model->needs & (HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CHANGE)) && redundancy == HN_REFUSE;
  if (guess->kind == 0 || !unique) return 0;
  return hn_solver_allocate(solver, error, HN_ARRAY(guess->memory, IMPULSES + 2 * guess->rows),
                            HN_ARRAY(guess->twist_before, model->nbody));
}

void hn_guess_reset(hn_guess *guess)
{
  if (guess->memory) guess->memory[COUNT] = guess->memory[NEWEST] = 0.0;
}

void *hn_guess_memory(hn_guess *guess, size_t *size)
{
  *size = guess->memory ? sizeof *guess->memory * (IMPULSES + 2 * guess->rows) : 0;
  return guess->memory;
}

/* Returns the impulses of the LAST step, or else the list of the step before it, which the current step
 * overwrites. */
static double *impulses(const hn_guess *guess, bool last)
{
  const bool second = (guess->memory[NEWEST] > 0.0) == last;
  return guess->memory + IMPULSES + (second ? guess->rows : 0);
}

void hn_guess_apply(hn_solver *solver, hn_guess *guess, double h, hn_state *state)
{
  if (!guess->memory) return;
  guess->used = guess->memory[COUNT] > 0.0 && guess->memory[STEP] == h;
  if (!guess->used) hn_guess_reset(guess);
  const double *last = impulses(guess, true);
  double *current = impulses(guess, false);
  if (!guess->used) {
    memset(current, 0, sizeof *current * guess->rows);
    return;
  }
  const bool both = guess->memory[COUNT] > 1.0;
  for (size_t i = 0; i < guess->rows; i++) current[i] = both ? last[i] + (last[i] - current[i]) : last[i];
  memcpy(guess->twist_before, state->twist, sizeof *guess->twist_before * (size_t)state->nbody);
  hn_system_apply(solver->system, current, 1.0, state);
}

void hn_guess_record(hn_guess *guess, const double *p, double scale)
{
  if (!guess->memory) return;
  double *current = impulses(guess, false);
  for (size_t i = 0; i < guess->rows; i++) current[i] += scale * p[i];
}

const double *hn_guess_total(const hn_guess *guess)
{
  return guess->memory ? impulses(guess, false) : NULL;
}

bool hn_guess_withdraw(hn_guess *guess, hn_state *state)
{
  if (!guess->memory || !guess->used) return false;
  memcpy(state->twist, guess->twist_before, sizeof *guess->twist_before * (size_t)state->nbody);
  hn_guess_reset(guess);
  memset(impulses(guess, false), 0, sizeof(double) * guess->rows);
  guess->used = false;
  return true;
}

void hn_guess_store(hn_guess *guess, double h)
{
  if (!guess->memory) return;
  guess->memory[STEP] = h;
  guess->memory[COUNT] = guess->memory[COUNT] > 0.0 ? 2.0 : 1.0;
  guess->memory[NEWEST] = guess->memory[NEWEST] > 0.0 ? 0.0 : 1.0;
}
