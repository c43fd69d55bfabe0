/* events.c - event-driven integration: any solver of smooth motion between the times at which contact begins,
 * ends, sticks or slides.
 *
 * Between events the active rows are equations, and friction of sliding contacts is a force -mu lambda_n u_t
 * / |u_t|. The motion in a mode is therefore smooth, and the inner solver keeps its order. A step:
 *
 *        start of the step, or of a part of it
 *                      |
 *                      v                    closing
 *          +-> contact detection  (find_touching) ---> impact  (hn_impact_solve)
 *          |           |                                  |
 *          |           v                                  |
 *          |    mode selection  <-------------------------+
 *          |      continue_mode  by the impulses and rates of the state, if the forces satisfy the law
 *          |      choose_mode    else by the law of accelerations, a contact problem (acceleration_law.c)
 *          |      put_mode       independent rows (basis.c), model and inner solver of the mode (mode.c)
 *          |           |  ^
 *          |           v  | a joint breaks (breakage.c)
 *          |    smooth motion in the mode  (trial.c), until shapes may pass through each other (travel.c)
 *          |           |
 *          |           v
 *          |    event location  (trial.c)
 *          |      roots of event functions: gaps, slips, margins of joints
 *          |      first time at which the law leads to other accelerations than the motion has
 *          |           |                                  |
 *          +-----------+ event, or part of a step         +---> end of the step
 *
 * An event is located by repeating the motion with other lengths, so its time has the accuracy of the inner
 * solver.
 *
 * Creep (creep.c): friction turns a slip u at a rate of mu lambda_n k / |u|, k being its inverse mass, which
 * can be much faster than the motion. The slip across its direction is then held by an equation, whose force
 * is a part of friction. The error is of first order in the slip. Other slips are followed. If that takes
 * many events in quick succession, slips creep for the rest of the step.
 *
 * Bounded forces of joints, such as dry friction and motors, have modes and events like contacts. A contact
 * is held at a point of one body on a plane of the other. Round bodies and edges that roll, slide or turn on
 * each other have contact points that move over both bodies (system/moving_contact.h).
 *
 * Sliding contacts can be statically indeterminate, for example at bodies jammed between others. Friction and
 * motion are then not unique, as in Painleve's paradox. A run that stops at such contacts points to this
 * cause but does not prove it. [Pfeiffer and Glocker, Multibody Dynamics with Unilateral Contacts (1996);
 * Hairer and Wanner on events] */
#include "events/creep.h"
#include "events/trial.h"
#include "contact/contact_registry.h"
#include "base/vec.h"
#include "system/moving_contact.h"
#include "impulse/correction.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STOP_ROUNDS = 4 }; /* maximum number of rounds at one event in which slips are brought to rest */
/* maximum number of simultaneous events; of successive events that change no mode, each within
 * `turn_interval` of the one before */
enum { MAX_SIMULTANEOUS = 20, MAX_TURNS = 100 };
static const double turn_interval = 1e-6; /* fraction of the step */
/* Maximum number of successive events, each within `cluster_interval`, a fraction of the step, of the one
 * before: slips that turn much faster than the step can follow. The fraction is so small that impacts of a
 * bouncing body, whose intervals shrink by a constant factor, are not counted. */
enum { MOST_CLOSE = 30 };
static const double cluster_interval = 1e-4;

enum { FOLLOWED, LED };

static const hn_param params[] = {
  { "inner", HN_TEXT, offsetof(hn_events, inner), "lagrange:redundancy=remove:stabilisation=projection", 0, 0,
    "", NULL, "moves the bodies between events; its settings follow colons: lagrange:stepper=rk8pd" },
  HN_IMPACT_PARAMS(hn_events, impact, HN_ACCURATE_CONTACT, "1e-13"),
  { "events", HN_INTEGER, offsetof(hn_events, most), "1000", 1, 1e9, "", NULL,
    "maximum number of events in a step" },
  { "gap", HN_REAL, offsetof(hn_events, limits.gap), "1e-9", 1e-15, 1, "m, rad", NULL,
    "limits and contacts with gaps up to this are closed" },
  { "rest", HN_REAL, offsetof(hn_events, limits.rate), "1e-6", 1e-15, 1, "m/s, rad/s", NULL,
    "limits and contacts with rates up to this neither close nor slide" },
  { "creep", HN_CHOICE, offsetof(hn_events, creep), "followed", 0, 0, "", "followed,led",
    "slips that friction turns faster than a step resolves: followed, and led where that fails; or led" },
  { .key = NULL },
};

/* Returns the specification SOLVER, such as "lagrange:stepper=rk4:alpha=1", with commas between settings. The
 * caller frees it. NULL if out of memory. */
static char *spec_of(const char *solver)
{
  char *spec = strdup(solver), *at = spec ? strchr(spec, ':') : NULL;
  while (at && (at = strchr(at + 1, ':'))) *at = ',';
  return spec;
}

/* Returns the capabilities of the inner solver with its settings. Before setup, these are its capabilities on
 * a model without bodies. Returns all if it cannot be created, since setup reports the reason. */
static unsigned inner_capabilities(const hn_events *d)
{
  hn_body ground = { .kind = HN_FIXED };
  const hn_model empty = { .nbody = 1, .body = &ground };
  hn_error error;
  if (d->mode) return hn_solver_capabilities(hn_mode_solver(d->mode));
  char *spec = spec_of(d->inner);
  hn_solver *inner = spec ? hn_solver_create(spec, &empty, &error) : NULL;
  const unsigned can = inner ? hn_solver_capabilities(inner) : ~0u;
  if (inner) hn_solver_free(inner);
  free(spec);
  return can;
}

static unsigned capabilities_of(const hn_solver *solver)
{
  const unsigned kept = HN_CAN_BILATERAL | HN_CAN_REDUNDANT | HN_CAN_VELOCITY;
  const unsigned gaps = HN_CAN_PUSH | HN_CAN_CHANGE | HN_CAN_BREAK | HN_CAN_BOUNCE;
  const unsigned inner = inner_capabilities(solver->data);
  return (inner & kept) | gaps | (inner & HN_CAN_VELOCITY ? HN_CAN_WITHIN | HN_CAN_CONE : 0u);
}

static int allocate(hn_solver *solver, hn_events *d, hn_error *error)
{
  const hn_system *s = solver->system;
  const size_t blocks = (size_t)s->max_blocks + 1;
  d->role = calloc(blocks, sizeof *d->role), d->now = calloc(blocks, sizeof *d->now);
  d->touches = calloc(blocks, sizeof *d->touches), d->modes_now = calloc(blocks, sizeof *d->modes_now);
  d->from = hn_state_create(s->model), d->trial = hn_state_create(s->model);
  d->acceleration = calloc((size_t)s->model->nbody, sizeof *d->acceleration);
  d->share = calloc(3 * blocks, sizeof *d->share), d->there = calloc(blocks, sizeof *d->there);
  d->external = calloc(6 * (size_t)s->model->nbody, sizeof *d->external);
  const bool made = d->role && d->now && d->touches && d->modes_now && d->from && d->trial &&
                    d->acceleration && d->share && d->there && d->external;
  return made ? 0 : hn_fail(error, "out of memory");
}

static int setup(hn_solver *solver, hn_error *error)
{
  hn_events *d = solver->data;
  const hn_model *model = solver->system->model;
  hn_events_by_solver(solver);
  if (allocate(solver, d, error)) return -1;
  if (hn_events_law_setup(solver, &d->law, &d->impact.contact, error)) return -1;
  if (hn_events_basis_setup(solver, &d->basis, error) || hn_monitor_setup(&d->monitor, solver->system, error))
    return -1;
  if (hn_travel_setup(&d->travel, model, error) || hn_breakage_setup(solver, &d->breakage_state, error))
    return -1;
  d->impact.touching = d->limits.gap, d->impact.gone = d->breakage_state.gone;
  d->monitor.touching = d->limits.gap, d->monitor.moving = d->limits.rate;
  if (hn_impact_setup(solver, &d->impact, error)) return -1;
  if (hn_events_search_setup(solver, error)) return -1;
  d->spec = spec_of(d->inner);
  d->modes = d->spec ? hn_modes_create(solver, d->spec, error) : NULL;
  d->mode = d->modes ? hn_modes_find(d->modes, d->role, d->from, error) : NULL;
  if (!d->mode) return -1;
  d->follows = hn_mode_solver(d->mode)->type->capabilities & HN_RESOLVES_SLIPS;
  return 0;
}

static void destroy(hn_solver *solver)
{
  hn_events *d = solver->data;
  hn_events_law_free(&d->law), hn_events_basis_free(&d->basis), hn_monitor_free(&d->monitor);
  hn_breakage_free(&d->breakage_state), hn_travel_free(&d->travel);
  hn_modes_free(d->modes);
  hn_state_free(d->from), hn_state_free(d->trial);
  hn_impact_free(&d->impact), hn_event_search_free(&d->search), hn_event_search_free(&d->forces);
  free(d->role), free(d->now), free(d->touches), free(d->modes_now), free(d->acceleration), free(d->spec);
  free(d->share), free(d->there), free(d->external);
}

static int order_of(const hn_solver *solver)
{
  const hn_events *d = solver->data;
  return d->mode ? hn_solver_order(hn_mode_solver(d->mode)) : 0;
}

/* ---- Mode at the start of a motion --------------------------------------------------------------------- */

/* True if block K is a contact with a normal impulse in STATE, hence active at the end of the previous
 * step. */
static bool pushed(const hn_system *s, int k, const hn_state *state)
{
  return k >= s->model->njoint && state->contact[k - s->model->njoint].impulse[0] > 0.0;
}

/* Marks the closed contacts and limits at STATE in d->touches. Returns true if one is closing, or if the
 * speed of a controlled motor differs from its target: both need an impact. */
static bool find_touching(hn_solver *solver, const hn_state *state)
{
  hn_events *d = solver->data;
  hn_system *s = solver->system;
  bool closing = false;
  hn_system_velocity_residual(s, state, d->monitor.rate, NULL);
  for (int k = 0; k < s->nblock; k++) {
    const int row = s->block[k].row;
    d->touches[k] = false;
    if (k < s->model->njoint && d->breakage_state.gone[k]) continue;
    const bool driven = s->block[k].joint->input >= 0; /* control may have changed its target */
    closing |= driven && fabs(d->monitor.rate[row]) > d->limits.rate;
    if (!hn_is_one_sided(&s->block[k])) continue;
    d->touches[k] = pushed(s, k, state) || s->g[row] <= d->limits.gap;
    closing |= d->touches[k] && !pushed(s, k, state) && d->monitor.rate[row] < -d->limits.rate;
  }
  return closing;
}

/* Unmarks closed contacts and limits that separate. Contacts that pushed at the end of the previous step
 * stay, unless AFTER_IMPACT. */
static void leave_out_parting(hn_solver *solver, const hn_state *state, bool after_impact)
{
  hn_events *d = solver->data;
  hn_system *s = solver->system;
  hn_system_velocity_residual(s, state, d->monitor.rate, NULL);
  for (int k = 0; k < s->nblock; k++)
    if (d->touches[k] && (after_impact || !pushed(s, k, state)))
      d->touches[k] = hn_is_one_sided(&s->block[k]) &&
                      fabs(d->monitor.rate[s->block[k].row]) <= d->limits.rate;
}

/* Marks active contacts whose contact points move over both bodies. Returns the first block for which this is
 * impossible although its contact point moves: the point is not a smooth function of the poses, as for a
 * corner on an edge. -1: none. */
static int find_wandering(hn_solver *solver, const hn_state *state)
{
  const hn_events *d = solver->data;
  const hn_system *s = solver->system;
  for (int k = s->model->njoint; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    const hn_twist *a = &state->twist[block->a], *b = &state->twist[block->b];
    double spin[3];
    hn_moving_contact moving;
    if (d->role[k].role == HN_ROW_OPEN || hn_contact_is_fixed(s->model, block->joint->data)) continue;
    d->role[k].moves = hn_moving_contact_set(&moving, s->model, block->joint->data, state);
    vec_sub(spin, a->w, b->w);
    if (!d->role[k].moves && (vec_norm(spin) > d->limits.rate || d->role[k].role == HN_ROW_SLIDING)) return k;
  }
  return -1;
}

/* Stores the forces of sticking contacts by the law, in world axes. If contacts are redundant, the mode has
 * fewer forces. */
static void note_shares(hn_events *d, const hn_system *s)
{
  memset(d->share, 0, 3 * sizeof *d->share * (size_t)s->nblock);
  for (int k = s->model->njoint; k < s->nblock; k++)
    if (d->role[k].role == HN_ROW_HELD)
      hn_contact_force(s, &s->block[k], d->law.p + s->block[k].row, d->share + 3 * k);
}

/* Selects independent rows and the mode of d->role from STATE on. */
static hn_reason put_mode(hn_solver *solver, const hn_state *state)
{
  hn_events *d = solver->data;
  hn_error error;
  const int wandering = find_wandering(solver, state);
  if (wandering >= 0)
    return hn_step_failed(solver, HN_UNSUPPORTED,
                          "a lasting contact of a corner with a corner or an edge, or of edges that are "
                          "parallel",
                          wandering, 0.0);
  note_shares(d, solver->system);
  const bool chosen = hn_events_basis_choose(solver, &d->basis, d->role, d->law.p, state) == 0;
  d->mode = chosen ? hn_modes_find(d->modes, d->role, state, &error) : NULL;
  if (d->mode) return HN_CONVERGED;
  return hn_step_failed(solver, HN_UNSUPPORTED, "a mode of motion that its solver cannot do", -1, 0.0);
}

/* Resets the roles, except those of broken joints. */
static void clear_roles(hn_events *d, const hn_system *s)
{
  memset(d->role, 0, sizeof *d->role * (size_t)s->nblock);
  for (int j = 0; j < s->model->njoint; j++)
    if (d->breakage_state.gone[j]) d->role[j].role = HN_ROW_BROKEN;
}

/* Opens in d->role the contacts without an impulse in STATE, and sets law.p to the forces that caused the
 * impulses. False if a contact slides so slowly that only the law has its direction. */
static bool recall_roles(hn_solver *solver, const hn_state *state)
{
  hn_events *d = solver->data;
  const hn_system *s = solver->system;
  memset(d->law.p, 0, sizeof *d->law.p * (size_t)s->nrow);
  hn_system_load_impulses(s, state, 1.0 / d->step, d->law.p);
  for (int k = s->model->njoint; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    d->role[k].enters = k == d->entering;
    if (!d->touches[k] || (!(d->law.p[block->row] > 0.0) && !d->role[k].enters)) {
      d->role[k].role = HN_ROW_OPEN;
      memset(d->law.p + block->row, 0, sizeof *d->law.p * (size_t)block->n);
    }
    if (d->role[k].role == HN_ROW_SLIDING && block->n == 3 &&
        norm_of(d->law.rate + block->row + 1, 2) <= hn_slow)
      return false;
  }
  return true;
}

/* True if the mode that the impulses and rates in STATE suggest satisfies the law; no contact problem is
 * solved then. FRESH: the impulses are no guide, as after an impact. */
static bool continue_mode(hn_solver *solver, const hn_state *state, bool fresh)
{
  hn_events *d = solver->data;
  hn_system *s = solver->system;
  const size_t size = sizeof *d->role * (size_t)s->nblock;
  if (d->law.leads) return false;
  for (int k = s->model->njoint; fresh && k < s->nblock; k++)
    if (d->touches[k]) return false;
  /* the mode that impulses and rates suggest */
  clear_roles(d, s);
  hn_events_law_pose(solver, &d->law, &d->limits, d->touches, NULL, d->role, state);
  if (!recall_roles(solver, state) || put_mode(solver, state) != HN_CONVERGED) return false;
  if (hn_mode_accelerate(d->mode, state, NULL, d->acceleration) != HN_CONVERGED) return false;
  /* forces that satisfy the law with the accelerations of this mode */
  for (int k = 0; k < s->nblock; k++) d->there[k] = k;
  if (!hn_events_guess(solver, d->role)) return false;
  /* roles by these forces: only contacts without rows in the mode may open */
  memcpy(d->now, d->role, size);
  hn_events_law_read_roles(s, &d->law, d->touches, d->now);
  bool opens = false;
  for (int k = 0; k < s->nblock; k++) {
    if (d->now[k].role == d->role[k].role) continue;
    if (d->now[k].role != HN_ROW_OPEN || d->role[k].gap || d->role[k].stick != 0) return false;
    d->role[k] = (hn_block_mode){ .role = HN_ROW_OPEN }, opens = true; /* its rows are not in the mode */
  }
  note_shares(d, s);
  return opens ? put_mode(solver, state) == HN_CONVERGED : true;
}

/* Selects the roles and the mode at STATE by the law of accelerations. */
static hn_reason choose_mode(hn_solver *solver, const hn_state *state)
{
  hn_events *d = solver->data;
  clear_roles(d, solver->system);
  hn_events_law_pose(solver, &d->law, &d->limits, d->touches, NULL, d->role, state);
  hn_reason reason = hn_events_law_solve(solver, &d->law, d->touches, false, d->role, state);
  return reason == HN_CONVERGED ? put_mode(solver, state) : reason;
}

/* Sets contacts to sticking that the law brings to rest, or that creep in a direction in which friction
 * cannot hold them. Returns true if there are any. */
static bool mark_contacts_to_stop(hn_solver *solver, const hn_state *state)
{
  hn_events *d = solver->data;
  bool any = false, creeps = false;
  for (int k = 0; k < solver->system->nblock; k++) creeps |= d->role[k].creeps;
  creeps = creeps && hn_mode_accelerate(d->mode, state, NULL, d->acceleration) == HN_CONVERGED;
  for (int k = 0; k < solver->system->nblock; k++) {
    hn_block_mode *role = &d->role[k];
    const double across = creeps && role->creeps ? hn_mode_transverse_friction(d->mode, k) : 0.0;
    if (!role->must_stop && fabs(across) <= HN_MAX_TRANSVERSE) continue;
    *role = (hn_block_mode){ .role = HN_ROW_HELD };
    any = true;
  }
  return any;
}

/* Brings to rest at STATE the contacts that mark_contacts_to_stop() marks, and selects the mode that
 * follows. */
static hn_reason stop(hn_solver *solver, hn_state *state)
{
  hn_events *d = solver->data;
  hn_reason reason = HN_CONVERGED;
  for (int i = 0; i < MAX_STOP_ROUNDS && reason == HN_CONVERGED && mark_contacts_to_stop(solver, state);
       i++) {
    reason = put_mode(solver, state);
    if (reason != HN_CONVERGED) return reason;
    const bool stopped = hn_mode_project_velocities(d->mode, state) == HN_CONVERGED;
    reason = choose_mode(solver, state);
    if (!stopped) break;
  }
  return reason;
}

/* Computes the impacts at STATE, if any, and selects the mode from there on, for a motion of at most LEFT
 * seconds. STRUCK becomes true if there is an impact. REST: an event has happened; velocities are projected
 * onto the equations of the mode. */
static hn_reason take_mode(hn_solver *solver, bool rest, double left, bool *struck, hn_state *state)
{
  hn_events *d = solver->data;
  hn_system *s = solver->system;
  hn_system_linearise(s, state);
  hn_system_bias(s, state);
  /* impacts */
  const bool closing = find_touching(solver, state);
  hn_reason reason = closing ? hn_impact_solve(solver, &d->impact, state) : HN_CONVERGED;
  if (reason != HN_CONVERGED) return reason;
  if (closing) hn_events_impact(solver, state->time, d->impact.p);
  *struck |= closing;
  /* the mode */
  leave_out_parting(solver, state, *struck);
  d->law.ahead = left;
  const bool continues = continue_mode(solver, state, *struck || (rest && d->entering < 0));
  d->entering = -1;
  reason = continues ? HN_CONVERGED : choose_mode(solver, state);
  if (reason == HN_CONVERGED) reason = stop(solver, state);
  if (reason != HN_CONVERGED) return reason;
  /* velocities that satisfy the equations of the mode */
  for (int k = 0; k < s->nblock; k++) rest |= d->role[k].creeps;
  reason = rest ? hn_mode_project_velocities(d->mode, state) : HN_CONVERGED;
  if (reason == HN_CONVERGED) return reason;
  return hn_step_failed(solver, reason, "velocities after an event", -1, 0.0);
}

/* Selects the mode at STATE, repeatedly while its forces break joints. Then the motion starts: contact modes
 * are reported, and the monitor and d->from are set. */
static hn_reason settle(hn_solver *solver, bool event, double left, hn_state *state)
{
  hn_events *d = solver->data;
  const hn_mode *before = d->mode;
  const bool breakage = event && d->fired == HN_FUNCTION_BREAKAGE;
  bool struck = false, broke = true, any = false;
  for (; broke; any |= broke) {
    hn_reason reason = take_mode(solver, event || any, left, &struck, state);
    if (reason == HN_CONVERGED)
      reason = hn_breakage_apply(solver, &d->breakage_state, d->mode, state, breakage, &broke);
    if (reason != HN_CONVERGED) return reason;
  }
  /* the start of the motion */
  hn_block_modes_log(solver, d->role, state->time);
  d->mode_unchanged = d->mode == before && !struck && !any;
  for (int k = 0; k < solver->system->nblock; k++)
    d->modes_now[k] = d->role[k].role == HN_ROW_OPEN ? HN_MODE_OPEN : HN_MODE_STICKING;
  hn_monitor_start(&d->monitor, solver->system, d->modes_now, state);
  hn_state_copy(d->from, state);
  d->moved = -1.0;
  return HN_CONVERGED;
}

/* ---- The step ------------------------------------------------------------------------------------------ */

/* Stores in STATE the forces at the end of a motion, times H, as impulses. Open contacts have none. */
static void keep(hn_solver *solver, double h, hn_state *state)
{
  hn_events *d = solver->data;
  hn_system *s = solver->system;
  for (int k = 0; k < s->nblock; k++)
    for (int r = 0; r < s->block[k].n; r++)
      if (d->now[k].role == HN_ROW_OPEN) d->law.p[s->block[k].row + r] = 0.0;
  hn_system_store_impulses(s, d->law.p, h, state);
}

static void reset(hn_solver *solver)
{
  hn_events *d = solver->data;
  hn_modes_clear(d->modes);
  d->mode = NULL;
}

/* Counts of events in a step: all; simultaneous ones; successive ones that change no mode (`turn_interval`),
 * where slips turn far as they begin; successive ones in quick succession (`cluster_interval`). */
typedef struct tally {
  int all, simultaneous, turns, close;
} tally;

/* Counts an event GONE seconds after the previous one. Too many in succession make slow slips creep. The step
 * has stalled if they already creep, or the inner solver follows them, or the step has too many events. */
static hn_reason count_event(hn_solver *solver, double h, double gone, tally *events)
{
  hn_events *d = solver->data;
  events->simultaneous = gone <= 1e-14 * h ? events->simultaneous + 1 : 0;
  events->turns = d->mode_unchanged && gone <= turn_interval * h ? events->turns + 1 : 0;
  events->close = gone <= cluster_interval * h ? events->close + 1 : 0;
  const bool no_motion = events->simultaneous > MAX_SIMULTANEOUS, turning = events->turns > MAX_TURNS;
  if ((no_motion || turning || events->close > MOST_CLOSE) && !d->law.leads && !d->follows) {
    d->law.leads = true; /* for the rest of the step */
    events->simultaneous = events->turns = events->close = 0;
  } else if (no_motion) {
    return hn_step_stalled(solver, "law of accelerations, from which no motion follows (Painleve)", -1, gone,
                           events->simultaneous);
  } else if (turning) {
    return hn_step_stalled(solver, "events, after each of which slips turn by much at once", -1, gone,
                           events->turns);
  }
  if (++events->all > d->most)
    return hn_step_stalled(solver, "events, of which there are too many in a step", -1, gone, events->all);
  return HN_CONVERGED;
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  hn_events *d = solver->data;
  double done = 0.0, gone = 0.0;
  tally events = { 0 };
  d->step = h, d->entering = -1;
  d->law.leads = d->creep == LED && !d->follows;
  memset(d->breakage_state.gone, 0, sizeof *d->breakage_state.gone * (size_t)solver->system->model->njoint);
  hn_reason reason = settle(solver, false, h, state);
  for (bool event = false; reason == HN_CONVERGED && done < h * (1.0 - 1e-15); done += gone) {
    reason = hn_events_go(solver, h - done, &gone, &event);
    if (reason != HN_CONVERGED) return reason;
    hn_state_copy(state, d->trial);
    keep(solver, h, state);
    if (event) reason = count_event(solver, h, gone, &events);
    else events.simultaneous = events.turns = events.close = 0;
    const bool continues_step = event || done + gone < h * (1.0 - 1e-15);
    if (reason == HN_CONVERGED && continues_step) reason = settle(solver, event, h - done - gone, state);
  }
  return reason;
}

const hn_solver_type hn_solver_events = {
  .abi = HN_ABI,
  .name = "events",
  .summary = "any solver between the instants of contact, impact, sticking and sliding",
  .citation = "Pfeiffer and Glocker 1996",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_REDUNDANT | HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE |
                  HN_CAN_CHANGE | HN_CAN_BOUNCE | HN_CAN_VELOCITY | HN_CAN_BREAK,
  .order = 0,
  .data_size = sizeof(hn_events),
  .params = params,
  .setup = setup,
  .step = step,
  .reset = reset,
  .free = destroy,
  .order_of = order_of,
  .capabilities_of = capabilities_of,
};
