/* mode_selection.c - roles of the blocks and the mode of motion from a state on.
 *
 *   continue_mode   the roles follow from the impulses and rates of the state; accepted if the forces of this
 *                   mode satisfy the law of accelerations, without a contact problem
 *   choose_mode     else the law of accelerations determines all roles (acceleration_law.c)
 *   replace_pulling sliding contacts whose force would pull are left out where others imply their gaps
 *   stop            slips that end at once are brought to rest, and the mode is chosen again
 *   put_mode        independent rows (basis.c), model and inner solver of the mode (mode.c) */
#include "system/contact_blocks.h"
#include "events/events.h"
#include "base/vec.h"
#include "system/moving_contact.h"

#include <math.h>
#include <string.h>

/* a force that pulls by less than this fraction of the largest one is zero */
static const double pull_tolerance = 1e-9;
enum { MAX_STOP_ROUNDS = 4 }; /* maximum number of rounds at one event in which slips are brought to rest */

bool hn_contact_pushes(const hn_system *s, int k, const hn_state *state)
{
  return k >= s->model->njoint && state->contact[k - s->model->njoint].impulse[0] > 0.0;
}

/* Unmarks closed contacts and limits that separate. Contacts that pushed at the end of the last motion
 * stay, unless AFTER_IMPACT. */
static void leave_out_parting(hn_solver *solver, const hn_state *state, bool after_impact)
{
  hn_events *d = solver->data;
  hn_system *s = solver->system;
  hn_system_velocity_residual(s, state, d->monitor.rate, NULL);
  for (int k = 0; k < s->nblock; k++)
    if (d->touches[k] && (after_impact || !hn_contact_pushes(s, k, state)))
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
    const hn_contact contact = hn_contact_of(block);
    if (d->role[k].kind == HN_ROW_OPEN || hn_contact_is_fixed(s->model, &contact)) continue;
    d->role[k].moves = hn_moving_contact_set(&moving, s->model, &contact, state);
    vec_sub(spin, a->w, b->w);
    if (!d->role[k].moves && (vec_norm(spin) > d->limits.rate || d->role[k].kind == HN_ROW_SLIDING)) return k;
  }
  return -1;
}

/* Stores the forces of sticking contacts by the law, in world axes. If contacts are redundant, the mode has
 * fewer forces. */
static void note_sticking_forces(hn_events *d, const hn_system *s)
{
  memset(d->sticking_force, 0, 3 * sizeof *d->sticking_force * (size_t)s->nblock);
  for (int k = s->model->njoint; k < s->nblock; k++)
    if (d->role[k].kind == HN_ROW_HELD)
      hn_contact_force(s, &s->block[k], d->law.p + s->block[k].row, d->sticking_force + 3 * k);
}

/* Finds or creates the mode of d->role if its rows are CHOSEN. */
static hn_reason find_mode(hn_solver *solver, bool chosen, const hn_state *state)
{
  hn_events *d = solver->data;
  hn_error error;
  d->mode = chosen ? hn_modes_find(d->modes, d->role, state, &error) : NULL;
  if (d->mode) return HN_CONVERGED;
  return hn_step_failed(solver, HN_UNSUPPORTED, "a mode of motion that its solver cannot do", -1, 0.0);
}

/* Selects independent rows and the mode of d->role from STATE on. */
static hn_reason put_mode(hn_solver *solver, const hn_state *state)
{
  hn_events *d = solver->data;
  const int wandering = find_wandering(solver, state);
  if (wandering >= 0)
    return hn_step_failed(
      solver, HN_UNSUPPORTED,
      "a lasting contact of a corner with a corner or an edge, of edges that are parallel, or "
      "of an ellipsoid with anything but a face",
      wandering, 0.0);
  note_sticking_forces(d, solver->system);
  const bool chosen = hn_events_basis_choose(solver->system, &d->basis, d->role, d->law.p, state) == 0;
  return find_mode(solver, chosen, state);
}

/* Resets the roles, except those of broken joints. */
static void clear_roles(hn_events *d, const hn_system *s)
{
  memset(d->role, 0, sizeof *d->role * (size_t)s->nblock);
  for (int j = 0; j < s->model->njoint; j++)
    if (d->breakage_state.gone[j]) d->role[j].kind = HN_ROW_BROKEN;
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
      d->role[k].kind = HN_ROW_OPEN;
      memset(d->law.p + block->row, 0, sizeof *d->law.p * (size_t)block->n);
    }
    if (d->role[k].kind == HN_ROW_SLIDING && block->n == 3 &&
        norm_of(d->law.rate + block->row + 1, 2) <= hn_slow_slip)
      return false;
  }
  return true;
}

static bool has_closed_contact(const hn_events *d, const hn_system *s)
{
  for (int k = s->model->njoint; k < s->nblock; k++)
    if (d->touches[k]) return true;
  return false;
}

/* True if the mode that the impulses and rates in STATE suggest satisfies the law; no contact problem is
 * solved then. All roles must have been reset. FRESH: the impulses are no guide, as after an impact. If a
 * mode is refused here, the failure that put_mode() reports is overwritten by choose_mode(), which
 * follows. */
static bool continue_mode(hn_solver *solver, const hn_state *state, bool fresh)
{
  hn_events *d = solver->data;
  hn_system *s = solver->system;
  const size_t size = sizeof *d->role * (size_t)s->nblock;
  if (d->law.leads || (fresh && has_closed_contact(d, s))) return false;
  /* the mode that impulses and rates suggest */
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
    if (d->now[k].kind == d->role[k].kind) continue;
    if (d->now[k].kind != HN_ROW_OPEN || d->role[k].gap || d->role[k].stick != 0) return false;
    d->role[k] = (hn_role){ .kind = HN_ROW_OPEN }, opens = true; /* its rows are not in the mode */
  }
  note_sticking_forces(d, s);
  return opens ? put_mode(solver, state) == HN_CONVERGED : true;
}

/* True if contact K sticks and some of its slip rows are not equations. */
static bool has_redundant_slip(const hn_system *s, const hn_role *role, int k)
{
  const unsigned rows = (1u << (s->block[k].n - 1)) - 1;
  return s->block[k].joint->set->kind == HN_CONE && role[k].kind == HN_ROW_HELD &&
         (role[k].stick & rows) != rows;
}

/* Makes redundant slip rows of sticking contacts known forces of the mode if it has other accelerations at
 * STATE than the law. The mode lacks these rows because their forces accelerate nothing. But they change
 * normal forces of other contacts, and so the friction of those that slide. */
static hn_reason share_friction(hn_solver *solver, const hn_state *state)
{
  hn_events *d = solver->data;
  const hn_system *s = solver->system;
  bool slides = false, redundant = false;
  for (int k = s->model->njoint; k < s->nblock; k++) {
    if (d->role[k].creeps) return HN_CONVERGED;
    slides |= d->role[k].kind == HN_ROW_SLIDING;
    redundant |= has_redundant_slip(s, d->role, k);
  }
  if (!slides || !redundant) return HN_CONVERGED;
  /* a mode whose accelerations are not known stays as it is: its motion fails with the same reason */
  if (hn_mode_accelerate(d->mode, state, NULL, d->acceleration) != HN_CONVERGED) return HN_CONVERGED;
  if (!(hn_events_distance(d->acceleration, d->law.acceleration, state->nbody) > hn_equal_acceleration))
    return HN_CONVERGED;
  for (int k = s->model->njoint; k < s->nblock; k++) {
    hn_role *role = &d->role[k];
    role->shares = has_redundant_slip(s, d->role, k);
    for (int r = 1; r < s->block[k].n; r++)
      role->shared[r - 1] = role->stick & (1u << (r - 1)) ? 0.0 : d->law.p[s->block[k].row + r];
  }
  return find_mode(solver, true, state);
}

/* Returns the sliding contact whose gap is an equation and whose force in the mode at STATE pulls most; -1:
 * none, or no gap of a sliding contact is redundant. */
static int find_pulling(hn_solver *solver, const hn_state *state)
{
  hn_events *d = solver->data;
  const hn_system *s = solver->system;
  double largest = 0.0, least = 0.0;
  int pulling = -1;
  bool redundant = false;
  for (int k = s->model->njoint; k < s->nblock; k++)
    redundant |= d->role[k].kind == HN_ROW_SLIDING && !d->role[k].gap;
  if (!redundant || hn_mode_accelerate(d->mode, state, NULL, d->acceleration) != HN_CONVERGED) return -1;
  for (int k = s->model->njoint; k < s->nblock; k++) {
    double p[HN_MAX_ROWS] = { 0 };
    if (d->role[k].kind == HN_ROW_OPEN) continue;
    hn_mode_add_forces(d->mode, k, s, &s->block[k], p);
    largest = fmax(largest, p[0]);
    if (d->role[k].kind != HN_ROW_SLIDING || !d->role[k].gap || d->role[k].yields) continue;
    if (p[0] < least) least = p[0], pulling = k;
  }
  return least < -pull_tolerance * largest ? pulling : -1;
}

/* Leaves out gaps of sliding contacts that would pull, one after another, where other gaps imply them. The
 * choice of redundant gaps decides about friction, so the mode has other forces than the law. */
static hn_reason replace_pulling(hn_solver *solver, const hn_state *state)
{
  hn_events *d = solver->data;
  hn_reason reason = HN_CONVERGED;
  for (int k; reason == HN_CONVERGED && (k = find_pulling(solver, state)) >= 0;) {
    d->role[k].yields = true;
    d->law.p[solver->system->block[k].row] = 0.0;
    reason = put_mode(solver, state);
  }
  return reason;
}

/* Selects the roles and the mode at STATE by the law of accelerations. */
static hn_reason choose_mode(hn_solver *solver, const hn_state *state)
{
  hn_events *d = solver->data;
  clear_roles(d, solver->system);
  hn_events_law_pose(solver, &d->law, &d->limits, d->touches, NULL, d->role, state);
  hn_reason reason = hn_events_law_solve(solver, &d->law, d->touches, false, d->role, state);
  if (reason == HN_CONVERGED) reason = put_mode(solver, state);
  if (reason == HN_CONVERGED) reason = replace_pulling(solver, state);
  return reason == HN_CONVERGED ? share_friction(solver, state) : reason;
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
    hn_role *role = &d->role[k];
    const double across = creeps && role->creeps ? hn_mode_transverse_friction(d->mode, k) : 0.0;
    if (!role->must_stop && fabs(across) <= HN_MAX_TRANSVERSE) continue;
    *role = (hn_role){ .kind = HN_ROW_HELD };
    any = true;
  }
  return any;
}

/* Brings to rest at STATE the contacts that mark_contacts_to_stop() marks, and selects the mode that
 * follows. Contacts that would have to stop again after the last round move on as the law says. Their fast
 * turns then end the motion early, and count_event() limits their number. */
static hn_reason stop(hn_solver *solver, hn_state *state)
{
  hn_events *d = solver->data;
  hn_reason reason = HN_CONVERGED;
  for (int i = 0; i < MAX_STOP_ROUNDS && reason == HN_CONVERGED && mark_contacts_to_stop(solver, state);
       i++) {
    reason = put_mode(solver, state);
    if (reason != HN_CONVERGED) return reason;
    const bool stopped = hn_mode_project_velocities(d->mode, state) == HN_CONVERGED;
    if (stopped) hn_motion_impulses_note_projection(solver, state);
    reason = choose_mode(solver, state);
    if (!stopped) break;
  }
  return reason;
}

/* Selects the roles and the mode at STATE: by the law of accelerations, unless all forces are those of
 * equations. FRESH as in continue_mode(). */
static hn_reason select_roles(hn_solver *solver, bool fresh, hn_state *state)
{
  hn_events *d = solver->data;
  clear_roles(d, solver->system);
  d->lawless = !hn_events_law_is_needed(solver->system, d->role, d->touches);
  if (d->lawless) {
    memset(d->law.p, 0, sizeof *d->law.p * (size_t)solver->system->nrow);
    return put_mode(solver, state);
  }
  hn_reason reason = continue_mode(solver, state, fresh) ? HN_CONVERGED : choose_mode(solver, state);
  return reason == HN_CONVERGED ? stop(solver, state) : reason;
}

hn_reason hn_events_select_mode(hn_solver *solver, bool struck, bool event, double left, hn_state *state)
{
  hn_events *d = solver->data;
  leave_out_parting(solver, state, struck);
  d->law.ahead = left;
  const bool enters = d->entering >= 0;
  hn_reason reason = select_roles(solver, struck || (event && !enters), state);
  d->entering = -1;
  if (reason != HN_CONVERGED) return reason;
  /* velocities that satisfy the equations of the mode */
  bool project = event;
  for (int k = 0; k < solver->system->nblock; k++) project |= d->role[k].creeps;
  reason = project ? hn_mode_project_velocities(d->mode, state) : HN_CONVERGED;
  if (project && reason == HN_CONVERGED) hn_motion_impulses_note_projection(solver, state);
  if (reason == HN_CONVERGED) return reason;
  return hn_step_failed(solver, reason, "velocities after an event", -1, 0.0);
}
