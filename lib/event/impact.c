/* impact.c - simultaneous impacts (parts.h).
 *
 *   v = G u + bias of all rows; contact problems (contact.h) with K = G W G' of joints, and of limits and
 *       contacts that are closed
 *   Newton:   target -e v_n of rows that close faster than the threshold; one problem
 *   Poisson:  p1 with target 0 (compression);  then p2 (expansion) by
 *               0 <= v_n, p2_n >= e p1_n, one of them an equality;  |p2_t| <= mu p2_n against the slip
 *             e is 0 where k_nn p1_n, the speed of closing of a single contact, is below the threshold
 *
 * Friction in the expansion: expansion.c. Poisson's law transmits impulses through rows of resting bodies, by
 * p1; Newton's can add energy to an oblique impact with friction (Kane and Levinson 1985). Neither makes a
 * row of n balls collide one after the other. [bender2005, section 4.4, there without friction; Pfeiffer and
 * Glocker 1996, chapter 8; Anitescu and Potra 1997]
 *
 * Of two solutions of a compression the one of least kinetic energy is taken, island by island
 * (contact/problem_islands.c). Every compression starts from p = 0 and from sticking contacts, never from
 * earlier steps, so rounding does not decide between the two. */
#include "parts.h"
#include "contact/problem_islands.h"
#include "event/contact_impulses.h"
#include "event/expansion.h"
#include "event/impact_problem.h"
#include "base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const hn_set no_impulse = { .kind = HN_WITHIN };

int hn_impact_setup(hn_solver *solver, hn_impact *d, hn_error *error)
{
  const hn_system *s = solver->system;
  const size_t rows = (size_t)s->max_rows + 1;
  hn_system_set_impact_law(solver->system, NULL); /* impacts are treated here */
  d->solver = hn_contact_solver_for(solver->system, &d->contact, error);
  if (!d->solver || !(d->problem = hn_problem_create(s, error))) return -1;
  if (!(d->islands = hn_problem_islands_create(&d->solver->most, hn_contact_solve, error))) return -1;
  hn_arrays arrays = { .first = NULL };
  const int status = hn_arrays_allocate(&arrays, error, HN_ARRAY(d->p, rows), HN_ARRAY(d->v, rows),
                                        HN_ARRAY(d->first, rows), HN_ARRAY(d->more, rows),
                                        HN_ARRAY(d->base, rows), HN_ARRAY(d->trial, rows),
                                        HN_ARRAY(d->rate, rows), HN_ARRAY(d->work, 6 * s->model->nbody));
  d->arrays = arrays.first;
  if (status) return -1;
  d->expansion = hn_expansion_create(s, error);
  return d->expansion ? 0 : -1;
}

void hn_impact_free(hn_impact *d)
{
  hn_contact_solver_free(d->solver);
  hn_problem_free(d->problem), hn_problem_islands_free(d->islands);
  hn_expansion_free(d->expansion);
  hn_arrays_free(&(hn_arrays){ .first = d->arrays });
}

static bool is_gone(const hn_impact *d, const hn_system *s, int k)
{
  return d->gone && k < s->model->njoint && d->gone[k];
}

static bool touches(const hn_impact *d, const hn_system *s, int k)
{
  return !is_gone(d, s, k) && hn_is_one_sided(&s->block[k]) && s->g[s->block[k].row] <= d->touching;
}

static double restitution_of(const hn_system *s, int k)
{
  return s->block[k].joint->set->restitution;
}

/* Poses the problem of the impact, with the velocities before it in b and in v. */
static void pose(hn_impact *d, hn_system *s, const hn_state *state)
{
  hn_problem_assemble(d->problem, s, state, 0.0);
  memcpy(d->v, d->problem->b, sizeof *d->v * (size_t)s->nrow);
  for (int k = 0; k < s->nblock; k++)
    if (is_gone(d, s, k)) d->problem->block[k].set = no_impulse;
    else if (s->block[k].joint->set->kind == HN_WITHIN && isinf(s->block[k].joint->set->upper))
      d->problem->block[k].set.kind = HN_ANY; /* a motor without a limit */
    else if (s->block[k].joint->set->kind != HN_ANY && !touches(d, s, k))
      d->problem->block[k].set = no_impulse;
}

double hn_impact_closing(hn_solver *solver, hn_impact *d, const hn_state *state)
{
  hn_system *s = solver->system;
  double fastest = 0.0;
  hn_system_velocity_residual(s, state, d->v, NULL);
  for (int k = 0; k < s->nblock; k++)
    if (touches(d, s, k)) fastest = fmax(fastest, -d->v[s->block[k].row]);
  return fastest;
}

static hn_reason by_newton(hn_solver *solver, hn_impact *d)
{
  const hn_system *s = solver->system;
  for (int k = 0; k < s->nblock; k++) {
    const int row = s->block[k].row;
    const double target = touches(d, s, k)
                            ? hn_newton_impact(s->block[k].joint->set, s->model->threshold, d->v[row])
                            : 0.0;
    d->any |= target > 0.0;
    d->problem->b[row] -= target;
  }
  return hn_impact_solve_problem(solver, d, &d->ambiguous);
}

/* True if a row with restitution takes part. */
static bool has_restitution(const hn_impact *d, const hn_system *s)
{
  for (int k = 0; k < s->nblock; k++)
    if (touches(d, s, k) && restitution_of(s, k) > 0.0 && d->p[s->block[k].row] > 0.0) return true;
  return false;
}

/* Computes the normal impulses of restitution e p1_n into `more`; 0 in all other rows. */
static void restitute(hn_impact *d, const hn_system *s)
{
  double K[HN_MAX_ROWS * HN_MAX_ROWS];
  memset(d->more, 0, sizeof *d->more * (size_t)s->nrow);
  for (int k = 0; k < s->nblock; k++) {
    const int row = s->block[k].row;
    if (!touches(d, s, k) || !(restitution_of(s, k) > 0.0) || !(d->first[row] > 0.0)) continue;
    hn_problem_diagonal(d->problem, k, K);
    if (!(K[0] * d->first[row] > s->model->threshold)) continue;
    d->more[row] = restitution_of(s, k) * d->first[row];
    d->any = true;
  }
}

static hn_reason by_poisson(hn_solver *solver, hn_impact *d)
{
  const hn_system *s = solver->system;
  const size_t size = sizeof *d->p * (size_t)s->nrow;
  hn_reason reason = hn_impact_solve_problem(solver, d, &d->ambiguous);
  if (reason != HN_CONVERGED) return reason;
  if (d->ambiguous > 0 || has_restitution(d, s)) hn_expansion_share(d, s->nrow);
  memcpy(d->first, d->p, size);
  restitute(d, s);
  if (!d->any) return HN_CONVERGED;
  memcpy(d->base, d->more, size);
  memset(d->p, 0, size);
  reason = hn_expansion_solve(solver, d);
  for (int i = 0; i < s->nrow; i++) d->p[i] += d->first[i] + d->base[i];
  return reason;
}

hn_reason hn_impact_solve(hn_solver *solver, hn_impact *d, hn_state *state)
{
  hn_system *s = solver->system;
  d->any = false;
  memset(d->p, 0, sizeof *d->p * (size_t)s->nrow);
  pose(d, s, state);
  hn_reason reason = d->restitution == HN_NEWTON ? by_newton(solver, d) : by_poisson(solver, d);
  if (reason != HN_CONVERGED) return reason;
  hn_system_apply(s, d->p, 1.0, state);
  hn_impulses_note(solver, state, d->p);
  return HN_CONVERGED;
}
