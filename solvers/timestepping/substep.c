/* substep.c - semi-implicit Euler for the real-time solvers. */
#include "timestepping/substep.h"
#include "base/turn.h"
#include "base/vec.h"

#include <limits.h>

void hn_substep_accelerate(double h, const hn_twist *acceleration, hn_state *state)
{
  for (int i = 0; i < state->nbody; i++) {
    vec_add_scaled(state->twist[i].v, h, acceleration[i].v);
    vec_add_scaled(state->twist[i].w, h, acceleration[i].w);
  }
}

void hn_substep_kick(hn_system *s, double h, hn_twist *acceleration, hn_state *state)
{
  hn_system_free_acceleration(s, state, acceleration);
  hn_substep_accelerate(h, acceleration, state);
}

void hn_substep_drift(hn_system *s, double h, hn_state *state)
{
  for (int i = 0; i < state->nbody; i++)
    if (s->model->body[i].kind != HN_FIXED) vec_add_scaled(state->pose[i].x, h, state->twist[i].v);
  for (int k = 0; k < s->nrotating; k++) {
    int i = s->rotating[k];
    const double *w = state->twist[i].w;
    const double turn[4] = { 1.0, 0.5 * h * w[0], 0.5 * h * w[1], 0.5 * h * w[2] };
    quat_mul(state->pose[i].q, turn, state->pose[i].q);
    quat_normalise(state->pose[i].q);
  }
  state->time += h;
  s->work.flights += (uint64_t)state->nbody - 1;
}

void hn_substep_use_exact_turn(const hn_system *s, double h, hn_state *state)
{
  for (int k = 0; k < s->nrotating; k++) {
    double *w = state->twist[s->rotating[k]].w, cosine;
    const double sine = turn_half(0.25 * h * h * vec_dot(w, w), &cosine);
    vec_scale(w, sine / cosine, w);
  }
}

int hn_substep_limit_speed(double max_speed, hn_state *state)
{
  int count = 0;
  for (int i = 1; i < state->nbody; i++) {
    const double speed = vec_norm(state->twist[i].v);
    if (!(speed > max_speed)) continue;
    vec_scale(state->twist[i].v, max_speed / speed, state->twist[i].v);
    count++;
  }
  return count;
}

int hn_substep_check(const hn_solver *solver, int substeps, const char *key, int sweeps, hn_error *error)
{
  const double product = (double)substeps * sweeps;
  if (product <= INT_MAX) return 0;
  return hn_fail(error, "%s: substeps times %s is %.0f, but at most %d", solver->type->name, key, product,
                 INT_MAX);
}

void hn_substep_angular_velocity(const double from[4], const double to[4], double h, double w[3])
{
  double back[4], turn[4];
  quat_conj(back, from);
  quat_mul(turn, to, back);
  vec_scale(w, 2.0 / (h * turn[0]), turn + 1);
}
