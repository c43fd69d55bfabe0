/* full_newton.c - Newton's equations with the derivatives of the forces (full_newton.h). */
#include "implicit/full_newton.h"
#include "registry/solver_arrays.h"

#include <string.h>

/* By auto, compliant contacts of all bodies together are differentiated for at most so many. */
enum { MOST_COUPLED = 200 };

static bool is_wanted(const hn_full_newton *full, const hn_model *model)
{
  if (full->choice != HN_NEWTON_AUTO) return full->choice == HN_NEWTON_FULL;
  return hn_model_has_forces(model) && !model->more && (!model->compliant || model->nbody <= MOST_COUPLED);
}

int hn_full_newton_setup(hn_solver *solver, hn_full_newton *full, int redundancy, hn_error *error)
{
  const hn_model *model = solver->system->model;
  if (!is_wanted(full, model)) return 0;
  full->proximal = redundancy ? HN_PROXIMAL : 0.0;
  if (hn_tangent_setup(solver, &full->tangent, error) ||
      hn_saddle_pattern_setup(solver, &full->pattern, &full->tangent, error) ||
      hn_saddle_setup(solver, &full->matrix, &full->pattern, false, false, error))
    return -1;
  full->exists = true;
  return hn_solver_allocate(solver, error, HN_ARRAY(full->x.q, 6 * model->nbody),
                            HN_ARRAY(full->x.u, 6 * model->nbody), HN_ARRAY(full->x.lambda, model->nrow),
                            HN_ARRAY(full->x.mu, model->nrow), HN_ARRAY(full->rate, model->nbody),
                            HN_ARRAY(full->lambda, model->nrow));
}

void hn_full_newton_free(hn_full_newton *full)
{
  if (full->matrix.lu) hn_saddle_free(&full->matrix);
}

static void divide(size_t n, double *x, double by)
{
  for (size_t i = 0; i < n; i++) x[i] /= by;
}

hn_reason hn_full_newton_factor(hn_system *s, hn_full_newton *full, const hn_state *state,
                                const double *lambda, double b, double b_u)
{
  hn_tangent *t = &full->tangent;
  const size_t pairs = 36 * (size_t)t->npair, bodies = 9 * (size_t)state->nbody;
  full->c = b_u / b, full->k = b / (b_u * b_u);
  hn_tangent_compute(s, t, state, lambda);
  divide(pairs, t->Dq, full->k), divide(pairs, t->Du, full->k);
  divide(bodies, t->Aq, full->k), divide(bodies, t->Au, full->k);
  if (!full->is_index_2) memset(t->V, 0, sizeof *t->V * 12 * (size_t)s->model->nrow);
  return hn_saddle_factor(s, &full->matrix, t, state, full->c, 0.0, full->proximal);
}

void hn_full_newton_solve(hn_system *s, hn_full_newton *full, hn_twist *motion, double *v, double *g)
{
  const size_t bodies = (size_t)s->model->nbody, rows = (size_t)s->model->nrow;
  const hn_saddle_vector *x = &full->x;
  const double b_u = 1.0 / (full->k * full->c);
  memset(x->q, 0, sizeof *x->q * 6 * bodies);
  memcpy(x->u, motion, sizeof *motion * bodies);
  divide(6 * bodies, x->u, full->k);
  for (size_t i = 0; i < rows; i++) x->lambda[i] = -v[i], x->mu[i] = -g[i];
  hn_saddle_solve(s, &full->matrix, x, NULL);
  divide(6 * bodies, x->u, b_u);
  memcpy(motion, x->u, sizeof *motion * bodies);
  for (size_t i = 0; i < rows; i++) v[i] = full->k * x->lambda[i], g[i] = x->mu[i] / full->c;
}
