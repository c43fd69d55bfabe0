/* events.c - event-driven integration: any solver of smooth motion between the times at which contact
 * begins, ends, sticks or slides. This file registers the solver and creates its parts.
 *
 * Between events the active rows are equations, and friction of sliding contacts is a force
 * -mu lambda_n u_t / |u_t|. The motion in a mode is therefore smooth, and the inner solver keeps its order.
 * An event is located by repeating the motion with other lengths, so its time has the accuracy of the inner
 * solver. The figure in events/state_machine.c explains a step.
 *
 * Slow slips: friction turns a slip u at a rate of mu lambda_n k / |u|, k being its inverse mass, which can
 * be much faster than the motion, above all where a slip begins. The direction of friction is then a
 * polynomial in time, found by collocation (slow_slip.c, slip_plan.c), and the order remains. If that fails,
 * slips are followed. If this takes many events in quick succession, slips creep for the rest of the step
 * (creep.c): an equation holds the slip across its direction, whose force is a part of friction. The error
 * is of first order in the slip.
 *
 * Bounded forces of joints, such as dry friction and motors, have modes and events like contacts. A contact
 * is held at a point of one body on a plane of the other. Round bodies and edges that roll, slide or turn on
 * each other have contact points that move over both bodies (system/moving_contact.h).
 *
 * The files in solvers/events/, in the order in which to read them:
 *
 *   state_machine.c     a step: contact detection, impact (lib/event/impact.c), mode selection, motion
 *   mode_selection.c    roles of the blocks at an event, from the impulses or by the law of accelerations
 *   acceleration_law.c  that law as a contact problem; acceleration_solution.c solves it
 *   basis.c             independent rows among those of the roles
 *   mode.c              the model that the roles make, and its inner solver; known.c: its friction forces
 *   trial.c             motions to the next event (lib/event/event_search.c and event_root.c)
 *   slow_slip.c, slip_plan.c   directions of friction where slips are slow
 *   slip.c, breakage.c, travel.c   event functions of slips and of joints that break; the longest motion
 *   creep.c             slips that friction turns faster than a step can follow
 *   time_stepping.c     parts of a step in which no smooth motion is found
 *   motion_impulses.c   impulses of contacts in a motion, for records
 *
 * Sliding contacts can be statically indeterminate, for example at bodies jammed between others. Friction
 * and motion are then not unique, as in Painleve's paradox. A part of a step without a motion points to this
 * cause but does not prove it. [Pfeiffer and Glocker, Multibody Dynamics with Unilateral Contacts (1996);
 * Hairer and Wanner on events] */
#include "events/events.h"
#include "contact/contact_registry.h"
#include "registry/solver_arrays.h"

#include <stdlib.h>
#include <string.h>

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
  { "time_stepping", HN_FLAG, offsetof(hn_events, steps_in_time), "true", 0, 0, "", NULL,
    "parts of a step without a smooth motion are time-stepped, with a warning; else the run stalls there" },
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
  const unsigned kept = HN_CAN_BILATERAL | HN_CAN_REDUNDANT | HN_CAN_VELOCITY | HN_CAN_COMPLIANT;
  const unsigned gaps = HN_CAN_PUSH | HN_CAN_CHANGE | HN_CAN_BREAK | HN_CAN_BOUNCE;
  const unsigned inner = inner_capabilities(solver->data);
  return (inner & kept) | gaps | (inner & HN_CAN_VELOCITY ? HN_CAN_WITHIN | HN_CAN_CONE : 0u);
}

static int allocate(hn_solver *solver, hn_events *d, hn_error *error)
{
  const size_t blocks = (size_t)solver->system->max_blocks, bodies = (size_t)solver->system->model->nbody;
  return hn_solver_allocate(
    solver, error, HN_STATE(d->from), HN_STATE(d->trial), HN_ARRAY(d->role, blocks), HN_ARRAY(d->now, blocks),
    HN_ARRAY(d->touches, blocks), HN_ARRAY(d->modes_now, blocks), HN_ARRAY(d->sticking_force, 3 * blocks),
    HN_ARRAY(d->there, blocks), HN_ARRAY(d->acceleration, bodies), HN_ARRAY(d->external, 6 * bodies));
}

static int setup(hn_solver *solver, hn_error *error)
{
  hn_events *d = solver->data;
  const hn_model *model = solver->system->model;
  hn_events_by_solver(solver);
  if (allocate(solver, d, error)) return -1;
  if (hn_events_law_setup(solver->system, &d->law, &d->impact.contact, error)) return -1;
  if (hn_events_basis_setup(solver->system, &d->basis, error) ||
      hn_monitor_setup(&d->monitor, solver->system, error))
    return -1;
  if (hn_slow_slips_setup(&d->slow, solver->system, error)) return -1;
  if (hn_travel_setup(&d->travel, model, error) || hn_breakage_setup(model, &d->breakage_state, error))
    return -1;
  d->impact.touching = d->limits.gap, d->impact.gone = d->breakage_state.gone;
  d->monitor.touching = d->limits.gap, d->monitor.moving = d->limits.rate;
  if (hn_impact_setup(solver, &d->impact, error) || hn_motion_impulses_setup(solver, &d->impulses, error))
    return -1;
  if (hn_events_search_setup(solver, error)) return -1;
  d->spec = spec_of(d->inner);
  d->modes = d->spec ? hn_modes_create(solver->system, d->spec, error) : NULL;
  d->mode = d->modes ? hn_modes_find(d->modes, d->role, d->from, error) : NULL;
  if (!d->mode) return -1;
  d->follows = hn_mode_solver(d->mode)->type->capabilities & HN_RESOLVES_SLIPS;
  return hn_events_time_stepping_setup(solver, error);
}

static void destroy(hn_solver *solver)
{
  hn_events *d = solver->data;
  hn_events_law_free(&d->law), hn_events_basis_free(&d->basis), hn_monitor_free(&d->monitor);
  hn_slow_slips_free(&d->slow), hn_breakage_free(&d->breakage_state), hn_travel_free(&d->travel);
  hn_modes_free(d->modes);
  hn_solver_free(d->stepper);
  hn_impact_free(&d->impact), hn_event_search_free(&d->search), hn_event_search_free(&d->forces);
  free(d->spec);
}

static int order_of(const hn_solver *solver)
{
  const hn_events *d = solver->data;
  return d->mode ? hn_solver_order(hn_mode_solver(d->mode)) : 0;
}

static void reset(hn_solver *solver)
{
  hn_events *d = solver->data;
  hn_modes_clear(d->modes);
  d->mode = NULL;
}

const hn_solver_type hn_solver_events = {
  .abi = HN_ABI,
  .name = "events",
  .summary = "any solver between the instants of contact, impact, sticking and sliding",
  .citation = "Pfeiffer and Glocker 1996",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_COMPLIANT | HN_CAN_REDUNDANT | HN_CAN_PUSH | HN_CAN_WITHIN |
                  HN_CAN_CONE | HN_CAN_CHANGE | HN_CAN_BOUNCE | HN_CAN_VELOCITY | HN_CAN_BREAK,
  .order = 0,
  .data_size = sizeof(hn_events),
  .params = params,
  .setup = setup,
  .step = hn_events_step,
  .reset = reset,
  .free = destroy,
  .order_of = order_of,
  .capabilities_of = capabilities_of,
};
