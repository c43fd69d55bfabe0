/* creep.c - creep: slips that friction turns faster than a step can follow (events_parts.h). */
#include "events/events_parts.h"
#include "base/vec.h"

#include <math.h>

/* A contact creeps if the time ahead, or until it comes to rest, contains more than this number of time
 * constants |u| / (mu lambda_n k). The transverse slip then decays by a factor of e^stiff. */
static const double stiff = 20.0;
static const double least_slip = 1e-9; /* m/s: slips above this may creep even if the role is not sliding */

bool hn_creeps(const hn_events_law *law, int k, double rate)
{
  const hn_problem_block *block = &law->problem->block[k];
  const double friction = block->set.mu * law->p[block->row] * hn_problem_scale(law->problem, k);
  return law->leads && block->n == 3 && friction > stiff * rate;
}

/* True if contact K is closed and so slow that it may creep: it slides, or has a slip above `least_slip`. */
static bool may_creep(const hn_system *s, const hn_events_law *law, int k, bool touches, const hn_role *role)
{
  const hn_block *block = &s->block[k];
  if (block->joint->set->kind != HN_CONE || !touches || block->n != 3) return false;
  const double size = norm_of(law->rate + block->row + 1, 2);
  return size <= hn_slow_slip && (role->kind == HN_ROW_SLIDING || size > least_slip);
}

/* Adds SIGN times the accelerations that slow slips amount to over the time ahead, u / ahead, to b. Returns
 * the number of contacts that may creep. */
static int add_slow(const hn_system *s, hn_events_law *law, const bool *touches, const hn_role *role,
                    double sign)
{
  int count = 0;
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    const double *rate = law->rate + block->row;
    if (!may_creep(s, law, k, touches[k], &role[k])) continue;
    for (int r = 1; r < 3; r++) law->problem->b[block->row + r] += sign * rate[r] / law->ahead;
    count++;
  }
  return count;
}

hn_reason hn_creep_find_direction(hn_solver *solver, hn_events_law *law, const bool *touches, double size,
                                  hn_role *role)
{
  const hn_system *s = solver->system;
  if (add_slow(s, law, touches, role, 1.0) == 0) return HN_CONVERGED;
  hn_contact_solver_set_tolerance(law->solver, law->tolerance * size);
  hn_reason reason = hn_events_law_compute(solver, law, false);
  hn_problem_velocities(law->problem, law->p, law->scratch, law->v);
  const double left = 2.0 * hn_problem_error(law->problem, false, law->p, law->v, NULL);
  for (int k = 0; k < s->nblock && reason == HN_CONVERGED; k++) {
    const hn_block *block = &s->block[k];
    const double *v = law->v + block->row + 1, tangent = norm_of(v, block->n - 1);
    const double still = hn_events_rest_threshold(s, law, k, 1, left);
    if (!may_creep(s, law, k, touches[k], &role[k]) || !(tangent > still)) continue;
    const double *rate = law->rate + block->row + 1;
    role[k].creeps = rate[0] * v[0] + rate[1] * v[1] > 0.0 && hn_creeps(law, k, tangent);
    if (role[k].creeps) role[k].kind = HN_ROW_SLIDING;
    if (role[k].creeps) role[k].along[0] = v[0] / tangent, role[k].along[1] = v[1] / tangent;
  }
  add_slow(s, law, touches, role, -1.0);
  return reason;
}

void hn_creep_judge(hn_system *s, hn_events_law *law, const bool *touches, hn_role *role)
{
  hn_system_velocity_residual(s, law->motion, law->push, NULL);
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    if (role[k].kind != HN_ROW_SLIDING || role[k].creeps) continue;
    if (!may_creep(s, law, k, touches[k], &role[k])) continue;
    /* acceleration of the slip, along and across its direction */
    const double *d = role[k].along, size = norm_of(law->rate + block->row + 1, 2);
    double a[2];
    for (int r = 0; r < 2; r++)
      a[r] = law->push[block->row + 1 + r] - s->bias[block->row + 1 + r] + s->gamma[block->row + 1 + r];
    const double along = a[0] * d[0] + a[1] * d[1], across = fabs(a[1] * d[0] - a[0] * d[1]);
    /* the time until it comes to rest, at most the time ahead */
    const double life = along < 0.0 ? fmin(law->ahead, -size / along) : law->ahead;
    role[k].creeps = along < 0.0 && hn_creeps(law, k, size / life);
    role[k].must_stop = !role[k].creeps && across * life > HN_MAX_TRANSVERSE * size &&
                        hn_creeps(law, k, size / law->ahead);
  }
}
