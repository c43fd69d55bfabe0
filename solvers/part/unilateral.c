/* unilateral.c - which one-sided joints act: g >= 0, lambda >= 0, g lambda = 0, by an active set.
 *
 * The joint correction is solved for the joints that act, as equations g = 0 at the end of the step. Then the first
 * joint in scene order that is wrong changes: one that does not act and is violated begins to act, one that acts and
 * has pulled lets go and its impulse is taken back; and the correction goes on (Murty's least-index rule, which ends
 * for positive definite K). The velocity correction goes on in the same way: a joint that acts lets go when its whole
 * impulse of the step would be negative, one that does not act and is at its bound begins to act when it would go
 * further. An impact is thus plastic, and its instant is the step's: the error of a step with an impact is of order h.
 * The number of changes in a step is bounded: a cycle is a stalled step, never an endless one. [Murty 1974] */
#include "part/unilateral.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

int hn_limits_setup(hn_solver *solver, hn_limits *limits, hn_error *error)
{
  const hn_model *model = solver->system->model;
  if (!(model->needs & HN_CAN_PUSH)) return 0;
  limits->impulse = calloc((size_t)model->nrow, sizeof *limits->impulse);
  return limits->impulse ? 0 : hn_fail(error, "out of memory");
}

void hn_limits_free(hn_limits *limits)
{
  free(limits->impulse);
}

void hn_limits_forget(hn_solver *solver)
{
  hn_system *s = solver->system;
  for (int j = 0; j < s->model->njoint && s->off; j++) s->off[j] = s->model->joint[j].set->kind == HN_PUSH;
}

void hn_limits_act(hn_solver *solver)
{
  hn_system *s = solver->system;
  for (int j = 0; j < s->model->njoint && s->off; j++) s->off[j] = false;
}

double hn_limits_residual(hn_solver *solver, const hn_state *state, int *worst)
{
  hn_system *s = solver->system;
  double largest = 0.0, g[HN_MAX_ROWS];
  *worst = -1;
  for (int j = 0; j < s->model->njoint; j++) {
    double norm = hn_system_joint_residual(s, j, state, g);
    if (s->model->joint[j].set->kind == HN_PUSH) norm = fmax(-g[0], 0.0);
    if (exceeds(norm, largest)) largest = norm, *worst = j;
  }
  return largest;
}

void hn_limits_begin(hn_solver *solver, hn_limits *limits)
{
  limits->switches = 0;
  if (limits->impulse) memset(limits->impulse, 0, sizeof *limits->impulse * (size_t)solver->system->model->nrow);
}

void hn_limits_add(hn_solver *solver, hn_limits *limits, const double *p, double scale)
{
  const hn_model *model = solver->system->model;
  for (int j = 0; j < model->njoint && limits->impulse; j++)
    if (model->joint[j].set->kind == HN_PUSH && !solver->system->off[j])
      limits->impulse[model->joint[j].row] += scale * p[model->joint[j].row];
}

static hn_limits_change counted(const hn_solver *solver, hn_limits *limits)
{
  int most = 100 + 20 * solver->system->model->njoint;
  return ++limits->switches > most ? HN_LIMITS_CYCLE : HN_LIMITS_CHANGED;
}

hn_limits_change hn_limits_choose(hn_solver *solver, hn_limits *limits, double tolerance, hn_state *state)
{
  hn_system *s = solver->system;
  for (int j = 0; j < s->model->njoint && s->off; j++) {
    const int row = s->model->joint[j].row;
    if (s->model->joint[j].set->kind != HN_PUSH) continue;
    if (s->off[j] ? !(s->g[row] < -tolerance) : !(limits->impulse[row] < 0)) continue;
    const double back = -limits->impulse[row];
    if (!s->off[j]) hn_system_apply_joint(s, j, &back, state);
    limits->impulse[row] = 0.0;
    hn_system_switch(s, j, s->off[j]);
    return counted(solver, limits);
  }
  return HN_LIMITS_SAME;
}

/* Is a joint of one row at its bound, or beyond it, and goes further? */
static bool closes(const hn_joint *joint, const hn_state *state)
{
  const hn_twist *ua = &state->twist[joint->a], *ub = &state->twist[joint->b];
  double g, G_a[6], G_b[6];
  joint->type->eval(joint, state->time, &state->pose[joint->a], ua, &state->pose[joint->b], ub,
                    &(hn_rows){ .g = &g, .G_a = G_a, .G_b = G_b });
  return g <= 0 && vec_dot(G_a, ua->v) + vec_dot(G_a + 3, ua->w) + vec_dot(G_b, ub->v) + vec_dot(G_b + 3, ub->w) < 0;
}

hn_limits_change hn_limits_choose_rates(hn_solver *solver, hn_limits *limits, const double *p, double scale,
                                        const hn_state *state)
{
  hn_system *s = solver->system;
  for (int j = 0; j < s->model->njoint && s->off; j++) {
    const hn_joint *joint = &s->model->joint[j];
    if (joint->set->kind != HN_PUSH) continue;
    bool wrong = s->off[j] ? closes(joint, state) : limits->impulse[joint->row] + scale * p[joint->row] < 0;
    if (!wrong) continue;
    hn_system_switch(s, j, s->off[j]);
    return counted(solver, limits);
  }
  return HN_LIMITS_SAME;
}
