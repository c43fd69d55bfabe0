/* trial.c - motions from the last event on, and the location of the next event (events.h).
 *
 * There are two searches. Closing gaps, ends of slips and breakage are roots of event functions in time; the
 * motion ends just before the first of them. Where a force would become tensile, or leave its friction cone,
 * the law of accelerations leads to other accelerations than the motion has. The difference has no value
 * before its event, so the motion ends just after the first such time (event_root.h: onset). */
#include "events/events.h"
#include "base/vec.h"
#include "system/contact_blocks.h"
#include "system/contact_slip.h"

#include <math.h>
#include <string.h>

/* the shortest part of a step that is divided because shapes move fast is h / MOST_PARTS */
enum { MOST_PARTS = 100 };
/* rounds of trial contact forces before a contact problem is solved */
enum { MAX_GUESSES = 5 };
/* a motion that the inner solver cannot compute is halved at most this often, to 1e-3 of its length */
enum { MAX_HALVINGS = 10 };

/* Rounding error of slow slips, m/s: slip_rounding / slip is the error of their directions, and hence of
 * the forces, at the start of a slip and shortly before its end. */
static const double slip_rounding = 1e-11;

/* The first time at which motion and law differ is found to this fraction of `hn_equal_acceleration`. */
static const double onset_tolerance = 0.02;
/* rad: friction of slips that turn farther is no smooth force for one step of the inner solver */
static const double max_slip_turn = 1.0;
static const double plan_used = 0.9;  /* fraction of a plan that is used, at least */
enum { MAX_PLANS = 5 };               /* maximum number of times that directions are planned again */
static const double rounding = 1e-15; /* m, m/s: rounding error of gaps and slips */

/* Moves the bodies of the trial to S seconds after the last event. Contacts are not searched for. */
static hn_reason carry(hn_solver *solver, double s)
{
  hn_events *d = solver->data;
  const hn_solver *mover = hn_mode_solver(d->mode);
  if (hn_stopped(&solver->system->stop)) return HN_INTERRUPTED;
  d->moved = -1.0, d->inner_failed = false;
  hn_reason reason = hn_mode_move(d->mode, d->from, s, d->trial, solver->system);
  solver->report.position_iterations += mover->report.position_iterations;
  solver->report.velocity_iterations += mover->report.velocity_iterations;
  d->inner_failed = reason == HN_STALLED || reason == HN_NOT_FINITE || reason == HN_SINGULAR;
  if (reason == HN_CONVERGED) return reason;
  return hn_step_failed(solver, reason, mover->report.stage, -1, mover->report.residual);
}

/* Moves the trial to S seconds after the last event. Its contacts are detected and the system is linearised
 * there. */
static hn_reason move(hn_solver *solver, double s)
{
  hn_events *d = solver->data;
  if (d->moved == s) return HN_CONVERGED;
  hn_reason reason = carry(solver, s);
  if (reason != HN_CONVERGED) return reason;
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

static hn_reason evaluate(void *user, double s, bool rates, hn_event_list *list)
{
  hn_solver *solver = user;
  hn_events *d = solver->data;
  hn_reason reason = move(solver, s);
  if (reason != HN_CONVERGED) return reason;
  hn_monitor_list(&d->monitor, solver->system, d->trial, s, rates, list);
  hn_mode_list_slips(d->mode, d->from, d->trial, s, d->limits.rate, list);
  return hn_breakage_list(&d->breakage_state, solver->system, d->mode, d->from, d->trial, s, rates, list);
}

/* Sets the roles of the blocks at the trial to those since the last event, and marks in d->touches the blocks
 * that the law takes into account: those with a role other than open, and closed ones at rest. Contacts whose
 * gap is redundant are among them: the law that has selected the mode had their forces, and with fewer forces
 * it may have no such solution. Unlike at an event, closed blocks that approach are left out, as the search
 * of gaps stops at them. */
static void take_roles_to_trial(hn_solver *solver)
{
  hn_events *d = solver->data;
  hn_system *s = solver->system;
  hn_system_velocity_residual(s, d->trial, d->monitor.rate, NULL);
  for (int k = 0; k < s->nblock; k++) {
    const int row = s->block[k].row, before = hn_monitor_find(&d->monitor, s->block[k].key);
    d->there[k] = before;
    d->now[k] = before >= 0 ? d->role[before] : (hn_role){ 0 };
    if (d->now[k].kind == HN_ROW_SLIDING) { /* rounding may choose other tangents */
      const hn_contact contact = hn_contact_of(&s->block[k]);
      hn_mode_slip_direction(d->mode, &contact, d->trial, d->now[k].along);
    }
    const bool still = s->g[row] <= d->limits.gap && fabs(d->monitor.rate[row]) <= d->limits.rate;
    d->touches[k] = hn_is_one_sided(&s->block[k]) && (d->now[k].kind != HN_ROW_OPEN || still);
  }
}

double hn_events_distance(const hn_twist *one, const hn_twist *other, int nbody)
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

/* Sets the friction of creeping contacts to that of the motion: along the slip direction, and the force that
 * holds the slip across it. Returns the largest transverse part, as a fraction of mu N. */
static double take_across(hn_solver *solver)
{
  hn_events *d = solver->data;
  const hn_system *s = solver->system;
  double most = 0.0;
  for (int k = 0; k < s->nblock; k++) {
    hn_role *now = &d->now[k];
    if (d->there[k] < 0 || !now->creeps) continue;
    const double across = hn_mode_transverse_friction(d->mode, d->there[k]);
    const double size = sqrt(1.0 + across * across), *way = now->along;
    const double along[2] = { way[0] + across * way[1], way[1] - across * way[0] };
    now->across = across, now->along[0] = along[0] / size, now->along[1] = along[1] / size;
    if (exceeds(fabs(across), most)) most = fabs(across);
  }
  return most;
}

/* Computes the wrenches of the contact forces in the law's guess. */
static void sum_external(hn_solver *solver)
{
  hn_events *d = solver->data;
  const hn_system *s = solver->system;
  memset(d->external, 0, 6 * sizeof *d->external * (size_t)s->model->nbody);
  for (int k = s->model->njoint; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    const double *p = d->law.guess + block->row, *G = s->G + 12 * block->row;
    for (int c = 0; c < 6; c++)
      for (int r = 0; r < block->n; r++) {
        d->external[6 * block->a + c] += G[c * block->n + r] * p[r];
        d->external[6 * block->b + c] += G[(6 + c) * block->n + r] * p[r];
      }
  }
}

/* Sets the law's guess to the contact forces of the last event for sticking contacts, and to 0 elsewhere. */
static void recall_sticking_forces(hn_events *d, const hn_system *s, const hn_role *role)
{
  memset(d->law.guess, 0, sizeof *d->law.guess * (size_t)s->nrow);
  for (int k = s->model->njoint; k < s->nblock; k++)
    if (d->there[k] >= 0 && role[k].kind == HN_ROW_HELD)
      hn_contact_add_force(s, &s->block[k], d->sticking_force + 3 * d->there[k],
                           d->law.guess + s->block[k].row);
}

/* Improves the law's guess q until the law accepts it, in a few rounds: q acts as an external force, and the
 * multipliers with which the mode responds are added to q. A rejected sum is projected onto the cones and is
 * the next q. False if no guess is accepted. */
static bool refine_guess(hn_solver *solver, const hn_role *role)
{
  hn_events *d = solver->data;
  hn_system *s = solver->system;
  for (int round = 0; round < MAX_GUESSES; round++) {
    sum_external(solver);
    if (hn_mode_respond(d->mode, d->external, d->acceleration) != HN_CONVERGED) return false;
    for (int k = 0; k < s->nblock; k++)
      if (d->there[k] >= 0)
        hn_mode_add_forces(d->mode, d->there[k], s, &s->block[k], d->law.guess + s->block[k].row);
    if (hn_events_law_accepts(s, &d->law, role)) return true;
    hn_events_law_confine(s, &d->law, role);
  }
  return false;
}

/* Redundant contacts have many possible forces, and those of the mode may leave the cones. The first guess is
 * therefore the forces of the last event. The second guess is zero, because contacts that have opened no
 * longer have a share. */
bool hn_events_guess(hn_solver *solver, const hn_role *role)
{
  hn_events *d = solver->data;
  bool shares = false;
  for (int k = 0; k < solver->system->nblock; k++) shares |= role[k].shares;
  recall_sticking_forces(d, solver->system, role);
  if (!shares && refine_guess(solver, role)) return true;
  memset(d->law.guess, 0, sizeof *d->law.guess * (size_t)solver->system->nrow);
  return refine_guess(solver, role);
}

/* Returns a lower bound of distance() between the accelerations of the motion at the trial and those of the
 * law. By the law, closed contacts and limits do not accelerate into each other. Sets d->entering if the
 * contact with the largest violation has a redundant gap. */
static double least_distance(hn_solver *solver)
{
  hn_events *d = solver->data;
  hn_system *s = solver->system;
  hn_state motion = { .nbody = d->trial->nbody, .twist = d->acceleration };
  double largest = 1.0, apart = 0.0;
  for (int i = 1; i < motion.nbody; i++)
    largest = fmax(largest, fmax(vec_norm(motion.twist[i].v), vec_norm(motion.twist[i].w)));
  hn_system_velocity_residual(s, &motion, d->law.v, NULL);
  for (int k = 0; k < s->nblock; k++) {
    const int row = s->block[k].row, n = s->block[k].n;
    const double *G = s->G + 12 * row;
    double size = 0.0;
    if (!d->touches[k]) continue;
    for (int part = 0; part < 4; part++) /* velocities and angular velocities of both bodies */
      size += sqrt(G[3 * part * n] * G[3 * part * n] + G[(3 * part + 1) * n] * G[(3 * part + 1) * n] +
                   G[(3 * part + 2) * n] * G[(3 * part + 2) * n]);
    const double closing = -(d->law.v[row] - s->bias[row] + s->gamma[row]);
    if (!(size > 0.0) || !(closing > apart * size)) continue;
    apart = closing / size;
    d->entering = d->now[k].kind == HN_ROW_HELD && !d->now[k].gap ? k : -1;
  }
  return apart / largest;
}

/* True if the motion at the trial satisfies the law with the forces of its own sliding contacts: the law may
 * have several solutions, and the motion is another one than that found. Solves the contact problem of the
 * sticking contacts alone. */
static bool slips_hold(hn_solver *solver, double most)
{
  hn_events *d = solver->data;
  const hn_system *s = solver->system;
  if (hn_mode_accelerate(d->mode, d->trial, NULL, d->acceleration) != HN_CONVERGED) return false;
  recall_sticking_forces(d, s, d->now);
  for (int k = s->model->njoint; k < s->nblock; k++) {
    double *p = d->law.guess + s->block[k].row;
    if (d->now[k].kind != HN_ROW_SLIDING || d->there[k] < 0) continue;
    hn_mode_add_forces(d->mode, d->there[k], s, &s->block[k], p);
    if (!(p[0] >= 0.0)) return false;
    for (int r = 1; r < s->block[k].n; r++)
      p[r] = -s->block[k].joint->set->mu * p[0] * d->now[k].along[r - 1];
  }
  hn_events_law_pose(solver, &d->law, &d->limits, d->touches, d->acceleration, d->now, d->trial);
  if (hn_events_law_solve_sticking(solver, &d->law, d->now) != HN_CONVERGED) return false;
  return hn_events_distance(d->acceleration, d->law.acceleration, d->trial->nbody) <= most;
}

/* Sets HOLDS if the law leads to the accelerations of the motion at the trial. No contact problem is solved
 * if the motion accelerates contacts into each other, or if forces of the mode satisfy the law. */
static hn_reason judge(hn_solver *solver, bool *holds)
{
  hn_events *d = solver->data;
  bool creeps = false;
  take_roles_to_trial(solver);
  if (d->lawless && !hn_events_law_is_needed(solver->system, d->now, d->touches)) {
    memset(d->law.p, 0, sizeof *d->law.p * (size_t)solver->system->nrow);
    *holds = true, d->apart = NAN, d->entering = -1;
    return HN_CONVERGED;
  }
  hn_reason reason = hn_mode_accelerate(d->mode, d->trial, NULL, d->acceleration);
  if (reason != HN_CONVERGED) return reason;
  *holds = false, d->apart = NAN, d->entering = -1;
  /* creep ends where friction cannot hold the slip across */
  if (!(take_across(solver) <= HN_MAX_TRANSVERSE)) return HN_CONVERGED;
  for (int k = 0; k < solver->system->nblock; k++) creeps |= d->now[k].creeps;
  hn_events_law_pose(solver, &d->law, &d->limits, d->touches, d->acceleration, d->now, d->trial);
  const double most = hn_equal_acceleration + slip_rounding / hn_mode_slowest_slip(d->mode, d->trial);
  /* a lower bound of the distance, without a contact problem */
  d->apart = least_distance(solver) - most;
  if (d->apart > 0.0) return HN_CONVERGED;
  /* forces of the mode that satisfy the law, else a contact problem */
  d->entering = -1;
  if (creeps || !hn_events_guess(solver, d->now))
    reason = hn_events_law_solve(solver, &d->law, d->touches, true, d->now, d->trial);
  d->apart = NAN;
  /* No solution is known: the motion counts as past its end and is shortened. If the contact solver has
   * failed for another reason, mode selection at the shorter motion meets and reports the same failure. */
  if (reason == HN_STALLED) return HN_CONVERGED;
  if (reason != HN_CONVERGED) return reason;
  d->apart = hn_events_distance(d->acceleration, d->law.acceleration, d->trial->nbody) - most;
  *holds = d->apart <= 0.0 || slips_hold(solver, most);
  return HN_CONVERGED;
}

/* Appends the event function of forces at S: HUGE_VAL while motion and law agree, and afterwards the distance
 * of their accelerations, in excess of its tolerance and negative. */
static hn_reason evaluate_law(void *user, double s, bool rates, hn_event_list *list)
{
  (void)rates;
  hn_solver *solver = user;
  hn_events *d = solver->data;
  bool holds;
  hn_reason reason = move(solver, s);
  if (reason == HN_CONVERGED) reason = judge(solver, &holds);
  if (reason != HN_CONVERGED) return reason;
  const double after = isnan(d->apart) ? -HUGE_VAL : -d->apart;
  hn_event_list_add(list, HN_FUNCTION_FORCE, 0, holds ? HUGE_VAL : after);
  return HN_CONVERGED;
}

/* Returns the fastest rotation of a slip direction with its bodies at the last event, rad/s. */
static double slip_turn_rate(const hn_solver *solver)
{
  const hn_events *d = solver->data;
  const hn_system *s = solver->system;
  double fastest = 0.0;
  for (int k = s->model->njoint; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    if (d->role[k].kind != HN_ROW_SLIDING || !hn_contact_turns(s, block)) continue;
    if (d->role[k].moves && !(hn_contact_skin_b(block->joint) > 0.0)) continue;
    fastest = fmax(fastest, hn_contact_slip_turn(block, d->from));
  }
  return fastest;
}

/* Returns the longest motion to try, at most H. In it no shape passes through another unseen, no contact
 * point that moves over both bodies turns far, such as that of a disc that is nearly flat, and no slip
 * turns by more than the inner solver can integrate. */
static double longest(const hn_solver *solver, double h)
{
  const hn_events *d = solver->data;
  h = fmin(h, max_slip_turn / slip_turn_rate(solver));
  h = fmin(h, HN_MAX_TURN / hn_mode_turn_rate(d->mode, d->from));
  return hn_travel_limit(&d->travel, solver->system->model, d->from, h, d->step / MOST_PARTS);
}

/* Moves the trial to the first event up to *GONE after the last one, or to *GONE. EVENT: there is an
 * event. */
static hn_reason approach(hn_solver *solver, double *gone, bool *event)
{
  hn_events *d = solver->data;
  hn_reason reason = hn_event_search_first(&d->search, gone, event);
  return reason == HN_CONVERGED ? move(solver, *gone) : reason;
}

/* Like approach, for a motion of at most *MOST seconds, with directions planned for slow slips. These are
 * planned again if an event ends the motion long before their plan ends. */
static hn_reason approach_slowly(hn_solver *solver, double *most, double *gone, bool *event)
{
  hn_events *d = solver->data;
  for (int i = 0;; i++) {
    hn_reason reason = hn_slow_slips_plan(solver, most);
    *gone = *most;
    if (reason == HN_CONVERGED) reason = approach(solver, gone, event);
    const bool early = *event && *gone < plan_used * *most;
    if (reason != HN_CONVERGED || d->slow.count == 0 || !early || i == MAX_PLANS) return reason;
    *most = fmin(*most, *gone / plan_used + 1e-15);
  }
}

/* Returns the largest rotation of moving contact points at the trial, or half the rotation at their final
 * rate over the whole motion if that is larger. A motion that ends in a fast turn is too inexact for its
 * events. Slip directions are not smooth at the start of slip; they count only in motions longer than
 * SHORTEST, s. */
static double turned(const hn_events *d, double shortest)
{
  const double at_end = 0.5 * d->moved * hn_mode_turn_rate(d->mode, d->trial);
  const double slip = d->moved > shortest ? hn_mode_slip_turn(d->mode, d->trial, d->limits.rate) : 0.0;
  double most = hn_mode_turn(d->mode, d->trial);
  if (exceeds(at_end, most)) most = at_end;
  return exceeds(slip, most) ? slip : most;
}

/* Moves the trial to the first event up to LEFT after the last one, or to the end of the longest motion to
 * try. */
static hn_reason find_event(hn_solver *solver, double left, double *gone, bool *event)
{
  hn_events *d = solver->data;
  const double first = longest(solver, left);
  double most = first, turn;
  hn_reason reason = approach_slowly(solver, &most, gone, event);
  /* shorter motions until contact points and slips turn by no more than HN_MAX_TURN */
  while (reason == HN_CONVERGED && !((turn = turned(d, 1e-3 * first)) <= HN_MAX_TURN)) {
    *gone = most *= fmax(0.1, 0.8 * HN_MAX_TURN / turn);
    if (!(most > 1e-9 * first))
      return hn_step_stalled(solver, "search for a step in which a contact turns little", -1, most, 0);
    reason = approach(solver, gone, event);
  }
  if (reason != HN_CONVERGED) return reason;
  /* first time at which law and motion differ */
  d->fired = d->search.fired.kind, d->forces.at = -1.0;
  reason = hn_event_search_at(&d->forces, *gone, false);
  if (reason != HN_CONVERGED || !(d->forces.list.function[0].value < 0.0)) return reason;
  *event = true, d->fired = HN_FUNCTION_FORCE;
  return hn_event_search_onset(&d->forces, 1e-15 * *gone + 1e-16 * fabs(d->from->time), gone);
}

/* A motion that the inner solver cannot compute is halved: beyond an event the equations of the mode may have
 * no solution. */
hn_reason hn_events_go(hn_solver *solver, double left, double *gone, bool *event)
{
  hn_events *d = solver->data;
  hn_slow_slips_find(solver, &left);
  hn_reason reason = find_event(solver, left, gone, event);
  for (int i = 0; i < MAX_HALVINGS && reason != HN_CONVERGED && d->inner_failed; i++) {
    solver->report.halvings++;
    reason = find_event(solver, left *= 0.5, gone, event);
  }
  return reason;
}

int hn_events_search_setup(hn_solver *solver, hn_error *error)
{
  hn_events *d = solver->data;
  const int functions = 2 * solver->system->max_blocks + solver->system->model->njoint;
  d->search.evaluate = evaluate, d->forces.evaluate = evaluate_law, d->slow.carry = carry;
  d->search.user = d->forces.user = solver;
  if (hn_event_search_setup(&d->search, functions, rounding, error)) return -1;
  return hn_event_search_setup(&d->forces, 1, onset_tolerance * hn_equal_acceleration, error);
}
