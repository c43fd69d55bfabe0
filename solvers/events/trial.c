/* trial.c - motions from the last event on, and the first instant at which one must end (trial.h).
 *
 * A gap that closes, a slip that ends or a joint that breaks is a root in time; where a force would pull,
 * or leave its cone, the law of accelerations leads elsewhere than the motion goes, and the first such
 * instant is found by halves. */
#include "events/trial.h"
#include "base/vec.h"
#include "impulse/correction.h"

#include <math.h>
#include <string.h>

enum { MOST_PARTS = 100 }; /* of a step that is divided for its speeds */

/* Accelerations are the same, relative to the largest, or to 1 m/s^2; and what rounding makes of slow
 * slips, m/s: their directions become uncertain by it, and so do the forces, before what slides comes to
 * rest. */
static const double same = 1e-6, blur = 1e-11;

/* The trial: S from the last event, with its contacts listed and linearised. */
static hn_reason move(hn_solver *solver, double s)
{
  hn_events *d = solver->data;
  const hn_solver *mover = hn_mode_solver(d->mode);
  if (d->moved == s) return HN_CONVERGED;
  if (solver->stop && *solver->stop) return HN_INTERRUPTED;
  d->moved = -1.0;
  hn_reason reason = hn_mode_move(d->mode, d->from, s, d->trial, &solver->system->work);
  solver->report.position_iterations += mover->report.position_iterations;
  solver->report.velocity_iterations += mover->report.velocity_iterations;
  if (reason != HN_CONVERGED)
    return hn_step_failed(solver, reason, mover->report.stage, -1, mover->report.residual);
  d->trial->ncontact = d->from->ncontact;
  if (d->from->ncontact > 0)
    memcpy(d->trial->contact, d->from->contact, sizeof *d->trial->contact * (size_t)d->from->ncontact);
  reason = hn_system_begin(solver->system, d->trial);
  if (reason != HN_CONVERGED) return hn_step_failed(solver, reason, "the search for contacts", -1, 0.0);
  hn_system_linearise(solver->system, d->trial);
  hn_system_bias(solver->system, d->trial);
  d->moved = s;
  return HN_CONVERGED;
}

hn_reason hn_events_evaluate(void *user, double s, bool rates, hn_event_list *list)
{
  hn_solver *solver = user;
  hn_events *d = solver->data;
  hn_reason reason = move(solver, s);
  if (reason != HN_CONVERGED) return reason;
  hn_monitor_list(&d->monitor, solver->system, d->trial, s, rates, list);
  hn_mode_list_slips(d->mode, d->from, d->trial, s, d->limits.rate, list);
  return hn_bears_list(&d->bears, solver->system, d->mode, d->from, d->trial, s, rates, list);
}

/* The blocks at the trial with the roles that they have since the last event, and which of them the law is
 * to judge. */
static void recall_roles(hn_solver *solver)
{
  hn_events *d = solver->data;
  hn_system *s = solver->system;
  hn_system_velocity_residual(s, d->trial, d->monitor.rate, NULL);
  for (int k = 0; k < s->nblock; k++) {
    const int row = s->block[k].row, before = hn_monitor_find(&d->monitor, s->block[k].key);
    d->now[k] = before >= 0 ? d->role[before] : (hn_block_role){ 0 };
    if ((d->now[k].moves || d->now[k].creeps) && d->now[k].role == HN_ROLE_SLIDES && d->now[k].gap)
      hn_mode_along(d->mode, s->block[k].joint->data, d->trial, d->now[k].along);
    const bool still = s->g[row] <= d->limits.gap && fabs(d->monitor.rate[row]) <= d->limits.rate;
    const bool implied = d->now[k].role == HN_ROLE_SLIDES &&
                         !d->now[k].gap; /* how it shares forces is a choice */
    d->touches[k] = hn_is_one_sided(&s->block[k]) && !implied && (d->now[k].role != HN_ROLE_OPEN || still);
  }
}

/* The largest distance between two sets of accelerations, relative to the largest of the first, or to 1
 * m/s^2. */
static double distance(const hn_twist *one, const hn_twist *other, int nbody)
{
  double largest = 1.0, apart = 0.0;
  for (int i = 1; i < nbody; i++) {
    double off[3], spin[3];
    vec_sub(off, one[i].v, other[i].v);
    vec_sub(spin, one[i].w, other[i].w);
    largest = fmax(largest, fmax(vec_norm(one[i].v), vec_norm(one[i].w)));
    apart = fmax(apart, fmax(vec_norm(off), vec_norm(spin)));
  }
  return apart / largest;
}

/* What creeps has the friction that its motion has: along its way, and what holds it across. The largest of
 * these. */
static double take_across(hn_solver *solver)
{
  hn_events *d = solver->data;
  const hn_system *s = solver->system;
  double most = 0.0;
  for (int k = 0; k < s->nblock; k++) {
    const int before = hn_monitor_find(&d->monitor, s->block[k].key);
    hn_block_role *now = &d->now[k];
    if (before < 0 || !now->creeps) continue;
    const double across = hn_mode_across(d->mode, before);
    const double size = sqrt(1.0 + across * across), *way = now->along;
    const double along[2] = { way[0] + across * way[1], way[1] - across * way[0] };
    now->across = across, now->along[0] = along[0] / size, now->along[1] = along[1] / size;
    if (exceeds(fabs(across), most)) most = fabs(across);
  }
  return most;
}

/* Does the law lead to the accelerations that the motion has at the trial? */
static hn_reason judge(hn_solver *solver, bool *holds)
{
  hn_events *d = solver->data;
  recall_roles(solver);
  hn_reason reason = hn_mode_accelerate(d->mode, d->trial, d->acceleration);
  if (reason != HN_CONVERGED) return reason;
  *holds = false;
  if (!(take_across(solver) <= HN_MOST_ACROSS)) return HN_CONVERGED;
  reason = hn_events_law_solve(solver, &d->law, &d->limits, d->touches, d->acceleration, d->now, d->trial);
  if (reason == HN_STALLED) return HN_CONVERGED; /* it has no answer: the motion has gone on beyond its end */
  if (reason != HN_CONVERGED) return reason;
  const double apart = distance(d->acceleration, d->law.acceleration, d->trial->nbody);
  const double slip = hn_mode_slip(d->mode, d->from, d->trial, d->moved, d->limits.rate);
  *holds = apart <= same + blur / fmax(slip, 0.0);
  return HN_CONVERGED;
}

static hn_reason move_and_judge(hn_solver *solver, double s, bool *holds)
{
  hn_reason reason = move(solver, s);
  return reason == HN_CONVERGED ? judge(solver, holds) : reason;
}

/* The first instant up to HIGH at which the law asks for another motion, as it does at the trial, there;
 * the trial goes to it. */
static hn_reason find_change(hn_solver *solver, double *high)
{
  hn_events *d = solver->data;
  bool holds = false;
  double low = 0.0;
  while (*high - low > 1e-15 * *high + 1e-16 * fabs(d->from->time)) {
    const double middle = low + 0.5 * (*high - low);
    if (!(middle > low && middle < *high)) break;
    hn_reason reason = move_and_judge(solver, middle, &holds);
    if (reason != HN_CONVERGED) return reason;
    *(holds ? &low : high) = middle;
  }
  return d->moved == *high ? HN_CONVERGED : move_and_judge(solver, *high, &holds);
}

/* Returns the longest motion to try, at most H: no shape passes through another unseen, and no contact
 * point that moves over both bodies, as that of a disc that is nearly flat, turns far. */
static double longest(const hn_solver *solver, double h)
{
  const hn_events *d = solver->data;
  h = fmin(h, HN_MOST_ACROSS / hn_mode_turn_rate(d->mode, d->from));
  return hn_travel_limit(&d->travel, solver->system->model, d->from, h, d->step / MOST_PARTS);
}

/* Moves the trial to the first event up to *GONE after the last one, or to *GONE: EVENT tells which. */
static hn_reason approach(hn_solver *solver, double *gone, bool *event)
{
  hn_events *d = solver->data;
  hn_reason reason = hn_event_search_first(&d->search, gone, event);
  return reason == HN_CONVERGED ? move(solver, *gone) : reason;
}

/* Returns by how much contact points that move over both bodies have turned at the trial, or half of what
 * they would turn at their last rate in all of it: a motion that ends in a fast turn is too inexact for
 * its events. The direction of a slip is not smooth where it begins, and does not count in parts shorter
 * than ENOUGH. */
static double turned(const hn_events *d, double enough)
{
  const double at_end = 0.5 * d->moved * hn_mode_turn_rate(d->mode, d->trial);
  const double slip = d->moved > enough ? hn_mode_slip_turn(d->mode, d->trial, d->limits.rate) : 0.0;
  double most = hn_mode_turn(d->mode, d->trial);
  if (exceeds(at_end, most)) most = at_end;
  return exceeds(slip, most) ? slip : most;
}

hn_reason hn_events_go(hn_solver *solver, double left, double *gone, bool *event)
{
  hn_events *d = solver->data;
  const double first = longest(solver, left);
  double most = first, turn;
  bool holds;
  *gone = most;
  hn_reason reason = approach(solver, gone, event);
  while (reason == HN_CONVERGED && !((turn = turned(d, 1e-3 * first)) <= HN_MOST_ACROSS)) {
    *gone = most *= fmax(0.1, 0.8 * HN_MOST_ACROSS / turn);
    if (!(most > 1e-9 * first))
      return hn_step_stalled(solver, "search for a step in which a contact turns little", -1, most, 0);
    reason = approach(solver, gone, event);
  }
  if (reason == HN_CONVERGED) reason = judge(solver, &holds);
  if (reason != HN_CONVERGED || holds) return reason;
  *event = true;
  return find_change(solver, gone);
}
