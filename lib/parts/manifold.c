/* manifold.c - positions and velocities that meet the joints, and the accelerations there (manifold.h). */
#include "parts/manifold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 20, DENSE_ROWS = 100 };

int hn_manifold_create(hn_manifold *m, const hn_model *model, hn_error *error)
{
  const hn_linear_options linear = { .backend = model->nrow <= DENSE_ROWS ? "dense" : "ldl",
                                     .petsc = "",
                                     .redundancy = HN_MIN_NORM };
  m->system = hn_system_create(model, error);
  if (!m->system || hn_system_use_linear(m->system, &linear, error)) return -1;
  m->work = hn_state_create(model), m->trial = hn_state_create(model);
  m->p = calloc((size_t)model->nrow + 1, sizeof *m->p);
  return m->work && m->trial && m->p ? 0 : hn_fail(error, "out of memory");
}

void hn_manifold_free(hn_manifold *m)
{
  hn_state_free(m->work), hn_state_free(m->trial);
  hn_system_free(m->system);
  free(m->p);
  *m = (hn_manifold){ .system = NULL };
}

void hn_manifold_hold(hn_manifold *m, bool velocities)
{
  hn_system *s = m->system;
  for (const hn_block *block = s->block; block < s->block + s->nblock; block++)
    for (int r = 0; r < block->n; r++)
      hn_system_hold(s, block->row + r,
                     block->joint->set->kind == HN_ANY && (velocities || !block->joint->type->velocity));
}

hn_reason hn_manifold_factor(hn_manifold *m, const hn_state *state)
{
  hn_system_jacobian(m->system, state);
  return hn_system_factor(m->system);
}

/* Stores the residual of positions less the target in m->p; returns its norm. */
static double miss(hn_manifold *m, const double *target, const hn_state *state)
{
  hn_system *s = m->system;
  double sum = 0.0;
  hn_system_residual(s, state, NULL);
  for (int i = 0; i < s->nrow; i++) {
    m->p[i] = hn_system_is_held(s, i) ? s->g[i] - (target ? target[i] : 0.0) : 0.0;
    sum += m->p[i] * m->p[i];
  }
  return sqrt(sum);
}

hn_reason hn_manifold_project_positions(hn_manifold *m, const double *target, hn_state *state)
{
  hn_manifold_hold(m, false);
  double residual = miss(m, target, state);
  for (int i = 0; i < MAX_STEPS && residual > 0.0; i++) {
    hn_reason reason = hn_manifold_factor(m, state);
    if (reason == HN_CONVERGED) reason = hn_system_solve(m->system, m->p, m->p);
    if (reason != HN_CONVERGED) return reason;
    hn_state_copy(m->trial, state);
    hn_system_displace(m->system, m->p, -1.0, m->work, m->trial);
    const double now = miss(m, target, m->trial);
    if (!(now < residual)) return isfinite(residual) ? HN_CONVERGED : HN_NOT_FINITE;
    hn_state_copy_motion(state, m->trial);
    residual = now;
  }
  return HN_CONVERGED;
}

hn_reason hn_manifold_project_velocities(hn_manifold *m, const double *target, hn_state *state)
{
  hn_system *s = m->system;
  hn_manifold_hold(m, true);
  hn_reason reason = hn_manifold_factor(m, state);
  if (reason != HN_CONVERGED) return reason;
  hn_system_velocity_residual(s, state, m->p, NULL);
  for (int i = 0; i < s->nrow; i++)
    m->p[i] = hn_system_is_held(s, i) ? m->p[i] - (target ? target[i] : 0.0) : 0.0;
  reason = hn_system_solve(s, m->p, m->p);
  if (reason == HN_CONVERGED) hn_system_apply(s, m->p, -1.0, state);
  return reason;
}

hn_reason hn_manifold_accelerate(hn_manifold *m, const hn_state *state, hn_twist *acceleration,
                                 double *lambda)
{
  hn_system *s = m->system;
  hn_state motion = { .nbody = state->nbody, .twist = acceleration };
  hn_manifold_hold(m, true);
  hn_reason reason = hn_manifold_factor(m, state);
  if (reason != HN_CONVERGED) return reason;
  hn_system_free_acceleration(s, state, acceleration);
  hn_system_gamma(s, state);
  hn_system_velocity_residual(s, &motion, lambda, NULL);
  for (int i = 0; i < s->nrow; i++)
    lambda[i] = hn_system_is_held(s, i) ? s->bias[i] - lambda[i] - s->gamma[i] : 0.0;
  reason = hn_system_solve(s, lambda, lambda);
  if (reason == HN_CONVERGED) hn_system_apply(s, lambda, 1.0, &motion);
  return reason;
}
