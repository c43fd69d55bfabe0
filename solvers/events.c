/* events.c - any method that can do joints, between the instants at which contact begins, ends, sticks or slides.
 *
 *   at an instant   impacts, where what touches closes; then the law of accelerations says which contacts and limits
 *                   are held, which slide, and which open
 *   between         what is held is an equation, friction of what slides -mu lambda_n u_t / |u_t|: all is smooth, and
 *                   the method keeps its order
 *   events          a gap closes, a slip ends: roots in time of functions of the motion; a force would pull, or be
 *                   outside its cone: the first instant at which the law leads to another acceleration than the motion
 *                   has. An event is found by repeating the step with other lengths, so it is found as exactly as the
 *                   method moves
 *
 * Bounded forces of joints, dry friction and motors, have the same events. Contacts are held in points of one body on
 * planes of another, and where round bodies and edges roll, slide or turn on each other (system/moving.h). Of the
 * parts: law.c, basis.c, mode.c, watch.c. [Pfeiffer and Glocker, Multibody Dynamics with Unilateral Contacts (1996);
 * Hairer and Wanner on events] */
#include "events/events.h"
#include "events/watch.h"
#include "base/vec.h"
#include "system/moving.h"
#include "part/correction.h"
#include "part/impact.h"
#include "part/instant.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 100, MOST_AT_ONCE = 20 }; /* of a step that is divided for its speeds; events at one instant */

typedef struct events {
  const char *method;
  hn_impact impact;          /* its contact solver solves the law of accelerations as well */
  int most;                  /* events in a step */
  hn_events_limits limits;
  char *spec;                /* of the method, with commas */
  hn_events_law law;
  hn_events_basis basis;
  hn_watch watch;
  hn_modes *modes;
  hn_mode *mode;             /* since the last event */
  hn_block_role *role;       /* [most_blocks] likewise */
  hn_block_role *now;        /* [most_blocks] of the blocks that there are */
  bool *touches;             /* [most_blocks] */
  hn_state *from, *trial;    /* the last event; a motion from there */
  double moved;              /* s: for how long, and the system is linearised there; negative: there is none */
  hn_twist *acceleration;    /* [nbody] of the mode */
  hn_instant instant;
  hn_reason reason;          /* why a trial failed */
  double reach;              /* m: of hn_watch_reach */
} events;

/* Accelerations are the same, relative to the largest, or to 1 m/s^2; and what rounding makes of slow slips, m/s: their
 * directions become uncertain by it, and so do the forces, before what slides comes to rest. */
static const double same = 1e-6, blur = 1e-11;
static const double nothing = 1e-15; /* m, m/s: what rounding leaves of gaps and slips */
static const double far = 0.25; /* rad: no more do the place of a contact that moves, and its slip, turn in a step */

static const hn_param params[] = {
  { "method", HN_TEXT, offsetof(events, method), "lagrange:redundancy=remove", 0, 0, "", NULL,
    "moves the bodies between events; its settings follow colons: lagrange:stepper=rk8pd" },
  HN_IMPACT_PARAMS(events, impact, "newton:then=admm", "1e-13"),
  { "events", HN_INTEGER, offsetof(events, most), "1000", 1, 1e9, "", NULL, "in a step, at most" },
  { "gap", HN_REAL, offsetof(events, limits.gap), "1e-9", 1e-15, 1, "m, rad", NULL,
    "what is no farther apart touches" },
  { "rest", HN_REAL, offsetof(events, limits.rate), "1e-6", 1e-15, 1, "m/s, rad/s", NULL,
    "what is no faster does not close, and does not slide" },
  { .key = NULL },
};

/* "lagrange:stepper=rk4:alpha=1" as a method is specified. */
static char *spec_of(const char *method)
{
  char *spec = strdup(method), *at = spec ? strchr(spec, ':') : NULL;
  while (at && (at = strchr(at + 1, ':'))) *at = ',';
  return spec;
}

static unsigned capabilities_of(const hn_solver *solver)
{
  const events *d = solver->data;
  char name[64];
  const unsigned kept = HN_CAN_BILATERAL | HN_CAN_REDUNDANT | HN_CAN_VELOCITY, gaps = HN_CAN_PUSH | HN_CAN_CHANGE;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(d->method, ":"), d->method);
  const hn_solver_type *type = hn_solver_type_find(name, NULL, NULL);
  if (!type) return ~0u;
  const bool holds = type->capabilities & HN_CAN_VELOCITY;
  const char *policy = strstr(d->method, "redundancy=");
  const unsigned redundant = policy && strncmp(policy, "redundancy=error", 16) != 0 ? HN_CAN_REDUNDANT : 0u;
  return (type->capabilities & kept) | redundant | gaps | HN_CAN_BOUNCE | (holds ? HN_CAN_WITHIN | HN_CAN_CONE : 0u);
}

static int allocate(hn_solver *solver, events *d, hn_error *error)
{
  const hn_system *s = solver->system;
  const size_t blocks = (size_t)s->most_blocks + 1;
  d->role = calloc(blocks, sizeof *d->role), d->now = calloc(blocks, sizeof *d->now);
  d->touches = calloc(blocks, sizeof *d->touches);
  d->from = hn_state_create(s->model), d->trial = hn_state_create(s->model);
  d->acceleration = calloc((size_t)s->model->nbody, sizeof *d->acceleration);
  const bool made = d->role && d->now && d->touches && d->from && d->trial && d->acceleration;
  return made ? 0 : hn_fail(error, "out of memory");
}

static int setup(hn_solver *solver, hn_error *error)
{
  events *d = solver->data;
  const hn_model *model = solver->system->model;
  d->reach = hn_watch_reach(model);
  hn_events_told(solver);
  if (allocate(solver, d, error) || hn_events_law_setup(solver, &d->law, &d->impact.contact, error)) return -1;
  if (hn_events_basis_setup(solver, &d->basis, error) || hn_watch_setup(solver, &d->watch, error)) return -1;
  d->impact.touching = d->limits.gap;
  if (hn_impact_setup(solver, &d->impact, error) || hn_instant_setup(&d->instant, nothing, error)) return -1;
  d->spec = spec_of(d->method);
  d->modes = d->spec ? hn_modes_create(solver, d->spec, error) : NULL;
  d->mode = d->modes ? hn_modes_take(d->modes, d->role, d->from, error) : NULL;
  return d->mode ? 0 : -1;
}

static void destroy(hn_solver *solver)
{
  events *d = solver->data;
  hn_events_law_free(&d->law), hn_events_basis_free(&d->basis), hn_watch_free(&d->watch);
  hn_modes_free(d->modes);
  hn_state_free(d->from), hn_state_free(d->trial);
  hn_impact_free(&d->impact), hn_instant_free(&d->instant);
  free(d->role), free(d->now), free(d->touches), free(d->acceleration), free(d->spec);
}

static int order_of(const hn_solver *solver)
{
  const events *d = solver->data;
  return d->mode ? hn_solver_order(hn_mode_solver(d->mode)) : 0;
}

/* ---- An instant -------------------------------------------------------------------------------------------------- */

/* Was block K a contact that pushed at the end of the step before? The state says so. */
static bool pushed(const hn_system *s, int k, const hn_state *state)
{
  return k >= s->model->njoint && state->contact[k - s->model->njoint].impulse[0] > 0.0;
}

/* What touches at STATE; is any of it closing, or a motor faster or slower than it has been told to be? */
static bool find_touching(hn_solver *solver, const hn_state *state)
{
  events *d = solver->data;
  hn_system *s = solver->system;
  bool closing = false;
  s->aimed = false;
  hn_system_velocity_residual(s, state, d->watch.v, NULL);
  for (int k = 0; k < s->nblock; k++) {
    const int row = s->block[k].row;
    if (s->block[k].joint->input >= 0) closing |= fabs(d->watch.v[row]) > d->limits.rate; /* control has moved it */
    if (!hn_is_one_sided(&s->block[k])) continue;
    d->touches[k] = pushed(s, k, state) || s->g[row] <= d->limits.gap;
    closing |= d->touches[k] && !pushed(s, k, state) && d->watch.v[row] < -d->limits.rate;
  }
  return closing;
}

/* Of what touches, only what does not part. */
static void leave_out_parting(hn_solver *solver, const hn_state *state, bool after_impact)
{
  events *d = solver->data;
  hn_system *s = solver->system;
  hn_system_velocity_residual(s, state, d->watch.v, NULL);
  for (int k = 0; k < s->nblock; k++)
    if (d->touches[k] && (after_impact || !pushed(s, k, state)))
      d->touches[k] = hn_is_one_sided(&s->block[k]) && fabs(d->watch.v[s->block[k].row]) <= d->limits.rate;
}

/* Notes which contacts are held where they move over both bodies. The first block that cannot be: where it touches is
 * no smooth function of the poses, as of a corner on an edge, and they do move. -1: there is none. */
static int find_wandering(hn_solver *solver, const hn_state *state)
{
  const events *d = solver->data;
  const hn_system *s = solver->system;
  for (int k = s->model->njoint; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    const hn_twist *a = &state->twist[block->a], *b = &state->twist[block->b];
    double spin[3];
    hn_moving moving;
    if (d->role[k].role == HN_ROLE_OPEN || hn_contact_is_fixed(s->model, block->joint->data)) continue;
    d->role[k].moves = hn_moving_set(&moving, s->model, block->joint->data, state);
    vec_sub(spin, a->w, b->w);
    if (!d->role[k].moves && (vec_norm(spin) > d->limits.rate || d->role[k].role == HN_ROLE_SLIDES)) return k;
  }
  return -1;
}

/* At STATE: impacts, then the roles and the mode that hold from there on. */
static hn_reason settle(hn_solver *solver, bool event, hn_state *state)
{
  events *d = solver->data;
  hn_system *s = solver->system;
  hn_error error;
  hn_system_linearise(s, state);
  hn_system_bias(s, state);
  const bool closing = find_touching(solver, state);
  hn_reason reason = closing ? hn_impact_solve(solver, &d->impact, state) : HN_CONVERGED;
  s->aimed = false;
  if (reason != HN_CONVERGED) return reason;
  if (closing) hn_events_impact(solver, state->time, d->impact.p);
  leave_out_parting(solver, state, closing);
  memset(d->role, 0, sizeof *d->role * (size_t)s->nblock);
  reason = hn_events_law_solve(solver, &d->law, &d->limits, d->touches, false, d->role, state);
  if (reason != HN_CONVERGED) return reason;
  const int wandering = find_wandering(solver, state);
  if (wandering >= 0)
    return hn_step_failed(solver, HN_UNSUPPORTED,
                          "a lasting contact of a corner with a corner or an edge, or of edges that are parallel",
                          wandering, 0.0);
  hn_roles_tell(solver, d->role, state->time);
  hn_events_basis_choose(solver, &d->basis, d->role, d->law.p, state);
  d->mode = hn_modes_take(d->modes, d->role, state, &error);
  if (!d->mode) return hn_step_failed(solver, HN_UNSUPPORTED, "a mode of motion that its method cannot do", -1, 0.0);
  reason = event ? hn_mode_rest(d->mode, state) : HN_CONVERGED;
  if (reason != HN_CONVERGED) return hn_step_failed(solver, reason, "velocities after an event", -1, 0.0);
  hn_watch_start(solver, &d->watch, d->role, state);
  hn_state_copy(d->from, state);
  d->moved = -1.0;
  return HN_CONVERGED;
}

/* ---- A trial ----------------------------------------------------------------------------------------------------- */

/* The trial: S from the last event, with its contacts listed and linearised. */
static hn_reason move(hn_solver *solver, double s)
{
  events *d = solver->data;
  const hn_solver *mover = hn_mode_solver(d->mode);
  if (d->moved == s) return HN_CONVERGED;
  d->moved = -1.0;
  hn_reason reason = hn_mode_move(d->mode, d->from, s, d->trial, &solver->system->work);
  solver->report.position_iterations += mover->report.position_iterations;
  solver->report.velocity_iterations += mover->report.velocity_iterations;
  if (reason != HN_CONVERGED) return hn_step_failed(solver, reason, mover->report.stage, -1, mover->report.residual);
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

/* What becomes negative where a gap has closed or a slip has ended, S after the last event. */
static double crossing(hn_solver *solver, double s, double *earlier)
{
  events *d = solver->data;
  d->reason = move(solver, s);
  if (d->reason != HN_CONVERGED) return -1.0;
  const double gap = hn_watch_gap(solver, &d->watch, &d->limits, d->trial, s, earlier);
  return fmin(gap, hn_mode_slip(d->mode, d->from, d->trial, s, d->limits.rate));
}

static double crossing_at(void *solver, double s)
{
  const events *d = ((hn_solver *)solver)->data;
  const double value = crossing(solver, s, NULL);
  return d->reason == HN_CONVERGED ? value : (double)NAN;
}

/* The instant of the crossing before HIGH, where it is CROSSED; the trial is there. */
static hn_reason find_crossing(hn_solver *solver, double crossed, double *high)
{
  events *d = solver->data;
  const double guess = hn_watch_expected(&d->watch);
  if (hn_instant_find(&d->instant, crossing_at, solver, 1.0, *high, crossed, guess, high)) return move(solver, *high);
  if (d->reason != HN_CONVERGED) return d->reason;
  return hn_step_stalled(solver, "search for an event", -1, *high, 0);
}

/* The blocks at the trial with the roles that they have since the last event, and which of them the law is to judge. */
static void recall_roles(hn_solver *solver)
{
  events *d = solver->data;
  hn_system *s = solver->system;
  s->aimed = false;
  hn_system_velocity_residual(s, d->trial, d->watch.v, NULL);
  for (int k = 0, at = 0; k < s->nblock; k++) {
    const int row = s->block[k].row;
    const hn_watched *before = hn_watch_before(&d->watch, s, k, &at);
    d->now[k] = before ? before->role : (hn_block_role){ 0 };
    if (d->now[k].moves && d->now[k].role == HN_ROLE_SLIDES && d->now[k].gap)
      hn_mode_along(d->mode, s->block[k].joint->data, d->trial, d->now[k].along);
    const bool still = s->g[row] <= d->limits.gap && fabs(d->watch.v[row]) <= d->limits.rate;
    const bool implied = d->now[k].role == HN_ROLE_SLIDES && !d->now[k].gap; /* how it shares forces is a choice */
    d->touches[k] = hn_is_one_sided(&s->block[k]) && !implied && (d->now[k].role != HN_ROLE_OPEN || still);
  }
}

/* The largest distance between two sets of accelerations, relative to the largest of the first, or to 1 m/s^2. */
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

/* Does the law lead to the accelerations that the motion has at the trial? */
static hn_reason judge(hn_solver *solver, bool *holds)
{
  events *d = solver->data;
  recall_roles(solver);
  hn_reason reason = hn_events_law_solve(solver, &d->law, &d->limits, d->touches, true, d->now, d->trial);
  if (reason == HN_CONVERGED) reason = hn_mode_accelerate(d->mode, d->trial, d->acceleration);
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

/* The first instant up to HIGH at which the law asks for another motion, as it does at the trial, there; the trial goes
 * to it. */
static hn_reason find_change(hn_solver *solver, double *high)
{
  events *d = solver->data;
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

/* ---- The step ---------------------------------------------------------------------------------------------------- */

/* No shape moves farther than half of the reach: what is behind a gap is seen before it. No place that moves over both
 * bodies, as that of a disc that is nearly flat, turns far. */
static double longest(const events *d, double h)
{
  const double turn = hn_mode_turn_rate(d->mode, d->from);
  double speed = 0.0;
  h = fmin(h, far / turn);
  for (int i = 1; i < d->from->nbody; i++) speed = fmax(speed, vec_norm(d->from->twist[i].v));
  return speed * h > 0.5 * d->reach ? fmax(0.5 * d->reach / speed, h / MOST_PARTS) : h;
}

/* To *GONE after the last event or, where something is crossed on the way, EVENT, to its instant; so does the trial. */
static hn_reason approach(hn_solver *solver, double *gone, bool *event)
{
  events *d = solver->data;
  double earlier, crossed = crossing(solver, *gone, &earlier), dip;
  if (d->reason != HN_CONVERGED) return d->reason;
  *event = crossed < 0.0;
  if (!*event && earlier > 0.0 && (dip = crossing(solver, earlier, NULL)) < 0.0)
    *event = true, *gone = earlier, crossed = dip;
  else if (!*event && earlier > 0.0) d->reason = move(solver, *gone);
  return d->reason == HN_CONVERGED && *event ? find_crossing(solver, crossed, gone) : d->reason;
}

/* By how much what moves over both bodies has turned at the trial. Where a slip begins its direction is not smooth:
 * parts that are shorter than ENOUGH do not ask for it. */
static double turned(const events *d, double enough)
{
  const double place = hn_mode_turn(d->mode, d->trial);
  const double slip = d->moved > enough ? hn_mode_slip_turn(d->mode, d->trial, d->limits.rate) : 0.0;
  return exceeds(slip, place) ? slip : place;
}

/* From the last event on, LEFT at the most: how far it went, and the trial is there. */
static hn_reason go(hn_solver *solver, double left, double *gone, bool *event)
{
  events *d = solver->data;
  const double first = longest(d, left);
  double most = first, turn;
  bool holds;
  *gone = most;
  hn_reason reason = approach(solver, gone, event);
  while (reason == HN_CONVERGED && !((turn = turned(d, 1e-3 * first)) <= far)) {
    *gone = most *= fmax(0.1, 0.8 * far / turn);
    if (!(most > 1e-9 * first))
      return hn_step_stalled(solver, "search for a step in which a contact turns little", -1, most, 0);
    reason = approach(solver, gone, event);
  }
  if (reason == HN_CONVERGED) reason = judge(solver, &holds);
  if (reason != HN_CONVERGED || holds) return reason;
  *event = true;
  return find_change(solver, gone);
}

/* Forces at the end, times H, are the impulses that the state keeps: what has one is in touch. */
static void keep(hn_solver *solver, double h, hn_state *state)
{
  events *d = solver->data;
  hn_system *s = solver->system;
  for (int k = 0; k < s->nblock; k++)
    for (int r = 0; r < s->block[k].n; r++)
      if (d->now[k].role == HN_ROLE_OPEN) d->law.p[s->block[k].row + r] = 0.0;
  hn_system_keep(s, d->law.p, h, state);
}

static void reset(hn_solver *solver)
{
  events *d = solver->data;
  hn_modes_forget(d->modes);
  d->mode = NULL;
}

/* Another event, GONE after the one before; COUNT of the step, AT_ONCE of one instant. */
static hn_reason count_event(hn_solver *solver, double h, double gone, int *count, int *at_once)
{
  const events *d = solver->data;
  *at_once = gone <= 1e-14 * h ? *at_once + 1 : 0;
  if (*at_once > MOST_AT_ONCE)
    return hn_step_stalled(solver, "law of accelerations, from which no motion follows (Painleve)", -1, gone, *at_once);
  if (++*count > d->most)
    return hn_step_stalled(solver, "events, of which there are too many in a step", -1, gone, *count);
  return HN_CONVERGED;
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  events *d = solver->data;
  double done = 0.0, gone = 0.0;
  int count = 0, at_once = 0;
  hn_reason reason = settle(solver, false, state);
  for (bool event = false; reason == HN_CONVERGED && done < h * (1.0 - 1e-15); done += gone) {
    reason = go(solver, h - done, &gone, &event);
    if (reason != HN_CONVERGED) return reason;
    hn_state_copy(state, d->trial);
    keep(solver, h, state);
    if (event) reason = count_event(solver, h, gone, &count, &at_once);
    else at_once = 0;
    const bool goes_on = event || done + gone < h * (1.0 - 1e-15);
    if (reason == HN_CONVERGED && goes_on) reason = settle(solver, event, state);
  }
  return reason;
}

const hn_solver_type hn_solver_events = {
  .abi = HN_ABI, .name = "events",
  .summary = "any method between the instants of contact, impact, sticking and sliding",
  .citation = "Pfeiffer and Glocker 1996",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_REDUNDANT | HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE | HN_CAN_CHANGE |
                  HN_CAN_BOUNCE | HN_CAN_VELOCITY, .order = 0,
  .data_size = sizeof(events), .params = params,
  .setup = setup, .step = step, .reset = reset, .free = destroy, .order_of = order_of,
  .capabilities_of = capabilities_of,
};
