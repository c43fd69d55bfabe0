/* kick.c - forces beside gravity in the impulse methods.
 *
 *   u += h/2 W f(q, u)      at t, explicitly
 *   impulse step
 *   u += h/2 W f(q, u)      at t + h, implicitly: f at the velocities that come out of it
 *
 * The closing kick is the adjoint of the opening one, so the whole step stays symmetric: of order 2, with an error
 * expansion in even powers of h, for forces that depend on velocities too. [METHODS, section 3; Hairer, Lubich and Wanner
 * 2006, section II.5] */
#include "kick.h"
#include "correction.h"
#include "vec.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PASSES = 200 };

int hn_kick_setup(hn_solver *solver, hn_kick *kick, hn_error *error)
{
  size_t bodies = (size_t)solver->system->model->nbody;
  if (solver->system->model->nforce == 0) return 0;
  kick->before = calloc(bodies, sizeof *kick->before);
  kick->last = calloc(bodies, sizeof *kick->last);
  return kick->before && kick->last ? 0 : hn_fail(error, "out of memory");
}

void hn_kick_free(hn_kick *kick)
{
  free(kick->before);
  free(kick->last);
}

void hn_kick_open(hn_solver *solver, hn_state *state, double h)
{
  hn_system_kick(solver->system, state, h, state->twist);
}

/* Largest change of a velocity since the last pass, relative to 1 and the velocities. */
static double change(const hn_kick *kick, const hn_state *state)
{
  const double *a = (const double *)state->twist, *b = (const double *)kick->last;
  double largest = 0.0, scale = 1.0;
  for (int i = 0; i < 6 * state->nbody; i++) {
    double step = fabs(a[i] - b[i]);
    if (exceeds(step, largest)) largest = step;
    if (exceeds(fabs(a[i]), scale)) scale = fabs(a[i]);
  }
  return largest / scale;
}

hn_reason hn_kick_close(hn_solver *solver, hn_kick *kick, hn_state *state, double h,
                        hn_reason (*project)(hn_solver *solver, void *user, hn_state *state), void *user)
{
  const hn_model *model = solver->system->model;
  const size_t bytes = sizeof *state->twist * (size_t)state->nbody;
  bool use_rates = false;
  if (model->nforce == 0) return project(solver, user, state);
  for (int i = 0; i < model->nforce; i++) use_rates |= model->force[i].type->uses_rates;
  memcpy(kick->before, state->twist, bytes);
  for (int pass = 0;; pass++) {
    memcpy(kick->last, state->twist, bytes);
    hn_system_forces(solver->system, state, solver->system->wrench);
    memcpy(state->twist, kick->before, bytes);
    hn_system_push(solver->system, state, h, state->twist);
    hn_reason reason = project(solver, user, state);
    if (reason != HN_CONVERGED || (!use_rates && pass == 0)) return reason;
    double moved = change(kick, state);
    if (moved <= 1e-15) return HN_CONVERGED;
    if (pass == MAX_PASSES || !(moved < HUGE_RESIDUAL))
      return hn_step_failed(solver, HN_STALLED, "velocity-dependent forces at the end of the step", -1, moved);
  }
}
